//! Computes the length of the kept text in any range of a page, in constant time, from sums over the paragraphs.

use goldminer_html::{ElementId, Page, Paragraph};

use crate::goldminer::sums::Sums;

/// A part with this many tenths of a text counts as most of it.
const MOST_OF_TEN: u64 = 7;

/// Sums of the characters of the kept paragraphs that `counts` selects.
pub(super) fn of(page: &Page, kept: &[usize], counts: impl Fn(&Paragraph) -> bool) -> Sums {
    let mut lengths = vec![0; page.paragraphs().len()];
    let kept = kept.iter().map(|at| (*at, &page.paragraphs()[*at]));
    kept.filter(|(_, paragraph)| counts(paragraph)).for_each(|(at, paragraph)| lengths[at] = paragraph.chars);
    Sums::of(lengths)
}

/// The innermost element that holds most of the characters of these paragraphs.
pub(super) fn around_most(page: &Page, paragraphs: &[usize]) -> Option<ElementId> {
    let lengths = of(page, paragraphs, |_| true);
    let within = |id| u64::from(lengths.within(&page.paragraphs_in(id)));
    page.ids().rev().find(|id| 10 * within(*id) >= MOST_OF_TEN * u64::from(lengths.all()))
}
