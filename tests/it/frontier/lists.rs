//! Start pages, feeds and sitemaps: they are visited again whatever they answer, articles need not wait for them, and
//! an endless chain of them ends.

use std::time::Duration;

use goldminer_crawl::frontier::{
    Discovery, Done, EventKind, Exchange, Fetched, Finished, FrontierEvent, Lease, Outcome, PageWork, Rejection,
    RobotsAnswer, Source, UrlKind, WaitsFor, Work,
};
use goldminer_crawl::store::frontier::PackedBody;
use jiff::SignedDuration;

use crate::frontier::world::{PORTAL, World, audit, fetched, url};

const RESPONSE: Duration = Duration::from_millis(200);

fn following() -> World {
    World::with(&[PORTAL], |config| config.revisit = true)
}

/// Finishes a lease with this outcome and these discoveries.
fn finish(world: &mut World, lease: Lease, outcome: Outcome, status: u16, found: Vec<Discovery>) {
    world.now += RESPONSE;
    let exchange = Exchange { ended: world.now, elapsed: RESPONSE, bytes: 1_000, status: Some(status) };
    let finished = Finished { exchange: Some(exchange), discoveries: found, ..Finished::new(lease, outcome) };
    let now = world.now;
    world.f().finish(vec![finished], now).unwrap();
}

fn list() -> Outcome {
    Outcome::Fetched(Fetched::default())
}

fn work(lease: &Lease) -> PageWork {
    let Work::Page(work) = &lease.work else { panic!("{lease:?} is no page") };
    work.clone()
}

fn on(work: &PageWork, path: &str, kind: UrlKind, source: Source) -> Discovery {
    Discovery::on(work, url(PORTAL).join(path).unwrap(), kind, source)
}

#[test]
fn one_redirect_of_a_start_page_does_not_end_its_visits() {
    let mut world = following();
    let lease = world.next_page();
    finish(&mut world, lease, Outcome::Redirect { to: Some(url("https://portal.example/login")) }, 302, vec![]);
    let lease = world.next_page();
    assert_eq!(lease.work.url().path_and_query(), "/login");
    world.finish(lease, fetched(), &[]);
    let redirected = world.now;
    world.open();
    let mut starts = Vec::new();
    while starts.len() < 2 {
        let lease = world.next_page();
        if lease.work.url().path_and_query() == "/" {
            starts.push(world.now.duration_since(redirected));
        }
        let outcome = if starts.len() == 2 { fetched() } else { Outcome::Redirect { to: None } };
        world.finish(lease, outcome, if starts.len() == 2 { &["/news"] } else { &[] });
    }
    assert!(starts[0] <= SignedDuration::from_mins(91), "{starts:?}");
    assert!(starts[1] - starts[0] > SignedDuration::from_mins(120), "patiently: {starts:?}");
    assert_eq!(world.fetch(&[]), "/news", "the page does not redirect any more");
    world.account();
}

#[test]
fn missing_and_refused_lists_are_visited_again() {
    for outcome in [Outcome::Gone, Outcome::Redirect { to: None }, Outcome::Failed { reason: "no feed".to_owned() }] {
        for kind in [UrlKind::Feed, UrlKind::NewsSitemap, UrlKind::Sitemap] {
            let mut world = following();
            let portal = world.portal(PORTAL);
            world.fetch(&[]);
            world.add(&[Discovery::seed(url("https://portal.example/list.xml"), kind, portal)]);
            let lease = world.next_page();
            assert_eq!(lease.work.url().path_and_query(), "/list.xml");
            world.finish(lease, outcome.clone(), &[]);
            world.open();
            let again = (0..4).any(|_| world.fetch(&[]) == "/list.xml");
            assert!(again, "{kind:?} after {outcome:?}");
        }
    }
}

