//! Closed path prefixes: those that give no text and lead nowhere, and no others.

use goldminer_crawl::frontier::{Discovery, NO_PREFIX, PageEntry, PageYield, Rejection, Source, UrlKind};
use goldminer_html::address::Domain;
use goldminer_html::capture::ArchivePosition;

use crate::frontier::world::{PORTAL, World, fetched, url};

/// Fetches pages of the portal, starting with those that are known, up to the number `pages`. `links` returns the links
/// on a page. Returns the entries of all fetched pages.
fn crawl(world: &mut World, pages: u64, links: impl Fn(&str) -> Vec<String>) -> Vec<PageEntry> {
    for visit in 0..pages {
        let lease = world.next_page();
        let found = links(lease.work.url().path_and_query());
        let found: Vec<&str> = found.iter().map(String::as_str).collect();
        let position = ArchivePosition::new("a-00000.warc.gz", visit * 100, 100);
        world.finish_at(lease, fetched(), &found, position);
    }
    let domain = Domain::named("portal.example");
    world.f().tables().pages_from(&domain, 0).map(Result::unwrap).collect()
}

/// The yields that the extraction reports: stories have text, all other pages have none.
fn yields(pages: &[PageEntry]) -> Vec<PageYield> {
    let gave = |page: &PageEntry| PageYield {
        url: page.url.clone(),
        bytes: 1_000,
        clean_bytes: if page.url.path_and_query().contains("story") { 800 } else { 0 },
        leads_from: page.leads_from,
    };
    pages.iter().map(gave).collect()
}

fn number(path: &str) -> u64 {
    path.chars().filter(char::is_ascii_digit).collect::<String>().parse().unwrap_or(0)
}

#[test]
fn lists_that_lead_to_articles_stay_open() {
    let mut world = World::new(&[PORTAL]);
    let pages = crawl(&mut world, 601, |path| match path {
        "/" => vec!["/blog/page/1".to_owned()],
        list if list.starts_with("/blog/page/") => {
            let n = number(list);
            vec![format!("/blog/page/{}", n + 1), format!("/blog/story-{n}"), format!("/blog/story-{n}-b")]
        }
        _ => vec!["/".to_owned(), "/blog/page/1".to_owned()],
    });
    let lists = pages.iter().filter(|page| page.url.path_and_query().starts_with("/blog/page/")).count();
    assert!(lists >= 200, "only {lists} lists, so nothing is tested");
    assert_eq!(world.f().note_yields(&yields(&pages)).unwrap(), []);
}

#[test]
fn a_calendar_that_leads_only_to_itself_is_closed() {
    let mut world = World::new(&[PORTAL]);
    let pages = crawl(&mut world, 203, |path| match path {
        "/" => vec!["/calendar/2026/1/".to_owned(), "/story".to_owned()],
        "/story" => Vec::new(),
        day => vec![format!("/calendar/2026/{}/", number(day) % 100_000 + 1), "/story".to_owned()],
    });
    let closed = world.f().note_yields(&yields(&pages)).unwrap();
    let prefixes: Vec<&str> = closed.iter().map(|closed| closed.prefix.as_str()).collect();
    assert_eq!(prefixes, ["/calendar/", "/calendar/2026/"]);
    assert_eq!(world.f().note_yields(&yields(&pages)).unwrap(), [], "it is said once");
    assert_eq!(world.f().next_wakeup().map(|_| world.lease().is_none()), Some(true), "its next day is not asked for");
}

#[test]
fn photos_in_the_folder_of_the_articles_do_not_close_it() {
    let mut world = World::new(&[PORTAL]);
    let article = |n| format!("/news/story-of-hope-{n}/");
    let pages = crawl(&mut world, 201, |path| match path {
        "/" => (1..40).map(article).collect(),
        photo if photo.contains("photo") => Vec::new(),
        story => (1..9).map(|photo| format!("{story}photo-{photo}/")).collect(),
    });
    let yields: Vec<PageYield> = yields(&pages)
        .into_iter()
        .map(|page| if page.url.path().contains("photo") { PageYield { clean_bytes: 0, ..page } } else { page })
        .collect();
    let closed = world.f().note_yields(&yields).unwrap();
    let closed: Vec<&str> = closed.iter().map(|closed| closed.prefix.as_str()).collect();
    assert_eq!(closed, ["/news/<slug>/photo-<number>/"]);
}

#[test]
fn copies_of_articles_with_session_ids_are_closed() {
    let mut world = World::new(&[PORTAL]);
    let pages = crawl(&mut world, 402, |path| {
        let n = number(path);
        vec![format!("/s/{}/list", n + 1), format!("/s/{}/copy", n + 1)]
    });
    let closed = world.f().note_yields(&yields(&pages)).unwrap();
    assert_eq!(closed.iter().map(|closed| closed.prefix.as_str()).collect::<Vec<_>>(), ["/s/"]);
}

/// Reports thirty pages without text, which closes their folder. Then a feed announces twenty more pages of the folder
/// on each of four days. Returns the number of requests on each day.
fn announced(world: &mut World, gives_text: bool) -> Vec<usize> {
    let gave = |path: &str, clean_bytes| PageYield {
        url: url(&format!("{PORTAL}news/{path}")),
        bytes: 10_000,
        clean_bytes,
        leads_from: NO_PREFIX,
    };
    world.fetch(&[]);
    let outage: Vec<_> = (0..30).map(|n| gave(&format!("old-{n}"), 0)).collect();
    assert_eq!(world.f().note_yields(&outage).unwrap().len(), 1, "it is closed");
    (0..4)
        .map(|day| {
            let announce = |n: u64| Discovery {
                source: Source::Feed,
                depth: 1,
                ..Discovery::seed(url(&format!("{PORTAL}news/{n}")), UrlKind::Page, world.portal(PORTAL))
            };
            // The feed still has the items of the days before.
            let found: Vec<_> = (0..20 * (day + 1)).map(announce).collect();
            world.add(&found);
            let mut asked = 0;
            while world.f().next_wakeup().is_some() {
                let path = world.fetch(&[]);
                let clean_bytes = if gives_text { 1_000 } else { 0 };
                world.f().note_yields(&[gave(path.trim_start_matches("/news/"), clean_bytes)]).unwrap();
                asked += 1;
            }
            world.pass(24.0 * 3600.0);
            asked
        })
        .collect()
}

#[test]
fn a_closed_folder_that_gives_text_again_is_reopened() {
    let mut world = World::new(&[PORTAL]);
    assert_eq!(announced(&mut world, true), [20, 20, 20, 20], "what was rejected is queued at once");
    let counts = world.account();
    assert_eq!(counts.rejected.get(&Rejection::ClosedPrefix).copied().unwrap_or(0), 0, "{counts:?}");
    assert_eq!(world.status(PORTAL).closed, []);
}

#[test]
fn a_closed_folder_without_text_gets_five_requests_a_day() {
    let mut world = World::new(&[PORTAL]);
    assert_eq!(announced(&mut world, false), [5, 5, 5, 5]);
    assert_eq!(world.status(PORTAL).closed.len(), 1);
}
