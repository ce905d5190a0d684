//! The stored state of a host, its robots.txt and tdmrep.json, and its failures. The rows of all hosts are also in
//! memory; the two files stay on disk.

use std::borrow::Cow;
use std::time::Duration;

use goldminer_fetch::failure::{Cause, Failure};
use goldminer_html::{ArchivePosition, CrawlUrl, Host};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{Area, PortalId};

/// A robots.txt or tdmrep.json of at least this many bytes is compressed, because thousands of hosts may send one at
/// the same time.
const MIN_BYTES: usize = 4 << 10;
/// The beginning of a zstd frame (RFC 8878, section 3.1.1). No text begins with these bytes.
const ZSTD_FRAME: &[u8] = b"\x28\xb5\x2f\xfd";
/// The most bytes of a decompressed robots.txt or tdmrep.json.
const MAX_BYTES: usize = 16 << 20;

/// The stored state of a host. The rows of all hosts are loaded when the frontier is opened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HostRow {
    /// The host.
    pub host: Host,
    /// When the host is due, and its delays.
    pub clock: HostClock,
    /// Why it gets no requests now.
    pub hold: Option<Hold>,
    /// The state of its robots.txt.
    pub robots: RobotsState,
    /// The counts of its URLs, by portal.
    pub lanes: Vec<LaneRow>,
    /// Bytes received, before decoding.
    pub bytes: u64,
    /// Bytes of clean text extracted from its pages.
    pub clean_bytes: u64,
    /// Whether a request is in flight. After a crash, the host waits for its delay, counted from the restart.
    pub in_flight: bool,
    /// The failures since the host last answered, if there are any.
    pub trouble: Option<HostError>,
    /// The canonical host of its site, if that is another one.
    pub alias_of: Option<Host>,
}

/// When a host may get its next request, and the values from which this is computed.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct HostClock {
    /// No request leaves before this time.
    #[serde(with = "jiff::fmt::serde::timestamp::nanosecond::required")]
    pub next_allowed: Timestamp,
    /// The operator's delay in place of the configured one.
    pub delay: Option<Duration>,
    /// The delay that robots.txt asks for.
    pub crawl_delay: Option<Duration>,
    /// The last response time.
    pub last_response: Duration,
    /// Number of requests.
    pub requests: u64,
    /// How often the wait was doubled.
    pub doublings: u8,
    /// The wait after the last failure. It limits how far ahead `next_allowed` may be.
    pub wait: Duration,
    /// When the wait after the last failure ends. Time without failures counts from here.
    #[serde(with = "jiff::fmt::serde::timestamp::nanosecond::required")]
    pub trouble_over: Timestamp,
    /// Failed connections, 429 and 503 responses in a row.
    pub troubles: u8,
    /// Waits of the whole host in a row.
    pub waits: u8,
    /// Refusals (403, CAPTCHA) in a row.
    pub refusals: u8,
}

/// Why a host gets no requests, whatever its schedule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Hold {
    /// Paused by the operator, until resumed.
    Paused,
    /// Blocked by the operator, until resumed.
    Blocked,
    /// The host refused several requests in a row. If it also refuses the first request after the pause, it gets no
    /// more requests.
    Refusals {
        /// The end of the pause; None for no end.
        until: Option<Timestamp>,
    },
    /// The host did not answer for a long time. It is tried again when the crawl is started the next time.
    GivenUp,
}

/// The state of a host's robots.txt.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RobotsState {
    /// What the last response was.
    pub status: RobotsStatus,
    /// When it must be requested next.
    #[serde(with = "jiff::fmt::serde::timestamp::nanosecond::required")]
    pub ask_at: Timestamp,
    /// Whether the table `robots` has a copy from a good response.
    pub has_copy: bool,
    /// Failures in a row.
    pub failures: u8,
    /// The target of the last redirect, which is requested next.
    pub moved_to: Option<CrawlUrl>,
    /// Number of redirects followed so far.
    pub hops: u8,
}

