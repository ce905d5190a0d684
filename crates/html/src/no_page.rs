//! Detects content that is not a web page from its bytes, whatever the HTTP header declares. The first bytes decide;
//! content that begins like JSON is parsed to its end.

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_8};
use serde::de::IgnoredAny;

use crate::encoding::utf16_without_mark;

/// The number of bytes at the beginning that are checked for control characters.
const HEAD_BYTES: usize = 2 << 10;

/// Whether bytes can be a web page: they contain `<`, and are not in a binary format, a feed or JSON.
///
/// ```
/// use goldminer_html::can_be_page;
///
/// assert!(can_be_page(b"<p>It rained."));
/// assert!(!can_be_page(b"<?xml version='1.0'?><rss></rss>") && !can_be_page(b"{\"html\": \"<p>It rained.\"}"));
/// ```
pub fn can_be_page(bytes: &[u8]) -> bool {
    memchr::memchr(b'<', &utf16_as_utf8(bytes)).is_some() && !is_binary(bytes) && !is_feed(bytes) && !is_json(bytes)
}

/// Binary formats: the offset of the signature in the file, the signature, and the format's common name.
const SIGNATURES: &[(usize, &[u8], &str)] = &[
    (0, b"%PDF-", "a PDF file"),
    (0, b"%!PS", "a PostScript file"),
    (0, b"\x89PNG", "an image (PNG)"),
    (0, b"GIF8", "an image (GIF)"),
    (0, b"\xFF\xD8\xFF", "an image (JPEG)"),
    (0, b"II*\x00", "an image (TIFF)"),
    (0, b"MM\x00*", "an image (TIFF)"),
    (0, b"BM\x00", "an image (BMP)"),
    (0, b"\x00\x00\x01\x00", "an icon"),
    (0, b"RIFF", "an image, film or sound (RIFF)"),
    (0, b"OggS", "a sound or film (Ogg)"),
    (0, b"ID3", "a sound (MP3)"),
    (0, b"\x1A\x45\xDF\xA3", "a film (Matroska)"),
    (4, b"ftyp", "a film (MP4)"),
    (0, b"PK\x03\x04", "an archive (zip)"),
    (0, b"Rar!", "an archive (RAR)"),
    (0, b"7z\xBC\xAF", "an archive (7z)"),
    (257, b"ustar", "an archive (tar)"),
    (0, b"BZh", "a file compressed with bzip2"),
    (0, b"\xFD7zXZ", "a file compressed with xz"),
    (0, b"\x28\xB5\x2F\xFD", "a file compressed with zstd"),
    (0, b"wOFF", "a font"),
    (0, b"wOF2", "a font"),
    (0, b"\x00asm", "a WebAssembly module"),
    (0, b"\x7FELF", "an executable (ELF)"),
    (0, b"MZ\x90\x00", "an executable (PE)"),
    (0, b"\xCF\xFA\xED\xFE", "an executable (Mach-O)"),
    (0, b"\xCA\xFE\xBA\xBE", "an executable (Java, Mach-O)"),
    (0, b"SQLite format 3", "a database (SQLite)"),
    (0, b"\xD0\xCF\x11\xE0", "an office document"),
];

/// The common name of a file's binary format, from its first bytes. None if they show none of the known formats.
///
/// ```
/// assert_eq!(goldminer_html::binary_format(b"%PDF-1.7"), Some("a PDF file"));
/// assert_eq!(goldminer_html::binary_format(b"<html>"), None);
/// ```
pub fn binary_format(head: &[u8]) -> Option<&'static str> {
    let is_there =
        |(at, signature, _): &&(usize, &[u8], &str)| head.get(*at..).is_some_and(|h| h.starts_with(signature));
    SIGNATURES.iter().find(is_there).map(|(_, _, name)| *name)
}

/// Whether bytes are not text: they have the signature of a binary format, or at least one in twenty of the first bytes
/// is a control character. Control characters do not count if there is a tag such as `<html>`: warnings of a server's
/// software can put many of them before the page.
///
/// ```
/// use goldminer_html::is_binary;
///
/// assert!(is_binary(b"%PDF-1.7") && is_binary(b"\0\x07\x07<p>\x01"));
/// assert!(!is_binary(b"<p>It rained\x02 all day in the town."));
/// ```
pub fn is_binary(bytes: &[u8]) -> bool {
    if binary_format(bytes).is_some() {
        return true;
    }
    let head = utf16_as_utf8(&bytes[..bytes.len().min(HEAD_BYTES)]);
    let controls = control_characters(&head);
    controls > 0 && 20 * controls >= head.len() && !holds_root(&head)
}

/// The number of bytes that do not occur in text: control characters without tab, line ends, form feed and escape
/// (WHATWG MIME sniffing, "binary data byte").
///
/// ```
/// assert_eq!(goldminer_html::control_characters(b"a\0b\x0Bc\n"), 2);
/// ```
pub fn control_characters(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| matches!(byte, 0..=8 | 0x0B | 0x0E..=0x1A | 0x1C..=0x1F)).count()
}

/// Whether the bytes contain a tag that begins a page: a doctype, `<html`, `<head` or `<body`.
fn holds_root(bytes: &[u8]) -> bool {
    let begins =
        |at: usize, tag: &[u8]| bytes.get(at..at + tag.len()).is_some_and(|found| found.eq_ignore_ascii_case(tag));
    let tags: [&[u8]; 4] = [b"<!doctype html", b"<html", b"<head", b"<body"];
    memchr::memchr_iter(b'<', bytes).any(|at| tags.iter().any(|tag| begins(at, tag)))
}

