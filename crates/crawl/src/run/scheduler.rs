//! Runs the main loop of a crawl: gives out leases (each is the right to make one request) and saves the results of
//! finished ones in groups. The frontier decides which URL is next. The loop never waits for a single host.
//!
//! ```text
//!   frontier ──leases──► fetch tasks ──arrivals──► archivist ──finished groups──► frontier
//!      ▲                      │ too soon                                             │ domains with new pages
//!      └──────────────────────┘                                                      └──────► extractor
//! ```

use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use goldminer_fetch::Recall;
use goldminer_html::{CrawlUrl, Domain, Host};
use jiff::Timestamp;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::ending::{Limits, idle_end, limit_end, paused_hosts, silent_hosts};
use super::fetching::{FetchOutcome, FetchedLease, Fetching, UnusedLease};
use super::live::Live;
use super::network::{Failed, Network, cause_before, without_network};
use super::{CrawlError, Ended, Stop};
use crate::api::admin::{Admin, is_of_server};
use crate::api::query::CommandRequest;
use crate::api::service::{Snapshot, SnapshotRequest};
use crate::extract::Notice;
use crate::frontier::{ClosedPrefix, EventKind, Finished, Frontier, FrontierEvent, Lease, Outcome, PageYield, Work};
use crate::health::discovery_watchdog::{DiscoveryWatchdog, Learning};
use crate::health::portal_watch::PortalWatch;
use crate::health::portals::PortalIndex;
use crate::limits::disk::DiskState;
use crate::limits::shared_resources::WaitSender;
use crate::limits::{clock, fault};
use crate::store::Durability;
use crate::{Command, CommandError, Config, JobDir, StoreError, name_of};

/// How long requests in flight may take after a first Ctrl-C.
const GRACE: Duration = Duration::from_secs(9);

/// The longest time between two checks of the limits.
const PULSE: Duration = Duration::from_millis(500);

/// The time between two searches for domains without queued URLs; each search visits every host.
const LOOK_FOR_IDLE_EVERY: Duration = Duration::from_secs(2);

/// The time until a pause, a block or a longer delay of a host is confirmed: a request that has just left may need
/// this long to reach the network.
const LEFT: Duration = Duration::from_millis(50);

/// The main loop, and the parts that it connects.
pub(crate) struct Scheduler {
    pub frontier: Frontier,
    pub fetching: Arc<Fetching>,
    pub arrivals: Option<mpsc::Sender<Box<FetchedLease>>>,
    pub archived: mpsc::Receiver<Vec<Finished>>,
    pub snapshots: mpsc::Receiver<SnapshotRequest>,
    pub commands: mpsc::Receiver<CommandRequest>,
    /// The configuration in the job directory, which commands may change.
    pub config: Config,
    pub job: JobDir,
    pub extractor: std::sync::mpsc::Sender<Notice>,
    /// Domains for which the extractor was sent notices, and which may still have queued URLs.
    pub queued: BTreeSet<Domain>,
    pub next_idle_look: Instant,
    /// Receives how much new text each extracted page gave.
    pub yields: mpsc::Receiver<Vec<PageYield>>,
    pub stop: watch::Receiver<Stop>,
    pub stopper: watch::Sender<Stop>,
    /// Tells the extractor that the crawl has ended normally.
    pub ended: Arc<AtomicBool>,
    pub limits: Limits,
    pub network: Network,
    /// Whether the crawl revisits its portals until its time limit.
    pub follows: bool,
    pub tasks: JoinSet<ReturnedLease>,
    /// The leases given out, by number. A lease can be recalled until its request has left.
    pub leaving: HashMap<u64, LeavingLease>,
    /// In a cluster: passes on how long hosts ask the crawler to wait, for the next process with this job.
    pub waits: Option<WaitSender>,
    /// Reports portals that give no documents.
    pub watch: PortalWatch,
    /// How durable the frontier's commits are.
    pub durability: Durability,
}

/// A lease whose request may not have left yet.
pub(crate) struct LeavingLease {
    /// The host of the lease and the host that the request goes to, which may differ after a redirect.
    hosts: [Host; 2],
    recall: watch::Sender<bool>,
}

/// A lease whose task has ended: its number, and the lease itself if no request was made.
pub(crate) struct ReturnedLease(u64, Result<Option<Box<UnusedLease>>, CrawlError>);

