//! Candidates with tag sequences, for layouts whose elements do not differ in their names. This module finds the best
//! range of blocks on each page, the tags at both its ends, and how well each pair of a start and an end would cut all
//! pages.
//!
//! A start matches at its first occurrence on a page, an end at its first occurrence after the start (section 4 of the
//! paper). A pair that cuts at wrong places gets a low estimate.

use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};

use super::super::page_model::PageModel;
use super::super::sequence::{MAX_STEPS, StartPattern, StepIds, TagSequence};
use super::super::tags::TagIndex;
use super::candidates::{Candidate, Match};
use super::labels::Labels;

/// The number of starts and of ends that are combined.
const TRIED: usize = 48;
/// The number of pairs that become candidates in a round.
const KEPT: usize = 12;
const ROUNDS: usize = 3;
/// The number of tags just before a text that may belong to the text instead of the layout.
const SLACK: usize = 3;
/// A pair of a start and an end is rejected if, on more than one page in this many, the end is inside a paragraph, list
/// item or listing.
const SOUND_PAGES: usize = 20;
/// The most steps to improve the range of a page. More than three are hardly ever needed.
const MAX_IMPROVEMENTS: usize = 8;

/// The best range of a page.
struct Span {
    blocks: Range<usize>,
    /// How much more estimated F the range gives than the chosen candidates, in thousandths.
    to_gain: u64,
}

/// A start and an end that cut pages together.
struct Pair {
    start: usize,
    end: usize,
    cuts: Vec<TagCut>,
}

/// What a pair of start and end cuts out of a page.
struct TagCut {
    page: usize,
    blocks: Range<usize>,
    f: f64,
}

/// Finds the pairs of tag sequences (a start and an end) that cut the sample best: `pages` look like articles, `others`
/// do not. `reached` is the estimated F-score of each page with the candidates chosen so far. A page counts by how much
/// it can be improved, because a layout that patterns for elements cut well needs no tags.
pub(super) fn candidates(
    pages: &[&PageModel],
    others: &[&PageModel],
    (labels, reached): (&[Labels], Vec<f64>),
    ids: &StepIds,
) -> Vec<Candidate> {
    let index: Vec<TagIndex<'_>> = pages.iter().map(|page| TagIndex::of(&page.tags)).collect();
    let spans: Vec<Option<Span>> =
        labels.iter().zip(&reached).map(|(labels, reached)| Span::of(labels, *reached)).collect();
    let starts = weightiest(pages.len(), |page| {
        let (span, tags) = (spans[page].as_ref()?, &pages[page].tags);
        let index = &index[page];
        let is_first = move |s: &&[u32]| index.first(s).is_some_and(|(_, block)| block == span.blocks.start);
        Some((span.to_gain, tags.before(span.blocks.start, MAX_STEPS, SLACK).filter(is_first)))
    });
    let ends = weightiest(pages.len(), |page| {
        let (span, tags) = (spans[page].as_ref()?, &pages[page].tags);
        let is_outside = |block: usize| block <= span.blocks.start || span.blocks.end <= block;
        let index = &index[page];
        let is_only_outside = move |s: &&[u32]| index.occurrences_with_blocks(s).all(|(_, block)| is_outside(block));
        Some((span.to_gain, tags.behind(span.blocks.end, MAX_STEPS, SLACK).filter(is_only_outside)))
    });
    let pairs = pairs(&index, labels, &starts, &ends, ids);
    let others: Vec<TagIndex<'_>> = others.iter().map(|page| TagIndex::of(&page.tags)).collect();
    let kept = best(&pairs, reached, |pair| starts[pair.start].len() + ends[pair.end].len());
    let candidate = |pair: &Pair| {
        let (start, end) = (&starts[pair.start], &ends[pair.end]);
        let tags = |steps: &[u32]| TagSequence::of(ids, steps);
        let place = |page, blocks| Match { page, node: None, blocks };
        let on_others = (0..).zip(&others).filter_map(|(number, page)| Some(place(number, cut(page, start, end)?)));
        let on_others = (on_others.collect(), others.len());
        let places = pair.cuts.iter().map(|cut| place(cut.page as u32, cut.blocks.clone())).collect();
        Candidate::new(StartPattern::Tags(tags(start)), Some(tags(end)), places, on_others)
    };
    kept.into_iter().map(|at| candidate(&pairs[at])).collect()
}

