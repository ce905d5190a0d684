//! What the judge of single pages says of a small sample, element by element: page after page it doubts captions and
//! bylines that stand in the cut, and takes the line below the headline for text. What it says of several pages alike the
//! profile tells the next ones, which need not be asked then. Larger samples show by themselves what repeats; they are not
//! judged.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use rustc_hash::FxHashMap;

use super::super::page_model::{Node, PageModel};
use super::super::pattern::ElementPattern;
use super::super::profile::Template;
use super::super::shape::{ShapeId, Shapes};
use super::super::thresholds::{MIN_LEAD, SURE, doubted, is_mostly_links};
use super::inside::Cut;
use crate::page::Tag;

/// One page may be an exception.
const LEAST_PAGES: usize = 2;

/// What an element looks like; where it has neither class nor id, what its parent looks like, too.
type Kind = (Option<ShapeId>, ShapeId);

/// A node with its page and that page's number in the sample.
type Place<'s> = (usize, &'s PageModel, &'s Node);

/// What the judge says of all elements of a kind.
#[derive(Default)]
struct Tally {
    pages: usize,
    last_page: Option<usize>,
    blocks: u64,
    characters: u64,
    /// Of these, in thousandths, what belongs to the text by the judge's probabilities.
    promised: u64,
}

/// What the whole sample tells.
pub(super) struct Sample<'s> {
    /// Texts that come again and again, ascending.
    pub repeated: &'s [u64],
    /// How many pages it has.
    pub size: usize,
}