impl Scheduler {
    /// Runs until nothing is left to request, a limit is reached, or the crawl is stopped.
    pub(crate) async fn run(&mut self) -> Result<Ended, CrawlError> {
        let mut ended: Option<Ended> = None;
        let mut grace: Option<Instant> = None;
        let mut watchdog = DiscoveryWatchdog::new();
        let hosts = self.frontier.hosts(self.now());
        let (paused, silent) = (paused_hosts(&hosts).join(", "), silent_hosts(&hosts).join(", "));
        drop(hosts);
        if !paused.is_empty() {
            tracing::warn!(
                "hosts paused by a command get no requests until you run `goldminer ctl DIR resume HOST`: {paused}"
            );
        }
        if !silent.is_empty() {
            tracing::warn!("these hosts did not answer last time, and wait for their next try: {silent}");
        }
        let mut is_waiting_told = false;
        loop {
            let space = self.limits.disk.check(clock::instant().into_std());
            let most_in_flight = self.most_in_flight();
            if ended.is_none() {
                ended = self.limits.reached(&self.frontier, space, clock::instant());
            }
            if ended.is_none() && space == DiskState::Ample {
                in_place(self.durability, || self.dispatch(most_in_flight))?;
            }
            self.notify_idle();
            if self.watch.is_due() {
                self.watch.check(&self.frontier);
            }
            let learning =
                Learning { learned: &self.fetching.context.learned, pages: self.config.crawl.learning_pages as u64 };
            let (alarm_after, now) = (self.limits.alarm_after, self.now());
            watchdog.check(&self.frontier, alarm_after, self.live(), now, &learning);
            let idle = self.tasks.is_empty() && self.live().counters().in_flight == 0;
            if idle && ended.is_some() {
                ended = ended.map(|end| limit_end(end, &self.frontier, self.follows));
                break;
            }
            let wakeup = self.frontier.next_wakeup();
            let pause = self.pause(wakeup, most_in_flight);
            if idle
                && space == DiskState::Ample
                && let Some(end) = idle_end(&self.frontier, wakeup, self.follows, self.now())
            {
                ended = Some(end);
                break;
            }
            if idle && wakeup.is_none() && !is_waiting_told {
                let paused = paused_hosts(&self.frontier.hosts(self.now())).join(", ");
                // Without a paused host, the crawl waits for space on the disk.
                is_waiting_told = !paused.is_empty();
                if is_waiting_told {
                    tracing::warn!(
                        "only paused hosts have URLs left, and the crawl waits for them: {paused}; `goldminer ctl` has \
                         the commands to resume a host or to stop the crawl"
                    );
                }
            }
            tokio::select! {
                group = self.archived.recv() => match group {
                    Some(group) => in_place(self.durability, || self.finish(group))?,
                    // The archivist has ended too early; its thread returns the error.
                    None => return Err(CrawlError::StageEnded("archive")),
                },
                Some(task) = self.tasks.join_next() => self.task_ended(task)?,
                pages = self.yields.recv() => match pages {
                    Some(pages) => in_place(self.durability, || note_yields(&mut self.frontier, &pages))?,
                    // The extractor has ended too early; its thread returns the error.
                    None => return Err(CrawlError::StageEnded("extraction")),
                },
                Some((why, reply)) = self.snapshots.recv() => {
                    let snapshot = tokio::task::block_in_place(|| snapshot(&self.frontier, why.as_ref(), &self.fetching, &self.watch));
                    let _ = reply.send(snapshot);
                }
                Some((command, reply)) = self.commands.recv() => {
                    let done = tokio::task::block_in_place(|| self.execute(&command));
                    if let Some(host) = command.restrains().filter(|_| done.is_ok()) {
                        self.recall_requests(host);
                        tokio::spawn(async move {
                            tokio::time::sleep(LEFT).await;
                            let _ = reply.send(done);
                        });
                    } else {
                        let _ = reply.send(done);
                    }
                }
                () = tokio::time::sleep(pause) => {}
                changed = self.stop.changed() => {
                    if changed.is_err() || *self.stop.borrow() != Stop::No {
                        ended = Some(Ended::Interrupted);
                        grace.get_or_insert(clock::instant() + GRACE);
                    }
                }
            }
            if grace.is_some_and(|until| clock::instant() >= until) {
                // The URLs of these requests are still queued on disk, so nothing is lost.
                self.tasks.abort_all();
                break;
            }
        }
        self.drain().await?;
        self.ended.store(ended != Some(Ended::Interrupted), Ordering::Release);
        Ok(ended.unwrap_or(Ended::Finished))
    }

    /// Ends the extractor, saves how much new text the last pages gave, and returns the frontier.
    pub(crate) async fn close(self) -> Result<Frontier, CrawlError> {
        let Self { mut frontier, mut yields, mut snapshots, fetching, extractor, watch, durability, .. } = self;
        drop(extractor);
        loop {
            tokio::select! {
                pages = yields.recv() => match pages {
                    Some(pages) => in_place(durability, || note_yields(&mut frontier, &pages))?,
                    None => return Ok(frontier),
                },
                Some((why, reply)) = snapshots.recv() => {
                    let _ = reply.send(snapshot(&frontier, why.as_ref(), &fetching, &watch));
                }
            }
        }
    }

