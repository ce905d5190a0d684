//! The visible text around the headline: short lines, one of which may have the author, another one the date.
//!
//! Distances are counted in visible characters. In bytes, the line below a headline may be far away, because share
//! menus, icons and pictures may be in between.

use std::hash::Hasher;

use goldminer_html::text::case_fold;
use goldminer_html::{ElementId, Page, Paragraph};
use rustc_hash::FxHasher;

/// The most characters in a heading that can be the headline.
pub(super) const MAX_HEADING_CHARS: u32 = 300;
/// The most headings that are compared with the title.
const MAX_HEADINGS: usize = 200;
/// The least share of words in common with the title. The three constants are for a heading below `h1`, for an `h1`,
/// and for a text that is not a heading.
const MIN_SHARED: f32 = 0.4;
const MIN_SHARED_OF_FIRST: f32 = 0.3;
const MIN_SHARED_WITHOUT_HEADING: f32 = 0.95;
/// The least share of words in common with the title for a heading other than `h1` to become the title.
const MIN_SHARED_OF_TITLE: f32 = 0.7;
/// How many characters and paragraphs before and after the headline are read.
const CHARS_BEFORE: u32 = 160;
const PARAGRAPHS_BEFORE: usize = 8;
const CHARS_BEHIND: u32 = 900;
const PARAGRAPHS_BEHIND: usize = 40;
/// A longer paragraph counts as only this many characters in the distance from the headline. So a long lead
/// (introduction) between headline and byline does not end the search.
const MAX_COUNTED: u32 = 250;
/// The least weight of a paragraph of the text, and the number of such paragraphs that show where the text is.
const MIN_WEIGHT_OF_TEXT: u32 = 80;
const PARAGRAPHS_OF_TEXT: usize = 2;
/// The most characters in a line.
pub(super) const MAX_LINE_CHARS: u32 = 160;

/// A short paragraph near the headline.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Line<'p> {
    /// The index of the line's paragraph.
    pub index: usize,
    pub paragraph: &'p Paragraph,
    /// The number of characters between the line and the headline.
    pub distance: u32,
    /// Whether it is before the headline.
    pub is_before: bool,
}

/// The index of the headline: the `h1` most similar to the page's titles, else the most similar other heading, else the
/// only `h1`, else a text that nearly equals a title.
pub(super) fn headline(page: &Page, titles: &[&str]) -> Option<usize> {
    // Metadata often have the same title twice.
    let distinct = titles.iter().enumerate().filter(|(at, title)| !titles[..*at].contains(title));
    let titles: Vec<Words> = distinct.map(|(_, title)| Words::of(title)).collect();
    let shared = |paragraph: &Paragraph| titles.iter().map(|title| title.shared(&paragraph.text)).fold(0.0, f32::max);
    let headings = |level: fn(u8) -> bool| {
        let of_level = move |(_, paragraph): &(usize, &Paragraph)| {
            paragraph.heading.is_some_and(level) && paragraph.chars <= MAX_HEADING_CHARS
        };
        page.paragraphs().iter().enumerate().filter(of_level).take(MAX_HEADINGS)
    };
    let best = |level: fn(u8) -> bool, least: f32| {
        let shares = headings(level).map(|(index, paragraph)| (index, shared(paragraph)));
        let alike = shares.filter(|(_, share)| *share >= least);
        alike.reduce(|best, next| if next.1 > best.1 { next } else { best }).map(|(index, _)| index)
    };
    let only = || {
        let mut first_level = headings(|level| level == 1).map(|(index, _)| index);
        first_level.next().filter(|_| first_level.next().is_none())
    };
    let no_heading = || {
        let may_be = |paragraph: &Paragraph| {
            titles.iter().any(|title| title.0.len() >= 2 && title.0.len().abs_diff(paragraph.words as usize) <= 4)
        };
        page.paragraphs()
            .iter()
            .position(|paragraph| may_be(paragraph) && shared(paragraph) >= MIN_SHARED_WITHOUT_HEADING)
    };
    let like_title = best(|level| level == 1, MIN_SHARED_OF_FIRST).or_else(|| best(|level| level > 1, MIN_SHARED));
    like_title.or_else(only).or_else(no_heading)
}

/// Whether a paragraph shares enough words with one of the titles to be the title, even if it is not an `h1`.
pub(super) fn is_title(paragraph: &Paragraph, titles: &[&str]) -> bool {
    titles.iter().any(|title| Words::of(title).shared(&paragraph.text) >= MIN_SHARED_OF_TITLE)
}

/// The words of a title, for comparison: sorted hashes of their letters and digits in lower case.
pub(super) struct Words(Vec<u64>);

