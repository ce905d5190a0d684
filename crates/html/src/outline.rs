//! Builds elements and paragraphs from tokens in one pass. A stack holds the open elements, and adds the end tags that
//! HTML lets pages omit.
//!
//! The HTML standard's tree construction decides which tag closes which element. Its repairs are left out: no implied
//! elements, no moving of misplaced content, no reopening of formatting elements. The stack has at most 512 elements,
//! as in browsers. Deeper elements are recorded, but their text belongs to the last element on the stack. Only the
//! effect of tags on paragraphs depends on the [`Reading`].
//!
//! Parts that readers do not see are skipped. If such a part seems to be the article itself, for example in
//! `<noscript>` or hidden until a script runs, the page is parsed again with this part.

mod ahead;
pub(crate) mod drop_cap;
mod hidden;
pub(crate) mod listing;
mod open_elements;
mod openers;
mod own_styles;
mod quotes;
pub(crate) mod raw_text;
mod rest;
mod seen;
mod unclosed;
mod unseen;

use std::borrow::Cow;

use crate::attributes::{AttributeFlags, AttributeSpans, Attributes};
use crate::element::{Comment, Element, ElementId};
use crate::formula::{Finder, Formula};
use crate::paragraph::{Paragraph, ParagraphMaker, Run, TextPosition};
use crate::tag::{Tag, TagSet};
use crate::text::script::is_emoji;
use crate::tokens::{Span, Token, TokenKind, Tokens};

use hidden::HiddenBy;
use open_elements::{Effect, MAX_DEPTH, OpenElement, OpenElements, name_hash};
use openers::Openers;
use own_styles::HiddenNames;
use unseen::{ShownParts, SkippedText};

/// The most elements of a page that are recorded. Real pages have a few thousand.
const MAX_ELEMENTS: usize = 1 << 20;

/// The rules for paragraphs: which tags split the text, which hide it, and which separate words.
///
/// ```
/// use goldminer_html::{Page, Reading};
///
/// let html = "<p>It rained.<button>Share</button>";
/// let texts = |reading| Page::parse_as(html.to_owned(), reading).paragraphs().len();
/// assert!(texts(Reading::Article) <= texts(Reading::Justext));
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reading {
    /// The visible text of an article. All block elements of HTML split paragraphs. Controls, embedded content and
    /// code (`button`, `select`, `iframe`, `noscript`, `svg`, `template`, …) are skipped, and so are parts that tags
    /// hide from readers (`hidden`, `display: none`, text for screen readers, dialogs). A drop cap (a large first
    /// letter in its own element) is joined to its word. White space between inline elements separates words. Only an
    /// `a` with `href` is a link, because old pages leave `<a name=…>` open.
    #[default]
    Article,
    /// The paragraphs that Python's jusText 3.0 makes from the page, after it has used lxml's cleaner.
    Justext,
}

/// The elements, paragraphs and other parts of a page, which [`outline`] returns.
pub(super) struct Parts {
    pub elements: Vec<Element>,
    pub paragraphs: Vec<Paragraph>,
    pub runs: Vec<Run>,
    pub formulas: Vec<Formula>,
    pub comments: Vec<Comment>,
    /// The tags that occur in the page.
    pub tags: TagSet,
}

pub(super) fn outline(page: &str, reading: Reading) -> Parts {
    let (parts, unseen) = read(page, reading, ShownParts::default());
    match unseen.hidden_article(&parts.paragraphs) {
        Some(shown) => read(page, reading, shown).0,
        None => parts,
    }
}

fn read(page: &str, reading: Reading, shown: ShownParts) -> (Parts, SkippedText) {
    let mut builder = OutlineBuilder::new(page, reading, shown);
    while let Some(token) = builder.tokens.next() {
        match token.kind {
            TokenKind::StartTag { tag, name_end, self_closing, flags } => {
                builder.start_tag(tag, StartTag { span: token.span, name_end, self_closing, flags });
            }
            TokenKind::EndTag { tag, name_end } => builder.end_tag(tag, token, name_end),
            TokenKind::Text | TokenKind::RawText => builder.text(token),
            TokenKind::Comment { data } => {
                let element = builder.innermost();
                builder.comments.push(Comment { span: token.span, data, element });
            }
            TokenKind::Doctype => {}
        }
    }
    let unseen = builder.unseen;
    (builder.finish(), unseen)
}

struct StartTag {
    span: Span,
    name_end: u32,
    self_closing: bool,
    flags: AttributeFlags,
}

