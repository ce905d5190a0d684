//! What is the article's own by its place, whatever it reads like: listings, tables of data, quotes and subheads that
//! stand between two paragraphs of the article, in the same element. The classifier knows prose, and what a menu also says.

use goldminer_html::{Element, ElementId, Page, Tag};

use crate::goldminer::is_listing;
use crate::structure::Cells;

/// Adds to the text of a page, as paragraph numbers in order, what stands in it and is its own.
pub(super) fn add(page: &Page, text: &mut Vec<usize>) {
    let is_whole = |element: &Element| {
        matches!(element.tag, Tag::Pre | Tag::Table | Tag::Blockquote) || element.tag.heading_level().is_some()
    };
    if text.is_empty() || !page.elements().iter().any(is_whole) {
        return;
    }
    let mut is_text = vec![false; page.paragraphs().len()];
    text.iter().for_each(|at| is_text[*at] = true);
    let mut has_new = false;
    for id in page.ids().filter(|id| is_whole(page.element(*id))) {
        let inside = page.paragraphs_in(id);
        if inside.is_empty() || inside.clone().any(|at| is_text[at]) || !is_between(page, id, &is_text) {
            continue;
        }
        if is_own(page, id) {
            is_text[inside].fill(true);
            has_new = true;
        }
    }
    if has_new {
        *text = (0..is_text.len()).filter(|at| is_text[*at]).collect();
    }
}

/// Whether the paragraphs before and behind an element are text, and stand in the same element as it.
fn is_between(page: &Page, id: ElementId, is_text: &[bool]) -> bool {
    let inside = page.paragraphs_in(id);
    let Some(around) = page.element(id).parent.map(|parent| page.paragraphs_in(parent)) else { return false };
    let is_there = |at: usize| around.contains(&at) && is_text[at];
    let before = inside.start.checked_sub(1).is_some_and(is_there);
    let announces = || page.paragraphs()[inside.start - 1].text.ends_with([':', '：']);
    before && (is_there(inside.end) || (inside.end >= around.end && announces()))
}

fn is_own(page: &Page, id: ElementId) -> bool {
    let paragraphs = &page.paragraphs()[page.paragraphs_in(id)];
    let links = paragraphs.iter().filter(|paragraph| 2 * paragraph.link_chars > paragraph.chars).count();
    // A table whose cells are mostly links is a list of other pages.
    let has_few_links = 2 * links <= paragraphs.len();
    match page.element(id).tag {
        Tag::Pre => is_listing(page, id),
        Tag::Table => has_few_links && Cells::of(page, id).is_some() || holds_listing(page, id),
        Tag::Blockquote => links == 0,
        _ => links == 0 && paragraphs.len() == 1,
    }
}

/// Whether a table is a listing with its numbers beside it.
fn holds_listing(page: &Page, table: ElementId) -> bool {
    page.ids_in(table).any(|id| page.element(id).tag == Tag::Pre && is_listing(page, id))
}
