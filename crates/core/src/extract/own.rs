//! What is the article's own by its place, whatever it reads like: listings, tables of data, formulas, quotes and subheads
//! that stand between two paragraphs of the article, in the same element. The classifier knows prose, and what a menu also
//! says.

use std::ops::Range;

use goldminer_html::address::{CrawlUrl, Domain};
use goldminer_html::{Element, ElementId, Page, Tag};

use crate::goldminer::is_listing;
use crate::goldminer::trim::{ParagraphReason, Trimmed};
use crate::structure::Cells;

/// So many elements around a listing are its frame, …
const MAX_FRAME: usize = 5;
/// … with so few other paragraphs, as of a button, …
const MAX_LABELS: usize = 2;
/// … that are no longer, in characters.
const MAX_LABEL: u32 = 24;

/// So many of them that follow each other are looked at.
const MAX_FOLLOWING: usize = 32;
/// A list of references has no more paragraphs.
const MAX_REFERENCES: usize = 60;

/// What may be the article's own: its element, and the paragraphs of its frame.
struct Whole {
    element: ElementId,
    inside: Range<usize>,
    /// What holds nothing else.
    frame: ElementId,
    is_listing: bool,
}

/// Adds to the text of a page, as paragraph numbers in order, what stands in it and is its own.
pub(super) fn add(page: &Page, text: &mut Vec<usize>) {
    add_some(page, text, |_| true);
}

/// Adds the lists of references: links to other websites, below what announces them or between two paragraphs.
pub(super) fn add_references(page: &Page, address: Option<&CrawlUrl>, text: &mut Vec<usize>) {
    let Some(own) = address.map(CrawlUrl::domain) else { return };
    let mut is_text = vec![false; page.paragraphs().len()];
    text.iter().for_each(|at| is_text[*at] = true);
    let mut has_new = false;
    for list in page.elements_of(Tag::Ul).chain(page.elements_of(Tag::Ol)) {
        let inside = page.paragraphs_in(list);
        if inside.is_empty() || inside.len() > MAX_REFERENCES || inside.clone().all(|at| is_text[at]) {
            continue;
        }
        let parent = page.element(list).parent.map(|parent| page.paragraphs_in(parent));
        let is_there = |at: usize| parent.as_ref().is_some_and(|around| around.contains(&at)) && is_text[at];
        let Some(before) = inside.start.checked_sub(1).filter(|at| is_there(*at)) else { continue };
        let announces = &page.paragraphs()[before];
        let is_announced = announces.heading.is_some() || announces.text.ends_with([':', '：']);
        if (is_announced || is_there(inside.end)) && leads_away(page, list, &own) {
            is_text[inside].fill(true);
            has_new = true;
        }
    }
    if has_new {
        *text = (0..is_text.len()).filter(|at| is_text[*at]).collect();
    }
}

/// Whether most links of a list lead to other websites, and none to where readers share the page.
fn leads_away(page: &Page, list: ElementId, own: &Domain) -> bool {
    let (mut away, mut all) = (0, 0);
    for link in page.ids_in(list).filter(|id| page.element(*id).tag == Tag::A) {
        let Some(href) = page.attribute(link, "href") else { continue };
        if ["share", "intent/", "submit?", "mailto:"].iter().any(|part| href.contains(part)) {
            return false;
        }
        let is_away = href.starts_with("http") && CrawlUrl::parse(&href).is_ok_and(|url| url.domain() != *own);
        (away, all) = (away + usize::from(is_away), all + 1);
    }
    away > 0 && 3 * away >= 2 * all
}

/// Puts listings, formulas and tables of data back into a cut that learned to leave them out: over a sample few sentences
/// stand in them. The same for lists of references that went as links.
pub(super) fn put_back(page: &Page, address: Option<&CrawlUrl>, cut: &mut Trimmed) {
    let is_open = |fate: &ParagraphReason| matches!(fate, ParagraphReason::Learned | ParagraphReason::Links);
    if !cut.fates.iter().any(is_open) {
        return;
    }
    let first = cut.scope.start;
    let mut text: Vec<usize> = cut.scope.clone().filter(|at| cut.fates[at - first].is_kept()).collect();
    add_some(page, &mut text, |whole| whole.is_listing || page.element(whole.element).tag == Tag::Table);
    add_references(page, address, &mut text);
    text.retain(|at| cut.fates.get(at.wrapping_sub(first)).is_some_and(is_open));
    for at in text {
        cut.fates[at - first] = ParagraphReason::Kept;
        // A headline that was put in front is out of order.
        let moved = usize::from(cut.paragraphs.first() == cut.headline.as_ref());
        let place = moved + cut.paragraphs[moved..].partition_point(|kept| *kept < at);
        cut.paragraphs.insert(place, at);
    }
}

