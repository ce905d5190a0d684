//! Numbers as they change: server-sent events (HTML Living Standard, section 9.2), a line of JSON every other second.
//!
//! A look costs the crawl a few atomic reads: neither its scheduler nor a database is asked.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use hyper::body::Frame;
use serde::Serialize;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio::time::MissedTickBehavior;

use super::jobs::Jobs;
use crate::engine::LiveReport;

/// From one look to the next.
const INTERVAL: Duration = Duration::from_secs(2);
/// Pages that may watch at a time; others show what was so when they were opened.
const WATCHERS: usize = 16;

/// Who watches.
#[derive(Clone)]
pub(super) struct Watchers(Arc<Semaphore>);

impl Default for Watchers {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(WATCHERS)))
    }
}

/// What the script of a page is told.
#[derive(Debug, PartialEq, Serialize)]
struct Numbers {
    running: bool,
    fetched: u64,
    documents: u64,
    queued: u64,
    in_flight: usize,
    /// Answers a second since the look before; none at first.
    rate: Option<f64>,
}

impl Numbers {
    fn of(now: &LiveReport, before: Option<&LiveReport>) -> Self {
        let answers = |report: &LiveReport| report.live.map_or(0, |live| live.fetched + live.other);
        let rate = before.and_then(|before| {
            let seconds = now.uptime_seconds?.checked_sub(before.uptime_seconds?).filter(|seconds| *seconds > 0)?;
            Some(answers(now).saturating_sub(answers(before)) as f64 / seconds as f64)
        });
        let live = now.live;
        Self {
            running: now.running,
            fetched: live.map_or(0, |live| live.fetched),
            documents: live.map_or(0, |live| live.documents),
            queued: live.map_or(0, |live| live.queued),
            in_flight: live.map_or(0, |live| live.in_flight),
            rate,
        }
    }
}

impl Watchers {
    /// The numbers of a job for as long as somebody looks.
    pub(super) fn watch(&self, jobs: &Jobs, name: &str) -> Response {
        let Some(dir) = jobs.find(name) else { return axum::http::StatusCode::NOT_FOUND.into_response() };
        // 204: the browser does not try again.
        let Ok(place) = Arc::clone(&self.0).try_acquire_owned() else {
            return axum::http::StatusCode::NO_CONTENT.into_response();
        };
        let (events_in, events) = mpsc::channel(1);
        tokio::spawn(async move {
            let mut ticks = tokio::time::interval(INTERVAL);
            ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
            let mut before: Option<LiveReport> = None;
            loop {
                tokio::select! {
                    _ = ticks.tick() => {}
                    // Nobody looks any more.
                    () = events_in.closed() => return,
                }
                let dir = dir.clone();
                let Ok(now) = tokio::task::spawn_blocking(move || Jobs::live(&dir)).await else { return };
                let numbers = serde_json::to_string(&Numbers::of(&now, before.as_ref())).unwrap_or_default();
                before = Some(now);
                if events_in.send(Bytes::from(format!("data: {numbers}\n\n"))).await.is_err() {
                    return;
                }
            }
        });
        ([(CONTENT_TYPE, "text/event-stream")], Body::new(Events { events, _place: place })).into_response()
    }
}

/// An answer that goes on.
struct Events {
    events: mpsc::Receiver<Bytes>,
    _place: OwnedSemaphorePermit,
}

impl hyper::body::Body for Events {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        self.events.poll_recv(cx).map(|event| event.map(|event| Ok(Frame::data(event))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Live;
    use std::sync::atomic::Ordering;

    #[test]
    fn a_rate_is_of_the_time_between_two_looks() {
        let report = |fetched, seconds| {
            let live = Live::default();
            live.fetched.store(fetched, Ordering::Relaxed);
            LiveReport { running: true, live: Some(live.counters()), uptime_seconds: Some(seconds) }
        };
        let (first, second) = (report(10, 100), report(40, 104));
        assert_eq!(Numbers::of(&first, None).rate, None);
        let numbers = Numbers::of(&second, Some(&first));
        assert_eq!((numbers.fetched, numbers.rate), (40, Some(7.5)));
        assert_eq!(Numbers::of(&first, Some(&second)).rate, None, "it was started anew");
    }
}
