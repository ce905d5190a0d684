//! Decides which responses are pages for the extractor, and returns these pages. Pure functions.
//!
//! A crawl uses these functions twice: before it adds a page to the page index, and when it reads the page from the
//! archive. `goldminer extract` uses them for every record. In this way, all agree on what is a page.

use std::borrow::Cow;

use goldminer_core::{Signal, StoredPage};
use goldminer_fetch::MediaKind;
use goldminer_fetch::robots::TDMREP_PATH;
use goldminer_html::capture::coding::{CodingFault, CodingLimits};
use goldminer_html::capture::{ArchivePosition, Capture, Truncation};

/// A whole page has `</html>` within this many bytes of its end. Some programs write a comment after it.
const END_BYTES: usize = 512;

/// The body of a response, decoded.
#[derive(Debug)]
pub struct Body<'a> {
    /// The bytes without content coding.
    pub bytes: Cow<'a, [u8]>,
    /// The kind of content, by header and first bytes.
    pub kind: MediaKind,
    /// Whether the bytes are only the beginning of the body.
    pub truncated: bool,
}

/// Why a response is not a page.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unusable {
    /// The status is neither 200 nor 203.
    #[error("the server answers {0}")]
    Status(u16),
    /// The body is incomplete: the server closed the connection, broke its protocol, or took too long, before the end
    /// of the page. The URL is requested again.
    #[error("the response was incomplete")]
    CutOff,
    /// The content coding is broken.
    #[error("its content coding is broken: {0}")]
    Coding(String),
    /// The body is empty.
    #[error("the response is empty")]
    Empty,
    /// The body is neither HTML nor a feed nor a sitemap.
    #[error("it is {0}, not a page")]
    Media(String),
}

/// Decodes the body of a response that is a page, feed or sitemap.
///
/// # Errors
/// When the response is neither a page nor a feed nor a sitemap. The value says why; the program has not failed.
pub fn read(capture: &Capture, limits: CodingLimits) -> Result<Body<'_>, Unusable> {
    // 203 is a page that a proxy has changed.
    if !matches!(capture.status, 200 | 203) {
        return Err(Unusable::Status(capture.status));
    }
    let (bytes, is_cut) = match capture.decoded_body(limits) {
        Ok(bytes) => (bytes, false),
        // A page that was cut at a size limit is still a page, and so is one that exceeds the limit when decoded.
        Err(error) if is_limit(&error.fault) || is_cut_off(capture) || is_whole_page(&error.decoded) => {
            (Cow::Owned(error.decoded), true)
        }
        Err(error) => return Err(Unusable::Coding(error.to_string())),
    };
    let is_whole = is_whole_page(&bytes);
    let broke_off = matches!(capture.truncated, Some(reason) if reason != Truncation::Length);
    if broke_off && !is_whole {
        return Err(Unusable::CutOff);
    }
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Err(Unusable::Empty);
    }
    let kind = MediaKind::of(capture.content_type(), &bytes);
    match kind {
        MediaKind::Other => Err(Unusable::Media(capture.content_type().unwrap_or("no content type").to_owned())),
        MediaKind::Empty => Err(Unusable::Empty),
        _ => {
            // A compressed body that was decoded to its end is whole, whatever its Content-Length says.
            let is_coded = capture.headers.get("content-encoding").is_some();
            let is_cut = is_cut || capture.truncated.is_some() || (!is_coded && is_cut_off(capture));
            Ok(Body { bytes, kind, truncated: is_cut && !is_whole })
        }
    }
}

/// Whether a page is whole, however its transfer ended: servers miscount lengths, and leave out the last chunk or the
/// end of gzip. Browsers show such pages.
fn is_whole_page(bytes: &[u8]) -> bool {
    let end = &bytes[bytes.len().saturating_sub(END_BYTES)..];
    end.windows(7).any(|window| window.eq_ignore_ascii_case(b"</html>"))
}

/// Whether the end of a body is missing: the archive says so, or the body is shorter than the server said. The crawler
/// stores no such short body, but other archives have them.
fn is_cut_off(capture: &Capture) -> bool {
    let stated = capture.headers.get("content-length").and_then(|length| length.trim().parse().ok());
    capture.truncated.is_some() || stated.is_some_and(|length: usize| capture.body.len() < length)
}

