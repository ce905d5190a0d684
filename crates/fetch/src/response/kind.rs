//! The media type of a body, by its header and its first bytes, because servers are wrong about both types and codings.
//!
//! This is WHATWG's MIME sniffing, adapted for a crawler: markup is recognised whatever the header says, and formats
//! without text are recognised before they are downloaded. The page parser decides charsets.

use std::borrow::Cow;

use goldminer_html::capture::coding::{self, CodingLimits};
use goldminer_html::{binary_format, control_characters, is_binary, utf16_as_utf8};

/// Number of decoded bytes that are examined, as in WHATWG's MIME sniffing (section 5.2, resource header).
pub(crate) const SNIFFED_BYTES: usize = 1_445;

/// The media types that a crawler treats differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MediaKind {
    /// HTML and XHTML.
    Html,
    /// Feeds, sitemaps and other XML.
    Xml,
    /// JSON feeds and other JSON.
    Json,
    /// Plain text.
    Text,
    /// A gzip file (not a content coding), such as a compressed sitemap.
    Gzip,
    /// No body at all.
    Empty,
    /// Images, films, archives, scripts, and everything else.
    Other,
}

/// Tags that a page may begin with (WHATWG MIME sniffing, section 7.1, and a few more that occur). The order matters:
/// the first two, the first four and the first [`PAGE_PARTS`] are also searched for separately.
const HTML_STARTS: &[&[u8]] = &[
    b"<!doctype html",
    b"<html",
    b"<head",
    b"<body",
    b"<title",
    b"<meta",
    b"<link",
    b"<script",
    b"<style",
    b"<iframe",
    b"<h1",
    b"<div",
    b"<font",
    b"<table",
    b"<a ",
    b"<br",
    b"<p>",
    b"<p ",
    b"<b>",
    b"<main",
    b"<article",
    b"<section",
];

/// How many of [`HTML_STARTS`], counted from the first, occur in pages but never before the root of a feed or sitemap.
const PAGE_PARTS: usize = 9;

/// Number of bytes in which the root element of a feed or sitemap is searched for, if other text precedes it.
const JUNK_BYTES: usize = 16 << 10;

/// Root elements of feeds and sitemaps, with any prefix.
const XML_ROOTS: &[&str] = &["rss", "feed", "rdf", "urlset", "sitemapindex"];

impl MediaKind {
    /// Decides from the `Content-Type` and the body, or its beginning, after content coding was removed. Comments
    /// before the first element are skipped at any length; of the rest only the first bytes are examined.
    pub fn of(content_type: Option<&str>, body: &[u8]) -> Self {
        if body.is_empty() {
            return Self::Empty;
        }
        let text = utf16_as_utf8(body);
        let first_bytes = &text[..text.len().min(SNIFFED_BYTES)];
        let declared = content_type.and_then(declared);
        match signature(body).or_else(|| sniffed(&text)) {
            // An SVG image is XML.
            Some(Self::Xml) if content_type.is_some_and(|t| t.trim_start().starts_with("image/")) => Self::Other,
            Some(found) => found,
            None => match declared {
                // Old pages have stray control characters; programs and images have many.
                Some(Self::Html) if is_binary(body) => Self::Other,
                Some(kind @ (Self::Html | Self::Xml | Self::Json)) => kind,
                Some(Self::Other) => Self::Other,
                _ if control_characters(first_bytes) > 0 => Self::Other,
                _ if holds_one_of(first_bytes, &HTML_STARTS[..4]) => Self::Html,
                _ => Self::Text,
            },
        }
    }
}

/// The decoded beginning of a body, from its first received bytes; empty if it cannot be decoded.
pub(crate) fn first_bytes<'a>(received: &'a [u8], content_encoding: Option<&str>) -> Cow<'a, [u8]> {
    let limits = CodingLimits::default().with_decoded_bytes(SNIFFED_BYTES);
    match coding::decode(received, content_encoding.unwrap_or_default(), limits) {
        Ok(decoded) => decoded,
        Err(cut) => Cow::Owned(cut.decoded),
    }
}

/// A placeholder for a body that cannot be examined. With it, the header decides the type.
pub(crate) const UNSEEN: &[u8] = b"?";

