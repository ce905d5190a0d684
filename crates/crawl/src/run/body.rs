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
    /// The body is incomplete: the server closed the connection, broke its protocol, or took too long. The URL is
    /// requested again.
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
    if matches!(capture.truncated, Some(Truncation::Disconnect | Truncation::Time | Truncation::Unspecified)) {
        return Err(Unusable::CutOff);
    }
    let (bytes, is_cut) = match capture.decoded_body(limits) {
        Ok(bytes) => (bytes, false),
        // A page that was cut at a size limit is still a page, and so is one that exceeds the limit when decoded.
        Err(error) if is_limit(&error.fault) || capture.truncated.is_some() => (Cow::Owned(error.decoded), true),
        Err(error) => return Err(Unusable::Coding(error.to_string())),
    };
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Err(Unusable::Empty);
    }
    let kind = MediaKind::of(capture.content_type(), &bytes);
    match kind {
        MediaKind::Other => Err(Unusable::Media(capture.content_type().unwrap_or("no content type").to_owned())),
        MediaKind::Empty => Err(Unusable::Empty),
        _ => Ok(Body { bytes, kind, truncated: is_cut || capture.truncated.is_some() || is_short(capture) }),
    }
}

/// Whether an uncoded body is shorter than the server said. The crawler gets no such response, but archives have them.
fn is_short(capture: &Capture) -> bool {
    let stated = capture.headers.get("content-length").and_then(|length| length.trim().parse().ok());
    stated.is_some_and(|length: usize| capture.body.len() < length) && capture.headers.get("content-encoding").is_none()
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
