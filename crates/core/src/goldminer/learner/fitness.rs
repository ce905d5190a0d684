//! How well templates agree with the labels: by what is left of their cuts after everything that is taken out of them.

use std::ops::Range;

use super::super::page_model::PageModel;
use super::cut::Cut;
use super::kinds::{Kinds, Name};
use super::labels::{Frequencies, Labels};
use crate::goldminer::pattern::shape::Shapes;

/// What the learner knows of the sample.
pub(super) struct Sample<'s> {
    pub pages: &'s [&'s PageModel],
    pub labels: &'s [Labels],
    pub shapes: &'s Shapes,
    pub kinds: &'s Kinds<'s>,
    pub frequencies: &'s Frequencies,
}

/// The mean estimated F of what is left of the cuts after everything: they give these stretches, without these kinds of
/// elements.
pub(super) fn fitness(
    cuts: &[Cut<'_>],
    stretches: &[Vec<Range<usize>>],
    sample: &Sample<'_>,
    drops: &[Name],
    repeats: impl Fn(u64) -> bool,
) -> f64 {
    let fitness = cuts.iter().zip(stretches).map(|(cut, stretches)| {
        let mut kept = vec![false; cut.page.blocks.len()];
        stretches
            .iter()
            .cloned()
            .chain(cut.page.headline.map(|at| at..at + 1))
            .for_each(|blocks| kept[blocks].fill(true));
        // Comments that no name tells, too: they go wherever they stand in the cut.
        let comments = cut.page.comments(sample.shapes, |text| sample.frequencies.is_repeated(text));
        kept.iter_mut().zip(comments).for_each(|(kept, is_comment)| *kept &= !is_comment);
        for node in cut.inside() {
            let meaning = sample.shapes.meaning(node.shape);
            // What holds most of the text is kept whatever its name is.
            let is_named = meaning.boilerplate && 2 * cut.labels.wanted(&node.blocks) <= cut.labels.all_wanted();
            if is_named || sample.kinds.name(cut.page, node).is_some_and(|name| drops.contains(&name)) {
                kept[node.blocks.clone()].fill(false);
            }
        }
        let is_kept = |at: &usize| {
            let block = &cut.page.blocks[*at];
            let goes = block.teaser || repeats(block.text) || sample.frequencies.teases_with(cut.page, block.text);
            kept[*at] && (!goes || cut.page.headline == Some(*at))
        };
        let stretches: Vec<_> = (0..kept.len()).filter(is_kept).map(|at| at..at + 1).collect();
        cut.labels.estimated_f(&stretches)
    });
    fitness.sum::<f64>() / cuts.len().max(1) as f64
}
