//! Finds the headline paragraph by a rule. Gold texts differ in whether they include the headline, so a model cannot
//! learn from them which paragraph it is.

use goldminer_html::Page;
use rustc_hash::FxHashSet;
use xxhash_rust::xxh3::xxh3_64;

use crate::metadata;

/// More than this share of a heading's letters must be in words of the page's title, in thousandths.
const MIN_OVERLAP: usize = 600;
/// The fewest letters that a heading and the title must have in common; fewer match by chance.
const MIN_LETTERS: usize = 6;

/// The heading that has the most of the title's words, else the first `h1`.
pub(crate) fn find(page: &Page) -> Option<usize> {
    let titles = titles(page);
    let mut best = (0, None);
    let mut words = Vec::new();
    let headings = page.paragraphs().iter().enumerate().filter(|(_, paragraph)| paragraph.heading.is_some());
    for (at, paragraph) in headings {
        words.clear();
        for_each_word(&paragraph.text, |word, weight| words.push((word, weight)));
        let all: usize = words.iter().map(|(_, weight)| weight).sum();
        for title in &titles {
            let known = |words: &[(u64, usize)]| {
                words.iter().filter(|(word, _)| title.contains(word)).map(|(_, weight)| weight).sum::<usize>()
            };
            let common = known(&words);
            if common < MIN_LETTERS || common * 1_000 <= all * MIN_OVERLAP {
                continue;
            }
            // Count each word once: a title above the comments repeats the page's title and has more words.
            let mut different = words.clone();
            different.sort_unstable();
            different.dedup();
            let different = known(&different);
            if different > best.0 {
                best = (different, Some(at));
            }
        }
    }
    best.1.or_else(|| page.paragraphs().iter().position(|paragraph| paragraph.heading == Some(1)))
}

/// The words of `og:title` and `<title>`.
fn titles(page: &Page) -> Vec<FxHashSet<u64>> {
    let of_meta = metadata::named(page, &["og:title"]).filter_map(|id| page.attribute(id, "content"));
    let mut titles: Vec<FxHashSet<u64>> = of_meta.map(|title| words(&title)).collect();
    if let Some(title) = page.title_element() {
        titles.push(words(&htmlize::unescape(page.inner_source(title))));
    }
    titles
}

fn words(text: &str) -> FxHashSet<u64> {
    let mut words = FxHashSet::default();
    for_each_word(text, |word, _| {
        words.insert(word);
    });
    words
}

/// Calls `then` with the hash of each lower-case word and its number of letters. Each Han or kana character is a word
/// of two letters.
fn for_each_word(text: &str, mut then: impl FnMut(u64, usize)) {
    let mut word = String::new();
    for c in text.chars().chain([' ']) {
        let is_a_word = matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{20000}'..='\u{3ffff}');
        if (!c.is_alphanumeric() || is_a_word) && !word.is_empty() {
            then(xxh3_64(word.as_bytes()), word.chars().count());
            word.clear();
        }
        if is_a_word {
            then(u64::from(u32::from(c)), 2);
        } else if c.is_ascii_alphanumeric() {
            word.push(c.to_ascii_lowercase());
        } else if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(html: &str) -> Option<String> {
        let page = Page::parse(html.to_owned());
        find(&page).map(|at| page.paragraphs()[at].text.to_string())
    }

    #[test]
    fn the_heading_with_the_most_of_the_title_is_the_headline() {
        let html = "<title>Flood in Győr: what we know – Portal</title><h1>Portal</h1><h2>Flood in Győr, what we knew</h2>\
                    <h3>Flood</h3>";
        assert_eq!(found(html).as_deref(), Some("Flood in Győr, what we knew"));
    }

    #[test]
    fn a_comments_title_that_contains_the_headline_is_not_it() {
        let html = "<title>Rain on the bridges | Portal</title><h1>Rain on the bridges</h1><h3>7 comments on “Rain on the bridges”</h3>";
        assert_eq!(found(html).as_deref(), Some("Rain on the bridges"));
    }

    #[test]
    fn without_a_match_it_is_the_first_h1() {
        assert_eq!(found("<title>Portal</title><h2>News</h2><h1>One</h1><h1>Two</h1>").as_deref(), Some("One"));
        assert_eq!(found("<title>Portal</title><h2>News</h2>"), None);
    }
}
