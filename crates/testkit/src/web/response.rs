//! From a portal's reply to bytes: validators, content coding, framing.

use std::io::Write as _;
use std::time::Duration;

use flate2::Compression;
use flate2::write::GzEncoder;
use xxhash_rust::xxh3::xxh3_64;

use super::request::Request;
use crate::portals::{Coding, Reply};

/// A response, ready to be sent.
#[derive(Debug, Clone, Default)]
pub struct Response {
    /// The status.
    pub status: u16,
    /// Status line and fields, with the empty line.
    pub head: Vec<u8>,
    /// The body as it goes over the wire, with its framing.
    pub body: Vec<u8>,
    /// Bytes of the body without its framing.
    pub bytes: u64,
    /// How long to wait before the first byte.
    pub pause: Duration,
    /// Break off after so many bytes of the body.
    pub break_after: Option<usize>,
    /// The connection ends with this response.
    pub close: bool,
    /// How long the visitor is asked to stay away.
    pub stay_away: Option<StayAway>,
}

/// What a Retry-After asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StayAway {
    /// So long, from the end of the response on.
    After(Duration),
    /// Until a date, which lay so far ahead when the request came.
    Until(Duration),
}

/// How a body is delimited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Framing {
    /// `Content-Length`, with so many bytes too many announced.
    Length(usize),
    /// `Transfer-Encoding: chunked`.
    Chunked,
}

impl Response {
    /// Answers `request` with `reply`: 304 if the visitor has it, coded if the portal does so and the visitor can.
    #[must_use]
    pub fn new(request: &Request, reply: Reply, coding: Coding, framing: Framing) -> Self {
        let mut fields = reply.fields;
        let mut body = reply.body;
        let mut status = reply.status;
        if status == 200 {
            let etag = format!("\"{:016x}\"", xxh3_64(&body));
            let unchanged =
                fields.iter().any(|(name, value)| *name == "Last-Modified" && *value == request.if_modified_since);
            if request.if_none_match.contains(&etag) || request.if_none_match.is_empty() && unchanged {
                status = 304;
                body.clear();
            }
            fields.push(("ETag", etag));
        }
        if !reply.content_type.is_empty() && status != 304 {
            fields.push(("Content-Type", reply.content_type));
        }
        if status == 200
            && let Some((name, coded)) = code(&body, coding, &request.accept_encoding)
        {
            body = coded;
            fields.push(("Content-Encoding", name.to_owned()));
            fields.push(("Vary", "Accept-Encoding".to_owned()));
        }
        let bytes = body.len() as u64;
        let chunked = framing == Framing::Chunked && !request.old && status == 200;
        match framing {
            _ if status == 304 => {}
            Framing::Chunked if chunked => {
                body = chunks(&body);
                fields.push(("Transfer-Encoding", "chunked".to_owned()));
            }
            Framing::Chunked => fields.push(("Content-Length", body.len().to_string())),
            Framing::Length(more) => fields.push(("Content-Length", (body.len() + more).to_string())),
        }
        let close = request.close || matches!(framing, Framing::Length(more) if more > 0);
        fields.push(("Connection", if close { "close" } else { "keep-alive" }.to_owned()));
        if request.method == "HEAD" {
            body.clear();
        }
        let bytes = if body.is_empty() { 0 } else { bytes };
        Self { status, head: head(status, &fields), body, bytes, pause: reply.pause, close, ..Self::default() }
    }
}

/// The body in the portal's coding, if the visitor accepts it.
fn code(body: &[u8], coding: Coding, accepted: &str) -> Option<(&'static str, Vec<u8>)> {
    let accepts = |name: &str| accepted.split(',').any(|item| item.split(';').next().is_some_and(|n| n.trim() == name));
    let mut out = Vec::with_capacity(body.len() / 3);
    match coding {
        Coding::Brotli if accepts("br") => {
            // Quality 2, window 20: the demo wants the format, not the last byte.
            brotli::CompressorWriter::new(&mut out, 4096, 2, 20).write_all(body).ok()?;
            Some(("br", out))
        }
        Coding::Gzip | Coding::Brotli if accepts("gzip") => {
            let mut packed = GzEncoder::new(out, Compression::fast());
            packed.write_all(body).ok()?;
            Some(("gzip", packed.finish().ok()?))
        }
        _ => None,
    }
}

