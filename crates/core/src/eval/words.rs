//! What a word is: two text models, one on bytes as Evert's script read them, one on Unicode text.
//!
//! Part of the scorer. Here the rules stand one after the other, each for a whole text; `reading` applies them, or lets
//! `quick` read a text of the fair scale in one pass, with the same result.

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization;

/// The fair scale's.
pub(super) const FAIR: TextModel =
    TextModel { plain: true, unlabelled: false, ascii: false, unicode: true, fold: true, entities: true };

/// How a file becomes words. All off is Evert's model; see [`Scorer`](super::Scorer) for the two scales.
///
/// ```
/// use goldminer_core::eval::{Scorer, TextModel};
///
/// let mut bytes = Scorer::fair();
/// bytes.text = TextModel::default();
/// bytes.text.plain = true;
/// assert_eq!(bytes.score("“no”".as_bytes(), b"\"no\"").words.true_positives, 0);
/// assert_eq!(Scorer::fair().score("“no”".as_bytes(), b"\"no\"").words.true_positives, 1);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TextModel {
    /// Segment markers are dropped; otherwise they are words.
    pub plain: bool,
    /// All markers count as `<p>` (Evert's option `-u`).
    pub unlabelled: bool,
    /// Bytes 80 to FF are dropped (Evert's option `-a`); bytes model only.
    pub ascii: bool,
    /// Text instead of bytes: UTF-8 or else Windows-1252, normalised, invisible characters dropped, each character of a
    /// script without spaces a word of its own.
    pub unicode: bool,
    /// Quotes, dashes, compatibility forms and case make no difference (with `unicode`).
    pub fold: bool,
    /// Character references left in the text are decoded (with `unicode`).
    pub entities: bool,
}

impl TextModel {
    /// The text as bytes with its words separated by spaces.
    pub(super) fn prepare_bytes(&self, raw: &[u8]) -> Vec<u8> {
        let mut text = Vec::with_capacity(raw.len() + raw.len() / 8);
        for line in raw.split_inclusive(|byte| *byte == b'\n') {
            if line.trim_ascii_start().starts_with(b"URL") {
                text.extend(line.ends_with(b"\n").then_some(b' '));
            } else {
                self.push_line(line, &mut text);
            }
        }
        text.dedup_by(|next, before| *next == b' ' && *before == b' ');
        text
    }

    fn push_line(&self, line: &[u8], text: &mut Vec<u8>) {
        let is_special = |byte: &u8| *byte <= b' ' || *byte == b'<' || (*byte >= 0x80 && self.ascii);
        let mut rest = line;
        while let Some((first, after)) = rest.split_first() {
            if let Some(marker) = self.marker_at(rest) {
                text.push(b' ');
                if !self.plain {
                    text.extend_from_slice(if self.unlabelled { b"<p>" } else { marker });
                    text.push(b' ');
                }
                rest = &rest[3..];
                continue;
            }
            match first {
                byte if *byte <= b' ' => text.push(b' '),
                byte if *byte >= 0x80 && self.ascii => {}
                byte => text.push(*byte),
            }
            let plain = after.iter().position(is_special).unwrap_or(after.len());
            text.extend_from_slice(&after[..plain]);
            rest = &after[plain..];
        }
    }

    /// CleanEval's texts may begin with the page's address.
    pub(super) fn without_url_line<'t>(&self, text: &'t [u8]) -> &'t [u8] {
        let mut length = 0;
        for line in text.split_inclusive(|byte| *byte == b'\n') {
            length += line.len();
            let Ok(line) = std::str::from_utf8(line).map(str::trim_start) else { break };
            let is_url = if self.fold {
                line.nfkc().take(3).eq(['U', 'R', 'L'])
            } else {
                line.nfc().take(3).eq(['U', 'R', 'L'])
            };
            if is_url {
                return &text[length..];
            }
            if !line.is_empty() {
                break;
            }
        }
        text
    }

    /// The text folded by the book, rule by rule, with its words separated by spaces.
    pub(super) fn folded(&self, text: &str) -> String {
        let text = match self.fold {
            _ if text.is_ascii() => Cow::Borrowed(text),
            true => Cow::Owned(text.nfkc().collect::<String>()),
            false => Cow::Owned(text.nfc().collect()),
        };
        let text = self.without_markers(&text);
        let text = if self.entities { unescape(&text) } else { Cow::Borrowed(text.as_str()) };
        let mut clean = String::with_capacity(text.len());
        text.chars().for_each(|c| self.push_clean(c, &mut clean));
        if self.fold { clean.to_lowercase() } else { clean }
    }

    fn push_clean(&self, c: char, out: &mut String) {
        match c {
            ' '..='_' | 'a'..='~' => out.push(c),
            '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2064}' | '\u{feff}' => {}
            '\0'..='\x1f' | '\x7f'..='\u{9f}' => out.push(' '),
            c if c.is_whitespace() => out.push(' '),
            c if writes_no_spaces(c) => out.extend([' ', c, ' ']),
            c => self.push_typography(c, out),
        }
    }

    fn push_typography(&self, c: char, out: &mut String) {
        match c {
            '‘' | '’' | '‚' | '‛' | '′' | '`' | '´' if self.fold => out.push('\''),
            '“' | '”' | '„' | '‟' | '″' | '«' | '»' if self.fold => out.push('"'),
            '–' | '—' | '−' | '‐' | '‑' if self.fold => out.push('-'),
            '…' if self.fold => out.push_str("..."),
            c => out.push(c),
        }
    }

    /// The marker that a text begins with. Where markers are dropped, so are those that CleanEval did not have: code,
    /// table, quote.
    fn marker_at<'t>(&self, text: &'t [u8]) -> Option<&'t [u8]> {
        if self.plain { any_marker_at(text) } else { marker_at(text) }
    }

    fn without_markers(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len() + text.len() / 8);
        let mut copied = 0;
        for at in memchr::memchr_iter(b'<', text.as_bytes()) {
            if let Some(marker) = self.marker_at(&text.as_bytes()[at..]) {
                out.push_str(&text[copied..at]);
                out.push(' ');
                if !self.plain {
                    out.push_str(if self.unlabelled { "<p>" } else { &text[at..at + marker.len()] });
                    out.push(' ');
                }
                copied = at + marker.len();
            }
        }
        out.push_str(&text[copied..]);
        out
    }
}

