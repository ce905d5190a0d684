//! The same answer for many URLs: a maintenance page or an error page with status 200. The crawl must take it as a
//! fault of the server, not of the URLs and their folder.

use std::collections::BTreeMap;

use goldminer_crawl::frontier::{
    Discovery, Done, Fetched, Finished, Outcome, PageFacts, PageYield, Rejection, Source, UrlKind,
};
use goldminer_html::address::CrawlUrl;
use jiff::{SignedDuration, Timestamp};

use crate::frontier::world::{PORTAL, World, audit, url};

/// Crawls until no URL is left. All responses for which `is_standard` is true are the same page, which is no article.
/// Returns how often each path was answered with a different page, and the number of requests.
fn crawl(world: &mut World, is_standard: impl Fn(&str, Timestamp) -> bool) -> (BTreeMap<String, usize>, usize) {
    crawl_with(world, false, is_standard)
}

/// Like [`crawl`]; `is_article_like` says whether the standard page is an article.
fn crawl_with(
    world: &mut World,
    is_article_like: bool,
    is_standard: impl Fn(&str, Timestamp) -> bool,
) -> (BTreeMap<String, usize>, usize) {
    let (mut own, mut asked) = (BTreeMap::<String, usize>::new(), 0);
    let mut standard: Option<CrawlUrl> = None;
    while let Some((lease, work)) = world.next_page_left() {
        asked += 1;
        let path = work.url.path_and_query().to_owned();
        let facts = PageFacts { is_article_like: true, assessed: true, thin: false };
        let mut fetched = Fetched { page: Some(facts), ..Fetched::default() };
        let mut original = None;
        let is_standard = work.kind == UrlKind::Page && is_standard(&path, world.now);
        if is_standard {
            original = standard.clone();
            fetched.page = original.is_none().then_some(PageFacts { is_article_like, ..facts });
            standard.get_or_insert_with(|| work.url.clone());
        } else {
            *own.entry(path).or_default() += 1;
        }
        // The yield that the extraction reports: copies have none.
        let gave = PageYield {
            url: work.url.clone(),
            bytes: 10_000,
            clean_bytes: if fetched.page.is_some() && (is_article_like || !is_standard) { 1_000 } else { 0 },
            leads_from: 0,
        };
        let is_extracted = fetched.page.is_some();
        world.answer(Finished { original, ..Finished::new(lease, Outcome::Fetched(fetched)) }, 10_000);
        if is_extracted {
            world.f().note_yields(&[gave]).unwrap();
        }
    }
    assert_eq!(audit(world.f()), Vec::<String>::new());
    (own, asked)
}

/// A portal with this many articles, which its start page lists.
fn portal(articles: u64) -> World {
    let mut world = World::new(&[PORTAL]);
    let list = |n| Discovery {
        source: Source::Link,
        depth: 1,
        ..Discovery::seed(url(&format!("{PORTAL}news/{n}")), UrlKind::Page, world.portal(PORTAL))
    };
    let found: Vec<_> = (0..articles).map(list).collect();
    world.add(&found);
    world
}

#[test]
fn an_outage_with_status_200_loses_no_article() {
    for articles in [30, 300, 3_000_u64] {
        let mut world = portal(articles);
        // After a third of the articles, for another third of them.
        let lasts = SignedDuration::from_secs(articles as i64 / 3 * 5);
        let began = world.now;
        let begins = began + lasts;
        let (own, asked) = crawl(&mut world, |_, now| now >= begins && now < begins + lasts);
        assert!(world.now < began + 6 * lasts, "{} after {began}", world.now);
        assert_eq!(own.len() as u64, articles + 1, "of {articles}");
        assert!(own.values().all(|times| *times == 1), "of {articles}: {own:?}");
        let counts = world.account();
        assert_eq!(counts.done[&Done::Fetched], articles + 1, "{counts:?}");
        assert_eq!(world.status(PORTAL).closed, []);
        assert!((asked as u64) < articles + articles / 3 + 50, "{asked} requests for {articles} articles");
    }
}

#[test]
fn after_an_outage_at_the_start_all_articles_are_fetched() {
    let mut world = portal(300);
    let end = world.now + SignedDuration::from_mins(10);
    let (own, _) = crawl(&mut world, |_, now| now < end);
    assert_eq!(own.len(), 301);
}

#[test]
fn error_pages_with_status_200_close_no_folder() {
    let mut world = portal(3_000);
    let number = |path: &str| path.strip_prefix("/news/").and_then(|n| n.parse::<u64>().ok());
    let is_gone = |path: &str, _| number(path).is_some_and(|n| (1..2_901).contains(&n));
    let (own, asked) = crawl(&mut world, is_gone);
    assert_eq!(own.len(), 101, "the articles after them");
    let counts = world.account();
    assert_eq!(counts.done[&Done::Repeated], 2_899, "all but the first: {counts:?}");
    assert_eq!(counts.rejected.get(&Rejection::ClosedPrefix).copied().unwrap_or(0), 0);
    assert!(asked < 3_100, "{asked} requests");
}

#[test]
fn an_article_under_three_urls_stays_fetched() {
    let mut world = portal(4);
    let (_, asked) = crawl_with(&mut world, true, |path, _| path.starts_with("/news/") && path != "/news/0");
    let counts = world.account();
    assert_eq!((counts.done[&Done::Fetched], counts.done[&Done::Repeated]), (4, 1), "{counts:?}");
    assert_eq!(asked, 5, "one request each");
}
