//! A [`Paragraph`] is a stretch of text that readers see as one, with what jusText counts in it. `outline` tells the
//! [`ParagraphMaker`] what it meets; where paragraphs end is decided there, what they hold is gathered here.

use super::element::ElementId;
use super::fold::Folder;
use super::tokens::Span;

/// How many paragraphs a page has at most: all that comes behind belongs to the last one. Real pages have some hundred; of
/// one that is made of paragraphs' ends alone, each would take a thousand times its bytes until all have looked at it.
pub(super) const MAX_PARAGRAPHS: usize = 1 << 17;

/// A stretch of text between two paragraph breaks. Never empty.
///
/// ```
/// use goldminer_core::page::Page;
///
/// let page = Page::parse("<p>Read <a href=/a>more</a>".to_owned());
/// let paragraph = &page.paragraphs()[0];
/// assert_eq!((&*paragraph.text, paragraph.chars, paragraph.link_chars), ("Read more", 9, 4));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Paragraph {
    /// White space folded, character references decoded, trimmed.
    pub text: Box<str>,
    /// From its first to its last character in the page, with the tags between.
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
    #[must_use]
    pub fn link_density(&self) -> f64 {
        f64::from(self.link_chars) / f64::from(self.chars.max(1))
    }

    /// Whether it is running text: no heading, not mostly links, and more than a date or a name. A page on which nothing
    /// is has no article, whatever stands in the place of one (the empty days of a calendar, the sheets of a shop).
    #[must_use]
    pub fn is_running_text(&self) -> bool {
        self.heading.is_none() && 2 * self.link_chars < self.chars && is_long(&self.text, self.words as usize)
    }
}

/// Eight words, or as much without spaces between: more than a date, a name, an address.
pub(crate) fn is_long(text: &str, words: usize) -> bool {
    words >= 8 || text.len() >= 64 && !text.is_ascii()
}

/// Where a piece of text stands.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
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
#[derive(Debug)]
pub(super) struct ParagraphMaker {
    folder: Folder,
    span: Span,
    tags: u32,
    heading: Option<u8>,
    element: Option<ElementId>,
    /// The depth of `element`.
    depth: usize,
    done: Vec<Paragraph>,
}

impl ParagraphMaker {
    /// `blank_runs_count`: white space alone between two tags separates words.
    pub(super) fn new(blank_runs_count: bool) -> Self {
        Self {
            folder: Folder::new(blank_runs_count),
            span: Span::default(),
            tags: 0,
            heading: None,
            element: None,
            depth: 0,
            done: Vec::new(),
        }
    }

    /// Adds text that stands at `span`. `common_depth` is the smallest number of open elements since the last text, and
    /// `common` the innermost of those.
    pub(super) fn text(
        &mut self,
        text: &str,
        span: Span,
        place: Place,
        common_depth: usize,
        common: Option<ElementId>,
    ) {
        let before = self.folder.len();
        self.folder.add(text, place.in_link);
        if self.folder.len() == before {
            return;
        }
        if before == 0 {
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
        self.folder.add_blank(in_link);
    }

    /// An inline tag: the text before and behind it are two runs.
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
            self.done.push(Paragraph {
                // To see that all of them take a byte costs less than to count them.
                chars: if text.is_ascii() { text.len() } else { text.chars().count() } as u32,
                text,
                span: self.span,
                link_chars,
                words,
                tags: self.tags,
                element: self.element,
                heading: self.heading,
            });
        }
        self.tags = 0;
    }

    /// All paragraphs.
    pub(super) fn finish(mut self) -> Vec<Paragraph> {
        self.end();
        self.done
    }
}
