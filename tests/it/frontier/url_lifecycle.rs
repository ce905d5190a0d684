//! The life of a URL: found, decided on, queued in order, closed, counted once.

use goldminer_crawl::frontier::{
    Discovery, Done, EventKind, Fetched, Finished, FrontierEvent, Later, NO_PREFIX, Outcome, PageYield, Portal,
    Rejection, RobotsAnswer, ScopeKind, Source, UrlKind, UrlState, Validators, Work,
};
use goldminer_crawl::seeds::Pattern;
use goldminer_fetch::failure::{Cause, Failure};
use goldminer_html::address::Domain;
use goldminer_html::capture::ArchivePosition;
use jiff::SignedDuration;

use crate::frontier::world::{PORTAL, World, audit, fetched, url};

#[test]
fn a_url_is_found_fetched_and_counted_after_robots_txt() {
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

#[test]
fn feeds_and_listed_pages_come_before_links() {
    let mut world = World::new(&[PORTAL]);
    let portal = world.portal(PORTAL);
    let lease = world.next_page();
    let Work::Page(start) = lease.work.clone() else { unreachable!() };
    world.finish(lease, fetched(), &["/link"]);
    let found = |path: &str, kind, source| Discovery::on(&start, url(PORTAL).join(path).unwrap(), kind, source);
    world.add(&[
        Discovery { depth: 3, ..found("/deep", UrlKind::Page, Source::Link) },
        found("/of-sitemap", UrlKind::Page, Source::Sitemap),
        found("/of-news", UrlKind::Page, Source::NewsSitemap),
        found("/of-feed", UrlKind::Page, Source::Feed),
        found("/sitemap.xml", UrlKind::Sitemap, Source::Sitemap),
        found("/news.xml", UrlKind::NewsSitemap, Source::Sitemap),
        found("/feed.xml", UrlKind::Feed, Source::Link),
        Discovery::seed(url("https://portal.example/other-start"), UrlKind::Start, portal),
    ]);
    let order: Vec<_> = (0..9).map(|_| world.fetch(&[])).collect();
    let expected = [
        "/other-start",
        "/feed.xml",
        "/news.xml",
        "/of-feed",
        "/of-news",
        "/sitemap.xml",
        "/of-sitemap",
        "/link",
        "/deep",
    ];
    assert_eq!(order, expected);
}

#[test]
fn an_interrupted_crawl_fetches_in_the_same_order() {
    let links = |n: usize| [format!("/{}", n * 2 + 1), format!("/{}", n * 2 + 2)];
    let crawl = |interrupt_every: usize| {
        let mut world = World::new(&[PORTAL]);
        let mut order = Vec::new();
        for n in 0..60 {
            if n % interrupt_every == interrupt_every - 1 {
                let _lost = world.next();
                world.open();
            }
            let [a, b] = links(n);
            order.push(world.fetch(&[&a, &b]));
        }
        order
    };
    let unbroken = crawl(1_000);
    assert_eq!(unbroken.len(), 60);
    assert_eq!(crawl(7), unbroken);
}

#[test]
fn requests_in_flight_at_a_crash_are_repeated_and_counted_once() {
    let mut world = World::new(&[PORTAL]);
    let lease = world.next_page();
    assert_eq!(world.account().in_flight, 1);
    world.open();
    let counts = world.account();
    assert_eq!((counts.discovered, counts.queued, counts.in_flight), (1, 1, 0));
    let now = world.now;
    let stale = world.f().finish(vec![Finished::new(lease, Outcome::Gone)], now);
    assert!(stale.unwrap_err().to_string().contains("did not hand out"), "a lease of the old process was accepted");
    assert_eq!(world.fetch(&[]), "/");
}

#[test]
fn redirect_targets_keep_their_depth_and_chains_end() {
    let mut world = World::new(&[PORTAL]);
    let redirect = |to: &str| Outcome::Redirect { to: Some(url(to)) };
    world.fetch(&["/old", "/next"]);
    let lease = world.next_page();
    world.finish(lease, redirect("https://portal.example/new"), &[]);
    let lease = world.next_page();
    let Work::Page(page) = &lease.work else { unreachable!() };
    assert_eq!(page.url.path_and_query(), "/next", "found earlier, same depth");
    world.finish(lease, fetched(), &["/deeper"]);
    let lease = world.next_page();
    let Work::Page(page) = &lease.work else { unreachable!() };
    assert_eq!((page.url.path_and_query(), page.depth, page.hops), ("/new", 1, 1), "before deeper pages");
    world.finish(lease, redirect("https://portal.example/old"), &[]);
    assert_eq!(world.fetch(&["/hop0"]), "/deeper");
    for hop in 0..=10 {
        let lease = world.next_page();
        world.finish(lease, redirect(&format!("https://portal.example/hop{}", hop + 1)), &[]);
    }
    assert_eq!(world.f().next_wakeup(), None, "a loop and a chain have ended");
    let counts = world.account();
    assert_eq!((counts.done[&Done::Redirected], counts.rejected[&Rejection::RedirectChain]), (13, 1));
}

#[test]
fn a_rejected_url_is_decided_anew_when_it_is_found_again() {
    let mut world = World::with(&[PORTAL], |config| config.portals[0].max_depth = Some(1));
    let lease = world.next_page();
    let Work::Page(start) = lease.work.clone() else { unreachable!() };
    world.finish(lease, fetched(), &[]);
    let found = Discovery::on(&start, url("https://portal.example/a"), UrlKind::Page, Source::Link);
    world.add(&[Discovery { depth: 2, ..found.clone() }]);
    world.add(&[Discovery { nofollow: true, ..found.clone() }]);
    let counts = world.account();
    assert_eq!((counts.discovered, counts.rejected[&Rejection::TooDeep]), (2, 1), "counted once, by the first rule");
    world.add(&[found]);
    let counts = world.account();
    assert_eq!((counts.discovered, counts.queued, counts.rejected[&Rejection::TooDeep]), (2, 1, 0));
    assert_eq!(world.fetch(&[]), "/a");
}

#[test]
fn rejected_urls_are_decided_again_when_rules_change() {
    let rule = |text: &str| Pattern(regex::Regex::new(text).unwrap());
    let mut world = World::with(&[PORTAL], |config| {
        config.portals[0].exclude = vec![rule("/print/"), rule("/tag/")];
        config.portals[0].max_depth = Some(1);
    });
    world.fetch(&["/print/a?page=2", "/tag/b", "/c"]);
    assert_eq!(world.fetch(&["/print/deep", "/deep"]), "/c");
    world.open();
    assert_eq!(world.f().next_wakeup(), None, "the rules are the same");
    world.config.portals[0].exclude.remove(0);
    world.open();
    assert_eq!(world.fetch(&[]), "/print/a?page=2");
    assert_eq!(world.f().next_wakeup(), None, "the other rules hold");
    world.config.portals[0].max_depth = None;
    world.open();
    let asked = [world.fetch(&[]), world.fetch(&[])];
    assert!(asked.contains(&"/print/deep".to_owned()) && asked.contains(&"/deep".to_owned()), "{asked:?}");
    let counts = world.account();
    assert_eq!((counts.discovered, counts.rejected[&Rejection::Excluded], world.f().next_wakeup()), (6, 1, None));
    assert_eq!(audit(world.f()), Vec::<String>::new());
}

#[test]
fn a_rejected_url_has_the_rule_that_rejects_it_now() {
    let rule = |text: &str| Pattern(regex::Regex::new(text).unwrap());
    let mut world = World::with(&[PORTAL], |config| config.portals[0].exclude = vec![rule("/print/")]);
    world.fetch(&["/print/a", "/b"]);
    world.config.portals[0].exclude.clear();
    world.config.portals[0].include = vec![rule("/news/")];
    world.open();
    let counts = world.account();
    assert_eq!((counts.rejected[&Rejection::Excluded], counts.rejected[&Rejection::NotIncluded]), (0, 1));
    let now = world.now;
    let life = world.f().explain(&url("https://portal.example/print/a"), now).unwrap().life.unwrap();
    assert_eq!(life.account, UrlState::Rejected(Rejection::NotIncluded));
    assert_eq!(audit(world.f()), Vec::<String>::new());
    world.config.portals[0].include.clear();
    world.open();
    let asked = [world.fetch(&[]), world.fetch(&[])];
    assert!(asked.contains(&"/print/a".to_owned()), "its text is still known: {asked:?}");
}

#[test]
fn urls_beyond_the_page_limit_stay_queued() {
    let mut world = World::with(&[PORTAL], |config| config.portals[0].max_pages = Some(3));
    world.fetch(&["/gone", "/a", "/b", "/c"]);
    let lease = world.next_page();
    world.finish(lease, Outcome::Gone, &[]);
    assert_eq!(world.fetch(&[]), "/a", "a page that is gone does not count");
    assert_eq!(world.fetch(&[]), "/b");
    assert_eq!(world.f().next_wakeup(), None);
    assert_eq!((world.account().queued, world.f().held()), (1, 1));
    world.config.portals[0].max_pages = Some(4);
    world.open();
    assert_eq!(world.fetch(&[]), "/c");
}

#[test]
fn a_portal_removed_from_the_seeds_is_kept_but_not_requested() {
    let other = "https://other.example/";
    let mut world = World::new(&[PORTAL, other]);
    let portals = world.config.portals.clone();
    world.config.portals.remove(0);
    world.open();
    assert_eq!(world.fetch(&[]), "/");
    assert_eq!(world.f().next_wakeup(), None);
    assert_eq!(world.account().queued, 1);
    world.config.portals = portals.into_iter().rev().collect();
    world.open();
    let lease = world.next_page();
    assert_eq!(lease.work.url().as_str(), PORTAL, "the portal keeps its number if its line moves");
}

#[test]
fn a_failing_url_is_tried_three_times_at_growing_intervals() {
    let mut world = World::new(&[PORTAL]);
    let trouble = || Outcome::Later(Later::ServerError(Failure::new(Cause::ServerError, "status 500")));
    world.fetch(&["/bad", "/good"]);
    let mut asked = Vec::new();
    for _ in 0..4 {
        let lease = world.next_page();
        let path = lease.work.url().path_and_query().to_owned();
        asked.push((path.clone(), world.now));
        world.finish(lease, if path == "/bad" { trouble() } else { fetched() }, &[]);
    }
    let paths: Vec<_> = asked.iter().map(|(path, _)| path.as_str()).collect();
    assert_eq!(paths, ["/bad", "/good", "/bad", "/bad"], "other URLs are fetched meanwhile");
    let gaps = [asked[2].1.duration_since(asked[0].1), asked[3].1.duration_since(asked[2].1)];
    assert!(gaps[0] >= SignedDuration::from_mins(5) && gaps[1] >= SignedDuration::from_mins(20), "{gaps:?}");
    let counts = world.account();
    assert_eq!((counts.done[&Done::Failed], counts.retries, counts.queued), (1, 2, 0));
}

#[test]
fn only_start_pages_and_feeds_are_visited_again() {
    let mut world = World::with(&[PORTAL], |config| config.revisit = true);
    let validators = Validators { etag: Some("\"1\"".to_owned()), last_modified: None };
    let lease = world.next_page();
    let first = Outcome::Fetched(Fetched { validators: validators.clone(), page: None, ..Fetched::default() });
    world.finish(lease, first, &["/article"]);
    world.fetch(&[]);
    let mut before = world.now;
    for minutes in [90, 135] {
        let lease = world.next_page();
        let Work::Page(page) = &lease.work else { unreachable!() };
        assert_eq!((page.url.path_and_query(), page.revisit, &page.validators), ("/", true, &validators));
        let gap = world.now.duration_since(before);
        assert!(gap.as_mins() >= minutes - 1 && gap.as_mins() <= minutes, "{gap:?} for {minutes} minutes");
        world.finish(lease, Outcome::NotModified, &[]);
        before = world.now;
    }
    assert_eq!(world.fetch(&["/article", "/news"]), "/");
    assert_eq!(world.fetch(&[]), "/news");
    let counts = world.account();
    assert_eq!((counts.discovered, counts.revisits, counts.done[&Done::Fetched]), (3, 3, 3));
    world.config.revisit = false;
    world.open();
    assert_eq!(world.f().next_wakeup(), None, "without following, the crawl has an end");
}

#[test]
fn a_wrong_304_ends_conditional_requests() {
    let mut world = World::with(&[PORTAL], |config| config.revisit = true);
    let answer = |content| {
        let validators = Validators { etag: Some("\"1\"".to_owned()), last_modified: None };
        Outcome::Fetched(Fetched { validators, content: Some(content), ..Fetched::default() })
    };
    let mut conditions = Vec::new();
    for outcome in std::iter::once(answer(1)).chain(std::iter::repeat_n(Outcome::NotModified, 5)).chain([
        answer(2),
        answer(3),
        answer(3),
    ]) {
        let lease = world.next_page();
        let Work::Page(page) = &lease.work else { unreachable!() };
        conditions.push(!page.validators.is_empty());
        world.finish(lease, outcome, &[]);
    }
    assert_eq!(conditions, [false, true, true, true, true, true, false, false, false]);
}

#[test]
fn a_shorter_longest_interval_moves_planned_visits() {
    let mut world = World::with(&[PORTAL], |config| config.revisit = true);
    world.fetch(&[]);
    let fetched = world.now;
    world.config.intervals.shortest = std::time::Duration::from_secs(60);
    world.config.intervals.longest = std::time::Duration::from_secs(600);
    world.open();
    assert_eq!(world.fetch(&[]), "/");
    let gap = world.now.duration_since(fetched).as_mins();
    assert!((9..=11).contains(&gap), "{gap} minutes");
    assert_eq!(audit(world.f()), Vec::<String>::new());
}

#[test]
fn a_prefix_without_text_is_closed_and_its_rest_rejected() {
    let mut world = World::new(&[PORTAL]);
    world.fetch(&["/tag/1/x", "/tag/2/x", "/story"]);
    let no_yield = |n: u32, clean_bytes| PageYield {
        url: url(&format!("https://portal.example/tag/{n}/y")),
        bytes: 10_000,
        clean_bytes,
        leads_from: NO_PREFIX,
    };
    let article = |n: u32| PageYield { url: url(&format!("https://portal.example/story-{n}")), ..no_yield(n, 5_000) };
    let pages: Vec<_> = (0..100).map(article).chain((0..199).map(|n| no_yield(n, 0))).collect();
    assert_eq!(world.f().note_yields(&pages).unwrap(), []);
    let closed = world.f().note_yields(&[no_yield(200, 0)]).unwrap();
    assert_eq!((closed.len(), closed[0].prefix.as_str(), closed[0].useless), (1, "/tag/", 200));
    world.open();
    assert_eq!(world.fetch(&["/tag/3/x"]), "/story");
    assert_eq!(world.f().next_wakeup(), None);
    let counts = world.account();
    assert_eq!((counts.rejected[&Rejection::ClosedPrefix], counts.queued), (3, 0));
    let status = world.status(PORTAL);
    assert_eq!(status.closed.iter().map(|closed| &*closed.pattern).collect::<Vec<_>>(), ["/tag/"]);
    assert_eq!(audit(world.f()), Vec::<String>::new());
}

#[test]
fn links_below_a_prefix_of_low_yield_come_last() {
    let mut world = World::new(&[PORTAL]);
    let poor = |n: u64| PageYield {
        url: url(&format!("https://portal.example/poor/{n}")),
        bytes: 100_000,
        clean_bytes: n % 2,
        leads_from: NO_PREFIX,
    };
    let pages: Vec<_> = (0..100).map(poor).collect();
    world.f().note_yields(&pages).unwrap();
    assert_eq!(world.fetch(&["/poor/a", "/rich/a"]), "/");
    assert_eq!(world.fetch(&["/rich/deeper"]), "/rich/a");
    assert_eq!(world.fetch(&[]), "/rich/deeper");
    assert_eq!(world.fetch(&[]), "/poor/a");
}

#[test]
fn the_page_index_has_each_archived_page_once() {
    let mut world = World::new(&[PORTAL]);
    let at = |offset| ArchivePosition::new("a-00000.warc.gz", offset, 100);
    for (n, links) in [vec!["/a", "/b"], vec![], vec![]].into_iter().enumerate() {
        let lease = world.next_page();
        world.finish_at(lease, fetched(), &links, at(n as u64 * 100));
    }
    world.open();
    let domain = Domain::named("portal.example");
    let tables = world.f().tables().clone();
    let pages: Vec<_> = tables.pages_from(&domain, 1).map(Result::unwrap).collect();
    let read: Vec<_> =
        pages.iter().map(|p| (p.seq, p.url.path_and_query(), p.position.offset, p.is_article_like)).collect();
    assert_eq!(read, [(1, "/a", 100, true), (2, "/b", 200, true)]);
    let row = tables.domain(&domain).unwrap().unwrap();
    assert_eq!((row.pages, row.article_like, tables.all_domains().count()), (3, 3, 1));
    assert_eq!(world.f().archive_position(), Some(&at(200)));
}

#[test]
fn why_has_the_history_of_a_url_or_the_rule_for_it() {
    let mut world = World::with(&[PORTAL], |config| {
        config.portals[0].exclude = vec![Pattern(regex::Regex::new("/print").unwrap())];
    });
    world.fetch(&["/a", "/print/a"]);
    let lease = world.next_page();
    world.finish(lease, Outcome::Disallowed { rule: Some("Disallow: /a".to_owned()) }, &[]);
    let why = |world: &mut World, text: &str| {
        let now = world.now;
        world.f().explain(&url(text), now).unwrap()
    };
    let life = why(&mut world, "https://portal.example/a").life.unwrap();
    assert_eq!((life.account, life.via.as_deref()), (UrlState::Done(Done::Disallowed), Some(PORTAL)));
    assert_eq!(life.answer.unwrap().note.as_deref(), Some("Disallow: /a"));
    let rejected = why(&mut world, "https://portal.example/print/a");
    assert_eq!(rejected.life.as_ref().unwrap().account, UrlState::Rejected(Rejection::Excluded));
    let never = why(&mut world, "https://elsewhere.example/x");
    assert!(never.life.is_none() && !never.portals[0].wanted);
    let rules = [&rejected.portals[0].rule, &never.portals[0].rule];
    assert!(
        rules[0].contains("exclude rule /print") && rules[1].contains("on none of the portal's hosts"),
        "{rules:?}"
    );
    assert!(why(&mut world, "https://portal.example/new").portals[0].wanted);
}

#[test]
fn a_portal_added_at_run_time_is_crawled() {
    let mut world = World::new(&[PORTAL]);
    world.fetch(&[]);
    let start = url("https://late.example/");
    let id = world.f().add_portal(&Portal::around("late".to_owned(), start.clone())).unwrap();
    world.add(&[Discovery::seed(start.clone(), UrlKind::Start, id)]);
    let lease = world.next_page();
    assert_eq!(*lease.work.url(), start);
}

#[test]
fn wildcard_dns_does_not_make_the_crawl_endless() {
    let mut world = World::with(&[PORTAL], |config| {
        config.hosts_of_domain = 20;
        config.portals[0].scope = ScopeKind::Domain;
    });
    let mut asked = std::collections::BTreeSet::new();
    let mut hosts = 0..;
    while let Some((lease, work)) = world.next_page_left() {
        asked.insert(work.url.host().to_string());
        assert!(asked.len() <= 20, "{asked:?}");
        let names: Vec<String> = hosts.by_ref().take(3).map(|n| format!("https://host-{n}.portal.example/")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        world.finish(lease, fetched(), &names);
    }
    assert_eq!(asked.len(), 20, "{asked:?}");
    let account = world.account();
    assert_eq!(account.rejected[&Rejection::TooManyHosts], 60 - 19);
    let events = world.f().events();
    assert!(matches!(&events[..], [FrontierEvent { kind: EventKind::ManyHosts, .. }]), "said once");
    assert!(events[0].text.contains("has 20 known hosts"), "{events:?}");
    // Hosts that the seeds or the operator name are allowed beyond the limit, also after a restart.
    world.open();
    let portal = world.portal(PORTAL);
    world.add(&[Discovery::seed(url("https://wanted.portal.example/"), UrlKind::Page, portal)]);
    assert_eq!(world.status("https://wanted.portal.example").queued, 1);
}
