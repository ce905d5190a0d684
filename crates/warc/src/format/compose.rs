//! Composes the bytes of WARC records. A capture (a request with its response) has a `request` and a `response` record.
//! If the body is in an earlier record, a `revisit` record replaces the `response`. A file begins with a `warcinfo`
//! record.
//!
//! Records are strict WARC/1.1, with a fixed order of fields, and digests of the stored bytes. The writer compresses
//! the records and writes them to files.

use std::fmt::Write as _;

use goldminer_html::{ArchivePosition, Capture, CrawlUrl};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::digest::PayloadDigest;
use super::http::compose_head;
use super::record::{ELAPSED_FIELD, PROTOCOL_FIELD, REFERS_TO_FILE_FIELD, REFERS_TO_OFFSET_FIELD};

/// The content of a file's `warcinfo` record: who created the file, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WarcInfo {
    /// The name and version of the program.
    pub software: String,
    /// The `User-Agent` of the requests.
    pub user_agent: Option<String>,
    /// The person who is responsible for the crawl, with a contact.
    pub operator: Option<String>,
    /// The purpose of the crawl.
    pub description: Option<String>,
}

/// An earlier record of the archive with the same body as a new capture (request with response), so that the body need
/// not be stored again. Callers must remember their originals: by [`PayloadDigest`] for repeated bodies, by URL for 304
/// responses.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Original {
    /// The URL of the original.
    pub url: CrawlUrl,
    /// The time of its request ([`Capture::fetched`]).
    pub fetched: Timestamp,
    /// The digest of its payload (body).
    pub payload_digest: PayloadDigest,
    /// The position of its record in the archive.
    pub position: ArchivePosition,
}

impl Original {
    /// Creates an original for later captures, from a capture that is stored at `position`.
    pub fn new(capture: &Capture, position: ArchivePosition) -> Self {
        Self {
            url: capture.url.clone(),
            fetched: capture.fetched,
            payload_digest: PayloadDigest::of(&capture.body),
            position,
        }
    }
}

/// The records of one capture as bytes, not yet compressed.
pub(crate) struct Composed {
    /// The `response` or `revisit` record.
    pub(crate) response: Vec<u8>,
    /// The `request` record, if the request is known.
    pub(crate) request: Option<Vec<u8>>,
    /// The value of `WARC-Payload-Digest`.
    pub(crate) payload_digest: Option<PayloadDigest>,
    /// Whether the record is a revisit, without the body.
    pub(crate) is_revisit: bool,
}

/// Composes the records of a capture (a request with its response). `own_digest` is the digest of the capture's body.
/// The response is stored as a revisit, without its body, if `original` has the same body, or if the server answered
/// 304 because `original` has not changed.
pub(crate) fn compose(capture: &Capture, own_digest: PayloadDigest, original: Option<&Original>) -> Composed {
    let head = compose_head(capture);
    let not_modified = original.filter(|_| capture.status == 304 && capture.body.is_empty());
    let repeated = original.filter(|o| !capture.body.is_empty() && o.payload_digest == own_digest);
    let revisited = not_modified.or(repeated);
    let kind = if revisited.is_some() { "revisit" } else { "response" };
    let id = record_id();

    let mut fields = Fields::new(kind, &id, capture.fetched);
    fields.add("WARC-Target-URI", capture.url.as_str());
    if let Some(peer) = capture.peer {
        fields.add("WARC-IP-Address", peer);
    }
    capture.protocols.iter().for_each(|protocol| fields.add(PROTOCOL_FIELD, protocol));
    let payload_digest = not_modified.is_none().then_some(own_digest);
    if let Some(digest) = payload_digest {
        fields.add("WARC-Payload-Digest", digest);
    }
    if let Some(original) = revisited {
        let profile = if not_modified.is_some() { "server-not-modified" } else { "identical-payload-digest" };
        fields.add("WARC-Profile", format_args!("http://netpreserve.org/warc/1.1/revisit/{profile}"));
        fields.add("WARC-Refers-To-Target-URI", original.url.as_str());
        fields.add("WARC-Refers-To-Date", original.fetched);
        fields.add(REFERS_TO_FILE_FIELD, &original.position.file);
        fields.add(REFERS_TO_OFFSET_FIELD, original.position.offset);
    }
    if let Some(truncation) = capture.truncated {
        fields.add("WARC-Truncated", truncation.as_str());
    }
    fields.add(ELAPSED_FIELD, capture.elapsed.as_millis());
    fields.add("Content-Type", "application/http; msgtype=response");
    let body = if revisited.is_some() { &[][..] } else { &capture.body };
    let request = (!capture.request_head.is_empty()).then(|| compose_request(capture, &id));
    Composed { response: fields.with_block(&head, body), request, payload_digest, is_revisit: revisited.is_some() }
}

