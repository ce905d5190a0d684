//! The life of a host: robots.txt, delays, waits, pauses, and what survives a restart.

use std::time::Duration;

use goldminer_crawl::frontier::{Done, Later, Lease, Outcome, RobotsAnswer, RobotsStatus, WaitsFor, Work};
use goldminer_crawl::store::Store;
use goldminer_crawl::store::frontier::PackedBody;
use goldminer_fetch::failure::{Cause, Failure};
use jiff::SignedDuration;

use crate::frontier::world::{PORTAL, World, busy, fetched, host, url};

const OTHER: &str = "https://other.example/";

fn unavailable() -> Outcome {
    Outcome::Robots(RobotsAnswer::Unavailable { retry_after: None, failure: Failure::new(Cause::Busy, "503") })
}

#[test]
fn the_delay_counts_from_the_end_of_the_response() {
    let mut world = World::new(&[PORTAL]);
    world.fetch(&["/a"]);
    let ended = world.now;
    assert!(world.lease().is_none(), "asked again at once");
    world.pass(4.9);
    assert!(world.lease().is_none(), "asked again too soon");
    world.pass(0.1);
    assert!(world.lease().is_some());
    assert_eq!(world.now.duration_since(ended), SignedDuration::from_secs(5));
}

#[test]
fn http_and_https_share_one_delay_and_other_ports_do_not() {
    let (plain, secure, other_port) = ("http://portal.example/", PORTAL, "https://portal.example:8443/");
    let mut world = World::new(&[plain, secure, other_port]);
    let now = world.now;
    let first = world.f().lease(10, 10, now).unwrap();
    assert_eq!(first.len(), 2, "one of the name, one of the other port: {first:?}");
    let of_name = |lease: &Lease| lease.host.as_str() != "https://portal.example:8443";
    let (mut of_name, of_port): (Vec<_>, Vec<_>) = first.into_iter().partition(of_name);
    let (first, _out) = (of_name.pop().unwrap(), of_port);
    world.pass(60.0);
    assert!(world.lease().is_none(), "two requests at a time for one name");
    let slow = RobotsAnswer::Rules { body: PackedBody::of(b""), crawl_delay: Some(Duration::from_secs(20)) };
    let first_host = first.host.clone();
    world.finish(first, Outcome::Robots(slow), &[]);
    let ended = world.now;
    let lease = world.next();
    assert_ne!(lease.host, first_host, "both take turns, and each has its own robots.txt");
    assert!(matches!(lease.work, Work::Robots { .. }));
    assert!(world.now.duration_since(ended) >= SignedDuration::from_secs(20), "the Crawl-delay of one applies to both");
    world.finish(lease, Outcome::Robots(RobotsAnswer::AllowAll), &[]);
    let ended = world.now;
    let lease = world.next();
    assert!(world.now.duration_since(ended) >= SignedDuration::from_secs(20), "for both");
    world.finish(lease, busy(Some(3_600)), &[]);
    let ended = world.now;
    world.open();
    let lease = loop {
        let lease = world.next();
        if lease.host.as_str() != "https://portal.example:8443" {
            break lease;
        }
        let is_robots = matches!(lease.work, Work::Robots { .. });
        world.finish(lease, if is_robots { Outcome::Robots(RobotsAnswer::AllowAll) } else { fetched() }, &[]);
    };
    assert!(world.now.duration_since(ended) >= SignedDuration::from_hours(1), "Retry-After applies to both");
    drop(lease);
    world.open();
    assert!(
        world.lease().is_none_or(|lease| lease.host.as_str() == "https://portal.example:8443"),
        "a request may have just ended"
    );
}

#[test]
fn a_redirect_from_http_to_https_keeps_the_delay() {
    let mut world = World::new(&["http://portal.example/"]);
    let lease = world.next_page();
    world.finish(lease, Outcome::Redirect { to: Some(url(PORTAL)) }, &[]);
    let ended = world.now;
    let lease = world.next();
    assert_eq!(lease.work.url().as_str(), "https://portal.example/robots.txt");
    assert!(world.now.duration_since(ended) >= SignedDuration::from_secs(5), "asked at once over the other scheme");
}

