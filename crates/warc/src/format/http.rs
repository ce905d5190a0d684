//! Composes and parses the HTTP messages in WARC records. It composes strictly, and tolerates errors when it parses.
//!
//! The HTTP library does not return the original head of a response (it removes the transfer coding and converts names
//! to lower case), so the head is composed again. Fields that would contradict the stored body are renamed and not
//! dropped: `Transfer-Encoding` becomes `X-Crawler-Transfer-Encoding`. A wrong `Content-Length` becomes
//! `X-Crawler-Content-Length`, and a correct `Content-Length` is added.

use goldminer_html::capture::{Capture, Headers};

/// The head of a response: the status line and the header fields.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ResponseHead {
    pub(crate) status: u16,
    pub(crate) reason: String,
    pub(crate) headers: Headers,
}

/// Composes the head of a response, with the empty line that ends it.
pub(crate) fn compose_head(capture: &Capture) -> Vec<u8> {
    let mut head = Vec::with_capacity(512);
    head.extend_from_slice(format!("HTTP/1.1 {:03} ", capture.status).as_bytes());
    push_without_breaks(&mut head, capture.reason.trim().as_bytes());
    head.extend_from_slice(b"\r\n");
    for (name, value) in as_stored(&capture.headers, stored_length(capture)).iter() {
        push_without_breaks(&mut head, name.as_bytes());
        head.extend_from_slice(b": ");
        push_without_breaks(&mut head, value.trim_ascii());
        head.extend_from_slice(b"\r\n");
    }
    head.extend_from_slice(b"\r\n");
    head
}

/// The value of `Content-Length` for a capture. None if the status is 1xx or 304, because the field would then not be
/// the length of the stored body (RFC 9110, section 8.6).
fn stored_length(capture: &Capture) -> Option<usize> {
    (capture.status != 304 && capture.status >= 200).then_some(capture.body.len())
}

/// Returns the header fields of a response as the archive stores them, for a body of `body_bytes` bytes without
/// transfer coding. `Transfer-Encoding` and a wrong `Content-Length` are renamed.
pub(crate) fn as_stored(headers: &Headers, body_bytes: Option<usize>) -> Headers {
    let mut stored = Headers::default();
    let mut renamed = false;
    for (name, value) in headers.iter() {
        let is_wrong = |bytes: usize| value.trim_ascii() != bytes.to_string().as_bytes();
        let other_name = if name.eq_ignore_ascii_case("transfer-encoding") {
            Some("X-Crawler-Transfer-Encoding")
        } else {
            let is_length = name.eq_ignore_ascii_case("content-length");
            (is_length && body_bytes.is_some_and(is_wrong)).then_some("X-Crawler-Content-Length")
        };
        renamed |= other_name.is_some();
        stored.push(other_name.unwrap_or(name), value);
    }
    if let Some(bytes) = body_bytes
        && renamed
        && stored.get("content-length").is_none()
    {
        stored.push("Content-Length", bytes.to_string());
    }
    stored
}

/// Appends a value. Line breaks are replaced with spaces, because they would begin another field.
fn push_without_breaks(head: &mut Vec<u8>, text: &[u8]) {
    head.extend(text.iter().map(|b| if matches!(b, b'\r' | b'\n' | 0) { b' ' } else { *b }));
}

/// Splits the block (content) of a WARC record into the head and the body of its HTTP response. None if the block is
/// not an HTTP response.
pub(crate) fn parse_response(block: &[u8]) -> Option<(ResponseHead, &[u8])> {
    // Some servers send blank lines first, `HTTP` without a version, or a status line that begins with the code.
    let (first, mut rest) = split_line(block.trim_ascii_start());
    let version = first.split(|b| b.is_ascii_whitespace()).next()?;
    let is_http = version.get(..4).is_some_and(|name| name.eq_ignore_ascii_case(b"HTTP"))
        && matches!(version.get(4), None | Some(b'/'));
    let code = if is_http { &first[version.len()..] } else { first };
    let mut words = code.trim_ascii_start().splitn(2, |b| b.is_ascii_whitespace());
    let digits = words.next().filter(|digits| digits.len() == 3)?;
    let status = std::str::from_utf8(digits).ok()?.parse().ok()?;
    let reason = String::from_utf8_lossy(words.next().unwrap_or_default()).trim().to_owned();
    if !is_http && !memchr::memchr(b'\n', rest).is_some_and(|end| rest[..end].contains(&b':')) {
        return None;
    }
    let headers = parse_fields(&mut rest);
    Some((ResponseHead { status, reason, headers }, rest))
}

/// Parses header fields up to the empty line, and sets `rest` to the bytes after it. A value on several lines is
/// joined; lines without a colon are skipped.
pub(crate) fn parse_fields(rest: &mut &[u8]) -> Headers {
    let mut fields: Vec<(String, Vec<u8>)> = Vec::new();
    while !rest.is_empty() {
        let (line, behind) = split_line(rest);
        *rest = behind;
        if line.is_empty() {
            break;
        }
        if matches!(line[0], b' ' | b'\t') {
            if let Some((_, value)) = fields.last_mut() {
                value.push(b' ');
                value.extend_from_slice(line.trim_ascii());
            }
        } else if let Some(colon) = memchr::memchr(b':', line) {
            let name = String::from_utf8_lossy(line[..colon].trim_ascii()).into_owned();
            fields.push((name, line[colon + 1..].trim_ascii().to_vec()));
        }
    }
    fields.into_iter().collect()
}

