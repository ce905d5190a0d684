//! A [`Paragraph`] is a range of text that readers see as one, with the counts that jusText needs. `outline` decides
//! where paragraphs end, and calls the [`ParagraphMaker`], which collects their content.

use serde::{Deserialize, Serialize};

use crate::element::ElementId;
use crate::outline::drop_cap;
use crate::text::whitespace::Folder;
use crate::tokens::Span;

/// The most paragraphs of a page: all later text belongs to the last one. Real pages have some hundred; in a page made
/// only of paragraph ends, each would cost a thousand times its bytes in the later stages.
pub(super) const MAX_PARAGRAPHS: usize = 1 << 17;

/// A stretch of text between two paragraph breaks. Never empty.
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
    /// White space folded, character references decoded, trimmed; without marks at which a word may be broken.
    pub text: Box<str>,
    /// The bytes from its first to its last character in the page, with the tags between.
    pub span: Span,
    /// Characters of `text`.
    pub chars: u32,
    /// Characters inside of `<a>`, as jusText counts them: white space at the ends of a link counts, so that it may be
    /// a little more than `chars`.
    pub link_chars: u32,
    /// Words between white space.
    pub words: u32,
    /// Inline tags inside.
    pub tags: u32,
    /// The innermost element that holds all of its text.
    pub element: Option<ElementId>,
    /// 1 to 6 inside of `h1` to `h6`.
    pub heading: Option<u8>,
}

impl Paragraph {
    /// The share of characters in links, from 0 to about 1.
    #[inline]
    pub fn link_density(&self) -> f64 {
        f64::from(self.link_chars) / f64::from(self.chars.max(1))
    }

    /// Whether it is running text: no heading, not mostly links, and more than a date or a name. A page on which nothing
    /// is has no article, whatever stands in the place of one (the empty days of a calendar, the sheets of a shop).
    #[inline]
    pub fn is_running_text(&self) -> bool {
        self.heading.is_none() && 2 * self.link_chars < self.chars && is_long(&self.text, self.words as usize)
    }
}

/// A piece of a paragraph's text between two tags, and its place in the page: the marks inside of a paragraph are made
/// from these and the elements.
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
    /// Its first character in the page.
    pub at: u32,
    /// Its first byte in the paragraph's text …
    pub start: u32,
    /// … and the byte after its last one.
    pub end: u32,
}

/// Whether a text has eight words, or as much text without spaces: more than a date, a name, an address.
#[inline]
pub fn is_long(text: &str, words: usize) -> bool {
    words >= 8 || text.len() >= 64 && !text.is_ascii()
}

/// Where a piece of text is.
#[derive(Debug, Clone, Copy)]
pub(super) struct TextPosition {
    /// The innermost open element.
    pub element: Option<ElementId>,
    /// The number of open elements.
    pub depth: usize,
    /// Inside of `h1` to `h6`.
    pub heading: Option<u8>,
    /// Inside of `<a>`.
    pub in_link: bool,
}

/// Gathers the paragraph at hand.
#[derive(Debug, Default)]
pub(super) struct ParagraphMaker {
    folder: Folder,
    span: Span,
    tags: u32,
    heading: Option<u8>,
    element: Option<ElementId>,
    /// The depth of `element`.
    depth: usize,
    /// Whether it is read as readers see it: a single letter may begin the word after it, and invisible characters are
    /// no text.
    as_seen: bool,
    /// A letter that is a paragraph, until the following text shows whether it is a drop cap.
    letter: Option<Paragraph>,
    done: Vec<Paragraph>,
    runs: Vec<Run>,
}

impl ParagraphMaker {
    /// `as_seen`: as browsers show them, where white space alone between two tags separates words.
    pub(super) fn new(as_seen: bool) -> Self {
        Self { folder: Folder::new(as_seen), as_seen, ..Self::default() }
    }

    /// Whether no text has come since the last paragraph.
    pub(super) fn is_empty(&self) -> bool {
        self.folder.len() == 0
    }

    /// The paragraph before, if it is nothing but a letter and nothing has come since.
    #[inline]
    pub(super) fn letter_before(&self) -> Option<&Paragraph> {
        self.letter.as_ref().filter(|_| self.is_empty())
    }

    /// The element of a letter that begins the current paragraph, if it has no other text so far.
    pub(super) fn letter_at_hand(&self) -> Option<ElementId> {
        self.element.filter(|_| self.folder.begins_with(drop_cap::is_letter))
    }

