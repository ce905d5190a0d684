//! Parses the attributes of a start tag from its source, when they are requested. It follows the attribute states of
//! the WHATWG tokenizer.
//!
//! Our tokenizer also uses [`Attributes`] to find the end of a tag, so only this code decides where a tag ends.
//! Names and values are slices of the page; character references are decoded when a value is requested.

use std::borrow::Cow;

use memchr::memchr;

use crate::text::swar::{self, below, equal, find, first_eight, first_of, lower};

/// The most bytes of a tag that are read to find its names and roles. A tag may be read again for each element inside
/// it. Without this limit, a tag as long as the page would take quadratic time.
const MAX_AGAIN: usize = 4 << 10;

/// An attribute as written in the page.
///
/// ```
/// use goldminer_html::{Page, Tag};
///
/// let page = Page::parse("<a HREF='/a&amp;b'>".to_owned());
/// let link = page.elements_of(Tag::A).next().unwrap();
/// let href = page.attributes(link).find(|attribute| attribute.is("href")).unwrap();
/// assert_eq!((href.raw_value, &*href.value()), ("/a&amp;b", "/a&b"));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Attribute<'a> {
    /// The name as written, in upper or lower case.
    pub name: &'a str,
    /// The value as written: without its quotes, not decoded, and empty if there is none.
    pub raw_value: &'a str,
}

impl<'a> Attribute<'a> {
    /// Whether the attribute has this name, given in lower case.
    #[inline]
    pub fn is(&self, name: &str) -> bool {
        self.name.len() == name.len() && (self.name == name || self.name.eq_ignore_ascii_case(name))
    }

    /// The value with character references decoded.
    pub fn value(&self) -> Cow<'a, str> {
        value(self.raw_value)
    }
}

/// Decodes an attribute's raw value.
pub(super) fn value(raw: &str) -> Cow<'_, str> {
    if memchr::memchr3(b'&', b'\r', 0, raw.as_bytes()).is_none() {
        return Cow::Borrowed(raw);
    }
    match newlines_normalised(raw) {
        Cow::Borrowed(value) => decode(value),
        Cow::Owned(value) => Cow::Owned(decode(&value).into_owned()),
    }
}

/// The end of a tag, and what was found in the tag.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct TagEnd {
    /// The position after its `>`.
    pub at: usize,
    /// Whether it ends in `/>`.
    pub self_closing: bool,
    /// Whether it has attributes that later steps need.
    pub flags: AttributeFlags,
    /// The positions of its class, id and href.
    pub spans: AttributeSpans,
}

/// The positions of a tag's class, id and href. The tokenizer finds them anyway, and later steps often need them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct AttributeSpans {
    pub class: ValueSpan,
    pub id: ValueSpan,
    href: ValueSpan,
    /// Whether the tag has a `rel` attribute.
    pub rel: bool,
    /// Whether the attributes must be read again to know all [`Marks`](super::Marks). This is so if the tag has a
    /// `role`, `itemprop` or `property`, has one of the stored attributes twice, or is so long that a position does not
    /// fit in 16 bits.
    pub is_partial: bool,
}

/// The start and length in bytes of an attribute's value. The start is counted from the end of the tag's name; it is 0
/// if the tag does not have the attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct ValueSpan {
    from: u16,
    length: u16,
}

impl AttributeSpans {
    /// The value for a tag whose positions were not recorded.
    pub(super) const UNKNOWN: Self =
        Self { class: ValueSpan::NONE, id: ValueSpan::NONE, href: ValueSpan::NONE, rel: true, is_partial: true };

    /// The value of an attribute as written, if its position was recorded. `Some(None)` if the tag does not have the
    /// attribute; None if the tag must be read again to know. `behind` returns the page's text after the tag's name.
    #[inline]
    pub(super) fn known<'p>(self, name: &str, behind: impl FnOnce() -> &'p str) -> Option<Option<&'p str>> {
        let place = match name {
            _ if self.is_partial => return None,
            "class" => self.class,
            "id" => self.id,
            "href" => self.href,
            _ => return None,
        };
        Some(place.of(behind()))
    }
}

impl ValueSpan {
    const NONE: Self = Self { from: 0, length: 0 };

    /// The value as written, or None if the tag does not have the attribute. `behind` is the page's text after the tag's
    /// name.
    #[inline]
    pub(super) fn of(self, behind: &str) -> Option<&str> {
        let from = usize::from(self.from);
        (from > 0).then(|| &behind[from..from + usize::from(self.length)])
    }