/// The gold without its code lines (`<c>…`), and the code.
pub(super) fn split_code(gold: &[u8]) -> (Cow<'_, [u8]>, Vec<u8>) {
    if memchr::memmem::find(gold, b"<c>").is_none() {
        return (Cow::Borrowed(gold), Vec::new());
    }
    let (mut text, mut code) = (Vec::with_capacity(gold.len()), Vec::new());
    for line in gold.split_inclusive(|byte| *byte == b'\n') {
        match line.strip_prefix(b"<c>") {
            Some(line) => code.extend_from_slice(line),
            None => text.extend_from_slice(line),
        }
    }
    code.truncate(code.trim_ascii_end().len());
    (Cow::Owned(text), code)
}

/// The lines of an output's code and tables: from `<c>` or `<t>` to the next marker at the beginning of a line.
pub(super) fn printed(output: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut is_printed = false;
    output.split_inclusive(|byte| *byte == b'\n').filter(move |line| {
        if any_marker_at(line).is_some() {
            is_printed = matches!(line[1], b'c' | b't');
        }
        is_printed
    })
}

/// Whether a word is `<p>`, `<h>` or `<l>`, in either case.
pub(super) fn is_marker(word: &[u8]) -> bool {
    marker_at(word).is_some()
}

/// The same, and `<c>`, `<t>` and `<q>`.
pub(super) fn any_marker_at(text: &[u8]) -> Option<&[u8]> {
    match text {
        [b'<', b'c' | b't' | b'q', b'>', ..] => Some(&text[..3]),
        _ => marker_at(text),
    }
}

pub(super) fn marker_at(text: &[u8]) -> Option<&[u8]> {
    match text {
        [b'<', b'p' | b'P' | b'h' | b'H' | b'l' | b'L', b'>', ..] => Some(&text[..3]),
        _ => None,
    }
}

/// Text that isn't UTF-8.
pub(super) fn decode(raw: &[u8]) -> Cow<'_, str> {
    match raw {
        [0xef, 0xbb, 0xbf, rest @ ..] => String::from_utf8_lossy(rest),
        [0xff, 0xfe, rest @ ..] => encoding_rs::UTF_16LE.decode_without_bom_handling(rest).0,
        [0xfe, 0xff, rest @ ..] => encoding_rs::UTF_16BE.decode_without_bom_handling(rest).0,
        // The five bytes that cp1252 leaves undefined are errors for Python, controls for WHATWG.
        _ => {
            let text = encoding_rs::WINDOWS_1252.decode_without_bom_handling(raw).0;
            Cow::Owned(text.replace(['\u{81}', '\u{8d}', '\u{8f}', '\u{90}', '\u{9d}'], "\u{fffd}"))
        }
    }
}

/// Character references as Python's `html.unescape` reads them: as in HTML, but references to control characters and
/// noncharacters give nothing.
fn unescape(text: &str) -> Cow<'_, str> {
    if !text.contains('&') {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    // Each piece but the first follows an ampersand, and each but the last ends with one.
    let mut after_ampersand = false;
    for piece in text.split_inclusive('&') {
        let body = piece.strip_suffix('&').unwrap_or(piece);
        if !after_ampersand {
            out.push_str(body);
        } else if let Some((length, decoded)) = numeric_reference(body) {
            out.extend(decoded);
            out.push_str(&body[length..]);
        } else {
            out.push_str(&htmlize::unescape(format!("&{body}")));
        }
        after_ampersand = piece.ends_with('&');
    }
    if after_ampersand {
        out.push('&');
    }
    Cow::Owned(out)
}

