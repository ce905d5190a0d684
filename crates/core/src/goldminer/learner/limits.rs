//! Keeps learned exclusions (patterns of elements to drop from cuts) from removing text of the article.

use goldminer_html::Tag;
use rustc_hash::{FxHashMap, FxHashSet};

use super::super::page_model::{Node, PageModel};
use super::super::pattern::ElementPattern;
use super::super::thresholds::is_mostly_links;
use super::cut::Cut;
use super::kinds::Kinds;
use super::names::Names;
use crate::justext::Class;

/// On each page, exclusions may remove at most 1/`CERTAIN_PART` of the text that certainly belongs to the article.
const CERTAIN_PART: u64 = 10;

/// The exclusions that together remove hardly any text that certainly belongs to the article. `certain` gives the
/// number of such characters in a text block of a cut. Exclusions are accepted one by one, the one that removes least
/// first.
pub(super) fn within(
    drops: Vec<ElementPattern>,
    cuts: &[&Cut<'_>],
    names: &mut Names<'_>,
    certain: impl Fn(usize, usize) -> u64,
) -> Vec<ElementPattern> {
    let slots: FxHashMap<usize, usize> =
        drops.iter().enumerate().map(|(slot, pattern)| (names.number(pattern), slot)).collect();
    // For each exclusion, the certain blocks that it removes from each cut.
    let mut takes: Vec<FxHashSet<(usize, usize)>> = vec![FxHashSet::default(); drops.len()];
    for (number, cut) in cuts.iter().enumerate() {
        for node in cut.places.iter().flat_map(|place| cut.below(place)) {
            let Some(slot) = names.of(cut.page, node).and_then(|name| slots.get(&name)) else { continue };
            if !cut.page.headline.is_some_and(|at| node.blocks.contains(&at)) {
                let is_certain = |at: &usize| certain(number, *at) > 0;
                takes[*slot].extend(node.blocks.clone().filter(is_certain).map(|at| (number, at)));
            }
        }
    }
    let all = |number: usize| cuts[number].blocks().map(|at| certain(number, at)).sum::<u64>();
    let most: Vec<u64> = (0..cuts.len()).map(|number| all(number) / CERTAIN_PART).collect();
    let weight = |takes: &FxHashSet<(usize, usize)>| takes.iter().map(|(number, at)| certain(*number, *at)).sum();
    let mut order: Vec<(u64, usize)> = takes.iter().map(weight).zip(0..).collect();
    order.sort_unstable();
    let mut gone: FxHashSet<(usize, usize)> = FxHashSet::default();
    let mut taken = vec![0_u64; cuts.len()];
    let mut is_kept = vec![false; drops.len()];
    for (_, slot) in order {
        let mut with = taken.clone();
        takes[slot].difference(&gone).for_each(|(number, at)| with[*number] += certain(*number, *at));
        if with.iter().zip(&most).all(|(taken, most)| taken <= most) {
            gone.extend(&takes[slot]);
            (taken, is_kept[slot]) = (with, true);
        }
    }
    drops.into_iter().zip(is_kept).filter(|(_, kept)| *kept).map(|(pattern, _)| pattern).collect()
}

/// Finds headings, listings, lists and quotes between text of the article. They belong to the article even if other
/// pages have the same ones, and even if there are several in a row.
pub(super) struct Structure {
    /// For each block of the page, whether it is a heading, or in a listing, list or quote.
    is_part: Vec<bool>,
    /// For each block, whether text precedes it, with only such structural blocks between.
    follows_text: Vec<bool>,
    /// For each block, whether text follows it, with only such structural blocks between.
    precedes_text: Vec<bool>,
    /// The blocks of good text, in ascending order.
    texts: Vec<usize>,
}

/// How many cuts have a list with the same items, by the texts of the items.
pub(super) type Lists = FxHashMap<Vec<u64>, usize>;

/// The lists in some cuts.
pub(super) fn lists<'c, 's: 'c>(cuts: impl IntoIterator<Item = &'c Cut<'s>>, kinds: &Kinds<'_>) -> Lists {
    let mut lists = Lists::default();
    for cut in cuts {
        let nodes = cut.places.iter().flat_map(|place| cut.below(place));
        let found = nodes.filter(|node| is_list_tag(kinds.get(node.shape).tag)).map(|list| items(cut.page, list));
        found.collect::<FxHashSet<_>>().into_iter().for_each(|items| *lists.entry(items).or_default() += 1);
    }
    lists
}

fn is_list_tag(tag: Tag) -> bool {
    matches!(tag, Tag::Ul | Tag::Ol | Tag::Dl)
}

fn items(page: &PageModel, list: &Node) -> Vec<u64> {
    page.blocks[list.blocks.clone()].iter().map(|block| block.text).collect()
}

impl Structure {
    /// Finds the structure of a cut. One pass in each direction keeps the time linear, however long the lists are.
    pub(super) fn of(cut: &Cut<'_>, kinds: &Kinds<'_>, is_text: impl Fn(usize) -> bool) -> Self {
        let page = cut.page;
        let none = || vec![false; page.blocks.len()];
        let is_good = |at: &usize| is_text(*at) && page.blocks[*at].class == Class::Good && !page.blocks[*at].heading;
        let texts = (0..page.blocks.len()).filter(is_good).collect();
        let mut structure = Self { is_part: none(), follows_text: none(), precedes_text: none(), texts };
        let is_end = |at: usize| page.headline == Some(at) || is_text(at);
        for place in cut.places {
            let is_part = |at: usize| {
                let block = &page.blocks[at];
                let ancestors = page.ancestors_of_block(at).take_while(|holder| Some(*holder) != place.node);
                let mut tags = ancestors.map(|holder| kinds.get(page.nodes[holder as usize].shape).tag);
                !is_mostly_links(block.link_share, block.weight) && (block.heading || tags.any(Tag::is_structural))
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

    /// Whether an element with this tag consists of structural blocks between text of the article. Boxes may be between
    /// the text and a list, if no other cut has a list with the same items.
    pub(super) fn is_in_text(&self, page: &PageModel, tag: Tag, node: &Node, lists: &Lists) -> bool {
        let Some(last) = node.blocks.clone().next_back() else { return false };
        let is_own_list = || {
            let parent = node.parent.map_or(0..0, |parent| page.nodes[parent as usize].blocks.clone());
            let next = self.texts.partition_point(|at| *at < node.blocks.start);
            let before = next.checked_sub(1).is_some_and(|before| parent.contains(&self.texts[before]));
            let next = self.texts[next..].iter().find(|at| **at > last);
            before && next.is_some_and(|at| parent.contains(at)) && lists.get(&items(page, node)) == Some(&1)
        };
        node.blocks.clone().all(|at| self.is_part[at])
            && ((node.blocks.len() == 1 || tag.is_structural())
                && self.follows_text[node.blocks.start]
                && self.precedes_text[last]
                || is_list_tag(tag) && is_own_list())
    }
}
