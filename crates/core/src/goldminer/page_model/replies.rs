//! Finds where readers can reply: links to the page's reply form, and links, buttons and lines that consist of the
//! word for a reply.

use goldminer_html::{ElementId, Page, Paragraph, Tag, TokenKind, Tokens};

use super::{Node, PageModel};
use crate::phrases::{Categories, PHRASES, category};

/// The most characters of a link or button to reply.
const MAX_REPLY: u32 = 30;
/// The most bytes of the tags inside a button.
const MAX_BUTTON: usize = 400;

/// Words for a reply, at the beginning of links and buttons below a comment.
const REPLY: Categories = category("comments/reply");

/// The places of a page where readers can reply.
pub(super) struct Replies {
    /// Blocks that consist of a link to a reply form, in page order.
    links: Vec<usize>,
    /// Blocks that consist of the word for a reply, in page order.
    words: Vec<usize>,
    /// Buttons with the word for a reply; their text is not in any block.
    buttons: Vec<ElementId>,
}

impl Replies {
    pub(super) fn of(page: &Page, paragraphs: &[Paragraph], model: &PageModel) -> Self {
        let is_short = |at: &usize| model.blocks[*at].weight <= MAX_REPLY && !model.blocks[*at].heading;
        let short = (0..paragraphs.len()).filter(is_short);
        let buttons = page.elements_of(Tag::Button).filter(|id| asks_for_reply(page, *id));
        Self {
            links: links(page, paragraphs, model),
            words: short.filter(|at| is_reply_text(&paragraphs[*at].text)).collect(),
            buttons: buttons.collect(),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.links.is_empty() && self.words.is_empty() && self.buttons.is_empty()
    }

    /// Whether a row has a link, word or button to reply.
    pub(super) fn are_in(&self, row: &Node, page: &Page) -> bool {
        is_any_in(&self.links, row) || self.have_word_in(row, page)
    }

    /// Whether a row has the word for a reply.
    pub(super) fn have_word_in(&self, row: &Node, page: &Page) -> bool {
        let next = self.buttons.partition_point(|button| *button < row.element);
        is_any_in(&self.words, row) || self.buttons.get(next).is_some_and(|button| page.is_within(*button, row.element))
    }
}

fn is_any_in(blocks: &[usize], row: &Node) -> bool {
    let next = blocks.partition_point(|at| *at < row.blocks.start);
    blocks.get(next).is_some_and(|at| row.blocks.contains(at))
}

/// Whether a text consists of the word for a reply, with or without a name: `Reply`, `↩ Reply to anna (2)`.
fn is_reply_text(text: &str) -> bool {
    let text = text.trim_start_matches(|c: char| !c.is_alphanumeric());
    let is_word = PHRASES.at_start(text, REPLY).any(|(_, rest)| !rest.starts_with(char::is_alphabetic));
    is_word && text.split_whitespace().count() <= 4
}

fn asks_for_reply(page: &Page, button: ElementId) -> bool {
    let inside = page.inner_source(button);
    if inside.len() > MAX_BUTTON {
        return false;
    }
    let texts = Tokens::new(inside).filter(|token| token.kind == TokenKind::Text);
    let text: String = texts.map(|token| token.text(inside)).collect();
    text.chars().count() <= MAX_REPLY as usize && is_reply_text(&text)
}

/// The text blocks that consist of a short link to a form for replies: `?replytocom=7#respond`. Other links within the
/// page may lead anywhere, such as to a post of a live blog.
fn links(page: &Page, paragraphs: &[Paragraph], model: &PageModel) -> Vec<usize> {
    let is_word = |word: &str| word.starts_with("reply") || word == "respond";
    let answers = |href: &str| href.split(|c: char| !c.is_ascii_alphanumeric()).any(is_word);
    let is_reply = |(id, at): &(ElementId, usize)| {
        let block = &model.blocks[*at];
        let is_whole = block.link_share >= 0.9 && block.weight <= MAX_REPLY;
        is_whole && page.attribute(*id, "href").is_some_and(|href| answers(href.trim()))
    };
    page.links_in(paragraphs).filter(is_reply).map(|(_, at)| at).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_for_a_reply_are_found_in_any_case() {
        for word in PHRASES.list(REPLY).map(|phrase| &*phrase.text) {
            let (first, rest) = word.split_at(word.chars().next().unwrap().len_utf8());
            assert!(is_reply_text(word) && is_reply_text(&format!("{}{rest}", first.to_uppercase())), "{word}");
        }
    }

    #[test]
    fn words_for_a_reply_may_be_followed_by_a_name() {
        for text in ["Reply", "↩ Reply to anna (2)", "Répondre", "ОТВЕТИТЬ", "回复", "Responder a Ana"] {
            assert!(is_reply_text(text), "{text}");
        }
        for text in ["Antwort", "Reply to the mayor came late and was short", "Replying", "回复她", "", "No reply"] {
            assert!(!is_reply_text(text), "{text}");
        }
    }
}
