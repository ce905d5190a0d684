//! The parts of a page that are skipped because readers do not see them, and whether they are the article. Some pages
//! have their article in `<noscript>`, hide it until a script runs, or were saved with a dialog in front of it.

use super::hidden::HiddenBy;
use crate::paragraph::Paragraph;
use crate::tag::Tag;

/// The fewest bytes of text in an article.
const MIN_UNSEEN: usize = 300;
/// The fewest bytes in a piece of running text; shorter pieces are labels.
const MIN_RUNNING: usize = 60;

/// The parts that are shown although browsers hide them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Shown {
    pub noscript: bool,
    pub hidden: bool,
    /// Parts that are hidden only from screen readers, by their tags.
    pub aria: bool,
    pub dialogs: bool,
}

impl Shown {
    /// Whether parts that are hidden like this are shown.
    pub(crate) fn shows(self, by: HiddenBy) -> bool {
        match by {
            HiddenBy::Tag(tag) => tag == Tag::Noscript && self.noscript,
            HiddenBy::Attribute | HiddenBy::ForScreenReaders => self.hidden,
            HiddenBy::Aria => self.aria || self.hidden,
            HiddenBy::Dialog => self.dialogs,
        }
    }
}

#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Unseen {
    noscript: Text,
    hidden: Text,
    aria: Text,
    dialogs: Text,
}

/// The bytes of running text, and whether there is a headline.
#[derive(Debug, Clone, Copy, Default)]
struct Text {
    bytes: usize,
    has_headline: bool,
}

impl Text {
    /// Whether this is the article of a page whose visible text is `seen`.
    fn is_article_of(self, seen: Self) -> bool {
        // A headline alone is often the site's name, for which the page shows a picture.
        let has_more =
            self.bytes > seen.bytes || (2 * self.bytes > seen.bytes && self.has_headline && !seen.has_headline);
        self.bytes >= MIN_UNSEEN && has_more
    }

    fn and(self, other: Self) -> Self {
        Self { bytes: self.bytes + other.bytes, has_headline: self.has_headline || other.has_headline }
    }
}

impl Unseen {
    /// Counts text that `by` hides.
    pub(crate) fn add(&mut self, by: HiddenBy, text: &str, is_headline: bool) {
        let unseen = match by {
            HiddenBy::Tag(Tag::Noscript) => &mut self.noscript,
            HiddenBy::Tag(_) => return,
            HiddenBy::Attribute | HiddenBy::ForScreenReaders => &mut self.hidden,
            HiddenBy::Aria => &mut self.aria,
            HiddenBy::Dialog => &mut self.dialogs,
        };
        unseen.bytes += if text.len() >= MIN_RUNNING { text.len() } else { 0 };
        unseen.has_headline |= is_headline;
    }

    /// The parts that must be shown, if any: those with more text than the visible paragraphs, or with the headline
    /// that these lack. A dialog is the article if it has more text than everything else and the page's only
    /// headline.
    pub(crate) fn shown_anyway(&self, paragraphs: &[Paragraph]) -> Option<Shown> {
        let all = self.noscript.and(self.hidden).and(self.aria);
        if all.bytes.max(self.dialogs.bytes) < MIN_UNSEEN {
            return None;
        }
        let bytes = paragraphs.iter().filter(|p| p.is_running_text()).map(|p| p.text.len()).sum();
        let seen = Text { bytes, has_headline: paragraphs.iter().any(|paragraph| paragraph.heading == Some(1)) };
        let aria = self.aria.is_article_of(seen);
        let behind = if aria { seen.and(self.aria) } else { seen };
        let shown = Shown {
            noscript: self.noscript.is_article_of(behind),
            hidden: self.hidden.is_article_of(behind),
            aria,
            dialogs: self.dialogs.is_article_of(seen.and(all))
                && self.dialogs.has_headline
                && !seen.and(all).has_headline,
        };
        (shown != Shown::default()).then_some(shown)
    }
}