#[test]
fn a_closed_port_80_delays_https_only_as_usual() {
    let mut world = World::new(&["http://portal.example/", PORTAL]);
    let links: Vec<String> = (0..40).map(|n| format!("/{n}")).collect();
    let links: Vec<&str> = links.iter().map(String::as_str).collect();
    let (began, mut pages) = (world.now, 0);
    while pages < 41 {
        let lease = world.next();
        let is_dead = lease.work.url().as_str().starts_with("http:");
        let answer = match lease.work {
            _ if is_dead => Outcome::Later(Later::Unreachable(Failure::new(Cause::ConnectionRefused, ""))),
            Work::Robots { .. } => Outcome::Robots(RobotsAnswer::AllowAll),
            Work::Page(_) => {
                pages += 1;
                fetched()
            }
        };
        world.finish(lease, answer, if pages == 1 { &links } else { &[] });
    }
    assert!(world.now.duration_since(began) < SignedDuration::from_mins(6), "{:?}", world.now.duration_since(began));
}

#[test]
fn refusals_over_one_scheme_pause_both() {
    let mut world = World::new(&["http://portal.example/", PORTAL]);
    for n in 0..8 {
        let Some(wakeup) = world.f().next_wakeup() else { break };
        if wakeup.duration_since(world.now) > SignedDuration::from_hours(1) {
            break;
        }
        let lease = world.next();
        let answer = match lease.work {
            Work::Robots { .. } => Outcome::Robots(RobotsAnswer::AllowAll),
            Work::Page(_) if lease.host.as_str().starts_with("http:") => fetched(),
            Work::Page(_) => Outcome::Refused { captcha: false },
        };
        let links: &[&str] =
            if n < 5 { &["https://portal.example/1", "https://portal.example/2", "/3", "/4", "/5", "/6"] } else { &[] };
        world.finish(lease, answer, links);
    }
    let mut asked = Vec::new();
    while world.f().next_wakeup().is_some_and(|at| at.duration_since(world.now) < SignedDuration::from_hours(1)) {
        let lease = world.next();
        asked.push(lease.work.url().to_string());
        let refuses = lease.host.as_str().starts_with("https:");
        world.finish(lease, if refuses { Outcome::Refused { captcha: false } } else { fetched() }, &[]);
    }
    assert_eq!(world.status("http://portal.example/").waits_for, WaitsFor::Refusals, "{asked:?}");
    assert_eq!(world.status(PORTAL).waits_for, WaitsFor::Refusals, "{asked:?}");
}

#[test]
fn a_slow_host_has_one_request_and_delays_no_other() {
    let mut world = World::new(&[PORTAL, OTHER]);
    let first = world.lease().unwrap();
    let second = world.lease().unwrap();
    assert_ne!(first.host, second.host);
    assert!(world.lease().is_none());
    world.pass(3_600.0);
    assert!(world.lease().is_none(), "a second request while one is out");
    world.finish(second, Outcome::Robots(RobotsAnswer::AllowAll), &[]);
    world.pass(5.0);
    assert!(world.lease().is_some(), "waited for the slow one");
    drop(first);
}

#[test]
fn without_a_delay_there_is_still_one_request_at_a_time() {
    let mut world = World::with(&[PORTAL], |config| config.politeness.delay = Duration::ZERO);
    world.fetch(&["/a", "/b"]);
    let lease = world.lease().expect("the delay is zero");
    assert!(world.lease().is_none(), "two at a time");
    world.finish(lease, fetched(), &[]);
    assert!(world.lease().is_some());
}

#[test]
fn retry_after_stops_only_the_host_and_survives_a_restart() {
    let mut world = World::new(&[PORTAL, OTHER]);
    for _ in 0..2 {
        world.fetch(&["/a", "/b"]);
    }
    let lease = world.next();
    let (busy_host, path) = (lease.host.clone(), lease.work.url().path_and_query().to_owned());
    world.finish(lease, busy(Some(3_600)), &[]);
    let until = world.now + SignedDuration::from_hours(1);
    world.open();
    let lease = world.next();
    assert_ne!(lease.host, busy_host);
    world.finish(lease, fetched(), &[]);
    let lease = world.next();
    world.finish(lease, fetched(), &[]);
    assert_eq!(world.status(busy_host.as_str()).waits_for, WaitsFor::Backoff);
    let lease = world.next();
    assert_eq!((&lease.host, lease.work.url().path_and_query()), (&busy_host, path.as_str()));
    assert!(world.now >= until);
}

#[test]
fn a_url_that_is_always_busy_fails_without_delaying_others() {
    let mut world = World::new(&[PORTAL]);
    world.fetch(&["/busy", "/well"]);
    let mut order = Vec::new();
    while world.f().next_wakeup().is_some() {
        let lease = world.next();
        let path = lease.work.url().path_and_query().to_owned();
        let answer = match (&lease.work, path.as_str()) {
            (Work::Robots { .. }, _) => Outcome::Robots(RobotsAnswer::AllowAll),
            (_, "/busy") => busy(Some(1)),
            _ => fetched(),
        };
        world.finish(lease, answer, &[]);
        order.push(path);
    }
    assert_eq!(order[..4], ["/busy", "/busy", "/busy", "/well"]);
    let counts = world.account();
    assert_eq!((counts.done[&Done::Failed], counts.retries), (1, 9));
}

