//! Parses a WARC record: an HTTP response, a revisit (a response whose body is in an earlier record), or another
//! record, which is kept unparsed.
//!
//! The parser accepts records of WARC/0.17 to 1.1 by Heritrix, wget, browsertrix, Common Crawl and this program, and
//! tolerates their deviations from the standard. `warc_reader` finds the records in files; `compose` writes them.

use std::time::Duration;

use goldminer_html::capture::{Headers, Truncation};
use goldminer_html::{Capture, CrawlUrl};
use jiff::Timestamp;
use jiff::civil::{Date, DateTime};

use super::digest::PayloadDigest;
use super::http::{as_stored, dechunk, parse_response};

/// The name of our own field for [`Capture::elapsed`].
pub(crate) const ELAPSED_FIELD: &str = "X-Crawler-Fetch-Milliseconds";
/// The name of the field for the protocols of a request, such as `http/1.1` (proposed for WARC/1.1). The field may be
/// repeated.
pub(crate) const PROTOCOL_FIELD: &str = "WARC-Protocol";
/// The name of a revisit's field for the file that contains the original (the earlier record with the same body).
/// Heritrix writes this field, too.
pub(crate) const REFERS_TO_FILE_FIELD: &str = "WARC-Refers-To-Filename";
/// The name of a revisit's field for the offset of the original (the earlier record with the same body) in its file.
/// Heritrix writes this field, too.
pub(crate) const REFERS_TO_OFFSET_FIELD: &str = "WARC-Refers-To-File-Offset";

/// A record as stored in its file: its WARC header fields and its unparsed block (content).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RawRecord {
    /// The fields of the record's WARC header, not those of an HTTP message in the block.
    pub fields: Headers,
    /// The block (the record's content). It is cut off, and shorter than `block_bytes`, if it exceeds the reader's
    /// limit.
    pub block: Vec<u8>,
    /// The length of the block in the file.
    pub block_bytes: u64,
}

impl RawRecord {
    /// The value of `WARC-Type` in lower case.
    pub fn kind(&self) -> String {
        self.fields.get("warc-type").unwrap_or_default().to_ascii_lowercase()
    }

    /// The value of `WARC-Target-URI`, without the angle brackets that wget and WARC/0.17 put around it.
    pub fn target(&self) -> &str {
        bare_uri(self.fields.get("warc-target-uri").unwrap_or_default())
    }
}

/// A parsed record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Record {
    /// An HTTP response, or a `resource` record, which is treated as a response with status 200. The request is not
    /// included, because it is in another record.
    Response(Box<Capture>),
    /// A response whose body is stored in an earlier record.
    Revisit(Box<Revisit>),
    /// A record of another type (`warcinfo`, `request`, `metadata`, …), or one without a web URL.
    Other(Box<RawRecord>),
}

/// A `revisit` record (WARC/1.1, section 6.7).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Revisit {
    /// The response, with an empty body.
    pub capture: Capture,
    /// Whether the server answered 304 (not modified). If not, it sent the same body again.
    pub not_modified: bool,
    /// The earlier record that contains the body.
    pub refers_to: RefersTo,
}

/// What a revisit says about the earlier record with its body (the original). Few programs write all of these fields.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RefersTo {
    /// The URL of the original.
    pub url: Option<CrawlUrl>,
    /// The time at which the original was fetched.
    pub fetched: Option<Timestamp>,
    /// The digest of the original's payload (body).
    pub payload_digest: Option<PayloadDigest>,
    /// The name of the file with the original.
    pub file: Option<String>,
    /// The offset in bytes of the original in this file.
    pub offset: Option<u64>,
}