fn add_some(page: &Page, text: &mut Vec<usize>, is_wanted: impl Fn(&Whole) -> bool) {
    let is_whole = |element: &Element| {
        matches!(element.tag, Tag::Pre | Tag::Table | Tag::Blockquote) || element.tag.heading_level().is_some()
    };
    if text.is_empty() || !(page.elements().iter().any(is_whole) || page.has_formulas()) {
        return;
    }
    let mut is_text = vec![false; page.paragraphs().len()];
    text.iter().for_each(|at| is_text[*at] = true);
    let mut has_new = false;
    let elements = page.ids().filter(|id| is_whole(page.element(*id)));
    let formulas = page.paragraphs().iter().filter(|paragraph| page.is_formula(paragraph));
    let formulas = formulas.filter_map(|paragraph| paragraph.element);
    let wholes = elements.chain(formulas).filter_map(|id| whole(page, id, &is_text));
    let mut wholes: Vec<Whole> = wholes.filter(is_wanted).collect();
    wholes.sort_by_key(|whole| whole.element);
    for (at, whole) in wholes.iter().enumerate() {
        if is_between(page, whole, &is_text, &wholes[at + 1..]) && is_own(page, whole) {
            is_text[whole.inside.clone()].fill(true);
            has_new = true;
        }
    }
    if has_new {
        *text = (0..is_text.len()).filter(|at| is_text[*at]).collect();
    }
}

/// An element that may be the article's own and is not text yet, with its frame: the elements that hold hardly anything else.
fn whole(page: &Page, element: ElementId, is_text: &[bool]) -> Option<Whole> {
    let inside = page.paragraphs_in(element);
    if inside.is_empty() || inside.clone().any(|at| is_text[at]) {
        return None;
    }
    let mut whole = Whole { element, inside: inside.clone(), frame: element, is_listing: is_code(page, element) };
    for around in page.ancestors_and_self(element).skip(1).take(MAX_FRAME) {
        let outside = page.paragraphs_in(around);
        let mut others = (outside.start..inside.start).chain(inside.end..outside.end);
        let is_label = |at: usize| {
            page.paragraphs()[at].chars <= MAX_LABEL && !is_text[at] && page.paragraphs()[at].heading.is_none()
        };
        let holds_all = matches!(page.element(around).tag, Tag::Body | Tag::Article | Tag::Main | Tag::Li | Tag::Td);
        if holds_all || outside.len() > inside.len() + MAX_LABELS || !others.all(is_label) {
            break;
        }
        (whole.frame, whole.inside) = (around, inside.clone());
        whole.inside = if outside.len() == inside.len() { outside } else { whole.inside };
    }
    Some(whole)
}

/// Whether the paragraphs before and behind an element are text, and stand in the same element as it.
fn is_between(page: &Page, whole: &Whole, is_text: &[bool], later: &[Whole]) -> bool {
    let inside = &whole.inside;
    if inside.clone().any(|at| is_text[at]) {
        return false;
    }
    let Some(around) = page.element(whole.frame).parent.map(|parent| page.paragraphs_in(parent)) else { return false };
    let is_there = |at: usize| around.contains(&at) && is_text[at];
    let framed = page.paragraphs_in(whole.frame);
    let before = inside.start.min(framed.start).checked_sub(1);
    if !before.is_some_and(is_there) {
        return false;
    }
    if whole.is_listing {
        return true;
    }
    // Listings and tables follow each other.
    let mut end = inside.end.max(framed.end);
    for next in later.iter().take(MAX_FOLLOWING) {
        if next.inside.start > end {
            break;
        }
        if next.inside.start == end && (next.is_listing || page.element(next.element).tag == Tag::Table) {
            end = next.inside.end.max(page.paragraphs_in(next.frame).end);
        }
    }
    let announces = || page.paragraphs()[inside.start - 1].text.ends_with([':', '：']);
    is_there(end) || (end >= around.end && announces())
}

/// Whether an element is a listing or a formula: no menu is made so.
fn is_code(page: &Page, id: ElementId) -> bool {
    match page.element(id).tag {
        Tag::Pre => is_listing(page, id),
        Tag::Table => holds_listing(page, id),
        Tag::Blockquote => false,
        tag => tag.heading_level().is_none(),
    }
}

fn is_own(page: &Page, whole: &Whole) -> bool {
    let paragraphs = &page.paragraphs()[page.paragraphs_in(whole.element)];
    let links = paragraphs.iter().filter(|paragraph| 2 * paragraph.link_chars > paragraph.chars).count();
    // A table whose cells are mostly links is a list of other pages.
    let has_few_links = 2 * links <= paragraphs.len();
    match page.element(whole.element).tag {
        Tag::Table => whole.is_listing || has_few_links && Cells::of(page, whole.element).is_some(),
        Tag::Blockquote => links == 0,
        Tag::Pre => whole.is_listing,
        _ => links == 0 && paragraphs.len() == 1,
    }
}

/// Whether a table is a listing with its numbers beside it.
fn holds_listing(page: &Page, table: ElementId) -> bool {
    page.ids_in(table).any(|id| page.element(id).tag == Tag::Pre && is_listing(page, id))
}