#[test]
fn a_site_that_only_waits_for_retries_is_idle() {
    let error = || Outcome::Later(Later::ServerError(Failure::new(Cause::Reset, "cut")));
    let mut world = World::with(&[PORTAL], |config| config.attempts.wait = Duration::from_secs(900));
    let site = url(PORTAL).site();
    let is_idle = |world: &mut World| {
        let now = world.now;
        world.f().idle([&site], now) == [site.clone()]
    };
    world.fetch(&["/a", "/b"]);
    assert!(!is_idle(&mut world), "two pages are due at the host's pace");
    let lease = world.next_page();
    assert!(!is_idle(&mut world), "a request is out");
    world.finish(lease, error(), &[]);
    assert!(!is_idle(&mut world), "one page is due");
    world.fetch(&[]);
    assert!(is_idle(&mut world), "the next attempt is in a quarter of an hour");
    world.pass(850.0);
    assert!(!is_idle(&mut world), "it is due within a minute");
}

#[test]
fn a_site_is_idle_during_a_long_wait_but_not_during_its_delay() {
    let mut world = World::with(&[PORTAL], |config| config.politeness.delay = Duration::from_secs(300));
    let site = url(PORTAL).site();
    let is_idle = |world: &mut World| {
        let now = world.now;
        !world.f().idle([&site], now).is_empty()
    };
    world.fetch(&["/a", "/b"]);
    assert!(!is_idle(&mut world), "five minutes are its pace");
    let lease = world.next_page();
    world.finish(lease, Outcome::Later(Later::Busy { retry_after: Some(Duration::from_secs(3_600)) }), &[]);
    assert!(is_idle(&mut world), "nothing is due for an hour");
}

#[test]
fn pages_need_robots_txt_or_its_last_good_copy() {
    let mut world = World::new(&[PORTAL]);
    let lease = world.lease().unwrap();
    world.finish(lease, unavailable(), &[]);
    assert_eq!(world.status(PORTAL).robots, RobotsStatus::Unavailable);
    let asked = world.now;
    let lease = world.next();
    assert!(matches!(lease.work, Work::Robots { .. }), "a page of a host whose robots are unknown");
    assert!(world.now.duration_since(asked) >= SignedDuration::from_mins(1));
    let rules =
        RobotsAnswer::Rules { body: PackedBody::of(b"Disallow: /x"), crawl_delay: Some(Duration::from_secs(30)) };
    world.finish(lease, Outcome::Robots(rules), &["/a"]);
    let ended = world.now;
    assert_eq!(world.fetch(&["/a"]), "/");
    assert!(world.now.duration_since(ended) >= SignedDuration::from_secs(30), "Crawl-delay counts from robots.txt on");
    world.pass(24.0 * 3_600.0);
    world.open();
    let lease = world.lease().unwrap();
    assert!(matches!(lease.work, Work::Robots { .. }), "robots.txt is a day old");
    world.finish(lease, unavailable(), &[]);
    assert_eq!(world.fetch(&[]), "/a");
    assert_eq!(world.f().robots_body(&host(PORTAL)).unwrap().as_deref(), Some(&b"Disallow: /x"[..]));
}

#[test]
fn a_robots_txt_on_another_host_keeps_that_hosts_delay() {
    let mut world = World::new(&[PORTAL, OTHER]);
    let first = world.lease().unwrap();
    let second = world.lease().unwrap();
    let (here, there) = (first.host.clone(), second.host.clone());
    let moved = RobotsAnswer::MovedTo(there.root().robots_txt());
    world.finish(first, Outcome::Robots(moved), &[]);
    world.pass(60.0);
    assert!(world.lease().is_none(), "the host that it moved to is being asked");
    world.finish(second, Outcome::Robots(RobotsAnswer::AllowAll), &[]);
    let ended = world.now;
    let lease = world.next();
    assert!(world.now.duration_since(ended) >= SignedDuration::from_secs(5));
    let pages_of_there_wait = match lease.work {
        Work::Robots { ref url, hops: 1 } => {
            assert_eq!((&lease.host, url.host()), (&here, there.clone()));
            world.lease().is_none()
        }
        // The other host's own page came first; then robots.txt waits for it.
        _ => lease.host == there,
    };
    assert!(pages_of_there_wait, "two requests at a time for {there}");
}

