//! What the classifier of single pages says of a small sample, element by element: page after page it doubts captions, cards and
//! bylines that stand in the cut, and takes the line below the headline for text. What it says of several pages alike the
//! profile tells the next ones, which need not be asked. Larger samples show by themselves what repeats.

use goldminer_html::Tag;
use rustc_hash::FxHashMap;

use super::super::page_model::Node;
use super::super::pattern::ElementPattern;
use super::super::thresholds::{SURE, doubted};
use super::cut::Cut;
use super::fitness::Sample;
use super::kinds::{Kinds, Name};
use super::laws::{self, Structure};
use crate::classifier::Classifier;

/// One page may be an exception.
const LEAST_PAGES: usize = 2;
/// Elements are no boilerplate where the classifier is sure of one part of their text in so many.
const SURE_PART: u64 = 10;
/// A lead has so many characters a paragraph at least.
const MIN_LEAD: u64 = 40;

/// A cut of a page that was judged by itself.
struct JudgedCut<'c, 's> {
    cut: &'c Cut<'s>,
    /// For each block of the cut, and of the gap before it, the probability that it belongs to the text, in thousandths;
    /// zero for the others.
    probabilities: Vec<u16>,
}

impl<'c, 's> JudgedCut<'c, 's> {
    /// Asks the classifier; nothing of a page that is not there any more.
    fn of(cut: &'c Cut<'s>, classifier: &Classifier) -> Option<Self> {
        let kept = cut.page.kept.as_ref().filter(|_| !cut.page.blocks.is_empty())?;
        let mut is_asked = vec![false; cut.page.blocks.len()];
        cut.blocks().chain(cut.gap().unwrap_or_default()).for_each(|at| is_asked[at] = true);
        let probabilities = classifier.probabilities(&kept.page, |at| is_asked[at]);
        Some(Self { cut, probabilities: probabilities.into_iter().map(Option::unwrap_or_default).collect() })
    }
}

/// What the classifier says of all elements of one kind.
#[derive(Default)]
struct Tally {
    pages: usize,
    last_page: Option<usize>,
    blocks: u64,
    characters: u64,
    /// Of these, in thousandths, what belongs to the text by the classifier's probabilities.
    promised: u64,
    /// Of these, those of which the classifier is sure.
    sure: u64,
}

/// Adds to the leads and drops of a template, by its cuts, what the classifier says of them.
pub(super) fn refine(
    leads: &mut Vec<ElementPattern>,
    drops: &mut Vec<Name>,
    cuts: &[Cut<'_>],
    sample: &Sample<'_>,
    classifier: &Classifier,
) {
    let (kinds, doubted) = (sample.kinds, doubted(sample.pages.len()));
    let judged: Vec<JudgedCut<'_, '_>> = cuts.iter().filter_map(|cut| JudgedCut::of(cut, classifier)).collect();
    let new = told(&judged, kinds, before, |tally| {
        tally.promised >= u64::from(SURE) * tally.characters && tally.characters >= MIN_LEAD * tally.blocks
    });
    let new = new.into_iter().map(|name| kinds.pattern(name)).collect::<Vec<_>>();
    leads.extend(new.into_iter().filter(|lead| !leads.contains(lead)).collect::<Vec<_>>());
    let new = told(
        &judged,
        kinds,
        |judged| prose(judged, kinds, doubted),
        |tally| tally.promised < u64::from(doubted) * tally.characters && tally.sure * SURE_PART <= tally.characters,
    );
    let certain = |cut: usize, at: usize| {
        let JudgedCut { cut, probabilities } = &judged[cut];
        if probabilities[at] >= SURE { cut.certain(at) } else { 0 }
    };
    let cuts: Vec<&Cut<'_>> = judged.iter().map(|judged| judged.cut).collect();
    let new = laws::lawful(new, &cuts, kinds, certain);
    drops.extend(new.into_iter().filter(|drop| !drops.contains(drop)).collect::<Vec<_>>());
}

/// The elements inside of a cut that may be prose. Listings, tables and quotes are left to what repeats: the classifier knows
/// prose.
fn prose<'c>(judged: &JudgedCut<'c, '_>, kinds: &Kinds<'_>, doubted: u16) -> Vec<&'c Node> {
    let structure = Structure::of(judged.cut, kinds, |at| judged.probabilities[at] >= doubted);
    let is_prose = |node: &&Node| {
        let tag = kinds.get(node.shape).tag;
        !matches!(tag, Tag::Pre | Tag::Code | Tag::Blockquote | Tag::Table | Tag::Tbody | Tag::Tr)
            && !structure.stands_in_text(tag, node)
    };
    judged.cut.inside().filter(is_prose).collect()
}

/// The elements between headline and cut.
fn before<'c>(judged: &JudgedCut<'c, '_>) -> Vec<&'c Node> {
    let gap = judged.cut.gap().unwrap_or_default();
    let is_before = |node: &&Node| gap.start <= node.blocks.start && node.blocks.end <= gap.end;
    judged.cut.page.nodes.iter().filter(is_before).collect()
}

/// The kinds of these elements of which the classifier says so, as far as one of them lies in no other of them.
fn told<'c, 's: 'c>(
    cuts: &[JudgedCut<'c, 's>],
    kinds: &Kinds<'_>,
    nodes: impl Fn(&JudgedCut<'c, 's>) -> Vec<&'c Node>,
    says_so: impl Fn(&Tally) -> bool,
) -> Vec<Name> {
    let nodes = cuts.iter().map(nodes).enumerate();
    let named = nodes.flat_map(|(number, nodes)| nodes.into_iter().map(move |node| (number, node)));
    let named: Vec<_> =
        named.filter_map(|(number, node)| Some((number, node, kinds.name(cuts[number].cut.page, node)?))).collect();
    let mut tallies: FxHashMap<Name, Tally> = FxHashMap::default();
    for (number, node, kind) in &named {
        let JudgedCut { cut: Cut { page, .. }, probabilities } = &cuts[*number];
        let tally = tallies.entry(*kind).or_default();
        tally.pages += usize::from(tally.last_page.replace(*number) != Some(*number));
        for at in node.blocks.clone() {
            let (characters, probability) = (u64::from(page.blocks[at].weight), probabilities[at]);
            tally.blocks += 1;
            tally.characters += characters;
            tally.promised += u64::from(probability) * characters;
            tally.sure += if probability >= SURE { characters } else { 0 };
        }
    }
    tallies.retain(|_, tally| tally.pages >= LEAST_PAGES && says_so(tally));
    let (mut told, mut covered) = (Vec::new(), (0, 0));
    for (number, node, kind) in named.into_iter().filter(|(.., kind)| tallies.contains_key(kind)) {
        let is_covered = covered.0 == number && node.blocks.end <= covered.1;
        if !is_covered {
            covered = (number, node.blocks.end);
            told.push(kind);
        }
    }
    told.sort_unstable();
    told.dedup();
    told
}
