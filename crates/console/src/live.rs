//! Numbers as they change: server-sent events (HTML Living Standard, section 9.2), a line of JSON every other second.
//!
//! Numbers cost the crawl a copy of its counters: neither its scheduler nor a database is asked. Sections of a page cost more:
//! the longer one takes, the longer the pause before the next, so that they use about half a percent of a processor.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use goldminer_crawl::api::status::LiveReport;
use goldminer_crawl::run::live::Counters;
use jiff::{SignedDuration, Timestamp};
use maud::Markup;
use serde::Serialize;
use tokio::sync::Semaphore;
use tokio::time::MissedTickBehavior;

use super::jobs::Jobs;
use super::pages::crawl;
use super::pages::frame::{JobLinks, Medium};
use super::shared::Shared;

/// From one look to the next.
const INTERVAL: Duration = Duration::from_secs(2);
/// From one making of a page's sections to the next: at least, at most, and in times of how long it took.
const SECTIONS_AT_LEAST: Duration = Duration::from_secs(10);
const SECTIONS_AT_MOST: Duration = Duration::from_secs(100);
const SECTION_TIMES: u32 = 200;
/// Jobs whose numbers are told on the page of all.
const JOBS: usize = 50;
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

/// What the script of a page is told of a job.
#[derive(Debug, PartialEq, Serialize)]
struct Numbers {
    job: String,
    running: bool,
    fetched: u64,
    documents: u64,
    queued: u64,
    in_flight: usize,
    /// Answers a second since the look before; none at first.
    rate: Option<f64>,
}

impl Numbers {
    fn of(job: String, now: &LiveReport, before: Option<&LiveReport>) -> Self {
        let answers = |report: &LiveReport| report.live.map_or(0, |live| live.fetched + live.other);
        let rate = before.and_then(|before| {
            let seconds = now.uptime_seconds?.checked_sub(before.uptime_seconds?).filter(|seconds| *seconds > 0)?;
            Some(answers(now).saturating_sub(answers(before)) as f64 / seconds as f64)
        });
        let Counters { fetched, documents, queued, in_flight, .. } = now.live.unwrap_or_default();
        Self { job, running: now.running, fetched, documents, queued, in_flight, rate }
    }
}

/// The numbers of a job, or of all of them, for as long as somebody looks; of a single one also the sections of its page that
/// have changed.
pub(super) async fn watch(shared: Arc<Shared>, only: Option<String>) -> Response {
    if let Some(name) = only.clone() {
        let shared = Arc::clone(&shared);
        let found = tokio::task::spawn_blocking(move || shared.jobs.find(&name)).await;
        if !matches!(found, Ok(Some(_))) {
            return StatusCode::NOT_FOUND.into_response();
        }
    }
    shared.watchers.clone().tell(INTERVAL, Watch { only, ..Watch::default() }, move |mut watch| {
        let shared = Arc::clone(&shared);
        async move {
            let looked = tokio::task::spawn_blocking(move || {
                let said = watch.look(&shared);
                (watch, said)
            });
            looked.await.ok()
        }
    })
}

impl Watchers {
    /// Tells a page what is to be told, time and again, until nobody looks any more or there is no more to tell. `state` goes
    /// from one look to the next.
    pub(super) fn tell<S: Send + 'static, L: Future<Output = Option<(S, String)>> + Send>(
        &self,
        interval: Duration,
        state: S,
        look: impl Fn(S) -> L + Send + 'static,
    ) -> Response {
        // 204: the browser does not try again.
        let Ok(place) = Arc::clone(&self.0).try_acquire_owned() else {
            return StatusCode::NO_CONTENT.into_response();
        };
        let mut ticks = tokio::time::interval(interval);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        // The place is given back with the stream, when nobody looks any more.
        let events = stream::unfold((state, look, ticks, place), async |(state, look, mut ticks, place)| {
            ticks.tick().await;
            let (next, said) = look(state).await?;
            Some((Ok::<_, Infallible>(said), (next, look, ticks, place)))
        });
        ([(CONTENT_TYPE, "text/event-stream")], Body::from_stream(events)).into_response()
    }
}