/// Whether the bytes begin like the last coding in the header. Then they are coded, but too few to decode.
pub(crate) fn begins_coding(received: &[u8], content_encoding: Option<&str>) -> bool {
    let last = content_encoding.unwrap_or_default().rsplit(',').next().unwrap_or_default().trim().to_ascii_lowercase();
    let magic: &[u8] = match last.as_str() {
        "gzip" | "x-gzip" => &[0x1F, 0x8B],
        // RFC 8878, section 3.1.1.
        "zstd" => &[0x28, 0xB5, 0x2F, 0xFD],
        _ => return false,
    };
    received.iter().zip(magic).all(|(byte, expected)| byte == expected)
}

/// The media type in the header; None if the header says nothing specific.
fn declared(content_type: &str) -> Option<MediaKind> {
    let essence = content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    match essence.as_str() {
        "" | "application/octet-stream" | "application/unknown" | "unknown/unknown" | "binary/octet-stream" => None,
        "text/html" | "application/xhtml+xml" => Some(MediaKind::Html),
        "text/plain" => Some(MediaKind::Text),
        "text/xml" | "application/xml" => Some(MediaKind::Xml),
        "application/json" => Some(MediaKind::Json),
        "application/gzip" | "application/x-gzip" => Some(MediaKind::Gzip),
        image if image.starts_with("image/") => Some(MediaKind::Other),
        xml if xml.ends_with("+xml") => Some(MediaKind::Xml),
        json if json.ends_with("+json") => Some(MediaKind::Json),
        _ => Some(MediaKind::Other),
    }
}

/// The media type by the signatures (magic numbers) of formats that are not text.
fn signature(bytes: &[u8]) -> Option<MediaKind> {
    if bytes.starts_with(&[0x1F, 0x8B]) {
        return Some(MediaKind::Gzip);
    }
    binary_format(bytes).map(|_| MediaKind::Other)
}

/// The media type by the first element.
fn sniffed(bytes: &[u8]) -> Option<MediaKind> {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes).trim_ascii_start();
    let Prolog { rest, is_xml, is_html } = prolog(bytes);
    if begins_list(rest) {
        return Some(MediaKind::Xml);
    }
    let first_bytes = &bytes[..bytes.len().min(SNIFFED_BYTES)];
    if bytes.starts_with(b"{") && memchr::memmem::find(first_bytes, b"jsonfeed.org/version/").is_some() {
        return Some(MediaKind::Json);
    }
    if !is_html && holds_list(rest) {
        return Some(MediaKind::Xml);
    }
    // XHTML begins like any XML, so its root element decides. A comment without an end is most likely part of a page.
    if is_html
        || rest.starts_with(b"<!--")
        || begins_with_one_of(rest, HTML_STARTS)
        || (is_xml && holds_one_of(&rest[..rest.len().min(SNIFFED_BYTES)], &HTML_STARTS[..2]))
    {
        return Some(MediaKind::Html);
    }
    if is_xml { Some(MediaKind::Xml) } else { (rest.len() < bytes.len()).then_some(MediaKind::Html) }
}

/// What may precede the first element: declarations, instructions, comments, a document type.
struct Prolog<'a> {
    rest: &'a [u8],
    /// Whether there is an XML declaration.
    is_xml: bool,
    /// Whether the document type is HTML.
    is_html: bool,
}

fn prolog(bytes: &[u8]) -> Prolog<'_> {
    let mut prolog = Prolog { rest: bytes, is_xml: false, is_html: false };
    loop {
        let rest = prolog.rest.trim_ascii_start();
        let length = match rest {
            [b'<', b'!', b'-', b'-', inside @ ..] => memchr::memmem::find(inside, b"-->").map(|end| 4 + end + 3),
            [b'<', b'?', inside @ ..] => {
                prolog.is_xml |= inside.get(..3).is_some_and(|name| name.eq_ignore_ascii_case(b"xml"));
                memchr::memchr(b'>', inside).map(|end| 2 + end + 1)
            }
            [b'<', b'!', inside @ ..] => {
                prolog.is_html |= begins_with_one_of(rest, &[b"<!doctype html"]);
                document_type_end(inside).map(|end| 2 + end)
            }
            _ => None,
        };
        prolog.rest = rest;
        match length {
            Some(length) => prolog.rest = &rest[length..],
            None => return prolog,
        }
    }
}

/// The position after the `>` of a document type, which may contain declarations in brackets.
pub(crate) fn document_type_end(inside: &[u8]) -> Option<usize> {
    let end = memchr::memchr2(b'>', b'[', inside)?;
    if inside[end] == b'>' {
        return Some(end + 1);
    }
    let bracket = end + memchr::memchr(b']', &inside[end..])?;
    Some(bracket + memchr::memchr(b'>', &inside[bracket..])? + 1)
}