    /// Waits for the requests in flight, ends the archivist, and saves the last results.
    async fn drain(&mut self) -> Result<(), CrawlError> {
        while self.tasks.join_next().await.is_some() {}
        self.arrivals = None;
        while let Some(group) = self.archived.recv().await {
            in_place(self.durability, || self.finish(group))?;
        }
        Ok(())
    }

    fn execute(&mut self, command: &Command) -> Result<Vec<String>, CommandError> {
        let now = self.now();
        let mut admin = Admin { frontier: &mut self.frontier, config: &mut self.config, job: &self.job, now };
        let done = admin.execute(command)?;
        match command {
            Command::Stop => drop(self.stopper.send_replace(Stop::Soon)),
            Command::Add { .. } => {
                let portals = PortalIndex::of(&self.config, &self.frontier);
                *self.fetching.portals.write().unwrap_or_else(PoisonError::into_inner) = portals;
            }
            _ => {}
        }
        for line in &done {
            tracing::info!("command: {line}");
        }
        Ok(done)
    }

    fn now(&self) -> Timestamp {
        self.fetching.context.clock.now()
    }

    fn live(&self) -> &Live {
        &self.fetching.context.live
    }

    /// Gives out the leases that are due.
    fn dispatch(&mut self, most_in_flight: usize) -> Result<(), CrawlError> {
        let free = self.free(most_in_flight);
        let leases = self.frontier.lease(free, free, self.now())?;
        if !leases.is_empty() {
            fault::pass("leased");
        }
        leases.into_iter().for_each(|lease| self.send(lease));
        Ok(())
    }

    /// Recalls the requests to a host name (over http or https) that have not left yet.
    fn recall_requests(&self, host: &str) {
        for leaving in self.leaving.values().filter(|leaving| leaving.hosts.iter().any(|of| is_of_server(of, host))) {
            leaving.recall.send_replace(true);
        }
    }

    /// The most leases that may be in flight now: fewer while file descriptors are short or the network is down.
    fn most_in_flight(&mut self) -> usize {
        let most = self.limits.descriptors.most_in_flight(clock::instant().into_std());
        let (open, is_short) = self.limits.descriptors.state();
        self.live().count(|counters| (counters.descriptors, counters.short_of_descriptors) = (open, is_short));
        if !self.fetching.fetcher.is_open() {
            return 0;
        }
        self.fetching.addresses.set_most(most);
        self.network.allowed(most, self.live().counters().in_flight, self.now())
    }

    /// How many more leases may be given out.
    fn free(&self, most_in_flight: usize) -> usize {
        let out = self.live().counters().in_flight;
        let free = most_in_flight.saturating_sub(out);
        let Some(most) = self.limits.max_pages else { return free };
        let fetched = self.frontier.fetched_pages();
        free.min(most.saturating_sub(fetched + out as u64) as usize)
    }

    fn send(&mut self, lease: Lease) {
        self.live().count(|counters| counters.in_flight += 1);
        tracing::debug!(url = %lease.work.url(), host = %lease.host, "requesting {}", lease.work.url());
        let Some(arrivals) = self.arrivals.clone() else { return };
        let fetching = Arc::clone(&self.fetching);
        let (recall, recalled) = Recall::new();
        let (number, hosts) = (lease.id, [lease.host.clone(), lease.work.url().host()]);
        self.leaving.insert(number, LeavingLease { hosts, recall });
        self.tasks.spawn(async move {
            let unused = match fetching.fetch(lease, recalled).await {
                Ok(FetchOutcome::Fetched(fetched)) => {
                    // A closed channel means that the archive has failed, which the loop notices itself.
                    let _ = arrivals.send(fetched).await;
                    Ok(None)
                }
                Ok(FetchOutcome::Unused(unused)) => Ok(Some(unused)),
                Err(defect) => Err(defect),
            };
            ReturnedLease(number, unused)
        });
    }

    fn task_ended(&mut self, task: Result<ReturnedLease, tokio::task::JoinError>) -> Result<(), CrawlError> {
        let ReturnedLease(number, unused) = task.map_err(|panic| CrawlError::Defect(panic.to_string()))?;
        self.leaving.remove(&number);
        let Some(UnusedLease { lease, wait, starved }) = unused?.map(|unused| *unused) else { return Ok(()) };
        if starved {
            self.limits.descriptors.note_none_left(clock::instant().into_std());
        }
        self.live().count(|counters| counters.in_flight -= 1);
        let now = self.now();
        Ok(self.frontier.give_back(lease, now, now + wait)?)
    }

