//! The last resort for title, authors and date: CSS selectors over what stands around the headline.
//!
//! A DOM costs more than all the rest of reading a page, therefore only those elements around the headline become one whose
//! start tags promise something: a few hundred bytes.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};
use scraper::{ElementRef, Html, Selector};

use super::{Found, author, date, text};
use crate::page::tag::Tag;
use crate::page::{ElementId, Page};

/// What is looked at before and behind the headline.
const BYTES_BEFORE: usize = 1024;
const BYTES_BEHIND: usize = 3 * 1024;
/// How many headings are compared with the title, and how long they may be.
const MAX_HEADINGS: usize = 200;
const MAX_HEADING_BYTES: usize = 4 * 1024;
/// A longer element is no byline and no date line.
const MAX_ELEMENT_BYTES: usize = 1024;
/// A longer text is no byline and no date line.
const MAX_LINE_CHARS: usize = 120;

/// Where authors are named, the surest first.
static AUTHORS: LazyLock<Vec<Selector>> = LazyLock::new(|| {
    selectors(&[
        "[rel~=author]",
        "[itemprop~=author]",
        "[class~=author] a, [class~=byline] a",
        "[class~=author-name], [class~=byline-name], [class~=authorName], [class~=author_name], [class~=fn]",
        "[class~=byline], [class~=author], [class*=byline], [class*=szerzo], [class*=autor], [class*=auteur], [class*=author]",
    ])
});

/// Where dates stand.
static DATES: LazyLock<Vec<Selector>> = LazyLock::new(|| {
    selectors(&[
        "time",
        "[class*=publish], [class*=datetime], [class*=timestamp], [class~=posted-on]",
        "[class*=date], [class*=Date], [class*=datum], [class*=fecha], [class*=time], [id*=date]",
    ])
});

/// What the start tag of such an element says, authors first.
static HINTS: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    let hints = AUTHOR_HINTS.iter().chain(DATE_HINTS);
    AhoCorasick::builder().ascii_case_insensitive(true).match_kind(MatchKind::LeftmostFirst).build(hints).ok()
});
const AUTHOR_HINTS: &[&str] = &["author", "byline", "szerzo", "autor", "auteur", "\"fn", "fn\""];
const DATE_HINTS: &[&str] = &["<time", "publish", "timestamp", "datetime", "date", "datum", "fecha", "posted", "time"];

/// `known` is what other sources have said; only what is missing is looked for.
pub(super) fn read(page: &Page, known: &Found) -> Found {
    let mut found = Found::default();
    let Some(headline) = headline(page, known.title.as_deref()) else { return found };
    if known.title.is_none() {
        found.title = text::line(&text::without_tags(page.inner_source(headline)));
    }
    let promising = Promising::around(page, headline);
    if known.authors.is_empty() {
        let names = |line: &str| Some(author::cleaned(&[line.to_owned()])).filter(|names| !names.is_empty());
        found.authors = first(&promising.authors, &AUTHORS, names).unwrap_or_default();
    }
    if known.published.is_none() {
        found.published = first(&promising.dates, &DATES, date::in_text);
    }
    found
}

/// The heading that says the title, else the only `h1`.
fn headline(page: &Page, title: Option<&str>) -> Option<ElementId> {
    let heading_of = |id: ElementId| {
        let source = page.inner_source(id);
        (source.len() <= MAX_HEADING_BYTES).then(|| text::line(&text::without_tags(source)))?
    };
    let is_heading = |id: &ElementId| page.element(*id).tag.heading_level().is_some_and(|level| level <= 3);
    let mut headings = page.ids().filter(is_heading).take(MAX_HEADINGS);
    let same = title.and_then(|title| headings.find(|id| heading_of(*id).as_deref() == Some(title)));
    same.or_else(|| {
        let mut first_level = page.elements_of(Tag::H1).take(MAX_HEADINGS).filter(|id| heading_of(*id).is_some());
        first_level.next().filter(|_| first_level.next().is_none())
    })
}

/// The sources of the elements around the headline whose start tags have a hint, of each kind outermost ones only.
#[derive(Default)]
struct Promising {
    authors: String,
    dates: String,
}

impl Promising {
    fn around(page: &Page, headline: ElementId) -> Self {
        let element = page.element(headline);
        let text = page.text();
        let start = text.ceil_char_boundary((element.start as usize).saturating_sub(BYTES_BEFORE));
        let end = text.floor_char_boundary((element.content as usize + BYTES_BEHIND).min(text.len()));
        let mut found = Self::default();
        let (mut authors_passed, mut dates_passed) = (start as u32, start as u32);
        for hint in HINTS.iter().flat_map(|hints| hints.find_iter(&text[start..end])) {
            let Some(id) = page.start_tag_at(start + hint.start()) else { continue };
            let (sources, passed) = match hint.pattern().as_usize() < AUTHOR_HINTS.len() {
                true => (&mut found.authors, &mut authors_passed),
                false => (&mut found.dates, &mut dates_passed),
            };
            let element = page.element(id);
            if element.start >= *passed && element.span().len() <= MAX_ELEMENT_BYTES {
                sources.push_str(&text[element.span().range()]);
                *passed = element.end;
            }
        }
        found
    }
}

/// What `read` makes of the first line that it can read, by the order of the selectors.
fn first<T>(source: &str, selectors: &[Selector], read: impl Fn(&str) -> Option<T>) -> Option<T> {
    if source.is_empty() {
        return None;
    }
    let fragment = Html::parse_fragment(source);
    selectors.iter().flat_map(|selector| fragment.select(selector)).find_map(|element| read(&line_of(element)?))
}

fn line_of(element: ElementRef) -> Option<String> {
    if let Some(value) = element.value().attr("datetime") {
        return Some(value.to_owned());
    }
    let mut line = String::new();
    for piece in element.text() {
        line.push_str(piece);
        line.push(' ');
        if line.len() > 4 * MAX_LINE_CHARS {
            return None;
        }
    }
    text::line(&line).filter(|line| line.chars().count() <= MAX_LINE_CHARS)
}

fn selectors(sources: &[&str]) -> Vec<Selector> {
    sources.iter().filter_map(|source| Selector::parse(source).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_selector_can_be_parsed() {
        assert_eq!((AUTHORS.len(), DATES.len()), (5, 3));
        assert!(HINTS.is_some());
    }

    #[test]
    fn the_byline_and_the_date_stand_around_the_headline() {
        let page = Page::parse(
            "<div class=teaser><h3>Another bridge</h3><span class=byline>By Someone Else</span></div>\
             <p>text</p><h1>A new bridge</h1><p class='article-byline'>By <b>Anna Nagy</b> and Béla Kis</p>\
             <span class=article-date>Friday, November 20, 2026 9:15 am</span>"
                .replace("<p>text</p>", &"<p>text</p>".repeat(300)),
        );
        let found = read(&page, &Found::default());
        assert_eq!(found.title.as_deref(), Some("A new bridge"));
        assert_eq!(found.authors, ["Anna Nagy", "Béla Kis"]);
        assert_eq!(found.published.as_deref(), Some("2026-11-20T09:15:00"));
    }
}
