//! Converts the bytes of a robots.txt, and the paths of URLs, to the spellings that are compared.
//!
//! The text for the parser is pure ASCII without NUL and with short lines. This avoids the defects of `robotstxt`
//! 0.3.0: it panics on long lines that are not ASCII, reads a byte order mark as part of the first key, and drops
//! `%zz`.

use std::borrow::Cow;

use percent_encoding::percent_encode_byte;

use super::MAX_BYTES;

/// The most bytes of a line that are read; the longest URL that all browsers accept has 2,083.
const MAX_LINE_BYTES: usize = 8 * 1024;

/// A URL's path and query in two spellings. In both, characters that are operators in a rule are escaped, as RFC 9309
/// (section 2.2.3) prescribes: `%24` in a rule is a dollar sign, and a bare `$` is an operator.
pub(super) struct UrlPath<'a> {
    /// The name of the URL's host; empty if it is unknown.
    pub(super) host: &'a str,
    /// The path as given, with escapes in upper case.
    pub(super) literal: Vec<u8>,
    /// The path with escapes only where they are needed (RFC 3986, section 6.2.2.2).
    pub(super) canonical: Vec<u8>,
}

impl<'a> UrlPath<'a> {
    pub(super) fn of(path_and_query: &str) -> Self {
        let bytes = path_and_query.as_bytes();
        let spelling = |path: Vec<u8>| escape_all(&path, b"*$");
        Self { host: "", literal: spelling(respelled(bytes, false)), canonical: spelling(canonical(bytes)) }
    }
}

/// The path and query of a typed URL, never empty. Text that is not a URL is taken as a path.
pub fn path_of(url: &str) -> String {
    let without_fragment = url.split('#').next().unwrap_or_default();
    let after_scheme = match without_fragment.split_once("//") {
        Some((scheme, rest)) if !scheme.contains(['/', '?', ';']) => rest,
        _ => without_fragment,
    };
    let start = after_scheme.find(['/', '?', ';']).unwrap_or(after_scheme.len());
    let path = &after_scheme[start..];
    if path.starts_with('/') { path.to_owned() } else { format!("/{path}") }
}

/// The text for the parser: at most [`MAX_BYTES`] of the body, without byte order mark, NUL and the ends of overlong
/// lines, with everything beyond ASCII percent-encoded.
pub(super) fn readable(body: &[u8]) -> String {
    let decoded = from_utf16(body);
    let text = without_mark(whole_lines(&decoded, true));
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    let mut line_start = 0;
    let mut rest = text;
    while let Some((&byte, after)) = rest.split_first() {
        let mut taken = 1;
        if matches!(byte, b'\n' | b'\r') {
            out.push(char::from(byte));
            line_start = out.len();
        } else if byte == 0 || out.len() - line_start >= MAX_LINE_BYTES {
            // NUL and the ends of overlong lines are dropped.
        } else if let Some(escaped) = escape(rest) {
            out.push_str(percent_encode_byte(escaped));
            taken = 3;
        } else if byte >= 0x80 {
            out.push_str(percent_encode_byte(byte));
        } else {
            out.push(char::from(byte));
        }
        rest = &after[taken - 1..];
    }
    out
}

/// The canonical spelling: escapes in upper case, unreserved characters unescaped, bytes beyond ASCII escaped.
pub(super) fn canonical(path: &[u8]) -> Vec<u8> {
    respelled(path, true)
}

/// Returns a path with its escapes in upper case. If `is_canonical` is true, only characters that need it are escaped.
fn respelled(path: &[u8], is_canonical: bool) -> Vec<u8> {
    let mut out = Vec::with_capacity(path.len());
    let mut rest = path;
    while let Some((&byte, after)) = rest.split_first() {
        let escaped = escape(rest);
        rest = if escaped.is_some() { &rest[3..] } else { after };
        match escaped {
            Some(plain) if is_canonical && (plain.is_ascii_alphanumeric() || b"-._~".contains(&plain)) => {
                out.push(plain)
            }
            Some(escaped) => push_escape(&mut out, escaped),
            None if is_canonical && byte >= 0x80 => push_escape(&mut out, byte),
            None => out.push(byte),
        }
    }
    out
}

/// A rule's path for the matcher: a dollar sign is escaped, except at the end, where it is an operator.
pub(super) fn escape_dollars(path: &[u8]) -> Vec<u8> {
    let (before, last) = path.split_at(path.len().saturating_sub(1));
    [&escape_all(before, b"$")[..], last].concat()
}

/// Escapes every byte of a path that is one of `escaped`.
fn escape_all(path: &[u8], escaped: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(path.len());
    for &byte in path {
        if escaped.contains(&byte) { push_escape(&mut out, byte) } else { out.push(byte) }
    }
    out
}

/// The byte that a percent escape at the beginning of `text` stands for.
fn escape(text: &[u8]) -> Option<u8> {
    let [b'%', high, low, ..] = text else { return None };
    let digit = |b: u8| char::from(b).to_digit(16).and_then(|d| u8::try_from(d).ok());
    Some(digit(*high)? * 16 + digit(*low)?)
}

fn push_escape(out: &mut Vec<u8>, byte: u8) {
    out.extend_from_slice(percent_encode_byte(byte).as_bytes());
}

/// Decodes a robots.txt in UTF-16, which a few servers send. Only the byte order mark shows this encoding. If the
/// decoded text has no line breaks, the mark is a mistake and is ignored.
fn from_utf16(body: &[u8]) -> Cow<'_, [u8]> {
    let encoding = match body {
        [0xFF, 0xFE, ..] => encoding_rs::UTF_16LE,
        [0xFE, 0xFF, ..] => encoding_rs::UTF_16BE,
        _ => return Cow::Borrowed(body),
    };
    // ASCII in UTF-16 takes two bytes a character, so twice the limit is read.
    let (text, _) = encoding.decode_with_bom_removal(&body[..body.len().min(2 * MAX_BYTES)]);
    match text.contains(['\n', '\r']) {
        true => Cow::Owned(text.into_owned().into_bytes()),
        false => Cow::Borrowed(&body[2..]),
    }
}

/// Returns at most the first [`MAX_BYTES`] of a file. If the file is longer, or is incomplete (not `whole`), returns
/// only its complete lines.
pub(super) fn whole_lines(body: &[u8], whole: bool) -> &[u8] {
    if whole && body.len() <= MAX_BYTES {
        return body;
    }
    let head = &body[..body.len().min(MAX_BYTES)];
    let end = memchr::memrchr2(b'\n', b'\r', head).map_or(0, |last| last + 1);
    &head[..end]
}

/// Drops a UTF-8 byte order mark or a part of one (as Google's parser does), or the replacement characters that a
/// wrong conversion made of one.
fn without_mark(text: &[u8]) -> &[u8] {
    const MARK: [u8; 3] = [0xEF, 0xBB, 0xBF];
    const REPLACEMENT: [u8; 3] = [0xEF, 0xBF, 0xBD];
    let mut rest = text;
    while let Some(after) = rest.strip_prefix(&REPLACEMENT) {
        rest = after;
    }
    let matching = rest.iter().zip(MARK).take_while(|(byte, mark)| **byte == *mark).count();
    &rest[matching..]
}
