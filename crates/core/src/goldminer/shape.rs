//! Shapes: start tags with numbers and hashes blanked out, each kept once. Two elements of one shape are the same kind of
//! thing, on one page or on two.

use std::borrow::Cow;
use std::hash::{BuildHasher, Hasher};

use rustc_hash::{FxBuildHasher, FxHashMap, FxHasher};

use super::pattern::{Selector, generalised};
use super::vocabulary::Meaning;
use crate::page::{ElementId, Marks, Page, RawMarks, Tag};

/// The number of a [`Shape`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct ShapeId(u32);

/// A start tag, generalised.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Shape {
    /// The element's name.
    pub tag: Tag,
    /// Name, classes, id; exact.
    pub selector: Selector,
    /// The ARIA role.
    pub role: Option<String>,
    /// The microdata property.
    pub itemprop: Option<String>,
}

/// So many shapes, and bytes of their names, are told apart: some hundred times what a portal has. Beyond, elements are
/// known by their tags alone, and beyond as many more, not at all.
const MAX_SHAPES: usize = 50_000;
const MAX_BYTES: usize = 8 << 20;

/// All shapes seen so far, each once.
#[derive(Debug, Clone, Default)]
pub(super) struct Shapes {
    /// Whether nobody asks for their names: one page's shapes are only to be told apart.
    are_nameless: bool,
    /// Of the names in them.
    bytes: usize,
    shapes: Vec<Known>,
    /// By the hash of the shape.
    by_shape: FxHashMap<u64, ShapeId>,
    /// By the hash of what a start tag says literally: most come again so.
    by_source: FxHashMap<u64, ShapeId>,
}

/// A shape with what is asked of it most.
#[derive(Debug, Clone)]
struct Known {
    shape: Shape,
    is_marked: bool,
    meaning: Meaning,
}

impl Shapes {
    /// Shapes that have no names, for a page that is cut.
    pub(super) fn nameless() -> Self {
        Self { are_nameless: true, ..Self::default() }
    }

    /// What the start tag of an element looks like.
    pub(super) fn of(&mut self, page: &Page, element: ElementId) -> ShapeId {
        let raw = page.raw_marks(element);
        let source = source(page, element, &raw);
        if let Some(known) = self.by_source.get(&source) {
            return *known;
        }
        let is_full = self.shapes.len() >= MAX_SHAPES || self.bytes >= MAX_BYTES;
        let marks = if is_full { Marks::default() } else { raw.decoded() };
        let (shape, hash, is_marked) = match self.are_nameless {
            true => {
                let (hash, is_marked) = looks(page, element, &marks);
                (Shape::nameless(page.element(element).tag), hash, is_marked)
            }
            false => {
                let shape = Shape::of(page, element, &marks);
                let (hash, is_marked) = (FxBuildHasher.hash_one(&shape), shape.is_marked());
                (shape, hash, is_marked)
            }
        };
        if is_full && (self.shapes.len() >= 2 * MAX_SHAPES || self.bytes >= 2 * MAX_BYTES) {
            return self.by_shape.get(&hash).copied().unwrap_or(ShapeId(0));
        }
        let next = ShapeId(self.shapes.len() as u32);
        let id = *self.by_shape.entry(hash).or_insert(next);
        if id == next {
            self.bytes += shape.bytes();
            let meaning = Meaning::of(page.element(element).tag, &marks);
            self.shapes.push(Known { shape, is_marked, meaning });
        }
        if !is_full {
            self.by_source.insert(source, id);
        }
        id
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.shapes.len()
    }

    /// The shape of that number.
    pub(super) fn get(&self, id: ShapeId) -> &Shape {
        &self.shapes[id.0 as usize].shape
    }

    /// The name of its elements.
    pub(super) fn tag(&self, id: ShapeId) -> Tag {
        self.get(id).tag
    }

    /// Whether it has a class or an id.
    pub(super) fn is_marked(&self, id: ShapeId) -> bool {
        self.shapes[id.0 as usize].is_marked
    }

