//! The data of elements and comments, which `outline` creates. An [`Element`] is the range of the page from a start tag
//! to its end tag. [`Marks`] are the attributes that show an element's purpose.

use std::borrow::Cow;

use crate::attributes::{self, AttributeSpans, Attributes};
use crate::tag::Tag;
use crate::tokens::Span;

/// The index of an element in [`super::Page::elements`].
///
/// ```
/// use goldminer_html::{Page, Tag};
///
/// let page = Page::parse("<div><p>It rained.</p></div>".to_owned());
/// let paragraph = page.elements_of(Tag::P).next().unwrap();
/// assert_eq!(page.elements()[paragraph.index()].tag, Tag::P);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ElementId(pub(crate) u32);

impl ElementId {
    /// The index in [`super::Page::elements`].
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// An element as written in the page. Positions are byte offsets: `start <= content <= close <= end`.
///
/// ```
/// use goldminer_html::{Page, Tag};
///
/// let page = Page::parse("<div><p>It rained.</p></div>".to_owned());
/// let paragraph = page.element(page.elements_of(Tag::P).next().unwrap());
/// assert_eq!(&page.text()[paragraph.content as usize..paragraph.close as usize], "It rained.");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Element {
    /// The tag name.
    pub tag: Tag,
    /// Whether the element is a list item (`li`, `dt`, `dd`) or inside one.
    pub in_item: bool,
    /// Whether it has any [`Marks`].
    pub is_marked: bool,
    /// Whether an attribute may hide it.
    pub(super) may_hide: bool,
    /// The number of its ancestors, at most 511.
    pub depth: u16,
    /// The number of bytes in its name.
    pub(super) name_length: u16,
    /// The positions of its class, id and href.
    pub(super) spans: AttributeSpans,
    /// The parent element.
    pub parent: Option<ElementId>,
    /// The start of its start tag.
    pub start: u32,
    /// The start of its content, just after its start tag.
    pub content: u32,
    /// The start of its end tag. Without an end tag, this is where the element ends.
    pub close: u32,
    /// The end of its end tag. Without an end tag, this equals `close`.
    pub end: u32,
    /// The index of the first later element that is not inside this one. All elements in between are its descendants.
    pub subtree_end: u32,
}

impl Element {
    /// The range from its start tag to its end tag, both included.
    #[inline]
    pub fn span(&self) -> Span {
        Span { start: self.start, end: self.end }
    }

    #[inline]
    pub(super) fn name_span(&self) -> Span {
        Span { start: self.start + 1, end: self.start + 1 + u32::from(self.name_length) }
    }
}

/// An HTML comment. Some portals mark the ends of articles with comments, for example `<!-- / story-body -->`.
///
/// ```
/// use goldminer_html::Page;
///
/// let page = Page::parse("<p>It rained.</p><!-- / story-body -->".to_owned());
/// assert_eq!(&page.text()[page.comments()[0].data.range()], " / story-body ");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Comment {
    /// The comment with its delimiters.
    pub span: Span,
    /// The text without delimiters.
    pub data: Span,
    /// The innermost element that contains it.
    pub element: Option<ElementId>,
}

/// The attributes that show the purpose of an element: id, classes, ARIA role, microdata property.
///
/// ```
/// use goldminer_html::{Page, Tag};
///
/// let page = Page::parse("<div class='story lead' role=main>".to_owned());
/// let marks = page.marks(page.elements_of(Tag::Div).next().unwrap());
/// assert_eq!((marks.classes().collect::<Vec<_>>(), marks.role.as_deref()), (vec!["story", "lead"], Some("main")));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Marks<'a> {
    /// The `id`.
    pub id: Option<Cow<'a, str>>,
    /// The whole `class` attribute.
    pub class: Option<Cow<'a, str>>,
    /// The ARIA role.
    pub role: Option<Cow<'a, str>>,
    /// The microdata property.
    pub itemprop: Option<Cow<'a, str>>,
}

