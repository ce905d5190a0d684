//! What the unit tests of this folder share: a capture made by hand.

use std::time::Duration;

use jiff::Timestamp;

use crate::address::CrawlUrl;
use crate::capture::Capture;

/// A response of `http://portal.example/page`.
pub(super) fn capture(status: u16, headers: &[(&str, &str)], body: &[u8]) -> Capture {
    Capture {
        url: CrawlUrl::parse("http://portal.example/page").unwrap(),
        fetched: Timestamp::UNIX_EPOCH,
        peer: None,
        request_head: Vec::new(),
        status,
        reason: String::new(),
        headers: headers.iter().copied().collect(),
        body: body.to_vec(),
        truncated: None,
        elapsed: Duration::ZERO,
    }
}
