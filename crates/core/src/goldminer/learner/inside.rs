//! Learns how to correct a cut: which repeated texts and which boilerplate elements to remove from it, and which text
//! between headline and cut (a lead) to add.

use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};

use super::super::page_model::announcements::Announces;
use super::super::page_model::{Block, PageModel};
use super::super::pattern::ElementPattern;
use super::super::thresholds::{is_mostly_links, least_pages};
use super::candidates::{Candidate, Match};
use super::choice::Chosen;
use super::cut::Cut;
use super::kinds::Kinds;
use super::labels::{Frequencies, Labels};
use super::limits::{self, Structure};
use super::names::Names;
use crate::goldminer::pattern::shape::{ShapeId, Shapes};
use crate::justext::Class;

/// Text on more than this share of the pages (and on at least three) is dropped everywhere.
const DROPPED_SHARE: f64 = 0.2;
/// An element inside cuts is dropped if, on all pages of the sample together, at least this share of its characters is
/// boilerplate.
const BAD_SHARE: f64 = 0.6;
/// The name of an element is no evidence if the elements of its kind hold at least 1/`PART` of an article's text, on
/// half of the pages that have them. Captions and boxes hold about a tenth.
const PART: u64 = 5;
/// A lead must raise the mean estimated F by at least this much.
const MIN_GAIN: f64 = 0.01;
const MAX_LEADS: usize = 2;

/// For each page, the ranges of blocks that a cut gives.
pub(super) type BlockRanges = Vec<Vec<Range<usize>>>;

/// Returns how a chosen candidate cuts each of its pages.
pub(super) fn cuts<'s>(
    chosen: &Chosen,
    candidate: &'s Candidate,
    pages: &[&'s PageModel],
    labels: &'s [Labels],
) -> Vec<Cut<'s>> {
    let places: FxHashMap<usize, &[Match]> = candidate.by_page().collect();
    chosen.pages.iter().map(|page| Cut { page: pages[*page], labels: &labels[*page], places: places[page] }).collect()
}

/// The hashes of texts that are often repeated, sorted. These texts are dropped from cuts. They also do not count as
/// text that makes a page an article. If cards outside the cuts repeat a text of one article, it is not dropped from
/// that article.
pub(super) fn repeated<'s>(
    cuts: impl IntoIterator<Item = &'s Cut<'s>>,
    frequencies: &Frequencies,
    pages: &[&PageModel],
) -> Vec<u64> {
    let inside = cuts
        .into_iter()
        .flat_map(|cut| cut.blocks().filter(|at| cut.page.headline != Some(*at)).map(|at| (cut.page, at)));
    let blocks = pages.iter().flat_map(|page| (0..page.blocks.len()).map(|at| (*page, at)));
    let good: Vec<_> = blocks.filter(|(page, at)| page.blocks[*at].class == Class::Good).collect();
    let is_single = |(page, at): &&(&PageModel, usize)| frequencies.of_block(page, *at) <= 1;
    let single: FxHashSet<u64> = good.iter().filter(is_single).map(|(page, at)| page.blocks[*at].text).collect();
    let good = good.into_iter().filter(|(page, at)| !single.contains(&page.blocks[*at].text));
    // Only lines with a link have the label of an announcement, so fewer pages are enough.
    let least = |block: &Block| {
        if block.announces == Announces::Labelled { least_pages(pages.len()) } else { least_repeated(pages.len()) }
    };
    let repeated = inside.chain(good).filter(|(page, at)| frequencies.of_block(page, *at) >= least(&page.blocks[*at]));
    let mut texts: Vec<u64> = repeated.map(|(page, at)| page.blocks[at].text).collect();
    texts.sort_unstable();
    texts.dedup();
    texts
}

/// The least number of pages of a sample that must have a text so that the text is dropped.
pub(super) fn least_repeated(pages: usize) -> usize {
    ((pages as f64 * DROPPED_SHARE) as usize + 1).max(3)
}

