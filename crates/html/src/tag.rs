//! The element names of HTML, in a table with the properties that `outline` needs.
//!
//! The tokenizer looks each name up once; later comparisons are of a single byte. A name that is not in the table is
//! [`Tag::Other`], which is treated as an inline element like `<span>`. The properties are from the HTML standard (void
//! and special elements, optional tags), and from jusText's `core.py` with lxml's cleaner (elements that jusText
//! removes or unwraps before it reads the text).

use crate::text::swar::{first_of, lower};

/// The element has no content and no end tag (HTML standard, "Void elements").
const VOID: u16 = 1;
/// The element is in the standard's category "special": an inline end tag inside it closes no element outside it.
const SPECIAL: u16 = 1 << 1;
/// The element stops a search for an open element around it (HTML standard, "has an element in scope").
const SCOPE: u16 = 1 << 2;
/// The element's start tag ends an open `p` (HTML standard, "Optional tags").
const CLOSES_P: u16 = 1 << 3;
/// The element splits paragraphs in jusText (`PARAGRAPH_TAGS`).
const BLOCK: u16 = 1 << 4;
/// The element splits paragraphs in browsers, but not in jusText.
const MORE_BLOCK: u16 = 1 << 5;
/// jusText removes the element with its content before it reads the text.
const KILLED: u16 = 1 << 6;
/// The element contains no text of an article: controls, embedded content, code, pronunciations in `ruby`.
const NO_TEXT: u16 = 1 << 7;
/// jusText removes the element's tags and keeps its content before it reads the text.
const UNWRAPPED: u16 = 1 << 8;
/// The element may be inside `head`: its start tag does not end the `head`.
const METADATA: u16 = 1 << 9;
/// The element's start tag ends an open `svg` or `math` (HTML standard, "The rules for parsing tokens in foreign
/// content").
const BREAKOUT: u16 = 1 << 10;
/// Browsers draw the element as a picture or control inside a line (HTML standard, "Replaced elements" and "Form
/// controls").
const DRAWN: u16 = 1 << 11;

macro_rules! tags {
    ($($variant:ident $name:literal $properties:expr;)*) => {
        /// The name of an element. [`Tag::name`] gives its spelling.
        ///
        /// ```
        /// use goldminer_html::Tag;
        ///
        /// assert_eq!(Tag::of(b"H2").heading_level(), Some(2));
        /// assert_eq!(Tag::of(b"my-element"), Tag::Other);
        /// ```
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[allow(missing_docs)] // The names explain themselves.
        #[repr(u8)]
        #[non_exhaustive]
        pub enum Tag { $($variant,)* Other }

        const TAGS: &[Tag] = &[$(Tag::$variant,)*];
        const NAMES: &[&str] = &[$($name,)*];
        const PROPERTIES: &[u16] = &[$($properties,)* 0];
    };
}

