//! A site that answers under several names and links all of them is fetched once.

use goldminer_crawl::frontier::{Discovery, Fetched, Finished, Outcome, PageFacts, Source, UrlKind};
use goldminer_html::address::CrawlUrl;

use crate::frontier::world::{PORTAL, World, audit, url};

/// Crawls a site of a hundred stories under all the names of its host. Returns the number of requests for each name.
fn crawl(world: &mut World, answer: impl Fn(&str, u64) -> Outcome) -> Vec<(String, usize)> {
    let mut asked: Vec<String> = Vec::new();
    while let Some((lease, work)) = world.next_page_left() {
        let url = &work.url;
        asked.push(url.host().to_string());
        let n: u64 = url.path().split_once("story-").and_then(|(_, n)| n.parse().ok()).unwrap_or(0);
        let names = ["https://portal.example", "http://portal.example", "https://www.portal.example"];
        let stories = (n..n + 12).filter(|n| *n < 100);
        let links = stories.flat_map(|n| names.map(|name| format!("{name}/2007/story-{n}")));
        let found =
            links.map(|link| Discovery::on(&work, CrawlUrl::parse(&link).unwrap(), UrlKind::Page, Source::Link));
        let outcome = answer(url.as_str(), n);
        let discoveries = if matches!(outcome, Outcome::Fetched(_)) { found.collect() } else { Vec::new() };
        world.answer(Finished { discoveries, ..Finished::new(lease, outcome) }, 5_000);
    }
    world.account();
    assert_eq!(audit(world.f()), Vec::<String>::new());
    asked.sort();
    asked.chunk_by(|a, b| a == b).map(|of| (of[0].clone(), of.len())).collect()
}

fn story(n: u64) -> Outcome {
    let page = Some(PageFacts { is_article_like: true, assessed: true, thin: false });
    Outcome::Fetched(Fetched { page, text: Some(1_000 + n), ..Fetched::default() })
}

#[test]
fn a_site_under_three_linked_names_is_fetched_once() {
    let mut world = World::new(&[PORTAL]);
    let asked = crawl(&mut world, |_, n| story(n));
    let of = |name: &str| asked.iter().find(|(host, _)| host == name).map_or(0, |(_, requests)| *requests);
    assert_eq!(of("https://portal.example"), 101, "the name in the seeds has every page: {asked:?}");
    let others = of("http://portal.example") + of("https://www.portal.example");
    assert!(others <= 30, "{asked:?}");
    assert_eq!(
        world.status("https://www.portal.example/").alias_of.map(|of| of.to_string()).as_deref(),
        Some("https://portal.example")
    );
    world.open();
    assert!(world.status("http://portal.example/").alias_of.is_some(), "it is known after a restart");
    let now = world.now;
    let why = world.f().explain(&url("http://portal.example/2007/new"), now).unwrap();
    assert!(why.portals[0].rule.contains("https://portal.example/2007/new is used instead"), "{why:?}");
}

#[test]
fn a_name_that_redirects_to_another_is_not_asked_for_every_page() {
    let mut world = World::new(&[PORTAL]);
    let asked = crawl(&mut world, |address, n| match address.split_once("://portal.example") {
        Some(("https", _)) => story(n),
        _ => Outcome::Redirect { to: Some(url(&format!("https://portal.example/2007/story-{n}"))) },
    });
    let others: usize = asked.iter().filter(|(host, _)| host != "https://portal.example").map(|(_, n)| n).sum();
    assert!(others <= 30, "{asked:?}");
}

#[test]
fn different_sites_of_one_domain_stay_two() {
    let mut world = World::new(&[PORTAL, "https://www.portal.example/"]);
    let asked = crawl(&mut world, |address, n| if address.contains("www.") { story(5_000 + n) } else { story(n) });
    let www = asked.iter().find(|(host, _)| host == "https://www.portal.example").unwrap().1;
    assert_eq!(www, 101, "{asked:?}");
}
