//! Makes patterns for the elements around a block, from specific to general: first with id, classes, role and itemprop
//! of the element and its parent, then of the element alone. Numbers in names differ from page to page, so each is
//! replaced by `*`.

use std::collections::HashSet;

use goldminer_core::goldminer::pattern::{ElementPattern, Selector};
use goldminer_html::{ElementId, Page};

/// The most elements inside a block for which patterns are made. A block may contain several: it may be a line with an
/// author and a date.
const INSIDE: usize = 12;

/// Patterns for an element and those around it, from the innermost to the outermost; for each element, the most
/// specific pattern first.
pub(super) fn around(page: &Page, element: ElementId) -> Vec<ElementPattern> {
    let is_whole = |id: &ElementId| !matches!(name(page, *id).as_str(), "html" | "body");
    let elements = page.ancestors_and_self(element).take_while(is_whole);
    distinct(elements.flat_map(|id| of_element(page, id)))
}

/// Patterns for the elements inside a block, then those of [`around`]. The last one is the block's tag without names.
pub(super) fn of_line(page: &Page, element: ElementId) -> Vec<ElementPattern> {
    let first = element.index() + 1;
    let behind = page.element(element).subtree_end as usize;
    let inside = page.ids().filter(|id| (first..behind).contains(&id.index())).take(INSIDE);
    let plain = named(name(page, element));
    let inside: Vec<ElementPattern> = inside.flat_map(|id| of_element(page, id)).collect();
    distinct(inside.into_iter().chain(around(page, element)).chain([ElementPattern::of(plain)]))
}

fn distinct(patterns: impl Iterator<Item = ElementPattern>) -> Vec<ElementPattern> {
    let mut seen = HashSet::new();
    patterns.filter(|pattern| seen.insert(pattern.clone())).collect()
}

fn of_element(page: &Page, id: ElementId) -> Vec<ElementPattern> {
    let whole = selector(page, id);
    let names_something = |selector: &Selector| {
        selector.id.is_some() || !selector.classes.is_empty() || selector.role.is_some() || selector.itemprop.is_some()
    };
    let mut patterns = Vec::new();
    let parent = page.element(id).parent.map(|parent| selector(page, parent));
    if let Some(parent) = parent.filter(|parent| names_something(parent)) {
        patterns.push(ElementPattern::of(parent).child(whole.clone()));
    }
    if !names_something(&whole) {
        return patterns;
    }
    patterns.push(ElementPattern::of(whole.clone()));
    let mut by_one = |set: &dyn Fn(&mut Selector)| {
        let mut one = named(whole.tag.clone());
        set(&mut one);
        patterns.push(ElementPattern::of(one));
    };
    if whole.id.is_some() {
        by_one(&|one| one.id.clone_from(&whole.id));
    }
    for class in &whole.classes {
        by_one(&|one| one.classes = vec![class.clone()]);
    }
    if whole.itemprop.is_some() {
        by_one(&|one| one.itemprop.clone_from(&whole.itemprop));
    }
    patterns
}

fn selector(page: &Page, id: ElementId) -> Selector {
    let marks = page.marks(id);
    let mut selector = named(name(page, id));
    selector.id = marks.id.as_deref().and_then(without_numbers);
    selector.classes = marks.classes().filter_map(without_numbers).collect();
    selector.role = marks.role.as_deref().and_then(without_numbers);
    selector.itemprop = marks.itemprop.as_deref().and_then(without_numbers);
    selector
}

fn named(tag: String) -> Selector {
    let mut selector = Selector::default();
    selector.tag = tag;
    selector
}

fn name(page: &Page, id: ElementId) -> String {
    page.name(id).to_ascii_lowercase()
}

/// A name with `*` in place of each number; None if fewer than two letters are left, or other characters are in it.
fn without_numbers(name: &str) -> Option<String> {
    let mut plain = String::new();
    for c in name.trim().chars() {
        match c.is_numeric() {
            false => plain.push(c),
            true if !plain.ends_with('*') => plain.push('*'),
            true => {}
        }
    }
    let letters = plain.chars().filter(|c| c.is_alphabetic()).count();
    let is_name = |c: char| c.is_alphabetic() || matches!(c, '-' | '_' | '*');
    (letters >= 2 && plain.chars().all(is_name)).then_some(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn patterns(html: &str, of: fn(&Page, ElementId) -> Vec<ElementPattern>) -> Vec<String> {
        let page = Page::parse(html.to_owned());
        let element = page.paragraphs().last().unwrap().element.unwrap();
        of(&page, element).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn the_most_specific_pattern_is_first() {
        let html = "<div class='story s1' id=post-77><section><p class='lead 9 x:y'>Rain</p></section></div>";
        let expected = ["p.lead", "div#post-*.story > section", "div#post-*.story", "div#post-*", "div.story"];
        assert_eq!(patterns(html, around), expected);
    }

    #[test]
    fn elements_inside_a_line_come_first() {
        let html = "<h1>Rain</h1><div class=meta><span class=who>Anna</span> <span class=when>today</span></div>";
        let found = patterns(html, of_line);
        assert_eq!(found[..2], ["div.meta > span.who", "span.who"]);
        assert_eq!(found.last().unwrap(), "div");
        assert!(found.contains(&"div.meta".to_owned()));
    }
}
