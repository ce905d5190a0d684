//! Crawls a made-up portal with a test clock, and tests what happens to queued URLs when hosts fail and rules change.

use std::collections::BTreeSet;
use std::time::Duration;

use goldminer_fetch::failure::{Cause, Failure};
use goldminer_html::CrawlUrl;
use jiff::{SignedDuration, Timestamp};
use regex::Regex;

use crate::frontier::{
    Discovery, Done, EventKind, Exchange, Fetched, Finished, Frontier, FrontierConfig, FrontierEvent, Later, Outcome,
    PageYield, Portal, Rejection, RobotsAnswer, Source, UrlKind, Work,
};
use crate::seeds::Pattern;
use crate::store::Store;
use crate::store::frontier::PrefixState;

struct World {
    frontier: Frontier,
    now: Timestamp,
    /// The requests for pages so far: the seconds since the start, and the path.
    asked: Vec<(i64, String)>,
    dir: tempfile::TempDir,
}

fn url(path: &str) -> CrawlUrl {
    CrawlUrl::parse(&format!("https://p.example{path}")).unwrap()
}

fn start() -> Timestamp {
    "2026-11-20T12:00:00Z".parse().unwrap()
}

fn minutes(minutes: i64) -> Timestamp {
    start() + SignedDuration::from_mins(minutes)
}

fn config(portal: Portal) -> FrontierConfig {
    FrontierConfig { portals: vec![portal], ..FrontierConfig::default() }
}

fn portal() -> Portal {
    Portal::around("p".to_owned(), url("/"))
}

/// The status `status` for the pages of a folder, and 200 for all others.
fn only(folder: &'static str, status: u16) -> impl Fn(&str) -> u16 {
    move |path: &str| if path.starts_with(folder) { status } else { 200 }
}

impl World {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(dir.path()).unwrap().frontier();
        let frontier = Frontier::open(store, config(portal()), start()).unwrap();
        let mut this = Self { frontier, now: start(), asked: Vec::new(), dir };
        let id = this.frontier.portal("p").unwrap();
        this.frontier.add(&[Discovery::seed(url("/"), UrlKind::Start, id)], start()).unwrap();
        this.crawl(minutes(1), |_| 200);
        assert_eq!(this.asked.len(), 1);
        this
    }

    fn add(&mut self, paths: impl IntoIterator<Item = String>) {
        self.announce(Source::Sitemap, paths);
    }

    fn announce(&mut self, source: Source, paths: impl IntoIterator<Item = String>) {
        let id = self.frontier.portal("p").unwrap();
        let found = |path: String| Discovery { source, depth: 1, ..Discovery::seed(url(&path), UrlKind::Page, id) };
        let found: Vec<Discovery> = paths.into_iter().map(found).collect();
        self.frontier.add(&found, self.now).unwrap();
    }

    /// Stops the crawl, and starts it with other rules.
    fn restarted(self, portal: Portal) -> Self {
        let Self { frontier, now, asked, dir } = self;
        drop(frontier);
        let frontier = Frontier::open(Store::open(dir.path()).unwrap().frontier(), config(portal), now).unwrap();
        Self { frontier, now, asked, dir }
    }

    /// Crawls until a time. `status` is the portal's answer to the request for a path.
    fn crawl(&mut self, until: Timestamp, status: impl Fn(&str) -> u16) {
        while let Some(wakeup) = self.frontier.next_wakeup().filter(|wakeup| *wakeup < until) {
            self.now = self.now.max(wakeup);
            let Some(lease) = self.frontier.lease(1, usize::MAX, self.now).unwrap().pop() else { continue };
            let Work::Page(work) = &lease.work else {
                let robots = Outcome::Robots(RobotsAnswer::AllowAll);
                self.frontier.finish(vec![Finished::new(lease, robots)], self.now).unwrap();
                continue;
            };
            let path = work.url.path_and_query().to_owned();
            let status = status(&path);
            self.asked.push((self.now.duration_since(start()).as_secs(), path.clone()));
            let exchange = Exchange { ended: self.now, elapsed: Duration::ZERO, bytes: 100, status: Some(status) };
            let outcome = match status {
                200 => Outcome::Fetched(Fetched::default()),
                302 => Outcome::Redirect { to: Some(url(&format!("/login?next={path}"))) },
                401 | 404 => Outcome::Gone,
                _ => Outcome::Later(Later::ServerError(Failure::new(Cause::ServerError, format!("status {status}")))),
            };
            let done = Finished { exchange: Some(exchange), ..Finished::new(lease, outcome) };
            self.frontier.finish(vec![done], self.now).unwrap();
        }
        self.now = self.now.max(until);
        self.frontier.counts().check().unwrap();
    }

    fn close(&mut self, prefix: &str) {
        let closed = PrefixState { prefix: prefix.to_owned(), closed: true };
        self.frontier.hosts.get_mut(&url("/").host().key()).unwrap().verdicts.push(closed);
    }

    fn done(&self, done: Done) -> u64 {
        self.frontier.counters.done[done.index()]
    }

    fn rejected(&self, reason: Rejection) -> u64 {
        self.frontier.counters.rejected[reason.index()]
    }

    fn requests(&self, part: &str) -> usize {
        self.asked.iter().filter(|(_, path)| path.starts_with(part)).count()
    }
}

