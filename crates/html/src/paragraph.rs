//! A [`Paragraph`] is a text that readers see as one paragraph, with its numbers of words and characters, which jusText
//! needs. `outline` decides where paragraphs end, and the [`ParagraphMaker`] collects their content.

use serde::{Deserialize, Serialize};

use crate::element::ElementId;
use crate::outline::drop_cap;
use crate::text::script::han_and_kana;
use crate::text::whitespace::CollapsedText;
use crate::tokens::Span;

/// The most paragraphs of a page; all later text belongs to the last one. Real pages have a few hundred. The limit
/// protects against pages of very short paragraphs, because later stages take memory for each paragraph, up to a
/// thousand times its size.
pub(super) const MAX_PARAGRAPHS: usize = 1 << 17;

/// A range of text between two paragraph breaks; never empty.
///
/// ```
/// use goldminer_html::Page;
///
/// let page = Page::parse("<p>Read <a href=/a>more</a>".to_owned());
/// let paragraph = &page.paragraphs()[0];
/// assert_eq!((&*paragraph.text, paragraph.chars, paragraph.link_chars), ("Read more", 9, 4));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Paragraph {
    /// The text: trimmed, each stretch of white space replaced with one space, and character references decoded. Soft
    /// hyphens are removed; jusText's rules keep them.
    pub text: Box<str>,
    /// The range of the page from the paragraph's first to its last character, including the tags between them.
    pub span: Span,
    /// The number of characters in `text`.
    pub chars: u32,
    /// The number of characters inside `<a>`, as jusText counts them. It includes white space at both ends of a link,
    /// so it may be slightly larger than `chars`.
    pub link_chars: u32,
    /// The number of words, separated by white space.
    pub words: u32,
    /// The number of inline tags inside it.
    pub tags: u32,
    /// The innermost element that holds all of its text.
    pub element: Option<ElementId>,
    /// The level (1 to 6) of the heading that it is inside: `h1` to `h6`, or a block with `role="heading"`. Otherwise
    /// None.
    pub heading: Option<u8>,
}

impl Paragraph {
    /// The share of characters in links, from 0 to about 1.
    #[inline]
    pub fn link_density(&self) -> f64 {
        f64::from(self.link_chars) / f64::from(self.chars.max(1))
    }

    /// The weight of its text (see [`script::weight`](crate::text::script::weight)).
    #[inline]
    pub fn weight(&self) -> u32 {
        if self.text.len() == self.chars as usize {
            self.chars
        } else {
            self.chars + 2 * han_and_kana(&self.text) as u32
        }
    }

    /// Whether the paragraph is running text: not a heading, less than half of it in links, and long enough (see
    /// [`is_long`]). A page without running text has no article: it is, for example, a calendar or a list of products.
    #[inline]
    pub fn is_running_text(&self) -> bool {
        self.heading.is_none() && 2 * self.link_chars < self.chars && is_long(&self.text, self.words as usize)
    }
}

/// A piece of a paragraph's text between two tags, and its position on the page. The position shows which elements the
/// text is in, for example whether it is bold.
///
/// ```
/// use goldminer_html::Page;
///
/// let page = Page::parse("<p>It <b>rained</b>.".to_owned());
/// let runs: Vec<_> = page.runs(&page.paragraphs()[0]).iter().map(|run| (run.start, run.end)).collect();
/// assert_eq!(runs, [(0, 2), (3, 9), (9, 10)]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Run {
    /// The byte offset of its first character on the page.
    pub at: u32,
    /// The byte offset in the paragraph's text at which it begins.
    pub start: u32,
    /// The byte offset in the paragraph's text at which it ends.
    pub end: u32,
}

/// Whether a text is longer than a date, a name or an address: at least eight words, or at least 64 bytes of which some
/// are not ASCII (for scripts without spaces).
#[inline]
pub fn is_long(text: &str, words: usize) -> bool {
    words >= 8 || text.len() >= 64 && !text.is_ascii()
}

#[derive(Debug, Clone, Copy)]
pub(super) struct TextPosition {
    /// The innermost open element.
    pub element: Option<ElementId>,
    /// The number of open elements.
    pub depth: usize,
    /// The level (1 to 6) of the heading that the text is inside, if any.
    pub heading: Option<u8>,
    /// Whether the text is inside a link.
    pub in_link: bool,
}

/// Collects the content of the current paragraph.
#[derive(Debug, Default)]
pub(super) struct ParagraphMaker {
    /// The text of the paragraph so far.
    pub collapsed: CollapsedText,
    span: Span,
    tags: u32,
    heading: Option<u8>,
    element: Option<ElementId>,
    /// The depth of `element`.
    depth: usize,
    /// Whether paragraphs are made as readers see them: a single letter may begin the next word, and a paragraph of
    /// invisible characters is dropped.
    as_seen: bool,
    /// A paragraph with a single letter, kept until the next text shows whether it is a drop cap.
    letter: Option<Paragraph>,
    done: Vec<Paragraph>,
    runs: Vec<Run>,
}

impl ParagraphMaker {
    /// With `as_seen`, paragraphs are made as browsers show them: white space between two tags separates words.
    pub(super) fn new(as_seen: bool) -> Self {
        Self { collapsed: CollapsedText::new(as_seen), as_seen, ..Self::default() }
    }

    /// Whether there has been no text since the last paragraph.
    pub(super) fn is_empty(&self) -> bool {
        self.collapsed.len() == 0
    }

