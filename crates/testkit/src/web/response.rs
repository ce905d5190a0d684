//! Converts a portal's reply to the HTTP response: adds the `ETag`, compresses the body, and answers conditional
//! requests with 304.

use std::io::Write as _;
use std::time::Duration;

use xxhash_rust::xxh3::xxh3_64;

use super::request::Request;
use super::sending::{Sending, Visit};
use crate::portals::{Coding, Reply, gzip};

/// A response, ready to be sent.
#[derive(Debug, Clone, Default)]
pub(crate) struct Response {
    /// The status code.
    pub status: u16,
    /// The header fields, without `Content-Length` and `Transfer-Encoding`.
    pub fields: Vec<(&'static str, String)>,
    /// The body, compressed if it has a content coding.
    pub body: Vec<u8>,
    /// The value of `Content-Length`; None if the body is sent in chunks.
    pub length: Option<u64>,
    /// The time to wait before the first byte.
    pub pause: Duration,
    /// The number of bytes of the body after which the connection is closed. None if the whole body is sent.
    pub break_after: Option<usize>,
    /// The waiting time in a `Retry-After` field, if there is one. It is true if the time counts from the end of the
    /// response, as a number of seconds does. It is false for a date, which counts from the start of the request.
    pub retry_after: Option<(Duration, bool)>,
}

/// How the end of a body is marked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Framing {
    /// `Content-Length`, which is too large by this many bytes (0 for a correct length).
    Length(usize),
    /// `Transfer-Encoding: chunked`.
    Chunked,
}

impl Response {
    /// Makes the response to `request` from `reply`. It is a 304 if the visitor has the same page. It is compressed if
    /// the visitor accepts the coding.
    pub(crate) fn new(request: &Request, reply: Reply, coding: Coding, framing: Framing) -> Self {
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
        let length = match framing {
            _ if status == 304 => Some(0),
            Framing::Chunked if status == 200 => None,
            Framing::Chunked => Some(body.len() as u64),
            Framing::Length(more) => Some((body.len() + more) as u64),
        };
        if request.method == "HEAD" {
            body.clear();
        }
        Self { status, fields, body, length, pause: reply.pause, ..Self::default() }
    }

    /// Converts the response for hyper. The visit ends, and is logged, when hyper drops the body.
    pub(super) fn send(self, visit: Visit) -> hyper::Response<Sending> {
        let mut response = hyper::Response::builder().status(self.status).header("Server", "demo");
        for (name, value) in &self.fields {
            response = response.header(*name, value);
        }
        if let Some(length) = self.length.filter(|_| self.status != 304) {
            response = response.header("Content-Length", length);
        }
        let breaks = self.break_after.is_some();
        let mut body = self.body;
        body.truncate(self.break_after.unwrap_or(usize::MAX));
        // The response to HEAD has no body, although `Content-Length` is that of the body for GET.
        let announced = if body.is_empty() && !breaks { Some(0) } else { self.length };
        response.body(Sending::new(body, announced, breaks, visit)).expect("fields that HTTP knows")
    }
}

/// The name of the content coding and the compressed body. None if the portal does not compress, or if the visitor
/// accepts no compression that the portal has. Instead of Brotli, gzip is also possible.
fn code(body: &[u8], coding: Coding, accepted: &str) -> Option<(&'static str, Vec<u8>)> {
    let accepts = |name: &str| accepted.split(',').any(|item| item.split(';').next().is_some_and(|n| n.trim() == name));
    match coding {
        Coding::Brotli if accepts("br") => {
            // A low quality (2) and a window of 2^20 bytes are fast. The demo does not need the best compression.
            let mut out = Vec::with_capacity(body.len() / 3);
            brotli::CompressorWriter::new(&mut out, 4096, 2, 20).write_all(body).ok()?;
            Some(("br", out))
        }
        Coding::Gzip | Coding::Brotli if accepts("gzip") => Some(("gzip", gzip(body))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(name: &str, value: &str) -> Request {
        Request::of(&hyper::Request::get("/").header("Host", "a").header(name, value).body(()).unwrap())
    }

    fn reply() -> Reply {
        Reply::new(200, "text/html", b"hello hello hello hello".to_vec())
            .field("Last-Modified", "Sun, 14 Jun 2026 18:25:00 GMT")
    }

    fn field<'r>(response: &'r Response, name: &str) -> Option<&'r str> {
        response.fields.iter().find_map(|(known, value)| (*known == name).then_some(value.as_str()))
    }

    #[test]
    fn a_client_that_has_the_page_gets_304_without_a_body() {
        let first = Response::new(&request("Accept", "*/*"), reply(), Coding::Identity, Framing::Length(0));
        let etag = field(&first, "ETag").unwrap();
        for (name, value) in [("If-None-Match", etag), ("If-Modified-Since", "Sun, 14 Jun 2026 18:25:00 GMT")] {
            let second = Response::new(&request(name, value), reply(), Coding::Brotli, Framing::Chunked);
            assert_eq!((second.status, second.body.len(), second.length), (304, 0, Some(0)));
        }
        let other = Response::new(&request("If-None-Match", "\"0\""), reply(), Coding::Identity, Framing::Length(0));
        assert_eq!(other.status, 200);
    }

    #[test]
    fn only_accepted_codings_are_used() {
        let coded = |accepted| {
            Response::new(&request("Accept-Encoding", accepted), reply(), Coding::Brotli, Framing::Length(0))
        };
        assert_eq!(field(&coded(""), "Content-Encoding"), None);
        assert_eq!(field(&coded("gzip"), "Content-Encoding"), Some("gzip"));
        let response = coded("gzip, br;q=0.9");
        assert_eq!(field(&response, "Content-Encoding"), Some("br"));
        let mut plain = Vec::new();
        brotli::BrotliDecompress(&mut response.body.as_slice(), &mut plain).unwrap();
        assert_eq!(plain, b"hello hello hello hello");
    }

    #[test]
    fn a_chunked_body_has_no_length_and_a_wrong_one_is_too_long() {
        let framed = |framing| Response::new(&request("Accept", "*/*"), reply(), Coding::Identity, framing).length;
        assert_eq!([framed(Framing::Chunked), framed(Framing::Length(0))], [None, Some(23)]);
        assert_eq!(framed(Framing::Length(1000)), Some(1023));
    }
}
