//! Which elements a template drops: what is mostly boilerplate over the sample.

use super::super::pattern::ElementPattern;
use super::super::shape::Shapes;
use super::super::sketch::Node;
use crate::page::Page;

/// Which shapes a template drops, each decided once.
pub(super) struct Drops<'t> {
    patterns: &'t [ElementPattern],
    /// By shape; only where all patterns look at the element alone.
    decided: Vec<Option<bool>>,
}

impl<'t> Drops<'t> {
    pub fn new(patterns: &'t [ElementPattern], shapes: &Shapes) -> Self {
        let are_simple = patterns.iter().all(ElementPattern::is_decided_by_shape);
        Self { patterns, decided: if are_simple { vec![None; shapes.len()] } else { Vec::new() } }
    }

    pub fn apply(&mut self, page: &Page, node: &Node) -> bool {
        let matches = || self.patterns.iter().any(|pattern| pattern.matches(page, node.element));
        match self.decided.get_mut(node.shape.index()) {
            Some(decided) => *decided.get_or_insert_with(matches),
            None => matches(),
        }
    }
}
