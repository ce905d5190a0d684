//! Receives a body within limits of size, time and speed. Everything received is kept; a body is complete only if it
//! ended as HTTP requires.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use goldminer_html::capture::Truncation;
use http::response::Parts;
use hyper::body::Body as _;
use reqwest::Body;
use tokio::time::{Instant, timeout, timeout_at};

use super::kind::{self, MediaKind};
use super::long_files::{LongFileSlots, RequestSlot, SHORT_BYTES};
use crate::clock;
use crate::config::Limits;
use crate::network::failure::is_disconnect;
use crate::request::Accept;

/// After this many bytes the kind of a body is decided at the latest, even if nothing could be decoded yet.
const DECIDE_BY_BYTES: usize = 256 * 1024;

/// The received body, its kind, and why it is incomplete, if it is.
pub(crate) struct Received {
    pub(crate) bytes: Vec<u8>,
    pub(crate) kind: MediaKind,
    pub(crate) truncated: Option<Truncation>,
    /// Whether the body is of a kind that is not wanted; its bytes are not kept.
    pub(crate) is_unwanted: bool,
}

/// Receives a body until it ends, reaches a limit, or proves to be of an unwanted kind. A long robots.txt first waits
/// for one of a few slots, which limit how many are in memory.
pub(crate) async fn receive(
    head: &Parts,
    mut body: Body,
    accept: Accept,
    limits: &Limits,
    deadline: Instant,
    (slot, files, domain): (&RequestSlot, &Arc<LongFileSlots>, [u8; 8]),
) -> Received {
    let most = if accept == Accept::Robots { limits.robots_bytes } else { limits.body_bytes };
    let text = |name: &str| head.headers.get(name).and_then(|v| v.to_str().ok()).map(str::to_owned);
    let (content_type, coding) = (text("content-type"), text("content-encoding"));
    let decide = |bytes: &[u8]| {
        let first = kind::first_bytes(bytes, coding.as_deref());
        // Bytes that cannot be decoded are examined as they are, unless they look like a beginning of their coding.
        let seen = match first.is_empty() {
            true if kind::begins_coding(bytes, coding.as_deref()) => kind::UNSEEN,
            true => bytes,
            false => &first,
        };
        (MediaKind::of(content_type.as_deref(), seen), first.len())
    };
    let mut pace = Pace::new(limits, deadline);
    let mut bytes = Vec::new();
    // A connection's read buffer takes memory too, so a file that announces a large size waits before its first byte.
    let mut is_long = accept == Accept::Robots && announced_bytes(head) > SHORT_BYTES;
    let mut decided = None;
    let mut look_at = kind::SNIFFED_BYTES;
    let truncated = loop {
        if is_long {
            let began = clock::now();
            // Endless waiting would block a place in flight that other hosts need.
            if timeout(limits.total, slot.take(files, domain)).await.is_err() {
                break Some(Truncation::Time);
            }
            pace.rest(clock::now().duration_since(began));
        }
        let frame = poll_fn(|context| Pin::new(&mut body).poll_frame(context));
        let chunk = match timeout_at(pace.next_check(), frame).await {
            // Trailers contain nothing that is used.
            Ok(Some(Ok(frame))) => frame.into_data().unwrap_or_default(),
            Ok(None) if ended_early(head, &body) => break Some(Truncation::Disconnect),
            Ok(None) => break None,
            Ok(Some(Err(error))) if is_disconnect(&error) => break Some(Truncation::Disconnect),
            Ok(Some(Err(error))) if error.is_timeout() => break Some(Truncation::Time),
            Ok(Some(Err(_))) => break Some(Truncation::Unspecified),
            Err(_) => bytes::Bytes::new(),
        };
        let keeps_up = pace.keeps_up(chunk.len());
        let free = most - bytes.len();
        bytes.extend_from_slice(&chunk[..chunk.len().min(free)]);
        is_long |= accept == Accept::Robots && bytes.len() > SHORT_BYTES;
        if chunk.len() > free {
            break Some(Truncation::Length);
        }
        if !keeps_up {
            break Some(Truncation::Time);
        }
        if decided.is_none() && bytes.len() >= look_at {
            look_at = 2 * bytes.len();
            let (kind, seen) = decide(&bytes);
            if seen >= kind::SNIFFED_BYTES || bytes.len() >= DECIDE_BY_BYTES {
                decided = Some(kind);
                if !accept.includes(kind) {
                    break Some(Truncation::Unspecified);
                }
            }
        }
    };
    let kind = decided.unwrap_or_else(|| decide(&bytes).0);
    // An incomplete body may be too short to tell its kind.
    let is_known = decided.is_some() || matches!(truncated, None | Some(Truncation::Length));
    if is_known && !accept.includes(kind) {
        let truncated = Some(Truncation::Unspecified);
        return Received { bytes: Vec::new(), kind, truncated, is_unwanted: true };
    }
    bytes.shrink_to_fit();
    Received { bytes, kind, truncated, is_unwanted: false }
}

/// The length that a response announces for its body; 0 if it announces none.
fn announced_bytes(head: &Parts) -> usize {
    let length = head.headers.get("content-length").and_then(|value| value.to_str().ok());
    length.and_then(|length| length.trim().parse().ok()).unwrap_or(0)
}

/// Whether the body ended early. HTTP/2 may reset a stream with "no error" once a server has answered enough (RFC
/// 9113, section 8.1), and hyper then ends the body as if it were complete. It is complete only if the stream itself
/// has ended.
fn ended_early(head: &Parts, body: &Body) -> bool {
    head.version == http::Version::HTTP_2 && !body.is_end_stream()
}

/// The deadline of the whole exchange, and the window in which the speed is measured.
struct Pace {
    deadline: Instant,
    limits: Limits,
    window_end: Instant,
    window_bytes: usize,
}

impl Pace {
    fn new(limits: &Limits, deadline: Instant) -> Self {
        let window_end = clock::now() + limits.speed_window;
        Self { deadline, limits: *limits, window_end, window_bytes: 0 }
    }

    /// Excludes time in which this process did not read, because the server was not slow then.
    fn rest(&mut self, rested: Duration) {
        self.deadline += rested;
        self.window_end += rested;
    }

    fn next_check(&self) -> Instant {
        self.deadline.min(self.window_end)
    }

    /// Counts received bytes. Returns false after the deadline, or if a window had too few bytes.
    fn keeps_up(&mut self, bytes: usize) -> bool {
        self.window_bytes += bytes;
        let now = clock::now();
        if now >= self.deadline {
            return false;
        }
        if now >= self.window_end {
            if self.window_bytes < self.limits.least_bytes_per_window {
                return false;
            }
            self.window_bytes = 0;
            self.window_end = now + self.limits.speed_window;
        }
        true
    }
}