/// Returns the page in a capture: HTML with status 200 or 203. The page may have been cut at a size limit, but not by
/// a broken connection. None if the capture has no such page.
pub fn stored_page(capture: Capture, position: ArchivePosition) -> Option<StoredPage> {
    page_or_capture(capture, position).ok()
}

/// Returns the page in a capture as [`stored_page`] does, or else the capture, to find out why it has no page.
pub fn page_or_capture(capture: Capture, position: ArchivePosition) -> Result<StoredPage, Box<Capture>> {
    let (decoded, truncated) = match page_in(&capture) {
        Some(Body { bytes: Cow::Owned(bytes), truncated, .. }) => (Some(bytes), truncated),
        // The body has no content coding.
        Some(Body { truncated, .. }) => (None, truncated),
        None => return Err(Box::new(capture)),
    };
    let wire_bytes = capture.body.len() as u64;
    let content_type = capture.content_type().map(str::to_owned);
    let signals = Signal::of_headers(&capture.headers);
    let mut page = StoredPage::new(capture.url.site(), decoded.unwrap_or(capture.body));
    page.url = Some(capture.url);
    page.wire_bytes = wire_bytes;
    page.content_type = content_type;
    page.fetched = Some(capture.fetched);
    page.position = Some(position);
    page.signals = signals;
    page.truncated |= truncated;
    Ok(page)
}

/// Whether there is a page in a capture.
pub fn holds_page(capture: &Capture) -> bool {
    page_in(capture).is_some()
}

fn page_in(capture: &Capture) -> Option<Body<'_>> {
    let may_be = !["/robots.txt", TDMREP_PATH].contains(&capture.url.path_and_query());
    let body = if may_be { read(capture, CodingLimits::default()).ok() } else { None };
    body.filter(|body| body.kind == MediaKind::Html)
}

/// Returns the part of a body before the place where its content coding is broken. None if this part is empty or is
/// neither HTML nor a feed nor a sitemap.
pub(crate) fn beginning(capture: &Capture, limits: CodingLimits) -> Option<Body<'_>> {
    let bytes = capture.decoded_body(limits).unwrap_or_else(|error| Cow::Owned(error.decoded));
    let kind = MediaKind::of(capture.content_type(), &bytes);
    (!matches!(kind, MediaKind::Other | MediaKind::Empty)).then_some(Body { bytes, kind, truncated: true })
}

fn is_limit(fault: &CodingFault) -> bool {
    matches!(fault, CodingFault::Length { .. } | CodingFault::Ratio { .. })
}

#[cfg(test)]
mod tests {
    use goldminer_html::CrawlUrl;
    use jiff::Timestamp;

    use super::*;

    #[test]
    fn a_page_with_its_end_tag_is_whole_however_it_was_transferred() {
        let url = CrawlUrl::parse("http://portal.example/1").unwrap();
        let mut capture = Capture::new(url, Timestamp::UNIX_EPOCH, 200);
        capture.headers.push("Content-Type", "text/html");
        for (body, truncated, expected) in [
            ("<p>A text.</p></body></HTML>\n<!-- 3 ms -->", Some(Truncation::Disconnect), Ok(false)),
            ("<p>A text.</p></body></html>", Some(Truncation::Unspecified), Ok(false)),
            ("<p>A text.</p></bo", Some(Truncation::Disconnect), Err(Unusable::CutOff)),
            ("<p>A text.</p></bo", Some(Truncation::Time), Err(Unusable::CutOff)),
            ("<p>A text.</p></bo", Some(Truncation::Length), Ok(true)),
            ("<p>A text.</p></bo", None, Ok(false)),
        ] {
            (capture.body, capture.truncated) = (body.as_bytes().to_vec(), truncated);
            let read = read(&capture, CodingLimits::default()).map(|body| body.truncated);
            assert_eq!(read, expected, "{body} {truncated:?}");
        }
        capture.headers.push("Content-Length", "50");
        assert!(read(&capture, CodingLimits::default()).unwrap().truncated, "it is shorter than the server said");
    }
}
