//! Resolves character references of XML and HTML in feeds and sitemaps. Entities that the document type declares are
//! ignored, because feeds declare only those of HTML.

use std::borrow::Cow;

use memchr::memchr;

/// The most bytes of a reference between `&` and `;`: the longest one of HTML has 32.
const MAX_REFERENCE_BYTES: usize = 33;

/// Returns the character for the reference (such as `&amp;`) at the beginning of `rest`, and the length of the
/// reference in bytes. A `&` that starts no reference is returned as it is.
pub(super) fn resolve(rest: &str) -> (Cow<'_, str>, usize) {
    let end = rest.bytes().skip(1).take(MAX_REFERENCE_BYTES).position(|b| !b.is_ascii_alphanumeric() && b != b'#');
    let Some(end) = end.filter(|end| *end > 0 && rest.as_bytes()[end + 1] == b';') else {
        return (Cow::Borrowed("&"), 1);
    };
    let (name, whole) = (&rest[1..=end], &rest[..end + 2]);
    let text = if let Some(number) = name.strip_prefix('#') {
        let (digits, radix) = number.strip_prefix(['x', 'X']).map_or((number, 10), |digits| (digits, 16));
        if digits.is_empty() || !digits.chars().all(|digit| digit.is_digit(radix)) {
            Cow::Borrowed(whole)
        } else {
            // A number that is no Unicode character is removed.
            let character = u32::from_str_radix(digits, radix).ok().and_then(char::from_u32);
            Cow::Owned(character.map(String::from).unwrap_or_default())
        }
    } else {
        let character = htmlize::unescape(whole);
        // HTML reads `&notx;` as `&not` and text; here it is no reference.
        let is_known = !character.ends_with(';') || whole == "&semi;";
        if is_known { character } else { Cow::Borrowed(whole) }
    };
    (text, whole.len())
}

/// Resolves all references in an attribute's value, and removes the characters that XML forbids.
pub(super) fn resolve_all(mut value: &str) -> String {
    let mut resolved = String::with_capacity(value.len());
    while let Some(at) = memchr(b'&', value.as_bytes()) {
        let (text, length) = resolve(&value[at..]);
        resolved.push_str(&value[..at]);
        resolved.push_str(&text);
        value = &value[at + length..];
    }
    resolved.push_str(value);
    resolved.retain(is_character);
    resolved.trim().to_owned()
}

/// Whether XML allows the character.
pub(super) fn is_character(c: char) -> bool {
    !matches!(c, '\0'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}')
}