#[test]
fn eighty_due_sitemaps_do_not_delay_articles() {
    let mut world = following();
    let lease = world.next_page();
    let start = work(&lease);
    let sitemaps = (0..80).map(|n| on(&start, &format!("/map-{n}.xml"), UrlKind::Sitemap, Source::Sitemap));
    let articles = (0..60).map(|n| on(&start, &format!("/story-{n}"), UrlKind::Page, Source::Link));
    finish(&mut world, lease, fetched(), 200, sitemaps.chain(articles).collect());
    let asked: Vec<String> = (0..60).map(|_| world.fetch(&[])).collect();
    let stories = asked.iter().filter(|path| path.starts_with("/story-")).count();
    assert!((25..=45).contains(&stories), "{stories} articles among the first sixty requests: {asked:?}");
    while world.fetch(&[]) != "/map-79.xml" {}
    // All sitemaps are due again at once, and there are new articles.
    let now = world.now;
    world.pass(10.0 * 3_600.0);
    assert!(world.now > now);
    let lease = world.next_page();
    let again = work(&lease);
    let news = (0..20).map(|n| on(&again, &format!("/new-{n}"), UrlKind::Page, Source::Sitemap)).collect();
    finish(&mut world, lease, list(), 200, news);
    let asked: Vec<String> = (0..40).map(|_| world.fetch(&[])).collect();
    let fresh = asked.iter().filter(|path| path.starts_with("/new-")).count();
    assert!(fresh >= 15, "{fresh} new articles in forty requests: {asked:?}");
}

#[test]
fn an_endless_chain_of_sitemaps_ends_after_five() {
    let mut world = World::new(&[PORTAL]);
    let lease = world.next_page();
    let start = work(&lease);
    let first = Discovery { depth: 0, ..on(&start, "/map-0.xml", UrlKind::Sitemap, Source::Sitemap) };
    let articles = (0..20).map(|n| on(&start, &format!("/story-{n}"), UrlKind::Page, Source::Link));
    finish(&mut world, lease, fetched(), 200, articles.chain([first]).collect());
    let mut asked = Vec::new();
    while world.f().next_wakeup().is_some() {
        let lease = world.next_page();
        let path = lease.work.url().path_and_query().to_owned();
        let next = path.strip_prefix("/map-").and_then(|n| n.strip_suffix(".xml")?.parse::<u32>().ok());
        let this = work(&lease);
        let found = next.map(|n| on(&this, &format!("/map-{}.xml", n + 1), UrlKind::Sitemap, Source::Sitemap));
        finish(&mut world, lease, list(), 200, found.into_iter().collect());
        asked.push(path);
    }
    assert_eq!(asked.iter().filter(|path| path.starts_with("/map-")).count(), 5, "{asked:?}");
    assert!(asked[..4].iter().any(|path| path.starts_with("/story-")), "{asked:?}");
    assert_eq!(world.account().rejected[&Rejection::SitemapTooDeep], 1);
}

#[test]
fn robots_may_name_a_sitemap_on_another_host() {
    let mut world = World::new(&[PORTAL]);
    let lease = world.next_page();
    let start = work(&lease);
    let elsewhere = |address: &str, kind, source| Discovery::on(&start, url(address), kind, source);
    let found = vec![
        Discovery { depth: 0, ..elsewhere("https://cdn.test/map.xml", UrlKind::Sitemap, Source::Sitemap) },
        elsewhere("https://cdn.test/story", UrlKind::Page, Source::Sitemap),
        elsewhere("https://moved.test/map.xml", UrlKind::Sitemap, Source::Redirect),
    ];
    finish(&mut world, lease, fetched(), 200, found);
    assert_eq!(world.next_page().work.url().as_str(), "https://cdn.test/map.xml");
    assert_eq!(world.account().rejected[&Rejection::OutOfScope], 2);
}

#[test]
fn entries_of_sitemaps_above_the_limit_are_left_out() {
    let mut world = World::with(&[PORTAL], |config| {
        config.sitemaps.urls = 10;
        config.sitemaps.sitemaps = 3;
    });
    let lease = world.next_page();
    let start = work(&lease);
    let urls = (0..50).map(|n| on(&start, &format!("/story-{n}"), UrlKind::Page, Source::Sitemap));
    let maps = (0..50).map(|n| on(&start, &format!("/map-{n}.xml"), UrlKind::Sitemap, Source::Sitemap));
    finish(&mut world, lease, list(), 200, urls.chain(maps).collect());
    let counts = world.account();
    // Ten URLs beside the page that was fetched, and three sitemaps.
    assert_eq!((counts.discovered, counts.queued), (15, 14), "{counts:?}");
    let events = world.f().events();
    assert!(
        matches!(&events[..], [FrontierEvent { kind: EventKind::SitemapsFull, about, .. }] if about == PORTAL),
        "{events:?}"
    );
    assert!(events[0].text.contains(": 11 entries"), "{events:?}");
    world.open();
    let now = world.now;
    let status = &world.f().portal_statuses(now)[0];
    assert_eq!((status.sitemap_urls, status.left_out), (11, 86), "39 URLs and 47 sitemaps");
    assert_eq!(audit(world.f()), Vec::<String>::new());
    // A link on a page still adds one of them.
    world.fetch(&["/story-49"]);
    assert_eq!(world.account().discovered, 16);
}

