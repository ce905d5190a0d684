//! A [`Capture`] is one HTTP exchange: a request and the response as received.
//!
//! `fetch` makes captures, `warc` writes and reads them, and all later stages start from them. The body stays
//! compressed (gzip, br, …); [`Capture::decoded_body`] decodes a copy within limits. This module uses neither network
//! nor disk.

pub mod coding;

use std::borrow::Cow;
use std::net::IpAddr;
use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize, Serializer};

use crate::address::CrawlUrl;

use coding::{CodingError, CodingLimits};

/// One HTTP exchange: request and response.
///
/// ```
/// use goldminer_html::address::CrawlUrl;
/// use goldminer_html::capture::coding::CodingLimits;
/// use goldminer_html::capture::{Capture, Headers};
///
/// let mut capture = Capture::new(CrawlUrl::parse("http://portal.example/a")?, "2026-11-22T10:00:00Z".parse()?, 200);
/// capture.headers = Headers::from_iter([("content-type", "text/html; charset=utf-8")]);
/// capture.body = b"<p>It rained.".to_vec();
/// assert_eq!(capture.content_type(), Some("text/html; charset=utf-8"));
/// assert_eq!(capture.decoded_body(CodingLimits::default())?, b"<p>It rained.".as_slice(), "it has no content coding");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Capture {
    /// The requested URL.
    pub url: CrawlUrl,
    /// The time at which the request was sent.
    pub fetched: Timestamp,
    /// The server's IP address; None if it is unknown.
    pub peer: Option<IpAddr>,
    /// The protocols that were used, as in `WARC-Protocol` (`h2`, `http/1.1`, `tls/1.3`); empty if unknown.
    pub protocols: Vec<String>,
    /// The request line and header fields as sent, with the empty line after them; empty if unknown.
    pub request_head: Vec<u8>,
    /// The status code of the response.
    pub status: u16,
    /// The reason phrase; may be empty.
    pub reason: String,
    /// The response's header fields in the order received, without transfer coding.
    pub headers: Headers,
    /// The body as received, still compressed by its content coding, but without transfer coding.
    pub body: Vec<u8>,
    /// Why the body is incomplete; None if it is complete.
    pub truncated: Option<Truncation>,
    /// The time from sending the request to the last byte of the response.
    pub elapsed: Duration,
}

impl Capture {
    /// Creates a capture without header fields and body. All other fields are set to unknown.
    pub fn new(url: CrawlUrl, fetched: Timestamp, status: u16) -> Self {
        Self {
            url,
            fetched,
            peer: None,
            protocols: Vec::new(),
            request_head: Vec::new(),
            status,
            reason: String::new(),
            headers: Headers::default(),
            body: Vec::new(),
            truncated: None,
            elapsed: Duration::ZERO,
        }
    }

    /// The value of `Content-Type`; None if there is none, or if it is not UTF-8.
    pub fn content_type(&self) -> Option<&str> {
        self.headers.get("content-type")
    }

    /// The body, decompressed if it has a content coding.
    ///
    /// # Errors
    /// Fails if the coding is unknown or broken, or a limit is exceeded. The error contains the part that was
    /// decoded.
    pub fn decoded_body(&self, limits: CodingLimits) -> Result<Cow<'_, [u8]>, CodingError> {
        let codings: Vec<&str> = self.headers.all("content-encoding").collect();
        coding::decode(&self.body, &codings.join(","), limits)
    }
}

/// Why a body is cut off: the values of `WARC-Truncated` (WARC/1.1, section 5.13).
///
/// ```
/// use goldminer_html::capture::Truncation;
///
/// assert_eq!(Truncation::Length.as_str(), "length");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Truncation {
    /// The body exceeded a size limit.
    Length,
    /// The transfer exceeded a time limit.
    Time,
    /// The connection ended before the body.
    Disconnect,
    /// Another reason or an unknown one.
    Unspecified,
}

impl Truncation {
    /// The value in `WARC-Truncated`.
    pub fn as_str(self) -> &'static str {
        serde_variant::to_variant_name(&self).expect("no variant has fields")
    }
}

/// The header fields of a response, in the order received. Values are bytes, because servers may send any bytes.
///
/// ```
/// use goldminer_html::capture::Headers;
///
/// let headers = Headers::from_iter([("Link", "</a>; rel=next"), ("link", "</b>; rel=prev")]);
/// assert_eq!(headers.get("LINK"), Some("</a>; rel=next"));
/// assert_eq!(headers.all("link").count(), 2);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Headers(Vec<(String, Vec<u8>)>);

