//! What no rule may take out of a cut, whatever it has learned: text that is certain, and what gives the text its structure.

use rustc_hash::{FxHashMap, FxHashSet};

use super::super::page_model::{Node, PageModel};
use super::super::pattern::ElementPattern;
use super::super::shape::ShapeId;
use super::super::thresholds::is_mostly_links;
use super::cut::Cut;
use super::kinds::Kinds;
use crate::page::Tag;

/// Exclusions take no more than one part in so many of a page's text that is unique and certain, on any page.
const CERTAIN_PART: u64 = 10;

/// Those of the exclusions that take hardly any text that is `certain`: so many characters of a block of a cut. They are
/// asked one behind the other, those first that take least, since many may take what none does.
pub(super) fn lawful(
    drops: Vec<ElementPattern>,
    cuts: &[&Cut<'_>],
    names: &mut Names<'_>,
    certain: impl Fn(usize, usize) -> u64,
) -> Vec<ElementPattern> {
    let slots: FxHashMap<usize, usize> =
        drops.iter().enumerate().map(|(slot, pattern)| (names.number(pattern), slot)).collect();
    // By exclusion: the blocks of each cut that it takes and that are certain.
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
    let mut order: Vec<(u64, usize)> = takes
        .iter()
        .enumerate()
        .map(|(slot, takes)| (takes.iter().map(|(number, at)| certain(*number, *at)).sum(), slot))
        .collect();
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

/// Whether an element is a heading, a listing, an item of a list or a quote with text of the article before and behind it:
/// that other pages have the same says nothing then. What stands beside it of the same kind may be in doubt, too.
pub(super) fn stands_in_text(cut: &Cut<'_>, kinds: &Kinds<'_>, node: &Node, is_text: impl Fn(usize) -> bool) -> bool {
    let Some(place) =
        cut.places.iter().find(|place| place.blocks.start <= node.blocks.start && node.blocks.end <= place.blocks.end)
    else {
        return false;
    };
    let is_part = |at: usize| {
        let block = &cut.page.blocks[at];
        let holders = cut.page.holders(at).take_while(|holder| Some(*holder) != place.node);
        let mut tags = holders.map(|holder| kinds.get(cut.page.nodes[holder as usize].shape).tag);
        !is_mostly_links(block.link_share, block.weight) && (block.heading || tags.any(gives_structure))
    };
    let reaches_text = |mut blocks: Box<dyn Iterator<Item = usize>>| {
        blocks
            .find(|at| !is_part(*at) || is_text(*at) || cut.page.headline == Some(*at))
            .is_some_and(|at| is_text(at) || cut.page.headline == Some(at))
    };
    (node.blocks.len() == 1 || gives_structure(kinds.get(node.shape).tag))
        && node.blocks.clone().all(is_part)
        && reaches_text(Box::new((place.blocks.start..node.blocks.start).rev()))
        && reaches_text(Box::new(node.blocks.end..place.blocks.end))
}

/// Whether an element of that name is a part of a text rather than a box.
fn gives_structure(tag: Tag) -> bool {
    matches!(tag, Tag::H1 | Tag::H2 | Tag::H3 | Tag::H4 | Tag::H5 | Tag::H6 | Tag::Pre | Tag::Code | Tag::Li)
        || matches!(tag, Tag::Dt | Tag::Dd | Tag::Blockquote)
}

/// The patterns that name elements, each once: by what the element looks like; where it has neither class nor id, by what its
/// parent looks like, too.
pub(super) struct Names<'s> {
    pub kinds: &'s Kinds<'s>,
    pub patterns: Vec<ElementPattern>,
    numbers: FxHashMap<ElementPattern, usize>,
    /// By the shapes of parent and element: several have one pattern.
    of_shapes: FxHashMap<(Option<ShapeId>, ShapeId), usize>,
}

impl<'s> Names<'s> {
    pub(super) fn new(kinds: &'s Kinds<'s>) -> Self {
        Self { kinds, patterns: Vec::new(), numbers: FxHashMap::default(), of_shapes: FxHashMap::default() }
    }

    /// The number of the pattern that names an element; nothing where that would be any of its tag.
    pub(super) fn of(&mut self, page: &PageModel, node: &Node) -> Option<usize> {
        let own = self.kinds.get(self.kinds.of(node.shape));
        let parent = if own.is_marked { None } else { Some(page.nodes[node.parent? as usize].shape) };
        // Hashes that are made anew for each page name nothing.
        let is_blank = |shape| self.kinds.get(self.kinds.of(shape)).is_blanked && !self.kinds.is_marked(shape);
        if is_blank(node.shape) || parent.is_some_and(is_blank) {
            return None;
        }
        let key = (parent, node.shape);
        if let Some(known) = self.of_shapes.get(&key) {
            return Some(*known);
        }
        let selector = |shape| self.kinds.selector(shape);
        let pattern = match parent {
            Some(parent) => ElementPattern::of(selector(parent)).child(selector(node.shape)),
            None => ElementPattern::of(selector(node.shape)),
        };
        let number = self.number(&pattern);
        self.of_shapes.insert(key, number);
        Some(number)
    }

    pub(super) fn number(&mut self, pattern: &ElementPattern) -> usize {
        let next = self.patterns.len();
        let number = *self.numbers.entry(pattern.clone()).or_insert(next);
        if number == next {
            self.patterns.push(pattern.clone());
        }
        number
    }

    pub(super) fn numbers(&mut self, patterns: &[ElementPattern]) -> FxHashSet<usize> {
        patterns.iter().map(|pattern| self.number(pattern)).collect()
    }
}
