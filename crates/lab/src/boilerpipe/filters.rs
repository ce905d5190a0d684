//! Removes parts of news pages that look like content but do not belong to the article: teasers (links to other
//! articles) before the headline, and comments after the article.
//!
//! The filters are from WSDM 2010, section 4. The words that announce comments, and the way to find a headline, are
//! from Boilerpipe 1.2 (`TerminatingBlocksFinder`, `IgnoreBlocksAfterContentFilter`, `DocumentTitleMatchClassifier`).

use goldminer_html::{Page, Tag};

use super::blocks::Block;

/// The most words in a block that announces comments.
const MAX_MARKER_WORDS: u32 = 14;
/// The number of article words that must come before a block that announces comments.
const MIN_ARTICLE_WORDS: u32 = 60;
/// The least text density of a block whose words count as words of the article.
const FULL_TEXT_DENSITY: f64 = 9.0;
/// The fewest words in a part of the page's title that may be the headline.
const MIN_HEADLINE_WORDS: usize = 4;

/// Beginnings of blocks that announce comments, in lower case.
const BEGINNINGS: [&str; 4] = ["comments", "© reuters", "please rate this", "post a comment"];
/// Texts anywhere in blocks that announce comments, in lower case.
const INSIDE: [&str; 7] = [
    "what you think...",
    "add your comment",
    "add comment",
    "reader views",
    "have your say",
    "reader comments",
    "rätta artikeln",
];
/// Texts after a number at the beginning of blocks that announce comments, in lower case.
const COUNTED: [&str; 2] = [" comments", " users responded in"];

