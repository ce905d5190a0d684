//! What is passed over of a page because readers don't see it, and whether it is the article all the same: a page that shows
//! nothing else has it in `<noscript>`, or hides it until a script comes.

use super::paragraph::Paragraph;
use super::tag::Tag;

/// Less text is no article, in bytes.
const MIN_UNSEEN: usize = 300;
/// Shorter pieces of text are labels, in bytes.
const MIN_RUNNING: usize = 60;

/// What is shown although a browser would not.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Shown {
    pub noscript: bool,
    pub hidden: bool,
}

/// What was passed over.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Unseen {
    noscript: Text,
    hidden: Text,
}

/// Bytes of running text, and whether a headline was among it.
#[derive(Debug, Clone, Copy, Default)]
struct Text {
    bytes: usize,
    has_headline: bool,
}

impl Unseen {
    /// Counts text that an element hides: the one of this name, or any by its attributes.
    pub(super) fn add(&mut self, hidden_by: Option<Tag>, text: &str, is_headline: bool) {
        let unseen = match hidden_by {
            Some(Tag::Noscript) => &mut self.noscript,
            None => &mut self.hidden,
            Some(_) => return,
        };
        unseen.bytes += if text.len() >= MIN_RUNNING { text.len() } else { 0 };
        unseen.has_headline |= is_headline;
    }

    /// What has to be shown, if anything: what is more than the paragraphs that are seen, or has the headline that they lack.
    pub(super) fn shown_anyway(&self, seen: &[Paragraph]) -> Option<Shown> {
        if self.noscript.bytes.max(self.hidden.bytes) < MIN_UNSEEN {
            return None;
        }
        let bytes: usize = seen.iter().filter(|p| p.is_running_text()).map(|p| p.text.len()).sum();
        let has_headline = seen.iter().any(|paragraph| paragraph.heading == Some(1));
        // A headline alone is often the site's name, with a picture in its place.
        let is_article = |unseen: &Text| {
            let has_more = unseen.bytes > bytes || (2 * unseen.bytes > bytes && unseen.has_headline && !has_headline);
            unseen.bytes >= MIN_UNSEEN && has_more
        };
        let shown = Shown { noscript: is_article(&self.noscript), hidden: is_article(&self.hidden) };
        (shown != Shown::default()).then_some(shown)
    }
}
