//! How well templates agree with the labels: by the rest of their cuts after all removals.

use super::super::page_model::PageModel;
use super::super::profile::Template;
use super::cut::Cut;
use super::kinds::Kinds;
use super::labels::{Frequencies, Labels};
use super::names::Names;
use crate::goldminer::pattern::shape::Shapes;

/// What the learner knows of the sample.
pub(super) struct Sample<'s> {
    pub pages: &'s [&'s PageModel],
    pub labels: &'s [Labels],
    pub shapes: &'s Shapes,
    pub kinds: &'s Kinds<'s>,
    pub frequencies: &'s Frequencies,
}

/// How well a template agrees with the labels of the pages that it cuts: the mean estimated F of what is left of its cuts
/// without what is dropped inside of them.
pub(super) fn fitness(template: &Template, cuts: &[Cut<'_>], sample: &Sample<'_>, repeated: &[u64]) -> f64 {
    let mut names = Names::new(sample.kinds);
    let drops = names.numbers(&template.drops);
    let fitness = cuts.iter().map(|cut| {
        let mut kept = vec![false; cut.page.blocks.len()];
        cut.blocks().chain(cut.page.headline).for_each(|at| kept[at] = true);
        // Comments that no name tells, too: they go wherever they stand in the cut.
        let comments = cut.page.comments(sample.shapes, |text| sample.frequencies.is_repeated(text));
        kept.iter_mut().zip(comments).for_each(|(kept, is_comment)| *kept &= !is_comment);
        for node in cut.places.iter().flat_map(|place| cut.below(place)) {
            let meaning = sample.shapes.meaning(node.shape);
            // What holds most of the text is kept whatever its name is.
            let is_named = meaning.boilerplate && 2 * cut.labels.wanted(&node.blocks) <= cut.labels.all_wanted();
            let has_headline = cut.page.headline.is_some_and(|at| node.blocks.contains(&at));
            let mut is_dropped = || names.of(cut.page, node).is_some_and(|name| drops.contains(&name));
            if !has_headline && (is_named || is_dropped()) {
                kept[node.blocks.clone()].fill(false);
            }
        }
        let is_kept = |at: &usize| {
            let text = cut.page.blocks[*at].text;
            let is_again = repeated.binary_search(&text).is_ok() || sample.frequencies.teases_with(cut.page, text);
            kept[*at] && (!(cut.page.blocks[*at].teaser || is_again) || cut.page.headline == Some(*at))
        };
        let stretches: Vec<_> = (0..kept.len()).filter(is_kept).map(|at| at..at + 1).collect();
        cut.labels.estimated_f(&stretches)
    });
    fitness.sum::<f64>() / cuts.len().max(1) as f64
}
