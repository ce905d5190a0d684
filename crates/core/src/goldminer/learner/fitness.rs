//! Measures how well templates agree with the silver labels, by the text that their cuts give after all removals.

use std::ops::Range;

use rustc_hash::FxHashSet;

use super::super::page_model::{Block, Node, PageModel};
use super::super::profile::Template;
use super::super::thresholds::{MIN_ARTICLE, SHORT_TEXT, is_mostly_links};
use super::cut::Cut;
use super::inside::{self, BlockRanges};
use super::kinds::Kinds;
use super::labels::{Frequencies, Labels};
use super::names::Names;
use crate::goldminer::pattern::shape::{ShapeId, Shapes};
use crate::justext::Class;

/// What the learner knows about the sample.
pub(super) struct Sample<'s> {
    pub pages: &'s [&'s PageModel],
    pub labels: &'s [Labels],
    pub shapes: &'s Shapes,
    pub kinds: &'s Kinds<'s>,
    pub frequencies: &'s Frequencies,
}

/// Measures a template by its cuts of articles and of other pages, after all removals. Returns the sum of the
/// estimated F-scores of articles, the indexes of the other pages that give a document, and the number of wrong
/// documents among these. A document is wrong if it has more unwanted than wanted text. Short articles have text of
/// their own, so they are not wrong.
pub(super) fn fit(
    template: &Template,
    cuts: &[Cut<'_>],
    ranges: BlockRanges,
    others: &[(usize, Cut<'_>)],
    sample: &Sample<'_>,
    repeated: &[u64],
) -> (f64, Vec<usize>, usize) {
    let mut names = Names::new(sample.kinds);
    let drops: FxHashSet<usize> = template.drops.iter().map(|pattern| names.number(pattern)).collect();
    let parts = inside::parts(cuts, sample.kinds, sample.shapes);
    let mut remaining = |cut: &Cut<'_>, mut ranges: Vec<Range<usize>>| {
        ranges.extend(cut.page.headline.map(|at| at..at + 1));
        let is_dropped = |node: &Node| names.of(cut.page, node).is_some_and(|name| drops.contains(&name));
        let repeats = |at: usize| repeated.binary_search(&cut.page.blocks[at].text).is_ok();
        left(cut, ranges, (sample, &parts), is_dropped, repeats)
    };
    let f = cuts.iter().zip(ranges).map(|(cut, ranges)| cut.labels.estimated_f(&remaining(cut, ranges))).sum();
    let (mut documents, mut wrong) = (Vec::new(), 0);
    for (number, cut) in others.iter().filter(|(_, cut)| !is_list(cut)) {
        let blocks = remaining(cut, cut.ranges());
        let is_text = |at: usize| {
            let block = &cut.page.blocks[at];
            block.weight >= SHORT_TEXT && !block.heading && !is_mostly_links(block.link_share, block.weight)
        };
        if blocks.iter().any(|range| is_text(range.start)) {
            documents.push(*number);
            let sum =
                |of: fn(&Labels, &Range<usize>) -> u64| blocks.iter().map(|range| of(cut.labels, range)).sum::<u64>();
            wrong += usize::from(sum(Labels::unwanted) > sum(Labels::wanted));
        }
    }
    (f, documents, wrong)
}

/// Whether most of a cut only announces other pages. No document is made of such a page.
fn is_list(cut: &Cut<'_>) -> bool {
    let weight = |is_wanted: fn(&Block) -> bool| -> u64 {
        let blocks = cut.blocks().map(|at| &cut.page.blocks[at]).filter(|block| is_wanted(block));
        blocks.map(|block| u64::from(block.weight)).sum()
    };
    2 * weight(|block| block.teaser) > weight(|_| true) && !cut.page.begins_with_own_text(|| cut.page.is_declared)
}

/// The blocks in some ranges of a cut that are left after comments, dropped elements and repeated texts were removed.
pub(super) fn left(
    cut: &Cut<'_>,
    ranges: Vec<Range<usize>>,
    (sample, parts): (&Sample<'_>, &[ShapeId]),
    mut is_dropped: impl FnMut(&Node) -> bool,
    repeats: impl Fn(usize) -> bool,
) -> Vec<Range<usize>> {
    let is_part = |node: &Node| parts.binary_search(&sample.kinds.of(node.shape)).is_ok();
    let mut kept = vec![false; cut.page.blocks.len()];
    ranges.into_iter().for_each(|blocks| kept[blocks].fill(true));
    // Readers' comments are removed everywhere in the cut, whether an element is named for them or not, if an
    // article is left.
    let comments = cut.page.comments(sample.shapes, |text| sample.frequencies.is_repeated(text));
    let blocks = cut.page.blocks.iter().zip(&comments);
    let is_good = blocks.filter(|(block, is_comment)| !**is_comment && block.class == Class::Good);
    if is_good.map(|(block, _)| block.weight).sum::<u32>() >= MIN_ARTICLE {
        kept.iter_mut().zip(comments).for_each(|(kept, is_comment)| *kept &= !is_comment);
    }
    let around_parts = cut.page.around(is_part);
    for node in cut.places.iter().flat_map(|place| cut.below(place)) {
        // An element that holds most of the text is kept, whatever its name is.
        let is_named = sample.shapes.meaning(node.shape).boilerplate
            && 2 * cut.labels.wanted(&node.blocks) <= cut.labels.all_wanted()
            && around_parts.binary_search(&node.element).is_err();
        let has_headline = cut.page.headline.is_some_and(|at| node.blocks.contains(&at));
        if !has_headline && (is_named || is_dropped(node)) {
            kept[node.blocks.clone()].fill(false);
        }
    }
    let is_kept = |at: &usize| {
        let is_removed = cut.page.blocks[*at].teaser || repeats(*at);
        kept[*at] && (!is_removed || cut.page.headline == Some(*at))
    };
    (0..kept.len()).filter(is_kept).map(|at| at..at + 1).collect()
}
