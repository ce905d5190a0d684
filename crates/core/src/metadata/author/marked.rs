//! Reads authors from elements whose attributes say that they name an author: `rel=author`, `class="byline"`.

use std::ops::Range;

use goldminer_html::{ElementId, Page, Tag};

use super::super::near::Line;
use super::super::own_part::{OwnPart, is_announcement, is_of_article, is_of_others};
use super::super::{author, text};
use super::pieces;
use crate::phrases::{Categories, PHRASES, category};

/// Names of elements with an author; then (`NAMES_BESIDE`) names of elements with an author's picture, biography or
/// links.
const NAMES_AUTHOR: Categories = category("name/author");
const NAMES_BESIDE: Categories = category("name/beside author");
/// The most bytes after the headline that are searched; before it, about a quarter as many.
const MAX_WINDOW: u32 = 24 * 1024;
/// An element with more bytes is no byline.
const MAX_ELEMENT_BYTES: usize = 3 * 1024;
/// A text with more characters is no byline.
const MAX_LINE_CHARS: usize = 140;
/// A paragraph with more characters, far from the headline, is not only a name.
const MAX_NAME_CHARS: u32 = 60;

/// How an element is marked as naming an author; the most reliable way first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Relation,
    Property,
    Name,
    Class,
    PartOfClass,
}

