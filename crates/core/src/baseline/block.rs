//! Text between two breaks, put together piece by piece, with the words that links hold: what BTE and Boilerpipe make of
//! a [`flow`](super::flow).

use goldminer_html::{Page, Tag};

use super::flow::PieceKind;
use super::words::words;
use crate::document::{DocumentParagraph, ParagraphKind};

/// A stretch of text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Text {
    /// White space folded.
    pub text: String,
    /// The byte of the page that it begins at.
    pub at: usize,
    /// The bytes of `text` inside of links, in order.
    links: Vec<(usize, usize)>,
}

/// Gathers the text at hand.
#[derive(Debug, Default)]
pub(super) struct Gatherer {
    text: String,
    at: usize,
    links: Vec<(usize, usize)>,
    space_due: bool,
    in_link: bool,
}

impl Text {
    /// The words that are any (punctuation alone is none), with whether they begin in a link.
    pub(super) fn words(&self) -> impl Iterator<Item = (&str, bool)> {
        let mut links = self.links.iter().peekable();
        words(&self.text).filter(|(_, word)| word.chars().any(char::is_alphanumeric)).map(move |(at, word)| {
            while links.next_if(|(_, end)| *end <= at).is_some() {}
            (word, links.peek().is_some_and(|(start, _)| *start <= at))
        })
    }

    /// What readers take it for.
    pub(super) fn kind(&self, page: &Page) -> ParagraphKind {
        page.paragraph_at(self.at).map_or(ParagraphKind::Paragraph, |paragraph| page.kind(paragraph))
    }

    pub(super) fn into_paragraph(self, page: &Page) -> DocumentParagraph {
        DocumentParagraph { kind: self.kind(page), text: self.text }
    }
}

impl Gatherer {
    /// Adds a piece; if it `breaks`, what was gathered before it is handed out.
    pub(super) fn add(&mut self, at: usize, piece: &PieceKind<'_>, breaks: bool) -> Option<Text> {
        let done = if breaks { self.take() } else { None };
        match piece {
            PieceKind::Start(Tag::A) => self.in_link = true,
            PieceKind::End(Tag::A) => self.in_link = false,
            PieceKind::Start(Tag::Br) => self.space_due = true,
            PieceKind::Start(_) | PieceKind::End(_) => {}
            PieceKind::Text(text) => self.text(at, text),
        }
        done
    }

    /// Hands out what was gathered, if that is more than white space.
    pub(super) fn take(&mut self) -> Option<Text> {
        self.space_due = false;
        let (text, links) = (std::mem::take(&mut self.text), std::mem::take(&mut self.links));
        (!text.is_empty()).then_some(Text { text, at: self.at, links })
    }

    fn text(&mut self, at: usize, text: &str) {
        let mut runs = text.split_whitespace().peekable();
        if runs.peek().is_none() {
            self.space_due |= !text.is_empty();
            return;
        }
        if self.text.is_empty() {
            self.at = at + (text.len() - text.trim_start().len());
        }
        self.space_due |= text.starts_with(char::is_whitespace);
        let start = self.text.len();
        for run in runs {
            if self.space_due && !self.text.is_empty() {
                self.text.push(' ');
            }
            self.text.push_str(run);
            self.space_due = true;
        }
        self.space_due = text.ends_with(char::is_whitespace);
        if self.in_link {
            self.links.push((start, self.text.len()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::flow::flow;
    use super::*;

    fn gathered(html: &str) -> Text {
        let page = Page::parse(html.to_owned());
        let mut gatherer = Gatherer::default();
        for piece in flow(&page) {
            assert_eq!(gatherer.add(piece.at, &piece.kind, false), None);
        }
        gatherer.take().unwrap()
    }

    #[test]
    fn white_space_is_folded_and_tags_inside_of_words_leave_them_whole() {
        let text = gathered("  <i>\n</i> one<b>two</b>  three<br>four &nbsp; five ");
        assert_eq!(text.text, "onetwo three four five");
        assert_eq!(text.at, 11);
    }

    #[test]
    fn words_know_whether_a_link_holds_them() {
        let text = gathered("see <a href=x>this page</a>, or <a href=y>that</a> — now");
        let words: Vec<_> = text.words().collect();
        assert_eq!(
            words,
            [("see", false), ("this", true), ("page,", true), ("or", false), ("that", true), ("now", false)]
        );
    }
}
