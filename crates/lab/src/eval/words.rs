//! Prepares a text for one of the two scales: by its bytes like Evert's script, or as readers see it. In both results,
//! words are separated by spaces.

use std::borrow::Cow;

use rustc_hash::FxHashMap;
use unicode_normalization::UnicodeNormalization;

/// Prepares a text like Evert's script: as bytes, with segment markers (such as `<p>`) as words, without lines that
/// begin with `URL`.
pub(crate) fn verbatim(raw: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(raw.len() + raw.len() / 8);
    for line in raw.split_inclusive(|byte| *byte == b'\n') {
        if line.trim_ascii_start().starts_with(b"URL") {
            text.extend(line.ends_with(b"\n").then_some(b' '));
            continue;
        }
        let mut rest = line;
        while let [first, after @ ..] = rest {
            match marker_at(rest) {
                Some(marker) => text.extend([b" ", marker, b" "].concat()),
                None => text.push((*first).max(b' ')),
            }
            rest = marker_at(rest).map_or(after, |marker| &rest[marker.len()..]);
        }
    }
    text.dedup_by(|next, before| *next == b' ' && *before == b' ');
    text
}

/// Prepares a text for the fair scale. It is decoded as UTF-8, or else as UTF-16 or Windows-1252. Segment markers (such
/// as `<p>`) and invisible characters are removed, and character references are decoded. Quotes, dashes, compatibility
/// forms and case are unified. Each character of a script without spaces becomes a word.
pub(crate) fn fair(raw: &[u8]) -> String {
    let utf8 = raw.strip_prefix(b"\xef\xbb\xbf").unwrap_or(raw);
    let text = std::str::from_utf8(utf8).map_or_else(|_| decode(raw), Cow::Borrowed);
    let text = without_url_line(&text);
    let text = if text.is_ascii() { Cow::Borrowed(text) } else { Cow::Owned(text.nfkc().collect::<String>()) };
    let mut clean = String::with_capacity(text.len());
    unescape(&without_markers(&text)).chars().for_each(|c| push_clean(c, &mut clean));
    clean.to_lowercase()
}

/// Removes the line with the page's URL, with which texts of CleanEval may begin.
fn without_url_line(text: &str) -> &str {
    let mut length = 0;
    for line in text.split_inclusive('\n') {
        length += line.len();
        let line = line.trim_start();
        if line.nfkc().take(3).eq(['U', 'R', 'L']) {
            return &text[length..];
        }
        if !line.is_empty() {
            break;
        }
    }
    text
}

fn push_clean(c: char, out: &mut String) {
    match c {
        '`' => out.push('\''),
        ' '..='~' => out.push(c),
        '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2064}' | '\u{feff}' => {}
        '\0'..='\x1f' | '\x7f'..='\u{9f}' => out.push(' '),
        c if c.is_whitespace() => out.push(' '),
        c if writes_no_spaces(c) => out.extend([' ', c, ' ']),
        '‘' | '’' | '‚' | '‛' | '′' | '´' => out.push('\''),
        '“' | '”' | '„' | '‟' | '″' | '«' | '»' => out.push('"'),
        '–' | '—' | '−' | '‐' | '‑' => out.push('-'),
        '…' => out.push_str("..."),
        c => out.push(c),
    }
}

fn without_markers(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut copied = 0;
    for at in memchr::memchr_iter(b'<', text.as_bytes()) {
        if let Some(marker) = any_marker_at(&text.as_bytes()[at..]) {
            out.push_str(&text[copied..at]);
            out.push(' ');
            copied = at + marker.len();
        }
    }
    out.push_str(&text[copied..]);
    out
}

/// Splits a gold text into the text without code lines (`<c>…`) and the content of these lines.
pub(crate) fn split_code(gold: &[u8]) -> (Cow<'_, [u8]>, Vec<u8>) {
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

/// The lines of code and tables in an output: those from a line that begins with `<c>` or `<t>` to the next line that
/// begins with a segment marker, such as `<p>`.
pub(crate) fn printed(output: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut is_printed = false;
    output.split_inclusive(|byte| *byte == b'\n').filter(move |line| {
        if any_marker_at(line).is_some() {
            is_printed = matches!(line[1], b'c' | b't');
        }
        is_printed
    })
}

/// The segment marker (such as `<p>`) at the beginning of a text, or None. Unlike in CleanEval, `<c>` (code), `<t>`
/// (table) and `<q>` (quote) are also markers.
fn any_marker_at(text: &[u8]) -> Option<&[u8]> {
    match text {
        [b'<', b'c' | b't' | b'q', b'>', ..] => Some(&text[..3]),
        _ => marker_at(text),
    }
}

/// The CleanEval marker at the beginning of a text, or None: `<p>`, `<h>` or `<l>`, in upper or lower case.
pub(crate) fn marker_at(text: &[u8]) -> Option<&[u8]> {
    match text {
        [b'<', b'p' | b'P' | b'h' | b'H' | b'l' | b'L', b'>', ..] => Some(&text[..3]),
        _ => None,
    }
}

/// Decodes a text that is not valid UTF-8: UTF-16 if it has a byte order mark, otherwise Windows-1252.
fn decode(raw: &[u8]) -> Cow<'_, str> {
    match raw {
        [0xef, 0xbb, 0xbf, rest @ ..] => String::from_utf8_lossy(rest),
        [0xff, 0xfe, rest @ ..] => encoding_rs::UTF_16LE.decode_without_bom_handling(rest).0,
        [0xfe, 0xff, rest @ ..] => encoding_rs::UTF_16BE.decode_without_bom_handling(rest).0,
        // Five bytes are undefined in Windows-1252. Here they are errors, as in Python; for WHATWG they are control
        // characters.
        _ => {
            let text = encoding_rs::WINDOWS_1252.decode_without_bom_handling(raw).0;
            Cow::Owned(text.replace(['\u{81}', '\u{8d}', '\u{8f}', '\u{90}', '\u{9d}'], "\u{fffd}"))
        }
    }
}

