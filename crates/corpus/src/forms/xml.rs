//! Escapes text for XML and for attribute values in vertical files.

use std::borrow::Cow;

/// An attribute's value, for use in double quotes.
pub(crate) fn escape(text: &str) -> Cow<'_, str> {
    quick_xml::escape::escape(held(text))
}

/// Text for use between tags.
pub(crate) fn escape_text(text: &str) -> Cow<'_, str> {
    quick_xml::escape::partial_escape(held(text))
}

/// Text for use between tags. Line breaks and tabs are kept.
pub(crate) fn escape_lines(text: &str) -> String {
    let is_kept = |c: char| matches!(c, '\n' | '\t');
    let parts = text.split_inclusive(is_kept).map(|part| {
        let end = part.chars().next_back().filter(|c| is_kept(*c));
        let line = part.trim_end_matches(is_kept).trim_end_matches('\r');
        (escape_text(line), end)
    });
    parts.fold(String::with_capacity(text.len()), |mut out, (line, end)| {
        out.push_str(&line);
        out.extend(end);
        out
    })
}

/// The text without characters that XML 1.0 does not allow (section 2.2). Line breaks become spaces, because vertical
/// files are read line by line.
fn held(text: &str) -> Cow<'_, str> {
    let is_held = |c: char| !matches!(c, '\u{fffe}' | '\u{ffff}') && !c.is_control();
    if text.chars().all(is_held) {
        return Cow::Borrowed(text);
    }
    let spaced = text.chars().map(|c| if matches!(c, '\n' | '\r' | '\t') { ' ' } else { c });
    Cow::Owned(spaced.filter(|c| is_held(*c)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn special_characters_are_escaped() {
        assert_eq!(escape("plain é 中"), "plain é 中");
        assert_eq!(escape("it's"), "it&apos;s");
        assert_eq!(escape_text("\"it's\" <&>\u{0}"), "\"it's\" &lt;&amp;&gt;");
        assert_eq!(escape("a<b>&\"c\"\n\u{0}\u{b}\u{ffff}d"), "a&lt;b&gt;&amp;&quot;c&quot; d");
    }
}
