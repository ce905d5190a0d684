//! Candidates by tag sequences, for layouts whose elements cannot be told by their names: where the best stretch of each
//! page begins and ends, what tags stand there, and how well each pair of a beginning and an end would cut all pages.
//!
//! A beginning is the first place on a page where its tags stand, an end the first one behind it (the paper, section 4):
//! a pair that cuts elsewhere than it should is found out by its estimate.

use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};

use super::super::sequence::{MAX_STEPS, StepIds, TagSequence};
use super::super::sketch::Sketch;
use super::candidates::{Bounds, Candidate, Place};
use super::labels::Labels;

/// How many beginnings and ends are tried with each other.
const TRIED: usize = 48;
/// How many pairs become candidates in a round.
const KEPT: usize = 12;
/// After each round pages that a pair cuts as well as this are done with.
const WELL_CUT: f64 = 0.9;
/// How many rounds.
const ROUNDS: usize = 3;
/// Tags just before a text that may belong to it and not to the layout.
const SLACK: usize = 3;
/// How the stretch of a page is improved; it hardly ever takes more than three steps.
const MAX_IMPROVEMENTS: usize = 8;

/// By page: where each occurrence of a sequence begins, as a tag and a block.
type Occurrences = Vec<Vec<(usize, usize)>>;

/// Finds the pairs that cut the sample best.
pub(super) fn candidates(pages: &[&Sketch], others: &[Sketch], labels: &[Labels], ids: &StepIds) -> Vec<Candidate> {
    let spans: Vec<Option<Range<usize>>> = labels.iter().map(best_stretch).collect();
    let starts = frequent(pages, |page| {
        let span = spans[page].as_ref()?;
        let tags = &pages[page].tags;
        Some(
            tags.before(span.start, MAX_STEPS, SLACK)
                .filter(|s| tags.first(s).is_some_and(|(_, block)| block == span.start)),
        )
    });
    let ends = frequent(pages, |page| {
        let span = spans[page].as_ref()?;
        let tags = &pages[page].tags;
        let is_outside =
            |s: &&[u32]| tags.occurrences_with_blocks(s).all(|(_, block)| block <= span.start || span.end <= block);
        Some(tags.behind(span.end, MAX_STEPS, SLACK).filter(is_outside))
    });
    let first: Vec<Vec<Option<(usize, usize)>>> =
        starts.iter().map(|start| pages.iter().map(|page| page.tags.first(start)).collect()).collect();
    let all: Vec<Occurrences> = ends
        .iter()
        .map(|end| pages.iter().map(|page| page.tags.occurrences_with_blocks(end).collect()).collect())
        .collect();

    let mut pairs: Vec<(usize, usize, Vec<(usize, Range<usize>, f64)>)> = Vec::new();
    for (start, first) in first.iter().enumerate() {
        for (end, all) in all.iter().enumerate() {
            let cuts: Vec<_> = (0..pages.len())
                .filter_map(|page| {
                    let (tag, block) = first[page]?;
                    let next = all[page].partition_point(|(at, _)| *at < tag);
                    let (_, behind) = *all[page].get(next)?;
                    let blocks = block..behind;
                    (!blocks.is_empty()).then(|| (page, blocks.clone(), labels[page].estimated_f([&blocks])))
                })
                .collect();
            if !cuts.is_empty() {
                pairs.push((start, end, cuts));
            }
        }
    }

    let mut is_open = vec![true; pages.len()];
    let mut kept: Vec<usize> = Vec::new();
    for _ in 0..ROUNDS {
        let mut ranked: Vec<(i64, usize, usize)> = pairs
            .iter()
            .enumerate()
            .filter(|(at, _)| !kept.contains(at))
            .map(|(at, (start, end, cuts))| {
                let sum: f64 = cuts.iter().filter(|(page, ..)| is_open[*page]).map(|(.., f)| f).sum();
                (-(1_000.0 * sum).round() as i64, starts[*start].len() + ends[*end].len(), at)
            })
            .filter(|(sum, ..)| *sum < 0)
            .collect();
        ranked.sort_unstable();
        ranked.truncate(KEPT);
        for (_, _, at) in ranked {
            pairs[at].2.iter().filter(|(.., f)| *f >= WELL_CUT).for_each(|(page, ..)| is_open[*page] = false);
            kept.push(at);
        }
    }
    kept.into_iter()
        .map(|at| {
            let (start, end, cuts) = &pairs[at];
            let bounds =
                Bounds::Tags { start: TagSequence::of(ids, &starts[*start]), end: TagSequence::of(ids, &ends[*end]) };
            let places =
                cuts.iter().map(|(page, blocks, _)| Place { page: *page as u32, node: None, blocks: blocks.clone() });
            let on_others = others.iter().filter(|page| cuts_page(page, &starts[*start], &ends[*end])).count();
            Candidate::new(bounds, places.collect(), on_others as f64 / others.len().max(1) as f64)
        })
        .collect()
}

fn cuts_page(page: &Sketch, start: &[u32], end: &[u32]) -> bool {
    let first = page.tags.first(start);
    first.is_some_and(|(tag, _)| page.tags.occurrences_with_blocks(end).any(|(at, _)| at >= tag))
}

/// The sequences that most pages have at the place asked for; of equally frequent ones the longer.
fn frequent<'s, I: Iterator<Item = &'s [u32]>>(
    pages: &[&'s Sketch],
    of_page: impl Fn(usize) -> Option<I>,
) -> Vec<Vec<u32>> {
    let mut pages_with: FxHashMap<&[u32], usize> = FxHashMap::default();
    for page in 0..pages.len() {
        let distinct: FxHashSet<&[u32]> = of_page(page).into_iter().flatten().collect();
        distinct.into_iter().for_each(|sequence| *pages_with.entry(sequence).or_default() += 1);
    }
    let mut ranked: Vec<_> = pages_with.into_iter().collect();
    ranked
        .sort_unstable_by(|(a, pages_a), (b, pages_b)| pages_b.cmp(pages_a).then(b.len().cmp(&a.len())).then(a.cmp(b)));
    ranked.into_iter().take(TRIED).map(|(sequence, _)| sequence.to_vec()).collect()
}

/// The one stretch of a page with the highest estimated F. By Dinkelbach's method for fractional programs (Management
/// Science 13, 1967): each step finds the stretch of the greatest weighted sum, which takes one pass.
fn best_stretch(labels: &Labels) -> Option<Range<usize>> {
    let all = labels.all_wanted();
    if all == 0 {
        return None;
    }
    let mut best = 0..labels.len();
    for _ in 0..MAX_IMPROVEMENTS {
        let f = labels.estimated_f([&best]);
        let better = heaviest(labels, f);
        if labels.estimated_f([&better]) <= f {
            break;
        }
        best = better;
    }
    Some(best)
}

/// The stretch whose wanted characters outweigh the unwanted ones most, where `price` is what a character costs.
fn heaviest(labels: &Labels, price: f64) -> Range<usize> {
    let (mut best, mut best_sum) = (0..0, 0.0);
    let (mut start, mut sum) = (0, 0.0);
    for at in 0..labels.len() {
        let block = at..at + 1;
        let weight = (2.0 - price) * labels.wanted(&block) as f64 - price * labels.unwanted(&block) as f64;
        if sum <= 0.0 {
            (start, sum) = (at, 0.0);
        }
        sum += weight;
        // Blocks that count neither way are left out at both ends.
        if sum > best_sum && weight > 0.0 {
            (best, best_sum) = (start..at + 1, sum);
        }
    }
    best
}