/// Composes the request record. It is stored after its response and refers to it, so a file that is cut off between the
/// two has no reference to a missing record.
fn compose_request(capture: &Capture, response_id: &str) -> Vec<u8> {
    let mut fields = Fields::new("request", &record_id(), capture.fetched);
    fields.add("WARC-Target-URI", capture.url.as_str());
    fields.add("WARC-Concurrent-To", response_id);
    capture.protocols.iter().for_each(|protocol| fields.add(PROTOCOL_FIELD, protocol));
    fields.add("Content-Type", "application/http; msgtype=request");
    fields.with_block(&capture.request_head, &[])
}

/// Composes the `warcinfo` record, which is the first record of a file.
pub(crate) fn compose_warcinfo(info: &WarcInfo, file: &str, created: Timestamp) -> Vec<u8> {
    let mut block = String::new();
    let mut line = |name: &str, value: &str| {
        let _ = writeln!(block, "{name}: {}\r", value.replace(['\r', '\n'], " "));
    };
    line("software", &info.software);
    line("format", "WARC File Format 1.1");
    line("conformsTo", "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/");
    line("robots", "classic");
    let known = [
        ("http-header-user-agent", &info.user_agent),
        ("operator", &info.operator),
        ("description", &info.description),
    ];
    for (name, value) in known {
        value.iter().for_each(|value| line(name, value));
    }
    line(
        "http-header-remark",
        "Header names of responses are as the HTTP library gives them (lower case, fields of one name side by side). \
         The transfer coding is removed, the content coding kept. Fields that would contradict the stored body are \
         renamed to X-Crawler-Transfer-Encoding and X-Crawler-Content-Length. Heads are written in the form of HTTP/1.1 \
         whatever was spoken: WARC-Protocol names that.",
    );
    let mut fields = Fields::new("warcinfo", &record_id(), created);
    fields.add("WARC-Filename", file);
    fields.add("Content-Type", "application/warc-fields");
    fields.with_block(block.as_bytes(), &[])
}

fn record_id() -> String {
    format!("<urn:uuid:{}>", Uuid::new_v4())
}

/// The header of a record that is being composed.
struct Fields(String);

impl Fields {
    fn new(kind: &str, id: &str, date: Timestamp) -> Self {
        let mut fields = Self(String::with_capacity(1024));
        fields.0.push_str("WARC/1.1\r\n");
        fields.add("WARC-Type", kind);
        fields.add("WARC-Record-ID", id);
        fields.add("WARC-Date", date);
        fields
    }

    fn add(&mut self, name: &str, value: impl std::fmt::Display) {
        let _ = write!(self.0, "{name}: {value}\r\n");
    }

    fn with_block(mut self, head: &[u8], body: &[u8]) -> Vec<u8> {
        self.add("WARC-Block-Digest", PayloadDigest::of_both(head, body));
        self.add("Content-Length", head.len() + body.len());
        self.0.push_str("\r\n");
        let mut record = self.0.into_bytes();
        record.reserve_exact(head.len() + body.len() + 4);
        record.extend_from_slice(head);
        record.extend_from_slice(body);
        record.extend_from_slice(b"\r\n\r\n");
        record
    }
}
