//! Parses the bytes of a page into elements, paragraphs and links: [`encoding`] decodes, [`tokens`] splits the page
//! into tags and text, [`outline`] builds elements and paragraphs in one pass, and [`links`] collects the links.
//!
//! All later steps use a [`Page`]: jusText uses its paragraphs, GoldMiner its paragraphs and elements. For any input,
//! parsing takes linear time and a stack of limited depth. There is no tree of nodes. An element is a range of bytes of
//! the page, and a paragraph refers to the element that contains it.

pub mod address;
pub mod attributes;
pub mod capture;
mod code_language;
mod element;
pub mod encoding;
mod formula;
pub mod links;
mod no_page;
pub mod outline;
mod paragraph;
pub mod scripts;
mod tag;
pub mod text;
pub mod tokens;

use std::borrow::Cow;
use std::ops::Range;

use encoding_rs::{Encoding, UTF_8};

use tag::TagSet;

pub use address::{CrawlUrl, Domain, Host, HostKey};
pub use attributes::{Attribute, AttributeFlags, Attributes};
pub use capture::{ArchivePosition, Capture};
pub use element::{Comment, Element, ElementId, Marks, RawMarks};
pub use formula::{Formula, raw_tex};
pub use links::{Link, Links};
pub use no_page::{binary_format, can_be_page, control_characters, is_binary, utf16_as_utf8};
pub use outline::Reading;
pub use outline::listing::numbers_lines;
pub use paragraph::{Paragraph, ParagraphKind, Run, is_long};
pub use tag::Tag;
pub use tokens::{Span, Token, TokenKind, Tokens};

/// A decoded page with its elements, paragraphs and comments.
///
/// ```
/// use goldminer_html::Page;
///
/// let page = Page::parse("<h1>Flood</h1><p>It <b>rained</b> in&nbsp;Rome.".to_owned());
/// let texts: Vec<&str> = page.paragraphs().iter().map(|paragraph| &*paragraph.text).collect();
/// assert_eq!(texts, ["Flood", "It rained in Rome."]);
/// ```
#[derive(Debug, Clone)]
pub struct Page {
    text: String,
    /// The page's original encoding. Browsers encode the query strings of the page's links with it.
    pub encoding: &'static Encoding,
    elements: Vec<Element>,
    paragraphs: Vec<Paragraph>,
    runs: Vec<Run>,
    formulas: Vec<Formula>,
    comments: Vec<Comment>,
    tags: TagSet,
}

impl Page {
    /// Parses a page with GoldMiner's rules for paragraphs ([`Reading::Article`]).
    pub fn parse(text: String) -> Self {
        Self::parse_as(text, Reading::Article)
    }

    /// Parses a page with one of the two sets of rules for paragraphs: GoldMiner's or jusText's.
    pub fn parse_as(text: String, reading: Reading) -> Self {
        let outline::Parts { elements, paragraphs, runs, formulas, comments, tags } = outline::outline(&text, reading);
        Self { text, encoding: UTF_8, elements, paragraphs, runs, formulas, comments, tags }
    }

    /// Sets the page's original encoding by its WHATWG name; an unknown name means UTF-8. Browsers encode the query
    /// strings of the page's links with it.
    #[must_use]
    pub fn in_encoding(self, name: &str) -> Self {
        Self { encoding: Encoding::for_label(name.as_bytes()).unwrap_or(UTF_8), ..self }
    }

    /// The approximate memory of the page, in bytes.
    pub fn bytes(&self) -> usize {
        let texts: usize = self.paragraphs.iter().map(|paragraph| size_of::<Paragraph>() + paragraph.text.len()).sum();
        let comments = self.comments.len() * size_of::<Comment>();
        let runs = self.runs.len() * size_of::<Run>() + self.formulas.len() * size_of::<Formula>();
        self.text.len() + self.elements.len() * size_of::<Element>() + texts + runs + comments
    }

    /// The decoded source of the page. All spans and positions are byte offsets in this text.
    #[inline]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// All elements in the order of their start tags. Elements without a tag in the source are not included: a page
    /// without `<body>` has no body.
    #[inline]
    pub fn elements(&self) -> &[Element] {
        &self.elements
    }

