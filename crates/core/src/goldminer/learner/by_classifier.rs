//! Learns from the classifier of single pages, on a small sample. Inside cuts, the classifier often doubts the same
//! captions, cards and bylines on many pages. Between headline and cut, it often accepts the same line. If it decides
//! alike on several pages, the profile stores the decision for these elements, and later pages need not be classified.
//! Larger samples show without the classifier what repeats.

use goldminer_html::Tag;

use super::super::page_model::{Node, PageModel};
use super::super::pattern::ElementPattern;
use super::super::profile::Template;
use super::super::thresholds::{SURE, doubted};
use super::cut::Cut;
use super::kinds::Kinds;
use super::limits::{self, Structure};
use super::names::Names;
use crate::classifier::Classifier;

/// The fewest pages of evidence for a pattern, because a single page may be an exception.
const LEAST_PAGES: usize = 2;
/// An element is not boilerplate if the classifier is certain that more than 1/`SURE_PART` of its characters are text
/// of the article.
const SURE_PART: u64 = 10;
/// The least mean number of characters per paragraph in a lead.
const MIN_LEAD: u64 = 40;

/// A cut of a page, with the classifier's probabilities.
struct ScoredCut<'c, 's> {
    cut: &'c Cut<'s>,
    /// For each text block inside the cut or between headline and cut, the probability that it belongs to the article,
    /// in thousandths; zero for other blocks.
    probabilities: Vec<u16>,
}

impl<'c, 's> ScoredCut<'c, 's> {
    /// Classifies the page of a cut; None if the sample no longer has the whole page.
    fn of(cut: &'c Cut<'s>, classifier: &Classifier) -> Option<Self> {
        let kept = cut.page.kept.as_ref().filter(|_| !cut.page.blocks.is_empty())?;
        let mut is_selected = vec![false; cut.page.blocks.len()];
        cut.blocks().chain(cut.gap().unwrap_or_default()).for_each(|at| is_selected[at] = true);
        let probabilities = classifier.probabilities(kept, |at| is_selected[at]);
        Some(Self { cut, probabilities: probabilities.into_iter().map(Option::unwrap_or_default).collect() })
    }
}

/// A node, with the number of the cut that it belongs to.
type Match<'s> = (usize, &'s Node);

/// The classifier's probabilities for all elements that match a pattern, summed.
#[derive(Default)]
struct Tally {
    pages: usize,
    last_page: Option<usize>,
    blocks: u64,
    characters: u64,
    /// Characters expected to be text (characters times probability, in thousandths).
    expected: u64,
    /// Characters that are certainly text to the classifier.
    certain: u64,
}

