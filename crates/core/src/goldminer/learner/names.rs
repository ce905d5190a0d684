//! Finds the pattern by which a learned rule names an element of the sample.

use rustc_hash::FxHashMap;

use super::super::page_model::{Node, PageModel};
use super::super::pattern::ElementPattern;
use super::kinds::Kinds;
use crate::goldminer::pattern::shape::ShapeId;

/// Numbered patterns that describe elements. The pattern of an element is its start tag. If it has neither class nor
/// id, the pattern is its start tag as a child of its parent's start tag.
pub(super) struct Names<'s> {
    pub kinds: &'s Kinds<'s>,
    pub patterns: Vec<ElementPattern>,
    numbers: FxHashMap<ElementPattern, usize>,
    /// The number of an element's pattern, by the shapes (start tags) of the element's parent and of the element.
    /// Several such pairs may have the same pattern.
    of_shapes: FxHashMap<(Option<ShapeId>, ShapeId), usize>,
}

impl<'s> Names<'s> {
    pub(super) fn new(kinds: &'s Kinds<'s>) -> Self {
        Self { kinds, patterns: Vec::new(), numbers: FxHashMap::default(), of_shapes: FxHashMap::default() }
    }

    /// The number of the pattern for an element; None if the pattern would match any element with the same tag.
    pub(super) fn of(&mut self, page: &PageModel, node: &Node) -> Option<usize> {
        let parent = match self.kinds.is_marked(node.shape) {
            true => None,
            false => Some(page.nodes[node.parent? as usize].shape),
        };
        if self.kinds.is_unnamed(node.shape) || parent.is_some_and(|parent| self.kinds.is_unnamed(parent)) {
            return None;
        }
        let key = (parent, node.shape);
        if let Some(known) = self.of_shapes.get(&key) {
            return Some(*known);
        }
        let number = self.number(&self.kinds.pattern(parent, node.shape));
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
}