tags! {
    A "a" 0;
    Abbr "abbr" 0;
    Acronym "acronym" 0;
    Address "address" SPECIAL | CLOSES_P | MORE_BLOCK;
    AnnotationXml "annotation-xml" 0;
    Applet "applet" SPECIAL | SCOPE | KILLED | NO_TEXT;
    Area "area" VOID | SPECIAL;
    Article "article" SPECIAL | CLOSES_P | MORE_BLOCK;
    Aside "aside" SPECIAL | CLOSES_P | MORE_BLOCK;
    Audio "audio" NO_TEXT | DRAWN;
    B "b" BREAKOUT;
    Base "base" VOID | SPECIAL | METADATA | KILLED;
    Basefont "basefont" VOID | SPECIAL | METADATA;
    Bdi "bdi" 0;
    Bdo "bdo" 0;
    Bgsound "bgsound" VOID | SPECIAL | METADATA;
    Big "big" BREAKOUT;
    Blockquote "blockquote" SPECIAL | CLOSES_P | BLOCK | BREAKOUT;
    Body "body" SPECIAL | BLOCK | BREAKOUT;
    Br "br" VOID | SPECIAL | BREAKOUT;
    Button "button" SPECIAL | KILLED | NO_TEXT | DRAWN;
    Canvas "canvas" NO_TEXT | DRAWN;
    Caption "caption" SPECIAL | SCOPE | BLOCK;
    Center "center" SPECIAL | CLOSES_P | BLOCK | BREAKOUT;
    Cite "cite" 0;
    Code "code" BREAKOUT;
    Col "col" VOID | SPECIAL | BLOCK;
    Colgroup "colgroup" SPECIAL | BLOCK;
    Data "data" 0;
    Datalist "datalist" NO_TEXT;
    Dd "dd" SPECIAL | CLOSES_P | BLOCK | BREAKOUT;
    Del "del" 0;
    Desc "desc" 0;
    Details "details" SPECIAL | CLOSES_P | MORE_BLOCK;
    Dfn "dfn" 0;
    Dialog "dialog" SPECIAL | CLOSES_P | MORE_BLOCK;
    Dir "dir" SPECIAL | CLOSES_P | MORE_BLOCK;
    Div "div" SPECIAL | CLOSES_P | BLOCK | BREAKOUT;
    Dl "dl" SPECIAL | CLOSES_P | BLOCK | BREAKOUT;
    Dt "dt" SPECIAL | CLOSES_P | BLOCK | BREAKOUT;
    Em "em" BREAKOUT;
    Embed "embed" VOID | SPECIAL | UNWRAPPED | BREAKOUT;
    Fieldset "fieldset" SPECIAL | CLOSES_P | BLOCK;
    Figcaption "figcaption" SPECIAL | CLOSES_P | MORE_BLOCK;
    Figure "figure" SPECIAL | CLOSES_P | MORE_BLOCK;
    Font "font" 0;
    Footer "footer" SPECIAL | CLOSES_P | MORE_BLOCK;
    ForeignObject "foreignobject" 0;
    Form "form" SPECIAL | CLOSES_P | MORE_BLOCK | UNWRAPPED;
    Frame "frame" VOID | SPECIAL;
    Frameset "frameset" SPECIAL;
    H1 "h1" SPECIAL | CLOSES_P | BLOCK | BREAKOUT;
    H2 "h2" SPECIAL | CLOSES_P | BLOCK | BREAKOUT;
    H3 "h3" SPECIAL | CLOSES_P | BLOCK | BREAKOUT;
    H4 "h4" SPECIAL | CLOSES_P | BLOCK | BREAKOUT;
    H5 "h5" SPECIAL | CLOSES_P | BLOCK | BREAKOUT;
    H6 "h6" SPECIAL | CLOSES_P | BLOCK | BREAKOUT;
    Head "head" SPECIAL | KILLED | NO_TEXT | BREAKOUT;
    Header "header" SPECIAL | CLOSES_P | MORE_BLOCK;
    Hgroup "hgroup" SPECIAL | CLOSES_P | MORE_BLOCK;
    Hr "hr" VOID | SPECIAL | CLOSES_P | MORE_BLOCK | BREAKOUT;
    Html "html" SPECIAL | SCOPE;
    I "i" BREAKOUT;
    Iframe "iframe" SPECIAL | UNWRAPPED | NO_TEXT | DRAWN;
    Img "img" VOID | SPECIAL | BREAKOUT | DRAWN;
    Input "input" VOID | SPECIAL | KILLED | DRAWN;
    Ins "ins" 0;
    Kbd "kbd" 0;
    Keygen "keygen" VOID | SPECIAL;
    Label "label" 0;
    Layer "layer" UNWRAPPED;
    Legend "legend" BLOCK;
    Li "li" SPECIAL | CLOSES_P | BLOCK | BREAKOUT;
    Link "link" VOID | SPECIAL | METADATA;
    Listing "listing" SPECIAL | CLOSES_P | MORE_BLOCK | BREAKOUT;
    Main "main" SPECIAL | CLOSES_P | MORE_BLOCK;
    Map "map" 0;
    Mark "mark" 0;
    Marquee "marquee" SPECIAL | SCOPE;
    Math "math" 0;
    Menu "menu" SPECIAL | CLOSES_P | MORE_BLOCK | BREAKOUT;
    Meta "meta" VOID | SPECIAL | METADATA | BREAKOUT;
    Meter "meter" 0;
    Mi "mi" 0;
    Mn "mn" 0;
    Mo "mo" 0;
    Ms "ms" 0;
    Mtext "mtext" 0;
    Nav "nav" SPECIAL | CLOSES_P | MORE_BLOCK;
    Nobr "nobr" BREAKOUT;
    Noembed "noembed" SPECIAL | NO_TEXT;
    Noframes "noframes" SPECIAL | METADATA | NO_TEXT;
    Noscript "noscript" SPECIAL | METADATA | NO_TEXT;
    Object "object" SPECIAL | SCOPE | UNWRAPPED | NO_TEXT;
    Ol "ol" SPECIAL | CLOSES_P | MORE_BLOCK | BREAKOUT;
    Optgroup "optgroup" BLOCK;
    Option "option" BLOCK | NO_TEXT;
    Output "output" 0;
    P "p" SPECIAL | CLOSES_P | BLOCK | BREAKOUT;
    Param "param" VOID | SPECIAL | UNWRAPPED;
    Picture "picture" 0;
    Plaintext "plaintext" SPECIAL | CLOSES_P | MORE_BLOCK;
    Pre "pre" SPECIAL | CLOSES_P | BLOCK | BREAKOUT;
    Progress "progress" 0;
    Q "q" 0;
    Rb "rb" 0;
    Rp "rp" NO_TEXT;
    Rt "rt" NO_TEXT;
    Rtc "rtc" NO_TEXT;
    Ruby "ruby" BREAKOUT;
    S "s" BREAKOUT;
    Samp "samp" 0;
    Script "script" SPECIAL | METADATA | KILLED | NO_TEXT;
    Search "search" SPECIAL | CLOSES_P | MORE_BLOCK;
    Section "section" SPECIAL | CLOSES_P | MORE_BLOCK;
    Select "select" SPECIAL | KILLED | NO_TEXT | DRAWN;
    Slot "slot" 0;
    Small "small" BREAKOUT;
    Source "source" VOID | SPECIAL;
    Span "span" BREAKOUT;
    Strike "strike" BREAKOUT;
    Strong "strong" BREAKOUT;
    Style "style" SPECIAL | METADATA | KILLED | NO_TEXT;
    Sub "sub" BREAKOUT;
    Summary "summary" SPECIAL | CLOSES_P | MORE_BLOCK;
    Sup "sup" BREAKOUT;
    Svg "svg" NO_TEXT | DRAWN;
    Table "table" SPECIAL | SCOPE | CLOSES_P | BLOCK | BREAKOUT;
    Tbody "tbody" SPECIAL | MORE_BLOCK;
    Td "td" SPECIAL | SCOPE | BLOCK;
    Template "template" SPECIAL | SCOPE | METADATA | NO_TEXT;
    Textarea "textarea" SPECIAL | KILLED | NO_TEXT | DRAWN;
    Tfoot "tfoot" SPECIAL | BLOCK;
    Th "th" SPECIAL | SCOPE | BLOCK;
    Thead "thead" SPECIAL | BLOCK;
    Time "time" 0;
    Title "title" SPECIAL | METADATA;
    Tr "tr" SPECIAL | BLOCK;
    Track "track" VOID | SPECIAL;
    Tt "tt" BREAKOUT;
    U "u" BREAKOUT;
    Ul "ul" SPECIAL | CLOSES_P | BLOCK | BREAKOUT;
    Var "var" BREAKOUT;
    Video "video" NO_TEXT | DRAWN;
    Wbr "wbr" VOID | SPECIAL;
    Xmp "xmp" SPECIAL | CLOSES_P | MORE_BLOCK;
}