fn chunks(body: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(body.len() + 64);
    for chunk in body.chunks(8 * 1024) {
        out.extend_from_slice(format!("{:x}\r\n", chunk.len()).as_bytes());
        out.extend_from_slice(chunk);
        out.extend_from_slice(b"\r\n");
    }
    out.extend_from_slice(b"0\r\n\r\n");
    out
}

fn head(status: u16, fields: &[(&'static str, String)]) -> Vec<u8> {
    let reason = http::StatusCode::from_u16(status).ok().and_then(|code| code.canonical_reason()).unwrap_or("Unknown");
    let mut head = format!("HTTP/1.1 {status} {reason}\r\nServer: demo\r\n");
    for (name, value) in fields {
        head += &format!("{name}: {value}\r\n");
    }
    head += "\r\n";
    head.into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(fields: &str) -> Request {
        Request::parse(format!("GET / HTTP/1.1\r\nHost: a\r\n{fields}").as_bytes()).unwrap()
    }

    fn reply() -> Reply {
        Reply::new(200, "text/html", b"hello hello hello hello".to_vec())
            .field("Last-Modified", "Sun, 14 Jun 2026 18:25:00 GMT")
    }

    fn field<'r>(response: &'r Response, name: &str) -> Option<&'r str> {
        let head = std::str::from_utf8(&response.head).unwrap();
        head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    }

    #[test]
    fn a_visitor_that_has_the_page_gets_304_without_a_body() {
        let first = Response::new(&request(""), reply(), Coding::Identity, Framing::Length(0));
        let etag = field(&first, "ETag").unwrap();
        for fields in [format!("If-None-Match: {etag}"), "If-Modified-Since: Sun, 14 Jun 2026 18:25:00 GMT".to_owned()]
        {
            let second = Response::new(&request(&fields), reply(), Coding::Brotli, Framing::Chunked);
            assert_eq!((second.status, second.body.len(), second.bytes), (304, 0, 0));
            assert_eq!(field(&second, "Transfer-Encoding"), None);
        }
        let other = Response::new(&request("If-None-Match: \"0\""), reply(), Coding::Identity, Framing::Length(0));
        assert_eq!(other.status, 200);
    }

    #[test]
    fn coding_needs_consent() {
        let coded = |fields| Response::new(&request(fields), reply(), Coding::Brotli, Framing::Length(0));
        assert_eq!(field(&coded(""), "Content-Encoding"), None);
        assert_eq!(field(&coded("Accept-Encoding: gzip"), "Content-Encoding"), Some("gzip"));
        let response = coded("Accept-Encoding: gzip, br;q=0.9");
        assert_eq!(field(&response, "Content-Encoding"), Some("br"));
        let mut plain = Vec::new();
        brotli::BrotliDecompress(&mut response.body.as_slice(), &mut plain).unwrap();
        assert_eq!(plain, b"hello hello hello hello");
    }

    #[test]
    fn chunks_end_with_an_empty_one_and_old_clients_get_a_length() {
        let response = Response::new(&request(""), reply(), Coding::Identity, Framing::Chunked);
        assert_eq!(response.body, b"17\r\nhello hello hello hello\r\n0\r\n\r\n");
        assert_eq!(response.bytes, 23);
        let old = Request { old: true, ..request("") };
        let response = Response::new(&old, reply(), Coding::Identity, Framing::Chunked);
        assert_eq!(field(&response, "Content-Length"), Some("23"));
    }
}