/// Returns patterns for elements in the cuts that are mostly boilerplate, and contain hardly any text that certainly
/// belongs to the article.
pub(super) fn drops(cuts: &[Cut<'_>], kinds: &Kinds<'_>, frequencies: &Frequencies) -> Vec<ElementPattern> {
    let drops = patterns(dropped(cuts, kinds, frequencies), kinds);
    limits::within(drops, &cuts.iter().collect::<Vec<_>>(), &mut Names::new(kinds), |cut, at| cuts[cut].certain(at))
}

/// The patterns of these kinds of elements.
pub(super) fn patterns(kinds_of: Vec<ShapeId>, kinds: &Kinds<'_>) -> Vec<ElementPattern> {
    kinds_of.into_iter().map(|kind| ElementPattern::of(kinds.get(kind).selector.clone())).collect()
}

/// The kinds of elements in the cuts that are mostly boilerplate, in ascending order.
pub(super) fn dropped(cuts: &[Cut<'_>], kinds: &Kinds<'_>, frequencies: &Frequencies) -> Vec<ShapeId> {
    // For each kind: pages, characters of boilerplate, all characters.
    let mut tallies: FxHashMap<ShapeId, (usize, u64, u64)> = FxHashMap::default();
    let lists = limits::lists(cuts, kinds);
    for cut in cuts {
        let mut on_page: FxHashMap<ShapeId, (u64, u64)> = FxHashMap::default();
        let is_bad = |at: usize| is_bad(cut.page, at, frequencies);
        let is_text = |at: usize| !is_bad(at) && !cut.page.blocks[at].teaser;
        let structure = Structure::of(cut, kinds, is_text);
        for node in cut.places.iter().flat_map(|place| cut.below(place)) {
            if !kinds.is_marked(node.shape) || cut.page.headline.is_some_and(|at| node.blocks.contains(&at)) {
                continue;
            }
            let tag = kinds.get(node.shape).tag;
            let is_in_text = structure.is_in_text(cut.page, tag, node, &lists);
            let (bad, all) = on_page.entry(kinds.of(node.shape)).or_default();
            for at in node.blocks.clone() {
                let weight = u64::from(cut.page.blocks[at].weight);
                *all += weight;
                *bad += if is_bad(at) && !is_in_text { weight } else { 0 };
            }
        }
        for (shape, (bad, all)) in on_page {
            let tally = tallies.entry(shape).or_default();
            *tally = (tally.0 + 1, tally.1 + bad, tally.2 + all);
        }
    }
    let least = least_pages(cuts.len());
    let is_dropped =
        |(_, (pages, bad, all)): &(_, (usize, u64, u64))| *pages >= least && *bad as f64 > BAD_SHARE * *all as f64;
    let mut dropped: Vec<ShapeId> = tallies.into_iter().filter(is_dropped).map(|(shape, _)| shape).collect();
    dropped.sort_unstable();
    dropped
}

/// The kinds of elements in the cuts that hold much of the articles' text, although their names suggest boilerplate, in
/// ascending order. On this domain, the names mean something else.
pub(super) fn parts(cuts: &[Cut<'_>], kinds: &Kinds<'_>, shapes: &Shapes) -> Vec<ShapeId> {
    // For each kind: pages, pages where it holds much of the text, wanted characters, unwanted characters.
    let mut tallies: FxHashMap<ShapeId, (usize, usize, u64, u64)> = FxHashMap::default();
    for cut in cuts {
        // For each kind: wanted characters, unwanted characters, the end of its last element.
        let mut on_page: FxHashMap<ShapeId, (u64, u64, usize)> = FxHashMap::default();
        let below = cut.places.iter().flat_map(|place| cut.below(place));
        for node in below.filter(|node| shapes.meaning(node.shape).boilerplate) {
            let (wanted, unwanted, end) = on_page.entry(kinds.of(node.shape)).or_default();
            if *end <= node.blocks.start {
                *wanted += cut.labels.wanted(&node.blocks);
                *unwanted += cut.labels.unwanted(&node.blocks);
                *end = node.blocks.end;
            }
        }
        for (kind, (wanted, unwanted, _)) in on_page {
            let tally = tallies.entry(kind).or_default();
            let holds_much = wanted * PART >= cut.labels.all_wanted();
            *tally = (tally.0 + 1, tally.1 + usize::from(holds_much), tally.2 + wanted, tally.3 + unwanted);
        }
    }
    let is_part = |(_, (pages, much, wanted, unwanted)): &(_, (usize, usize, u64, u64))| {
        *pages >= least_pages(cuts.len()) && 2 * much >= *pages && 2 * unwanted <= *wanted
    };
    let mut parts: Vec<ShapeId> = tallies.into_iter().filter(is_part).map(|(kind, _)| kind).collect();
    parts.sort_unstable();
    parts
}

/// Finds candidate patterns whose elements between headline and cut belong to the article. Returns these patterns, best
/// first, and the ranges of text blocks in the cuts and these elements together.
pub(super) fn leads(cuts: &[Cut<'_>], chosen: &Chosen, candidates: &[Candidate]) -> (Vec<ElementPattern>, BlockRanges) {
    let gaps: Vec<Option<Range<usize>>> = cuts.iter().map(Cut::gap).collect();
    let mut ranges: BlockRanges = cuts.iter().map(Cut::ranges).collect();
    if gaps.iter().flatten().count() * 2 < cuts.len() {
        return (Vec::new(), ranges);
    }
    let slots: FxHashMap<usize, usize> = chosen.pages.iter().enumerate().map(|(slot, page)| (*page, slot)).collect();
    let mean = |ranges: &[Vec<Range<usize>>]| {
        cuts.iter().zip(ranges).map(|(cut, ranges)| cut.labels.estimated_f(ranges)).sum::<f64>() / cuts.len() as f64
    };
    let mut leads = Vec::new();
    while leads.len() < MAX_LEADS {
        let now = mean(&ranges);
        let mut best: Option<(f64, &ElementPattern, BlockRanges)> = None;
        for candidate in candidates {
            let Some(pattern) = candidate.element() else { continue };
            let Some(with) = with_lead(candidate, &slots, &gaps, &ranges) else { continue };
            let gain = mean(&with) - now;
            if gain >= MIN_GAIN && best.as_ref().is_none_or(|(best, ..)| gain > *best) {
                best = Some((gain, pattern, with));
            }
        }
        let Some((_, pattern, with)) = best else { break };
        leads.push(pattern.clone());
        ranges = with;
    }
    (leads, ranges)
}

/// The ranges of the cuts, together with those that the candidate adds between headline and cut. None if the candidate
/// adds something on less than half of the pages.
fn with_lead(
    candidate: &Candidate,
    slots: &FxHashMap<usize, usize>,
    gaps: &[Option<Range<usize>>],
    ranges: &[Vec<Range<usize>>],
) -> Option<BlockRanges> {
    let added: Vec<(usize, Range<usize>)> = candidate
        .places
        .iter()
        .filter_map(|place| {
            let slot = *slots.get(&(place.page as usize))?;
            let gap = gaps[slot].as_ref()?;
            let blocks = place.blocks.start.max(gap.start)..place.blocks.end.min(gap.end);
            let is_new = ranges[slot].iter().all(|other| other.end <= blocks.start || blocks.end <= other.start);
            (!blocks.is_empty() && is_new).then_some((slot, blocks))
        })
        .collect();
    if added.chunk_by(|a, b| a.0 == b.0).count() * 2 < gaps.len() {
        return None;
    }
    let mut with = ranges.to_vec();
    added.into_iter().for_each(|(slot, blocks)| with[slot].push(blocks));
    Some(with)
}

fn is_bad(page: &PageModel, at: usize, frequencies: &Frequencies) -> bool {
    let block = &page.blocks[at];
    frequencies.repeats(page, at) || is_mostly_links(block.link_share, block.weight)
}
