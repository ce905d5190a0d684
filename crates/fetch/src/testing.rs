//! Builds a capture for the unit tests of this crate.

use goldminer_html::{Capture, CrawlUrl};
use jiff::Timestamp;

/// A response of `http://portal.example/page`.
pub(super) fn capture(status: u16, headers: &[(&str, &str)], body: &[u8]) -> Capture {
    let url = CrawlUrl::parse("http://portal.example/page").unwrap();
    let mut capture = Capture::new(url, Timestamp::UNIX_EPOCH, status);
    capture.headers = headers.iter().copied().collect();
    capture.body = body.to_vec();
    capture
}