/// Parses a record.
///
/// # Errors
/// Fails if a response, resource or revisit with a web URL has no readable date, or a response has no readable HTTP
/// head. The error is a description.
pub(crate) fn interpret(raw: RawRecord) -> Result<Record, String> {
    let kind = raw.kind();
    if !matches!(kind.as_str(), "response" | "resource" | "revisit") {
        return Ok(Record::Other(Box::new(raw)));
    }
    let Ok(url) = CrawlUrl::parse(raw.target()) else {
        return Ok(Record::Other(Box::new(raw)));
    };
    let date = raw.fields.get("warc-date").unwrap_or_default();
    let fetched = match read_date(date) {
        Some(Ok(fetched)) => fetched,
        Some(Err(TimeOutOfRange)) => Timestamp::UNIX_EPOCH,
        None => return Err(format!("a {kind} record of {url} has no readable date ({date:?})")),
    };
    let mut capture = Capture::new(url, fetched, 200);
    capture.peer = raw.fields.get("warc-ip-address").and_then(|ip| ip.parse().ok());
    capture.protocols = raw.fields.all(PROTOCOL_FIELD).map(str::to_owned).collect();
    capture.truncated = truncation(&raw);
    let elapsed = raw.fields.get(ELAPSED_FIELD).and_then(|ms| ms.parse().ok());
    capture.elapsed = elapsed.map_or(Duration::ZERO, Duration::from_millis);
    if kind == "resource" {
        capture.headers.push("Content-Type", raw.fields.get("content-type").unwrap_or_default());
        capture.body = raw.block;
        return Ok(Record::Response(Box::new(capture)));
    }
    let http = parse_response(&raw.block);
    if kind == "revisit" {
        let not_modified = raw.fields.get("warc-profile").is_some_and(|p| p.ends_with("server-not-modified"));
        capture.status = if not_modified { 304 } else { 200 };
        if let Some((head, _)) = http {
            (capture.status, capture.reason, capture.headers) = (head.status, head.reason, head.headers);
        }
        return Ok(Record::Revisit(Box::new(Revisit { capture, not_modified, refers_to: refers_to(&raw) })));
    }
    let Some((head, body)) = http else {
        return Err(format!("a response record of {} has no readable HTTP head", capture.url));
    };
    let body_begins = raw.block.len() - body.len();
    (capture.status, capture.reason, capture.headers) = (head.status, head.reason, head.headers);
    capture.body = raw.block;
    capture.body.drain(..body_begins);
    remove_transfer_coding(&mut capture);
    Ok(Record::Response(Box::new(capture)))
}

/// Removes the transfer coding (such as `gzip, chunked`) from a body. Archives of wget and Heritrix keep it.
fn remove_transfer_coding(capture: &mut Capture) {
    let codings = capture.headers.all("transfer-encoding").collect::<Vec<_>>().join(",").to_ascii_lowercase();
    let has = |wanted: &[&str]| codings.split(',').any(|coding| wanted.contains(&coding.trim()));
    if codings.is_empty() {
        return;
    }
    if has(&["chunked"])
        && let Some((body, whole)) = dechunk(&capture.body)
    {
        capture.body = body;
        if !whole && capture.truncated.is_none() {
            capture.truncated = Some(Truncation::Unspecified);
        }
    }
    let is_named = |coding: &str| coding.to_ascii_lowercase().contains("gzip");
    if has(&["gzip", "x-gzip"])
        && capture.body.starts_with(&[0x1F, 0x8B])
        && !capture.headers.all("content-encoding").any(is_named)
    {
        // The body is then decoded like one with a content coding, whose bytes would be the same.
        capture.headers.push("Content-Encoding", "gzip");
    }
    capture.headers = as_stored(&capture.headers, Some(capture.body.len()));
}

fn truncation(raw: &RawRecord) -> Option<Truncation> {
    if (raw.block.len() as u64) < raw.block_bytes {
        return Some(Truncation::Length);
    }
    let stated = raw
        .fields
        .get("warc-truncated")
        .map(|reason| serde_json::from_value(reason.to_ascii_lowercase().into()).unwrap_or(Truncation::Unspecified));
    // A record with a segment number is only the first part; the rest is in `continuation` records.
    stated.or_else(|| raw.fields.get("warc-segment-number").map(|_| Truncation::Unspecified))
}

fn refers_to(raw: &RawRecord) -> RefersTo {
    let field = |name| raw.fields.get(name);
    RefersTo {
        url: field("warc-refers-to-target-uri").and_then(|uri| CrawlUrl::parse(bare_uri(uri)).ok()),
        fetched: field("warc-refers-to-date").and_then(parse_date),
        payload_digest: field("warc-payload-digest").and_then(PayloadDigest::parse),
        file: field(REFERS_TO_FILE_FIELD).map(str::to_owned),
        offset: field(REFERS_TO_OFFSET_FIELD).and_then(|offset| offset.parse().ok()),
    }
}

fn bare_uri(uri: &str) -> &str {
    uri.strip_prefix('<').and_then(|uri| uri.strip_suffix('>')).unwrap_or(uri)
}