fn pages(folder: &str, count: usize) -> impl Iterator<Item = String> {
    (0..count).map(move |page| format!("/{folder}/{page}"))
}

#[test]
fn due_retries_under_a_closed_prefix_are_rejected_once() {
    let mut world = World::new();
    world.add(pages("tag", 2));
    world.crawl(minutes(2), |_| 500);
    world.add(pages("news", 1));
    world.close("/tag/");
    world.now = minutes(30);
    world.crawl(minutes(31), |_| 200);
    assert_eq!((world.rejected(Rejection::ClosedPrefix), world.requests("/tag/")), (2, 2));
    assert_eq!((world.requests("/news/"), world.frontier.counters.pending), (1, 0));
}

#[test]
fn narrower_rules_reject_queued_urls_and_wider_ones_admit_them() {
    let mut world = World::new();
    world.add(pages("sport", 3).chain(pages("news", 3)));
    let narrow = Portal { exclude: vec![Pattern(Regex::new("/sport/").unwrap())], ..portal() };
    let mut world = world.restarted(narrow);
    world.crawl(minutes(10), |_| 200);
    assert_eq!((world.requests("/sport/"), world.requests("/news/")), (0, 3));
    assert_eq!(world.rejected(Rejection::Excluded), 3);
    let mut world = world.restarted(portal());
    world.crawl(minutes(20), |_| 200);
    assert_eq!((world.requests("/sport/"), world.rejected(Rejection::Excluded)), (3, 0));
}

#[test]
fn a_failing_host_gets_few_requests_and_loses_no_url() {
    let mut world = World::new();
    world.add(pages("news", 40));
    world.crawl(minutes(300), |_| 502);
    assert!(world.asked.len() <= 12, "{:?}", world.asked);
    let events = world.frontier.events();
    assert!(matches!(&events[..], [FrontierEvent { kind: EventKind::Failing, .. }]), "{events:?}");
    world.crawl(minutes(2_000), |_| 200);
    assert_eq!((world.done(Done::Fetched), world.done(Done::Failed)), (41, 0));
}

#[test]
fn one_broken_page_does_not_pause_its_host() {
    let mut world = World::new();
    world.add(pages("news", 40));
    world.crawl(minutes(60), |path| if path == "/news/3" { 500 } else { 200 });
    assert_eq!((world.done(Done::Fetched), world.done(Done::Failed)), (40, 1));
    assert!(world.asked.last().unwrap().0 < 26 * 60 + 60, "{:?}", world.asked);
    assert!(world.frontier.events().is_empty());
}

#[test]
fn a_broken_section_does_not_stop_its_host() {
    let mut world = World::new();
    world.add(pages("old", 100).chain(pages("news", 20)));
    world.crawl(minutes(120), only("/old/", 500));
    assert_eq!(world.requests("/news/"), 20);
    assert!((300..=303).contains(&world.requests("/old/")), "{}", world.requests("/old/"));
    assert_eq!((world.done(Done::Fetched), world.done(Done::Failed)), (21, 100));
}

