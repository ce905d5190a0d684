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
    /// Of the names in them.
    bytes: usize,
    shapes: Vec<(Shape, Meaning)>,
    /// By the hash of the shape.
    by_shape: FxHashMap<u64, ShapeId>,
    /// By the hash of what a start tag says literally: most come again so.
    by_source: FxHashMap<u64, ShapeId>,
}

impl Shapes {
    /// With room for those of a page.
    pub(super) fn of_a_page() -> Self {
        let room = |shapes| FxHashMap::with_capacity_and_hasher(shapes, FxBuildHasher);
        Self { bytes: 0, shapes: Vec::with_capacity(128), by_shape: room(128), by_source: room(256) }
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
        let shape = Shape::of(page, element, &marks);
        let hash = FxBuildHasher.hash_one(&shape);
        if is_full && (self.shapes.len() >= 2 * MAX_SHAPES || self.bytes >= 2 * MAX_BYTES) {
            return self.by_shape.get(&hash).copied().unwrap_or(ShapeId(0));
        }
        let next = ShapeId(self.shapes.len() as u32);
        let id = *self.by_shape.entry(hash).or_insert(next);
        if id == next {
            self.bytes += shape.bytes();
            self.shapes.push((shape, Meaning::of(page.element(element).tag, &marks)));
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
        &self.shapes[id.0 as usize].0
    }

    /// What its names say.
    pub(super) fn meaning(&self, id: ShapeId) -> Meaning {
        self.shapes[id.0 as usize].1
    }
}

impl ShapeId {
    /// As an index.
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

impl Shape {
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