/// Parses W3C dates of any precision (WARC/1.1, section 5.4), and the 14 digits of ARC files. A date without a time
/// zone is UTC. None if the text is not a date, or is one that cannot be represented.
pub(crate) fn parse_date(text: &str) -> Option<Timestamp> {
    read_date(text)?.ok()
}

/// The error for a valid date that [`Timestamp`] cannot represent, such as the last day of the year 9999.
pub(crate) struct TimeOutOfRange;

pub(crate) fn read_date(text: &str) -> Option<Result<Timestamp, TimeOutOfRange>> {
    let text = text.trim();
    if let Ok(exact) = text.parse() {
        return Some(Ok(exact));
    }
    let civil: DateTime = match text.len() {
        4 => text.parse().ok().and_then(|year| Date::new(year, 1, 1).ok())?.into(),
        7 => format!("{text}-01").parse::<Date>().ok()?.into(),
        14 if text.bytes().all(|b| b.is_ascii_digit()) => DateTime::strptime("%Y%m%d%H%M%S", text).ok()?,
        _ => text.trim_end_matches('Z').parse().ok()?,
    };
    Some(civil.to_zoned(jiff::tz::TimeZone::UTC).map(|zoned| zoned.timestamp()).map_err(|_| TimeOutOfRange))
}

#[cfg(test)]
mod tests {
    use goldminer_html::capture::coding::CodingLimits;

    use super::*;

    fn raw(fields: &[(&str, &str)], block: &[u8]) -> RawRecord {
        RawRecord {
            fields: fields.iter().map(|(name, value)| (*name, *value)).collect(),
            block: block.to_vec(),
            block_bytes: block.len() as u64,
        }
    }

    fn response(fields: &[(&str, &str)], block: &[u8]) -> Capture {
        let base = [("WARC-Type", "response"), ("WARC-Date", "2024-05-06T07:08:09Z")];
        match interpret(raw(&[&base[..], fields].concat(), block)) {
            Ok(Record::Response(capture)) => *capture,
            other => panic!("no response: {other:?}"),
        }
    }

    #[test]
    fn wget_and_heritrix_keep_chunks_and_brackets() {
        let capture = response(
            &[("WARC-Target-URI", "<http://p.example/a>"), ("WARC-IP-Address", "192.0.2.7")],
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Type: text/html\r\n\r\n3\r\n<p>\r\n0\r\n\r\n",
        );
        assert_eq!(capture.url.as_str(), "http://p.example/a");
        assert_eq!((capture.body.as_slice(), capture.truncated), (&b"<p>"[..], None));
        assert_eq!(capture.headers.get("transfer-encoding"), None);
        assert_eq!(capture.headers.get("x-crawler-transfer-encoding"), Some("chunked"));
        assert_eq!(capture.peer, "192.0.2.7".parse().ok());
    }

    #[test]
    fn the_protocols_of_a_request_are_read() {
        let fields = [("WARC-Target-URI", "https://p.example/"), ("WARC-Protocol", "h2"), ("WARC-Protocol", "tls/1.3")];
        assert_eq!(response(&fields, b"HTTP/1.1 200\r\n\r\n<p>").protocols, ["h2", "tls/1.3"]);
    }

    #[test]
    fn a_gzip_transfer_coding_is_decoded() {
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        std::io::Write::write_all(&mut gzip, b"<p>It rained.").unwrap();
        let packed = gzip.finish().unwrap();
        let chunk = [format!("{:x}\r\n", packed.len()).as_bytes(), &packed, b"\r\n0\r\n\r\n"].concat();
        for (codings, body) in [
            ("gzip, chunked", &chunk),
            ("GZIP,chunked", &chunk),
            ("gzip\r\nTransfer-Encoding: chunked", &chunk),
            ("x-gzip", &packed),
            ("gzip, chunked", &packed),
            ("gzip, chunked", &b"<p>It rained.".to_vec()),
        ] {
            let head = format!("HTTP/1.1 200 OK\r\nTransfer-Encoding: {codings}\r\n\r\n");
            let capture = response(&[("WARC-Target-URI", "http://p.example/")], &[head.as_bytes(), body].concat());
            let decoded = capture.decoded_body(CodingLimits::default()).unwrap();
            assert_eq!(decoded, &b"<p>It rained."[..], "{codings}");
        }
    }

