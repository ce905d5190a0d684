//! Traps (endless URLs) on a portal of thirty articles, before anything is extracted. Each trap is recognised by the
//! form of its URLs, reported by the name of the rule, and costs a bounded number of requests. Articles behind real
//! archives are found.

use std::collections::BTreeMap;

use goldminer_crawl::frontier::{
    Discovery, Fetched, Finished, NO_PREFIX, Outcome, PageFacts, PageYield, Rejection, Source, UrlKind, Work,
};

use crate::frontier::world::{PORTAL, World, audit, url};

const ARTICLES: u64 = 30;

/// A page of the portal: whether it is an article, its words, and its links.
struct Page {
    is_article: bool,
    words: u64,
    links: Vec<String>,
}

/// Every page has a menu.
fn page(is_article: bool, words: u64, links: impl IntoIterator<Item = String>) -> Page {
    let menu = ["/", "/about", "/story-1"].map(str::to_owned);
    Page { is_article, words, links: menu.into_iter().chain(links).collect() }
}

fn number(text: &str) -> u64 {
    text.chars().filter(char::is_ascii_digit).collect::<String>().parse().unwrap_or(0)
}

/// Crawls until nothing is left; returns the number of requests for each path.
fn crawl(world: &mut World, most: usize, web: impl Fn(&str) -> Page) -> BTreeMap<String, usize> {
    let mut asked: BTreeMap<String, usize> = BTreeMap::new();
    while let Some((lease, work)) = world.next_page_left() {
        let path = work.url.path_and_query().to_owned();
        *asked.entry(path.clone()).or_default() += 1;
        assert!(asked.len() < most, "the crawl does not end: {:?}", asked.keys().rev().take(5).collect::<Vec<_>>());
        let Page { is_article, words, links } = web(&path);
        let found = links.iter().map(|link| work.url.join(link).unwrap());
        let discoveries: Vec<_> = found.map(|url| Discovery::on(&work, url, UrlKind::Page, Source::Link)).collect();
        let facts = PageFacts { is_article_like: is_article, assessed: true, thin: false };
        // This makes all bits of the digest differ.
        let text = Some(words.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let outcome = Outcome::Fetched(Fetched { page: Some(facts), text, ..Fetched::default() });
        world.answer(Finished { discoveries, ..Finished::new(lease, outcome) }, 10_000);
    }
    world.account();
    assert_eq!(audit(world.f()), Vec::<String>::new());
    asked
}

/// A portal with articles. `trap` answers all other paths.
fn portal(first: &str, trap: impl Fn(&str) -> Page) -> impl Fn(&str) -> Page {
    move |path| match path {
        "/" => page(false, 0, (0..ARTICLES).map(|n| format!("/story-{n}")).chain([first.to_owned()])),
        "/about" => page(false, 1, []),
        story if story.starts_with("/story-") => {
            page(true, 1_000 + number(story), [format!("/story-{}", number(story) % ARTICLES)])
        }
        other => trap(other),
    }
}

/// Crawls a portal with a trap, and checks that every article was fetched once and that `rule` has closed the trap.
/// Returns the number of requests that were not for articles.
fn trapped(first: &str, rule: Rejection, trap: impl Fn(&str) -> Page) -> usize {
    let mut world = World::new(&[PORTAL]);
    let asked = crawl(&mut world, 1_000, portal(first, trap));
    let stories: Vec<usize> = asked.iter().filter(|(path, _)| path.starts_with("/story-")).map(|(_, n)| *n).collect();
    assert_eq!(stories, vec![1; ARTICLES as usize], "every article once: {asked:?}");
    let closed = world.status(PORTAL).closed;
    assert!(closed.iter().any(|closed| closed.rule == rule), "closed are {closed:?}, after {} requests", asked.len());
    let newly_closed = world.f().newly_closed();
    assert!(newly_closed.iter().any(|closed| closed.rule == rule && closed.useless > 0), "{newly_closed:?}");
    asked.len() - stories.len()
}

#[test]
fn calendars_end_in_both_directions_in_every_form() {
    let month = |n: i64| (n.div_euclid(12), n.rem_euclid(12) + 1);
    type Shape = fn(i64, i64) -> String;
    type MonthOf = fn(&str) -> (i64, i64);
    let shapes: [(Shape, MonthOf); 4] = [
        (|y, m| format!("/calendar/{y}-{m:02}"), |path| read(path, &['-', '/'], 0)),
        (|y, m| format!("/{y}/{m}/"), |path| read(path, &['/'], 0)),
        (|y, m| format!("/events?year={y}&month={m}"), |path| read(path, &['=', '&'], 0)),
        (|y, m| format!("/agenda/{m:02}.{y}"), |path| read(path, &['/', '.'], 1)),
    ];
    for (write, read) in shapes {
        let requests = trapped(&write(2026, 11), Rejection::DateWalk, |path| {
            let (year, m) = read(path);
            let (before, after) = (month(year * 12 + m - 2), month(year * 12 + m));
            page(false, 1, [write(before.0, before.1), write(after.0, after.1)])
        });
        assert!(requests <= 200, "{requests} requests for {}", write(2026, 11));
    }
}

/// Reads the year and the other number of a path. `year_at` is the position of the year.
fn read(path: &str, separators: &[char], year_at: usize) -> (i64, i64) {
    let numbers: Vec<i64> = path.split(separators).filter_map(|part| part.parse().ok()).collect();
    (numbers[year_at], numbers[1 - year_at])
}

#[test]
fn session_ids_end_with_and_without_copied_pages() {
    let sid = |path: &str| number(path.split("sid=").nth(1).unwrap_or("0"));
    // A forum in which each view begins a new session, and each page is a copy of an earlier one.
    let requests = trapped("/forum/?sid=1000", Rejection::SessionParameter, |path| {
        let fresh = sid(path) * 7 % 1_000_003 + 1;
        let thread = path.starts_with("/forum/thread").then(|| number(path.split('&').next().unwrap_or("")));
        let threads = (0..8).map(|t| format!("/forum/thread?t={t}&sid={fresh}"));
        page(false, 50 + thread.unwrap_or(99), threads.chain([format!("/forum/?sid={fresh}")]))
    });
    assert!(requests <= 200, "{requests} requests");
    // The same with random words on each page.
    let requests = trapped("/forum/?sid=1", Rejection::SessionParameter, |path| {
        let n = sid(path);
        page(false, 7_777 + n, [format!("/forum/?sid={}", 2 * n), format!("/forum/?sid={}", 2 * n + 1)])
    });
    assert!(requests <= 200, "{requests} requests");
}

#[test]
fn combinations_of_filters_end() {
    let requests = trapped("/shop?colour=1", Rejection::Facets, |path| {
        let query = path.split('?').nth(1).unwrap_or_default();
        let more = ["colour", "size", "brand", "price", "sort"].into_iter().filter(|name| !query.contains(name));
        let links = more.flat_map(|name| (1..6).map(move |value| (name, value)));
        page(
            false,
            0x5A + path.len() as u64 * 31 + number(path),
            links.map(|(name, value)| format!("{path}&{name}={value}")).collect::<Vec<_>>(),
        )
    });
    assert!(requests <= 200, "{requests} requests");
}

#[test]
fn circular_relative_links_end() {
    let requests = trapped("/loop/", Rejection::RelativeLoop, |path| {
        // Random words, so that no page is a copy of another.
        let words = path.bytes().fold(7_u64, |sum, b| sum.wrapping_mul(31).wrapping_add(b.into()));
        page(false, words, ["north/", "south/", "east/"].map(|word| format!("{path}{word}")))
    });
    assert!(requests <= 200, "{requests} requests");
}

#[test]
fn links_of_a_copy_below_its_original_are_not_followed() {
    let mut world = World::new(&[PORTAL]);
    world.fetch(&["/a/"]);
    world.fetch(&["/a/b/"]);
    let lease = world.next_page();
    let Work::Page(work) = lease.work.clone() else { unreachable!() };
    let found = Discovery::on(&work, url("https://portal.example/a/b/c/"), UrlKind::Page, Source::Link);
    let original = Some(url("https://portal.example/a/"));
    let outcome = Outcome::Fetched(Fetched::default());
    let finished = Finished { original, discoveries: vec![found], ..Finished::new(lease, outcome) };
    let now = world.now;
    world.f().finish(vec![finished], now).unwrap();
    assert_eq!(world.f().next_wakeup(), None);
}

#[test]
fn articles_linked_only_by_an_archive_by_date_are_found() {
    // The months of 25 years. Each lists an article that the front page also links; only the oldest lists another one.
    let month = |n: u64| format!("/{}/{:02}/", 2001 + n / 12, n % 12 + 1);
    let mut world = World::new(&[PORTAL]);
    let asked = crawl(&mut world, 2_000, |path| match path {
        "/" => page(false, 0, (0..300).map(|n| format!("/news/story-{n}")).chain([month(299)])),
        story if story.contains("story-") => page(true, 1_000 + number(story), []),
        list if list.starts_with("/20") => {
            let (year, m) = read(list, &['/'], 0);
            let n = (year - 2001) as u64 * 12 + m as u64 - 1;
            let older = n.checked_sub(1).map(month);
            let own = (n == 0).then(|| "/news/story-9999".to_owned());
            page(false, 5, older.into_iter().chain([format!("/news/story-{n}")]).chain(own))
        }
        _ => page(false, 1, []),
    });
    assert!(asked.contains_key("/news/story-9999"), "lost behind {:?}", world.status(PORTAL).closed);
    assert_eq!(world.status(PORTAL).closed, []);
}

#[test]
fn an_archive_is_crawled_beyond_its_empty_years() {
    let month = |n: u64| format!("/archive/{}-{:02}", 2001 + n / 12, n % 12 + 1);
    let mut world = World::new(&[PORTAL]);
    let asked = crawl(&mut world, 2_000, |path| match path {
        "/" => page(false, 0, [month(239)]),
        story if story.starts_with("/story-") => page(true, 1_000 + number(story), []),
        list => {
            let n = (0..240).find(|n| month(*n) == list).unwrap_or(0);
            let story = n.is_multiple_of(10).then(|| format!("/story-{n}"));
            page(false, 5, n.checked_sub(1).map(month).into_iter().chain(story))
        }
    });
    let stories = asked.keys().filter(|path| path.starts_with("/story-")).count();
    assert_eq!(stories, 25, "one in ten months, and the menu's: {:?}", world.status(PORTAL).closed);
}

#[test]
fn urls_with_a_closed_parameter_are_requested_without_it() {
    let named = |n: u64| ["front", "side", "foot"].map(|from| format!("/story?id={n}&from={from}"));
    let mut world = World::new(&[PORTAL]);
    let asked = crawl(&mut world, 1_000, |path| match path {
        "/" => page(false, 0, (0..20).map(|n| format!("/story?id={n}")).chain((0..20).flat_map(named))),
        // The last story is linked only under its long name.
        story => {
            let id = story.split(['=', '&']).nth(1).unwrap_or("0");
            page(true, 1_000 + number(id), (id == "19").then(|| "/story?id=777&from=front".to_owned()))
        }
    });
    let closed: Vec<String> = world.status(PORTAL).closed.into_iter().map(|closed| closed.pattern).collect();
    assert!(closed.contains(&"?from=<any>".to_owned()), "{closed:?}");
    assert!(asked.contains_key("/story?id=777") && !asked.contains_key("/story?id=777&from=front"), "{asked:?}");
    assert!(world.account().rejected[&Rejection::SessionParameter] > 0);
}

#[test]
fn a_useless_prefix_is_closed_after_30_to_200_pages() {
    let no_yield = |n: u64| PageYield {
        url: url(&format!("https://portal.example/tag/{n}")),
        bytes: 10_000,
        clean_bytes: 0,
        leads_from: NO_PREFIX,
    };
    let closed_after = |articles: u64| {
        let mut world = World::new(&[PORTAL]);
        world.fetch(&[]);
        let article = |n: u64| PageYield {
            url: url(&format!("https://portal.example/story-{n}")),
            clean_bytes: 1_000,
            leads_from: 0,
            ..no_yield(n)
        };
        let articles: Vec<_> = (0..articles).map(article).collect();
        world.f().note_yields(&articles).unwrap();
        (1..300).find(|n| !world.f().note_yields(&[no_yield(*n)]).unwrap().is_empty())
    };
    assert_eq!([3, 30, 500].map(closed_after), [Some(30), Some(60), Some(200)]);
}

#[test]
fn late_copies_of_a_closed_prefix_do_not_count_as_articles() {
    let mut world = World::new(&[PORTAL]);
    world.fetch(&[]);
    let page = |path: &str, clean_bytes, n: u64| PageYield {
        url: url(&format!("https://portal.example/{path}/{n}")),
        bytes: 10_000,
        clean_bytes,
        leads_from: NO_PREFIX,
    };
    let no_yield_until_closed =
        |world: &mut World, path| (1..300).find(|n| !world.f().note_yields(&[page(path, 0, *n)]).unwrap().is_empty());
    assert_eq!(no_yield_until_closed(&mut world, "forum"), Some(30));
    let copies: Vec<_> = (0..100).map(|n| page("forum", 1_000, n)).collect();
    world.f().note_yields(&copies).unwrap();
    assert_eq!(no_yield_until_closed(&mut world, "shop"), Some(30), "a hundred copies of the forum are no articles");
}

#[test]
fn useless_pages_of_earlier_runs_count_too() {
    let mut world = World::new(&[PORTAL]);
    world.fetch(&["/calendar/1"]);
    let no_yield = |n: u64| PageYield {
        url: url(&format!("https://portal.example/calendar/{n}")),
        bytes: 10_000,
        clean_bytes: 0,
        leads_from: NO_PREFIX,
    };
    // An earlier run has recorded 25 of these pages. Five more close the prefix.
    world.f().note_yields(&(0..25).map(no_yield).collect::<Vec<_>>()).unwrap();
    world.open();
    let closed = (25..40).find(|n| !world.f().note_yields(&[no_yield(*n)]).unwrap().is_empty());
    assert_eq!(closed, Some(29), "the pages of the earlier run count");
}

#[test]
fn copies_under_another_name_of_a_site_close_no_prefix() {
    let mut world = World::new(&[PORTAL, "https://www.portal.example/"]);
    let stories: Vec<String> = (0..40).map(|n| format!("/2007/story-{n}")).collect();
    let links: Vec<&str> = stories.iter().map(String::as_str).collect();
    world.fetch(&links);
    while world.f().next_wakeup().is_some() {
        world.fetch(&links);
    }
    let copy = |path: &String| PageYield {
        url: url(&format!("https://www.portal.example{path}")),
        bytes: 10_000,
        clean_bytes: 0,
        leads_from: NO_PREFIX,
    };
    let copies: Vec<_> = stories.iter().map(copy).collect();
    assert_eq!(world.f().note_yields(&copies).unwrap(), [], "their text came under the other name");
}
