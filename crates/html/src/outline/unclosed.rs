//! Detects links without an end tag. The prose after such a link is not link text.

use crate::tokens::begins_markup;

/// The most bytes of text after a link without an end tag that still count as its text, as in menus.
const MAX_LABEL: usize = 120;

/// Whether the link whose start tag ends at `begin` has no end tag before the next link, and more than [`MAX_LABEL`]
/// bytes of text follow it. The search stops at the next link, so it reads each byte of a page at most once for all
/// links together.
pub(super) fn is_unclosed(page: &str, begin: usize) -> bool {
    let mut rest = &page.as_bytes()[begin..];
    let mut text = 0;
    while let Some(at) = memchr::memchr(b'<', rest) {
        text += at;
        let tag = &rest[at + 1..];
        match tag {
            [b'/', b'a' | b'A', end, ..] if !end.is_ascii_alphanumeric() => return false,
            [b'a' | b'A', end, ..] if !end.is_ascii_alphanumeric() => break,
            _ if begins_markup(rest, at) => rest = memchr::memchr(b'>', tag).map_or(&[], |end| &tag[end + 1..]),
            _ => rest = tag,
        }
    }
    text > MAX_LABEL
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_after_an_unclosed_link_is_not_link_text() {
        let prose = "It rained all day in the town, and nobody lent an umbrella. ".repeat(3);
        for (page, runs) in [
            (format!("<p>{prose}</p><a href=/b>"), true),
            (format!("{prose}<p>"), true),
            (format!("<p>{prose}</p></A><a href=/b>"), false),
            (format!("Home<li class='{prose}'><a href=/b>"), false),
            (format!("Home</a>{prose}"), false),
            (format!("<abbr>{prose}</abbr></a>"), false),
            (format!("{prose} 5 < 6</a><a href=/b>"), false),
            (format!("5 < <a href=/b>{prose}"), false),
        ] {
            assert_eq!(is_unclosed(&page, 0), runs, "{page}");
        }
    }
}