impl Headers {
    /// Adds a field at the end.
    pub fn push(&mut self, name: impl Into<String>, value: impl Into<Vec<u8>>) {
        self.0.push((name.into(), value.into()));
    }

    /// The first UTF-8 value of a header field, trimmed; None if there is none. Case does not matter.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.all(name).next()
    }

    /// All UTF-8 values of a header field, trimmed, in order. Case does not matter.
    pub fn all(&self, name: &str) -> impl Iterator<Item = &str> {
        self.0
            .iter()
            .filter(move |(n, _)| n.eq_ignore_ascii_case(name))
            .filter_map(|(_, value)| std::str::from_utf8(value).ok())
            .map(str::trim)
    }

    /// The names and values of all fields, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_slice()))
    }

    /// The number of fields.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are no fields.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<N: Into<String>, V: Into<Vec<u8>>> FromIterator<(N, V)> for Headers {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(fields: I) -> Self {
        Self(fields.into_iter().map(|(name, value)| (name.into(), value.into())).collect())
    }
}

/// The position of a record in an archive: the name of the file (without folder), and the record's offset and length in
/// it. To sort positions, use [`ArchivePosition::order`].
///
/// ```
/// use goldminer_html::capture::ArchivePosition;
///
/// let position = ArchivePosition::new("portals-20261120-00009.warc.gz", 4_096, 512);
/// assert_eq!(position.end().offset, 4_608);
/// let later = ArchivePosition::new("portals-20200101-00010.warc.gz", 0, 512);
/// assert!(position.order() < later.order(), "dates in file names do not count");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ArchivePosition {
    /// The final name of the file, such as `portals-20261120-00000.warc.gz`. A file that is still being written has
    /// `.open` at the end.
    pub file: String,
    /// The offset of the record in the file, in bytes as stored (compressed).
    pub offset: u64,
    /// The length of the record in the file, in bytes as stored (compressed).
    pub length: u64,
}

impl ArchivePosition {
    /// Creates the position of a record with `length` bytes at `offset` in a file.
    pub fn new(file: impl Into<String>, offset: u64, length: u64) -> Self {
        Self { file: file.into(), offset, length }
    }

    /// The key by which records are sorted in the order of writing: the file's serial number (zero if its name has
    /// none), then the offset. File names are not compared, because the date in them may go backwards with the clock.
    pub fn order(&self) -> (u64, u64) {
        (segment_serial(&self.file).unwrap_or(0), self.offset)
    }

    /// The position directly after the record, with length 0.
    pub fn end(&self) -> Self {
        Self { file: self.file.clone(), offset: self.offset + self.length, length: 0 }
    }
}

/// The serial number at the end of a WARC file's name, such as 42 in `portals-20261120-00042.warc.gz`. It gives the
/// order of writing. None if the name has another form.
///
/// ```
/// use goldminer_html::capture::segment_serial;
///
/// assert_eq!(segment_serial("portals-20261120-00042.warc.gz"), Some(42));
/// assert_eq!(segment_serial("notes.txt"), None);
/// ```
pub fn segment_serial(name: &str) -> Option<u64> {
    let name = name.strip_suffix(".open").unwrap_or(name);
    let stem = name.strip_suffix(".gz").unwrap_or(name).strip_suffix(".warc")?;
    stem.rsplit('-').next()?.parse().ok()
}

/// Serialises a time with nine decimals of a second, as documents store it.
#[allow(clippy::ref_option)] // serde passes the field by reference.
pub fn to_the_nanosecond<S: Serializer>(at: &Option<Timestamp>, serializer: S) -> Result<S::Ok, S::Error> {
    match at {
        Some(at) => serializer.collect_str(&format_args!("{at:.9}")),
        None => serializer.serialize_none(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn position(file: &str, offset: u64) -> ArchivePosition {
        ArchivePosition { file: file.to_owned(), offset, length: 7 }
    }

    #[test]
    fn a_clock_set_back_does_not_change_the_order_of_the_archive() {
        let before = position("portals-20261120091500-00009.warc.gz", 900);
        let after = position("portals-20200101000000-00010.warc.gz", 0);
        assert!(before.order() < after.order(), "the file with the later serial was written later");
        assert!(before.end().order() > before.order() && before.end().order() < after.order());
    }

    #[test]
    fn serials_are_read_from_names_of_open_closed_and_plain_files() {
        for name in ["a-b-00042.warc.gz", "a-00042.warc.gz.open", "a-42.warc", "42.warc.gz"] {
            assert_eq!(segment_serial(name), Some(42), "{name}");
        }
        for name in ["rec-20080430-crawl.warc.gz", "a-00042.cdxj", "notes.txt"] {
            assert_eq!(segment_serial(name), None, "{name}");
        }
    }
}
