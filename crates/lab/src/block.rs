//! Builds the text blocks of the methods BTE and Boilerpipe from the tags and texts of a page (see
//! [`flow`](super::flow)). A block is the text between two tags that the method treats as breaks.

use goldminer_core::document::{DocumentParagraph, ParagraphKind};
use goldminer_html::{Page, Tag};

use super::flow::{Piece, PieceKind, words};

/// A text block.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct TextBlock {
    /// The text, in which each stretch of white space is one space.
    pub text: String,
    /// The byte offset on the page at which it begins.
    pub at: usize,
    /// The byte ranges of `text` that are in links, in order.
    links: Vec<(usize, usize)>,
}

/// The text blocks between the tags for which `breaks` returns true.
pub(crate) fn texts(pieces: &[Piece<'_>], breaks: impl Fn(Tag) -> bool) -> Vec<TextBlock> {
    let (mut texts, mut text) = (Vec::new(), TextBlock::default());
    let (mut space_due, mut in_link) = (false, false);
    for piece in pieces {
        match &piece.kind {
            PieceKind::Start(tag) | PieceKind::End(tag) => {
                if breaks(*tag) {
                    space_due = false;
                    texts.push(std::mem::take(&mut text));
                }
                match (tag, &piece.kind) {
                    (Tag::A, kind) => in_link = matches!(kind, PieceKind::Start(_)),
                    (Tag::Br, PieceKind::Start(_)) => space_due = true,
                    _ => {}
                }
            }
            PieceKind::Text(piece_text) => text.add(piece.at, piece_text, &mut space_due, in_link),
        }
    }
    texts.push(text);
    texts.retain(|text| !text.text.is_empty());
    texts
}

impl TextBlock {
    fn add(&mut self, at: usize, text: &str, space_due: &mut bool, in_link: bool) {
        let bare = text.trim_start();
        *space_due |= bare.len() < text.len();
        if bare.is_empty() {
            return;
        }
        if self.text.is_empty() {
            self.at = at + (text.len() - bare.len());
        }
        let start = self.text.len();
        for run in text.split_whitespace() {
            if *space_due && !self.text.is_empty() {
                self.text.push(' ');
            }
            self.text.push_str(run);
            *space_due = true;
        }
        *space_due = text.ends_with(char::is_whitespace);
        if in_link {
            self.links.push((start, self.text.len()));
        }
    }

    /// The block's words, each with a flag whether it begins in a link. Words without letters and digits are left out.
    pub(crate) fn words(&self) -> impl Iterator<Item = (&str, bool)> {
        let mut links = self.links.iter().peekable();
        words(&self.text).filter(|(_, word)| word.chars().any(char::is_alphanumeric)).map(move |(at, word)| {
            while links.next_if(|(_, end)| *end <= at).is_some() {}
            (word, links.peek().is_some_and(|(start, _)| *start <= at))
        })
    }

    /// Converts the block to a paragraph. Its kind is that of the page's paragraph in which it begins.
    pub(crate) fn into_paragraph(self, page: &Page) -> DocumentParagraph {
        let kind = page.paragraph_at(self.at).map_or(ParagraphKind::Paragraph, |paragraph| page.kind(paragraph));
        DocumentParagraph::new(kind, self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flow::flow;

    fn gathered(html: &str) -> TextBlock {
        let page = Page::parse(html.to_owned());
        let [text] = &texts(&flow(&page), |_| false)[..] else { panic!("one text") };
        text.clone()
    }

    #[test]
    fn white_space_is_collapsed_and_inline_tags_split_no_words() {
        let text = gathered("  <i>\n</i> one<b>two</b>  three<br>four &nbsp; five ");
        assert_eq!(text.text, "onetwo three four five");
        assert_eq!(text.at, 11);
    }

    #[test]
    fn words_are_flagged_if_they_begin_in_a_link() {
        let text = gathered("see <a href=x>this page</a>, or <a href=y>that</a> — now");
        let words: Vec<_> = text.words().collect();
        assert_eq!(
            words,
            [("see", false), ("this", true), ("page,", true), ("or", false), ("that", true), ("now", false)]
        );
    }
}
