//! What kind of thing the elements of a sample are, by their start tags.

use super::super::page_model::PageModel;
use super::super::pattern::Selector;
use crate::goldminer::pattern::shape::{Shape, ShapeId, Shapes};

/// The kinds of the elements of a sample: their shapes, in which hashes count as names if they are repeated on several
/// pages. Hashes from a style sheet are repeated, however they are made; those made anew for each page mean nothing.
pub(super) struct Kinds<'s> {
    shapes: &'s Shapes,
    of: Vec<ShapeId>,
}

/// The fewest pages of a sample with a hash that counts as a name, …
const MIN_PAGES: usize = 3;
/// … which are two in a sample of no more pages than this, …
const FEW: usize = 9;
/// … and at least one page in this many of a larger one.
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
        Self { shapes, of: of.collect() }
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

    /// Whether all names of elements of a shape are hashes that are different on each page.
    pub(super) fn says_nothing(&self, shape: ShapeId) -> bool {
        let kind = self.get(self.of(shape));
        kind.is_blanked && !kind.is_marked
    }
}
