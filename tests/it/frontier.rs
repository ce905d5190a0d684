//! The life of URLs and hosts in the frontier, with a clock that the test moves: what a crawl, its operator and the
//! servers would notice.

use std::time::Duration;

use goldminer::address::{CrawlUrl, Host};
use goldminer::frontier::scope::{Extent, PortalScope};
use goldminer::frontier::{
    Discovery, Done, Exchange, Fetched, Finished, Frontier, FrontierConfig, Later, Lease, Outcome, PageFacts, Portal,
    PortalId, Rejection, RobotsAnswer, Source, UrlKind, WaitsFor, Work,
};
use goldminer::store::Store;
use jiff::Timestamp;
use tempfile::TempDir;

const RESPONSE: Duration = Duration::from_millis(200);

/// A frontier on a disk of its own, and a clock.
struct World {
    dir: TempDir,
    config: FrontierConfig,
    frontier: Option<Frontier>,
    now: Timestamp,
}

impl World {
    fn new(starts: &[&str]) -> Self {
        Self::with(starts, |_| {})
    }

    fn with(starts: &[&str], change: impl FnOnce(&mut FrontierConfig)) -> Self {
        let portal = |start: &&str| Portal {
            name: (*start).to_owned(),
            scope: PortalScope::around(vec![url(start)], Extent::Host),
        };
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

    fn open(&mut self) {
        self.frontier = None;
        let store = Store::open(self.dir.path()).unwrap();
        self.frontier = Some(Frontier::open(store.frontier(), self.config.clone(), self.now).unwrap());
    }

    /// What is left after `kill -9`: the disk as it is. In-flight leases are lost with the process.
    fn crash(&mut self) {
        self.open();
    }

    fn f(&mut self) -> &mut Frontier {
        self.frontier.as_mut().unwrap()
    }

    fn portal(&self, name: &str) -> PortalId {
        self.frontier.as_ref().unwrap().portal(name).unwrap()
    }

    fn add(&mut self, found: &[Discovery]) {
        let now = self.now;
        self.f().add(found, now).unwrap();
    }

    fn pass(&mut self, seconds: f64) {
        self.now += Duration::from_secs_f64(seconds);
    }

    fn lease(&mut self) -> Option<Lease> {
        let now = self.now;
        self.f().lease(now).unwrap()
    }

    /// Moves the clock to the next lease.
    fn next(&mut self) -> Lease {
        let wakeup = self.f().next_wakeup().expect("nothing left to ask for");
        self.now = self.now.max(wakeup);
        self.lease().expect("the frontier promised a lease")
    }

    fn finish(&mut self, lease: Lease, outcome: Outcome, links: &[&str]) {
        self.pass(RESPONSE.as_secs_f64());
        let status = match &outcome {
            Outcome::Later(Later::Busy { .. }) => Some(503),
            Outcome::Later(Later::Unreachable { .. }) => None,
            _ => Some(200),
        };
        let asked = !matches!(outcome, Outcome::Disallowed { .. } | Outcome::Failed { .. });
        let exchange = Exchange { ended: self.now, elapsed: RESPONSE, bytes: 1_000, status };
        let found = match &lease.work {
            Work::Page(page) => links.iter().map(|link| self.link(page, link)).collect(),
            Work::Robots { .. } => Vec::new(),
        };
        let finished =
            Finished { exchange: asked.then_some(exchange), discoveries: found, ..Finished::new(lease, outcome) };
        let now = self.now;
        self.f().finish(vec![finished], now).unwrap();
    }

    fn link(&self, page: &goldminer::frontier::PageWork, link: &str) -> Discovery {
        Discovery::on(page, page.url.join(link).unwrap(), UrlKind::Page, Source::Link)
    }

    /// The next page; robots.txt on the way allow everything.
    fn next_page(&mut self) -> Lease {
        loop {
            let lease = self.next();
            if let Work::Page(_) = lease.work {
                return lease;
            }
            self.finish(lease, Outcome::Robots(RobotsAnswer::AllowAll), &[]);
        }
    }

    /// Fetches the next page, which has these links.
    fn fetch(&mut self, links: &[&str]) -> String {
        let lease = self.next_page();
        let asked = lease.work.url().path_and_query().to_owned();
        self.finish(lease, fetched(), links);
        asked
    }

    fn account(&mut self) -> goldminer::frontier::Counts {
        let counts = self.f().counts();
        counts.check().unwrap();
        counts
    }
}

fn url(text: &str) -> CrawlUrl {
    CrawlUrl::parse(text).unwrap()
}

fn host(text: &str) -> Host {
    url(text).host()
}

fn fetched() -> Outcome {
    Outcome::Fetched(Fetched { changed: true, page: Some(PageFacts { teaches: true }), ..Fetched::default() })
}

fn busy(retry_after: Option<u64>) -> Outcome {
    Outcome::Later(Later::Busy { retry_after: retry_after.map(Duration::from_secs) })
}

const PORTAL: &str = "https://portal.example/";

#[test]
fn a_url_lives_from_discovery_to_its_account_and_robots_come_first() {
    let mut world = World::new(&[PORTAL]);
    let lease = world.lease().unwrap();
    assert_eq!(lease.work.url().as_str(), "https://portal.example/robots.txt");
    world.finish(lease, Outcome::Robots(RobotsAnswer::AllowAll), &[]);
    assert_eq!(world.fetch(&["/a", "/b", "/a", "https://other.example/"]), "/");
    let lease = world.next_page();
    assert_eq!(lease.work.url().path_and_query(), "/a");
    let counts = world.account();
    assert_eq!((counts.discovered, counts.queued, counts.in_flight), (4, 1, 1));
    assert_eq!((counts.done[&Done::Fetched], counts.rejected[&Rejection::OutOfScope]), (1, 1));
    world.finish(lease, Outcome::Gone, &[]);
    assert_eq!(world.fetch(&[]), "/b");
    let counts = world.account();
    assert_eq!((counts.queued, counts.done[&Done::Fetched], counts.done[&Done::Gone]), (0, 2, 1));
    assert_eq!(world.f().next_wakeup(), None);
}
