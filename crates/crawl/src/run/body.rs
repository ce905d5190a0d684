//! Which archived responses are pages for the extractor.
//!
//! The crawl asks this before it puts a page into its domain's index, and `extract` asks it of every record of an
//! archive: one function, so that both see the same pages. Pure.

use std::borrow::Cow;

use goldminer_html::capture::coding::{CodingFault, CodingLimits};
use goldminer_html::capture::{Capture, Truncation};

use crate::fetch::MediaKind;

/// A response's body, ready to read.
#[derive(Debug)]
pub struct Body<'a> {
    /// Content coding removed.
    pub bytes: Cow<'a, [u8]>,
    /// What it is, by header and first bytes.
    pub kind: MediaKind,
}

/// Why a response is no page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unusable {
    /// Neither 200 nor 203.
    Status(u16),
    /// Not whole: the server went away, broke its protocol, or took too long. It is asked for again.
    CutOff,
    /// The content coding is broken.
    Coding(String),
    /// Nothing in it.
    Empty,
    /// Neither HTML nor a feed nor a sitemap.
    Media(String),
}

/// Reads the body of a response with a page, feed or sitemap in it.
///
/// # Errors
/// Why there is none: data, not a fault of ours.
pub fn read(capture: &Capture, limits: CodingLimits) -> Result<Body<'_>, Unusable> {
    // 203: a proxy on the way has changed the page, which is a page all the same.
    if !matches!(capture.status, 200 | 203) {
        return Err(Unusable::Status(capture.status));
    }
    if matches!(capture.truncated, Some(Truncation::Disconnect | Truncation::Time | Truncation::Unspecified)) {
        return Err(Unusable::CutOff);
    }
    let bytes = match capture.decoded_body(limits) {
        Ok(bytes) => bytes,
        // A page cut at a limit of size is still a page, like one that exceeds it when decoded.
        Err(error) if is_limit(&error.fault) || capture.truncated.is_some() => Cow::Owned(error.decoded),
        Err(error) => return Err(Unusable::Coding(error.to_string())),
    };
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Err(Unusable::Empty);
    }
    let kind = MediaKind::of(capture.content_type(), &bytes);
    match kind {
        MediaKind::Other => Err(Unusable::Media(capture.content_type().unwrap_or("no content type").to_owned())),
        MediaKind::Empty => Err(Unusable::Empty),
        _ => Ok(Body { bytes, kind }),
    }
}

/// What could be decoded of a body whose content coding is broken; none where that is nothing.
pub(crate) fn beginning(capture: &Capture, limits: CodingLimits) -> Option<Body<'_>> {
    let bytes = capture.decoded_body(limits).unwrap_or_else(|error| Cow::Owned(error.decoded));
    let kind = MediaKind::of(capture.content_type(), &bytes);
    (!matches!(kind, MediaKind::Other | MediaKind::Empty)).then_some(Body { bytes, kind })
}

fn is_limit(fault: &CodingFault) -> bool {
    matches!(fault, CodingFault::Length { .. } | CodingFault::Ratio { .. })
}
