//! Splits a decoded page into tags, text, comments and doctypes, by the rules of the WHATWG tokenizer. The tokens are
//! an iterator. Each is a range of bytes of the page: nothing is copied, and attributes and character references are
//! decoded on request.
//!
//! The tokenizer builds no tree. It needs one hint from `outline`: whether it is inside `svg` or `math`
//! ([`Tokens::set_foreign`]). It takes linear time and does not recurse. Positions are `u32`, so only the first 4 GiB
//! of a longer text are read; the crawler cuts pages off at a few MiB.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memchr;

use crate::attributes::{AttributeFlags, AttributeSpans, Attributes, TagEnd, newlines_normalised};
use crate::outline::raw_text;
use crate::tag::{NameKey, Tag};
use crate::text::swar::{self, below, equal, find, first_eight};

/// A range of bytes of the page.
///
/// ```
/// use goldminer_html::Tokens;
///
/// let page = "<p>It rained.";
/// let spans: Vec<&str> = Tokens::new(page).map(|token| &page[token.span.range()]).collect();
/// assert_eq!(spans, ["<p>", "It rained."]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub struct Span {
    /// The position of the first byte.
    pub start: u32,
    /// The position after the last byte.
    pub end: u32,
}

impl Span {
    #[inline]
    pub(super) fn new(start: usize, end: usize) -> Self {
        // Positions fit into u32, because `Tokens::new` cuts off longer texts.
        Self { start: start as u32, end: end as u32 }
    }

    /// The span as an index into the page's text.
    #[inline]
    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// The number of bytes.
    #[inline]
    pub fn len(self) -> usize {
        (self.end - self.start) as usize
    }

    /// Whether it has no bytes.
    #[inline]
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }
}

/// A token of a page: a tag, a comment, or a piece of text.
///
/// ```
/// use goldminer_html::Tokens;
///
/// let page = "<p>Tom &amp; Anna";
/// assert_eq!(Tokens::new(page).last().unwrap().text(page), "Tom & Anna");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Token {
    /// The kind, with details of tags and comments.
    pub kind: TokenKind,
    /// The bytes of the token, with its delimiters, but without those of a CDATA section.
    pub span: Span,
}

/// The kind of a token.
///
/// ```
/// use goldminer_html::{TokenKind, Tokens};
///
/// assert!(matches!(Tokens::new("<!-- story -->").next().unwrap().kind, TokenKind::Comment { .. }));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(clippy::exhaustive_enums, reason = "the HTML standard has no others")]
pub enum TokenKind {
    /// A start tag: `<name …>`.
    StartTag {
        /// The tag's name.
        tag: Tag,
        /// The position after the name.
        name_end: u32,
        /// Whether the tag ends in `/>`.
        self_closing: bool,
        /// Whether the tag has attributes that later steps need.
        flags: AttributeFlags,
    },
    /// An end tag: `</name>`.
    EndTag {
        /// The tag's name.
        tag: Tag,
        /// The position after the name.
        name_end: u32,
    },
    /// Text with character references: between tags, and in `title` and `textarea`.
    Text,
    /// Text in which `&` has no special meaning: in `script`, `style`, `iframe`, `xmp` and similar elements, and in
    /// CDATA sections.
    RawText,
    /// A comment `<!-- … -->`, or a tag that the standard treats as a comment (`<? … >`, `<!… >`, `</ … >`).
    Comment {
        /// The comment without its delimiters.
        data: Span,
    },
    /// A doctype: `<!doctype …>`.
    Doctype,
}

impl Token {
    /// The source text of the token. `page` must be the text from which the token was made.
    #[inline]
    pub fn source<'a>(&self, page: &'a str) -> &'a str {
        &page[self.span.range()]
    }

    /// The name of a tag as written, in upper or lower case; empty for other tokens.
    #[inline]
    pub fn name<'a>(&self, page: &'a str) -> &'a str {
        match self.kind {
            TokenKind::StartTag { name_end, .. } => &page[self.span.start as usize + 1..name_end as usize],
            TokenKind::EndTag { name_end, .. } => &page[self.span.start as usize + 2..name_end as usize],
            _ => "",
        }
    }

    /// The attributes of a start tag; empty for other tokens.
    #[inline]
    pub fn attributes<'a>(&self, page: &'a str) -> Attributes<'a> {
        match self.kind {
            TokenKind::StartTag { name_end, .. } => Attributes::from(page, name_end as usize),
            _ => Attributes::from("", 0),
        }
    }

    /// The text of a text token, with character references decoded and line ends normalised; empty for other tokens.
    pub fn text<'a>(&self, page: &'a str) -> Cow<'a, str> {
        match self.kind {
            TokenKind::Text => decoded(self.source(page)),
            TokenKind::RawText => newlines_normalised(self.source(page)),
            _ => Cow::Borrowed(""),
        }
    }
}

