//! From an archived capture to the page that the extractor takes. The crawl and `extract` read pages through here alone.

use std::borrow::Cow;

use goldminer_core::extract::domain::StoredPage;
use goldminer_core::rights::Signal;
use goldminer_html::capture::coding::CodingLimits;
use goldminer_html::capture::{ArchivePosition, Capture};

use crate::fetch::MediaKind;
use crate::fetch::robots::TDMREP_PATH;
use crate::run::body;

/// The page in a capture, if there is one for the extractor: HTML, whole, 200, not forbidden to keep.
#[must_use]
pub fn stored_page(capture: Capture, position: ArchivePosition) -> Option<StoredPage> {
    page_or_capture(capture, position).ok()
}

/// The page in a capture; or the capture again, for whoever wants to know why it holds none.
pub fn page_or_capture(capture: Capture, position: ArchivePosition) -> Result<StoredPage, Box<Capture>> {
    let decoded = match page_in(&capture) {
        Some(body) => match body.bytes {
            Cow::Owned(bytes) => Some(bytes),
            // The body as it is.
            Cow::Borrowed(_) => None,
        },
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
    Ok(page)
}

/// Whether there is a page in a capture.
#[must_use]
pub fn holds_page(capture: &Capture) -> bool {
    page_in(capture).is_some()
}

fn page_in(capture: &Capture) -> Option<body::Body<'_>> {
    let may_be = !["/robots.txt", TDMREP_PATH].contains(&capture.url.path_and_query());
    let body = if may_be { body::read(capture, CodingLimits::default()).ok() } else { None };
    body.filter(|body| body.kind == MediaKind::Html)
}