    /// Records the position of a value. Returns false if the position is too large, or if the attribute has occurred
    /// before in the tag.
    #[inline]
    fn note(&mut self, name_end: usize, value: usize, length: usize) -> bool {
        match (self.from, u16::try_from(value - name_end), u16::try_from(length)) {
            (0, Ok(from), Ok(length)) => {
                *self = Self { from, length };
                true
            }
            _ => false,
        }
    }
}

/// Whether a tag has attributes that later steps need. Tags without them need not be read again.
///
/// ```
/// use goldminer_html::{TokenKind, Tokens};
///
/// let token = Tokens::new("<a href=/>").next().unwrap();
/// assert!(matches!(token.kind, TokenKind::StartTag { flags, .. } if flags.href && !flags.marks));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct AttributeFlags {
    /// It has `class`, `id`, `role` or `itemprop` (see [`Marks`](super::Marks)).
    pub marks: bool,
    /// It has `href`, and may be a link.
    pub href: bool,
    /// It has `hidden`, `aria-hidden` or `aria-modal`, or a style or class that may hide it.
    pub hides: bool,
}

impl AttributeFlags {
    /// Records an attribute, given by the start and end of its name and of its value. The tag's name ends at
    /// `tag_name_end`.
    #[inline]
    fn add(
        &mut self,
        spans: &mut AttributeSpans,
        bytes: &[u8],
        tag_name_end: usize,
        [name, name_end, value_at, value_end]: [usize; 4],
    ) {
        let (length, value) = (name_end - name, &bytes[value_at..value_end]);
        let key = lower(first_of(first_eight(&bytes[name..]), length));
        let is = |known: &[u8; 8]| key == u64::from_le_bytes(*known);
        match length {
            2 if is(b"id\0\0\0\0\0\0") => {
                self.marks = true;
                spans.is_partial |= !spans.id.note(tag_name_end, value_at, value.len());
            }
            3 => spans.rel |= is(b"rel\0\0\0\0\0"),
            4 if is(b"href\0\0\0\0") => {
                self.href = true;
                spans.is_partial |= !spans.href.note(tag_name_end, value_at, value.len());
            }
            4 => {
                let is_role = is(b"role\0\0\0\0");
                self.marks |= is_role;
                spans.is_partial |= is_role;
            }
            5 => {
                if is(b"class\0\0\0") {
                    self.marks = true;
                    spans.is_partial |= !spans.class.note(tag_name_end, value_at, value.len());
                    self.hides |= value.len() >= 4 && may_name_unseen(value);
                } else if is(b"style\0\0\0") {
                    // Nearly all styles that hide something contain one of these characters, as in `display`.
                    self.hides |= memchr::memchr3(b'y', b'Y', b'-', value).is_some();
                }
            }
            6 => self.hides |= is(b"hidden\0\0"),
            10 => self.hides |= bytes[name..name_end].eq_ignore_ascii_case(b"aria-modal"),
            8 => {
                let is_itemprop = is(b"itemprop");
                self.marks |= is_itemprop;
                spans.is_partial |= is_itemprop || is(b"property");
            }
            11 => self.hides |= bytes[name..name_end].eq_ignore_ascii_case(b"aria-hidden"),
            _ => {}
        }
    }
}

/// Whether a class name may be one that style sheets hide. All such names contain `ly`, `r-tex`, `hid`, `d-none` or
/// `inv`.
#[inline]
fn may_name_unseen(class: &[u8]) -> bool {
    let may_be = |at: usize| match class[at] {
        b'y' => class[..at].ends_with(b"l"),
        b'x' => class[..at].ends_with(b"r-te"),
        b'd' => class[..at].ends_with(b"hi") || class[at..].starts_with(b"d-none"),
        _ => class[..at].ends_with(b"in"),
    };
    let mut at = 0;
    let marks = |eight| equal(eight, b'y') | equal(eight, b'x') | equal(eight, b'd') | equal(eight, b'v');
    while let Some(found) = swar::next(class, at, marks, |byte| matches!(byte, b'y' | b'x' | b'd' | b'v')) {
        if may_be(found) {
            return true;
        }
        at = found + 1;
    }
    false
}

/// Iterates over the attributes of a tag. An attribute that occurs twice is returned twice; browsers use the first.
///
/// ```
/// use goldminer_html::{Page, Tag};
///
/// let page = Page::parse("<p id=lead class='a b'>".to_owned());
/// let paragraph = page.elements_of(Tag::P).next().unwrap();
/// let names: Vec<&str> = page.attributes(paragraph).map(|attribute| attribute.name).collect();
/// assert_eq!(names, ["id", "class"]);
/// ```
#[derive(Debug, Clone)]
pub struct Attributes<'a> {
    text: &'a str,
    at: usize,
    self_closing: bool,
    complete: bool,
}

