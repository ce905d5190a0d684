//! Recognises files that are not stored pages by their first bytes, and says what to do about them.
//!
//! This program and others write files that are beside stored pages, or are mistaken for them: indexes, extracted
//! text, reports, executables. They must never become documents. This module does no I/O; `kind` and the readers of
//! pages call it.

use goldminer_html::{binary_format, control_characters, is_binary, utf16_as_utf8};

/// Number of bytes at the beginning of a file that are examined.
pub(super) const HEAD_BYTES: usize = 8 << 10;

/// A file that is neither a page nor an archive of pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Foreign {
    /// An empty file.
    #[error("is empty: it was never written, or was cut off")]
    Empty,
    /// Common Crawl's extracted text.
    #[error(
        "is a WET file: text that was extracted already, without the HTML that this program needs. Give the WARC \
         file that it was made from (at Common Crawl its name has /warc/ in place of /wet/ and ends in .warc.gz)"
    )]
    Wet,
    /// Common Crawl's extracted metadata.
    #[error(
        "is a WAT file: metadata of pages without their HTML. Give the WARC file that it was made from (at Common \
         Crawl its name has /warc/ in place of /wat/ and ends in .warc.gz)"
    )]
    Wat,
    /// An index of WARC files.
    #[error(
        "is an index (CDX or CDXJ), which lists pages but does not contain them: give the WARC files that it \
         names"
    )]
    Cdx,
    /// An ARC file, the format before WARC.
    #[error("is an ARC file, the format before WARC: convert it with `warcio recompress IN.arc.gz OUT.warc.gz`")]
    Arc,
    /// A WARC file where a page is expected.
    #[error("is a WARC file, not a page: store it under a name that ends in .warc or .warc.gz, and give that")]
    Warc,
    /// A zip file that is not a WACZ file.
    #[error("is a zip archive without WARC files in it: unpack it, and give the folder")]
    Zip,
    /// Documents that this program wrote.
    #[error(
        "is a corpus of documents that were extracted already: give the job directory or the WARC files that it was \
         made from, or use `goldminer convert` and `goldminer stats` on it"
    )]
    Corpus,
    /// An output directory of this program.
    #[error(
        "is an output of GoldMiner and is not read, nor are other files in it: give its sources; `goldminer convert` and \
         `goldminer stats` (without --compare) read the output itself"
    )]
    Output,
    /// A report that this program wrote.
    #[error("is a report by this program, not a stored page: leave it out, or give the job directory")]
    Report,
    /// A profile, or a folder of them.
    #[error("is a profile, not a stored page: give it with --profiles")]
    Profile,
    /// A seeds file.
    #[error("is a seeds file, not a stored page: crawl it with `goldminer crawl`, then give the job directory")]
    Seeds,
    /// The page index of a job.
    #[error("is the page index of a job: give the job directory")]
    PageIndex,
    /// A Parquet file without pages.
    #[error(
        "is a Parquet file without the columns `url` and `html`: with them it is a source of `goldminer extract --stream`; \
         `goldminer convert` and `goldminer stats` read those that `convert --format parquet` wrote"
    )]
    Parquet,
    /// JSON of another program.
    #[error(
        "is JSON, not a page: write the pages out as HTML files, or as JSON lines with `url` and `html`, which \
         `goldminer extract --stream` takes"
    )]
    Json,
    /// A feed, a sitemap, or other XML.
    #[error("is XML (a feed, a sitemap, TEI), not a page: `goldminer crawl` follows feeds and sitemaps")]
    Xml,
    /// Text without any markup.
    #[error("is plain text without markup: there is nothing to extract")]
    PlainText,
    /// A single compressed page.
    #[error("is a compressed page: decompress it (`gzip -d`, `zstd -d`) and give the HTML file")]
    CompressedPage,
    /// Another compressed file.
    #[error("is a compressed file, not a WARC file: decompress it and give the result")]
    Compressed,
    /// A file that is incomplete or damaged, with its type.
    #[error("is {0}: it is incomplete or damaged; download it again")]
    Torn(&'static str),
    /// A file of another format, with the format's name.
    #[error("is {0}, not a page: leave it out")]
    Binary(&'static str),
}

/// A text that identifies those reports of this program that do not name their generator.
const REPORT_POLICY: &[u8] = b"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-";
/// A text that identifies this program's other reports.
const REPORT_MAKER: &[u8] = b"<meta name=\"generator\" content=\"goldminer/";

impl Foreign {
    /// The type of a file with this (decompressed) beginning, if it cannot be a page. Some kilobytes are enough.
    ///
    /// ```
    /// use goldminer_batch::sources::Foreign;
    ///
    /// assert_eq!(Foreign::of(b"<p>It rained."), None);
    /// assert_eq!(Foreign::of(b"%PDF-1.7"), Some(Foreign::Binary("a PDF file")));
    /// ```
    pub fn of(page: &[u8]) -> Option<Self> {
        recognise(&page[..page.len().min(HEAD_BYTES)])
    }
}

fn recognise(head: &[u8]) -> Option<Foreign> {
    let readable = utf16_as_utf8(head);
    let text = readable.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&readable).trim_ascii_start();
    if text.is_empty() {
        return Some(Foreign::Empty);
    }
    if let Some(name) = binary_format(head) {
        return Some(Foreign::Binary(name));
    }
    if head.starts_with(b"PAR1") {
        return Some(Foreign::Parquet);
    }
    let has = |words: &[u8]| memchr::memmem::find(text, words).is_some();
    match text {
        _ if text.starts_with(b"WARC/") => Some(Foreign::Warc),
        _ if text.starts_with(b"GMPBOOK") => Some(Foreign::Profile),
        _ if text.starts_with(b"filedesc://") => Some(Foreign::Arc),
        _ if text.starts_with(b"CDX ") || is_index_line(text) => Some(Foreign::Cdx),
        _ if text.starts_with(b"{\"archive_end\"") => Some(Foreign::PageIndex),
        [b'{' | b'[', ..] if has(b"\"paragraphs\"") && has(b"\"text\"") => Some(Foreign::Corpus),
        [b'{', ..] if !holds_root(text) => Some(Foreign::Json),
        [b'<', ..] if has(REPORT_MAKER) || has(REPORT_POLICY) => Some(Foreign::Report),
        [b'<', ..] if text.starts_with(b"<doc id=") && has(b"\n<p type=") => Some(Foreign::Corpus),
        [b'<', ..] if is_xml(text) => Some(if has(b"<teiCorpus") { Foreign::Corpus } else { Foreign::Xml }),
        [b'<', ..] => is_binary(head).then_some(Foreign::Binary("binary")),
        _ if has(b"[[portal]]") => Some(Foreign::Seeds),
        _ if has(b"[[template]]") => Some(Foreign::Profile),
        _ if control_characters(text) > 0 => Some(Foreign::Binary("binary")),
        _ if !has_tag(text) => Some(Foreign::PlainText),
        _ => None,
    }
}

