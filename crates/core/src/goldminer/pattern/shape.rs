//! Shapes: start tags in which numbers are replaced by `*`. Each shape is stored once and has a number. Two elements
//! with the same shape are of the same kind, on one page or on two. A shape with hashes in its names also has a form
//! with the hashes replaced by `*`. The sample decides which form counts as the kind of an element (`learner::kinds`).

use std::borrow::Cow;
use std::hash::{BuildHasher, Hasher};

use goldminer_html::{ElementId, Marks, Page, RawMarks, Tag};
use rustc_hash::{FxBuildHasher, FxHashMap, FxHasher};

use super::Selector;
use super::names::{generalised, spelled};
use crate::goldminer::vocabulary::Meaning;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct ShapeId(u32);

/// A start tag with numbers, and in one form also hashes, replaced by `*`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Shape {
    /// The tag of the element.
    pub tag: Tag,
    /// Tag name, classes and id, as a selector that allows no other classes or ids.
    pub selector: Selector,
    /// The ARIA role.
    pub role: Option<String>,
    /// The microdata property.
    pub itemprop: Option<String>,
    /// Whether a hash in its names was replaced by `*`.
    pub is_blanked: bool,
    /// Whether it has a class or id with a meaning: more than a number or the `*` of a hash.
    pub is_marked: bool,
}

#[derive(Debug, Clone)]
struct Known {
    shape: Shape,
    meaning: Meaning,
    /// The number of the same shape with hashes replaced by `*`. If it has no hashes, its own number.
    blanked: ShapeId,
}

/// The most shapes, and the most bytes of their names, that are stored: about a hundred times what a portal has.
/// Beyond that, names are ignored and only tags differ. Beyond twice as many, new shapes are no longer stored.
const MAX_SHAPES: usize = 50_000;
const MAX_BYTES: usize = 8 << 20;

/// All shapes that were met so far, each once.
#[derive(Debug, Clone, Default)]
pub(crate) struct Shapes {
    /// The total length of the names in the shapes, in bytes.
    bytes: usize,
    /// Whether the shapes are those of one page. In this case, hashes are not replaced, because only a sample shows
    /// which ones to keep.
    is_of_a_page: bool,
    shapes: Vec<Known>,
    /// The number of each shape, by a hash of the shape.
    by_shape: FxHashMap<u64, ShapeId>,
    /// The number of each shape, by a hash of its literal start tag. Most start tags are repeated literally.
    by_source: FxHashMap<u64, ShapeId>,
}

impl Shapes {
    /// Creates an empty collection, with memory for the shapes of one page.
    pub(crate) fn of_a_page() -> Self {
        let room = |shapes| FxHashMap::with_capacity_and_hasher(shapes, FxBuildHasher);
        let shapes = Vec::with_capacity(128);
        Self { bytes: 0, is_of_a_page: true, shapes, by_shape: room(128), by_source: room(256) }
    }

    /// The number of the shape of an element's start tag.
    pub(crate) fn of(&mut self, page: &Page, element: ElementId) -> ShapeId {
        let raw = page.raw_marks(element);
        let source = source(page, element, &raw);
        if let Some(known) = self.by_source.get(&source) {
            return *known;
        }
        let is_full = self.shapes.len() >= MAX_SHAPES || self.bytes >= MAX_BYTES;
        let marks = if is_full { Marks::default() } else { raw.decoded() };
        let meaning = || Meaning::of(page.element(element).tag, &marks);
        if is_full && (self.shapes.len() >= 2 * MAX_SHAPES || self.bytes >= 2 * MAX_BYTES) {
            let shape = Shape::of(page, element, &marks, false);
            return self.by_shape.get(&FxBuildHasher.hash_one(&shape)).copied().unwrap_or(ShapeId(0));
        }
        let has_digits =
            |name: &Option<Cow<'_, str>>| name.as_ref().is_some_and(|name| name.bytes().any(|b| b.is_ascii_digit()));
        let may_be_blanked = !self.is_of_a_page && (has_digits(&marks.class) || has_digits(&marks.id));
        let blanked = may_be_blanked.then(|| Shape::of(page, element, &marks, true));
        let blanked = blanked.filter(|blanked| blanked.is_blanked).map(|blanked| self.intern(blanked, meaning, None));
        let id = self.intern(Shape::of(page, element, &marks, false), meaning, blanked);
        if !is_full {
            self.by_source.insert(source, id);
        }
        id
    }