    /// The paragraphs that have ended.
    #[inline]
    pub(super) fn done(&self) -> &[Paragraph] {
        &self.done
    }

    /// The previous paragraph, if it is a single letter and no text has followed it. Otherwise None.
    #[inline]
    pub(super) fn letter_before(&self) -> Option<&Paragraph> {
        self.letter.as_ref().filter(|_| self.is_empty())
    }

    /// The element of the current paragraph, if its text so far is a single letter. Otherwise None.
    pub(super) fn letter_at_hand(&self) -> Option<ElementId> {
        self.element.filter(|_| self.collapsed.begins_with(drop_cap::is_letter))
    }

    /// Begins the current paragraph with the letter from [`Self::letter_before`]. `text` follows the letter, and
    /// `place` is the position of `text`.
    pub(super) fn begin_with_letter(&mut self, text: &str, span: Span, place: TextPosition) {
        if let Some(letter) = self.letter.take() {
            self.collapsed.add(&letter.text, false);
            self.span = span;
            (self.element, self.depth, self.heading) = (place.element, place.depth, place.heading);
            self.tags = letter.tags;
            // A space shows that the letter is a word of its own. A line end only formats the source.
            if text.starts_with([' ', '\u{a0}']) {
                self.collapsed.space();
            }
        }
    }

    /// Adds the text at `span`. `common_depth` is the smallest number of open elements since the last text, and
    /// `common` is the innermost of these elements.
    pub(super) fn text(
        &mut self,
        text: &str,
        span: Span,
        place: TextPosition,
        common_depth: usize,
        common: Option<ElementId>,
    ) {
        let before = self.collapsed.len();
        self.collapsed.add(text, place.in_link);
        if self.collapsed.len() == before {
            return;
        }
        if self.as_seen {
            let (start, end) = (self.collapsed.begin_of(before) as u32, self.collapsed.len() as u32);
            self.runs.push(Run { at: span.start, start, end });
        }
        if before == 0 {
            self.done.extend(self.letter.take());
            self.span = span;
            self.element = place.element;
            self.depth = place.depth;
            self.heading = place.heading;
        } else {
            self.span.end = span.end;
            if common_depth < self.depth {
                self.depth = common_depth;
                self.element = common;
            }
        }
    }

    /// Ends the current [`Run`] at an inline tag.
    #[inline]
    pub(super) fn inline_tag(&mut self) {
        self.collapsed.end_run();
        self.tags += 1;
    }

    pub(super) fn line_break(&mut self) {
        self.inline_tag();
        self.collapsed.space();
    }

    /// Ends the paragraph. After [`MAX_PARAGRAPHS`], the text continues in the last paragraph instead.
    #[inline]
    pub(super) fn flush(&mut self) {
        if self.done.len() + 1 < MAX_PARAGRAPHS {
            self.end();
        } else {
            self.collapsed.end_run();
            self.collapsed.space();
        }
    }

    fn end(&mut self) {
        if let Some((text, link_chars, words)) = self.collapsed.take() {
            let paragraph = Paragraph {
                // For most texts, a check for ASCII is faster than counting characters.
                chars: if text.is_ascii() { text.len() } else { text.chars().count() } as u32,
                text,
                span: self.span,
                link_chars,
                words,
                tags: self.tags,
                element: self.element,
                heading: self.heading,
            };
            match paragraph.heading {
                _ if !self.as_seen => self.done.push(paragraph),
                _ if paragraph.text.chars().all(is_invisible) => {}
                None if paragraph.link_chars == 0 && drop_cap::is_letter(&paragraph.text) => {
                    self.letter = Some(paragraph);
                }
                _ => self.done.push(paragraph),
            }
        }
        self.tags = 0;
    }

    pub(super) fn finish(mut self) -> (Vec<Paragraph>, Vec<Run>) {
        self.end();
        self.done.extend(self.letter);
        (self.done, self.runs)
    }
}

/// Whether a character is invisible: white space, joiners, direction marks, soft hyphens, fillers.
fn is_invisible(c: char) -> bool {
    c.is_whitespace()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{e0000}'..='\u{e0fff}')
}

/// The kind of a paragraph: heading, text or list item, as in the CleanEval test set, or one of five further kinds.
///
/// ```
/// use goldminer_html::ParagraphKind;
///
/// assert_eq!(ParagraphKind::Heading.as_str(), "h");
/// assert_eq!(ParagraphKind::Table.as_str(), "table");
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[allow(clippy::exhaustive_enums, reason = "each corpus format must handle every kind")]
pub enum ParagraphKind {
    /// A heading.
    #[serde(rename = "h")]
    Heading,
    /// Running text.
    #[default]
    #[serde(rename = "p")]
    Paragraph,
    /// A list item.
    #[serde(rename = "l")]
    ListItem,
    /// A program listing or the output of a program, with its lines but without line numbers.
    #[serde(rename = "code")]
    Code,
    /// A data table: one row per line, tabs between cells.
    #[serde(rename = "table")]
    Table,
    /// A block quote.
    #[serde(rename = "quote")]
    Quote,
    /// A formula on its own line, as TeX.
    #[serde(rename = "formula")]
    Formula,
    /// The caption of a picture or table. It is not part of a document's text.
    #[serde(rename = "caption")]
    Caption,
}

impl ParagraphKind {
    /// The name of the kind in a corpus: `h`, `p`, `l`, `code`, `table`, `quote`, `formula` or `caption`.
    pub fn as_str(self) -> &'static str {
        serde_variant::to_variant_name(&self).expect("no variant has fields")
    }
}