    fn finish(&mut self, group: Vec<Finished>) -> Result<(), CrawlError> {
        let mut domains = Vec::new();
        let now = self.now();
        let group = without_network(group, &mut self.network, &mut self.frontier, &self.fetching.context.live, now)?;
        let mut failed = Vec::new();
        let asked: Vec<Host> = match &self.waits {
            Some(_) => group.iter().map(|finished| finished.lease.host.clone()).collect(),
            None => Vec::new(),
        };
        for finished in &group {
            self.live().note(finished);
            self.watch.note(finished);
            failed.extend(Failed::of(finished).map(|failed| (cause_before(&self.frontier, &failed.host, now), failed)));
            if let Work::Robots { .. } = finished.lease.work {
                self.fetching.rules.forget(finished.lease.host.key());
            }
            if let (Work::Page(page), Outcome::Fetched(fetched)) = (&finished.lease.work, &finished.outcome)
                && fetched.page.is_some()
            {
                domains.push(page.url.site());
            }
        }
        let count = group.len();
        fault::pass("finishing");
        self.frontier.finish(group, now)?;
        fault::pass("finished");
        if let Some(wait_sender) = &mut self.waits {
            asked.iter().for_each(|host| wait_sender.send_new(&self.frontier, host, now));
        }
        for (before, failed) in failed {
            if let Some(status) = self.frontier.host(&failed.host, now) {
                failed.log(&status, before, now);
            }
        }
        self.live().count(|counters| counters.in_flight -= count);
        log_closed(&self.frontier.newly_closed());
        self.frontier.events().iter().for_each(log_event);
        domains.sort_unstable();
        domains.dedup();
        for domain in domains {
            if self.frontier.article_like_pages(&domain) >= self.config.crawl.learning_pages as u64 {
                self.fetching.context.set_learned(&domain, true);
            }
            self.queued.insert(domain.clone());
            // If the extractor has ended, its thread returns the error.
            let _ = self.extractor.send(Notice::Pages(domain));
        }
        Ok(())
    }

    /// Tells the extractor which domains have nothing left to request, so that no more pages of them come soon.
    fn notify_idle(&mut self) {
        if self.queued.is_empty() || clock::instant() < self.next_idle_look {
            return;
        }
        self.next_idle_look = clock::instant() + LOOK_FOR_IDLE_EVERY;
        for domain in self.frontier.idle(&self.queued, self.now()) {
            self.queued.remove(&domain);
            let _ = self.extractor.send(Notice::QueueEmpty(domain));
        }
    }

    fn pause(&self, wakeup: Option<Timestamp>, most_in_flight: usize) -> Duration {
        let due = wakeup.map(|at| Duration::try_from(at.duration_since(self.now())).unwrap_or_default());
        // While no lease may be given out, due hosts do not matter: a finished lease wakes the loop.
        let is_short = self.limits.disk.is_short() || self.free(most_in_flight) == 0;
        due.filter(|_| !is_short).unwrap_or(PULSE).clamp(Duration::from_micros(200), PULSE)
    }
}

/// Runs `work`. If it may wait for the disk, other threads take over this thread's tasks meanwhile. Otherwise it runs
/// directly, because handing over takes longer.
fn in_place<T>(durability: Durability, work: impl FnOnce() -> T) -> T {
    match durability {
        Durability::Disk => tokio::task::block_in_place(work),
        Durability::Process => work(),
    }
}

fn snapshot(
    frontier: &Frontier,
    why: Option<&CrawlUrl>,
    fetching: &Fetching,
    watch: &PortalWatch,
) -> Result<Snapshot, StoreError> {
    let mut snapshot = Snapshot::of(frontier, why, &fetching.context.product_token, fetching.context.clock.now())?;
    snapshot.each_host(|host| fetching.add_wait(host));
    snapshot.no_yield = watch.reported();
    Ok(snapshot)
}

/// Tells the frontier how much new text each page gave, and logs the path prefixes that it closes because of this.
fn note_yields(frontier: &mut Frontier, pages: &[PageYield]) -> Result<(), CrawlError> {
    log_closed(&frontier.note_yields(pages)?);
    Ok(())
}

fn log_event(FrontierEvent { kind, about, text }: &FrontierEvent) {
    match kind {
        EventKind::HostAlias | EventKind::Reopened => tracing::info!(host = about, "{text}"),
        EventKind::Moved | EventKind::SitemapsFull => tracing::warn!(portal = about, "{text}"),
        EventKind::ManyHosts => tracing::warn!(domain = about, "{text}"),
        EventKind::SameAnswer | EventKind::Failing | EventKind::SetAside => tracing::warn!(host = about, "{text}"),
    }
}

fn log_closed(closed: &[ClosedPrefix]) {
    for ClosedPrefix { host, prefix, useless, window, rule } in closed {
        let rule = name_of(rule);
        tracing::info!(
            %host, prefix, useless, rule,
            "URLs like {host}{prefix} are skipped from now on ({rule}): {useless} of the last {window} pages there \
             gave no new text and no links to articles"
        );
    }
}