/// Returns all pairs of a start and an end that cut something, and hardly ever end inside a paragraph, list item or
/// listing.
fn pairs(
    pages: &[TagIndex<'_>],
    labels: &[Labels],
    starts: &[Vec<u32>],
    ends: &[Vec<u32>],
    ids: &StepIds,
) -> Vec<Pair> {
    let first = |start: &Vec<u32>| pages.iter().map(|page| page.first(start)).collect();
    let first: Vec<Vec<Option<(usize, usize)>>> = starts.iter().map(first).collect();
    let all = |end: &Vec<u32>| pages.iter().map(|page| page.occurrences_with_blocks(end).collect()).collect();
    let all: Vec<Vec<Vec<(usize, usize)>>> = ends.iter().map(all).collect();
    let anchors: Vec<usize> = ends.iter().map(|end| ids.anchor(end)).collect();
    let cut = |start: usize, end: usize, page: usize| {
        let (tag, block) = first[start][page]?;
        let ends = &all[end][page];
        let (at, behind) = *ends.get(ends.partition_point(|(at, _)| *at < tag))?;
        let blocks = block..behind;
        let is_sound = !pages[page].is_in_part_since(at + anchors[end], tag);
        let cut = || TagCut { page, f: labels[page].estimated_f([&blocks]), blocks: blocks.clone() };
        (!blocks.is_empty()).then(|| (cut(), is_sound))
    };
    let pair = |start: usize, end: usize| {
        let cuts: Vec<(TagCut, bool)> = (0..pages.len()).filter_map(|page| cut(start, end, page)).collect();
        let unsound = cuts.iter().filter(|(_, is_sound)| !is_sound).count();
        let is_pair = !cuts.is_empty() && unsound * SOUND_PAGES <= cuts.len();
        is_pair.then(|| Pair { start, end, cuts: cuts.into_iter().map(|(cut, _)| cut).collect() })
    };
    (0..starts.len()).flat_map(|start| (0..ends.len()).filter_map(move |end| pair(start, end))).collect()
}

/// The indexes of the best pairs of a start and an end, chosen in rounds. The first round chooses those with the
/// largest gain over the F-scores in `reached`. Each further round chooses those with the largest gain over the pairs
/// chosen before. Of equal pairs, the one with the fewest tags comes first.
fn best(pairs: &[Pair], mut reached: Vec<f64>, tags: impl Fn(&Pair) -> usize) -> Vec<usize> {
    let mut kept: Vec<usize> = Vec::new();
    for _ in 0..ROUNDS {
        let gain = |pair: &Pair| -> f64 { pair.cuts.iter().map(|cut| (cut.f - reached[cut.page]).max(0.0)).sum() };
        let left = (0..pairs.len()).filter(|at| !kept.contains(at));
        let rank = |at: usize| (-(1_000.0 * gain(&pairs[at])).round() as i64, tags(&pairs[at]), at);
        let mut ranked: Vec<(i64, usize, usize)> = left.map(rank).filter(|(gain, ..)| *gain < 0).collect();
        ranked.sort_unstable();
        ranked.truncate(KEPT);
        for (_, _, at) in ranked {
            pairs[at].cuts.iter().for_each(|cut| reached[cut.page] = reached[cut.page].max(cut.f));
            kept.push(at);
        }
    }
    kept
}

/// The blocks that a start and an end cut out of a page.
fn cut(page: &TagIndex<'_>, start: &[u32], end: &[u32]) -> Option<Range<usize>> {
    let (tag, block) = page.first(start)?;
    let (_, behind) = page.occurrences_with_blocks(end).find(|(at, _)| *at >= tag)?;
    (block < behind).then_some(block..behind)
}

/// The tag sequences that `of_page` gives for all pages. Those whose pages can gain most from a better cut come first;
/// of equal ones, the longer.
fn weightiest<'s, I: Iterator<Item = &'s [u32]>>(
    pages: usize,
    of_page: impl Fn(usize) -> Option<(u64, I)>,
) -> Vec<Vec<u32>> {
    let mut weights: FxHashMap<&[u32], u64> = FxHashMap::default();
    for (to_gain, sequences) in (0..pages).filter_map(of_page) {
        let distinct: FxHashSet<&[u32]> = sequences.collect();
        distinct.into_iter().for_each(|sequence| *weights.entry(sequence).or_default() += to_gain);
    }
    let mut ranked: Vec<_> = weights.into_iter().collect();
    ranked.sort_unstable_by(|(a, of_a), (b, of_b)| of_b.cmp(of_a).then(b.len().cmp(&a.len())).then(a.cmp(b)));
    ranked.into_iter().take(TRIED).map(|(sequence, _)| sequence.to_vec()).collect()
}

impl Span {
    /// The best range of a page, if it is better than what is reached already.
    fn of(labels: &Labels, reached: f64) -> Option<Self> {
        let blocks = best_range(labels)?;
        let to_gain = (1_000.0 * (labels.estimated_f([&blocks]) - reached)).round();
        (to_gain > 0.0).then_some(Self { blocks, to_gain: to_gain as u64 })
    }
}

/// The range of a page with the highest estimated F-score. It is found with Dinkelbach's method for fractional programs
/// (Management Science 13, 1967): each step finds the range with the greatest weighted sum, in one pass.
fn best_range(labels: &Labels) -> Option<Range<usize>> {
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

/// The range of a page with the greatest weight: each wanted character counts 2 − `price`, each unwanted one −`price`.
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
        // Blocks that do not count are left out at both ends.
        if sum > best_sum && weight > 0.0 {
            (best, best_sum) = (start..at + 1, sum);
        }
    }
    best
}