/// Whether a line is from a CDX or CDXJ file: a key, 14 digits, and an entry.
fn is_index_line(text: &[u8]) -> bool {
    let line = &text[..memchr::memchr(b'\n', text).unwrap_or(text.len())];
    let mut fields = line.splitn(3, |byte| *byte == b' ');
    let (key, time, rest) = (fields.next(), fields.next(), fields.next());
    key.is_some_and(|key| !key.starts_with(b"<"))
        && time.is_some_and(|time| time.len() == 14 && time.iter().all(u8::is_ascii_digit))
        && rest.is_some_and(|rest| rest.starts_with(b"{") || rest.starts_with(b"http"))
}

/// Whether the text is XML whose root element is not that of a page.
fn is_xml(text: &[u8]) -> bool {
    let lower = text[..text.len().min(64)].to_ascii_lowercase();
    let roots: [&[u8]; 6] = [b"<rss", b"<feed", b"<rdf:rdf", b"<urlset", b"<sitemapindex", b"<teicorpus"];
    roots.iter().any(|root| lower.starts_with(root)) || (lower.starts_with(b"<?xml") && !holds_root(text))
}

/// Whether the text has a tag that begins a page, at any place, because some pages have lost their beginning. `<body>`
/// does not count, because TEI has it, too.
fn holds_root(text: &[u8]) -> bool {
    let begins =
        |at: usize, root: &[u8]| text.get(at..at + root.len()).is_some_and(|found| found.eq_ignore_ascii_case(root));
    memchr::memchr_iter(b'<', text)
        .any(|at| begins(at, b"<html") || begins(at, b"<meta ") || begins(at, b"<!doctype html"))
}

