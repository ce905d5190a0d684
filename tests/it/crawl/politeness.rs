//! Politeness of the whole program, as the server saw it: gaps, one request at a time, robots.txt, and the waits that a
//! server requests by 429, 503 and 403. Tolerance: none, because the log never shows a shorter gap than there was.

use std::time::Duration;

use goldminer_testkit::access_log::{Entry, ViolationKind};
use goldminer_testkit::portals::{Portals, Size};
use goldminer_testkit::violations;
use goldminer_testkit::web::{BlockPeriod, Knobs};

use crate::crawl_world::{LONG, World, run, status};

fn small() -> Size {
    Size { scale: 0.1, ..Size::default() }
}

fn of<'e>(log: &'e [Entry], host: &str) -> Vec<&'e Entry> {
    let mut entries: Vec<&Entry> = log.iter().filter(|entry| entry.host == host).collect();
    entries.sort_by_key(|entry| entry.start);
    entries
}

/// The times from the end of each response to the next request.
fn gaps(entries: &[&Entry]) -> Vec<Duration> {
    entries.windows(2).map(|two| two[1].start.saturating_sub(two[0].end)).collect()
}

#[test]
fn every_gap_is_at_least_the_delay_and_requests_never_overlap() {
    let portals = Portals::demo(&small());
    let world = World::new(portals.clone(), Knobs::default())
        .hosts(&["courier.example", "hirnok.example"])
        .settings("ip_spacing = \"0s\"");
    let job = world.path("job");
    let ran = run(world.crawl(&job).args(["--delay", "1s", "--max-pages", "12"]), LONG);
    assert_eq!(ran.code(), Some(3), "a limit ended it: {ran:?}");
    let log = world.log();
    assert_eq!(violations(&log, &portals, Duration::from_secs(1)), [], "{log:#?}");
    for host in ["courier.example", "hirnok.example"] {
        let entries = of(&log, host);
        assert!(entries.len() >= 6, "{host}: {} requests", entries.len());
        assert_eq!(entries[0].path, "/robots.txt");
        let shortest = gaps(&entries).into_iter().min().unwrap();
        assert!(shortest >= Duration::from_secs(1), "{host}: {shortest:?}");
    }
    assert!(log.iter().all(|entry| entry.user_agent.starts_with("it/1.0 (+https://crawler.example/")));
}

#[test]
fn hosts_that_share_an_address_share_its_spacing() {
    let portals = Portals::demo(&small());
    let world = World::new(portals, Knobs::default())
        .hosts(&["courier.example", "hirnok.example", "gazette.example"])
        .settings("ip_spacing = \"500ms\"");
    let job = world.path("job");
    let ran = run(world.crawl(&job).args(["--delay", "100ms", "--max-pages", "5"]), LONG);
    assert_eq!(ran.code(), Some(3), "{ran:?}");
    let mut log = world.log();
    log.sort_by_key(|entry| entry.start);
    let shortest = log.windows(2).map(|two| two[1].start - two[0].start).min().unwrap();
    // The spacing counts between permissions to send. After them, connecting may take some milliseconds longer for one
    // request than for another.
    assert!(shortest >= Duration::from_millis(440), "{shortest:?}");
}

#[test]
fn a_crawl_delay_is_obeyed_and_shown() {
    let delay = Duration::from_secs(2);
    let portals = Portals::demo(&Size { crawl_delay: Some(delay), ..small() });
    let world = World::new(portals.clone(), Knobs::default()).hosts(&["rundschau.example"]);
    let job = world.path("job");
    let ran = run(world.crawl(&job).args(["--delay", "10ms", "--max-pages", "3"]), LONG);
    assert_eq!(ran.code(), Some(3), "{ran:?}");
    let log = world.log();
    let entries = of(&log, "rundschau.example");
    assert!(gaps(&entries).iter().all(|gap| *gap >= delay), "{:?}", gaps(&entries));
    let host = &status(&job)["hosts"][0];
    assert_eq!(host["crawl_delay"], serde_json::to_value(delay).unwrap(), "{host:#}");
}

