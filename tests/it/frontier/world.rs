//! A frontier (the URLs to fetch) in a temporary folder, with a clock that the test moves, and helpers for tests.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::time::Duration;

use goldminer_crawl::frontier::{
    Counts, Discovery, Done, Exchange, Fetched, Finished, Frontier, FrontierConfig, HostStatus, Later, Lease, Outcome,
    PageFacts, PageWork, Portal, PortalId, Rejection, RobotsAnswer, Source, UrlKind, Work,
};
use goldminer_crawl::store::Store;
use goldminer_crawl::store::frontier::{Account, Area, LaneRow, QueuePosition, RowKey, UrlRow};
use goldminer_html::address::{CrawlUrl, Host, HostKey};
use goldminer_html::capture::ArchivePosition;
use jiff::Timestamp;
use tempfile::TempDir;

/// Counts every URL and queue entry on disk again, and returns the differences from the frontier's own counts; none if
/// all is well.
pub(crate) fn audit(frontier: &Frontier) -> Vec<String> {
    let (mut faults, counts, tables) = (Vec::new(), frontier.counts(), frontier.tables());
    faults.extend(counts.check().err().map(|discrepancy| discrepancy.to_string()));
    let (mut discovered, mut pending) = (0, 0);
    let (mut done, mut rejected): (BTreeMap<Done, u64>, BTreeMap<Rejection, u64>) = Default::default();
    for entry in tables.urls.scan(&[], Bound::Unbounded) {
        discovered += 1;
        match entry.unwrap().1.account {
            Account::Pending => pending += 1,
            Account::Done(how) => *done.entry(how).or_default() += 1,
            Account::Rejected(why) => *rejected.entry(why).or_default() += 1,
        }
    }
    let (mut said_done, mut said_rejected) = (counts.done.clone(), counts.rejected.clone());
    said_done.retain(|_, urls| *urls > 0);
    said_rejected.retain(|_, urls| *urls > 0);
    let is_same = (counts.discovered, counts.queued + counts.in_flight) == (discovered, pending)
        && (&said_done, &said_rejected) == (&done, &rejected);
    if !is_same {
        faults.push(format!("the accounts say {counts:?}, the rows {discovered} {pending} {done:?} {rejected:?}"));
    }
    let mut lanes: BTreeMap<(HostKey, PortalId), LaneRow> = BTreeMap::new();
    for entry in tables.queue.scan(&[], Bound::Unbounded) {
        let (key, waiting) = entry.unwrap();
        let Some((lane, place)) = QueuePosition::read(&key) else {
            faults.push(format!("the queue has an unreadable key {key:?}"));
            continue;
        };
        let empty = LaneRow { portal: lane.portal, ..LaneRow::default() };
        *lanes.entry((lane.host, lane.portal)).or_insert(empty).waiting(place.area) += 1;
        let row = tables.urls.get(&RowKey::join(lane.host, waiting.url).0).unwrap();
        let fits = row.is_some_and(|row| {
            let waits_for_first = place.area != Area::Revisits;
            let path = if waits_for_first { String::new() } else { waiting.row.path.clone() };
            row == UrlRow { path, ..waiting.row }
                && row.rank == place.rank
                && (row.account == Account::Pending) == waits_for_first
        });
        if !fits {
            faults.push(format!("the queue entry {place:?} of {lane:?} has no row that fits"));
        }
    }
    for entry in tables.hosts.scan(&[], Bound::Unbounded) {
        let host = entry.unwrap().1;
        for lane in &host.lanes {
            let counted = lanes.remove(&(host.host.key(), lane.portal)).unwrap_or_default();
            let waiting = |lane: &LaneRow| (lane.ready, lane.retries, lane.revisits);
            if waiting(&counted) != waiting(lane) {
                faults.push(format!("{} counts {lane:?}, its queue has {counted:?}", host.host));
            }
        }
    }
    faults.extend(lanes.into_iter().map(|(lane, counts)| format!("{lane:?} has {counts:?} and no host")));
    faults
}

const RESPONSE: Duration = Duration::from_millis(200);

/// A frontier in its own folder, and a clock.
pub(crate) struct World {
    dir: TempDir,
    pub config: FrontierConfig,
    frontier: Option<Frontier>,
    pub now: Timestamp,
}

impl World {
    pub(crate) fn new(starts: &[&str]) -> Self {
        Self::with(starts, |_| {})
    }

    pub(crate) fn with(starts: &[&str], change: impl FnOnce(&mut FrontierConfig)) -> Self {
        let portal = |start: &&str| Portal::around((*start).to_owned(), url(start));
        let mut config = FrontierConfig { portals: starts.iter().map(portal).collect(), ..FrontierConfig::default() };
        config.politeness.jitter = 0.0;
        change(&mut config);
        let mut world = Self {
            dir: tempfile::tempdir().unwrap(),
            config,
            frontier: None,
            now: "2026-11-20T12:00:00Z".parse().unwrap(),
        };
        world.open();
        let seeds: Vec<_> =
            starts.iter().map(|start| Discovery::seed(url(start), UrlKind::Start, world.portal(start))).collect();
        world.add(&seeds);
        world
    }

    /// Opens the frontier on disk, as a new process would.
    pub(crate) fn open(&mut self) {
        self.frontier = None;
        let store = Store::open(self.dir.path()).unwrap();
        self.frontier = Some(Frontier::open(store.frontier(), self.config.clone(), self.now).unwrap());
    }

    /// Closes the frontier, so that others can open it.
    pub(crate) fn close(&mut self) -> std::path::PathBuf {
        self.frontier = None;
        self.dir.path().to_owned()
    }