/// Decodes character references like Python's `html.unescape`: as in HTML, but references to control characters and
/// noncharacters are removed.
fn unescape(text: &str) -> Cow<'_, str> {
    if !text.contains('&') {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    // Only a piece that follows an ampersand can begin with a reference. The first does not follow one.
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

/// The length of a numeric reference at the beginning of `text`, such as `#8217;` or `#x2019`, and the character, if it
/// is not removed. None if there is no such reference.
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
        // As in HTML, numbers of C1 control characters are read as Windows-1252.
        0x80..=0x9f => encoding_rs::WINDOWS_1252.decode_without_bom_handling(&[code as u8]).0.chars().next(),
        0x0d => Some('\r'),
        0x01..=0x08 | 0x0b | 0x0e..=0x1f | 0x7f | 0xfdd0..=0xfdef => None,
        code if code & 0xfffe == 0xfffe && code <= 0x10_ffff => None,
        code => Some(char::from_u32(code).filter(|c| *c != '\0').unwrap_or('\u{fffd}')),
    };
    Some((length, decoded))
}

/// Whether a character is from a script without spaces, and so counts as a word: CJK ideographs, kana, bopomofo,
/// full-width forms, Thai, Lao, Khmer, Burmese.
fn writes_no_spaces(c: char) -> bool {
    matches!(c,
        '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{2e80}'..='\u{312f}'
        | '\u{31a0}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{ff00}'..='\u{ffef}'
        | '\u{20000}'..='\u{3ffff}')
}

/// Gives each word in the texts of one page a number, so that the texts can be aligned by comparing integers.
#[derive(Default)]
pub(crate) struct Vocabulary {
    numbers: FxHashMap<Box<[u8]>, u32>,
    /// The numbers of the segment markers, at most six.
    pub markers: Vec<u32>,
}

impl Vocabulary {
    /// The number of different words. All numbers of words are below it.
    pub(crate) fn len(&self) -> usize {
        self.numbers.len()
    }

    /// The numbers of the words of a text on the fair scale.
    pub(crate) fn fair(&mut self, text: &[u8]) -> Vec<u32> {
        fair(text).split(' ').filter(|word| !word.is_empty()).map(|word| self.number(word.as_bytes())).collect()
    }

    /// The numbers of the words of a text, which are compared as in Evert's script. As in the script, white space at
    /// the beginning or end gives an empty word.
    pub(crate) fn verbatim(&mut self, text: &[u8]) -> Vec<u32> {
        verbatim(text).split(|byte| *byte == b' ').map(|word| self.number(word)).collect()
    }

    fn number(&mut self, word: &[u8]) -> u32 {
        if let Some(known) = self.numbers.get(word) {
            return *known;
        }
        let number = self.numbers.len() as u32;
        self.markers.extend(marker_at(word).map(|_| number));
        self.numbers.insert(word.into(), number);
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &[u8]) -> Vec<String> {
        fair(text).split(' ').filter(|word| !word.is_empty()).map(str::to_owned).collect()
    }

    #[test]
    fn evert_drops_url_lines_and_keeps_an_empty_word_at_the_ends() {
        let words = |text| String::from_utf8(verbatim(text)).unwrap();
        assert_eq!(words(b"one\n URL: x y\n<P>two\n"), "one <P> two ");
        assert_eq!(words(b""), "");
        assert_eq!(words(b"<h>two"), " <h> two");
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
        let quotes = ["\"café\"", "\u{fffd}"];
        assert_eq!(words(b"\x93caf\xe9\x94 \x81"), quotes);
        assert_eq!(words(b"URL: x\n\x93caf\xe9\x94 \x81"), quotes);
    }

    #[test]
    fn a_byte_order_mark_is_no_word() {
        assert_eq!(words(b"\xef\xbb\xbfURL: x\none"), ["one"]);
        assert_eq!(words(b"\xef\xbb\xbfone \xff"), ["one", "\u{fffd}"]);
        assert_eq!(words(b"\xff\xfeo\0n\0e\0"), ["one"]);
        assert_eq!(words(b"\xfe\xff\0o\0n\0e"), ["one"]);
    }

    #[test]
    fn a_url_line_is_dropped_only_at_the_beginning() {
        for (text, expected) in [
            ("URL: a\nb", &["b"][..]),
            (" \n\u{3000}\nURL:a\n\nb", &["b"]),
            ("ＵＲＬ\nb", &["b"]),
            ("URL: a", &[]),
            ("URL\u{301} a\nb", &["urĺ", "a", "b"]),
            ("<p>URL: a", &["url:", "a"]),
            ("a\nURL: b", &["a", "url:", "b"]),
        ] {
            assert_eq!(words(text.as_bytes()), expected, "{text}");
        }
        assert_eq!(words(b"\xe9\nURL: b"), ["é", "url:", "b"]);
    }
}
