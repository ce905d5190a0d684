//! Reads one start tag as portals write it: names in any case, values without quotes, quotes that are never closed.

use memchr::memchr2;

use super::names;

/// The most attributes of a tag that are read: repeated names are found by comparing all pairs.
const MAX_ATTRIBUTES: usize = 64;

#[derive(Debug)]
pub(super) struct Tag<'t> {
    /// The name, as its specification spells it.
    pub name: &'t str,
    /// Names and values as written, without repeated names.
    pub attributes: Vec<(&'t str, &'t str)>,
    /// Whether the tag closes itself (`<a/>`).
    pub is_empty: bool,
    /// The length of the whole tag in bytes.
    pub length: usize,
}

/// The meaning of a `<` followed by a letter.
pub(super) enum Opening<'t> {
    Tag(Tag<'t>),
    /// Text: `a <b and c`.
    Text,
    /// The text ends inside the tag.
    Unfinished,
}

/// The length in bytes of the name at the beginning of a text; 0 if there is none.
pub(super) fn name_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    match bytes.first() {
        Some(first) if first.is_ascii_alphabetic() || *first == b'_' => {}
        _ => return 0,
    }
    let is_name = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.' | b':') || !b.is_ascii();
    bytes.iter().position(|b| !is_name(b)).unwrap_or(bytes.len())
}

/// Reads the beginning of `text`, which is a `<` followed by a letter.
pub(super) fn read(text: &str) -> Opening<'_> {
    let bytes = text.as_bytes();
    let end_of_name = 1 + name_length(&text[1..]);
    let mut tag = Tag {
        name: names::element(&text[1..end_of_name]),
        attributes: Vec::new(),
        is_empty: false,
        length: end_of_name,
    };
    let mut has_words = false;
    loop {
        let at = tag.length;
        match bytes.get(at) {
            None => return Opening::Unfinished,
            Some(b'>') => {
                tag.length += 1;
                return Opening::Tag(tag);
            }
            Some(b'/') => {
                tag.is_empty = bytes.get(at + 1) == Some(&b'>');
                tag.length += 1;
            }
            // The `>` is missing, or this is not a tag.
            Some(b'<') if has_words && tag.attributes.is_empty() || at == end_of_name => return Opening::Text,
            Some(b'<') => return Opening::Tag(tag),
            Some(_) => {
                let length = name_length(&text[at..]);
                if length == 0 {
                    tag.length += text[at..].chars().next().map_or(1, char::len_utf8);
                    continue;
                }
                tag.length += length;
                let behind = tag.length + white_space(&bytes[tag.length..]);
                if bytes.get(behind) != Some(&b'=') {
                    has_words = true;
                    continue;
                }
                let start = behind + 1 + white_space(&bytes[behind + 1..]);
                let (value, length) = value(&text[start..]);
                tag.length = start + length;
                let name = names::attribute(&text[at..at + name_length(&text[at..])]);
                let is_new = tag.attributes.iter().all(|(known, _)| *known != name);
                if is_new && tag.attributes.len() < MAX_ATTRIBUTES {
                    tag.attributes.push((name, value));
                }
            }
        }
    }
}

/// The value at the beginning of a text, and its length in bytes with its quotes.
fn value(text: &str) -> (&str, usize) {
    let bytes = text.as_bytes();
    if let Some(quote @ (b'"' | b'\'')) = bytes.first() {
        let mut at = 1;
        while let Some(found) = memchr2(*quote, b'<', &bytes[at..]) {
            at += found;
            if bytes[at] == *quote {
                return (&text[1..at], at + 1);
            }
            // The next tag begins here, so the quote was never closed.
            if bytes.get(at + 1).is_some_and(|next| next.is_ascii_alphabetic() || matches!(next, b'/' | b'!')) {
                break;
            }
            at += 1;
        }
        let (value, length) = bare(&text[1..]);
        return (value, 1 + length);
    }
    bare(text)
}

/// A value without quotes.
fn bare(text: &str) -> (&str, usize) {
    let is_end = |b: &u8| b.is_ascii_whitespace() || matches!(b, b'>' | b'<');
    let end = text.as_bytes().iter().position(is_end).unwrap_or(text.len());
    (&text[..end], end)
}

fn white_space(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|b| b.is_ascii_whitespace()).count()
}