/// The number of slots in the hash table of names. There are several times as many as names, so searches are short.
const SLOTS: usize = 1024;
static TABLE: [(NameKey, Tag); SLOTS] = table();

impl Tag {
    /// The tag for a name in upper or lower case.
    pub fn of(name: &[u8]) -> Self {
        Self::of_key(NameKey::of(name), name)
    }

    /// Like [`Tag::of`], if the key of the name is already known.
    #[inline]
    pub(super) fn of_key(key: NameKey, name: &[u8]) -> Self {
        let mut slot = key.slot();
        loop {
            let (known, tag) = TABLE[slot];
            let same = known == key && name.len() <= NameKey::LENGTH;
            if tag == Self::Other {
                return Self::of_amp(name);
            }
            if same || name.eq_ignore_ascii_case(NAMES[tag as usize].as_bytes()) {
                return tag;
            }
            slot = (slot + 1) % SLOTS;
        }
    }

    /// The tag for a name that is not in the table. Pictures and media of AMP pages count as the HTML elements of the
    /// same name: `amp-img` is an `img`.
    fn of_amp(name: &[u8]) -> Self {
        let own = name
            .split_at_checked(4)
            .filter(|_| name.len() <= "amp-audio".len())
            .filter(|(prefix, _)| prefix.eq_ignore_ascii_case(b"amp-"));
        let own = own.map(|(_, name)| Self::of(name));
        own.filter(|tag| matches!(tag, Self::Img | Self::Video | Self::Audio)).unwrap_or(Self::Other)
    }