/// Iterates over the tokens of a page. Their spans cover the whole page except for parts that the standard ignores:
/// `</>`, a tag that the end of the page cuts off, and `<![CDATA[` and `]]>` in `svg` and `math`.
///
/// ```
/// use goldminer_html::Tokens;
///
/// assert_eq!(Tokens::new("<p>It <b>rained</b>.").count(), 6);
/// ```
#[derive(Debug, Clone, Default)]
pub struct Tokens<'a> {
    page: &'a str,
    at: usize,
    raw: Option<RawContent>,
    foreign: bool,
    spans: AttributeSpans,
}

/// The content of an element that is not read as markup (HTML standard, "Parsing elements that contain only text").
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RawContent {
    /// RCDATA: ends at the end tag, has character references.
    Rcdata(Tag),
    /// RAWTEXT: ends at the end tag.
    Rawtext(Tag),
    /// Script: ends at `</script`, except inside a comment that contains a script.
    Script,
    /// The content of `<plaintext>`: ends with the page.
    Plaintext,
    /// A CDATA section, which ends at `]]>`.
    Cdata,
}

impl<'a> Tokens<'a> {
    /// Creates the iterator over the tokens of `page`.
    pub fn new(page: &'a str) -> Self {
        Self { page: &page[..page.floor_char_boundary(u32::MAX as usize)], ..Self::default() }
    }

    /// Tells the tokenizer whether the content after the last tag is in `svg` or `math`. There, CDATA sections exist
    /// and the content of `style` and similar elements is markup.
    pub fn set_foreign(&mut self, foreign: bool) {
        self.foreign = foreign;
        if foreign {
            self.raw = None;
        }
    }

    /// The positions of the class, id and href of the last start tag. They are not in the token, because few callers
    /// need them.
    pub(super) fn spans(&self) -> AttributeSpans {
        self.spans
    }

    /// Continues at the position `to`, after a part that the caller has already read.
    pub(super) fn skip_to(&mut self, to: usize) {
        self.at = to;
        self.raw = None;
    }

    #[inline]
    fn token(&mut self, kind: TokenKind, start: usize, end: usize) -> Option<Token> {
        self.at = end;
        Some(Token { kind, span: Span::new(start, end) })
    }

    /// The text of an element whose content is not markup, up to its end tag; None if there is no text.
    fn raw(&mut self, content: RawContent) -> Option<Token> {
        let bytes = self.page.as_bytes();
        let (start, kind) = (self.at, TokenKind::RawText);
        let (kind, end) = match content {
            RawContent::Rcdata(tag) => (TokenKind::Text, raw_text::end(bytes, start, tag)),
            RawContent::Rawtext(tag) => (kind, raw_text::end(bytes, start, tag)),
            RawContent::Script => (kind, raw_text::script_end(bytes, start)),
            RawContent::Plaintext => (kind, bytes.len()),
            RawContent::Cdata => {
                let end = memchr::memmem::find(&bytes[start..], b"]]>").map(|i| start + i);
                let token = self.token(kind, start, end.unwrap_or(bytes.len()));
                self.at = end.map_or(bytes.len(), |end| end + 3);
                return token.filter(|t| !t.span.is_empty());
            }
        };
        if end == start { None } else { self.token(kind, start, end) }
    }

    /// The token that begins with the `<` at `start`; None if the standard ignores the tag, or if CDATA begins.
    #[inline]
    fn markup(&mut self, start: usize) -> Option<Token> {
        let bytes = self.page.as_bytes();
        match bytes[start + 1] {
            b'!' => self.declaration(start),
            b'?' => self.bogus_comment(start, start + 1),
            b'/' => match bytes[start + 2] {
                b'>' => {
                    self.at = start + 3;
                    None
                }
                b if b.is_ascii_alphabetic() => self.tag(start, start + 2),
                _ => self.bogus_comment(start, start + 2),
            },
            _ => self.tag(start, start + 1),
        }
    }

    #[inline]
    fn tag(&mut self, start: usize, name: usize) -> Option<Token> {
        let bytes = self.page.as_bytes();
        let first = first_eight(&bytes[name..]);
        let ends = |eight| below(eight, 0x21) | equal(eight, b'/') | equal(eight, b'>');
        let is_end = |byte: u8| byte.is_ascii_whitespace() || matches!(byte, b'/' | b'>');
        let name_end = swar::next(bytes, name, ends, is_end).unwrap_or(bytes.len());
        let key = NameKey::new(first, name_end - name);
        let tag_end = match bytes.get(name_end) {
            Some(b'>') => Some(TagEnd { at: name_end + 1, ..TagEnd::default() }),
            _ => Attributes::from(self.page, name_end).end(),
        };
        let Some(TagEnd { at: end, self_closing, flags, spans }) = tag_end else {
            // The page ends inside the tag, which is dropped.
            self.at = bytes.len();
            return None;
        };
        let tag = Tag::of_key(key, &bytes[name..name_end]);
        let name_end = name_end as u32;
        if name > start + 1 {
            return self.token(TokenKind::EndTag { tag, name_end }, start, end);
        }
        self.spans = spans;
        if !self.foreign {
            self.raw = raw_content(tag);
        }
        self.token(TokenKind::StartTag { tag, name_end, self_closing, flags }, start, end)
    }

