//! Which elements a template drops: its patterns, asked once for each shape of the page.

use goldminer_html::{ElementId, Page};

use super::super::page_model::Node;
use super::super::pattern::ElementPattern;
use super::super::shape::Shapes;

/// Which shapes a template drops: each is asked about once, and its elements by themselves only where their parents or
/// their numbers matter.
pub(super) struct Drops<'t> {
    patterns: &'t [ElementPattern],
    shapes: &'t Shapes,
    by_shape: Vec<Option<ByShape<'t>>>,
}

/// What patterns say of all elements of a shape.
enum ByShape<'t> {
    Dropped,
    /// Those that these match; mostly there are none.
    Some(Vec<&'t ElementPattern>),
}

impl<'t> Drops<'t> {
    pub(super) fn new(patterns: &'t [ElementPattern], shapes: &'t Shapes) -> Self {
        Self { patterns, shapes, by_shape: (0..shapes.len()).map(|_| None).collect() }
    }

    pub(super) fn apply(&mut self, page: &Page, node: &Node) -> bool {
        if self.patterns.is_empty() {
            return false;
        }
        let by_shape = &mut self.by_shape[node.shape.index()];
        let varies = || self.shapes.get(node.shape).varies();
        match by_shape.get_or_insert_with(|| ByShape::of(self.patterns, page, node.element, varies())) {
            ByShape::Dropped => true,
            ByShape::Some(patterns) => patterns.iter().any(|pattern| pattern.matches(page, node.element)),
        }
    }
}

impl<'t> ByShape<'t> {
    /// `element` is any of the shape, whose elements may differ in numbers if it `varies`.
    fn of(patterns: &'t [ElementPattern], page: &Page, element: ElementId, varies: bool) -> Self {
        let (name, marks) = (page.name(element), page.marks(element));
        let is_open = |pattern: &ElementPattern| varies && pattern.last().has_digits();
        let may_match = |pattern: &&ElementPattern| {
            let own = pattern.last();
            own.matches_name(&name) && (is_open(pattern) || own.matches_marks(&marks))
        };
        let patterns: Vec<&ElementPattern> = patterns.iter().filter(may_match).collect();
        match patterns.iter().any(|pattern| pattern.steps().len() == 1 && !is_open(pattern)) {
            true => Self::Dropped,
            false => Self::Some(patterns),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::super::page_model::PageModel;
    use super::*;
    use crate::justext::Class;

    proptest! {
        #[test]
        fn what_a_shape_s_patterns_drop_is_what_each_element_s_drop(
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
