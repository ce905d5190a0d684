//! What came over the wire: a [`Capture`] is one HTTP exchange, as received.
//!
//! `fetch` makes captures, `archive` writes and reads them, everything to the right of the archive starts from them.
//! The body keeps its content coding (gzip, br, …): [`Capture::decoded_body`] decodes a copy, within limits. Nothing
//! here touches the network or the disk.

pub mod coding;

use std::borrow::Cow;
use std::net::IpAddr;
use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::address::CrawlUrl;
use coding::{CodingError, CodingLimits};

/// One HTTP exchange.
///
/// ```
/// use std::time::Duration;
///
/// use goldminer_core::address::CrawlUrl;
/// use goldminer_core::capture::{Capture, Headers};
///
/// let capture = Capture {
///     url: CrawlUrl::parse("http://portal.example/a")?,
///     fetched: "2026-11-22T10:00:00Z".parse()?,
///     peer: None,
///     request_head: Vec::new(),
///     status: 200,
///     reason: "OK".to_owned(),
///     headers: Headers::from_iter([("content-type", "text/html; charset=utf-8")]),
///     body: b"<p>It rained.".to_vec(),
///     truncated: None,
///     elapsed: Duration::from_millis(80),
/// };
/// assert_eq!(capture.content_type(), Some("text/html; charset=utf-8"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Capture {
    /// What was asked for.
    pub url: CrawlUrl,
    /// When the request left.
    pub fetched: Timestamp,
    /// The address that answered; none in archives made by others without it.
    pub peer: Option<IpAddr>,
    /// Request line and headers as sent, ending with an empty line; empty when unknown.
    pub request_head: Vec<u8>,
    /// The status code.
    pub status: u16,
    /// The reason phrase; may be empty.
    pub reason: String,
    /// The response's headers in the order received, transfer coding removed.
    pub headers: Headers,
    /// The body as received: transfer coding removed, content coding kept.
    pub body: Vec<u8>,
    /// Why the body is not whole, if it is not.
    pub truncated: Option<Truncation>,
    /// From the request's departure to the last byte.
    pub elapsed: Duration,
}

impl Capture {
    /// The value of `Content-Type`, if it is there and is text.
    #[must_use]
    pub fn content_type(&self) -> Option<&str> {
        self.headers.get("content-type")
    }

    /// The body without its content coding.
    ///
    /// # Errors
    /// When the coding is unknown or broken, or a limit is passed; the error carries what could be decoded.
    pub fn decoded_body(&self, limits: CodingLimits) -> Result<Cow<'_, [u8]>, CodingError> {
        let codings: Vec<&str> = self.headers.all("content-encoding").collect();
        coding::decode(&self.body, &codings.join(","), limits)
    }
}

/// Why a body ends early: the values of `WARC-Truncated` (WARC/1.1, section 5.13).
///
/// ```
/// use goldminer_core::capture::Truncation;
///
/// assert_eq!(Truncation::Length.as_str(), "length");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Truncation {
    /// A limit of size.
    Length,
    /// A limit of time.
    Time,
    /// The server went away.
    Disconnect,
    /// Another reason, or none given.
    Unspecified,
}

impl Truncation {
    /// The value of the header field.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Length => "length",
            Self::Time => "time",
            Self::Disconnect => "disconnect",
            Self::Unspecified => "unspecified",
        }
    }
}

/// Header fields in order; values are bytes, because servers send what they like.
///
/// ```
/// use goldminer_core::capture::Headers;
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

    /// The first value of that name (any case) that is text.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.all(name).next()
    }

    /// All values of that name (any case) that are text, in order.
    pub fn all(&self, name: &str) -> impl Iterator<Item = &str> {
        self.0
            .iter()
            .filter(move |(n, _)| n.eq_ignore_ascii_case(name))
            .filter_map(|(_, value)| std::str::from_utf8(value).ok())
            .map(str::trim)
    }

    /// Every field in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_slice()))
    }

    /// How many fields there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<N: Into<String>, V: Into<Vec<u8>>> FromIterator<(N, V)> for Headers {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(fields: I) -> Self {
        Self(fields.into_iter().map(|(name, value)| (name.into(), value.into())).collect())
    }
}

/// Where a record stands in an archive: the file's name (without folder) and the byte span of its gzip member.
///
/// ```
/// use goldminer_core::capture::ArchivePosition;
///
/// let position = ArchivePosition { file: "portals-20261120-00000.warc.gz".to_owned(), offset: 4_096, length: 512 };
/// assert_eq!(position.offset + position.length, 4_608);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ArchivePosition {
    /// The final name of the file, as in `portals-20261120-00000.warc.gz` (a file still being written has `.open` after
    /// it).
    pub file: String,
    /// Bytes from the file's beginning to the record's.
    pub offset: u64,
    /// Bytes that the record takes in the file.
    pub length: u64,
}