    /// Opens a frontier elsewhere, as another machine would.
    pub(crate) fn open_at(&mut self, folder: &std::path::Path) {
        let store = Store::open(folder).unwrap();
        self.frontier = Some(Frontier::open(store.frontier(), self.config.clone(), self.now).unwrap());
    }

    pub(crate) fn f(&mut self) -> &mut Frontier {
        self.frontier.as_mut().unwrap()
    }

    pub(crate) fn portal(&self, name: &str) -> PortalId {
        self.frontier.as_ref().unwrap().portal(name).unwrap()
    }

    pub(crate) fn add(&mut self, found: &[Discovery]) {
        let now = self.now;
        self.f().add(found, now).unwrap();
    }

    pub(crate) fn pass(&mut self, seconds: f64) {
        self.now += Duration::from_secs_f64(seconds);
    }

    pub(crate) fn lease(&mut self) -> Option<Lease> {
        let now = self.now;
        self.f().lease(1, usize::MAX, now).unwrap().pop()
    }

    /// Moves the clock until the frontier gives out a URL, and returns its lease. After a wakeup, another host may
    /// still be in the way, but not for ever.
    pub(crate) fn next(&mut self) -> Lease {
        for _ in 0..100 {
            let wakeup = self.f().next_wakeup().expect("nothing left to ask for");
            self.now = self.now.max(wakeup);
            if let Some(lease) = self.lease() {
                return lease;
            }
        }
        panic!("next_wakeup was reached a hundred times without a lease")
    }

    pub(crate) fn finish(&mut self, lease: Lease, outcome: Outcome, links: &[&str]) {
        self.end(lease, outcome, links, None);
    }

    pub(crate) fn finish_at(&mut self, lease: Lease, outcome: Outcome, links: &[&str], position: ArchivePosition) {
        self.end(lease, outcome, links, Some(position));
    }

    fn end(&mut self, lease: Lease, outcome: Outcome, links: &[&str], position: Option<ArchivePosition>) {
        let status = match &outcome {
            Outcome::Later(Later::Busy { .. }) | Outcome::Robots(RobotsAnswer::Unavailable { .. }) => Some(503),
            Outcome::Later(Later::Unreachable(_)) => None,
            _ => Some(200),
        };
        let asked = !matches!(outcome, Outcome::Disallowed { .. } | Outcome::Failed { .. });
        if asked {
            self.pass(RESPONSE.as_secs_f64());
        }
        let exchange = Exchange { ended: self.now, elapsed: RESPONSE, bytes: 1_000, status };
        let discoveries = match &lease.work {
            Work::Page(page) => links.iter().map(|link| self.link(page, link)).collect(),
            Work::Robots { .. } => Vec::new(),
        };
        let exchange = asked.then_some(exchange);
        let finished = Finished { exchange, discoveries, position, ..Finished::new(lease, outcome) };
        let now = self.now;
        self.f().finish(vec![finished], now).unwrap();
    }

    /// Finishes a page that was answered with status 200.
    pub(crate) fn answer(&mut self, finished: Finished, bytes: u64) {
        self.pass(RESPONSE.as_secs_f64());
        let now = self.now;
        let exchange = Some(Exchange { ended: now, elapsed: RESPONSE, bytes, status: Some(200) });
        self.f().finish(vec![Finished { exchange, ..finished }], now).unwrap();
    }

    pub(crate) fn status(&mut self, host: &str) -> HostStatus {
        let now = self.now;
        self.f().host(&url(host).host(), now).unwrap()
    }

    pub(crate) fn link(&self, page: &PageWork, link: &str) -> Discovery {
        Discovery::on(page, page.url.join(link).unwrap(), UrlKind::Page, Source::Link)
    }

    /// The next page; robots.txt on the way allow everything.
    pub(crate) fn next_page(&mut self) -> Lease {
        loop {
            let lease = self.next();
            if let Work::Page(_) = lease.work {
                return lease;
            }
            self.finish(lease, Outcome::Robots(RobotsAnswer::AllowAll), &[]);
        }
    }

    /// The next page, until nothing is left; robots.txt on the way allow everything.
    pub(crate) fn next_page_left(&mut self) -> Option<(Lease, PageWork)> {
        while let Some(wakeup) = self.f().next_wakeup() {
            self.now = self.now.max(wakeup);
            // The remaining URLs may have been rejected by now, because their prefix was closed.
            let Some(lease) = self.lease() else { continue };
            match lease.work.clone() {
                Work::Page(work) => return Some((lease, work)),
                Work::Robots { .. } => self.finish(lease, Outcome::Robots(RobotsAnswer::AllowAll), &[]),
            }
        }
        None
    }

    /// Fetches the next page, which has these links.
    pub(crate) fn fetch(&mut self, links: &[&str]) -> String {
        let lease = self.next_page();
        let asked = lease.work.url().path_and_query().to_owned();
        self.finish(lease, fetched(), links);
        asked
    }

    pub(crate) fn account(&mut self) -> Counts {
        let counts = self.f().counts();
        counts.check().unwrap();
        counts
    }
}

pub(crate) fn url(text: &str) -> CrawlUrl {
    CrawlUrl::parse(text).unwrap()
}

pub(crate) fn host(text: &str) -> Host {
    url(text).host()
}

pub(crate) fn fetched() -> Outcome {
    Outcome::Fetched(Fetched {
        page: Some(PageFacts { is_article_like: true, assessed: true, thin: false }),
        ..Fetched::default()
    })
}

pub(crate) fn busy(retry_after: Option<u64>) -> Outcome {
    Outcome::Later(Later::Busy { retry_after: retry_after.map(Duration::from_secs) })
}

pub(crate) const PORTAL: &str = "https://portal.example/";
