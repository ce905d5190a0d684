//! Measures the parts of a page that are skipped because readers do not see them, and decides whether they are the
//! article. Some pages have their article in `<noscript>` or in a dialog, or hide it until a script runs. `rest` finds
//! parts that hide only the rest of the article.

use super::hidden::HiddenBy;
use super::rest::Rest;
use crate::paragraph::Paragraph;
use crate::tag::Tag;
use crate::tokens::decoded;

/// The fewest bytes of text in a skipped part that can be the article.
const MIN_UNSEEN: usize = 300;
/// The fewest bytes in a piece of text that is counted; shorter pieces are labels.
const MIN_RUNNING: usize = 60;

/// The hidden parts that are read as if they were visible: kinds of parts, and the rest of an article.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct ShownParts {
    pub noscript: bool,
    pub hidden: bool,
    /// Parts with `aria-hidden`.
    pub aria: bool,
    pub dialogs: bool,
    /// The hidden blocks that are the rest of the article.
    pub rest: Rest,
}

impl ShownParts {
    /// Whether parts that `by` hides are read as if they were visible.
    pub(crate) fn shows(self, by: HiddenBy) -> bool {
        match by {
            HiddenBy::Tag(tag) => tag == Tag::Noscript && self.noscript,
            HiddenBy::Attribute | HiddenBy::ForScreenReaders => self.hidden,
            HiddenBy::Aria => self.aria || self.hidden,
            HiddenBy::Dialog => self.dialogs,
        }
    }
}

/// The amount of text in the skipped parts of a page, by kind.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct SkippedText {
    noscript: TextAmount,
    hidden: TextAmount,
    aria: TextAmount,
    dialogs: TextAmount,
    /// The last hidden blocks that may be the rest of the article.
    pub(super) rest: Option<Rest>,
    /// Whether the last hidden element is part of `rest`.
    pub(super) in_rest: bool,
    /// The longest hidden rest of an article before `rest`.
    longest: Rest,
}

/// The bytes of running text in some parts of a page, and whether they have a headline.
#[derive(Debug, Clone, Copy, Default)]
struct TextAmount {
    bytes: usize,
    has_headline: bool,
}

impl TextAmount {
    /// Whether this hidden text is the article of a page whose visible text is `seen`. It must have at least
    /// [`MIN_UNSEEN`] bytes. It must also be longer than `seen`, or have the only headline and more than half of its
    /// length.
    fn is_article_of(self, seen: Self) -> bool {
        // The headline is not enough: a hidden `h1` is often the site's name, which the page shows as a picture.
        let has_more =
            self.bytes > seen.bytes || (2 * self.bytes > seen.bytes && self.has_headline && !seen.has_headline);
        self.bytes >= MIN_UNSEEN && has_more
    }

    fn and(self, other: Self) -> Self {
        Self { bytes: self.bytes + other.bytes, has_headline: self.has_headline || other.has_headline }
    }
}

impl SkippedText {
    /// Counts a text that `by` hides, in bytes after decoding. `source` is the text as written on the page. As in visible
    /// text, headings and links do not count.
    pub(crate) fn add(&mut self, by: HiddenBy, source: &str, heading: Option<u8>, in_link: bool) {
        let unseen = match by {
            HiddenBy::Tag(Tag::Noscript) => &mut self.noscript,
            HiddenBy::Tag(_) => return,
            HiddenBy::Attribute | HiddenBy::ForScreenReaders => &mut self.hidden,
            HiddenBy::Aria => &mut self.aria,
            HiddenBy::Dialog => &mut self.dialogs,
        };
        unseen.has_headline |= heading == Some(1);
        let bytes = decoded(source).len();
        let running = if heading.is_none() && !in_link && bytes >= MIN_RUNNING { bytes } else { 0 };
        unseen.bytes += running;
        if let Some(rest) = self.rest.as_mut().filter(|_| self.in_rest) {
            rest.all += bytes;
            rest.running += running;
        }
    }

    /// Begins another hidden part that may be the rest of the article.
    pub(super) fn begin_rest(&mut self, rest: Rest) {
        self.longest = self.longest_rest();
        self.rest = Some(rest);
    }

    fn longest_rest(&self) -> Rest {
        let last = self.rest.filter(|rest| rest.is_of_article() && rest.running >= MIN_UNSEEN);
        last.filter(|rest| rest.running > self.longest.running).unwrap_or(self.longest)
    }

    /// The hidden parts that are the page's article, or the rest of it, and so must be read; None if there are none.
    /// [`TextAmount::is_article_of`] decides about each kind of part. A dialog is compared with all other text, and
    /// must also have the page's only headline.
    pub(crate) fn hidden_article(&self, paragraphs: &[Paragraph]) -> Option<ShownParts> {
        let all = self.noscript.and(self.hidden).and(self.aria);
        if all.bytes.max(self.dialogs.bytes) < MIN_UNSEEN {
            return None;
        }
        let bytes = paragraphs.iter().filter(|p| p.is_running_text()).map(|p| p.text.len()).sum();
        let seen = TextAmount { bytes, has_headline: paragraphs.iter().any(|paragraph| paragraph.heading == Some(1)) };
        let aria = self.aria.is_article_of(seen);
        let behind = if aria { seen.and(self.aria) } else { seen };
        let shown = ShownParts {
            noscript: self.noscript.is_article_of(behind),
            hidden: self.hidden.is_article_of(behind),
            aria,
            dialogs: self.dialogs.is_article_of(seen.and(all))
                && self.dialogs.has_headline
                && !seen.and(all).has_headline,
            rest: self.longest_rest(),
        };
        (shown != ShownParts::default()).then_some(shown)
    }
}

#[cfg(test)]
mod tests {
    use crate::Page;

    fn shows(hidden: &str) -> bool {
        let story = "It rained all day in the town, and nobody lent an umbrella. ".repeat(6);
        let page = Page::parse(format!("<h1>Rain</h1><p>{story}<div hidden>{hidden}</div>"));
        page.paragraphs().len() > 2
    }

    #[test]
    fn only_decoded_running_text_of_hidden_parts_counts() {
        let sentence = "It rained in Rome for a week, and then the sun came out over the river.";
        assert!(shows(&format!("<p>{sentence}").repeat(6)));
        assert!(!shows(&format!("<p><a href=/a>{sentence}</a>").repeat(6)), "a menu");
        assert!(!shows(&format!("<h2>{sentence}</h2>").repeat(6)), "titles");
        let coded = |times| format!("<p>{}", "&#1076;&#1086;&#1078;&#1076;&#1100; ".repeat(times));
        assert!(!shows(&coded(25)), "275 bytes in references");
        assert!(shows(&coded(40)), "440 bytes in references");
    }
}