/// Converts UTF-16 to UTF-8 and returns other bytes unchanged: in all other encodings, markup is ASCII anyway.
///
/// ```
/// use goldminer_html::utf16_as_utf8;
///
/// assert_eq!(&*utf16_as_utf8(b"\xFF\xFE<\0p\0>\0"), b"<p>");
/// assert_eq!(&*utf16_as_utf8(b"<p>\0"), b"<p>\0");
/// ```
pub fn utf16_as_utf8(bytes: &[u8]) -> Cow<'_, [u8]> {
    let marked = Encoding::for_bom(bytes).map(|(encoding, _)| encoding).filter(|encoding| *encoding != UTF_8);
    match marked.or_else(|| utf16_without_mark(bytes)) {
        Some(encoding) => Cow::Owned(encoding.decode_with_bom_removal(bytes).0.into_owned().into_bytes()),
        None => Cow::Borrowed(bytes),
    }
}

/// Whether the bytes are a feed or a sitemap.
fn is_feed(bytes: &[u8]) -> bool {
    // Nearly all pages begin with `<!doctype` or `<html`.
    if matches!(bytes.trim_ascii_start(), [b'<', b'!' | b'h' | b'H', ..]) {
        return false;
    }
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(1_024)]).to_ascii_lowercase();
    let head = head.trim_start_matches('\u{feff}').trim_start();
    let begins = |name: &&str| head.starts_with(*name);
    let names = ["<rss", "<feed", "<rdf:rdf", "<urlset", "<sitemapindex"];
    names.iter().any(begins) || (head.starts_with("<?xml") && names.iter().any(|name| head.contains(name)))
}

/// Whether the bytes are JSON: one or more objects or lists, of which the last may be cut off. JSON is not a page even
/// if its strings contain markup.
fn is_json(bytes: &[u8]) -> bool {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    if !matches!(bytes.trim_ascii_start(), [b'{' | b'[', ..]) {
        return false;
    }
    let mut values = serde_json::Deserializer::from_slice(bytes).into_iter::<IgnoredAny>();
    values.all(|value| value.err().is_none_or(|error| error.is_eof()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_with_a_page_in_it_is_not_a_page() {
        let page = r"<html><body><p>It rained all day in \u0052ome.</p></body></html>";
        for json in [
            format!(r#"{{"status": "ok", "html": "{page}"}}"#),
            format!("\u{feff}\n [\"{page}\", 1]\n"),
            format!("{{\"html\": \"{page}\"}}\n{{\"html\": \"{page}\"}}\n"),
            format!(r#"{{"html": "{page}", "more": [1, 2"#),
        ] {
            assert!(!can_be_page(json.as_bytes()), "{json}");
        }
    }

    #[test]
    fn a_page_that_begins_with_braces_or_brackets_is_a_page() {
        for page in [
            "[Advertisement] <p>It rained.",
            "{{ header }}<html><p>It rained.",
            "{\"error\": null}\n<html><p>It rained.",
            "[1, 2]<p>It rained.",
            "{<p>It rained.",
            "<html><p>It rained.",
        ] {
            assert!(can_be_page(page.as_bytes()), "{page}");
        }
    }

    #[test]
    fn feeds_and_sitemaps_are_no_pages() {
        for feed in ["<rss><item>", "\u{feff}<?xml version='1.0'?>\n<urlset>", " <FEED xmlns=''>"] {
            assert!(!can_be_page(feed.as_bytes()), "{feed}");
        }
        assert!(!can_be_page(b"It rained."), "it contains no markup");
    }
    #[test]
    fn binary_data_that_begins_like_utf_16_or_markup_is_no_page() {
        // In random bytes, a tenth are control characters, and some look like tags.
        let mut state = 7_u64;
        let random: Vec<u8> = std::iter::repeat_with(|| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 56) as u8
        })
        .take(3_000)
        .collect();
        assert!(random.contains(&b'<'));
        let heads = [&b"\0\x07\x07\x07"[..], b"\0\x01\0\0", b"\0\0\x01\xBA", b"<\0\x07", b"\xFE\xFF", b"\xFF\xFE", b""];
        for head in heads.into_iter().chain([&b"\x7FELF"[..], b"\x89PNG", b"\0\0\x01\0"]) {
            assert!(!can_be_page(&[head, &random].concat()), "{head:?}");
        }
    }

    #[test]
    fn pages_in_utf_16_are_pages_with_and_without_a_mark() {
        let page = "<title>A</title><p>It rained all day in <b>the town</b>, and nobody left the house.</p>";
        for page in [page.to_owned(), page.repeat(100), page.replace("It rained", "\u{2603}\u{4e00}")] {
            for mark in ["", "\u{feff}"] {
                let units: Vec<u16> = mark.encode_utf16().chain(page.encode_utf16()).collect();
                let little: Vec<u8> = units.iter().copied().flat_map(u16::to_le_bytes).collect();
                let big: Vec<u8> = units.iter().copied().flat_map(u16::to_be_bytes).collect();
                assert!(can_be_page(&little) && can_be_page(&big), "{mark:?} {page}");
            }
        }
    }

    #[test]
    fn a_few_control_characters_do_not_make_a_page_binary() {
        for page in ["<p>It rained\x02 all day in the town.", "\x01\x01<html><p>It", "\x01 Warning <HTML><p>"] {
            assert!(can_be_page(page.as_bytes()), "{page:?}");
        }
    }
}
