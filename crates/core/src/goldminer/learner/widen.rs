//! Widening: from paragraphs to the element that holds them. A pattern of single paragraphs leaves subheads and lists out;
//! it may win all the same where boxes stand between the paragraphs. If these can be dropped, the element around is the
//! better cut.

use std::ops::Range;

use super::super::page_model::{Node, PageModel};
use super::super::shape::Shapes;
use super::candidates::{Candidate, Place};
use super::choice::Chosen;
use super::inside::{self, Cut};
use super::kinds::Kinds;
use super::labels::{Frequencies, Labels};

/// How much worse the element may do than its paragraphs: what it has more is mostly text that counts neither way.
const MAX_LOSS: f64 = 0.02;
/// On fewer pages nothing shows what could be dropped.
const MIN_PAGES: usize = 4;
/// How many elements around are tried, from the inside out.
const TRIED: usize = 4;

/// What the learner knows of the sample.
pub(super) struct Sample<'s> {
    pub pages: &'s [&'s PageModel],
    pub labels: &'s [Labels],
    pub shapes: &'s Shapes,
    pub kinds: &'s Kinds<'s>,
    pub frequencies: &'s Frequencies,
    /// How many pages it has; those that a person has marked are there several times.
    pub size: usize,
}

/// Puts the element around in the place of a chosen pattern of paragraphs, where it does as well.
pub(super) fn widen(chosen: &mut Chosen, candidates: &[Candidate], sample: &Sample<'_>) {
    let paragraphs = &candidates[chosen.candidate];
    if !paragraphs.is_leaf || chosen.pages.len() < MIN_PAGES {
        return;
    }
    let mut around: Vec<(usize, usize)> = candidates
        .iter()
        .enumerate()
        .filter(|(_, candidate)| candidate.element().is_some() && !candidate.is_leaf)
        .filter_map(|(at, candidate)| Some((held(candidate, paragraphs, &chosen.pages)?, at)))
        .collect();
    around.sort_by_key(|(blocks, at)| (*blocks, candidates[*at].text().len(), *at));
    let mut last = None;
    around.retain(|(blocks, _)| last.replace(*blocks) != Some(*blocks));
    for (_, at) in around.into_iter().take(TRIED) {
        let wider = Chosen { candidate: at, ..chosen.clone() };
        let cuts = inside::cuts(&wider, &candidates[at], sample.pages, sample.labels);
        let dropped = inside::dropped(&cuts, sample.kinds, sample.frequencies);
        let least = inside::least_repeated(sample.size);
        let is_dropped = |_: &Cut<'_>, node: &Node| dropped.binary_search(&sample.kinds.of(node.shape)).is_ok();
        let repeats = |text| sample.frequencies.get(text) >= least;
        let fitness =
            cleaned_fitness(&cuts, &cuts.iter().map(Cut::stretches).collect::<Vec<_>>(), sample, is_dropped, repeats);
        if fitness >= chosen.fitness - MAX_LOSS {
            *chosen = Chosen { fitness, ..wider };
            return;
        }
    }
}

/// How many blocks the candidate holds on these pages, if it holds all that the other does.
fn held(candidate: &Candidate, paragraphs: &Candidate, pages: &[usize]) -> Option<usize> {
    let mut blocks = 0;
    for page in pages {
        let outer = on(candidate, *page);
        let inner = on(paragraphs, *page);
        let holds = |place: &Place| {
            outer.iter().any(|o| o.blocks.start <= place.blocks.start && place.blocks.end <= o.blocks.end)
        };
        if outer.is_empty() || !inner.iter().all(holds) {
            return None;
        }
        blocks += outer.iter().map(|place| place.blocks.len()).sum::<usize>();
    }
    Some(blocks)
}

fn on(candidate: &Candidate, page: usize) -> &[Place] {
    let first = candidate.places.partition_point(|place| (place.page as usize) < page);
    let behind = candidate.places.partition_point(|place| place.page as usize <= page);
    &candidate.places[first..behind]
}

/// The mean estimated F of what is left of the cuts, which give these stretches, without what is dropped inside of them.
pub(super) fn cleaned_fitness(
    cuts: &[Cut<'_>],
    stretches: &[Vec<Range<usize>>],
    sample: &Sample<'_>,
    mut is_dropped: impl FnMut(&Cut<'_>, &Node) -> bool,
    repeats: impl Fn(u64) -> bool,
) -> f64 {
    let fitness = cuts.iter().zip(stretches).map(|(cut, stretches)| {
        let mut kept = vec![false; cut.page.blocks.len()];
        stretches.iter().for_each(|blocks| kept[blocks.clone()].fill(true));
        // Comments that no name tells, too: they go wherever they stand in the cut.
        let comments = cut.page.comments(sample.shapes, |text| sample.frequencies.is_repeated(text));
        kept.iter_mut().zip(comments).for_each(|(kept, is_comment)| *kept &= !is_comment);
        for node in cut.places.iter().flat_map(|place| cut.below(place)) {
            let meaning = sample.shapes.meaning(node.shape);
            // What holds most of the text is kept whatever its name is.
            let is_named = meaning.boilerplate
                && 2 * cut.labels.wanted(&node.blocks) <= cut.labels.all_wanted();
            let has_headline = cut.page.headline.is_some_and(|at| node.blocks.contains(&at));
            if !has_headline && (is_named || is_dropped(cut, node)) {
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
