//! Reads ahead in the page to decide four questions about an element. Is a button a heading? Is a button part of a
//! sentence? Does a letter hidden from screen readers begin a word? Does a link show only symbols?
//!
//! Few elements need this, and usually a few hundred bytes are read.

use super::hidden::HiddenBy;
use super::{drop_cap, hidden};
use crate::tag::Tag;
use crate::tokens::{Token, TokenKind, Tokens};

/// The most bytes to read ahead.
const MAX_AHEAD: usize = 2_000;
/// The fewest words of a button that is a heading. The button of a menu has fewer.
const MIN_QUESTION: usize = 3;
/// The fewest words around a button that is part of a sentence. A byline with a button has fewer.
const MIN_SENTENCE: usize = 8;

/// An element's visible text, and the page after the element.
#[derive(Debug)]
struct TextAhead<'a> {
    text: String,
    /// The page after the element's end tag, as far as it was read.
    behind: &'a str,
}

/// Reads an element from a place in its content, where `depth` elements inside it are open. None if it does not end
/// within [`MAX_AHEAD`] bytes.
fn read(content: &str, mut depth: u32) -> Option<TextAhead<'_>> {
    let content = &content[..content.floor_char_boundary(MAX_AHEAD)];
    let (mut text, mut unseen_at) = (String::new(), None);
    for token in Tokens::new(content) {
        match token.kind {
            TokenKind::StartTag { tag, self_closing, .. } if !self_closing && !tag.is_void() => {
                depth += 1;
                let is_unseen = tag.has_no_text() || hidden::hides(token.attributes(content)).is_some();
                unseen_at = unseen_at.or(is_unseen.then_some(depth));
            }
            TokenKind::EndTag { .. } if depth == 0 => {
                return Some(TextAhead { text, behind: &content[token.span.end as usize..] });
            }
            TokenKind::EndTag { .. } => {
                unseen_at = unseen_at.filter(|at| *at < depth);
                depth -= 1;
            }
            TokenKind::Text if unseen_at.is_none() => text.push_str(&token.text(content)),
            _ => {}
        }
    }
    None
}

/// Whether no more text follows a button in the heading around the button. `content` begins after the button's start
/// tag.
pub(crate) fn is_all_of_heading(content: &str) -> bool {
    let Some(button) = read(content, 0).filter(|button| has_letters(&button.text)) else { return false };
    for token in Tokens::new(button.behind) {
        match token.kind {
            TokenKind::EndTag { tag, .. } if is_heading(tag) => return true,
            TokenKind::Text if has_letters(&token.text(button.behind)) => return false,
            _ => {}
        }
    }
    false
}

fn is_heading(tag: Tag) -> bool {
    tag.heading_level().is_some() || matches!(tag, Tag::Dt | Tag::Summary | Tag::Legend)
}

/// Whether a button is the heading of the element with the id `controlled`, which it opens. This is so if the element
/// follows, and the button's text ends in a question mark or has at least [`MIN_QUESTION`] words. `content` begins
/// after the button's start tag.
pub(crate) fn is_above(content: &str, controlled: &str) -> bool {
    let Some(button) = read(content, 0) else { return false };
    let asks = button.text.trim_end().ends_with(['?', '？', '؟']);
    let opens = |token: Token| {
        let is_menu = matches!(token.kind, TokenKind::StartTag { tag: Tag::Nav | Tag::Menu, .. });
        let is_start = matches!(token.kind, TokenKind::StartTag { .. });
        is_start && !is_menu && token.attributes(button.behind).any(|id| id.is("id") && id.raw_value == controlled)
    };
    (asks || button.text.split_whitespace().count() >= MIN_QUESTION) && Tokens::new(button.behind).any(opens)
}

/// Whether a sentence goes on directly behind a button. `content` begins after the button's start tag, and `words` is the
/// number of words before the button.
pub(crate) fn is_in_sentence(content: &str, words: usize) -> bool {
    let goes_on = |text: &str| {
        let behind = text.trim_start();
        let first = if behind.len() < text.len() { char::is_lowercase } else { is_punctuation };
        behind.starts_with(first) && words + behind.split_whitespace().count() >= MIN_SENTENCE
    };
    let Some(mut ahead) = read(content, 0).filter(|button| has_letters(&button.text)) else { return false };
    while let Some(token) = Tokens::new(ahead.behind).next() {
        let behind = &ahead.behind[token.span.end as usize..];
        match token.kind {
            TokenKind::Text => return goes_on(&token.text(ahead.behind)),
            TokenKind::EndTag { tag, .. } if !tag.is_block() => ahead.behind = behind,
            // A hidden explanation.
            TokenKind::StartTag { .. } if hidden::hides(token.attributes(ahead.behind)).is_some() => {
                let Some(explanation) = read(behind, 0) else { return false };
                ahead = explanation;
            }
            _ => return false,
        }
    }
    false
}

fn is_punctuation(c: char) -> bool {
    matches!(c, ',' | '.' | ';' | ':' | '?' | '!' | ')' | '’' | '”' | '“' | '»' | '،' | '؛' | '、' | '。' | '，')
}

/// Whether readers see the text of an element that is hidden from screen readers. This is so if a copy for screen
/// readers directly follows, or if the text is the first letter of the word that follows.
pub(crate) fn is_seen_copy(content: &str, begins_paragraph: bool) -> bool {
    let Some(copy) = read(content, 0).filter(|copy| has_letters(&copy.text)) else { return false };
    let Some(next) = Tokens::new(copy.behind).next() else { return false };
    match next.kind {
        TokenKind::StartTag { .. } => hidden::hides(next.attributes(copy.behind)) == Some(HiddenBy::ForScreenReaders),
        TokenKind::Text => {
            let begins_word = next.text(copy.behind).starts_with(char::is_alphabetic);
            begins_paragraph && begins_word && drop_cap::is_letter(&copy.text)
        }
        _ => false,
    }
}

/// Whether an element contains letters or digits. `content` begins after its start tag.
pub(crate) fn has_words(content: &str) -> bool {
    read(content, 0).is_some_and(|ahead| has_letters(&ahead.text))
}

/// Whether an element ends soon, and without more letters or digits. `depth` elements inside it are open where
/// `content` begins.
pub(crate) fn ends_without_words(content: &str, depth: u32) -> bool {
    read(content, depth).is_some_and(|ahead| !has_letters(&ahead.text))
}

fn has_letters(text: &str) -> bool {
    text.chars().any(char::is_alphanumeric)
}
