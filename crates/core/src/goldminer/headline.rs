//! Finds the paragraph that is the page's headline. The headline is part of the article's text exactly once, whether a
//! profile's cut begins above or below it.

use std::borrow::Cow;

use goldminer_html::text::case_fold;
use goldminer_html::text::script::{is_han_or_kana, weight};
use goldminer_html::{Page, Paragraph};

use crate::metadata;

/// The fewest letters of a heading that is the headline because a part of the page's title equals it. Shorter ones
/// match by chance.
const MIN_LETTERS: usize = 8;
/// The fewest letters of a headline that is not marked as a heading, and is recognised because the page's title
/// contains it. Titles may also contain the section and the author.
const MIN_UNMARKED_LETTERS: usize = 12;

/// The most titles in `<meta>` that are read, and the most bytes that are read of any title.
const MAX_TITLES: usize = 8;
const MAX_TITLE_BYTES: usize = 1_000;

/// The titles that a page declares.
#[derive(Debug, Clone, Default)]
pub(super) struct Titles(Vec<String>);

impl Titles {
    /// Reads `og:title`, `twitter:title` and `<title>`, for comparison.
    pub(super) fn of(page: &Page) -> Self {
        let declared = metadata::named(page, &["og:title", "twitter:title"]).take(MAX_TITLES);
        let declared = declared.filter_map(|id| page.attribute(id, "content"));
        let shown = page.title_element().map(|title| htmlize::unescape(page.inner_source(title)));
        let beginning = |title: Cow<'_, str>| letters(&title[..title.floor_char_boundary(MAX_TITLE_BYTES)]);
        let mut titles: Vec<String> = declared.chain(shown).map(beginning).collect();
        titles.retain(|title| !title.is_empty());
        Self(titles)
    }

    /// Whether the text has at least `min_letters` letters, and equals a title or a part of one.
    pub(super) fn contain(&self, text: &str, min_letters: usize) -> bool {
        let most = self.0.iter().map(String::len).max().unwrap_or_default();
        // Punctuation and spaces make a text longer than its letters, but not by more than this.
        let may_fit = text.len() >= min_letters.min(4) && text.len() <= 2 * most + 16;
        may_fit && self.have(&letters(text), min_letters)
    }

    fn have(&self, letters: &str, min_letters: usize) -> bool {
        let fits = |title: &&String| title.len() >= letters.len();
        weight(letters) >= min_letters && self.0.iter().filter(fits).any(|title| contains_words(title, letters))
    }

    /// Whether a heading is the headline, because the page's titles contain it. A heading with few letters must equal a
    /// whole title.
    fn name(&self, heading: &str) -> bool {
        let letters = letters(heading);
        self.have(&letters, MIN_LETTERS) || (weight(&letters) >= 4 && self.0.contains(&letters))
    }
}

/// The index of the headline among the paragraphs. It is the longest heading that is a title or a part of one; else
/// the only `h1`; else the longest other text that is in a title and has no link.
pub(super) fn headline(paragraphs: &[Paragraph], titles: &Titles) -> Option<usize> {
    let headings = || paragraphs.iter().enumerate().filter(|(_, paragraph)| paragraph.heading.is_some());
    let titled = headings().filter(|(_, paragraph)| titles.name(&paragraph.text));
    // Of equal headings, take the first: the headline may be repeated above the comments.
    let longest = titled.rev().max_by_key(|(_, paragraph)| paragraph.chars);
    let only = || {
        let mut first_level = headings().filter(|(_, paragraph)| paragraph.heading == Some(1)).map(|(at, _)| at);
        first_level.next().filter(|_| first_level.next().is_none())
    };
    longest.map(|(at, _)| at).or_else(only).or_else(|| unmarked(paragraphs, titles))
}

/// The index of the headline on a page that does not mark it as a heading: the longest text without links that is in a
/// title.
fn unmarked(paragraphs: &[Paragraph], titles: &Titles) -> Option<usize> {
    let titled = paragraphs.iter().enumerate().filter(|(_, paragraph)| {
        paragraph.heading.is_none()
            && paragraph.link_chars == 0
            && titles.contain(&paragraph.text, MIN_UNMARKED_LETTERS)
    });
    titled.rev().max_by_key(|(_, paragraph)| paragraph.chars).map(|(at, _)| at)
}

/// The letters and digits of a text in lower case, with one space between words.
fn letters(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        let is_letter = case_fold::in_lower_case(c, |c| out.push(c));
        if !is_letter && !out.is_empty() && !out.ends_with(' ') && c != '\'' && c != '’' {
            out.push(' ');
        }
    }
    out.truncate(out.trim_end().len());
    out
}

/// Whether `text` contains `words` as whole words. In scripts without spaces, words may begin and end anywhere.
fn contains_words(text: &str, words: &str) -> bool {
    text.match_indices(words).any(|(at, found)| {
        let border = |inside: Option<char>, outside: Option<char>| {
            outside.is_none_or(|c| c == ' ' || is_han_or_kana(c)) || inside.is_some_and(is_han_or_kana)
        };
        border(found.chars().next(), text[..at].chars().next_back())
            && border(found.chars().next_back(), text[at + found.len()..].chars().next())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(html: &str) -> Option<String> {
        let page = Page::parse(html.to_owned());
        headline(page.paragraphs(), &Titles::of(&page)).map(|at| page.paragraphs()[at].text.to_string())
    }

    #[test]
    fn the_heading_named_by_the_title_wins_over_the_site_name_in_h1() {
        let html =
            "<title>Flood in Győr – Portal</title><h1>Portal</h1><h1>News</h1><h2>Flood in Győr</h2><p>It rained.";
        assert_eq!(found(html).as_deref(), Some("Flood in Győr"));
    }

    #[test]
    fn typography_of_the_title_does_not_matter() {
        let html = "<meta property=og:title content='\"Don&#39;t panic\" - says mayor'><h3>“Don’t panic” – says mayor</h3><h1>a</h1><h1>b</h1>";
        assert_eq!(found(html).as_deref(), Some("“Don’t panic” – says mayor"));
    }

    #[test]
    fn without_a_title_the_only_h1_is_it() {
        assert_eq!(found("<h1>One</h1><h2>Two</h2>").as_deref(), Some("One"));
        assert_eq!(found("<h1>One</h1><h1>Two</h1>"), None);
    }

    #[test]
    fn without_headings_the_longest_text_in_the_title_is_it() {
        let page = "<title>Rain over Rome for a week | Portal of the North</title><b>Portal of the North</b>\
                    <p><a href=/1>Rain over Rome for a week</a></p><div class=t>Rain over Rome for a week</div>\
                    <p>It rained.</p>";
        assert_eq!(found(page).as_deref(), Some("Rain over Rome for a week"));
        let page = Page::parse(page.to_owned());
        assert_eq!(headline(page.paragraphs(), &Titles::of(&page)), Some(2), "not the link");
        assert_eq!(found("<title>Rain in Rome</title><p>Rome</p><p>It rained in Rome.</p>"), None);
    }

    #[test]
    fn a_word_inside_of_a_title_is_no_headline() {
        assert_eq!(
            found("<title>The shareholders met in Berlin</title><h2>holders met in</h2><h1>a</h1><h1>b</h1>"),
            None
        );
    }
}
