//! Tests the frontier (the URLs to fetch) against a simulated web, with random sequences of adding URLs, leasing one to
//! fetch it, finishing it, waiting and crashing. In all of them, no server gets requests faster than allowed or two at
//! a time, no URL is lost or requested again after its outcome, and the counts add up.
//!
//! A crash is a copy of the database's files as they are, opened while the first process still has its own.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;

use goldminer_crawl::frontier::{
    Discovery, Exchange, Fetched, Finished, Frontier, FrontierConfig, Later, Lease, Outcome, Portal, RobotsAnswer,
    Source, UrlKind, UrlState, Work,
};
use goldminer_crawl::store::Store;
use goldminer_crawl::store::frontier::PackedBody;
use goldminer_fetch::failure::{Cause, Failure};
use goldminer_html::address::{CrawlUrl, Host};
use jiff::Timestamp;
use proptest::prelude::*;
use tempfile::TempDir;

use crate::frontier::world::audit;

const HOSTS: u64 = 3;
const DELAY: Duration = Duration::from_secs(5);

/// An event.
#[derive(Debug, Clone)]
enum Step {
    Lease {
        most: usize,
    },
    /// Ends the n-th open lease; `rng` decides how.
    Finish {
        which: usize,
        rng: u64,
    },
    /// Returns the n-th lease without a request.
    GiveBack {
        which: usize,
    },
    Pass {
        millis: u64,
    },
    Wakeup,
    Crash,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (1..4_usize).prop_map(|most| Step::Lease { most }),
        6 => (0..4_usize, any::<u64>()).prop_map(|(which, rng)| Step::Finish { which, rng }),
        1 => (0..4_usize).prop_map(|which| Step::GiveBack { which }),
        2 => (0..20_000_u64).prop_map(|millis| Step::Pass { millis }),
        4 => Just(Step::Wakeup),
        1 => Just(Step::Crash),
    ]
}

/// A server's view of the crawler. There is one for each host name, for both schemes.
#[derive(Debug, Default)]
struct Server {
    asking: bool,
    /// The time before which no request may come: by the delay, or by Retry-After.
    closed_until: Option<Timestamp>,
    /// The delay of each scheme; the longest is used.
    crawl_delays: BTreeMap<Host, Duration>,
    robots_answered: BTreeSet<Host>,
}

impl Server {
    fn crawl_delay(&self) -> Duration {
        self.crawl_delays.values().copied().max().unwrap_or_default()
    }
}

/// The frontier, the servers, and what must be true.
struct World {
    dir: TempDir,
    frontier: Frontier,
    now: Timestamp,
    out: Vec<Lease>,
    servers: BTreeMap<String, Server>,
    /// URLs of the portals whose discovery is durable.
    found: BTreeSet<CrawlUrl>,
    closed: BTreeSet<CrawlUrl>,
}