/// The first line without its end (CRLF or LF), and the bytes after it.
fn split_line(bytes: &[u8]) -> (&[u8], &[u8]) {
    let (line, behind) = match memchr::memchr(b'\n', bytes) {
        Some(end) => (&bytes[..end], &bytes[end + 1..]),
        None => (bytes, &bytes[bytes.len()..]),
    };
    (line.strip_suffix(b"\r").unwrap_or(line), behind)
}

/// Removes the chunked transfer coding (RFC 9112, section 7.1) from a body that another program has stored. Returns the
/// body, and whether it is complete. None if the body is not chunked: many tools remove the coding but keep the header
/// field.
pub(crate) fn dechunk(body: &[u8]) -> Option<(Vec<u8>, bool)> {
    let mut decoded = Vec::with_capacity(body.len());
    let mut rest = body;
    loop {
        let (line, behind) = split_line(rest);
        let size = chunk_size(line).filter(|_| behind.len() < rest.len());
        match size {
            Some(0) => return Some((decoded, true)),
            Some(size) if size <= behind.len() => {
                decoded.extend_from_slice(&behind[..size]);
                let (after, next) = split_line(&behind[size..]);
                if !after.is_empty() {
                    // If the first chunk is invalid, the body is not chunked. If a later one is, the body is
                    // incomplete.
                    return (rest.len() < body.len()).then_some((decoded, false));
                }
                rest = next;
            }
            Some(_) => {
                decoded.extend_from_slice(behind);
                return Some((decoded, false));
            }
            None if rest.len() == body.len() => return None,
            None => return Some((decoded, false)),
        }
    }
}

fn chunk_size(line: &[u8]) -> Option<usize> {
    let digits = line.split(|b| *b == b';').next()?.trim_ascii();
    usize::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok().filter(|_| digits[0] != b'+')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn headers(fields: &[(&str, &str)]) -> Headers {
        fields.iter().map(|(name, value)| (*name, *value)).collect()
    }

    #[test]
    fn fields_that_contradict_the_stored_body_are_renamed() {
        let sent = headers(&[("content-type", "text/html"), ("transfer-encoding", "chunked")]);
        let stored = headers(&[
            ("content-type", "text/html"),
            ("X-Crawler-Transfer-Encoding", "chunked"),
            ("Content-Length", "7"),
        ]);
        assert_eq!(as_stored(&sent, Some(7)), stored);
        assert_eq!(as_stored(&stored, Some(7)), stored, "storing again changes nothing");
        let cut = headers(&[("content-length", "1000")]);
        let stored = headers(&[("X-Crawler-Content-Length", "1000"), ("Content-Length", "7")]);
        assert_eq!(as_stored(&cut, Some(7)), stored);
        assert_eq!(as_stored(&cut, None), cut, "the Content-Length of a 304 is that of a body that is not sent");
    }

    #[test]
    fn sloppy_heads_are_read() {
        let (head, body) =
            parse_response(b"http/1.0 404 Not  Found \nA: b\n folded\r\nnonsense\nSet-Cookie:c:d\n\nbody").unwrap();
        assert_eq!((head.status, head.reason.as_str(), body), (404, "Not  Found", &b"body"[..]));
        assert_eq!(head.headers, headers(&[("A", "b folded"), ("Set-Cookie", "c:d")]));
        let (head, body) = parse_response(b"HTTP/1.1   301 Moved\r\n\r\n").unwrap();
        assert_eq!((head.status, head.reason.as_str(), body), (301, "Moved", &b""[..]));
        let (head, body) = parse_response(b"HTTP/1.1 200\r\n").unwrap();
        assert_eq!((head.status, head.headers.len(), body), (200, 0, &b""[..]));
        for block in
            ["\r\nHTTP/1.1 200 OK", "\n\r\n \r\nHTTP/1.1 200 OK", "HTTP 200 OK", "HTTP/ 200 OK", "200 OK", "200"]
        {
            let block = format!("{block}\r\nA: b\r\n\r\n\r\nbody");
            let (head, body) = parse_response(block.as_bytes()).unwrap_or_else(|| panic!("{block}"));
            assert_eq!((head.status, body, head.headers.get("a")), (200, &b"\r\nbody"[..], Some("b")), "{block}");
        }
        assert_eq!(parse_response(b"200 people came\r\nto the fair\r\n"), None);
        for block in [&b"ICY 200 OK\r\n\r\n"[..], b"HTTP/1.1 abc\r\n\r\n", b"<html>", b"", b"HTTP"] {
            assert_eq!(parse_response(block), None);
        }
    }

    #[test]
    fn chunks_are_joined_and_unchunked_bodies_are_kept() {
        assert_eq!(dechunk(b"4\r\nWiki\r\n5;x=y\r\npedia\r\n0\r\n\r\n"), Some((b"Wikipedia".to_vec(), true)));
        assert_eq!(dechunk(b"4\r\nWiki\r\n5\r\npe"), Some((b"Wikipe".to_vec(), false)), "cut off");
        assert_eq!(dechunk(b"4\r\nWiki\r\n<junk>"), Some((b"Wiki".to_vec(), false)));
        assert_eq!(dechunk(b"<html>\r\n"), None);
        assert_eq!(dechunk(b"12\r\n"), Some((vec![], false)));
        assert_eq!(dechunk(b"2\r\nAdded to the menu"), None, "a page that begins with a number");
        assert_eq!(dechunk(b""), None);
    }

    proptest! {
        #[test]
        fn no_bytes_panic(block in proptest::collection::vec(any::<u8>(), 0..300), text in "[0-9a-f;\r\n]{0,40}") {
            let _ = parse_response(&[b"HTTP/1.1 200 OK\r\n", &block[..]].concat());
            let _ = parse_response(&block);
            let _ = (dechunk(&block), dechunk(text.as_bytes()));
        }
    }
}
