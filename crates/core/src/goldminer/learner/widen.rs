//! Replaces a pattern that matches single paragraphs by a pattern for the element around them. The paragraphs alone
//! lack subheads and lists, but may win if there are boxes between them. If these boxes can be dropped, the element
//! around is the better cut.

use super::super::page_model::Node;
use super::candidates::{Candidate, Match};
use super::choice::Chosen;
use super::fitness::{Sample, left};
use super::inside;

/// An element around the paragraphs is chosen if its estimated F-score is at most this much lower than that of the
/// paragraphs alone. It may be lower because most of the additional text has no label, and so does not raise it.
const MAX_LOSS: f64 = 0.02;
/// The fewest pages from which to learn which boxes can be dropped.
const MIN_PAGES: usize = 4;
/// How many elements around the paragraphs are tried, from the inside out.
const TRIED: usize = 4;

/// Replaces a chosen pattern of paragraphs by that of an element around them, if that is as good. It must not match the
/// pages of `later` templates, because it is tried before them.
pub(super) fn widen(chosen: &mut Chosen, later: &[Chosen], candidates: &[Candidate], sample: &Sample<'_>) {
    let paragraphs = &candidates[chosen.candidate];
    if !paragraphs.is_leaf || chosen.pages.len() < MIN_PAGES {
        return;
    }
    let is_later = |page| later.iter().any(|chosen| chosen.pages.contains(&page));
    let may_hold = |candidate: &Candidate| {
        candidate.element().is_some() && !candidate.is_leaf && !candidate.by_page().any(|(page, _)| is_later(page))
    };
    let wider = candidates.iter().enumerate().filter(|(_, candidate)| may_hold(candidate));
    let holding = |(at, candidate)| Some((blocks_around(candidate, paragraphs, &chosen.pages)?, at));
    let mut around: Vec<(usize, usize)> = wider.filter_map(holding).collect();
    around.sort_by_key(|(blocks, at)| (*blocks, candidates[*at].text().len(), *at));
    let mut last = None;
    around.retain(|(blocks, _)| last.replace(*blocks) != Some(*blocks));
    for (_, at) in around.into_iter().take(TRIED) {
        let wider = Chosen { candidate: at, ..chosen.clone() };
        let cuts = inside::cuts(&wider, &candidates[at], sample.pages, sample.labels);
        let dropped = inside::dropped(&cuts, sample.kinds, sample.frequencies);
        let least = inside::least_repeated(sample.pages.len());
        let is_dropped = |node: &Node| dropped.binary_search(&sample.kinds.of(node.shape)).is_ok();
        let parts = inside::parts(&cuts, sample.kinds, sample.shapes);
        let f = cuts.iter().map(|cut| {
            let repeats = |at| sample.frequencies.of_block(cut.page, at) >= least;
            cut.labels.estimated_f(&left(cut, cut.ranges(), (sample, &parts), is_dropped, repeats))
        });
        let fitness = f.sum::<f64>() / cuts.len() as f64;
        if fitness >= chosen.fitness - MAX_LOSS {
            *chosen = Chosen { fitness, ..wider };
            return;
        }
    }
}

/// Returns how many blocks the candidate contains on these pages; None if it does not contain all blocks of
/// `paragraphs`.
fn blocks_around(candidate: &Candidate, paragraphs: &Candidate, pages: &[usize]) -> Option<usize> {
    let mut blocks = 0;
    for page in pages {
        let outer = matches_on(candidate, *page);
        let inner = matches_on(paragraphs, *page);
        let holds = |place: &Match| {
            outer.iter().any(|o| o.blocks.start <= place.blocks.start && place.blocks.end <= o.blocks.end)
        };
        if outer.is_empty() || !inner.iter().all(holds) {
            return None;
        }
        blocks += outer.iter().map(|place| place.blocks.len()).sum::<usize>();
    }
    Some(blocks)
}

fn matches_on(candidate: &Candidate, page: usize) -> &[Match] {
    let first = candidate.places.partition_point(|place| (place.page as usize) < page);
    let behind = candidate.places.partition_point(|place| place.page as usize <= page);
    &candidate.places[first..behind]
}