/// An event that puts those sections of a page that have changed, by their ids, in the place of older ones.
pub(super) fn changed_sections(
    before: &mut BTreeMap<&'static str, String>,
    now: impl IntoIterator<Item = (&'static str, Markup)>,
) -> String {
    let now = now.into_iter().map(|(id, section)| (id, section.into_string()));
    let changed: BTreeMap<&str, String> = now.filter(|(id, html)| before.get(id) != Some(html)).collect();
    if changed.is_empty() {
        return String::new();
    }
    let event = format!("event: sections\ndata: {}\n\n", serde_json::to_string(&changed).unwrap_or_default());
    before.extend(changed);
    event
}

/// What a page was told so far.
#[derive(Default)]
struct Watch {
    only: Option<String>,
    before: BTreeMap<String, LiveReport>,
    sections: BTreeMap<&'static str, String>,
    /// When sections may be made.
    next: Option<Timestamp>,
}

impl Watch {
    /// What is to be told now. Blocks for as long as a crawl takes to answer.
    fn look(&mut self, shared: &Arc<Shared>) -> String {
        let names = self.only.clone().map_or_else(|| shared.jobs.names(), |name| vec![name]);
        let mut now = BTreeMap::new();
        for name in names.into_iter().take(JOBS) {
            let report = shared.jobs.find(&name).map(|dir| Jobs::live(&dir)).unwrap_or_default();
            now.insert(name, report);
        }
        let numbers = |(name, report): (&String, &LiveReport)| Numbers::of(name.clone(), report, self.before.get(name));
        let numbers: Vec<Numbers> = now.iter().map(numbers).collect();
        let mut said = format!("data: {}\n\n", serde_json::to_string(&numbers).unwrap_or_default());
        let single = self.only.clone().filter(|_| numbers.iter().any(|numbers| numbers.running));
        if let Some(name) = single {
            said += &self.changed(shared, &name).unwrap_or_default();
        }
        self.before = now;
        said
    }

    /// The sections that have changed, where it is time to make them: the dearer they are, the more seldom.
    fn changed(&mut self, shared: &Arc<Shared>, name: &str) -> Option<String> {
        let began = shared.clock.now();
        let dir = shared.jobs.find(name)?;
        // The page itself has just shown what a look gave, and a look is what takes the time.
        let next = *self.next.get_or_insert_with(|| later(began, pause(shared.jobs.took(&dir))));
        if began < next {
            return None;
        }
        let summary = shared.jobs.whole_look(&dir).ok()?;
        let medium = Medium::Live(JobLinks { job: name, check: shared.guard.check() });
        let sections = crawl::sections(medium, &summary);
        let ended = shared.clock.now();
        let took = ended.duration_since(began).max(SignedDuration::ZERO).unsigned_abs();
        self.next = Some(later(ended, pause(took)));
        Some(changed_sections(&mut self.sections, sections))
    }
}

/// How long sections stay that took so long to make.
fn pause(took: Duration) -> Duration {
    (took * SECTION_TIMES).clamp(SECTIONS_AT_LEAST, SECTIONS_AT_MOST)
}

fn later(from: Timestamp, by: Duration) -> Timestamp {
    from.checked_add(by).unwrap_or(from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_that_are_dear_are_made_more_seldom_and_never_less_than_every_other_minute() {
        let seconds = |took| pause(Duration::from_millis(took)).as_secs();
        assert_eq!([0, 10, 100, 400, 60_000].map(seconds), [10, 10, 20, 80, 100]);
    }

    #[test]
    fn a_rate_is_of_the_time_between_two_looks() {
        let report = |fetched, seconds| {
            let live = Some(Counters { fetched, ..Counters::default() });
            LiveReport { running: true, live, uptime_seconds: Some(seconds) }
        };
        let (first, second) = (report(10, 100), report(40, 104));
        let numbers = |now, before| Numbers::of("job".to_owned(), now, before);
        assert_eq!(numbers(&first, None).rate, None);
        let numbers_later = numbers(&second, Some(&first));
        assert_eq!((numbers_later.fetched, numbers_later.rate), (40, Some(7.5)));
        assert_eq!(numbers(&first, Some(&second)).rate, None, "it was started anew");
    }
}