    /// The element with an [`ElementId`] of this page.
    #[inline]
    pub fn element(&self, id: ElementId) -> &Element {
        &self.elements[id.index()]
    }

    /// The elements with this tag, in the order of their start tags.
    #[inline]
    pub fn elements_of(&self, tag: Tag) -> impl Iterator<Item = ElementId> + '_ {
        // Most requested tags do not occur on the page.
        let elements = if self.tags.contains(tag) { &*self.elements } else { &[] };
        elements.iter().zip(self.ids()).filter(move |(element, _)| element.tag == tag).map(|(_, id)| id)
    }

    /// The page's own `<title>`, not that of an SVG drawing.
    pub fn title_element(&self) -> Option<ElementId> {
        let in_drawing = |id: ElementId| matches!(self.element(id).tag, Tag::Svg | Tag::Math);
        self.elements_of(Tag::Title).find(|id| !self.ancestors_and_self(*id).any(in_drawing))
    }

    /// All element ids, in order.
    #[inline]
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = ElementId> + use<> {
        (0..self.elements.len() as u32).map(ElementId)
    }

    /// The ids of the elements from an index in [`Page::elements`] on.
    #[inline]
    pub fn ids_from(&self, index: usize) -> impl Iterator<Item = ElementId> + use<> {
        (index as u32..self.elements.len() as u32).map(ElementId)
    }

    /// The element itself, its parent and so on, up to the root.
    #[inline]
    pub fn ancestors_and_self(&self, id: ElementId) -> impl Iterator<Item = ElementId> + '_ {
        std::iter::successors(Some(id), |id| self.element(*id).parent)
    }

    /// Whether `id` is `ancestor` or inside it.
    #[inline]
    pub fn is_within(&self, id: ElementId, ancestor: ElementId) -> bool {
        (ancestor.0..self.element(ancestor).subtree_end).contains(&id.0)
    }

    /// The element whose start tag contains this byte of the page; None if the byte is in no start tag.
    pub fn start_tag_at(&self, position: usize) -> Option<ElementId> {
        let behind = self.elements.partition_point(|element| element.start as usize <= position);
        let index = behind.checked_sub(1)?;
        (position < self.elements[index].content as usize).then_some(ElementId(index as u32))
    }

    /// The tag name of an element in lower case.
    pub fn name(&self, id: ElementId) -> Cow<'_, str> {
        let written = &self.text[self.element(id).name_span().range()];
        match self.element(id).tag.name() {
            Some(name) => Cow::Borrowed(name),
            None if written.bytes().any(|b| b.is_ascii_uppercase()) => Cow::Owned(written.to_ascii_lowercase()),
            None => Cow::Borrowed(written),
        }
    }

    /// The attributes of an element, parsed on demand.
    #[inline]
    pub fn attributes(&self, id: ElementId) -> Attributes<'_> {
        Attributes::from(&self.text, self.element(id).name_span().end as usize)
    }

    /// The decoded value of an attribute, or None if the element does not have it. `name` must be in lower case. If you
    /// need more than one of class, id, role and itemprop, use [`Page::marks`].
    pub fn attribute(&self, id: ElementId, name: &str) -> Option<Cow<'_, str>> {
        self.raw_attribute(id, name).map(attributes::value)
    }

    /// The value of an attribute as written in the source.
    #[inline]
    pub(crate) fn raw_attribute(&self, id: ElementId, name: &str) -> Option<&str> {
        let element = self.element(id);
        let known = element.spans.known(name, || &self.text[element.name_span().end as usize..]);
        let read = || self.attributes(id).find(|attribute| attribute.is(name)).map(|attribute| attribute.raw_value);
        known.unwrap_or_else(read)
    }

    /// The decoded id, class, role and itemprop of an element, from one pass over its start tag. In a long tag, a role
    /// or itemprop after the first 4 KiB is not read.
    pub fn marks(&self, id: ElementId) -> Marks<'_> {
        self.raw_marks(id).decoded()
    }

    /// The id, class, role and itemprop of an element as written in the source, not decoded.
    #[inline]
    pub fn raw_marks(&self, id: ElementId) -> RawMarks<'_> {
        let element = self.element(id);
        let behind = &self.text[element.name_span().end as usize..];
        let (class, id) = (element.spans.class.of(behind), element.spans.id.of(behind));
        if element.spans.is_partial {
            let first = RawMarks::of(Attributes::first(&self.text, element.name_span().end as usize));
            return RawMarks { class: first.class.or(class), id: first.id.or(id), ..first };
        }
        RawMarks { class, id, ..RawMarks::default() }
    }

    /// The `class` attribute of an element as written in the source.
    #[inline]
    pub fn raw_class(&self, id: ElementId) -> Option<&str> {
        if self.element(id).is_marked { self.raw_marks(id).class } else { None }
    }

    /// The values of an element's id, class, role and itemprop as written in the source, without missing ones.
    pub fn marks_values(&self, id: ElementId) -> impl Iterator<Item = &str> {
        let marks = if self.element(id).is_marked { self.raw_marks(id) } else { RawMarks::default() };
        marks.values().into_iter().flatten()
    }

    /// Returns false if an element certainly has no `rel` attribute. This is faster than reading the attributes.
    #[inline]
    pub fn may_have_relation(&self, id: ElementId) -> bool {
        self.element(id).spans.rel
    }

    /// Returns false if an element certainly has no `itemprop` or `property` attribute. This is faster than reading the
    /// attributes.
    #[inline]
    pub fn may_have_property(&self, id: ElementId) -> bool {
        self.element(id).spans.is_partial
    }

    /// Returns false if certainly no attribute hides the element. This is faster than reading the attributes.
    #[inline]
    pub fn may_be_hidden(&self, id: ElementId) -> bool {
        self.element(id).may_hide
    }

    /// The tag names from the root down to the element: `html.body.div.p`.
    pub fn path(&self, id: ElementId) -> String {
        let mut names: Vec<_> = self.ancestors_and_self(id).map(|id| self.name(id)).collect();
        names.reverse();
        names.join(".")
    }

    /// The source of an element's start tag.
    #[inline]
    pub fn start_tag(&self, id: ElementId) -> &str {
        let element = self.element(id);
        &self.text[element.start as usize..element.content as usize]
    }

    /// The source between an element's start tag and end tag.
    #[inline]
    pub fn inner_source(&self, id: ElementId) -> &str {
        let element = self.element(id);
        &self.text[element.content as usize..element.close as usize]
    }

    /// The paragraphs in page order. Each has text.
    #[inline]
    pub fn paragraphs(&self) -> &[Paragraph] {
        &self.paragraphs
    }

    /// The pieces of a paragraph's text between tags, in page order.
    pub fn runs(&self, paragraph: &Paragraph) -> &[Run] {
        let place = |at: u32| self.runs.partition_point(|run| run.at < at);
        &self.runs[place(paragraph.span.start)..place(paragraph.span.end)]
    }

    /// The programming language of a listing, in lower case, from an attribute of its element or of one around it.
    ///
    /// ```
    /// use goldminer_html::{Page, Tag};
    ///
    /// let page = Page::parse("<pre><code class='hljs language-rust'>fn main() {}</code></pre>".to_owned());
    /// let listing = page.elements_of(Tag::Pre).next().unwrap();
    /// assert_eq!(page.code_language(listing).as_deref(), Some("rust"));
    /// ```
    pub fn code_language(&self, listing: ElementId) -> Option<String> {
        code_language::of(self, listing)
    }

    /// The formula that starts at this byte of the page, or None.
    pub fn formula_at(&self, at: u32) -> Option<Formula> {
        self.formulas.binary_search_by_key(&at, |formula| formula.at).ok().map(|found| self.formulas[found])
    }

    /// Whether a paragraph consists of one formula: MathML, an element with TeX, or raw TeX in `\[…\]` or `$$…$$`.
    pub fn is_formula(&self, paragraph: &Paragraph) -> bool {
        let is_raw = |open: &str, close: &str| paragraph.text.starts_with(open) && paragraph.text.ends_with(close);
        is_raw("\\[", "\\]")
            || is_raw("$$", "$$")
            || self.formula_at(paragraph.span.start).is_some() && self.runs(paragraph).len() == 1
    }

    /// The paragraphs that are running text (see [`Paragraph::is_running_text`]), in page order.
    #[inline]
    pub fn running_text(&self) -> impl Iterator<Item = &Paragraph> {
        self.paragraphs.iter().filter(|paragraph| paragraph.is_running_text())
    }

    /// The number of characters of running text. A page with hardly any has no article.
    pub fn running_chars(&self) -> usize {
        self.running_text().map(|paragraph| paragraph.chars as usize).sum()
    }

    /// The paragraph that contains this byte of the page, or else the last one before it.
    #[inline]
    pub fn paragraph_at(&self, position: usize) -> Option<&Paragraph> {
        let behind = self.paragraphs.partition_point(|paragraph| paragraph.span.start as usize <= position);
        behind.checked_sub(1).map(|at| &self.paragraphs[at])
    }

    /// The descendants of an element, in the order of their start tags.
    #[inline]
    pub fn ids_in(&self, id: ElementId) -> impl Iterator<Item = ElementId> + use<> {
        (id.0 + 1..self.element(id).subtree_end).map(ElementId)
    }

    /// The links in `some`, which are consecutive paragraphs of the page. Each link comes with the index in `some` of
    /// the first paragraph that it shares text with.
    pub fn links_in<'p>(&'p self, some: &'p [Paragraph]) -> impl Iterator<Item = (ElementId, usize)> + 'p {
        let (begin, end) =
            (some.first().map_or(0, |first| first.span.start), some.last().map_or(0, |last| last.span.end));
        let behind = self.elements.partition_point(|element| element.start < begin);
        let last = behind.checked_sub(1).map(|last| ElementId(last as u32));
        // A link that begins before the paragraphs and reaches into them is the last element before them, or an
        // ancestor of it.
        let around = last.into_iter().flat_map(|last| self.ancestors_and_self(last));
        let mut around: Vec<_> = around.filter(|id| self.element(*id).tag == Tag::A).collect();
        around.reverse();
        let links = self.ids_from(behind).take_while(move |id| self.element(*id).content < end);
        let links = links.filter(move |id| self.element(*id).tag == Tag::A);
        around
            .into_iter()
            .chain(links)
            .filter_map(move |id| first_sharing_text(some, self.element(id)).map(|at| (id, at)))
    }

    /// The index in [`Page::paragraphs`] of the first paragraph that shares text with an element. The paragraph may begin
    /// before the element. None if the element has no text.
    pub fn first_paragraph_of(&self, id: ElementId) -> Option<usize> {
        first_sharing_text(&self.paragraphs, self.element(id))
    }

    /// The indexes in [`Page::paragraphs`] of the paragraphs that begin inside an element.
    pub fn paragraphs_in(&self, id: ElementId) -> Range<usize> {
        let element = self.element(id);
        let behind = |at: u32| self.paragraphs.partition_point(|paragraph| paragraph.span.start < at);
        behind(element.content)..behind(element.close)
    }

    /// The kind of a paragraph according to its own elements: a heading, a list item, or text.
    #[inline]
    pub fn kind(&self, paragraph: &Paragraph) -> ParagraphKind {
        if paragraph.heading.is_some() {
            ParagraphKind::Heading
        } else if paragraph.element.is_some_and(|id| self.element(id).in_item) {
            ParagraphKind::ListItem
        } else {
            ParagraphKind::Paragraph
        }
    }

    /// The HTML comments, in page order.
    #[inline]
    pub fn comments(&self) -> &[Comment] {
        &self.comments
    }

    /// Tokenizes the page again, for callers that need end tags.
    #[inline]
    pub fn tokens(&self) -> Tokens<'_> {
        Tokens::new(&self.text)
    }
}

/// The index in `paragraphs` of the first one that shares text with an element.
fn first_sharing_text(paragraphs: &[Paragraph], element: &Element) -> Option<usize> {
    let at = paragraphs.partition_point(|paragraph| paragraph.span.end <= element.content);
    paragraphs.get(at).filter(|paragraph| paragraph.span.start < element.close).map(|_| at)
}
