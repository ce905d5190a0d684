//! Texts of metadata in one line: white space folded, references decoded once more where a page encoded them twice, tags
//! dropped.

use std::borrow::Cow;

use crate::page::tokens::{TokenKind, Tokens};

/// Longer texts are no metadata.
const MAX_CHARS: usize = 1_000;

/// The text in one line; nothing where it is empty, or too long to be what it pretends to be.
pub(super) fn line(text: &str) -> Option<String> {
    let plain = plain(text);
    let mut line = String::with_capacity(plain.len());
    for word in plain.split_whitespace() {
        if !line.is_empty() && !line.ends_with(' ') {
            line.push(' ');
        }
        // Control characters are no text, and orders to a terminal.
        line.extend(word.chars().filter(|c| !c.is_control()));
    }
    line.truncate(line.trim_end().len());
    (!line.is_empty() && line.chars().count() <= MAX_CHARS).then_some(line)
}

/// The text without references and tags.
pub(super) fn plain(text: &str) -> Cow<'_, str> {
    let decoded = match text.contains('&') {
        true => htmlize::unescape(text),
        false => Cow::Borrowed(text),
    };
    match decoded.contains('<') {
        true => Cow::Owned(without_tags(&decoded)),
        false => decoded,
    }
}

/// The text between the tags of a small piece of source.
pub(super) fn without_tags(source: &str) -> String {
    let mut text = String::new();
    for token in Tokens::new(source) {
        match token.kind {
            TokenKind::Text => text.push_str(&token.text(source)),
            TokenKind::StartTag { .. } | TokenKind::EndTag { .. } => text.push(' '),
            _ => {}
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_becomes_one_plain_line() {
        for (given, expected) in [
            ("  Two\n lines ", "Two lines"),
            ("Rock &amp;amp; Roll", "Rock &amp; Roll"),
            ("Rock &amp; Roll &#8211; live", "Rock & Roll – live"),
            ("A <b>bold</b> claim", "A bold claim"),
            ("1 < 2", "1 < 2"),
            ("A \u{1b} \u{1b}[31mred\u{7} &#27;[2J claim", "A [31mred [2J claim"),
        ] {
            assert_eq!(line(given).as_deref(), Some(expected));
        }
        assert_eq!(line(" \u{a0} "), None);
    }
}