/// A portal that has given articles, with 20 new ones in its feed.
fn with_news() -> World {
    let mut world = World::new();
    world.announce(Source::Feed, pages("old", 3));
    world.crawl(minutes(5), |_| 200);
    let article = PageYield { url: url("/old/0"), bytes: 100, clean_bytes: 100, leads_from: 0 };
    world.frontier.note_yields(&[article]).unwrap();
    world.announce(Source::Feed, pages("news", 20));
    world
}

#[test]
fn articles_behind_a_temporary_login_are_requested_again() {
    for status in [302, 401, 404] {
        let mut world = with_news();
        world.crawl(minutes(60), only("/news/", status));
        assert!(world.requests("/news/") <= 16, "{:?}", world.asked);
        let events = world.frontier.events();
        assert!(matches!(&events[..], [FrontierEvent { kind: EventKind::SameAnswer, .. }]), "{events:?}");
        assert!(events[0].text.contains("to the last 8 new articles"), "{events:?}");
        world.crawl(minutes(600), |_| 200);
        let recent: BTreeSet<&str> =
            world.asked.iter().filter(|(at, _)| *at >= 3_600).map(|(_, path)| &**path).collect();
        assert_eq!(recent.iter().filter(|path| path.starts_with("/news/")).count(), 20, "{recent:?}");
    }
}

#[test]
fn a_permanent_login_does_not_stop_its_host() {
    let mut world = with_news();
    world.add(pages("free", 5));
    world.crawl(minutes(2_000), only("/news/", 401));
    assert_eq!((world.done(Done::Gone), world.done(Done::Fetched)), (20, 9));
    assert!(matches!(&world.frontier.events()[..], [FrontierEvent { kind: EventKind::SameAnswer, .. }, ..]));
}

#[test]
fn a_guessed_sitemap_that_does_not_exist_is_not_gone() {
    let mut world = World::new();
    let id = world.frontier.portal("p").unwrap();
    let sitemap = |source, path: &str| Discovery { source, ..Discovery::seed(url(path), UrlKind::Sitemap, id) };
    let named = Discovery { via: Some(url("/robots.txt")), ..sitemap(Source::Sitemap, "/named.xml") };
    let found = [sitemap(Source::Sitemap, "/sitemap.xml"), sitemap(Source::Seed, "/news.xml"), named];
    world.frontier.add(&found, world.now).unwrap();
    world.crawl(minutes(15), |_| 404);
    assert_eq!((world.done(Done::NoSitemap), world.done(Done::Gone)), (1, 2));
}

#[test]
fn missing_pages_of_an_old_sitemap_do_not_pause_their_host() {
    let mut world = with_news();
    world.add(pages("gone", 50));
    world.crawl(minutes(15), only("/gone/", 404));
    assert_eq!((world.done(Done::Gone), world.done(Done::Fetched)), (50, 24));
    assert!(world.frontier.events().is_empty());
}

#[test]
fn articles_under_a_closed_prefix_are_requested_once_it_reopens() {
    let mut world = World::new();
    world.add(pages("news", 20).take(4));
    world.close("/news/");
    world.announce(Source::Link, pages("news", 20));
    world.add(pages("news", 20));
    world.crawl(minutes(10), |_| 200);
    assert_eq!((world.requests("/news/"), world.rejected(Rejection::ClosedPrefix)), (5, 15));
    let probes: Vec<String> = world.asked[1..].iter().map(|(_, path)| path.clone()).collect();
    let good = |path: &String| PageYield { url: url(path), bytes: 100, clean_bytes: 100, leads_from: 0 };
    world.frontier.note_yields(&probes.iter().map(good).collect::<Vec<_>>()).unwrap();
    world.crawl(minutes(20), |_| 200);
    assert_eq!((world.requests("/news/"), world.rejected(Rejection::ClosedPrefix)), (20, 0));
}
