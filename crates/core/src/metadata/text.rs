//! Metadata texts in one line: white space is folded, character references that were encoded twice are decoded again,
//! formatting tags are dropped.

use std::borrow::Cow;

use goldminer_html::Tag;
use goldminer_html::tokens::{TokenKind, Tokens};
use rustc_hash::FxHashSet;

/// The most characters in a value; longer texts are not metadata.
const MAX_CHARS: usize = 1_000;

/// Formatting elements. Other tags are words of the text: `How the <dialog> element works`.
const SHAPES: &[&str] = &[
    "a", "abbr", "b", "big", "cite", "code", "div", "em", "font", "h1", "h2", "h3", "i", "mark", "p", "q", "s",
    "small", "span", "strong", "sub", "sup", "u",
];

/// Returns a metadata value in one line; None if it is empty or too long.
pub(super) fn line(text: &str) -> Option<String> {
    let shown = unshaped(text);
    if !shown.contains('&') {
        return folded(&shown);
    }
    // Decoding references may show further tags, because some pages also escape the markup.
    folded(&unshaped(&htmlize::unescape(&*shown)))
}

/// Returns a visible text in one line; None if it is empty or too long. Characters that look like a tag are kept as
/// text.
pub(super) fn folded(text: &str) -> Option<String> {
    let mut line = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !line.is_empty() && !line.ends_with(' ') {
            line.push(' ');
        }
        // Control characters are not text, and may be commands for a terminal. Marks for optional word breaks are not
        // text either.
        let is_text = |c: &char| !c.is_control() && !matches!(c, '\u{ad}' | '\u{2060}' | '\u{feff}');
        line.extend(word.chars().filter(is_text));
    }
    line.truncate(line.trim_end().len());
    (!line.is_empty() && line.chars().count() <= MAX_CHARS).then_some(line)
}

/// Returns a source without comments and formatting tags, and with a space for each `<br>`.
fn unshaped(text: &str) -> Cow<'_, str> {
    if memchr::memchr(b'<', text.as_bytes()).is_none() {
        return Cow::Borrowed(text);
    }
    let (mut begun, mut ended) = (FxHashSet::default(), FxHashSet::default());
    for token in Tokens::new(text) {
        match token.kind {
            TokenKind::StartTag { tag, .. } => begun.insert(tag),
            TokenKind::EndTag { tag, .. } => ended.insert(tag),
            _ => false,
        };
    }
    let may_shape = |tag: Tag| tag.name().is_some_and(|name| SHAPES.contains(&name));
    let is_shape = |tag: Tag| may_shape(tag) && begun.contains(&tag) && ended.contains(&tag);
    let (mut shown, mut end) = (String::with_capacity(text.len()), 0);
    for token in Tokens::new(text) {
        let source = token.span.range();
        // A tag that the end of the text cuts off is not a tag.
        shown.push_str(&text[end..source.start]);
        end = source.end;
        match token.kind {
            TokenKind::Comment { .. } => {}
            TokenKind::StartTag { tag: Tag::Br, .. } => shown.push(' '),
            TokenKind::StartTag { tag, .. } | TokenKind::EndTag { tag, .. } if is_shape(tag) => {}
            _ => shown.push_str(&text[source]),
        }
    }
    shown.push_str(&text[end..]);
    Cow::Owned(shown)
}

/// The text of a small piece of HTML source, without tags.
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
            ("A &lt;em class=x&gt;b<b>ol</b>d&lt;/em&gt; claim", "A bold claim"),
            ("Two<br/>lines<!-- and a comment -->", "Two lines"),
            ("How the <dialog> element works", "How the <dialog> element works"),
            ("How the &lt;dialog&gt; element works", "How the <dialog> element works"),
            ("Of <b>, Vec<T> and </i>", "Of <b>, Vec<T> and </i>"),
            ("x <y && z> 1 </y", "x <y && z> 1 </y"),
            ("1 < 2", "1 < 2"),
            ("Um\u{ad}welt\u{feff}&shy;amt", "Umweltamt"),
            ("A \u{1b} \u{1b}[31mred\u{7} &#27;[2J claim", "A [31mred [2J claim"),
        ] {
            assert_eq!(line(given).as_deref(), Some(expected));
        }
        assert_eq!(line(" \u{a0} "), None);
    }
}