impl Reading {
    fn effect(self, tag: Tag, in_body: bool) -> Effect {
        match self {
            Self::Article if tag.has_no_text() || tag == Tag::Title => Effect::Hidden,
            Self::Article if tag.is_block() => Effect::Block,
            Self::Justext if tag.is_killed() || (tag == Tag::Title && !in_body) => Effect::Hidden,
            Self::Justext if tag.is_unwrapped() => Effect::Transparent,
            Self::Justext if tag.is_justext_block() => Effect::Block,
            _ => Effect::Inline,
        }
    }
}

#[derive(Default)]
struct OutlineBuilder<'a> {
    page: &'a str,
    reading: Reading,
    tokens: Tokens<'a>,
    elements: Vec<Element>,
    comments: Vec<Comment>,
    paragraphs: ParagraphMaker,
    formulas: Vec<Formula>,
    /// The number of quotation marks of `q` elements so far.
    quotation_marks: usize,
    formula_finder: Finder,
    stack: OpenElements,
    /// The number of open elements that are not on the stack because it is full.
    overflow: usize,
    shown: ShownParts,
    unseen: SkippedText,
    tags: TagSet,
    /// While a hidden element is open: the size of the stack before it was opened.
    hidden_depth: Option<usize>,
    /// What hides the last hidden element.
    hidden_by: HiddenBy,
    hidden_names: HiddenNames<'a>,
    openers: Openers<'a>,
    /// Whether a text for screen readers has just ended. Its visible copy may follow.
    copy_may_follow: bool,
    /// While the visible copy of such a text is open: the size of the stack before it was opened.
    copy_depth: Option<usize>,
    /// The smallest size of the stack since the last text.
    common_depth: usize,
    in_body: bool,
    in_link: bool,
    /// The size of the stack with the current link on it. None if the link cannot be a permalink: its target has no `#`,
    /// or the link has words, or its end is far away.
    permalink_depth: Option<usize>,
    /// Whether the last token was a `<br>`.
    after_br: bool,
    heading: Option<u8>,
}

impl<'a> OutlineBuilder<'a> {
    fn new(page: &'a str, reading: Reading, shown: ShownParts) -> Self {
        Self {
            page,
            reading,
            tokens: Tokens::new(page),
            elements: Vec::with_capacity(page.len() / 64),
            paragraphs: ParagraphMaker::new(reading == Reading::Article),
            formula_finder: if reading == Reading::Article { Finder::of(page) } else { Finder::default() },
            shown,
            ..Self::default()
        }
    }

    fn finish(mut self) -> Parts {
        let end = self.page.len() as u32;
        self.pop_to(0, Span { start: end, end });
        let Self { elements, comments, formulas, tags, .. } = self;
        let (paragraphs, runs) = self.paragraphs.finish();
        Parts { elements, paragraphs, runs, formulas, comments, tags }
    }

    fn innermost(&self) -> Option<ElementId> {
        self.stack.innermost().map(|open| open.id)
    }

    fn in_foreign(&self) -> bool {
        self.stack.innermost().is_some_and(|open| open.foreign)
    }

    fn start_tag(&mut self, tag: Tag, start: StartTag) {
        let at = Span { start: start.span.start, end: start.span.start };
        if self.in_foreign() && tag.breaks_out() {
            while self.in_foreign() {
                self.pop(at);
            }
        }
        // As in browsers, a second `html` or `body` tag and a late `head` tag are ignored.
        if matches!(tag, Tag::Html | Tag::Body if self.stack.has(tag)) || (tag == Tag::Head && self.in_body) {
            return;
        }
        if !self.in_foreign() {
            while let Some(index) = self.stack.ended_by(tag) {
                self.pop_to(index, at);
            }
        }
        self.in_body |= !tag.is_metadata() && !matches!(tag, Tag::Html | Tag::Head);
        let mut effect = self.reading.effect(tag, self.in_body);
        if self.hidden_depth.is_none() && self.formula(tag, &start) {
            return;
        }
        if effect == Effect::Inline && tag == Tag::Other && self.follows_custom_element(&start) {
            effect = Effect::Block;
        }
        if self.reading == Reading::Article && self.hidden_depth.is_none() {
            effect = self.seen(effect, tag, &start);
        }
        let foreign = matches!(tag, Tag::Svg | Tag::Math) || (self.in_foreign() && !is_integration_point(tag));
        let id = self.record(tag, &start);
        self.tokens.set_foreign(foreign);
        let empty = tag.is_void() || (foreign && start.self_closing);
        let is_link = tag == Tag::A
            && match self.reading {
                Reading::Justext => true,
                // Hidden links are left out, because `end` would not reset `permalink_depth` after them.
                Reading::Article => {
                    let is_seen = matches!(effect, Effect::Inline | Effect::Apart) && self.hidden_depth.is_none();
                    is_seen
                        && start.flags.href
                        && !self.is_permalink(&start)
                        && !unclosed::is_unclosed(self.page, start.span.end as usize)
                }
            };
        self.begin(tag, effect, empty, is_link);
        if tag == Tag::Img
            && self.hidden_depth.is_none()
            && let Some(emoji) = self.emoji(&start)
            && !self.is_sign_of_permalink(&emoji, start.span.end as usize)
        {
            self.add_text(&emoji, start.span);
        }
        if empty {
            self.tokens.set_foreign(self.in_foreign());
            self.end(tag, effect);
        } else if let Some(id) = id {
            let name = &self.page[start.span.start as usize + 1..start.name_end as usize];
            let name_hash = if tag == Tag::Other { name_hash(name) } else { 0 };
            let heading = tag.heading_level().or_else(|| self.heading_by_role(effect, &start));
            if tag == Tag::Q {
                self.add_quotation_mark(id, 0, start.span);
            }
            self.push(OpenElement { id, tag, effect, heading, foreign, name_hash });
        } else {
            self.overflow += 1;
        }
    }

