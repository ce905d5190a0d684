//! What kind of thing the elements of a sample are, by their start tags.

use rustc_hash::FxHashMap;

use super::super::page_model::{Node, PageModel};
use super::super::pattern::{ElementPattern, Selector};
use crate::goldminer::pattern::shape::{Shape, ShapeId, Shapes};

/// What the elements of a sample are: their shapes, where hashes count as names if they come again on several pages. Those
/// of a style sheet do, whatever they are made of; those that are made anew for each page say nothing.
pub(super) struct Kinds<'s> {
    shapes: &'s Shapes,
    of: Vec<ShapeId>,
    /// By shape: the first of all kinds that its selector names.
    named: Vec<ShapeId>,
}

/// What elements are called: by what they look like; where they have neither class nor id, by what their parents look like, too.
pub(super) type Name = (Option<ShapeId>, ShapeId);

/// A hash must stand on so many pages of a sample, …
const MIN_PAGES: usize = 3;
/// … which are two in one that has no more than so many, …
const FEW: usize = 9;
/// … and one page in so many of a larger one.
const PAGES_A_NAME: usize = 20;

impl<'s> Kinds<'s> {
    pub(super) fn of_sample(shapes: &'s Shapes, pages: &[&PageModel]) -> Self {
        let mut met = vec![(usize::MAX, 0); shapes.len()];
        for (number, page) in pages.iter().enumerate() {
            for node in &page.nodes {
                let (last, count) = &mut met[node.shape.index()];
                *count += usize::from(std::mem::replace(last, number) != number);
            }
        }
        let least = if pages.len() <= FEW { 2 } else { MIN_PAGES.max(pages.len().div_ceil(PAGES_A_NAME)) };
        let of = shapes.ids().map(|id| if met[id.index()].1 >= least { id } else { shapes.blanked(id) });
        let of: Vec<ShapeId> = of.collect();
        let mut first = FxHashMap::default();
        let named = of.iter().map(|kind| *first.entry(&shapes.get(*kind).selector).or_insert(*kind)).collect();
        Self { shapes, of, named }
    }

    /// What an element of that shape is.
    pub(super) fn of(&self, shape: ShapeId) -> ShapeId {
        self.of[shape.index()]
    }

    /// What the start tags of a kind look like.
    pub(super) fn get(&self, kind: ShapeId) -> &'s Shape {
        self.shapes.get(kind)
    }

    /// The pattern that names elements of a shape.
    pub(super) fn selector(&self, shape: ShapeId) -> Selector {
        self.get(self.of(shape)).selector.clone()
    }

    /// Whether that pattern says more than which tag it is.
    pub(super) fn is_marked(&self, shape: ShapeId) -> bool {
        self.get(self.of(shape)).is_marked
    }

    /// What an element is called; nothing where hashes that are made anew for each page are all that it is called.
    pub(super) fn name(&self, page: &PageModel, node: &Node) -> Option<Name> {
        let named = |shape: ShapeId| {
            let kind = self.get(self.of(shape));
            (kind.is_marked || !kind.is_blanked).then(|| self.named[shape.index()])
        };
        let own = named(node.shape)?;
        if self.is_marked(node.shape) {
            return Some((None, own));
        }
        Some((Some(named(page.nodes[node.parent? as usize].shape)?), own))
    }

    /// The pattern of a name.
    pub(super) fn pattern(&self, (parent, own): Name) -> ElementPattern {
        match parent {
            Some(parent) => ElementPattern::of(self.selector(parent)).child(self.selector(own)),
            None => ElementPattern::of(self.selector(own)),
        }
    }
}