/// Whether there is something like a tag or a comment.
fn has_tag(text: &[u8]) -> bool {
    memchr::memchr_iter(b'<', text).any(|at| matches!(text.get(at + 1), Some(b'a'..=b'z' | b'A'..=b'Z' | b'/' | b'!')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_can_be_pages_are_accepted() {
        for page in [
            "<!DOCTYPE html><title>A</title>",
            "\u{feff}\n  <html>",
            "<?xml version='1.0'?><!DOCTYPE html PUBLIC '-//W3C//DTD XHTML 1.0 Strict//EN'><html>",
            "<?xml version='1.0'?>\n<meta name='robots' content='index'><p>A",
            "<!-- saved --><p>A",
            "<text id=\"http://a.example/\"><p>A",
            "Warning: mysql_connect() in /var/www\n<html><p>A",
            "No more than a <p>page.",
            "{{ header }}<HTML><p>A",
            "[if] a page begins with a bracket <b>so be it</b>",
        ] {
            assert_eq!(Foreign::of(page.as_bytes()), None, "{page}");
        }
        for page in ["<html><p>It rained</p>", "words, <b>and</b> <i>more</i>", "\u{feff}<p>"] {
            let utf16: Vec<u8> = page.encode_utf16().flat_map(u16::to_le_bytes).collect();
            assert_eq!(Foreign::of(&utf16), None, "{page}");
            let utf16: Vec<u8> = page.encode_utf16().flat_map(u16::to_be_bytes).collect();
            assert_eq!(Foreign::of(&utf16), None, "{page}");
        }
    }

    #[test]
    fn the_type_of_other_files_is_recognised() {
        for (head, expected) in [
            (&b""[..], Foreign::Empty),
            (b"\x7FELF\x02\x01\x01", Foreign::Binary("an executable (ELF)")),
            (b"%PDF-1.7", Foreign::Binary("a PDF file")),
            (b" CDX N b a m s k r M S V g\n", Foreign::Cdx),
            (b"example,portal)/ 20261120091500 {\"url\": \"https://portal.example/\"}\n", Foreign::Cdx),
            (b"filedesc://a.arc 0.0.0.0 20080101000000 text/plain 200", Foreign::Arc),
            (b"{\"id\":\"a\",\"url\":\"u\",\"text\":\"t\",\"paragraphs\":[]}", Foreign::Corpus),
            (b"<?xml version=\"1.0\"?>\n<teiCorpus xmlns=\"\"><TEI><text><body>", Foreign::Corpus),
            (b"<doc id=\"a\" url=\"u\">\n<p type=\"h\">\n", Foreign::Corpus),
            (b"<rss version=\"2.0\">", Foreign::Xml),
            (b"[crawl]\nuser_agent = \"a\"\n[[portal]]\n", Foreign::Seeds),
            (b"key = \"a.example\"\n[[template]]\n", Foreign::Profile),
            (b"GMPBOOK2\x00\x01", Foreign::Profile),
            (b"Only words, and 3 < 4.", Foreign::PlainText),
            (b"words\x01\x02", Foreign::Binary("binary")),
            (b"\0\x07\x07\x07<p>binary data", Foreign::Binary("binary")),
            (b"\0\x01\0\0\0\x0F\0\x80<a", Foreign::Binary("binary")),
            (b"\0\0\x01\xBA<a", Foreign::Binary("binary")),
            (b"\xFF\xFE\x07\0<\0p\0", Foreign::Binary("binary")),
            (b"<\0\x07\x07<p>", Foreign::Binary("binary")),
            (b"\xFE\xFF\0w\0o\0r\0d", Foreign::PlainText),
            (b"WARC/1.1\r\nWARC-Type: response\r\n\r\n<html>", Foreign::Warc),
            (b"PAR1\x15\x04", Foreign::Parquet),
        ] {
            assert_eq!(Foreign::of(head), Some(expected), "{}", String::from_utf8_lossy(head));
        }
    }
}