    /// Whether a custom element directly follows another one, outside any `p` and heading. It is then treated as a
    /// block. Only style sheets could tell for certain, but these are not read.
    fn follows_custom_element(&self, start: &StartTag) -> bool {
        let is_custom = |name: &str| name.contains('-');
        let (at, name_end) = (start.span.start as usize, start.name_end as usize);
        if self.reading == Reading::Justext || !is_custom(&self.page[at..name_end]) || self.stack.has(Tag::P) {
            return false;
        }
        let tag_before = || self.page[..at].trim_ascii_end().strip_suffix('>')?.rsplit_once('<');
        self.heading.is_none() && tag_before().is_some_and(|(_, tag)| tag.starts_with('/') && is_custom(tag))
    }

    /// Reads the formula that begins at a start tag as one piece of text. Returns false if no formula begins there.
    #[inline]
    fn formula(&mut self, tag: Tag, start: &StartTag) -> bool {
        if !self.formula_finder.may_find {
            return false;
        }
        let StartTag { span, name_end, self_closing, flags } = *start;
        let token = Token { kind: TokenKind::StartTag { tag, name_end, self_closing, flags }, span };
        let class = self.tokens.spans().class.of(&self.page[name_end as usize..]);
        let Some(found) = self.formula_finder.find(self.page, tag, &token, class) else { return false };
        if let Some(id) = self.record(tag, start) {
            let element = &mut self.elements[id.index()];
            (element.close, element.end) = (found.close as u32, found.end as u32);
        }
        self.tokens.skip_to(found.end);
        let is_block = tag.is_block();
        let end_paragraph = |paragraphs: &mut ParagraphMaker| {
            if is_block { paragraphs.flush() } else { paragraphs.inline_tag() }
        };
        end_paragraph(&mut self.paragraphs);
        if let Some(tex) = found.tex {
            let span = Span::new(span.start as usize, found.end);
            self.formulas.push(Formula { at: span.start, display: found.display });
            self.after_br = false;
            self.add_text(&tex, span);
        }
        end_paragraph(&mut self.paragraphs);
        true
    }