impl World {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let now: Timestamp = "2026-11-20T12:00:00Z".parse().unwrap();
        let frontier = open(dir.path(), now);
        let (out, servers) = (Vec::new(), BTreeMap::new());
        let mut world = Self { dir, frontier, now, out, servers, found: BTreeSet::new(), closed: BTreeSet::new() };
        for host in 0..HOSTS {
            let (start, portal) = (page(host, 0), world.frontier.portal(&format!("portal {host}")).unwrap());
            world.frontier.add(&[Discovery::seed(start.clone(), UrlKind::Page, portal)], now).unwrap();
            world.found.insert(start);
        }
        world
    }

    fn take(&mut self, step: Step) {
        match step {
            Step::Lease { most } => self.lease(most),
            Step::Finish { which, rng } if which < self.out.len() => {
                let lease = self.out.remove(which);
                self.finish(lease, rng);
            }
            Step::GiveBack { which } if which < self.out.len() => {
                let lease = self.out.remove(which);
                // No request was sent, so the server saw nothing.
                self.servers.get_mut(lease.work.url().host_name()).unwrap().asking = false;
                self.frontier.give_back(lease, self.now, self.now + Duration::from_secs(1)).unwrap();
            }
            Step::Finish { .. } | Step::GiveBack { .. } => {}
            Step::Pass { millis } => self.now += Duration::from_millis(millis),
            Step::Wakeup => self.now = self.frontier.next_wakeup().unwrap_or(self.now).max(self.now),
            Step::Crash => self.crash(),
        }
        self.frontier.counts().check().unwrap();
    }

    fn lease(&mut self, most: usize) {
        for lease in self.frontier.lease(most, most, self.now).unwrap() {
            let url = lease.work.url();
            let server = self.servers.entry(url.host_name().to_owned()).or_default();
            assert!(!server.asking, "two requests at a time for {}", url.host());
            assert!(server.closed_until.is_none_or(|until| self.now >= until), "{url} too soon: {:?}", server);
            assert!(!self.closed.contains(url), "{url} was asked for again");
            match lease.work {
                Work::Robots { .. } => {}
                Work::Page(_) => assert!(server.robots_answered.contains(&url.host()), "{url} before robots.txt"),
            }
            server.asking = true;
            self.out.push(lease);
        }
    }

    fn finish(&mut self, lease: Lease, rng: u64) {
        self.now += Duration::from_millis(rng % 3_000);
        let url = lease.work.url().clone();
        let mut delay = DELAY;
        let outcome = match &lease.work {
            Work::Robots { .. } => self.robots(&url, rng, &mut delay),
            Work::Page(_) => outcome(rng, &mut delay),
        };
        let server = self.servers.get_mut(url.host_name()).unwrap();
        server.asking = false;
        let disallowed = matches!(outcome, Outcome::Disallowed { .. });
        if !disallowed {
            server.closed_until = Some(self.now + delay.max(server.crawl_delay()));
        }
        let found = if matches!(outcome, Outcome::Fetched(_)) { links(&lease, rng) } else { Vec::new() };
        let is_final = !matches!(outcome, Outcome::Later(_) | Outcome::Robots(_));
        self.found.extend(found.iter().map(|found| found.url.clone()));
        if is_final {
            self.closed.insert(url);
        }
        let elapsed = Duration::from_millis(rng % 500);
        let exchange = Exchange { ended: self.now, elapsed, bytes: 10, status: Some(200) };
        let exchange = (!disallowed).then_some(exchange);
        let finished = Finished { exchange, discoveries: found, ..Finished::new(lease, outcome) };
        self.frontier.finish(vec![finished], self.now).unwrap();
    }

    fn robots(&mut self, url: &CrawlUrl, rng: u64, delay: &mut Duration) -> Outcome {
        let server = self.servers.get_mut(url.host_name()).unwrap();
        let answer = match rng % 4 {
            0 => RobotsAnswer::AllowAll,
            1 | 2 => {
                let crawl_delay = Duration::from_secs(rng % 30);
                server.crawl_delays.insert(url.host(), crawl_delay);
                RobotsAnswer::Rules { body: PackedBody::of(b"Disallow:"), crawl_delay: Some(crawl_delay) }
            }
            _ => {
                let wait = Duration::from_secs(rng % 300);
                *delay = (*delay).max(Duration::ZERO);
                RobotsAnswer::Unavailable { retry_after: Some(wait), failure: Failure::new(Cause::Busy, "503") }
            }
        };
        match answer {
            RobotsAnswer::AllowAll => drop(server.crawl_delays.remove(&url.host())),
            RobotsAnswer::Rules { .. } => {}
            _ => return Outcome::Robots(answer),
        }
        server.robots_answered.insert(url.host());
        Outcome::Robots(answer)
    }

    fn crash(&mut self) {
        let copy = tempfile::tempdir().unwrap();
        copy_tree(self.dir.path(), copy.path());
        self.frontier = open(copy.path(), self.now);
        self.dir = copy;
        // Requests in flight broke off now, from the servers' view.
        for lease in self.out.drain(..) {
            let server = self.servers.get_mut(lease.work.url().host_name()).unwrap();
            server.asking = false;
            server.closed_until = Some(self.now + DELAY.max(server.crawl_delay()));
        }
        self.audit();
    }

    fn audit(&self) {
        let faults = audit(&self.frontier);
        assert!(faults.is_empty(), "{faults:#?}");
        assert_eq!(self.frontier.counts().discovered, self.found.len() as u64, "URLs were lost or counted twice");
        for url in &self.found {
            let life = self.frontier.explain(url, self.now).unwrap().life.unwrap_or_else(|| panic!("{url} is lost"));
            let is_closed = matches!(life.account, UrlState::Done(_));
            // A URL may also be closed by the last of its attempts.
            assert!(is_closed || !self.closed.contains(url), "{url} was reopened: {life:?}");
        }
    }

    /// Answers all remaining requests successfully. Afterwards, nothing may be left.
    fn run_out(&mut self) {
        for round in 0.. {
            assert!(round < 10_000, "the crawl does not end: {:?}", self.frontier.counts());
            while let Some(lease) = self.out.pop() {
                let good = if matches!(lease.work, Work::Robots { .. }) { 0 } else { 10 };
                self.finish(lease, good);
            }
            let Some(wakeup) = self.frontier.next_wakeup() else { break };
            self.now = self.now.max(wakeup);
            self.lease(10);
        }
        assert_eq!(self.frontier.counts().queued, 0);
        self.audit();
    }
}