    #[test]
    fn bodies_that_common_crawl_decoded_stay_unchanged() {
        let capture = response(
            &[("WARC-Target-URI", "https://p.example/"), ("WARC-Truncated", "disconnect")],
            b"HTTP/1.1 200\r\nX-Crawl-Transfer-Encoding: chunked\r\nX-Crawl-Content-Encoding: gzip\r\n\r\n<p>12",
        );
        assert_eq!((capture.body.as_slice(), capture.truncated), (&b"<p>12"[..], Some(Truncation::Disconnect)));
        assert_eq!(capture.headers.get("content-encoding"), None);
    }

    #[test]
    fn a_body_cut_by_the_reader_is_marked_as_truncated() {
        let mut record = raw(
            &[("WARC-Type", "response"), ("WARC-Date", "2024-05-06"), ("WARC-Target-URI", "http://p.example/")],
            b"HTTP/1.1 200 OK\r\n\r\nbeginning",
        );
        record.block_bytes = 1 << 40;
        let Ok(Record::Response(capture)) = interpret(record) else { panic!("no response") };
        assert_eq!(capture.truncated, Some(Truncation::Length));
    }

    #[test]
    fn a_resource_is_a_page_and_a_screenshot_is_not() {
        let fields = |target| {
            [
                ("WARC-Type", "resource"),
                ("WARC-Date", "2024-05-06T07:08:09.5Z"),
                ("WARC-Target-URI", target),
                ("Content-Type", "text/html"),
            ]
        };
        let Ok(Record::Response(page)) = interpret(raw(&fields("http://p.example/"), b"<p>")) else {
            panic!("no page")
        };
        assert_eq!((page.status, page.content_type(), page.body.as_slice()), (200, Some("text/html"), &b"<p>"[..]));
        assert!(matches!(interpret(raw(&fields("urn:view:http://p.example/"), b"png")), Ok(Record::Other(_))));
    }

    #[test]
    fn a_revisit_names_its_original() {
        let record = raw(
            &[
                ("WARC-Type", "revisit"),
                ("WARC-Date", "2024-05-06T07:08:09Z"),
                ("WARC-Target-URI", "http://p.example/b"),
                ("WARC-Profile", "http://netpreserve.org/warc/1.0/revisit/identical-payload-digest"),
                ("WARC-Payload-Digest", "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ"),
                ("WARC-Refers-To-Target-URI", "http://p.example/a"),
                ("WARC-Refers-To-Date", "2024-05-05T00:00:00Z"),
            ],
            b"",
        );
        let Ok(Record::Revisit(revisit)) = interpret(record) else { panic!("no revisit") };
        assert!(!revisit.not_modified);
        assert_eq!(revisit.capture.status, 200);
        assert_eq!(revisit.refers_to.url.map(String::from).as_deref(), Some("http://p.example/a"));
        assert_eq!(revisit.refers_to.payload_digest, Some(PayloadDigest::of(b"")));
    }

    #[test]
    fn a_page_dated_in_the_year_9999_is_kept_without_a_date() {
        for date in ["9999-12-31T23:59:59Z", "9999-12-31"] {
            let fields = [("WARC-Type", "response"), ("WARC-Date", date), ("WARC-Target-URI", "http://p.example/")];
            let Ok(Record::Response(page)) = interpret(raw(&fields, b"HTTP/1.1 200 OK\r\n\r\n<p>")) else {
                panic!("no page of {date}")
            };
            assert_eq!((page.fetched, parse_date(date)), (Timestamp::UNIX_EPOCH, None));
        }
    }

    #[test]
    fn dates_of_any_precision() {
        for (text, expected) in [
            ("2024-05-06T07:08:09Z", "2024-05-06T07:08:09Z"),
            ("2024-05-06T07:08:09.123456789Z", "2024-05-06T07:08:09.123456789Z"),
            ("2024-05-06T07:08:09+02:00", "2024-05-06T05:08:09Z"),
            ("2024-05-06T07:08Z", "2024-05-06T07:08:00Z"),
            ("2024-05-06", "2024-05-06T00:00:00Z"),
            ("2024-05", "2024-05-01T00:00:00Z"),
            ("2024", "2024-01-01T00:00:00Z"),
            ("20240506070809", "2024-05-06T07:08:09Z"),
        ] {
            assert_eq!(parse_date(text).map(|t| t.to_string()).as_deref(), Some(expected), "{text}");
        }
        for text in ["", "yesterday", "2024-13-01", "2024050607", "ééééééé"] {
            assert_eq!(parse_date(text), None, "{text}");
        }
    }
}