impl Words {
    pub(super) fn of(title: &str) -> Self {
        let mut words = hashes(title);
        words.sort_unstable();
        words.dedup();
        Self(words)
    }

    /// The share of words that both texts have in common, from 0 to 1.
    pub(super) fn shared(&self, text: &str) -> f32 {
        let words = hashes(text);
        let both = words.iter().filter(|word| self.0.binary_search(word).is_ok()).count();
        2.0 * both.min(self.0.len()) as f32 / (words.len() + self.0.len()).max(1) as f32
    }
}

fn hashes(text: &str) -> Vec<u64> {
    let (mut words, mut hasher, mut is_word) = (Vec::new(), FxHasher::default(), false);
    for c in text.chars() {
        if case_fold::in_lower_case(c, |c| hasher.write_u32(u32::from(c))) {
            is_word = true;
        } else if std::mem::take(&mut is_word) {
            words.push(std::mem::take(&mut hasher).finish());
        }
    }
    words.extend(is_word.then(|| hasher.finish()));
    words
}

/// The paragraphs shortly after the headline, with their distance from it in characters.
fn behind(page: &Page, headline: usize) -> impl Iterator<Item = (usize, &Paragraph, u32)> {
    let paragraphs = page.paragraphs().iter().enumerate().skip(headline + 1).take(PARAGRAPHS_BEHIND);
    paragraphs.scan(0, |end, (index, paragraph)| {
        let distance = *end;
        *end += paragraph.chars.min(MAX_COUNTED);
        (distance <= CHARS_BEHIND).then_some((index, paragraph, distance))
    })
}

/// The byte position where the last of the paragraphs shortly after the headline ends.
pub(super) fn end(page: &Page, headline: usize) -> u32 {
    let last = behind(page, headline).last().map(|(_, paragraph, _)| paragraph);
    last.unwrap_or(&page.paragraphs()[headline]).span.end
}

/// The smallest element that holds the headline and the beginning of the text. None if no text follows the headline.
pub(super) fn part_with_text(page: &Page, headline: usize) -> Option<ElementId> {
    let element = page.paragraphs()[headline].element?;
    let text = page.paragraphs()[headline + 1..].iter().filter(|paragraph| paragraph.weight() >= MIN_WEIGHT_OF_TEXT);
    let last = text.filter_map(|paragraph| paragraph.element).take(PARAGRAPHS_OF_TEXT).last()?;
    page.ancestors_and_self(element).find(|id| page.is_within(last, *id))
}

/// The short paragraphs near the headline: first those after it, then those before it.
pub(super) fn lines(page: &Page, headline: usize) -> Vec<Line<'_>> {
    let paragraphs = page.paragraphs();
    let short = behind(page, headline).filter(|(_, paragraph, _)| paragraph.chars <= MAX_LINE_CHARS);
    let mut lines: Vec<Line<'_>> =
        short.map(|(index, paragraph, distance)| Line { index, paragraph, distance, is_before: false }).collect();
    let mut distance = 0;
    for index in (headline.saturating_sub(PARAGRAPHS_BEFORE)..headline).rev() {
        let paragraph = &paragraphs[index];
        if distance > CHARS_BEFORE {
            break;
        }
        if paragraph.chars <= MAX_LINE_CHARS {
            lines.push(Line { index, paragraph, distance, is_before: true });
        }
        distance += paragraph.chars.min(MAX_COUNTED);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_headline_is_the_heading_most_similar_to_the_title() {
        let page = |html: &str| Page::parse(html.to_owned());
        for (html, title, expected) in [
            ("<h1>The Portal</h1><h1>A bridge opens</h1>", "A new bridge opens today", Some("A bridge opens")),
            ("<h3>A bridge opens</h3><h1>The Portal</h1>", "A bridge opens", Some("A bridge opens")),
            ("<p>News<h1>A bridge opens</h1>", "", Some("A bridge opens")),
            ("<p>News<div>A bridge opens</div>", "A bridge opens", Some("A bridge opens")),
            ("<p>News<h1>One</h1><h1>Two</h1>", "A bridge opens", None),
        ] {
            let page = page(html);
            let found = headline(&page, &[title]).map(|index| &*page.paragraphs()[index].text);
            assert_eq!(found, expected, "{html}");
        }
    }

    #[test]
    fn distances_count_only_visible_characters() {
        let icons = "<svg><path d=M0/></svg>".repeat(1000);
        let page = Page::parse(format!("<p>News</p><h1>A bridge opens</h1>{icons}<p>By Anna Nagy</p>"));
        let lines = lines(&page, 1);
        assert_eq!(lines.iter().map(|line| &*line.paragraph.text).collect::<Vec<_>>(), ["By Anna Nagy", "News"]);
        assert_eq!((lines[0].distance, lines[1].is_before), (0, true));
    }
}
