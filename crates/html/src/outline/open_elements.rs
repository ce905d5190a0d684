//! The stack of open elements. It knows which elements a start tag ends (pages omit many end tags), and which element
//! an end tag closes.
//!
//! The rules are from the HTML standard, "The rules for parsing tokens in HTML content", without its repairs. The stack
//! only returns positions; `outline` closes the elements. A search takes at most [`MAX_DEPTH`] steps, or none at all if
//! no such element is open.

use crate::element::ElementId;
use crate::tag::Tag;

/// The most elements on the stack, as in browsers.
pub(crate) const MAX_DEPTH: usize = 512;

/// The effect of an element on paragraphs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effect {
    /// The element's text is part of the current paragraph.
    Inline,
    /// Like `Inline`, but white space separates the element from other text.
    Apart,
    /// A paragraph ends at the element's start tag, and another at its end tag.
    Block,
    /// The element's content is skipped.
    Hidden,
    /// The element's tags are ignored.
    Transparent,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct OpenElement {
    pub id: ElementId,
    pub tag: Tag,
    pub effect: Effect,
    /// The level (1 to 6) if it is a heading.
    pub heading: Option<u8>,
    /// Whether its content is read by the rules for `svg` and `math`.
    pub foreign: bool,
    /// The hash of its name (see [`name_hash`]) if it is [`Tag::Other`]; otherwise 0.
    pub name_hash: u64,
}

/// The hash of a tag name, which tells the names of [`Tag::Other`] apart. Case does not matter; only the first 64 bytes
/// count.
pub(crate) fn name_hash(name: &str) -> u64 {
    let mut lower = [0; 64];
    let length = name.len().min(lower.len());
    lower[..length].copy_from_slice(&name.as_bytes()[..length]);
    lower[..length].make_ascii_lowercase();
    xxhash_rust::xxh3::xxh3_64(&lower[..length])
}

/// The open elements, from the outermost to the innermost.
#[derive(Debug)]
pub(crate) struct OpenElements {
    stack: Vec<OpenElement>,
    /// The number of open elements of each name.
    counts: [u16; Tag::Other as usize + 1],
}

impl Default for OpenElements {
    fn default() -> Self {
        Self { stack: Vec::with_capacity(64), counts: [0; Tag::Other as usize + 1] }
    }
}