#[test]
fn a_disallowed_url_causes_no_delay() {
    let mut world = World::new(&[PORTAL]);
    world.fetch(&["/x", "/a"]);
    let lease = world.next_page();
    world.finish(lease, Outcome::Disallowed { rule: Some("Disallow: /x".to_owned()) }, &[]);
    let lease = world.lease().expect("no request was sent, so there is no delay");
    assert_eq!(lease.work.url().path_and_query(), "/a");
}

#[test]
fn three_refusals_pause_the_host_until_it_is_resumed() {
    let mut world = World::new(&[PORTAL]);
    world.fetch(&["/1", "/2", "/3", "/4", "/5"]);
    for captcha in [false, true, false] {
        let lease = world.next_page();
        world.finish(lease, Outcome::Refused { captcha }, &[]);
    }
    world.open();
    assert_eq!((world.status(PORTAL).waits_for, world.status(PORTAL).refusals), (WaitsFor::Refusals, 3));
    let paused = world.now;
    let lease = world.next();
    assert!(world.now.duration_since(paused) >= SignedDuration::from_hours(23));
    let lease = if let Work::Robots { .. } = lease.work {
        world.finish(lease, Outcome::Robots(RobotsAnswer::AllowAll), &[]);
        world.next_page()
    } else {
        lease
    };
    world.finish(lease, Outcome::Refused { captcha: false }, &[]);
    let wakeup = world.f().next_wakeup();
    assert!(wakeup.is_none() || world.status(PORTAL).refusals < 4, "a host that keeps refusing gets no requests");
    let now = world.now;
    assert!(world.f().resume(&host(PORTAL), now).unwrap());
    assert_eq!(world.fetch(&[]), "/5");
    assert_eq!(world.account().done[&Done::Refused], 4);
}

#[test]
fn a_dead_host_keeps_its_urls_and_is_tried_at_each_start() {
    let mut world = World::new(&[PORTAL]);
    world.fetch(&["/a", "/b"]);
    let mut tries = 0;
    while world.f().next_wakeup().is_some() {
        let lease = world.next();
        let dead = || Failure::new(Cause::ConnectionRefused, "");
        let answer = match lease.work {
            Work::Robots { .. } => Outcome::Robots(RobotsAnswer::Unavailable { retry_after: None, failure: dead() }),
            Work::Page(_) => Outcome::Later(Later::Unreachable(dead())),
        };
        world.finish(lease, answer, &[]);
        tries += 1;
        assert!(tries < 50, "a dead host is asked for ever");
    }
    let counts = world.account();
    assert_eq!((counts.queued, world.f().held()), (2, 2), "{counts:?}");
    assert_eq!(world.status(PORTAL).waits_for, WaitsFor::GivenUp);
    world.open();
    assert!(world.f().next_wakeup().is_some());
}

#[test]
fn a_host_without_a_known_name_is_tried_at_once_at_the_next_start() {
    for (cause, least, most) in [(Cause::UnknownName, 0, 10), (Cause::ConnectionRefused, 50, 70)] {
        let mut world = World::new(&[PORTAL]);
        while world.status(PORTAL).next_due.is_some_and(|due| due.duration_since(world.now).as_secs() < 50) {
            let lease = world.next();
            let failure = Failure::new(cause, "");
            let answer = Outcome::Robots(RobotsAnswer::Unavailable { retry_after: None, failure });
            world.finish(lease, answer, &[]);
        }
        world.open();
        let wait = world.status(PORTAL).next_due.unwrap().duration_since(world.now).as_secs();
        assert!((least..=most).contains(&wait), "{cause:?}: {wait} s");
    }
}

#[test]
fn commands_of_the_operator_survive_a_restart() {
    let mut world = World::new(&[PORTAL, OTHER]);
    for _ in 0..2 {
        world.fetch(&["/a"]);
    }
    let (portal, other) = (host(PORTAL), host(OTHER));
    assert!(world.f().pause(&portal).unwrap());
    let now = world.now;
    assert!(world.f().set_delay(&other, Some(Duration::from_secs(120)), now).unwrap());
    assert!(!world.f().block(&url("https://unknown.example/").host()).unwrap());
    world.open();
    assert_eq!(world.status(PORTAL).waits_for, WaitsFor::Paused);
    let lease = world.next();
    assert_eq!(lease.host, other);
    assert!(world.now.duration_since(now) >= SignedDuration::from_secs(120));
    world.finish(lease, fetched(), &[]);
    assert_eq!(world.f().next_wakeup(), None);
    let now = world.now;
    world.f().resume(&portal, now).unwrap();
    assert_eq!(world.fetch(&[]), "/a");
}

