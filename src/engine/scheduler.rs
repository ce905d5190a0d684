//! The crawl's loop: leases go out, finished groups come in, the frontier decides, nobody sleeps on a host.
//!
//! ```text
//!   frontier ──leases──► fetch tasks ──arrivals──► archivist ──finished groups──► frontier
//!      ▲                      │ too soon                                             │ domains with new pages
//!      └──────────────────────┘                                                      └──────► extractor
//! ```

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::address::{Domain, HostKey};
use crate::fetch::robots::Robots;
use crate::frontier::{Counts, Done, Finished, Frontier, HostStatus, Lease, Outcome, RobotsStanding, WaitsFor, Work};

use super::answers::{Look, look};
use super::fault::{self, Point};
use super::fetching::{Arrived, Came, Fetching};
use super::live::Live;
use super::{Ended, EngineError, Limit, Stop};

/// A shorter wait is never worth a thought.
const WORTH_WAITING: SignedDuration = SignedDuration::from_secs(2);

/// When all that is left waits for hosts in trouble, the next try must come within this time.
const PATIENCE: SignedDuration = SignedDuration::from_hours(1);

/// What is in flight may take so long after a first Ctrl-C.
const GRACE: Duration = Duration::from_secs(9);

/// The loop looks at limits at least so often.
const PULSE: Duration = Duration::from_millis(500);

/// Compiled robots rules that are kept in memory.
const ROBOTS_KEPT: usize = 2048;

/// The loop with everything that it joins.
pub(super) struct Scheduler {
    pub frontier: Frontier,
    pub fetching: Arc<Fetching>,
    pub arrivals: Option<mpsc::Sender<Box<Arrived>>>,
    pub archived: mpsc::Receiver<Vec<Finished>>,
    pub looks: mpsc::Receiver<Look>,
    pub extractor: std::sync::mpsc::Sender<Domain>,
    pub stop: watch::Receiver<Stop>,
    pub live: Arc<Live>,
    /// Tells the extractor that the crawl has ended as it should.
    pub ended: Arc<AtomicBool>,
    pub limits: Limits,
    /// Whether the crawl follows its portals until its time is over.
    pub follows: bool,
    pub robots: HashMap<HostKey, Option<Arc<Robots>>>,
    pub tasks: JoinSet<Option<(Lease, Duration)>>,
}

/// When to stop.
#[derive(Debug, Clone)]
pub(super) struct Limits {
    pub max_in_flight: usize,
    pub max_pages: Option<u64>,
    pub deadline: Option<Instant>,
    /// The disk that the job lies on, and how much of it must stay free.
    pub disk: super::disk::DiskGuard,
}

impl Scheduler {
    /// Runs until the frontier is empty, a limit is reached, or somebody says stop.
    pub(super) async fn run(mut self) -> Result<(Ended, Counts), EngineError> {
        let mut ended: Option<Ended> = None;
        let mut grace: Option<Instant> = None;
        loop {
            if ended.is_none() {
                ended = self.limit();
            }
            if ended.is_none() {
                tokio::task::block_in_place(|| self.dispatch())?;
            }
            let idle = self.tasks.is_empty() && self.live.in_flight.load(Ordering::Relaxed) == 0;
            if idle && ended.is_some() {
                break;
            }
            let wakeup = self.frontier.next_wakeup();
            let pause = self.pause(wakeup);
            if idle && let Some(end) = self.idle_end(wakeup) {
                ended = Some(end);
                break;
            }
            tokio::select! {
                group = self.archived.recv() => match group {
                    Some(group) => tokio::task::block_in_place(|| self.finish(group))?,
                    // The archivist has ended before us: its thread holds the error.
                    None => return Err(EngineError::StageEnded("archive")),
                },
                Some(task) = self.tasks.join_next() => self.took(task)?,
                Some((why, reply)) = self.looks.recv() => {
                    let now = self.fetching.clock.now();
                    let look = tokio::task::block_in_place(|| look(&self.frontier, why.as_ref(), now));
                    let _ = reply.send(look);
                }
                () = tokio::time::sleep(pause) => {}
                changed = self.stop.changed() => {
                    if changed.is_err() || *self.stop.borrow() != Stop::No {
                        ended = Some(Ended::Interrupted);
                        grace.get_or_insert(Instant::now() + GRACE);
                    }
                }
            }
            if grace.is_some_and(|until| Instant::now() >= until) {
                // Their URLs are still queued on disk: nothing is lost by letting go.
                self.tasks.abort_all();
                break;
            }
        }
        self.drain().await?;
        self.ended.store(ended != Some(Ended::Interrupted), Ordering::Release);
        Ok((ended.unwrap_or(Ended::Finished), self.frontier.counts()))
    }

