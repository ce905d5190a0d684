//! Text as XML and as the attribute values of vertical files.

use std::borrow::Cow;

/// Escapes what has a meaning in XML, and drops the characters that XML 1.0 cannot hold (section 2.2). Line breaks
/// become spaces, because vertical files are read line by line.
pub(super) fn escape(text: &str) -> Cow<'_, str> {
    let is_plain = |c: char| !matches!(c, '&' | '<' | '>' | '"' | '\u{fffe}' | '\u{ffff}') && !c.is_control();
    if text.chars().all(is_plain) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\n' | '\r' | '\t' => escaped.push(' '),
            c if is_plain(c) => escaped.push(c),
            _ => {}
        }
    }
    Cow::Owned(escaped)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_breaks_out_of_a_value() {
        assert_eq!(escape("plain é 中"), "plain é 中");
        assert_eq!(escape("a<b>&\"c\"\n\u{0}\u{b}\u{ffff}d"), "a&lt;b&gt;&amp;&quot;c&quot; d");
    }
}
