//! Whether a page is an article at all, or a list, a calendar, a form: told from what its text would be like, were it one.
//!
//! The regression draws that text: it is never as sure of pages that it learned from as the trees are. Trees of their own
//! then look at the average paragraph of it, and at a few numbers of the whole.

use super::declared;
use super::features::{Features, WIDTH};
use super::model::{Linear, Model};
use super::scale::{log, share};

/// How many features a page has.
pub(super) const PAGE_WIDTH: usize = WIDTH + OF_PAGE;
/// Those of the whole.
const OF_PAGE: usize = 8 + declared::WIDTH;
/// Shorter paragraphs are whole sentences only by chance, in characters.
const MIN_SENTENCE: u32 = 60;

/// The features of a page.
pub(super) fn row(features: &Features, linear: &Linear) -> Vec<i16> {
    let mut sums = [0_i64; WIDTH];
    let (mut length, mut links, mut sentences, mut paragraphs, mut longest, mut expected, mut all) =
        (0_u32, 0_u32, 0_u32, 0_u32, 0_u32, 0_u32, 0_u32);
    let (mut first, mut last) = (None, 0);
    for (at, counts) in features.counts.iter().enumerate() {
        let row = features.row(at);
        all = all.saturating_add(counts.length);
        if Some(at) == features.headline || linear.odds(row) <= 0 {
            continue;
        }
        let weight = i64::from(counts.length);
        sums.iter_mut().zip(row).for_each(|(sum, value)| *sum += weight * i64::from(*value));
        length = length.saturating_add(counts.length);
        links = links.saturating_add(counts.length - counts.own);
        paragraphs += 1;
        longest = longest.max(counts.own);
        let is_whole = counts.length >= MIN_SENTENCE && (counts.ends_in_stop || counts.ends_in_colon);
        sentences += u32::from(is_whole);
        expected = expected.saturating_add(if is_whole { counts.length } else { 0 });
        first = first.or(Some(at));
        last = at + 1;
    }
    let mut row: Vec<i16> = sums.iter().map(|sum| (sum / i64::from(length.max(1))) as i16).collect();
    let between = features.counts[first.unwrap_or(0)..last].iter().map(|counts| counts.length).sum();
    row.extend([
        log(length),
        share(length, all),
        share(links, length),
        log(paragraphs),
        log(sentences),
        log(longest),
        share(expected, length),
        share(length, between),
    ]);
    row.extend(features.declared);
    row
}

/// The log odds that a page is an article, in parts of [`super::model::UNIT`].
pub(super) fn odds(features: &Features, model: &Model) -> i32 {
    let row = row(features, &model.linear);
    model.kind.iter().map(|tree| i32::from(tree.leaves[tree.leaf(&row)])).sum()
}