    /// Lets the archivist end, and books what it still had.
    async fn drain(&mut self) -> Result<(), EngineError> {
        while self.tasks.join_next().await.is_some() {}
        self.arrivals = None;
        while let Some(group) = self.archived.recv().await {
            tokio::task::block_in_place(|| self.finish(group))?;
        }
        Ok(())
    }

    fn limit(&self) -> Option<Ended> {
        let fetched = self.frontier.counts().done.get(&Done::Fetched).copied().unwrap_or(0);
        if self.limits.max_pages.is_some_and(|most| fetched >= most) {
            return Some(Ended::Limit(Limit::Pages));
        }
        if self.limits.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Some(Ended::Limit(Limit::Time));
        }
        self.limits.disk.is_short().map(|free| Ended::Limit(Limit::Disk { free_bytes: free }))
    }

    /// How the crawl ends when nothing is in flight, unless something is worth waiting for.
    fn idle_end(&self, wakeup: Option<Timestamp>) -> Option<Ended> {
        let Some(wakeup) = wakeup else { return Some(Ended::Finished) };
        let now = self.fetching.clock.now();
        if self.follows || wakeup.duration_since(now) < WORTH_WAITING {
            return None;
        }
        let waiting = self.frontier.hosts(now);
        let waiting: Vec<&HostStatus> = waiting.iter().filter(|host| host.next_due.is_some()).collect();
        // A host that has answered before gets its time; one that never did will not be there in a minute either.
        let worthwhile = waiting.iter().any(|host| match host.waits_for {
            WaitsFor::Nothing | WaitsFor::Answer | WaitsFor::Delay => true,
            _ => has_answered(host) && host.next_due.is_some_and(|due| due.duration_since(now) < PATIENCE),
        });
        if worthwhile {
            return None;
        }
        let hosts = waiting.iter().map(|host| host.host.clone()).collect();
        let urls = waiting.iter().map(|host| host.queued).sum();
        Some(if waiting.iter().any(|host| has_answered(host)) {
            Ended::Limit(Limit::Patience { hosts, urls })
        } else {
            Ended::Unreached { hosts, urls }
        })
    }

    /// Gives out what is due. URLs that robots.txt forbids are closed here, without a request.
    fn dispatch(&mut self) -> Result<(), EngineError> {
        loop {
            let now = self.fetching.clock.now();
            let leases = self.frontier.lease_up_to(self.free(), now)?;
            if leases.is_empty() {
                return Ok(());
            }
            fault::pass(Point::Leased);
            let mut forbidden = Vec::new();
            for lease in leases {
                match self.forbidden_by(&lease)? {
                    Some(rule) => forbidden.push(Finished::new(lease, Outcome::Disallowed { rule: Some(rule) })),
                    None => self.send(lease),
                }
            }
            if forbidden.is_empty() {
                return Ok(());
            }
            self.frontier.finish(forbidden, now)?;
        }
    }

    /// How many more leases may be out.
    fn free(&self) -> usize {
        let out = self.live.in_flight.load(Ordering::Relaxed);
        let free = self.limits.max_in_flight.saturating_sub(out);
        let Some(most) = self.limits.max_pages else { return free };
        let fetched = self.frontier.counts().done.get(&Done::Fetched).copied().unwrap_or(0);
        free.min(most.saturating_sub(fetched + out as u64) as usize)
    }

    fn forbidden_by(&mut self, lease: &Lease) -> Result<Option<String>, EngineError> {
        let Work::Page(page) = &lease.work else { return Ok(None) };
        let key = lease.host.key();
        if !self.robots.contains_key(&key) {
            if self.robots.len() >= ROBOTS_KEPT {
                self.robots.clear();
            }
            let body = self.frontier.robots_body(&lease.host)?;
            let token = &self.fetching.reading.product_token;
            let rules = body.map(|body| Arc::new(Robots::parse(&body, token)));
            self.robots.insert(key, rules);
        }
        let Some(Some(rules)) = self.robots.get(&key) else { return Ok(None) };
        let verdict = rules.verdict(&page.url);
        Ok((!verdict.allowed).then(|| verdict.rule.unwrap_or_else(|| "robots.txt".to_owned())))
    }

    fn send(&mut self, lease: Lease) {
        self.live.in_flight.fetch_add(1, Ordering::Relaxed);
        tracing::debug!(url = %lease.work.url(), host = %lease.host, "asking");
        let Some(arrivals) = self.arrivals.clone() else { return };
        let fetching = Arc::clone(&self.fetching);
        self.tasks.spawn(async move {
            match fetching.fetch(lease).await {
                Came::Arrived(arrived) => {
                    // A closed channel means that the archive has failed; the loop hears of it by itself.
                    let _ = arrivals.send(arrived).await;
                    None
                }
                Came::TooSoon(lease, wait) => Some((lease, wait)),
            }
        });
    }

    fn took(&mut self, task: Result<Option<(Lease, Duration)>, tokio::task::JoinError>) -> Result<(), EngineError> {
        match task {
            Ok(None) => Ok(()),
            Ok(Some((lease, wait))) => {
                self.live.in_flight.fetch_sub(1, Ordering::Relaxed);
                let now = self.fetching.clock.now();
                Ok(self.frontier.give_back(lease, now, now + wait)?)
            }
            Err(panic) => Err(EngineError::Defect(panic.to_string())),
        }
    }

    fn finish(&mut self, group: Vec<Finished>) -> Result<(), EngineError> {
        let mut domains = Vec::new();
        for finished in &group {
            self.live.note(finished);
            if let (Work::Robots { .. }, Outcome::Robots(_)) = (&finished.lease.work, &finished.outcome) {
                self.robots.remove(&finished.lease.host.key());
            }
            if let (Work::Page(page), Outcome::Fetched(fetched)) = (&finished.lease.work, &finished.outcome)
                && fetched.page.is_some()
            {
                domains.push(page.url.domain());
            }
        }
        let count = group.len();
        fault::pass(Point::Finishing);
        self.frontier.finish(group, self.fetching.clock.now())?;
        fault::pass(Point::Finished);
        self.live.in_flight.fetch_sub(count, Ordering::Relaxed);
        domains.sort_unstable();
        domains.dedup();
        for domain in domains {
            // The extractor ends before us only by an error, which its thread holds.
            let _ = self.extractor.send(domain);
        }
        Ok(())
    }

    fn pause(&self, wakeup: Option<Timestamp>) -> Duration {
        let due = wakeup.map(|at| Duration::try_from(at.duration_since(self.fetching.clock.now())).unwrap_or_default());
        due.unwrap_or(PULSE).clamp(Duration::from_micros(200), PULSE)
    }
}

fn has_answered(host: &HostStatus) -> bool {
    host.bytes > 0 || matches!(host.robots, RobotsStanding::Rules | RobotsStanding::AllowAll)
}