/// The page's `<title>`, in which each stretch of white space is one space.
pub(crate) fn title(page: &Page) -> String {
    let source = page.elements_of(Tag::Title).next().map_or("", |id| page.inner_source(id));
    htmlize::unescape(source).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Removes the block that announces comments and all later ones, if there are enough words of an article before it.
/// Then marks the headline as content and removes the blocks before it. If most of the content is before the headline,
/// this second step is left out.
pub(crate) fn main_content(blocks: &mut [Block], title: &str) {
    if let Some(end) = comments(blocks) {
        blocks[end..].iter_mut().for_each(|block| block.is_content = false);
    }
    let Some(headline) = headline(blocks, title) else { return };
    let words =
        |blocks: &[Block]| blocks.iter().filter(|b| b.is_content).map(|b| u64::from(b.measures.words)).sum::<u64>();
    if words(&blocks[..headline]) < words(&blocks[headline + 1..]) {
        blocks[..headline].iter_mut().for_each(|block| block.is_content = false);
        blocks[headline].is_content = true;
    }
}

/// Keeps only the run of consecutive content blocks with the most words. A single block of boilerplate does not end a
/// run.
pub(crate) fn largest_content(blocks: &mut [Block]) {
    let mut runs: Vec<(std::ops::Range<usize>, u64)> = Vec::new();
    for (at, block) in blocks.iter().enumerate().filter(|(_, block)| block.is_content) {
        match runs.last_mut() {
            Some((run, words)) if at <= run.end + 1 => {
                run.end = at + 1;
                *words += u64::from(block.measures.words);
            }
            _ => runs.push((at..at + 1, u64::from(block.measures.words))),
        }
    }
    let Some((largest, _)) = runs.into_iter().rev().max_by_key(|(_, words)| *words) else { return };
    for (at, block) in blocks.iter_mut().enumerate() {
        block.is_content &= largest.contains(&at);
    }
}

fn comments(blocks: &[Block]) -> Option<usize> {
    let mut article_words = 0;
    blocks.iter().position(|block| {
        if block.is_content && block.measures.text_density >= FULL_TEXT_DENSITY {
            article_words += block.measures.words;
        }
        let announces = || announces_comments(&block.text.text.to_lowercase());
        article_words >= MIN_ARTICLE_WORDS && block.measures.words <= MAX_MARKER_WORDS && announces()
    })
}

fn announces_comments(text: &str) -> bool {
    let behind_number = text.trim_start_matches(|c: char| c.is_ascii_digit());
    BEGINNINGS.iter().any(|begin| text.starts_with(begin))
        || INSIDE.iter().any(|part| text.contains(part))
        || (behind_number.len() < text.len() && COUNTED.iter().any(|word| behind_number.starts_with(word)))
}

/// The position of the first block that equals the page's title or a long part of it. None if there is none.
fn headline(blocks: &[Block], title: &str) -> Option<usize> {
    let candidates = headlines(title);
    let is_headline = |block: &Block| candidates.contains(&normalised(&block.text.text));
    if candidates.is_empty() { None } else { blocks.iter().position(is_headline) }
}

/// Candidates for the headline: the whole title, and its parts that are long enough.
fn headlines(title: &str) -> Vec<String> {
    let parts = title.split(['|', '»', '«', ':', '(', ')', '-', '–', '—', '·']).map(normalised);
    let parts = parts.filter(|part| part.split(' ').count() >= MIN_HEADLINE_WORDS);
    std::iter::once(normalised(title)).chain(parts).filter(|candidate| !candidate.is_empty()).collect()
}

/// The words of a text in lower case, with letters and digits only and one space between them.
fn normalised(text: &str) -> String {
    let words = text.split_whitespace().map(|word| word.chars().filter(|c| c.is_alphanumeric()).collect::<String>());
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ").to_lowercase()
}

#[cfg(test)]
mod tests {
    use goldminer_core::extract::PageSystem;

    use super::super::{Boilerpipe, Filter};
    use super::*;

    const TEASER: &str = "<p>A teaser of another article that has twenty words so that the tree takes it for \
        content although it is none.";
    const TEXT: &str = "<p>The first cars crossed the new bridge this morning after four years of work that had cost \
        the city more than anybody had thought when the council decided to build it in the first place. The mayor \
        was there and said a few words about patience, and then she walked over it with the children of the school.";
    const COMMENT: &str = "<p>I have waited for this bridge for so long that I cannot believe that I shall cross it \
        today with my own car.";

    fn kept(filter: Filter, html: &str) -> Vec<String> {
        let boilerpipe = Boilerpipe { filter, ..Boilerpipe::default() };
        let paragraphs = boilerpipe.paragraphs(&Page::parse(html.to_owned()));
        paragraphs.into_iter().map(|p| p.text.chars().take(12).collect()).collect()
    }

    #[test]
    fn main_content_is_from_the_headline_to_the_comments() {
        let html = format!(
            "<title>The bridge is open | Example</title>{TEASER}<h1>The bridge is open</h1>{TEXT}<p>3 Comments{COMMENT}"
        );
        let all = ["A teaser of ", "The bridge i", "The first ca", "3 Comments", "I have waite"];
        assert_eq!(kept(Filter::None, &html), all);
        assert_eq!(kept(Filter::MainContent, &html), ["The bridge i", "The first ca"]);
    }

    #[test]
    fn comments_need_an_article_before_them() {
        let html = format!("<p>Comments{TEXT}");
        assert_eq!(kept(Filter::MainContent, &html).last().map(String::as_str), Some("The first ca"));
    }

    #[test]
    fn a_title_at_the_foot_of_the_page_cuts_nothing() {
        let html = format!("<title>The bridge is open</title>{TEXT}<p>The bridge is open");
        assert_eq!(kept(Filter::MainContent, &html)[0], "The first ca");
    }

    #[test]
    fn largest_content_is_the_longest_run() {
        let menu = "<li><a href=x>One thing</a><li><a href=x>Another thing</a><li><a href=x>And more</a>";
        let html = format!("{TEASER}{menu}{TEXT}<p>In between.{TEXT}{menu}{TEASER}");
        let kept = kept(Filter::LargestContent, &html);
        assert!(kept.iter().all(|text| !text.starts_with("A teaser")), "{kept:?}");
        assert_eq!(kept.iter().filter(|text| text.starts_with("The first")).count(), 2);
    }
}