    /// The name in lower case; None for [`Tag::Other`].
    #[inline]
    pub fn name(self) -> Option<&'static str> {
        NAMES.get(self as usize).copied()
    }

    /// The heading level from 1 to 6 for `h1` to `h6`; None for other elements.
    #[inline]
    pub fn heading_level(self) -> Option<u8> {
        (Self::H1 as u8..=Self::H6 as u8).contains(&(self as u8)).then(|| self as u8 - Self::H1 as u8 + 1)
    }

    /// Whether the element has no content and no end tag.
    #[inline]
    pub fn is_void(self) -> bool {
        self.has(VOID)
    }

    pub(super) fn is_special(self) -> bool {
        self.has(SPECIAL)
    }

    pub(super) fn is_scope(self) -> bool {
        self.has(SCOPE)
    }

    pub(super) fn closes_p(self) -> bool {
        self.has(CLOSES_P)
    }

    /// Whether the element splits paragraphs in jusText.
    #[inline]
    pub fn is_justext_block(self) -> bool {
        self.has(BLOCK)
    }

    /// Whether the element splits paragraphs in a browser.
    #[inline]
    pub fn is_block(self) -> bool {
        self.has(BLOCK | MORE_BLOCK)
    }

    pub(super) fn is_killed(self) -> bool {
        self.has(KILLED)
    }

    /// Whether the element contains no text of an article: controls, embedded content, code.
    #[inline]
    pub fn has_no_text(self) -> bool {
        self.has(NO_TEXT)
    }

    /// Whether browsers draw the element as a picture or control inside a line.
    #[inline]
    pub(super) fn is_drawn(self) -> bool {
        self.has(DRAWN)
    }

    /// Whether the element gives a text its structure: a heading, listing, list item or quote, not a box around texts.
    #[inline]
    pub fn is_structural(self) -> bool {
        self.heading_level().is_some()
            || matches!(self, Self::Pre | Self::Code | Self::Li | Self::Dt | Self::Dd | Self::Blockquote)
    }

    pub(super) fn is_unwrapped(self) -> bool {
        self.has(UNWRAPPED)
    }

    pub(super) fn is_metadata(self) -> bool {
        self.has(METADATA)
    }

    pub(super) fn breaks_out(self) -> bool {
        self.has(BREAKOUT)
    }

    #[inline]
    fn has(self, properties: u16) -> bool {
        PROPERTIES[self as usize] & properties != 0
    }
}

#[derive(Debug, Clone, Copy, Default)]
pub(super) struct TagSet([u64; 4]);

impl TagSet {
    #[inline]
    pub(super) fn insert(&mut self, tag: Tag) {
        self.0[tag as usize / 64] |= 1 << (tag as usize % 64);
    }

    #[inline]
    pub(super) fn contains(self, tag: Tag) -> bool {
        self.0[tag as usize / 64] >> (tag as usize % 64) & 1 == 1
    }
}

/// The first eight characters of a name in lower case, and its length. Most names are not longer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NameKey {
    eight: u64,
    length: u8,
}

impl NameKey {
    const LENGTH: usize = 8;

    /// The key of a name from its first eight bytes and its length.
    #[inline]
    pub(super) const fn new(first_eight: u64, length: usize) -> Self {
        let shown = if length < u8::MAX as usize { length as u8 } else { u8::MAX };
        Self { eight: lower(first_of(first_eight, length)), length: shown }
    }

    const fn of(name: &[u8]) -> Self {
        let mut eight = [0; Self::LENGTH];
        let mut i = 0;
        while i < name.len() && i < Self::LENGTH {
            eight[i] = name[i];
            i += 1;
        }
        Self::new(u64::from_le_bytes(eight), name.len())
    }

    #[inline]
    const fn slot(self) -> usize {
        ((self.eight ^ (self.length as u64) << 59).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 54) as usize % SLOTS
    }
}

const fn table() -> [(NameKey, Tag); SLOTS] {
    let mut table = [(NameKey::of(b""), Tag::Other); SLOTS];
    let mut i = 0;
    while i < TAGS.len() {
        let name = NAMES[i].as_bytes();
        let key = NameKey::of(name);
        let mut at = key.slot();
        while !matches!(table[at].1, Tag::Other) {
            at = (at + 1) % SLOTS;
        }
        table[at] = (key, TAGS[i]);
        i += 1;
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_is_found_in_any_case() {
        for (tag, name) in TAGS.iter().zip(NAMES) {
            assert_eq!(Tag::of(name.as_bytes()), *tag, "{name}");
            assert_eq!(Tag::of(name.to_ascii_uppercase().as_bytes()), *tag, "{name}");
            assert_eq!(tag.name(), Some(*name));
        }
    }

    #[test]
    fn names_that_are_not_in_the_table_are_other() {
        for name in ["", "x", "amp-", "amp-list", "amp-table", "my-element", "divx", "bloc", "blockquotes", "h7"] {
            assert_eq!(Tag::of(name.as_bytes()), Tag::Other, "{name}");
        }
        assert_eq!(Tag::Other.name(), None);
        assert!(!Tag::Other.is_block());
    }

    #[test]
    fn pictures_of_amp_pages_are_pictures() {
        assert_eq!([Tag::of(b"AMP-img"), Tag::of(b"amp-video")], [Tag::Img, Tag::Video]);
    }

    #[test]
    fn headings_know_their_level() {
        assert_eq!(Tag::H1.heading_level(), Some(1));
        assert_eq!(Tag::H6.heading_level(), Some(6));
        assert_eq!(Tag::Head.heading_level(), None);
        assert_eq!(Tag::Frameset.heading_level(), None);
    }
}