/// A reference like `#8217;` or `#x2019` at the beginning of `text`: its length and what it stands for.
fn numeric_reference(text: &str) -> Option<(usize, Option<char>)> {
    let digits = text.strip_prefix('#')?;
    let (digits, radix) = match digits.strip_prefix(['x', 'X']) {
        Some(digits) => (digits, 16),
        None => (digits, 10),
    };
    let count = digits.bytes().take_while(|byte| (*byte as char).is_digit(radix)).count();
    if count == 0 {
        return None;
    }
    let length = text.len() - digits.len() + count;
    let length = length + usize::from(text.as_bytes().get(length) == Some(&b';'));
    let code = u32::from_str_radix(&digits[..count], radix).unwrap_or(u32::MAX);
    let decoded = match code {
        // The WHATWG table of C1 controls meant as Windows-1252.
        0x80..=0x9f => encoding_rs::WINDOWS_1252.decode_without_bom_handling(&[code as u8]).0.chars().next(),
        0x0d => Some('\r'),
        0x01..=0x08 | 0x0b | 0x0e..=0x1f | 0x7f | 0xfdd0..=0xfdef => None,
        code if code & 0xfffe == 0xfffe && code <= 0x10_ffff => None,
        code => Some(char::from_u32(code).filter(|c| *c != '\0').unwrap_or('\u{fffd}')),
    };
    Some((length, decoded))
}

/// CJK ideographs, kana, bopomofo, full-width forms, Thai, Lao, Khmer, Burmese: each character counts as a word.
fn writes_no_spaces(c: char) -> bool {
    matches!(c,
        '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{2e80}'..='\u{312f}'
        | '\u{31a0}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{ff00}'..='\u{ffef}'
        | '\u{20000}'..='\u{3ffff}')
}

#[cfg(test)]
mod tests {
    use super::super::vocabulary::Vocabulary;
    use super::*;

    fn words(model: TextModel, text: &[u8]) -> Vec<String> {
        let mut vocabulary = Vocabulary::for_bytes(text.len());
        let numbers = model.read(text, &mut vocabulary);
        numbers.iter().map(|number| vocabulary.word(*number)).collect()
    }

    #[test]
    fn evert_drops_url_lines_and_keeps_an_empty_word_at_the_ends() {
        let evert = TextModel::default();
        assert_eq!(words(evert, b"one\n URL: x y\n<P>two\n"), ["one", "<P>", "two", ""]);
        assert_eq!(words(evert, b""), [""]);
        assert_eq!(words(TextModel { unlabelled: true, ..evert }, b"<h>two"), ["", "<p>", "two"]);
        assert_eq!(words(TextModel { ascii: true, plain: true, ..evert }, b"<h>caf\xe9 \xff x"), ["caf", "x"]);
    }

    #[test]
    fn references_are_read_as_python_reads_them() {
        for (text, expected) in [
            ("&amp; &AMP &ampx &unknown; &", "& & &x &unknown; &"),
            ("&#8217;&#x2019&#8217", "’’’"),
            ("&#128;&#0;&#x110000;&#xd800;", "€\u{fffd}\u{fffd}\u{fffd}"),
            ("a&#1;b&#xfffe;c", "abc"),
            ("&#;&#x;&#", "&#;&#x;&#"),
            ("&notit; &lt;p&gt;", "¬it; <p>"),
        ] {
            assert_eq!(unescape(text), expected, "{text}");
        }
    }

    #[test]
    fn undecodable_bytes_are_windows_1252() {
        for model in [FAIR, TextModel { fold: false, ..FAIR }] {
            let quotes = if model.fold { ["\"café\"", "\u{fffd}"] } else { ["“café”", "\u{fffd}"] };
            assert_eq!(words(model, b"\x93caf\xe9\x94 \x81"), quotes);
            assert_eq!(words(model, b"URL: x\n\x93caf\xe9\x94 \x81"), quotes);
        }
    }

    #[test]
    fn a_byte_order_mark_is_no_word() {
        for model in [FAIR, TextModel { fold: false, ..FAIR }] {
            assert_eq!(words(model, b"\xef\xbb\xbfURL: x\none"), ["one"]);
            assert_eq!(words(model, b"\xef\xbb\xbfone \xff"), ["one", "\u{fffd}"]);
            assert_eq!(words(model, b"\xff\xfeo\0n\0e\0"), ["one"]);
            assert_eq!(words(model, b"\xfe\xff\0o\0n\0e"), ["one"]);
        }
    }

    #[test]
    fn an_address_is_dropped_at_the_beginning_alone() {
        for (text, expected) in [
            ("URL: a\nb", &["b"][..]),
            (" \n\u{3000}\nURL:a\n\nb", &["b"]),
            ("ＵＲＬ\nb", &["b"]),
            ("URL: a", &[]),
            ("URL\u{301} a\nb", &["urĺ", "a", "b"]),
            ("<p>URL: a", &["url:", "a"]),
            ("a\nURL: b", &["a", "url:", "b"]),
        ] {
            assert_eq!(words(FAIR, text.as_bytes()), expected, "{text}");
        }
        assert_eq!(words(FAIR, b"\xe9\nURL: b"), ["é", "url:", "b"]);
    }
}