    /// Stores a shape and returns its number. `meaning` is called only for a new shape, because start tags that differ
    /// only in numbers have the same meaning.
    fn intern(&mut self, shape: Shape, meaning: impl Fn() -> Meaning, blanked: Option<ShapeId>) -> ShapeId {
        let next = ShapeId(self.shapes.len() as u32);
        let id = *self.by_shape.entry(FxBuildHasher.hash_one(&shape)).or_insert(next);
        if id == next {
            self.bytes += shape.bytes();
            self.shapes.push(Known { shape, meaning: meaning(), blanked: blanked.unwrap_or(id) });
        }
        id
    }

    pub(crate) fn len(&self) -> usize {
        self.shapes.len()
    }

    pub(crate) fn ids(&self) -> impl Iterator<Item = ShapeId> + use<> {
        (0..self.shapes.len() as u32).map(ShapeId)
    }

    pub(crate) fn get(&self, id: ShapeId) -> &Shape {
        &self.shapes[id.index()].shape
    }

    /// The purpose that a shape's names suggest.
    pub(crate) fn meaning(&self, id: ShapeId) -> Meaning {
        self.shapes[id.index()].meaning
    }

    /// The same shape with the hashes in its names replaced by `*`.
    pub(crate) fn blanked(&self, id: ShapeId) -> ShapeId {
        self.shapes[id.index()].blanked
    }
}

impl ShapeId {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

impl Shape {
    fn of(page: &Page, element: ElementId, marks: &Marks<'_>, blanks_hashes: bool) -> Self {
        let written: fn(&str) -> Cow<'_, str> = if blanks_hashes { generalised } else { spelled };
        let (mut is_blanked, mut is_marked) = (false, false);
        let some = |value: &Option<Cow<'_, str>>| {
            let value = value.as_deref().map(str::trim).filter(|value| !value.is_empty())?;
            Some(written(value).into_owned())
        };
        let (role, itemprop) = (some(&marks.role), some(&marks.itemprop));
        let mut name = |name: &str| {
            let written = written(name);
            let is_hash = blanks_hashes && written != spelled(name);
            is_blanked |= is_hash;
            is_marked |= !is_hash;
            written.into_owned()
        };
        let mut classes: Vec<String> = marks.classes().map(&mut name).collect();
        classes.sort_unstable();
        classes.dedup();
        let id = marks.id.as_deref().map(str::trim).filter(|id| !id.is_empty()).map(name);
        let selector =
            Selector { tag: page.name(element).into_owned(), id, classes, exact: true, ..Selector::default() };
        Self { tag: page.element(element).tag, selector, role, itemprop, is_blanked, is_marked }
    }

    fn bytes(&self) -> usize {
        let length = |name: &Option<String>| name.as_ref().map_or(0, String::len);
        let Selector { tag, id, classes, .. } = &self.selector;
        let classes: usize = classes.iter().map(|class| class.len() + size_of::<String>()).sum();
        tag.len() + length(id) + classes + length(&self.role) + length(&self.itemprop)
    }

    /// Whether elements of this shape may differ in their names, because the shape contains `*`.
    pub(crate) fn varies(&self) -> bool {
        self.selector.id.iter().chain(&self.selector.classes).any(|name| name.contains('*'))
    }
}

/// Returns a hash of the literal parts of a start tag that determine its shape.
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