impl OpenElements {
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.stack.len()
    }

    #[inline]
    pub(crate) fn at(&self, index: usize) -> Option<&OpenElement> {
        self.stack.get(index)
    }

    #[inline]
    pub(crate) fn innermost(&self) -> Option<&OpenElement> {
        self.stack.last()
    }

    #[inline]
    pub(crate) fn has(&self, tag: Tag) -> bool {
        self.counts[tag as usize] > 0
    }

    #[inline]
    pub(crate) fn push(&mut self, open: OpenElement) {
        self.counts[open.tag as usize] += 1;
        self.stack.push(open);
    }

    #[inline]
    pub(crate) fn pop(&mut self) -> Option<OpenElement> {
        let open = self.stack.pop()?;
        self.counts[open.tag as usize] -= 1;
        Some(open)
    }

    /// The level (1 to 6) of the innermost open heading, or None.
    pub(crate) fn heading_level(&self) -> Option<u8> {
        self.stack.iter().rev().find_map(|open| open.heading)
    }

    /// The innermost open heading, or None.
    pub(crate) fn heading(&self) -> Option<ElementId> {
        self.stack.iter().rev().find(|open| open.heading.is_some()).map(|open| open.id)
    }

    /// The position of an open element that a start tag ends. None if there is none. The caller must close this element
    /// and all elements inside it, and then call again until None: `<li>` first ends a `p`, then the list item around
    /// it.
    pub(crate) fn ended_by(&self, tag: Tag) -> Option<usize> {
        let innermost = self.innermost()?.tag;
        if innermost == Tag::Head && !tag.is_metadata() {
            return Some(self.len() - 1);
        }
        if tag.closes_p()
            && let Some(index) = self.nearest(|t| t == Tag::P, |t| t.is_scope() || t == Tag::Button, &[Tag::P])
        {
            return Some(index);
        }
        let beyond_item = |t: Tag| t.is_special() && !matches!(t, Tag::Address | Tag::Div | Tag::P);
        match tag {
            Tag::Li => self.nearest(|t| t == Tag::Li, beyond_item, &[Tag::Li]),
            Tag::Dd | Tag::Dt => self.nearest(|t| matches!(t, Tag::Dd | Tag::Dt), beyond_item, &[Tag::Dd, Tag::Dt]),
            Tag::A => self.nearest(|t| t == Tag::A, Tag::is_special, &[Tag::A]),
            Tag::Button => self.nearest(|t| t == Tag::Button, Tag::is_scope, &[Tag::Button]),
            Tag::Rb | Tag::Rtc => matches!(innermost, Tag::Rb | Tag::Rp | Tag::Rt | Tag::Rtc).then(|| self.len() - 1),
            Tag::Rp | Tag::Rt => matches!(innermost, Tag::Rb | Tag::Rp | Tag::Rt).then(|| self.len() - 1),
            Tag::Option => (innermost == Tag::Option).then(|| self.len() - 1),
            Tag::Optgroup => matches!(innermost, Tag::Option | Tag::Optgroup).then(|| self.len() - 1),
            _ if tag.heading_level().is_some() => innermost.heading_level().map(|_| self.len() - 1),
            Tag::Td | Tag::Th => self.inside_of(|t| is_table_part(t) || t == Tag::Tr),
            Tag::Tr => self.inside_of(is_table_part),
            Tag::Col => self.inside_of(|t| matches!(t, Tag::Table | Tag::Colgroup)),
            Tag::Tbody | Tag::Thead | Tag::Tfoot | Tag::Caption | Tag::Colgroup => self.inside_of(|t| t == Tag::Table),
            _ => None,
        }
    }

    /// The position of the element that an end tag closes, or None. `name_hash` is only used for [`Tag::Other`].
    pub(crate) fn closed_by(&self, tag: Tag, name_hash: u64) -> Option<usize> {
        let is_heading = tag.heading_level().is_some();
        if !self.has(tag) && !is_heading {
            return None;
        }
        let closes = |open: &OpenElement| match tag {
            Tag::Other => open.tag == tag && open.name_hash == name_hash,
            _ => open.tag == tag || (is_heading && open.tag.heading_level().is_some()),
        };
        let is_barrier = |open: &OpenElement| match tag {
            Tag::Table | Tag::Tbody | Tag::Thead | Tag::Tfoot | Tag::Tr | Tag::Td | Tag::Th | Tag::Caption => {
                matches!(open.tag, Tag::Table | Tag::Template)
            }
            Tag::Li => open.tag.is_scope() || matches!(open.tag, Tag::Ul | Tag::Ol),
            Tag::P => open.tag.is_scope() || open.tag == Tag::Button,
            Tag::Template => false,
            _ if tag.is_special() => open.tag.is_scope(),
            _ => open.tag.is_special(),
        };
        let index = self.stack.iter().rposition(|open| closes(open) || is_barrier(open))?;
        closes(&self.stack[index]).then_some(index)
    }

    /// The position of the innermost `wanted` element, unless there is a `barrier` inside it. `names` are all tags that
    /// can be `wanted`.
    fn nearest(&self, wanted: impl Fn(Tag) -> bool, barrier: impl Fn(Tag) -> bool, names: &[Tag]) -> Option<usize> {
        if !names.iter().any(|name| self.has(*name)) {
            return None;
        }
        let index = self.stack.iter().rposition(|open| wanted(open.tag) || barrier(open.tag))?;
        wanted(self.stack[index].tag).then_some(index)
    }

    /// The position of the open child of the innermost `parent`, or None.
    fn inside_of(&self, parent: impl Fn(Tag) -> bool) -> Option<usize> {
        if !self.has(Tag::Table) && !self.has(Tag::Tr) {
            return None;
        }
        let index = self.stack.iter().rposition(|open| parent(open.tag) || open.tag == Tag::Template)?;
        (self.stack[index].tag != Tag::Template && index + 1 < self.len()).then_some(index + 1)
    }
}

fn is_table_part(tag: Tag) -> bool {
    matches!(tag, Tag::Table | Tag::Tbody | Tag::Thead | Tag::Tfoot)
}