#[test]
fn retry_after_is_obeyed_in_seconds_and_as_a_date() {
    let portals = Portals::demo(&small());
    let knobs = Knobs { seed: 5, too_many: 0.4, retry_after: Duration::from_secs(2), ..Knobs::default() };
    let world = World::new(portals.clone(), knobs).hosts(&["naplo.example"]).settings("backoff = \"100ms\"");
    let job = world.path("job");
    let ran = run(world.crawl(&job).args(["--delay", "10ms", "--max-pages", "9"]), LONG);
    assert_eq!(ran.code(), Some(3), "{ran:?}");
    let log = world.log();
    let asked: Vec<&Entry> = log.iter().filter(|entry| entry.retry_until.is_some()).collect();
    assert!(asked.len() >= 3, "only {} refusals, so nothing is tested", asked.len());
    let offences: Vec<_> =
        violations(&log, &portals, Duration::from_millis(10)).into_iter().map(|v| (v.kind, v.path)).collect();
    assert_eq!(offences, [], "{log:#?}");
    // No page is abandoned: the next request after the wait is for the same page.
    for two in of(&log, "naplo.example").windows(2).filter(|two| two[0].retry_until.is_some()) {
        let refusals = asked.iter().filter(|entry| entry.path == two[0].path && entry.end <= two[0].end).count();
        assert!(two[0].path == two[1].path || refusals > 2, "{} was not asked for again", two[0].path);
    }
}

#[test]
fn a_503_without_retry_after_makes_the_whole_host_wait() {
    let portals = Portals::demo(&small());
    // Every second 503 has no Retry-After.
    let knobs = Knobs { seed: 8, unavailable: 0.6, retry_after: Duration::from_secs(1), ..Knobs::default() };
    let world = World::new(portals.clone(), knobs).hosts(&["gazette.example"]).settings("backoff = \"700ms\"");
    let job = world.path("job");
    let ran = run(world.crawl(&job).args(["--delay", "10ms", "--max-pages", "8"]), LONG);
    assert_eq!(ran.code(), Some(3), "{ran:?}");
    let log = world.log();
    let entries = of(&log, "gazette.example");
    let mut busy = 0;
    for two in entries.windows(2).filter(|two| two[0].status == 503 && two[0].retry_until.is_none()) {
        busy += 1;
        let gap = two[1].start.saturating_sub(two[0].end);
        assert!(gap >= Duration::from_millis(700), "{gap:?} after {}", two[0].path);
    }
    assert!(busy > 0, "no 503 without Retry-After, so nothing is tested\n{entries:#?}");
}

#[test]
fn three_refusals_in_a_row_pause_the_host_and_the_crawl_says_so() {
    let portals = Portals::demo(&small());
    let blocked = Some(BlockPeriod { after: 4, length: 1000, captcha: false });
    let world = World::new(portals, Knobs { blocked, ..Knobs::default() }).hosts(&["courier.example"]);
    let job = world.path("job");
    let ran = run(world.crawl(&job).args(["--delay", "10ms"]), LONG);
    let log = world.log();
    assert_eq!(of(&log, "courier.example").iter().filter(|entry| entry.status == 403).count(), 3);
    assert_eq!(ran.code(), Some(3), "something is left: {ran:?}");
    assert!(ran.stdout.contains("courier.example"), "{}", ran.stdout);
    assert_eq!(status(&job)["hosts"][0]["waits_for"], "refusals");
}

#[test]
fn a_robots_txt_that_fails_keeps_the_whole_host_closed() {
    let portals = Portals::demo(&small());
    let world = World::new(portals, Knobs { robots_errors: 1000, ..Knobs::default() })
        .hosts(&["courier.example"])
        .settings("backoff = \"200ms\"");
    let job = world.path("job");
    let ran = run(world.crawl(&job).args(["--delay", "10ms", "--max-time", "4s"]), LONG);
    assert_eq!(ran.code(), Some(3), "{ran:?}");
    let log = world.log();
    assert!(log.len() > 2 && log.iter().all(|entry| entry.path == "/robots.txt"), "{ran:?}\n{log:#?}");
}

#[test]
fn a_robots_txt_that_works_again_opens_the_host() {
    let portals = Portals::demo(&small());
    let world = World::new(portals.clone(), Knobs { robots_errors: 2, ..Knobs::default() })
        .hosts(&["courier.example"])
        .settings("backoff = \"200ms\"");
    let job = world.path("job");
    let ran = run(world.crawl(&job).args(["--delay", "10ms", "--max-pages", "3"]), LONG);
    assert_eq!(ran.code(), Some(3), "{ran:?}");
    let log = world.log();
    let before: Vec<u16> = of(&log, "courier.example").iter().take(3).map(|entry| entry.status).collect();
    assert_eq!(before, [503, 503, 200]);
    let offences = violations(&log, &portals, Duration::from_millis(10));
    assert!(!offences.iter().any(|v| v.kind == ViolationKind::BeforeRobots), "{offences:?}");
}
