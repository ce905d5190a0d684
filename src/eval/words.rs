//! What a word is: two text models, one on bytes as Evert's script read them, one on Unicode text.
//!
//! Part of the scorer. A text is first prepared (cleaned, words separated by white space) and then split, so that words
//! can be slices of the prepared text.

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization;

/// How a file becomes words. All off is Evert's model; see [`Scorer`](super::Scorer) for the two scales.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
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
    /// The text with its words separated by spaces.
    pub(super) fn prepare(&self, raw: &[u8]) -> Vec<u8> {
        if self.unicode { self.prepare_unicode(raw).into_bytes() } else { self.prepare_bytes(raw) }
    }

    /// The words of a prepared text. Evert's model keeps an empty word at either end where white space stands there.
    pub(super) fn split<'t>(&self, prepared: &'t [u8]) -> impl Iterator<Item = &'t [u8]> + use<'t> {
        let keeps_empty = !self.plain && !self.unicode;
        let mut rest = Some(prepared);
        let words = std::iter::from_fn(move || {
            let text = rest?;
            let end = memchr::memchr(b' ', text);
            rest = end.map(|end| &text[end + 1..]);
            Some(&text[..end.unwrap_or(text.len())])
        });
        words.filter(move |word| keeps_empty || !word.is_empty())
    }

    fn prepare_bytes(&self, raw: &[u8]) -> Vec<u8> {
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
            if let Some(marker) = marker_at(rest) {
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

    fn prepare_unicode(&self, raw: &[u8]) -> String {
        let text = decode(raw);
        let text = self.normalised(&text);
        let text = self.without_markers(without_url_line(&text));
        let text = if self.entities { unescape(&text) } else { Cow::Borrowed(text.as_str()) };
        // The one letter whose lower case depends on its neighbours.
        let has_sigma = self.fold && text.contains('Σ');
        let mut clean = String::with_capacity(text.len());
        for line in text.split_inclusive('\n') {
            // Without an early exit the compiler looks at many bytes at once.
            let is_plain = |byte: u8| matches!(byte, b' '..=b'_' | b'a'..=b'~');
            let body = line.strip_suffix('\n').unwrap_or(line);
            if body.bytes().fold(true, |all, byte| all & is_plain(byte)) {
                clean.push_str(body);
                clean.push(' ');
            } else {
                line.chars().for_each(|c| self.push_clean(c, has_sigma, &mut clean));
            }
        }
        if self.fold {
            clean.make_ascii_lowercase();
        }
        if has_sigma { clean.to_lowercase() } else { clean }
    }

    fn push_clean(&self, c: char, has_sigma: bool, out: &mut String) {
        match c {
            ' '..='_' | 'a'..='~' => out.push(c),
            '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2064}' | '\u{feff}' => {}
            '\0'..='\x1f' | '\x7f'..='\u{9f}' => out.push(' '),
            c if c.is_whitespace() => out.push(' '),
            c if writes_no_spaces(c) => out.extend([' ', c, ' ']),
            c if self.fold && !has_sigma => c.to_lowercase().for_each(|c| self.push_typography(c, out)),
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

    /// In normal form C, or KC to fold. Blanks compose with nothing, so words can be normalised one by one.
    fn normalised<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if text.is_ascii() {
            return Cow::Borrowed(text);
        }
        let mut out = String::with_capacity(text.len());
        for line in text.split_inclusive('\n') {
            if line.is_ascii() || line.chars().all(is_its_own_normal_form) {
                out.push_str(line);
                continue;
            }
            for word in line.split_inclusive(' ') {
                match (word.chars().all(is_its_own_normal_form), self.fold) {
                    (true, _) => out.push_str(word),
                    (false, true) => out.extend(word.nfkc()),
                    (false, false) => out.extend(word.nfc()),
                }
            }
        }
        Cow::Owned(out)
    }

    fn without_markers(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len() + text.len() / 8);
        let mut copied = 0;
        for at in memchr::memchr_iter(b'<', text.as_bytes()) {
            if let Some(marker) = marker_at(&text.as_bytes()[at..]) {
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

/// Whether a word is `<p>`, `<h>` or `<l>`, in either case.
pub(super) fn is_marker(word: &[u8]) -> bool {
    marker_at(word).is_some()
}

fn marker_at(text: &[u8]) -> Option<&[u8]> {
    match text {
        [b'<', b'p' | b'P' | b'h' | b'H' | b'l' | b'L', b'>', ..] => Some(&text[..3]),
        _ => None,
    }
}

fn decode(raw: &[u8]) -> Cow<'_, str> {
    match raw {
        [0xef, 0xbb, 0xbf, rest @ ..] => String::from_utf8_lossy(rest),
        [0xff, 0xfe, rest @ ..] => encoding_rs::UTF_16LE.decode_without_bom_handling(rest).0,
        [0xfe, 0xff, rest @ ..] => encoding_rs::UTF_16BE.decode_without_bom_handling(rest).0,
        _ => match std::str::from_utf8(raw) {
            Ok(text) => Cow::Borrowed(text),
            // The five bytes that cp1252 leaves undefined are errors for Python, controls for WHATWG.
            Err(_) => {
                let text = encoding_rs::WINDOWS_1252.decode_without_bom_handling(raw).0;
                Cow::Owned(text.replace(['\u{81}', '\u{8d}', '\u{8f}', '\u{90}', '\u{9d}'], "\u{fffd}"))
            }
        },
    }
}

/// CleanEval's texts may begin with the page's address.
fn without_url_line(text: &str) -> &str {
    let start = text.trim_start();
    if !start.starts_with("URL") {
        return text;
    }
    start.find('\n').map_or("", |end| &start[end..])
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

/// Characters that no normal form changes and that compose with nothing before them: a quick test for most texts.
fn is_its_own_normal_form(c: char) -> bool {
    matches!(c,
        '\0'..='~' | 'À'..='ı' | 'А'..='я' | 'Α'..='Ρ' | 'Σ'..='Ω' | 'ά'..='ώ' | '–' | '—' | '‘'..='‟' | '、'..='〃'
        | '\u{4e00}'..='\u{9fff}')
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
    use super::*;

    fn words(model: TextModel, text: &[u8]) -> Vec<String> {
        let prepared = model.prepare(text);
        model.split(&prepared).map(|word| String::from_utf8_lossy(word).into_owned()).collect()
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
        let unicode = TextModel { plain: true, unicode: true, ..TextModel::default() };
        assert_eq!(words(unicode, b"\x93caf\xe9\x94 \x81"), ["“café”", "\u{fffd}"]);
    }
}
