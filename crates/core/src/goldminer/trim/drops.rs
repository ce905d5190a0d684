//! Finds the elements that a template drops. To save time, patterns are compared only once with each shape (start tag)
//! of the page.

use goldminer_html::Page;

use super::super::page_model::Node;
use super::super::pattern::{ElementPattern, Selector};
use crate::goldminer::pattern::shape::Shapes;

/// The patterns of the elements that a template drops, and for each shape (start tag) the patterns that may match it.
/// An element is compared only with those of its shape.
pub(super) struct Drops<'t> {
    patterns: &'t [ElementPattern],
    shapes: &'t Shapes,
    /// For each shape that was met, the patterns that may match its elements; mostly none.
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
            // Elements of one shape may differ in numbers, so a pattern with digits must be compared with each of
            // them.
            let may_match = |own: &Selector| (varies && own.has_digits()) || own.matches_marks(&marks);
            let patterns = self.patterns.iter();
            patterns.filter(|pattern| pattern.last().matches_name(&name) && may_match(pattern.last())).collect()
        };
        let patterns: &Vec<_> = self.by_shape[node.shape.index()].get_or_insert_with(may_match);
        patterns.iter().any(|pattern| pattern.matches(page, node.element))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::goldminer::page_model::PageModel;
    use crate::justext::Class;

    proptest! {
        #[test]
        fn patterns_drop_the_same_elements_by_shape_and_one_by_one(
            elements in prop::collection::vec(
                prop::sample::select(vec![
                    "<div class=box>", "<div class=post-1>", "<div class=post-2>", "<div class='post-2 wide'>", "<p>",
                    "<p class=cap>", "<div class=c3f9>", "<div class=c9cf4>", "</div>", "text ",
                ]),
                1..20,
            ),
            patterns in prop::collection::vec(
                prop::sample::select(vec![
                    "div.box", "div.post-1", "div.post-*", "div.post-2 > p", "div.box > p:exact", "p.cap",
                    "div.post-*:exact", "div.c3f9:exact", "div.c*f*:exact",
                    "* > div:exact",
                ]),
                0..4,
            ),
        ) {
            let page = Page::parse(format!("{}end", elements.concat()));
            let patterns: Vec<ElementPattern> = patterns.iter().map(|pattern| pattern.parse().unwrap()).collect();
            let mut shapes = Shapes::default();
            let model = PageModel::of_page(&page, None, &vec![Class::Good; page.paragraphs().len()], &mut shapes);
            let mut drops = Drops::new(&patterns, &shapes);
            for node in &model.nodes {
                let expected = patterns.iter().any(|pattern| pattern.matches(&page, node.element));
                prop_assert_eq!(drops.apply(&page, node), expected, "{}", page.start_tag(node.element));
            }
        }
    }
}