/// The name without prefix of the element that `bytes` begin with.
fn root_name(bytes: &[u8]) -> &[u8] {
    let [b'<', name @ ..] = bytes else { return b"" };
    let end = name.iter().position(|b| b.is_ascii_whitespace() || matches!(b, b'>' | b'/')).unwrap_or(name.len());
    let name = &name[..end];
    memchr::memchr(b':', name).map_or(name, |colon| &name[colon + 1..])
}

fn begins_list(bytes: &[u8]) -> bool {
    let root = root_name(bytes);
    XML_ROOTS.iter().any(|known| root.eq_ignore_ascii_case(known.as_bytes()))
}

fn begins_with_one_of(bytes: &[u8], starts: &[&[u8]]) -> bool {
    starts.iter().any(|start| bytes.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start)))
}

/// Whether the root of a feed or sitemap follows other text, such as a PHP warning, and is not part of an HTML page.
fn holds_list(bytes: &[u8]) -> bool {
    let bytes = &bytes[..bytes.len().min(JUNK_BYTES)];
    let mut at = 0;
    while let Some(found) = memchr::memchr(b'<', &bytes[at..]) {
        at += found;
        let rest = &bytes[at..];
        if begins_with_one_of(rest, &HTML_STARTS[..PAGE_PARTS]) {
            return false;
        }
        // A tag in quotes is part of a script.
        let before = bytes[..at].trim_ascii_end().last();
        let is_quoted = before.is_some_and(|before| matches!(before, b'"' | b'\'' | b'`' | b'(' | b'='));
        if !is_quoted && begins_list(rest) {
            return true;
        }
        let comment = rest.starts_with(b"<!--").then(|| memchr::memmem::find(rest, b"-->")).flatten();
        at += comment.unwrap_or(1);
    }
    false
}

