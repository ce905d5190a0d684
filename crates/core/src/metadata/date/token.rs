//! Splits a text into the tokens from which dates and times are read: numbers, words and signs.

use goldminer_html::text::script::is_han_or_kana;
use unicode_normalization::char::is_combining_mark;

use super::numbers;
use crate::phrases::{Categories, category};

/// Words after an hour, with or without minutes after them.
pub(crate) const HOUR: Categories = category("date/hour");
/// Words for hours and for "a.m." and "p.m.".
pub(crate) const BESIDE_TIME: Categories = HOUR | category("date/forenoon") | category("date/afternoon");

/// A piece of a text, with its position in bytes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Token<'t> {
    pub word: Word,
    pub text: &'t str,
    pub start: usize,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Word {
    Number { value: i16, digits: usize },
    Letters,
    Sign(char),
}

impl Token<'_> {
    /// The value of a number of one or two digits; None for other tokens.
    pub(crate) fn short(&self) -> Option<i8> {
        match self.word {
            Word::Number { value, digits: 1..=2 } => i8::try_from(value).ok(),
            _ => None,
        }
    }

    pub(crate) fn has_two_digits(&self) -> bool {
        matches!(self.word, Word::Number { digits: 2, .. })
    }

    /// The value of a number of two digits; None for other tokens.
    pub(crate) fn two(&self) -> Option<i8> {
        self.short().filter(|_| self.has_two_digits())
    }

    pub(crate) fn year(&self) -> Option<i16> {
        match self.word {
            Word::Number { value, digits: 4 } => Some(value),
            _ => None,
        }
    }

    pub(crate) fn is(&self, sign: char) -> bool {
        self.word == Word::Sign(sign)
    }
}

/// Splits a text in lower case into tokens. White space is left out.
pub(crate) fn tokens(lower: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut rest = lower;
    while let Some(first) = rest.chars().next() {
        let kind = |c: char| (c.is_ascii_digit(), is_letter(c));
        let start = lower.len() - rest.len();
        if is_han_or_kana(first)
            && let Some((value, digits, behind)) =
                numbers::year_of_era(rest).map(|(year, behind)| (year, 4, behind)).or_else(|| numbers::in_han(rest))
        {
            let text = &rest[..rest.len() - behind.len()];
            tokens.push(Token { word: Word::Number { value, digits }, text, start });
            rest = behind;
            continue;
        }
        let end = match kind(first) {
            (false, false) => first.len_utf8(),
            class => rest.find(|c| kind(c) != class).unwrap_or(rest.len()),
        };
        let (text, behind) = rest.split_at(end);
        rest = behind;
        let word = match kind(first) {
            (true, _) => Word::Number { value: text.parse().unwrap_or(i16::MAX), digits: text.len() },
            (_, true) => Word::Letters,
            _ if first.is_whitespace() || is_direction(first) => continue,
            _ => Word::Sign(first),
        };
        tokens.push(Token { word, text, start });
    }
    tokens
}

/// Whether a character belongs to a word. Many scripts write vowels as combining marks.
pub(crate) fn is_of_word(c: char) -> bool {
    c.is_alphabetic() || !c.is_ascii() && is_combining_mark(c)
}

/// Whether a character is a letter of a script that separates words with spaces.
pub(crate) fn is_letter(c: char) -> bool {
    !is_cjk(c) && is_of_word(c)
}

pub(crate) fn is_cjk(c: char) -> bool {
    is_han_or_kana(c) || matches!(c, '\u{3000}'..='\u{303f}' | '\u{ac00}'..='\u{d7af}')
}

/// Whether a character is an invisible mark for the writing direction; such marks may be in a date.
pub(crate) fn is_direction(c: char) -> bool {
    matches!(c, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}