    /// The letter before begins the paragraph that comes now, which has its place.
    pub(super) fn begin_with_letter(&mut self, text: &str, span: Span, place: TextPosition) {
        if let Some(letter) = self.letter.take() {
            self.folder.add(&letter.text, false);
            self.span = span;
            (self.element, self.depth, self.heading) = (place.element, place.depth, place.heading);
            self.tags = letter.tags;
            // A word of one letter is followed by a space; line ends are only those of the source.
            if text.starts_with([' ', '\u{a0}']) {
                self.folder.space();
            }
        }
    }

    /// Adds the text at `span`. `common_depth` is the smallest number of open elements since the last text, and
    /// `common` the innermost of those.
    pub(super) fn text(
        &mut self,
        text: &str,
        span: Span,
        place: TextPosition,
        common_depth: usize,
        common: Option<ElementId>,
    ) {
        let before = self.folder.len();
        self.folder.add(text, place.in_link);
        if self.folder.len() == before {
            return;
        }
        if self.as_seen {
            let (start, end) = (self.folder.begin_of(before) as u32, self.folder.len() as u32);
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

    /// Adds white space between two tags.
    #[inline]
    pub(super) fn blank(&mut self, in_link: bool) {
        self.folder.blank(in_link);
    }

    /// An inline tag: the text before it and after it are two runs.
    #[inline]
    pub(super) fn inline_tag(&mut self) {
        self.folder.end_run();
        self.tags += 1;
    }

    /// The end of an inline element.
    #[inline]
    pub(super) fn inline_end(&mut self) {
        self.folder.end_run();
    }

    /// A `<br>` inside of the paragraph.
    pub(super) fn line_break(&mut self) {
        self.inline_tag();
        self.folder.space();
    }

    /// The paragraph ends here, unless there are so many that it is the last one.
    #[inline]
    pub(super) fn flush(&mut self) {
        if self.done.len() + 1 < MAX_PARAGRAPHS {
            self.end();
        } else {
            self.folder.end_run();
            self.folder.space();
        }
    }

    fn end(&mut self) {
        if let Some((text, link_chars, words)) = self.folder.take() {
            let paragraph = Paragraph {
                // Checking that all characters are single bytes costs less than counting them.
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

    /// All paragraphs, and the pieces of their texts.
    pub(super) fn finish(mut self) -> (Vec<Paragraph>, Vec<Run>) {
        self.end();
        self.done.extend(self.letter);
        (self.done, self.runs)
    }
}

/// Characters that take no place or show nothing: white space, joiners and marks of direction, soft hyphens, fillers.
fn is_invisible(c: char) -> bool {
    c.is_whitespace()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{e0000}'..='\u{e0fff}')
}

/// The kind of a paragraph: the three of CleanEval, and what reads otherwise than running text.
///
/// ```
/// use goldminer_html::ParagraphKind;
///
/// assert_eq!(ParagraphKind::Heading.as_str(), "h");
/// assert_eq!(ParagraphKind::Table.as_str(), "table");
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[allow(clippy::exhaustive_enums, reason = "whoever writes a corpus has a form for each of them")]
pub enum ParagraphKind {
    /// A heading.
    #[serde(rename = "h")]
    Heading,
    /// Running text.
    #[default]
    #[serde(rename = "p")]
    Paragraph,
    /// An item of a list.
    #[serde(rename = "l")]
    ListItem,
    /// A listing of a program, or what one printed, with its lines and without their numbers.
    #[serde(rename = "code")]
    Code,
    /// A table of data: one row per line, tabs between the cells.
    #[serde(rename = "table")]
    Table,
    /// Somebody else's words in a block of their own.
    #[serde(rename = "quote")]
    Quote,
    /// A formula in a block of its own, as TeX.
    #[serde(rename = "formula")]
    Formula,
    /// The text below a picture or a table. The text of a document leaves it out.
    #[serde(rename = "caption")]
    Caption,
}

impl ParagraphKind {
    /// `h`, `p`, `l`, `code`, `table`, `quote`, `formula` or `caption`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Heading => "h",
            Self::Paragraph => "p",
            Self::ListItem => "l",
            Self::Code => "code",
            Self::Table => "table",
            Self::Quote => "quote",
            Self::Formula => "formula",
            Self::Caption => "caption",
        }
    }
}