impl<'a> Attributes<'a> {
    /// Starts at `at`, the position in `text` after the tag's name.
    #[inline]
    pub fn from(text: &'a str, at: usize) -> Self {
        Self { text, at, self_closing: false, complete: false }
    }

    /// Like [`Self::from`], without the attributes that end more than [`MAX_AGAIN`] bytes after `at`.
    #[inline]
    pub(super) fn first(text: &'a str, at: usize) -> Self {
        Self::from(&text[..text.floor_char_boundary(at + MAX_AGAIN)], at)
    }

    /// Skips the remaining attributes and returns the end of the tag. None if the page ends inside the tag.
    #[inline]
    pub(super) fn end(mut self) -> Option<TagEnd> {
        let bytes = self.text.as_bytes();
        let (mut flags, mut spans, name_end) = (AttributeFlags::default(), AttributeSpans::default(), self.at);
        while let Some(attribute) = self.step() {
            flags.add(&mut spans, bytes, name_end, attribute);
        }
        self.complete.then_some(TagEnd { at: self.at, self_closing: self.self_closing, flags, spans })
    }

    /// The start and end of the next attribute's name, then of its raw value; None at the end of the tag.
    #[inline]
    fn step(&mut self) -> Option<[usize; 4]> {
        let bytes = self.text.as_bytes();
        let mut at = self.at;
        // Tokenizer states "before attribute name" and "self-closing start tag".
        let mut slash = false;
        let name = loop {
            match bytes.get(at)? {
                byte if byte.is_ascii_whitespace() => slash = false,
                b'/' => slash = true,
                b'>' => {
                    self.at = at + 1;
                    self.self_closing = slash;
                    self.complete = true;
                    self.text = "";
                    return None;
                }
                _ => break at,
            }
            at += 1;
        };
        // State "attribute name". A leading `=` belongs to the name.
        let ends = |eight| below(eight, 0x21) | equal(eight, b'/') | equal(eight, b'>') | equal(eight, b'=');
        let is_end = |byte: u8| byte.is_ascii_whitespace() || matches!(byte, b'/' | b'>' | b'=');
        at = swar::next(bytes, at + 1, ends, is_end)?;
        let name_end = at;
        // State "after attribute name".
        while bytes.get(at)?.is_ascii_whitespace() {
            at += 1;
        }
        if bytes[at] != b'=' {
            self.at = name_end;
            return Some([name, name_end, name_end, name_end]);
        }
        at += 1;
        while bytes.get(at)?.is_ascii_whitespace() {
            at += 1;
        }
        let (value, value_end) = match bytes[at] {
            quote @ (b'"' | b'\'') => {
                let length = find(quote, &bytes[at + 1..])?;
                self.at = at + 1 + length + 1;
                (at + 1, at + 1 + length)
            }
            _ => {
                let value = at;
                let ends = |eight| below(eight, 0x21) | equal(eight, b'>');
                let is_end = |byte: u8| byte.is_ascii_whitespace() || byte == b'>';
                at = swar::next(bytes, at, ends, is_end)?;
                self.at = at;
                (value, at)
            }
        };
        Some([name, name_end, value, value_end])
    }
}

impl<'a> Iterator for Attributes<'a> {
    type Item = Attribute<'a>;

    #[inline]
    fn next(&mut self) -> Option<Attribute<'a>> {
        let text = self.text;
        let [name, name_end, value, value_end] = self.step()?;
        Some(Attribute { name: &text[name..name_end], raw_value: &text[value..value_end] })
    }
}

fn decode(value: &str) -> Cow<'_, str> {
    match htmlize::unescape_attribute(value) {
        // The WHATWG tokenizer replaces NUL characters in a value.
        decoded if decoded.contains('\0') => Cow::Owned(decoded.replace('\0', "\u{fffd}")),
        decoded => decoded,
    }
}

/// Converts CRLF and CR to LF (HTML standard, "Preprocessing the input stream").
pub(super) fn newlines_normalised(text: &str) -> Cow<'_, str> {
    match memchr(b'\r', text.as_bytes()) {
        None => Cow::Borrowed(text),
        Some(_) => Cow::Owned(text.replace("\r\n", "\n").replace('\r', "\n")),
    }
}