/// The attributes of [`Marks`] as written in the page, not decoded.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RawMarks<'a> {
    pub(super) id: Option<&'a str>,
    pub(super) class: Option<&'a str>,
    pub(super) role: Option<&'a str>,
    pub(super) itemprop: Option<&'a str>,
}

impl<'a> RawMarks<'a> {
    pub(super) fn of(attributes: Attributes<'a>) -> Self {
        let mut marks = Self::default();
        for attribute in attributes {
            let slot = match attribute.name.len() {
                2 if attribute.is("id") => &mut marks.id,
                4 if attribute.is("role") => &mut marks.role,
                5 if attribute.is("class") => &mut marks.class,
                8 if attribute.is("itemprop") => &mut marks.itemprop,
                _ => continue,
            };
            *slot = slot.or(Some(attribute.raw_value));
        }
        marks
    }

    /// The values of id, class, role and itemprop, in this order.
    #[inline]
    pub fn values(&self) -> [Option<&'a str>; 4] {
        [self.id, self.class, self.role, self.itemprop]
    }

    /// The decoded values.
    pub fn decoded(&self) -> Marks<'a> {
        let value = |mark: Option<&'a str>| mark.map(attributes::value);
        Marks { id: value(self.id), class: value(self.class), role: value(self.role), itemprop: value(self.itemprop) }
    }
}

impl Marks<'_> {
    /// The single classes, as written.
    #[inline]
    pub fn classes(&self) -> impl Iterator<Item = &str> {
        self.class.iter().flat_map(|class| class.split_ascii_whitespace())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Page;

    #[test]
    fn the_class_and_id_after_a_long_attribute_are_known() {
        let page = Page::parse(format!("<p title='{}' class=a id=b role=note>It rained.", "long ".repeat(2_000)));
        let marks = page.marks(page.ids().next().unwrap());
        assert_eq!((marks.class.as_deref(), marks.id.as_deref()), (Some("a"), Some("b")));
        assert_eq!(marks.role, None);
    }

    proptest! {
        #[test]
        fn recorded_names_equal_those_read_from_the_tag_again(
            attributes in prop::collection::vec(
                prop::sample::select(vec![
                    "class", "class=", "class='a b'", "CLASS=c", "class=\"é y\"", "id=i", "id", "Id = 'k'", "role=main",
                    "itemprop=name", "hidden", "data-class=d", "href=/", "HREF='a b'", "href", "rel=next", "=", "/",
                ]),
                0..6,
            ),
            far in 0..2_usize,
        ) {
            let title = format!(" title='{}'", "long ".repeat(far * 14_000));
            let page = Page::parse(format!("<p{title} {}>It rained.", attributes.join(" ")));
            let paragraph = page.ids().next().unwrap();
            prop_assert_eq!(page.raw_marks(paragraph), RawMarks::of(Attributes::first(page.text(), 2)));
            let read = |name| page.attributes(paragraph).find(|attribute| attribute.is(name));
            for name in ["class", "id", "href", "role", "hidden"] {
                let value = read(name).map(|attribute| attribute.raw_value);
                prop_assert_eq!(page.raw_attribute(paragraph, name), value, "{}", name);
            }
            prop_assert!(page.may_have_relation(paragraph) || read("rel").is_none());
        }
    }

    #[test]
    fn an_element_with_a_huge_tag_name_has_its_attributes() {
        for letter in ["y", "é", "漢"] {
            let page = Page::parse(format!("<x-{} class=a>It rained.", letter.repeat(70_000)));
            let element = page.ids().next().unwrap();
            assert_eq!(page.marks(element).class, None, "{letter}");
            assert_eq!(page.attribute(element, "class").as_deref(), Some("a"), "{letter}");
            assert!(page.name(element).starts_with(&format!("x-{letter}")));
            assert!(page.path(element).len() > 60_000);
        }
    }
}
