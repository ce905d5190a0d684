//! Measures how well templates agree with the silver labels, by the text that their cuts give after all removals.

use std::ops::Range;

use rustc_hash::FxHashSet;

use super::super::page_model::{Node, PageModel};
use super::super::profile::Template;
use super::super::thresholds::MIN_ARTICLE;
use super::cut::Cut;
use super::inside::{self, BlockRanges};
use super::kinds::Kinds;
use super::labels::{Frequencies, Labels};
use super::names::Names;
use crate::goldminer::pattern::shape::Shapes;
use crate::justext::Class;

/// What the learner knows about the sample.
pub(super) struct Sample<'s> {
    pub pages: &'s [&'s PageModel],
    pub labels: &'s [Labels],
    pub shapes: &'s Shapes,
    pub kinds: &'s Kinds<'s>,
    pub frequencies: &'s Frequencies,
}

/// The mean estimated F of a template's cuts after all removals.
pub(super) fn fitness(
    template: &Template,
    cuts: &[Cut<'_>],
    mut ranges: BlockRanges,
    sample: &Sample<'_>,
    repeated: &[u64],
) -> f64 {
    for (cut, ranges) in cuts.iter().zip(&mut ranges) {
        ranges.extend(cut.page.headline.map(|at| at..at + 1));
    }
    let mut names = Names::new(sample.kinds);
    let drops: FxHashSet<usize> = template.drops.iter().map(|pattern| names.number(pattern)).collect();
    let is_dropped = |cut: &Cut<'_>, node: &Node| names.of(cut.page, node).is_some_and(|name| drops.contains(&name));
    cleaned_fitness(cuts, &ranges, sample, is_dropped, |page, at| repeated.binary_search(&page.blocks[at].text).is_ok())
}

/// The mean estimated F-score of cuts with these ranges of text blocks, after comments, dropped elements and repeated
/// texts were removed from the ranges.
pub(super) fn cleaned_fitness(
    cuts: &[Cut<'_>],
    ranges: &[Vec<Range<usize>>],
    sample: &Sample<'_>,
    mut is_dropped: impl FnMut(&Cut<'_>, &Node) -> bool,
    repeats: impl Fn(&PageModel, usize) -> bool,
) -> f64 {
    let parts = inside::parts(cuts, sample.kinds, sample.shapes);
    let is_part = |node: &Node| parts.binary_search(&sample.kinds.of(node.shape)).is_ok();
    let fitness = cuts.iter().zip(ranges).map(|(cut, ranges)| {
        let mut kept = vec![false; cut.page.blocks.len()];
        ranges.iter().for_each(|blocks| kept[blocks.clone()].fill(true));
        // Readers' comments are removed everywhere in the cut, whether an element is named for them or not, if an
        // article is left.
        let comments = cut.page.comments(sample.shapes, |text| sample.frequencies.is_repeated(text));
        let blocks = cut.page.blocks.iter().zip(&comments);
        let is_good = blocks.filter(|(block, is_comment)| !**is_comment && block.class == Class::Good);
        if is_good.map(|(block, _)| block.weight).sum::<u32>() >= MIN_ARTICLE {
            kept.iter_mut().zip(comments).for_each(|(kept, is_comment)| *kept &= !is_comment);
        }
        let around_parts = cut.page.around(|node| is_part(node));
        for node in cut.places.iter().flat_map(|place| cut.below(place)) {
            // An element that holds most of the text is kept, whatever its name is.
            let is_named = sample.shapes.meaning(node.shape).boilerplate
                && 2 * cut.labels.wanted(&node.blocks) <= cut.labels.all_wanted()
                && around_parts.binary_search(&node.element).is_err();
            let has_headline = cut.page.headline.is_some_and(|at| node.blocks.contains(&at));
            if !has_headline && (is_named || is_dropped(cut, node)) {
                kept[node.blocks.clone()].fill(false);
            }
        }
        let is_kept = |at: &usize| {
            let block = &cut.page.blocks[*at];
            let is_removed = block.teaser || repeats(cut.page, *at);
            kept[*at] && (!is_removed || cut.page.headline == Some(*at))
        };
        let ranges: Vec<_> = (0..kept.len()).filter(is_kept).map(|at| at..at + 1).collect();
        cut.labels.estimated_f(&ranges)
    });
    fitness.sum::<f64>() / cuts.len().max(1) as f64
}