/// Whether one of these tags occurs anywhere, for example after a declaration or a PHP warning.
fn holds_one_of(bytes: &[u8], starts: &[&[u8]]) -> bool {
    memchr::memchr_iter(b'<', bytes).any(|at| begins_with_one_of(&bytes[at..], starts))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_is_recognised_whatever_the_header_says() {
        for header in [None, Some("text/plain"), Some("application/octet-stream"), Some("image/png"), Some("")] {
            for page in [
                "<!DOCTYPE html><p>",
                "\u{feff}\n <HTML>",
                "<!-- made by hand --><html>",
                "<?xml version='1.0'?>\n<!DOCTYPE html PUBLIC>",
            ] {
                assert_eq!(MediaKind::of(header, page.as_bytes()), MediaKind::Html, "{header:?} {page}");
            }
        }
        assert_eq!(MediaKind::of(Some("text/html"), b"<?xml version='1.0'?><rss>"), MediaKind::Xml);
        assert_eq!(MediaKind::of(Some("text/html"), b"<urlset xmlns=''>"), MediaKind::Xml);
    }

    #[test]
    fn feeds_and_sitemaps_are_recognised_after_other_text() {
        let before = [
            "",
            "<!-- generated by a plug-in -->",
            "\u{feff}<!-- one --> \n <!-- two -->\n",
            "<?xml version='1.0'?><!-- <html> --><?xml-stylesheet href='a.xsl'?>",
            "<!DOCTYPE rss PUBLIC '-//Netscape Communications//DTD RSS 0.91//EN' 'http://my.netscape.com/rss.dtd'>",
            "<!DOCTYPE rss [ <!ENTITY nbsp '&#160;'> <!ENTITY html '<html>'> ]>",
            "<?xml-stylesheet type='text/css'?>",
        ];
        for root in [
            "<rss version='2.0'>",
            "<feed xmlns=''>",
            "<atom:feed>",
            "<rdf:RDF>",
            "<RSS>",
            "<urlset\n>",
            "<s:sitemapindex>",
        ] {
            for prolog in before {
                let feed = format!("{prolog}{root}<item><description><![CDATA[<html>]]></description></item>");
                for header in [None, Some("text/html"), Some("text/xml"), Some("text/plain")] {
                    assert_eq!(MediaKind::of(header, feed.as_bytes()), MediaKind::Xml, "{header:?} {feed}");
                    let utf16: Vec<u8> = feed.encode_utf16().flat_map(u16::to_le_bytes).collect();
                    assert_eq!(MediaKind::of(header, &utf16), MediaKind::Xml, "UTF-16, {header:?} {feed}");
                }
            }
        }
    }

    #[test]
    fn a_list_after_a_warning_is_a_list_and_a_page_on_lists_is_not() {
        let notice = "<br />\n<b>Notice</b>: Undefined variable $x in <b>/a.php</b><br />\n";
        for before in [notice, "Warning: x in y\n", "\0\x01", &notice.repeat(30)] {
            for list in ["<?xml version='1.0'?>\n<urlset xmlns='x'>", "<rss version='2.0'>", "<a:feed>"] {
                let kind = MediaKind::of(Some("text/html"), format!("{before}{list}").as_bytes());
                assert_eq!(kind, MediaKind::Xml, "{before}{list}");
            }
        }
        for page in
            ["<html><rss>", "<div><script>a('<rss>')</script>", "<p>x = \"<rss>\"", "<!-- <rss> --><p>a", "<p>&lt;rss>"]
        {
            assert_eq!(MediaKind::of(Some("text/html"), page.as_bytes()), MediaKind::Html, "{page}");
        }
        let json = br#"{"version": "https://jsonfeed.org/version/1.1", "items": []}"#;
        assert_eq!(MediaKind::of(Some("text/html"), json), MediaKind::Json);
    }

    #[test]
    fn an_unfinished_comment_means_a_page_until_more_is_received() {
        let comment = format!("<!-- {} -->", "licence ".repeat(1_000));
        let (page, feed) = (format!("{comment}<html>"), format!("{comment}<rss version='2.0'>"));
        assert_eq!(MediaKind::of(None, &page.as_bytes()[..SNIFFED_BYTES]), MediaKind::Html);
        assert_eq!(MediaKind::of(None, page.as_bytes()), MediaKind::Html);
        assert_eq!(MediaKind::of(Some("text/html"), feed.as_bytes()), MediaKind::Xml);
    }

    #[test]
    fn an_image_declared_as_a_page_is_not_a_page() {
        for bytes in [&b"\x89PNG\r\n"[..], b"\xFF\xD8\xFF\xE0", b"%PDF-1.7", b"\0\0\0\x18ftypmp42", b"PK\x03\x04"] {
            assert_eq!(MediaKind::of(Some("text/html"), bytes), MediaKind::Other, "{bytes:?}");
            let like_utf16 =
                [bytes, &b"< > = / "[..].repeat(100).iter().flat_map(|b| [*b, 0]).collect::<Vec<u8>>()].concat();
            assert_eq!(MediaKind::of(Some("text/html"), &like_utf16), MediaKind::Other, "{bytes:?}");
        }
        let tar = [&b"a/page.html"[..], &[0; 246], b"ustar\x0000", &[0; 248], b"<html>"].concat();
        assert_eq!(MediaKind::of(Some("text/html"), &tar), MediaKind::Other);
        assert_eq!(MediaKind::of(Some("image/svg+xml"), b"<?xml version='1.0'?><svg>"), MediaKind::Other);
    }

    #[test]
    fn the_header_decides_if_the_bytes_show_no_type() {
        for (header, bytes, expected) in [
            (Some("text/html; charset=utf-8"), "Hello", MediaKind::Html),
            (Some("application/rss+xml"), "x", MediaKind::Xml),
            (Some("application/feed+json"), "{}", MediaKind::Json),
            (Some("text/plain"), "User-agent: *", MediaKind::Text),
            (Some("text/css"), "a { }", MediaKind::Other),
            (Some("video/mp4"), "?", MediaKind::Other),
            (None, "User-agent: *", MediaKind::Text),
            (None, "Warning: line 3\n<html>", MediaKind::Html),
            (None, "a\0b", MediaKind::Other),
            (Some("text/html"), "", MediaKind::Empty),
            (Some("text/html"), "a\0\x01b <p>", MediaKind::Other),
            (Some("text/html"), "\x01 Warning <html><p>", MediaKind::Html),
            (Some("text/html"), "\x01 It rained all day in the town. <p>", MediaKind::Html),
        ] {
            assert_eq!(MediaKind::of(header, bytes.as_bytes()), expected, "{header:?} {bytes:?}");
        }
    }

    #[test]
    fn the_beginning_of_an_unfinished_coded_body_is_decoded() {
        let page = format!("<html>{}", "<p>words and words".repeat(5_000));
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        std::io::Write::write_all(&mut gzip, page.as_bytes()).unwrap();
        let coded = gzip.finish().unwrap();
        let seen = first_bytes(&coded[..coded.len() / 2], Some("gzip"));
        assert_eq!(MediaKind::of(None, &seen), MediaKind::Html);
        assert!(first_bytes(b"no gzip at all", Some("gzip")).is_empty());
    }
}
