//! Receiving a body within limits of size, time and speed. Whatever ends it, what has come is kept.

use reqwest::Response;
use tokio::time::{Instant, timeout_at};

use super::config::Limits;
use super::failure::is_disconnect;
use super::kind::{self, MediaKind};
use super::request::Accept;
use crate::capture::Truncation;

/// Bytes to receive before the kind of a body is decided at the latest, when its coding gives nothing earlier.
const DECIDE_BY_BYTES: usize = 256 * 1024;

/// What was received.
pub(super) struct Received {
    pub(super) bytes: Vec<u8>,
    pub(super) kind: MediaKind,
    pub(super) truncated: Option<Truncation>,
    /// All that came over the wire, kept or not.
    pub(super) wire_bytes: u64,
}

/// Receives until the end, a limit, or until it is plain that nobody wants it.
pub(super) async fn receive(response: &mut Response, accept: Accept, limits: &Limits, deadline: Instant) -> Received {
    let most = if accept == Accept::Robots { limits.robots_bytes } else { limits.body_bytes };
    let text = |name: &str| response.headers().get(name).and_then(|v| v.to_str().ok()).map(str::to_owned);
    let (content_type, coding) = (text("content-type"), text("content-encoding"));
    let decide = |bytes: &[u8]| {
        let first = kind::first_bytes(bytes, coding.as_deref());
        // Bytes that their coding makes nothing of are judged as they are.
        let seen = if first.is_empty() { bytes } else { &first };
        (MediaKind::of(content_type.as_deref(), seen), first.len())
    };
    let mut pace = Pace::new(limits, deadline);
    let mut bytes = Vec::new();
    let mut decided = None;
    let mut look_at = kind::SNIFFED_BYTES;
    let truncated = loop {
        let chunk = match timeout_at(pace.next_check(), response.chunk()).await {
            Ok(Ok(Some(chunk))) => chunk,
            Ok(Ok(None)) => break None,
            Ok(Err(error)) if is_disconnect(&error) => break Some(Truncation::Disconnect),
            Ok(Err(error)) if error.is_timeout() => break Some(Truncation::Time),
            Ok(Err(_)) => break Some(Truncation::Unspecified),
            Err(_) => bytes::Bytes::new(),
        };
        let keeps_up = pace.keeps_up(chunk.len());
        let room = most - bytes.len();
        bytes.extend_from_slice(&chunk[..chunk.len().min(room)]);
        if chunk.len() > room {
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
                if !accept.wants(kind) {
                    break Some(Truncation::Unspecified);
                }
            }
        }
    };
    let wire_bytes = pace.received;
    let kind = decided.unwrap_or_else(|| decide(&bytes).0);
    if !accept.wants(kind) {
        return Received { bytes: Vec::new(), kind, truncated: Some(Truncation::Unspecified), wire_bytes };
    }
    bytes.shrink_to_fit();
    Received { bytes, kind, truncated, wire_bytes }
}

/// Time and speed: the end of it all, and the window that is being measured.
struct Pace {
    deadline: Instant,
    limits: Limits,
    window_end: Instant,
    window_bytes: usize,
    received: u64,
}

impl Pace {
    fn new(limits: &Limits, deadline: Instant) -> Self {
        let window_end = Instant::now() + limits.speed_window;
        Self { deadline, limits: *limits, window_end, window_bytes: 0, received: 0 }
    }

    fn next_check(&self) -> Instant {
        self.deadline.min(self.window_end)
    }

    /// Counts bytes; false once the time is over or a window has brought too little.
    fn keeps_up(&mut self, bytes: usize) -> bool {
        self.received += bytes as u64;
        self.window_bytes += bytes;
        let now = Instant::now();
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