/// Adds to each template, by its cuts, what the judge says of them. Gives the share of the text of which the judge thinks
/// otherwise even then, by the template of which it thinks worst; nothing if no page was judged.
pub(super) fn refine(
    templates: &mut [Template],
    cuts: &[Vec<Cut<'_>>],
    shapes: &Shapes,
    sample: &Sample<'_>,
) -> Option<f64> {
    let shares = templates.iter_mut().zip(cuts).filter_map(|(template, cuts)| {
        add_new(&mut template.leads, leads(cuts, shapes));
        add_new(&mut template.drops, drops(cuts, shapes, sample.size));
        doubted_share(cuts, shapes, template, sample)
    });
    shares.reduce(f64::max)
}

fn add_new(patterns: &mut Vec<ElementPattern>, more: Vec<ElementPattern>) {
    let new: Vec<ElementPattern> = more.into_iter().filter(|pattern| !patterns.contains(pattern)).collect();
    patterns.extend(new);
}

/// The elements inside of the cuts whose text the judge takes for none of the article's; of so many pages is the sample.
/// Listings, tables and quotes are left to what repeats: the judge knows prose.
fn drops(cuts: &[Cut<'_>], shapes: &Shapes, pages: usize) -> Vec<ElementPattern> {
    let is_prose = |node: &Node| {
        !matches!(
            shapes.get(node.shape).tag,
            Tag::Pre | Tag::Code | Tag::Blockquote | Tag::Table | Tag::Tbody | Tag::Tr
        )
    };
    let has_headline = |cut: &Cut<'_>, node: &Node| cut.page.headline.is_some_and(|at| node.blocks.contains(&at));
    let inside = cuts.iter().enumerate().flat_map(|(number, cut)| {
        let nodes = cut.places.iter().flat_map(|place| cut.below(place));
        nodes.filter(move |node| is_prose(node) && !has_headline(cut, node)).map(move |node| (number, cut.page, node))
    });
    let doubted = u64::from(doubted(pages));
    patterns(&inside.collect::<Vec<_>>(), shapes, |tally| tally.promised < doubted * tally.characters)
}

/// The elements between headlines and cuts whose text the judge is sure of.
fn leads(cuts: &[Cut<'_>], shapes: &Shapes) -> Vec<ElementPattern> {
    let with_gaps = cuts.iter().enumerate().filter_map(|(number, cut)| Some((number, cut, cut.gap()?)));
    let before = with_gaps.flat_map(|(number, cut, gap)| before(cut, &gap).map(move |node| (number, cut.page, node)));
    let (sure, least) = (u64::from(SURE), MIN_LEAD as u64);
    patterns(&before.collect::<Vec<_>>(), shapes, |tally| {
        tally.promised >= sure * tally.characters && tally.characters >= least * tally.blocks
    })
}

/// The share of the cuts' text of which the judge still thinks otherwise: what it doubts beside the drops, and is sure of
/// beside the leads. Nothing if no page was judged.
fn doubted_share(cuts: &[Cut<'_>], shapes: &Shapes, template: &Template, sample: &Sample<'_>) -> Option<f64> {
    let (least, mut otherwise, mut all) = (doubted(sample.size), 0, 0);
    let (mut drops, mut leads) = (Known::new(&template.drops, shapes), Known::new(&template.leads, shapes));
    for cut in cuts.iter().filter(|cut| is_judged(cut.page)) {
        let (page, gap) = (cut.page, cut.gap().unwrap_or_default());
        let mut is_settled = vec![false; page.blocks.len()];
        for node in cut.places.iter().flat_map(|place| cut.below(place)).filter(|node| drops.has(page, node)) {
            is_settled[node.blocks.clone()].fill(true);
        }
        for node in before(cut, &gap).filter(|node| leads.has(page, node)) {
            is_settled[node.blocks.clone()].fill(true);
        }
        let is_open = |at: &usize| {
            let block = &page.blocks[*at];
            let is_boilerplate = block.teaser || is_mostly_links(block.link_share, block.weight);
            !is_settled[*at]
                && !is_boilerplate
                && page.headline != Some(*at)
                && sample.repeated.binary_search(&block.text).is_err()
        };
        let characters = |at: usize| u64::from(page.blocks[at].weight);
        for at in cut.blocks().filter(is_open) {
            all += characters(at);
            otherwise += if page.probabilities[at] < least { characters(at) } else { 0 };
        }
        let is_lead = |at: &usize| page.probabilities[*at] >= SURE && characters(*at) >= MIN_LEAD as u64;
        otherwise += gap.filter(is_open).filter(is_lead).map(characters).sum::<u64>();
    }
    (all > 0).then(|| otherwise as f64 / all as f64)
}

/// Which kinds of elements some patterns name.
struct Known<'t> {
    patterns: &'t [ElementPattern],
    shapes: &'t Shapes,
    has: FxHashMap<Kind, bool>,
}

impl<'t> Known<'t> {
    fn new(patterns: &'t [ElementPattern], shapes: &'t Shapes) -> Self {
        Self { patterns, shapes, has: FxHashMap::default() }
    }

    fn has(&mut self, page: &PageModel, node: &Node) -> bool {
        let kind = kind(page, node, self.shapes);
        *self.has.entry(kind).or_insert_with(|| self.patterns.contains(&pattern(kind, self.shapes)))
    }
}

/// The kinds of elements of which the judge says so; without those that always lie in others of them.
fn patterns(places: &[Place<'_>], shapes: &Shapes, says_so: impl Fn(&Tally) -> bool) -> Vec<ElementPattern> {
    let mut tallies: BTreeMap<Kind, Tally> = BTreeMap::new();
    let judged = || places.iter().copied().filter(|(_, page, _)| is_judged(page));
    for (number, page, node) in judged() {
        let tally = tallies.entry(kind(page, node, shapes)).or_default();
        tally.pages += usize::from(tally.last_page.replace(number) != Some(number));
        for at in node.blocks.clone() {
            let characters = u64::from(page.blocks[at].weight);
            tally.blocks += 1;
            tally.characters += characters;
            tally.promised += u64::from(page.probabilities[at]) * characters;
        }
    }
    tallies.retain(|_, tally| tally.pages >= LEAST_PAGES && says_so(tally));
    let mut outermost: BTreeSet<Kind> = BTreeSet::new();
    let mut covered = (0, 0);
    for (number, page, node) in judged() {
        let is_covered = covered.0 == number && node.blocks.end <= covered.1;
        let kind = kind(page, node, shapes);
        if !is_covered && tallies.contains_key(&kind) {
            covered = (number, node.blocks.end);
            outermost.insert(kind);
        }
    }
    outermost.into_iter().map(|kind| pattern(kind, shapes)).collect()
}

fn pattern((parent, own): Kind, shapes: &Shapes) -> ElementPattern {
    let selector = |shape| shapes.get(shape).selector.clone();
    match parent {
        Some(parent) => ElementPattern::of(selector(parent)).child(selector(own)),
        None => ElementPattern::of(selector(own)),
    }
}

fn kind(page: &PageModel, node: &Node, shapes: &Shapes) -> Kind {
    let parent = node.parent.filter(|_| !shapes.get(node.shape).is_marked());
    (parent.map(|parent| page.nodes[parent as usize].shape), node.shape)
}

/// The nodes between a cut's headline and its beginning.
fn before<'s>(cut: &Cut<'s>, gap: &Range<usize>) -> impl Iterator<Item = &'s Node> + use<'s> {
    let gap = gap.clone();
    let nodes = cut.page.nodes.iter();
    nodes.filter(move |node| gap.start <= node.blocks.start && node.blocks.end <= gap.end)
}

fn is_judged(page: &PageModel) -> bool {
    page.probabilities.len() == page.blocks.len()
}
