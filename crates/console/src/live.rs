//! Sends live numbers as server-sent events (HTML Living Standard, section 9.2): a line of JSON every two seconds.
//!
//! For these numbers the crawl only copies its counters; neither its scheduler nor a database is asked. For everything
//! else, the script loads the page again. The pause between two loads is a multiple of the time that reading the job's
//! state takes, so that this uses about half a percent of a processor.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use goldminer_crawl::{Counters, LiveReport};
use serde::Serialize;
use tokio::time::MissedTickBehavior;

use super::jobs::Jobs;
use super::shared::ConsoleState;

/// The time between two readings of the numbers.
const INTERVAL: Duration = Duration::from_secs(2);
/// The pause between two loads of a page is `LOOK_TIMES` times the duration of reading the job's state, but at least
/// `RENEWED_AT_LEAST` and at most `RENEWED_AT_MOST`.
const RENEWED_AT_LEAST: Duration = Duration::from_secs(10);
const RENEWED_AT_MOST: Duration = Duration::from_secs(100);
const LOOK_TIMES: u32 = 200;
/// The most jobs with live numbers on the page of all jobs.
const JOBS: usize = 50;

/// The numbers of a job, for the script of a page.
#[derive(Debug, PartialEq, Serialize)]
struct Numbers {
    job: String,
    running: bool,
    pages: u64,
    documents: u64,
    queued: u64,
    in_flight: usize,
    /// Responses per second since the previous event; None in the first event, or if no time has passed.
    rate: Option<f64>,
}

impl Numbers {
    fn of(job: String, now: &LiveReport, before: Option<&LiveReport>) -> Self {
        let answers = |report: &LiveReport| report.live.map_or(0, |live| live.fetched + live.other);
        let rate = before.and_then(|before| {
            let seconds = now.uptime_seconds?.checked_sub(before.uptime_seconds?).filter(|seconds| *seconds > 0)?;
            Some(answers(now).saturating_sub(answers(before)) as f64 / seconds as f64)
        });
        let Counters { pages, documents, queued, in_flight, .. } = now.live.unwrap_or_default();
        Self { job, running: now.running, pages, documents, queued, in_flight, rate }
    }
}

/// Sends the numbers of the job `only`, or of all jobs if it is None, as long as the page is open.
pub(super) async fn watch(shared: Arc<ConsoleState>, only: Option<String>) -> Response {
    if let Some(name) = only.clone() {
        let shared = Arc::clone(&shared);
        let found = tokio::task::spawn_blocking(move || shared.jobs.find(&name)).await;
        if !matches!(found, Ok(Some(_))) {
            return StatusCode::NOT_FOUND.into_response();
        }
    }
    // Too many pages have live numbers already. Status 204 tells the browser not to connect again.
    let Ok(place) = Arc::clone(&shared.watchers).try_acquire_owned() else {
        return StatusCode::NO_CONTENT.into_response();
    };
    let mut ticks = tokio::time::interval(INTERVAL);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    // Closing the page drops the stream and with it `place`, so that another page can have live numbers.
    let events = stream::unfold((BTreeMap::new(), ticks, place), move |(before, mut ticks, place)| {
        let (shared, only) = (Arc::clone(&shared), only.clone());
        async move {
            ticks.tick().await;
            let numbers = tokio::task::spawn_blocking(move || numbers(&shared, only, &before));
            let (now, event) = numbers.await.ok()?;
            Some((Ok::<_, Infallible>(event), (now, ticks, place)))
        }
    });
    ([(CONTENT_TYPE, "text/event-stream")], Body::from_stream(events)).into_response()
}

/// The current counters of each job, and the text of the event with them. Blocks until the crawls have answered.
fn numbers(
    shared: &ConsoleState,
    only: Option<String>,
    before: &BTreeMap<String, LiveReport>,
) -> (BTreeMap<String, LiveReport>, String) {
    let names = only.map_or_else(|| shared.jobs.names(), |name| vec![name]);
    let report = |name: &str| shared.jobs.find(name).map(|dir| Jobs::live(&dir)).unwrap_or_default();
    let now: BTreeMap<String, LiveReport> =
        names.into_iter().take(JOBS).map(|name| (name.clone(), report(&name))).collect();
    let numbers = now.iter().map(|(name, report)| Numbers::of(name.clone(), report, before.get(name)));
    let event = format!("data: {}\n\n", serde_json::to_string(&numbers.collect::<Vec<_>>()).unwrap_or_default());
    (now, event)
}

/// The seconds after which a page is loaded again, from the duration of reading the job's state.
pub(super) fn renewed_after(took: Duration) -> u64 {
    (took * LOOK_TIMES).clamp(RENEWED_AT_LEAST, RENEWED_AT_MOST).as_secs()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slow_pages_are_reloaded_less_often_within_limits() {
        let seconds = |took| renewed_after(Duration::from_millis(took));
        assert_eq!([0, 10, 100, 400, 60_000].map(seconds), [10, 10, 20, 80, 100]);
    }

    #[test]
    fn the_rate_covers_the_time_between_two_events() {
        let report = |fetched, seconds| {
            let live = Some(Counters { pages: 7, fetched, ..Counters::default() });
            LiveReport { running: true, live, uptime_seconds: Some(seconds) }
        };
        let (first, second) = (report(10, 100), report(40, 104));
        let numbers = |now, before| Numbers::of("job".to_owned(), now, before);
        assert_eq!(numbers(&first, None).rate, None);
        let numbers_later = numbers(&second, Some(&first));
        assert_eq!((numbers_later.pages, numbers_later.rate), (7, Some(7.5)), "responses are not pages");
        assert_eq!(numbers(&first, Some(&second)).rate, None, "the crawl was restarted");
    }
}
