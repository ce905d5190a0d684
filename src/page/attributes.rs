//! The attributes of a start tag, parsed on demand from its source by the WHATWG tokenizer's attribute states.
//!
//! The tokenizer itself walks over tags with [`Attributes`], so that there is one reading of where a tag ends. Names and
//! values are slices of the page; character references are decoded when somebody asks for a value.

use std::borrow::Cow;

use super::tokens::newlines_normalised;

/// An attribute as it stands in the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Attribute<'a> {
    /// As written, in any case.
    pub name: &'a str,
    /// As written, without quotes and undecoded; empty where there is none.
    pub raw_value: &'a str,
}

impl<'a> Attribute<'a> {
    /// Whether the attribute has this name (given in lower case).
    #[must_use]
    #[inline]
    pub fn is(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name)
    }

    /// The value with character references decoded.
    #[must_use]
    pub fn value(&self) -> Cow<'a, str> {
        if memchr::memchr3(b'&', b'\r', 0, self.raw_value.as_bytes()).is_none() {
            return Cow::Borrowed(self.raw_value);
        }
        match newlines_normalised(self.raw_value) {
            Cow::Borrowed(value) => decode(value),
            Cow::Owned(value) => Cow::Owned(decode(&value).into_owned()),
        }
    }
}

/// Iterates over the attributes of one tag. A name that comes twice comes out twice; the first one counts.
#[derive(Debug, Clone)]
pub struct Attributes<'a> {
    text: &'a str,
    at: usize,
    self_closing: bool,
    complete: bool,
}

impl<'a> Attributes<'a> {
    /// Reads from `at`, the byte after the tag's name.
    #[inline]
    pub(super) fn from(text: &'a str, at: usize) -> Self {
        Self { text, at, self_closing: false, complete: false }
    }

    /// No attributes.
    pub(super) fn none() -> Self {
        Self::from("", 0)
    }

    /// Passes over what is left. The byte after the tag's `>` and whether it ended in `/>`; nothing where the page ends
    /// inside of the tag.
    #[inline]
    pub(super) fn end(mut self) -> Option<(usize, bool)> {
        while self.step().is_some() {}
        self.complete.then_some((self.at, self.self_closing))
    }

    /// The spans of the next attribute's name and raw value.
    #[inline]
    fn step(&mut self) -> Option<[usize; 4]> {
        let bytes = self.text.as_bytes();
        // Before attribute name; self-closing start tag.
        let mut slash = false;
        let name = loop {
            match bytes.get(self.at)? {
                b'\t' | b'\n' | b'\x0c' | b'\r' | b' ' => slash = false,
                b'/' => slash = true,
                b'>' => {
                    self.at += 1;
                    self.self_closing = slash;
                    self.complete = true;
                    self.text = "";
                    return None;
                }
                _ => break self.at,
            }
            self.at += 1;
        };
        // Attribute name. A leading `=` belongs to it.
        self.at += 1;
        let name_end = loop {
            match NAME_ENDS[*bytes.get(self.at)? as usize] {
                true => break self.at,
                false => self.at += 1,
            }
        };
        // After attribute name.
        let mut at = name_end;
        while matches!(bytes.get(at)?, b'\t' | b'\n' | b'\x0c' | b'\r' | b' ') {
            at += 1;
        }
        if bytes[at] != b'=' {
            return Some([name, name_end, name_end, name_end]);
        }
        at += 1;
        while matches!(bytes.get(at)?, b'\t' | b'\n' | b'\x0c' | b'\r' | b' ') {
            at += 1;
        }
        match bytes[at] {
            quote @ (b'"' | b'\'') => {
                let value = at + 1;
                let Some(length) = memchr::memchr(quote, &bytes[value..]) else {
                    self.at = bytes.len();
                    return None;
                };
                self.at = value + length + 1;
                Some([name, name_end, value, value + length])
            }
            b'>' => {
                self.at = at;
                Some([name, name_end, at, at])
            }
            _ => {
                self.at = at;
                loop {
                    match bytes.get(self.at)? {
                        b'\t' | b'\n' | b'\x0c' | b'\r' | b' ' | b'>' => break Some([name, name_end, at, self.at]),
                        _ => self.at += 1,
                    }
                }
            }
        }
    }
}

impl<'a> Iterator for Attributes<'a> {
    type Item = Attribute<'a>;

    #[inline]
    fn next(&mut self) -> Option<Attribute<'a>> {
        let text = self.text;
        let [name, name_end, value, value_end] = self.step()?;
        Some(Attribute { name: &text[name..name_end], raw_value: &text[value..value_end] })
    }
}

/// The bytes that end an attribute's name.
static NAME_ENDS: [bool; 256] = {
    let mut table = [false; 256];
    let ends = b"\t\n\x0c\r />=";
    let mut i = 0;
    while i < ends.len() {
        table[ends[i] as usize] = true;
        i += 1;
    }
    table
};

fn decode(value: &str) -> Cow<'_, str> {
    match htmlize::unescape_attribute(value) {
        // The tokenizer's answer to NUL in a value.
        decoded if decoded.contains('\0') => Cow::Owned(decoded.replace('\0', "\u{fffd}")),
        decoded => decoded,
    }
}