/// The last response for a host's robots.txt.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RobotsStatus {
    /// Never requested.
    #[default]
    Unknown,
    /// There are rules.
    Rules,
    /// There is no robots.txt, or too many redirects led to it: everything is allowed.
    AllowAll,
    /// Unreachable: nothing is requested, or the last good copy applies.
    Unavailable,
}

/// A copy of robots.txt, or of tdmrep.json.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RobotsCopy {
    /// The decoded body; None if no file was received.
    pub body: Option<PackedBody>,
    /// The first archived record with this body.
    pub record: Option<ArchivePosition>,
    /// When it was fetched.
    #[serde(with = "jiff::fmt::serde::timestamp::second::required")]
    pub fetched: Timestamp,
}

/// The counts of a lane: of one portal's URLs on one host.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LaneRow {
    /// The portal.
    pub portal: PortalId,
    /// Number of URLs that are due as soon as the host is.
    pub ready: u64,
    /// Number of URLs that are due for another attempt at a certain time.
    pub retries: u64,
    /// Number of URLs that are due for another visit at a certain time.
    pub revisits: u64,
    /// Number of pages fetched, which counts against the portal's budget.
    pub pages: u64,
    /// Bytes received before decoding, which count against the portal's budget.
    pub bytes: u64,
}

impl LaneRow {
    /// The count of URLs in an area of the lane.
    pub fn waiting(&mut self, area: Area) -> &mut u64 {
        match area {
            Area::Ready => &mut self.ready,
            Area::Retries => &mut self.retries,
            Area::Revisits => &mut self.revisits,
        }
    }
}

/// The failures of a host since it last answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostError {
    /// The cause of the last failure.
    pub cause: Cause,
    /// The details of the last failure.
    pub detail: String,
    /// Failures in a row.
    pub count: u32,
    /// When the first of these failures ended.
    pub since: Timestamp,
    /// When the last of these failures ended.
    pub last: Timestamp,
}

impl HostError {
    /// The last failure.
    pub fn failure(&self) -> Failure {
        Failure::new(self.cause, self.detail.as_str())
    }
}

/// A robots.txt or tdmrep.json, compressed if it is long.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PackedBody(Vec<u8>);

impl PackedBody {
    /// Compresses a body, if it is long.
    pub fn of(body: &[u8]) -> Self {
        // A body that begins like a zstd frame must not be taken for a compressed one.
        let is_frame = body.starts_with(ZSTD_FRAME);
        let packed = if body.len() >= MIN_BYTES || is_frame { zstd::bulk::compress(body, 1).ok() } else { None };
        let mut packed = packed.filter(|packed| packed.len() < body.len() || is_frame).unwrap_or_else(|| body.to_vec());
        // The buffer was allocated for the whole body.
        packed.shrink_to_fit();
        Self(packed)
    }

    /// The original body.
    pub fn unpacked(&self) -> Cow<'_, [u8]> {
        let unpacked =
            if self.0.starts_with(ZSTD_FRAME) { zstd::bulk::decompress(&self.0, MAX_BYTES).ok() } else { None };
        unpacked.map_or(Cow::Borrowed(&self.0), Cow::Owned)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_file_is_compressed_and_restored_exactly() {
        let long: String = (0..30_000).map(|line| format!("Disallow: /{line:06}/\n")).collect();
        let packed = PackedBody::of(long.as_bytes());
        assert!(5 * packed.0.len() < long.len(), "{} of {} bytes", packed.0.len(), long.len());
        let frame = zstd::bulk::compress(b"Disallow: /x", 1).unwrap();
        for body in [long.as_bytes(), b"Disallow: /x", b"", b"\x28\xb5\x2f\xfd is no frame", frame.as_slice()] {
            assert_eq!(PackedBody::of(body).unpacked(), body);
        }
    }
}
