//! References of a list: those of XML and HTML, and the entities that its document type declares.

use std::borrow::Cow;
use std::collections::HashMap;

use memchr::{memchr, memchr2};

/// Bytes of a reference between `&` and `;`: the longest of HTML has 32.
const MAX_REFERENCE_BYTES: usize = 33;

/// Entities that a document type may declare, and the bytes of each: more is an attack.
const MAX_ENTITIES: usize = 64;
const MAX_ENTITY_BYTES: usize = 256;

/// What references stand for: the entities that are declared, beside those that HTML has.
#[derive(Default)]
pub(super) struct References<'t>(HashMap<&'t str, Cow<'t, str>>);

impl<'t> References<'t> {
    /// Reads the document type at the beginning of a text, and the entities that it declares; how many bytes it has.
    pub(super) fn declare(&mut self, rest: &'t str) -> Option<usize> {
        let bytes = rest.as_bytes();
        let first = memchr2(b'>', b'[', bytes)?;
        if bytes[first] == b'>' {
            return Some(first + 1);
        }
        let mut quote = None;
        let end = bytes[first..].iter().position(|b| match (quote, b) {
            (None, b'"' | b'\'') => {
                quote = Some(*b);
                false
            }
            (Some(open), b) => {
                quote = (open != *b).then_some(open);
                false
            }
            (None, b) => *b == b']',
        })?;
        let subset = &rest[first..first + end];
        for declaration in subset.split("<!ENTITY").skip(1).take(MAX_ENTITIES) {
            let mut words = declaration.trim_ascii_start().splitn(2, |c: char| c.is_ascii_whitespace());
            let (Some(name), Some(value)) = (words.next(), words.next()) else { continue };
            let value = value.trim_ascii_start();
            let Some(quote @ ('"' | '\'')) = value.chars().next() else { continue };
            if let Some(value) = value[1..].split(quote).next().filter(|value| value.len() <= MAX_ENTITY_BYTES) {
                self.0.entry(name).or_insert_with(|| htmlize::unescape(value));
            }
        }
        memchr(b'>', &bytes[first + end..]).map(|behind| first + end + behind + 1)
    }

    /// The text of the `&` at the beginning of a text, and how many bytes of it were read. A `&` that begins nothing is text.
    pub(super) fn resolve<'a>(&'a self, rest: &'a str) -> (Cow<'a, str>, usize) {
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
                // Where no character has the number, it stands for nothing.
                let character = u32::from_str_radix(digits, radix).ok().and_then(char::from_u32);
                Cow::Owned(character.map(String::from).unwrap_or_default())
            }
        } else if let Some(declared) = self.0.get(name) {
            Cow::Borrowed(&**declared)
        } else {
            let character = htmlize::unescape(whole);
            // Of `&notx;` HTML reads the `&not`.
            let is_known = !character.ends_with(';') || whole == "&semi;";
            if is_known { character } else { Cow::Borrowed(whole) }
        };
        (text, whole.len())
    }

    /// An attribute's value with all of its references resolved, without the characters that XML forbids.
    pub(super) fn resolve_all(&self, mut value: &str) -> String {
        let mut resolved = String::with_capacity(value.len());
        while let Some(at) = memchr(b'&', value.as_bytes()) {
            let (text, length) = self.resolve(&value[at..]);
            resolved.push_str(&value[..at]);
            resolved.push_str(&text);
            value = &value[at + length..];
        }
        resolved.push_str(value);
        resolved.retain(is_character);
        resolved.trim().to_owned()
    }
}

/// Whether XML has the character.
pub(super) fn is_character(c: char) -> bool {
    !matches!(c, '\0'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}')
}