    /// Reads comments, doctypes and CDATA sections.
    fn declaration(&mut self, start: usize) -> Option<Token> {
        let bytes = self.page.as_bytes();
        let rest = &bytes[start + 2..];
        if rest.starts_with(b"--") {
            let (data_end, end) = comment_end(bytes, start + 4);
            return self.token(TokenKind::Comment { data: Span::new(start + 4, data_end) }, start, end);
        }
        if rest.len() >= 7 && rest[..7].eq_ignore_ascii_case(b"doctype") {
            let end = memchr(b'>', rest).map_or(bytes.len(), |i| start + 2 + i + 1);
            return self.token(TokenKind::Doctype, start, end);
        }
        if self.foreign && rest.starts_with(b"[CDATA[") {
            self.at = start + 9;
            self.raw = Some(RawContent::Cdata);
            return None;
        }
        self.bogus_comment(start, start + 2)
    }

    fn bogus_comment(&mut self, start: usize, data: usize) -> Option<Token> {
        let bytes = self.page.as_bytes();
        let data_end = memchr(b'>', &bytes[data..]).map_or(bytes.len(), |i| data + i);
        let kind = TokenKind::Comment { data: Span::new(data, data_end) };
        self.token(kind, start, (data_end + 1).min(bytes.len()))
    }

    /// The position of the first `<` from `from` on that begins markup, or the end of the page.
    #[inline]
    fn text_end(&self, mut from: usize) -> usize {
        let bytes = self.page.as_bytes();
        while let Some(i) = find(b'<', &bytes[from..]) {
            if begins_markup(bytes, from + i) {
                return from + i;
            }
            from += i + 1;
        }
        bytes.len()
    }
}

impl Iterator for Tokens<'_> {
    type Item = Token;

    // Inlined for `outline`, which reads all tokens: returning a token through memory takes as long as making it.
    #[inline(always)]
    fn next(&mut self) -> Option<Token> {
        loop {
            if let Some(content) = self.raw.take()
                && let Some(token) = self.raw(content)
            {
                return Some(token);
            }
            let bytes = self.page.as_bytes();
            let start = self.at;
            let first = *bytes.get(start)?;
            if first != b'<' || !begins_markup(bytes, start) {
                let end = self.text_end(start + 1);
                return self.token(TokenKind::Text, start, end);
            }
            if let Some(token) = self.markup(start) {
                return Some(token);
            }
        }
    }
}

/// Returns `text` with character references decoded and line ends normalised.
pub(super) fn decoded(text: &str) -> Cow<'_, str> {
    match newlines_normalised(text) {
        Cow::Borrowed(text) if memchr(b'&', text.as_bytes()).is_none() => Cow::Borrowed(text),
        Cow::Borrowed(text) => htmlize::unescape(text),
        Cow::Owned(text) => Cow::Owned(htmlize::unescape(text).into_owned()),
    }
}

fn raw_content(tag: Tag) -> Option<RawContent> {
    match tag {
        Tag::Title | Tag::Textarea => Some(RawContent::Rcdata(tag)),
        Tag::Style | Tag::Xmp | Tag::Iframe | Tag::Noembed | Tag::Noframes => Some(RawContent::Rawtext(tag)),
        Tag::Script => Some(RawContent::Script),
        Tag::Plaintext => Some(RawContent::Plaintext),
        _ => None,
    }
}

/// Whether the `<` at `at` begins a tag or a comment. Otherwise it is text.
#[inline]
pub(super) fn begins_markup(bytes: &[u8], at: usize) -> bool {
    match bytes.get(at + 1) {
        Some(b'!' | b'?') => true,
        Some(b'/') => at + 2 < bytes.len(),
        Some(b) => b.is_ascii_alphabetic(),
        None => false,
    }
}

/// The end of a comment's text and the end of the comment. The text begins at `data`.
fn comment_end(bytes: &[u8], data: usize) -> (usize, usize) {
    // `<!-->` and `<!--->` are empty comments.
    match &bytes[data..] {
        [b'>', ..] => return (data, data + 1),
        [b'-', b'>', ..] => return (data, data + 2),
        _ => {}
    }
    for at in memchr::memchr_iter(b'>', &bytes[data..]).map(|at| data + at) {
        for delimiter in [b"--".as_slice(), b"--!"] {
            if bytes[data..at].ends_with(delimiter) {
                return (at - delimiter.len(), at + 1);
            }
        }
    }
    // The page ends inside the comment. An incomplete end delimiter is not part of the comment's text.
    let rest = &bytes[data..];
    let begun = [b"--!".as_slice(), b"--", b"-"].into_iter().find(|d| rest.ends_with(d)).map_or(0, <[u8]>::len);
    (bytes.len() - begun, bytes.len())
}