    /// The emoji that a picture shows. None for other pictures.
    fn emoji(&self, start: &StartTag) -> Option<Cow<'a, str>> {
        if self.reading == Reading::Justext {
            return None;
        }
        let mut attributes = Attributes::from(self.page, start.name_end as usize);
        let alt = attributes.find(|attribute| attribute.is("alt")).map(|alt| alt.value())?;
        is_emoji(&alt).then_some(alt)
    }

    fn read_styles(&mut self, sheet: &'a str) {
        if let Some(style) = self.innermost() {
            self.hidden_names.read(self.attributes(style), sheet);
        }
    }

    fn end_tag(&mut self, tag: Tag, token: Token, name_end: u32) {
        if matches!(tag, Tag::Html | Tag::Body) {
            return;
        }
        if self.overflow > 0 {
            self.overflow -= 1;
            self.end(tag, self.reading.effect(tag, self.in_body));
            return;
        }
        let name = &self.page[token.span.start as usize + 2..name_end as usize];
        let name_hash = if tag == Tag::Other { name_hash(name) } else { 0 };
        match self.stack.closed_by(tag, name_hash) {
            Some(index) => {
                self.pop_to(index + 1, Span { start: token.span.start, end: token.span.start });
                self.pop(token.span);
            }
            // As in browsers, `</p>` without a start tag splits paragraphs.
            None if tag == Tag::P && self.hidden_depth.is_none() => self.paragraphs.flush(),
            // The `a` is around the current block, so this tag cannot close it. The text after the tag is not a link.
            None if tag == Tag::A => (self.in_link, self.permalink_depth) = (false, None),
            None => {}
        }
    }

    fn text(&mut self, token: Token) {
        let source = token.source(self.page);
        let trimmed = source.trim_ascii_start();
        if trimmed.is_empty() {
            // In `ruby`, white space between characters and their readings only formats the source.
            let is_in_ruby = || self.stack.innermost().is_some_and(|open| open.tag == Tag::Ruby);
            if self.hidden_depth.is_none() && !(self.reading == Reading::Article && is_in_ruby()) {
                self.paragraphs.collapsed.add_blank(source, self.in_link);
            }
            return;
        }
        if self.stack.innermost().is_some_and(|open| open.tag == Tag::Head) {
            self.pop(Span { start: token.span.start, end: token.span.start });
        }
        if self.hidden_depth.is_some() {
            match (token.kind, self.hidden_by) {
                (_, HiddenBy::Tag(Tag::Style)) if self.reading == Reading::Article && self.in_body => {
                    self.read_styles(trimmed);
                }
                (TokenKind::Text, by) => {
                    self.unseen.add(by, trimmed, self.stack.heading_level(), self.stack.has(Tag::A));
                }
                _ => {}
            }
            return;
        }
        let start = token.span.start as usize + source.len() - trimmed.len();
        let span = Span::new(start, start + trimmed.trim_ascii_end().len());
        let place = self.text_position();
        let decoded = match token.kind {
            TokenKind::Text if memchr::memchr(b'&', source.as_bytes()).is_some() => htmlize::unescape(source),
            _ => Cow::Borrowed(source),
        };
        if self.is_sign_of_permalink(&decoded, token.span.end as usize) {
            self.paragraphs.collapsed.add_blank(" ", self.in_link);
            return;
        }
        if self.copy_depth.is_none_or(|at| self.stack.len() <= at) {
            (self.copy_depth, self.copy_may_follow) = (None, false);
        }
        let mut text = &*decoded;
        if let Some(letter) = self.paragraphs.letter_before()
            && place.heading.is_none()
            && self.is_drop_cap(letter, text)
        {
            self.paragraphs.begin_with_letter(text, span, place);
            self.common_depth = self.stack.len();
            text = text.trim_start();
        } else if text.starts_with(['\n', '\r'])
            && self.paragraphs.letter_at_hand().is_some_and(|id| self.is_styled_drop_cap(id))
        {
            text = text.trim_start();
        }
        self.after_br = self.after_br && text.chars().all(char::is_whitespace);
        self.in_body = true;
        self.add_text(text, span);
    }

    fn text_position(&self) -> TextPosition {
        TextPosition {
            element: self.innermost(),
            depth: self.stack.len(),
            heading: self.heading,
            in_link: self.in_link,
        }
    }

    #[inline]
    fn add_text(&mut self, text: &str, span: Span) {
        let common = self.common_depth.checked_sub(1).and_then(|i| self.stack.at(i)).map(|open| open.id);
        self.paragraphs.text(text, span, self.text_position(), self.common_depth, common);
        self.common_depth = self.stack.len();
    }

    /// Adds an element to the page. Returns None if the element cannot be put on the stack: the page has too many
    /// elements (it is not recorded then), or too many are open.
    fn record(&mut self, tag: Tag, start: &StartTag) -> Option<ElementId> {
        let span = start.span;
        if self.elements.len() >= MAX_ELEMENTS {
            return None;
        }
        // `name_length` is a u16: a longer name is cut off.
        let name_start = span.start as usize + 1;
        let name_end = (start.name_end as usize).min(name_start + usize::from(u16::MAX));
        let name_length = self.page.floor_char_boundary(name_end) - name_start;
        let is_whole = name_start + name_length == start.name_end as usize;
        self.tags.insert(tag);
        let id = ElementId(self.elements.len() as u32);
        let parent = self.innermost();
        let in_item = |id: ElementId| self.elements[id.index()].in_item;
        self.elements.push(Element {
            tag,
            is_marked: start.flags.marks,
            may_hide: start.flags.hides,
            in_item: matches!(tag, Tag::Li | Tag::Dd | Tag::Dt) || parent.is_some_and(in_item),
            depth: self.stack.len() as u16,
            name_length: name_length as u16,
            spans: if is_whole { self.tokens.spans() } else { AttributeSpans::UNKNOWN },
            parent,
            start: span.start,
            content: span.end,
            close: span.end,
            end: span.end,
            subtree_end: id.0 + 1,
        });
        (self.stack.len() < MAX_DEPTH).then_some(id)
    }

    fn push(&mut self, open: OpenElement) {
        self.stack.push(open);
        if open.tag == Tag::Pre {
            self.paragraphs.collapsed.keeps_lines = true;
        }
        self.heading = open.heading.or(self.heading);
    }

    /// Closes elements without end tags, until `length` are open.
    fn pop_to(&mut self, length: usize, at: Span) {
        while self.stack.len() > length {
            self.pop(at);
        }
    }

    /// Closes the innermost element. `end` is its end tag, or an empty span if the tag is omitted.
    fn pop(&mut self, end: Span) {
        let Some(open) = self.stack.pop() else { return };
        let subtree_end = self.elements.len() as u32;
        let element = &mut self.elements[open.id.index()];
        element.close = end.start;
        element.end = end.end;
        element.subtree_end = subtree_end;
        self.common_depth = self.common_depth.min(self.stack.len());
        if open.heading.is_some() {
            self.heading = self.stack.heading_level();
        }
        if open.tag == Tag::Pre {
            self.paragraphs.collapsed.keeps_lines = self.stack.has(Tag::Pre);
        }
        if open.foreign != self.in_foreign() {
            self.tokens.set_foreign(!open.foreign);
        }
        if open.tag == Tag::Q {
            self.add_quotation_mark(open.id, 1, end);
        }
        self.end(open.tag, open.effect);
    }

    /// Updates the paragraphs when an element begins.
    fn begin(&mut self, tag: Tag, effect: Effect, empty: bool, is_link: bool) {
        if self.hidden_depth.is_some() {
            return;
        }
        match effect {
            Effect::Hidden if !empty => {
                if tag.is_drawn() && self.hidden_by == HiddenBy::Tag(tag) {
                    self.paragraphs.collapsed.gap();
                }
                self.hidden_depth = Some(self.stack.len());
            }
            Effect::Hidden | Effect::Transparent => {}
            Effect::Block => self.paragraphs.flush(),
            Effect::Inline if tag == Tag::Br => {
                if self.after_br {
                    self.paragraphs.flush();
                } else {
                    self.paragraphs.line_break();
                }
                self.after_br = true;
            }
            Effect::Inline | Effect::Apart => {
                self.after_br = false;
                self.in_link |= is_link;
                self.paragraphs.inline_tag();
                // Style sheets put the source of a quote on a line of its own.
                let is_source =
                    tag == Tag::Cite && self.stack.innermost().is_some_and(|open| open.tag == Tag::Blockquote);
                if tag.is_drawn() || is_source {
                    self.paragraphs.collapsed.gap();
                }
                if effect == Effect::Apart {
                    self.paragraphs.collapsed.space();
                }
            }
        }
    }

    /// Updates the paragraphs when an element ends. The element is no longer on the stack.
    fn end(&mut self, tag: Tag, effect: Effect) {
        if let Some(depth) = self.hidden_depth {
            if self.stack.len() <= depth {
                self.hidden_depth = None;
                self.copy_may_follow |= self.hidden_by == HiddenBy::ForScreenReaders;
            }
            return;
        }
        match effect {
            Effect::Hidden | Effect::Transparent => {}
            Effect::Block => self.paragraphs.flush(),
            Effect::Inline | Effect::Apart => {
                self.in_link &= tag != Tag::A;
                self.permalink_depth = self.permalink_depth.filter(|_| tag != Tag::A);
                self.paragraphs.collapsed.end_run();
                if effect == Effect::Apart {
                    self.paragraphs.collapsed.space();
                }
            }
        }
    }
}

/// Whether the content of this element inside `svg` or `math` is HTML again.
fn is_integration_point(tag: Tag) -> bool {
    matches!(
        tag,
        Tag::ForeignObject
            | Tag::Desc
            | Tag::Title
            | Tag::AnnotationXml
            | Tag::Mi
            | Tag::Mo
            | Tag::Mn
            | Tag::Ms
            | Tag::Mtext
    )
}

#[cfg(test)]
mod tests;