    /// What its names say.
    pub(super) fn meaning(&self, id: ShapeId) -> Meaning {
        self.shapes[id.0 as usize].meaning
    }
}

impl ShapeId {
    /// As an index.
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

impl Shape {
    fn nameless(tag: Tag) -> Self {
        Self { tag, selector: Selector::default(), role: None, itemprop: None }
    }

    fn of(page: &Page, element: ElementId, marks: &Marks<'_>) -> Self {
        let some = |value: &Option<Cow<'_, str>>| {
            value
                .as_deref()
                .map(str::trim)
                .filter(|value| !value.is_empty())
                .map(|value| generalised(value).into_owned())
        };
        let mut classes: Vec<String> = marks.classes().map(|class| generalised(class).into_owned()).collect();
        classes.sort_unstable();
        classes.dedup();
        let selector = Selector {
            tag: page.name(element).into_owned(),
            id: some(&marks.id),
            classes,
            exact: true,
            ..Selector::default()
        };
        Self { tag: page.element(element).tag, selector, role: some(&marks.role), itemprop: some(&marks.itemprop) }
    }

    /// Bytes of its names.
    fn bytes(&self) -> usize {
        let length = |name: &Option<String>| name.as_ref().map_or(0, String::len);
        let Selector { tag, id, classes, .. } = &self.selector;
        let classes: usize = classes.iter().map(|class| class.len() + size_of::<String>()).sum();
        tag.len() + length(id) + classes + length(&self.role) + length(&self.itemprop)
    }

    /// Whether it has a class or an id.
    pub(super) fn is_marked(&self) -> bool {
        self.selector.id.is_some() || !self.selector.classes.is_empty()
    }
}

/// The hash of what makes a [`Shape`], and whether that has a class or an id.
fn looks(page: &Page, element: ElementId, marks: &Marks<'_>) -> (u64, bool) {
    let mut hasher = FxHasher::default();
    hasher.write(page.name(element).as_bytes());
    let mut add = |kind: u8, value: &str| {
        hasher.write_u8(kind);
        hasher.write(generalised(value).as_bytes());
    };
    for (kind, value) in [(1, &marks.id), (2, &marks.role), (3, &marks.itemprop)] {
        if let Some(value) = value.as_deref().map(str::trim).filter(|value| !value.is_empty()) {
            add(kind, value);
        }
    }
    let mut classes: Vec<Cow<'_, str>> = marks.classes().map(generalised).collect();
    classes.sort_unstable();
    classes.dedup();
    classes.iter().for_each(|class| add(4, class));
    let is_marked = !classes.is_empty() || marks.id.as_deref().is_some_and(|id| !id.trim().is_empty());
    (hasher.finish(), is_marked)
}

/// The hash of the parts of a start tag that make its shape, as they are written.
fn source(page: &Page, element: ElementId, marks: &RawMarks<'_>) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(page.name(element).as_bytes());
    for (at, value) in (1..).zip(marks.values()) {
        if let Some(value) = value {
            hasher.write_u8(at);
            hasher.write(value.as_bytes());
        }
    }
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn shapes_without_names_are_told_apart_as_those_with_names_are(
            tags in proptest::collection::vec(
                "<(div|p|x-[ab])( class='[ab1]{0,2}( [ab1]{0,3})?')?( id=' ?[a1]{0,2}')?( role=[ab]?)?( itemprop='nav')?>", 1..12,
            ),
        ) {
            let page = Page::parse(tags.concat());
            let (mut named, mut nameless) = (Shapes::default(), Shapes::nameless());
            for id in page.ids() {
                let (with, without) = (named.of(&page, id), nameless.of(&page, id));
                proptest::prop_assert_eq!(with, without);
                proptest::prop_assert_eq!(named.tag(with), nameless.tag(without));
                proptest::prop_assert_eq!(named.is_marked(with), nameless.is_marked(without));
                proptest::prop_assert_eq!(named.meaning(with), nameless.meaning(without));
            }
        }
    }
}
