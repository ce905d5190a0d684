//! Sends a body, and writes the log entry when sending ends for any reason.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use hyper::body::{Body, Frame, SizeHint};

use super::request::Request;
use crate::access_log::{AccessLog, Entry};

/// The size in bytes of the pieces in which a body is given to hyper. Small pieces make the logged end time precise.
const PIECE: usize = 16 * 1024;

/// A request that is being answered. Its entry is written to the log when this is dropped.
pub(super) struct Visit {
    log: Arc<AccessLog>,
    entry: Entry,
    retry_after: Option<(Duration, bool)>,
}

/// A body that is being sent.
pub(super) struct Sending {
    body: Bytes,
    /// The number of bytes of `Content-Length` that are not sent yet; None without `Content-Length`.
    announced: Option<u64>,
    /// Whether the connection is closed after the last byte, as if the response broke off.
    breaks: bool,
    /// Whether hyper has had the opportunity to send all bytes before the connection is closed.
    flushed: bool,
    visit: Visit,
}

impl Visit {
    /// Begins a visit for a request whose head has just arrived.
    pub(super) fn new(log: Arc<AccessLog>, request: &Request, peer: SocketAddr) -> Self {
        let start = log.now();
        let entry = Entry {
            start,
            end: start,
            host: request.host.clone(),
            path: request.path.clone(),
            user_agent: request.user_agent.clone(),
            peer: Some(peer),
            ..Entry::default()
        };
        Self { log, entry, retry_after: None }
    }

    /// Records the beginning of the response.
    pub(super) fn begin(&mut self, status: u16, retry_after: Option<(Duration, bool)>) {
        self.entry.status = status;
        self.entry.end = self.log.now();
        self.retry_after = retry_after;
    }
}

impl Drop for Visit {
    fn drop(&mut self) {
        if !self.entry.complete {
            self.entry.end = self.log.now();
        }
        self.entry.retry_until = self
            .retry_after
            .map(|(time, is_from_end)| time + if is_from_end { self.entry.end } else { self.entry.start });
        self.log.add(self.entry.clone());
    }
}

impl Sending {
    /// Creates a body. `announced` is the value of `Content-Length`.
    pub(super) fn new(body: Vec<u8>, announced: Option<u64>, breaks: bool, mut visit: Visit) -> Self {
        visit.entry.complete = body.is_empty() && !breaks;
        Self { body: body.into(), announced, breaks, flushed: false, visit }
    }
}

impl Body for Sending {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        if self.body.is_empty() && self.breaks && !self.flushed {
            // Hyper discards its buffer when a body fails, but sends it when a body makes it wait. So it must wait
            // once.
            self.flushed = true;
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        if self.body.is_empty() {
            return Poll::Ready(self.breaks.then(|| Err(io::Error::other("broken off on purpose"))));
        }
        let length = self.body.len().min(PIECE);
        let piece = self.body.split_to(length);
        self.announced = self.announced.map(|left| left.saturating_sub(length as u64));
        let now = self.visit.log.now();
        self.visit.entry.bytes += length as u64;
        self.visit.entry.end = now;
        self.visit.entry.complete = self.body.is_empty() && !self.breaks;
        Poll::Ready(Some(Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_empty() && !self.breaks && self.announced.is_none_or(|left| left == 0)
    }

    fn size_hint(&self) -> SizeHint {
        self.announced.map_or_else(SizeHint::default, SizeHint::with_exact)
    }
}
