//! What no rule may take out of a cut, whatever it has learned: text that is certain, and what gives the text its structure.

use goldminer_html::Tag;
use rustc_hash::{FxHashMap, FxHashSet};

use super::super::page_model::Node;
use super::super::thresholds::is_mostly_links;
use super::cut::Cut;
use super::kinds::{Kinds, Name};

/// Exclusions take no more than one part in so many of a page's text that is unique and certain, on any page.
const CERTAIN_PART: u64 = 10;

/// Those of the exclusions that take hardly any text that is `certain`: so many characters of a block of a cut. They are
/// asked one behind the other, those first that take least, since many may take what none does.
pub(super) fn lawful(
    drops: Vec<Name>,
    cuts: &[&Cut<'_>],
    kinds: &Kinds<'_>,
    certain: impl Fn(usize, usize) -> u64,
) -> Vec<Name> {
    // By exclusion: the blocks of each cut that it takes and that are certain.
    let mut takes: Vec<(Name, FxHashMap<(usize, usize), u64>)> =
        drops.into_iter().map(|drop| (drop, FxHashMap::default())).collect();
    for (number, cut) in cuts.iter().enumerate() {
        for node in cut.inside() {
            let named = kinds.name(cut.page, node);
            for (_, takes) in takes.iter_mut().filter(|(drop, _)| Some(*drop) == named) {
                let taken = node.blocks.clone().map(|at| ((number, at), certain(number, at)));
                takes.extend(taken.filter(|(_, characters)| *characters > 0));
            }
        }
    }
    takes.sort_by_key(|(drop, takes)| (takes.values().sum::<u64>(), *drop));
    let most = |number: usize| cuts[number].blocks().map(|at| certain(number, at)).sum::<u64>() / CERTAIN_PART;
    let mut left: Vec<u64> = (0..cuts.len()).map(most).collect();
    let mut gone: FxHashSet<(usize, usize)> = FxHashSet::default();
    takes.retain(|(_, takes)| {
        let mut with = left.clone();
        let is_lawful = takes.iter().filter(|(at, _)| !gone.contains(*at)).all(|((number, _), characters)| {
            let rest = with[*number].checked_sub(*characters);
            with[*number] = rest.unwrap_or_default();
            rest.is_some()
        });
        if is_lawful {
            gone.extend(takes.keys());
            left = with;
        }
        is_lawful
    });
    takes.into_iter().map(|(drop, _)| drop).collect()
}

/// Which blocks of a cut are headings, listings, items of lists or quotes with text of the article before and behind them:
/// that other pages have the same says nothing then. What stands beside one of the same kind may be in doubt, too.
pub(super) struct Structure {
    /// By block of the page: whether it is such a part.
    is_part: Vec<bool>,
    /// Whether text stands before it, with nothing but such parts between.
    follows_text: Vec<bool>,
    /// Whether text stands behind it, likewise.
    precedes_text: Vec<bool>,
}

impl Structure {
    /// That of a cut, in one pass each way: what it takes grows with the cut, however long its lists are.
    pub(super) fn of(cut: &Cut<'_>, kinds: &Kinds<'_>, is_text: impl Fn(usize) -> bool) -> Self {
        let page = cut.page;
        let none = || vec![false; page.blocks.len()];
        let mut structure = Self { is_part: none(), follows_text: none(), precedes_text: none() };
        let is_end = |at: usize| page.headline == Some(at) || is_text(at);
        for place in cut.places {
            let is_part = |at: usize| {
                let block = &page.blocks[at];
                let ancestors = page.ancestors_of_block(at).take_while(|holder| Some(*holder) != place.node);
                let mut tags = ancestors.map(|holder| kinds.get(page.nodes[holder as usize].shape).tag);
                !is_mostly_links(block.link_share, block.weight) && (block.heading || tags.any(Tag::gives_structure))
            };
            let mut reaches = false;
            for at in place.blocks.clone() {
                structure.is_part[at] = is_part(at);
                structure.follows_text[at] = reaches;
                reaches = is_end(at) || (reaches && structure.is_part[at]);
            }
            reaches = false;
            for at in place.blocks.clone().rev() {
                structure.precedes_text[at] = reaches;
                reaches = is_end(at) || (reaches && structure.is_part[at]);
            }
        }
        structure
    }

    /// Whether an element of that name is such a part, or several, in the text.
    pub(super) fn stands_in_text(&self, tag: Tag, node: &Node) -> bool {
        let Some(last) = node.blocks.clone().next_back() else { return false };
        (node.blocks.len() == 1 || tag.gives_structure())
            && node.blocks.clone().all(|at| self.is_part[at])
            && self.follows_text[node.blocks.start]
            && self.precedes_text[last]
    }
}
