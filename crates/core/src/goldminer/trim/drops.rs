//! Which elements a template drops: its patterns, asked once for each shape of the page.

use goldminer_html::Page;

use super::super::page_model::Node;
use super::super::pattern::{ElementPattern, Selector};
use crate::goldminer::pattern::shape::Shapes;

/// Which shapes a template drops: each is asked about once, and its elements by the patterns that are left.
pub(super) struct Drops<'t> {
    patterns: &'t [ElementPattern],
    shapes: &'t Shapes,
    /// By shape: the patterns that may match its elements; mostly there are none.
    by_shape: Vec<Option<Vec<&'t ElementPattern>>>,
}

impl<'t> Drops<'t> {
    pub(super) fn new(patterns: &'t [ElementPattern], shapes: &'t Shapes) -> Self {
        Self { patterns, shapes, by_shape: vec![None; shapes.len()] }
    }

    pub(super) fn apply(&mut self, page: &Page, node: &Node) -> bool {
        if self.patterns.is_empty() {
            return false;
        }
        let may_match = || {
            let (name, marks) = (page.name(node.element), page.marks(node.element));
            let varies = self.shapes.get(node.shape).varies();
            // Elements of a shape may differ in numbers.
            let may_match = |own: &Selector| (varies && own.has_digits()) || own.matches_marks(&marks);
            let patterns = self.patterns.iter();
            patterns.filter(|pattern| pattern.last().matches_name(&name) && may_match(pattern.last())).collect()
        };
        let patterns: &Vec<_> = self.by_shape[node.shape.index()].get_or_insert_with(may_match);
        patterns.iter().any(|pattern| pattern.matches(page, node.element))
    }
}