/// Adds to each template the leads (text before its cuts) and the elements to drop from its cuts that the classifier
/// finds. `size` is the number of pages in the sample.
pub(super) fn refine(
    templates: &mut [Template],
    cuts: &[Vec<Cut<'_>>],
    kinds: &Kinds<'_>,
    classifier: &Classifier,
    size: usize,
) {
    for (template, cuts) in templates.iter_mut().zip(cuts) {
        let scored: Vec<ScoredCut<'_, '_>> = cuts.iter().filter_map(|cut| ScoredCut::of(cut, classifier)).collect();
        let mut names = Names::new(kinds);
        add_new(&mut template.leads, leads(&scored, &mut names));
        let drops = drops(&scored, &mut names, size);
        let certain = |cut: usize, at: usize| {
            let ScoredCut { cut, probabilities } = &scored[cut];
            if probabilities[at] >= SURE { cut.certain(at) } else { 0 }
        };
        let cuts: Vec<&Cut<'_>> = scored.iter().map(|scored| scored.cut).collect();
        add_new(&mut template.drops, limits::within(drops, &cuts, &mut names, certain));
    }
}

fn add_new(patterns: &mut Vec<ElementPattern>, more: Vec<ElementPattern>) {
    let new: Vec<ElementPattern> = more.into_iter().filter(|pattern| !patterns.contains(pattern)).collect();
    patterns.extend(new);
}

/// Returns patterns of elements inside the cuts that the classifier does not count as the article's. `pages` is the
/// size of the sample. Listings, tables and quotes are left out, because the classifier only knows prose.
fn drops(cuts: &[ScoredCut<'_, '_>], names: &mut Names<'_>, pages: usize) -> Vec<ElementPattern> {
    let doubted = doubted(pages);
    let kinds = names.kinds;
    let structure =
        |scored: &ScoredCut<'_, '_>| Structure::of(scored.cut, kinds, |at| scored.probabilities[at] >= doubted);
    let structures: Vec<Structure> = cuts.iter().map(structure).collect();
    let lists = limits::lists(cuts.iter().map(|scored| scored.cut), kinds);
    let is_prose = |page: &PageModel, structure: &Structure, node: &Node| {
        let tag = kinds.get(node.shape).tag;
        !matches!(tag, Tag::Pre | Tag::Code | Tag::Blockquote | Tag::Table | Tag::Tbody | Tag::Tr)
            && !structure.is_in_text(page, tag, node, &lists)
    };
    let has_headline = |cut: &Cut<'_>, node: &Node| cut.page.headline.is_some_and(|at| node.blocks.contains(&at));
    let inside = cuts.iter().zip(&structures).enumerate().flat_map(|(number, (scored, structure))| {
        let nodes = scored.cut.places.iter().flat_map(|place| scored.cut.below(place));
        nodes
            .filter(move |node| is_prose(scored.cut.page, structure, node) && !has_headline(scored.cut, node))
            .map(move |node| (number, node))
    });
    let doubted = u64::from(doubted);
    patterns(cuts, &inside.collect::<Vec<_>>(), names, |tally| {
        tally.expected < doubted * tally.characters && tally.certain * SURE_PART <= tally.characters
    })
}

/// Returns patterns of elements between headlines and cuts that the classifier accepts as text.
fn leads(cuts: &[ScoredCut<'_, '_>], names: &mut Names<'_>) -> Vec<ElementPattern> {
    let with_gaps =
        cuts.iter().enumerate().filter_map(|(number, scored)| Some((number, scored.cut, scored.cut.gap()?)));
    let before = with_gaps.flat_map(|(number, cut, gap)| {
        let is_before = move |node: &&Node| gap.start <= node.blocks.start && node.blocks.end <= gap.end;
        cut.page.nodes.iter().filter(is_before).map(move |node| (number, node))
    });
    let least = u64::from(SURE);
    patterns(cuts, &before.collect::<Vec<_>>(), names, |tally| {
        tally.expected >= least * tally.characters && tally.characters >= MIN_LEAD * tally.blocks
    })
}

/// The patterns whose elements on all pages, counted together, pass the test `passes`. Patterns for elements inside
/// others that pass it are left out.
fn patterns(
    cuts: &[ScoredCut<'_, '_>],
    places: &[Match<'_>],
    names: &mut Names<'_>,
    passes: impl Fn(&Tally) -> bool,
) -> Vec<ElementPattern> {
    let mut tallies: Vec<Tally> = Vec::new();
    let mut name = |(number, node): Match<'_>| names.of(cuts[number].cut.page, node);
    let named: Vec<(Match<'_>, usize)> = places.iter().filter_map(|place| Some((*place, name(*place)?))).collect();
    tallies.resize_with(names.patterns.len(), Tally::default);
    for ((number, node), name) in &named {
        let ScoredCut { cut: Cut { page, .. }, probabilities } = &cuts[*number];
        let tally = &mut tallies[*name];
        tally.pages += usize::from(tally.last_page.replace(*number) != Some(*number));
        for at in node.blocks.clone() {
            let (characters, probability) = (u64::from(page.blocks[at].weight), probabilities[at]);
            tally.blocks += 1;
            tally.characters += characters;
            tally.expected += u64::from(probability) * characters;
            tally.certain += if probability >= SURE { characters } else { 0 };
        }
    }
    let has_passed: Vec<bool> = tallies.iter().map(|tally| tally.pages >= LEAST_PAGES && passes(tally)).collect();
    let (mut is_outermost, mut covered) = (vec![false; has_passed.len()], (0, 0));
    for ((number, node), name) in named {
        let is_covered = covered.0 == number && node.blocks.end <= covered.1;
        if has_passed[name] && !is_covered {
            covered = (number, node.blocks.end);
            is_outermost[name] = true;
        }
    }
    (0..has_passed.len()).filter(|name| is_outermost[*name]).map(|name| names.patterns[name].clone()).collect()
}