#[test]
fn articles_announced_too_early_are_requested_again() {
    let mut world = following();
    let lease = world.next_page();
    let start = work(&lease);
    let early = on(&start, "/early", UrlKind::Page, Source::Feed);
    let linked = on(&start, "/linked", UrlKind::Page, Source::Link);
    finish(&mut world, lease, fetched(), 200, vec![early, linked]);
    for path in ["/early", "/linked"] {
        let lease = world.next_page();
        assert_eq!(lease.work.url().path_and_query(), path);
        finish(&mut world, lease, Outcome::Gone, 404, vec![]);
    }
    let counts = world.account();
    assert_eq!((counts.queued, counts.done[&Done::Gone]), (1, 1), "a link that leads nowhere stays gone");
    let gone = world.now;
    assert_eq!(world.fetch(&[]), "/early");
    let waited = world.now.duration_since(gone);
    assert!(waited >= SignedDuration::from_mins(4) && waited < SignedDuration::from_mins(10), "{waited:?}");
    assert_eq!(world.account().done[&Done::Fetched], 2);
}

#[test]
fn a_portal_without_news_for_unusually_long_is_reported() {
    let mut world = following();
    world.fetch(&[]);
    for n in 0..6 {
        let news = format!("/news-{n}");
        assert_eq!(world.fetch(&[&news]), "/");
        assert_eq!(world.fetch(&[]), news);
    }
    let now = world.now;
    assert!(world.f().dry_portals(now).is_empty());
    world.open();
    for _ in 0..6 {
        world.fetch(&[]);
    }
    let now = world.now;
    let dry = world.f().dry_portals(now);
    assert_eq!(dry.len(), 1, "after {:?}", world.f().portal_statuses(now));
    assert_eq!(dry[0].0, PORTAL);
    assert!(world.f().portal_statuses(now)[0].is_dry);
}

#[test]
fn a_portal_that_moved_to_another_domain_is_reported_once() {
    let mut world = following();
    let lease = world.next_page();
    let to = url("https://new-name.example/");
    finish(&mut world, lease, Outcome::Redirect { to: Some(to.clone()) }, 301, vec![]);
    let events = world.f().events();
    let moved = format!("its start page {} has moved to {to}", url(PORTAL));
    assert!(events.len() == 1 && events[0].about == PORTAL && events[0].text.contains(&moved), "{events:?}");
    let lease = world.next_page();
    finish(&mut world, lease, Outcome::Redirect { to: Some(to.clone()) }, 301, vec![]);
    assert_eq!(world.f().events(), [], "once");
    world.open();
    let now = world.now;
    assert_eq!(world.f().portal_statuses(now)[0].moved_to.as_deref(), Some(to.as_str()));
}

#[test]
fn only_a_crawl_delay_of_years_sets_the_host_aside() {
    let asks =
        |seconds| RobotsAnswer::Rules { body: PackedBody::of(b""), crawl_delay: Some(Duration::from_secs(seconds)) };
    let mut world = World::new(&[PORTAL]);
    let lease = world.next();
    world.finish(lease, Outcome::Robots(asks(1_000_000_000)), &[]);
    let asked = world.now;
    assert_eq!(world.status(PORTAL).waits_for, WaitsFor::CrawlDelay);
    assert_eq!(world.f().held(), 1, "its URLs are kept");
    let events = world.f().events();
    assert!(matches!(&events[..], [FrontierEvent { kind: EventKind::SetAside, .. }]), "{events:?}");
    let lease = world.next();
    assert!(matches!(lease.work, Work::Robots { .. }), "nothing but robots.txt");
    assert!(world.now.duration_since(asked) >= SignedDuration::from_hours(23), "once a day");
    world.finish(lease, Outcome::Robots(asks(300)), &[]);
    let asked = world.now;
    assert_eq!(world.fetch(&[]), "/", "its Crawl-delay is shorter now");
    assert!(world.now.duration_since(asked) >= SignedDuration::from_secs(300));
}