/// The outcome of a page.
fn outcome(rng: u64, delay: &mut Duration) -> Outcome {
    match rng % 16 {
        0 => {
            let wait = Duration::from_secs(rng % 200);
            *delay = (*delay).max(wait);
            Outcome::Later(Later::Busy { retry_after: Some(wait) })
        }
        1 => {
            *delay = Duration::from_secs(60);
            Outcome::Later(Later::Busy { retry_after: None })
        }
        2 => Outcome::Later(Later::ServerError(Failure::new(Cause::ServerError, "500"))),
        3 => Outcome::Later(Later::Unreachable(Failure::new(Cause::Reset, "reset"))),
        4 => Outcome::Gone,
        5 => Outcome::Disallowed { rule: Some("Disallow: /".to_owned()) },
        6 => Outcome::Failed { reason: "neither a page nor a feed".to_owned() },
        _ => Outcome::Fetched(Fetched::default()),
    }
}

/// Up to four links: mostly on the same host, some across.
fn links(lease: &Lease, rng: u64) -> Vec<Discovery> {
    let Work::Page(work) = &lease.work else { return Vec::new() };
    if rng % 32 == 10 {
        return Vec::new();
    }
    let own: u64 = work.url.host_name()[4..5].parse().unwrap();
    (0..rng % 5)
        .map(|n| page(own, (rng >> (n * 8)) % 40))
        .map(|url| Discovery::on(work, url, UrlKind::Page, Source::Link))
        .collect()
}

fn page(host: u64, number: u64) -> CrawlUrl {
    let scheme = if number < 28 { "https" } else { "http" };
    CrawlUrl::parse(&format!("{scheme}://host{host}.example/{number}")).unwrap()
}

fn open(dir: &Path, now: Timestamp) -> Frontier {
    let portals = (0..HOSTS).map(|host| Portal::around(format!("portal {host}"), page(host, 0)));
    let config = FrontierConfig { portals: portals.collect(), ..FrontierConfig::default() };
    Frontier::open(Store::open(dir).unwrap().frontier(), config, now).unwrap()
}

fn copy_tree(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy_tree(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, max_shrink_iters: 60, ..ProptestConfig::default() })]

    #[test]
    fn requests_keep_their_delays_and_no_url_is_lost(steps in proptest::collection::vec(step(), 20..120)) {
        let mut world = World::new();
        for step in steps {
            world.take(step);
        }
        world.run_out();
    }
}
