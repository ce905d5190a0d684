//! Groups the elements of a sample into kinds by their start tags.

use super::super::page_model::PageModel;
use super::super::pattern::ElementPattern;
use crate::goldminer::pattern::shape::{Shape, ShapeId, Shapes};

/// The kinds of the elements in a sample. A kind is a shape (a start tag) in which hashes, the random parts of names,
/// become `*` if they are on few pages. Hashes from a style sheet are on many pages; those made for a single page mean
/// nothing.
pub(super) struct Kinds<'s> {
    shapes: &'s Shapes,
    of: Vec<ShapeId>,
}

/// A hash on at least this many pages of a sample is kept as a name.
const MIN_PAGES: usize = 3;
/// In samples of at most this many pages, a hash on two pages is kept.
const FEW: usize = 9;
/// In larger samples, a hash must be on at least one in this many pages.
const PAGES_A_NAME: usize = 20;

/// For each kind of elements, the number of pages that have it. `kind` gives the kind of a shape.
fn pages_with(pages: &[&PageModel], shapes: usize, kind: impl Fn(ShapeId) -> ShapeId) -> Vec<usize> {
    let mut counts = vec![(usize::MAX, 0); shapes];
    for (number, page) in pages.iter().enumerate() {
        for node in &page.nodes {
            let (last, count) = &mut counts[kind(node.shape).index()];
            *count += usize::from(std::mem::replace(last, number) != number);
        }
    }
    counts.into_iter().map(|(_, count)| count).collect()
}

impl<'s> Kinds<'s> {
    pub(super) fn of_sample(shapes: &'s Shapes, pages: &[&PageModel]) -> Self {
        let counts = pages_with(pages, shapes.len(), |shape| shape);
        let least = if pages.len() <= FEW { 2 } else { MIN_PAGES.max(pages.len().div_ceil(PAGES_A_NAME)) };
        let of = shapes.ids().map(|id| if counts[id.index()] >= least { id } else { shapes.blanked(id) });
        Self { shapes, of: of.collect() }
    }

    /// The kind of elements with that shape.
    pub(super) fn of(&self, shape: ShapeId) -> ShapeId {
        self.of[shape.index()]
    }

    /// For each shape its kind, if elements of the kind have names and are on at least `least` of these pages.
    pub(super) fn named_on(&self, pages: &[&PageModel], least: usize) -> Vec<Option<ShapeId>> {
        let counts = pages_with(pages, self.of.len(), |shape| self.of(shape));
        let is_named = |kind: &ShapeId| self.get(*kind).is_marked && counts[kind.index()] >= least;
        self.of.iter().map(|kind| Some(*kind).filter(is_named)).collect()
    }

    /// The start tag that elements of a kind share.
    pub(super) fn get(&self, kind: ShapeId) -> &'s Shape {
        self.shapes.get(kind)
    }

    pub(super) fn pattern(&self, parent: Option<ShapeId>, shape: ShapeId) -> ElementPattern {
        let selector = |shape| self.get(self.of(shape)).selector.clone();
        match parent {
            Some(parent) => ElementPattern::of(selector(parent)).child(selector(shape)),
            None => ElementPattern::of(selector(shape)),
        }
    }

    /// Whether the kind of this shape has more than the tag's name.
    pub(super) fn is_marked(&self, shape: ShapeId) -> bool {
        self.get(self.of(shape)).is_marked
    }

    /// Whether all names on elements of a shape are hashes that differ from page to page.
    pub(super) fn is_unnamed(&self, shape: ShapeId) -> bool {
        let kind = self.get(self.of(shape));
        kind.is_blanked && !kind.is_marked
    }
}