#[test]
fn only_the_host_with_a_lost_response_waits() {
    let mut world = World::new(&[PORTAL, OTHER]);
    let now = world.now;
    let mut leases = world.f().lease(10, 10, now).unwrap();
    let (lost, answered) = (leases.pop().unwrap(), leases.pop().unwrap());
    let lost_host = lost.host.clone();
    world.finish(answered, Outcome::Robots(RobotsAnswer::AllowAll), &[]);
    world.pass(60.0);
    world.open();
    let lease = world.lease().expect("the host that has answered");
    assert_ne!(lease.host, lost_host, "the lost answer may have ended just now");
    assert!(world.lease().is_none(), "the lost answer may have ended just now");
    world.finish(lease, fetched(), &["/b"]);
    world.pass(5.0);
    let now = world.now;
    let leases = world.f().lease(10, 10, now).unwrap();
    assert!(leases.len() == 2 && leases.iter().any(|lease| lease.host == lost_host), "{leases:?}");
    for lease in leases {
        let is_robots = matches!(lease.work, Work::Robots { .. });
        world.finish(lease, if is_robots { Outcome::Robots(RobotsAnswer::AllowAll) } else { fetched() }, &["/a"]);
    }
    world.pass(60.0);
    world.open();
    assert!(world.lease().is_some(), "all answers were in before");
}

#[test]
fn a_clock_set_back_by_a_year_adds_one_delay() {
    let mut world = World::new(&[PORTAL]);
    world.fetch(&["/a", "/b"]);
    world.now -= SignedDuration::from_hours(24 * 365);
    let restarted = world.now;
    world.open();
    assert_eq!(world.fetch(&[]), "/a");
    let waited = world.now.duration_since(restarted);
    assert!(waited >= SignedDuration::from_secs(5) && waited < SignedDuration::from_secs(10), "{waited:?}");
    world.now -= SignedDuration::from_hours(1);
    let back = world.now;
    assert!(world.lease().is_none());
    assert_eq!(world.fetch(&[]), "/b");
    assert!(world.now.duration_since(back) < SignedDuration::from_secs(10), "in the running process as well");
}

#[test]
fn a_returned_lease_keeps_its_place_without_a_delay() {
    let mut world = World::new(&[PORTAL]);
    world.fetch(&["/a", "/b"]);
    let lease = world.next_page();
    let now = world.now;
    world.f().give_back(lease, now, now + SignedDuration::from_millis(700)).unwrap();
    assert!(world.lease().is_none());
    world.pass(0.7);
    assert_eq!(world.lease().unwrap().work.url().path_and_query(), "/a");
    assert_eq!(world.account().in_flight, 1);
}

#[test]
fn a_second_process_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let _first = Store::open(dir.path()).unwrap();
    let message = Store::open(dir.path()).err().unwrap().to_string();
    assert!(message.contains("in use by another process"), "{message}");
}

#[test]
fn a_delay_set_during_a_request_is_obeyed() {
    let mut world = World::new(&[PORTAL]);
    world.fetch(&["/a", "/b"]);
    let lease = world.next();
    let (host, now) = (lease.host.clone(), world.now);
    assert!(world.f().set_delay(&host, Some(Duration::from_secs(60)), now).unwrap());
    world.f().give_back(lease, now, now).unwrap();
    world.pass(59.0);
    assert!(world.lease().is_none(), "asked before the new delay was over");
    world.pass(2.0);
    assert!(world.lease().is_some());
}

#[test]
fn a_paused_host_gets_no_request_for_another_hosts_robots_txt() {
    let mut world = World::new(&[PORTAL, OTHER]);
    let mut first = world.next();
    if first.host != host(PORTAL) {
        let now = world.now;
        world.f().give_back(first, now, now + SignedDuration::from_secs(10)).unwrap();
        first = world.next();
    }
    assert_eq!(first.host, host(PORTAL));
    let other = host(OTHER);
    assert!(world.f().pause(&other).unwrap());
    world.finish(first, Outcome::Robots(RobotsAnswer::MovedTo(url("https://other.example/robots.txt"))), &[]);
    for _ in 0..600 {
        world.pass(1.0);
        if let Some(lease) = world.lease() {
            assert_ne!(lease.work.url().host(), other, "a paused host was asked");
            let now = world.now;
            world.f().give_back(lease, now, now).unwrap();
        }
    }
}