/// The authors in the most reliably marked elements near the headline.
pub(crate) fn near(page: &Page, headline: usize, part: OwnPart, lines: &[Line<'_>]) -> Vec<String> {
    let mut best: Option<(Rank, Vec<String>, ElementId)> = None;
    for (rank, id) in promising(page, part, window(page, headline, lines)) {
        if best.as_ref().is_some_and(|(known, ..)| *known < rank) {
            continue;
        }
        let names = names(page, id, rank);
        if names.is_empty() || is_of_others(page, id, part) {
            continue;
        }
        match &mut best {
            Some((known, known_names, first)) if *known == rank => {
                // Another author in the same byline.
                if grandparent(page, *first) == grandparent(page, id) && !page.is_within(id, *first) {
                    known_names
                        .extend(names.into_iter().filter(|name| !known_names.contains(name)).collect::<Vec<_>>());
                }
            }
            _ => best = Some((rank, names, id)),
        }
    }
    best.map(|(_, names, _)| names).unwrap_or_default()
}

/// The names in each element near the headline that is marked as naming authors.
pub(crate) fn all_near(
    page: &Page,
    headline: usize,
    part: OwnPart,
    lines: &[Line<'_>],
) -> Vec<(ElementId, Vec<String>)> {
    let promising = promising(page, part, window(page, headline, lines));
    promising.map(|(rank, id)| (id, names(page, id, rank))).filter(|(_, names)| !names.is_empty()).collect()
}

/// The names in an element that a rule or a learned place declares to name authors.
pub(crate) fn names_in(page: &Page, id: ElementId) -> Vec<String> {
    names(page, id, Rank::Class)
}

/// The byte range of the lines near the headline. Icons in the source may make the range long; the part after the
/// headline matters more.
fn window(page: &Page, headline: usize, lines: &[Line<'_>]) -> Range<u32> {
    let at = page.paragraphs()[headline].span;
    let start = lines.iter().map(|line| line.paragraph.span.start).fold(at.start, u32::min);
    let end = lines.iter().map(|line| line.paragraph.span.end).fold(at.end, u32::max);
    start.max(at.start.saturating_sub(MAX_WINDOW / 4)).saturating_sub(200)..end.min(at.end + MAX_WINDOW)
}

/// The author who is named by elements with attributes for authors, anywhere on the page, mostly in a box at the end of
/// the article. Empty if these elements name several authors.
pub(crate) fn anywhere(page: &Page, part: OwnPart) -> Vec<String> {
    let mut only: Option<String> = None;
    for paragraph in page.paragraphs().iter().filter(|p| p.chars <= MAX_NAME_CHARS && (2..=6).contains(&p.words)) {
        let Some(element) = paragraph.element else { continue };
        let around = page.ancestors_and_self(element).take(2);
        let is_marked = around.filter_map(|id| rank(page, id, part)).any(|rank| rank <= Rank::Class);
        if !is_marked || is_of_others(page, element, part) || is_announcement(page, element, part) {
            continue;
        }
        for name in author::cleaned(page, &[paragraph.text.to_string()]) {
            match &only {
                _ if !author::is_like_a_person(&name) => {}
                Some(known) if *known != name => return Vec::new(),
                _ => only = Some(name),
            }
        }
    }
    only.into_iter().collect()
}

fn grandparent(page: &Page, id: ElementId) -> Option<ElementId> {
    page.element(page.element(id).parent?).parent
}

/// The elements in a byte range that are marked as naming authors, each with its rank.
fn promising(page: &Page, part: OwnPart, window: Range<u32>) -> impl Iterator<Item = (Rank, ElementId)> + '_ {
    let first = page.elements().partition_point(|element| element.content <= window.start);
    let inside = page.ids().skip(first).take_while(move |id| page.element(*id).start < window.end);
    inside.filter_map(move |id| {
        let element = page.element(id);
        let may_relate = element.tag == Tag::A && page.may_have_relation(id);
        if element.tag == Tag::Meta || !(element.is_marked || may_relate) {
            return None;
        }
        Some((rank(page, id, part)?, id))
    })
}

fn rank(page: &Page, id: ElementId, part: OwnPart) -> Option<Rank> {
    let is_link = page.element(id).tag == Tag::A;
    let relation = if is_link && page.may_have_relation(id) { page.attribute(id, "rel") } else { None };
    if relation.is_some_and(|rel| rel.split_ascii_whitespace().any(|rel| rel.eq_ignore_ascii_case("author"))) {
        return Some(Rank::Relation);
    }
    let marks = page.marks(id);
    let is_property = |property: &str| property.split_ascii_whitespace().any(|property| property == "author");
    if marks.itemprop.as_deref().is_some_and(is_property) && is_of_article(page, id, part.headline) {
        return Some(Rank::Property);
    }
    // A fast test, because most classes mean something else.
    let is_author =
        |names: Option<&str>| names.is_some_and(|names| names == "fn" || PHRASES.are_in(names, NAMES_AUTHOR));
    let class = if is_author(marks.class.as_deref()) { marks.classes().filter_map(rank_of_class).min() } else { None };
    let by_id = marks.id.as_deref().filter(|id| is_author(Some(id))).and_then(rank_of_class);
    class.into_iter().chain(by_id).min()
}

fn rank_of_class(class: &str) -> Option<Rank> {
    let letters: String = class.chars().filter(char::is_ascii_alphabetic).map(|c| c.to_ascii_lowercase()).collect();
    let kinds = PHRASES.of_text(&letters);
    let is_beside = kinds & NAMES_BESIDE != 0;
    let is_author = kinds & NAMES_AUTHOR != 0 && !letters.contains("authority") && !letters.contains("authoriz");
    match &*letters {
        "authorname" | "bylinename" | "fn" | "postauthorname" | "authornames" | "bylineauthor" | "authorlink" => {
            Some(Rank::Name)
        }
        "author" | "byline" | "postauthor" | "entryauthor" | "articleauthor" | "articlebyline" | "authors" => {
            Some(Rank::Class)
        }
        _ if is_author && letters.ends_with("name") => Some(Rank::Name),
        _ if is_author && !is_beside => Some(Rank::PartOfClass),
        _ => None,
    }
}

/// The names in an element. They are read from its links if these give more names than its whole text, or if its whole
/// text has more than names; otherwise from its whole text.
fn names(page: &Page, id: ElementId, rank: Rank) -> Vec<String> {
    let element = page.element(id);
    if element.span().len() > MAX_ELEMENT_BYTES {
        return Vec::new();
    }
    let links = page.ids_in(id).filter(|id| page.element(*id).tag == Tag::A);
    let lines = links.filter_map(|link| text::line(&text::without_tags(page.inner_source(link))));
    let lines: Vec<String> = lines.filter(|line| line.chars().count() <= MAX_NAME_CHARS as usize).collect();
    let mut linked = author::cleaned(page, &lines);
    linked.retain(|name| author::is_like_a_person(name));
    let whole = pieces::line(page, element.content as usize..element.close as usize)
        .filter(|line| line.chars().count() <= MAX_LINE_CHARS)
        .map(|line| author::cleaned(page, &[line]))
        .unwrap_or_default();
    if linked.len() > whole.len() || !linked.is_empty() && !author::are_like_names(&whole) {
        return linked;
    }
    if rank == Rank::PartOfClass && !author::are_like_names(&whole) { Vec::new() } else { whole }
}
