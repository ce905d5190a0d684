//! Portals over time: news during a crawl, a redesign, and domains that grow from run to run.

use std::collections::BTreeMap;
use std::path::Path;

use goldminer_core::document::{Document, Method};
use goldminer_testkit::access_log::Entry;
use goldminer_testkit::portals::{Portals, Size};
use goldminer_testkit::web::{Knobs, News};

use crate::crawl_world::{LONG, World, assert_accounts, documents, goldminer, run, status};

fn portals(scale: f64) -> Portals {
    Portals::demo(&Size { scale, traps: false, ..Size::default() })
}

/// Extracts the job's pages again, and checks that the result is that of the crawl.
fn assert_extracted_again(world: &World, job: &Path) {
    let again = world.path("again");
    let _ = std::fs::remove_dir_all(&again);
    let ran = run(goldminer(&["extract", "-q"]).arg(job).arg("-o").arg(&again), LONG);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    let (crawled, again) = (documents(&job.join("corpus")), documents(&again));
    for (url, document) in &crawled {
        assert_eq!(again.get(url), Some(document), "extracted again, {url} is another document");
    }
    assert_eq!(again.len(), crawled.len(), "documents of the crawl, and extracted again");
}

/// The number of documents by profile version, with 0 for those without a profile.
fn versions(documents: &BTreeMap<String, Document>) -> BTreeMap<u32, usize> {
    let mut versions = BTreeMap::new();
    for document in documents.values() {
        let version = document.provenance.profile.as_ref().map_or(0, |profile| profile.version);
        *versions.entry(version).or_default() += 1;
    }
    versions
}

#[test]
fn a_crawl_with_max_time_follows_the_news_until_its_end() {
    let knobs = Knobs { news: Some(News { held_back: 8, every: 12 }), ..Knobs::default() };
    let world = World::new(portals(0.2), knobs)
        .hosts(&["courier.example"])
        .settings("ip_spacing = \"0s\"\nshortest_revisit = \"100ms\"\nlongest_revisit = \"300ms\"");
    let job = world.path("job");
    let portal = portals(0.2).find("courier.example").unwrap();
    let articles: Vec<String> = portal.gold().map(|(path, _)| path).collect();
    let received =
        |log: &[Entry], path: &str| log.iter().filter(|entry| entry.path == path && entry.status == 200).count();
    // On a busy machine, one run does not get to the last article.
    for _ in 0..6 {
        // The portal's slow page makes the delay ten times as long as its response took.
        let ran = run(world.crawl(&job).args(["--delay", "5ms", "-q", "--max-time", "20s"]), LONG);
        assert_eq!(ran.code(), Some(3), "{ran:?}");
        let log = world.log();
        if articles.iter().all(|path| received(&log, path) > 0) {
            break;
        }
    }

    let log = world.log();
    let missed: Vec<&String> = articles.iter().filter(|path| received(&log, path) == 0).collect();
    assert!(missed.is_empty(), "never fetched: {missed:?}");
    let again: Vec<&String> = articles.iter().filter(|path| received(&log, path) > 1).collect();
    assert!(again.is_empty(), "articles are visited once: {again:?}");
    let starts: Vec<u16> = log.iter().filter(|entry| entry.path == "/").map(|entry| entry.status).collect();
    assert!(starts.contains(&304) && starts.iter().filter(|status| **status == 200).count() > 1, "{starts:?}");

    let status = status(&job);
    assert_accounts(&status);
    assert!(status["counts"]["revisits"].as_u64().unwrap() > 5, "{:#}", status["counts"]);
    // Later visits of lists are not pages, and do not count for the yield.
    let first = |entry: &&Entry| entry.status == 200 && entry.path != "/robots.txt" && !entry.path.ends_with(".xml");
    let firsts: BTreeMap<&str, u64> =
        log.iter().filter(first).rev().map(|entry| (&entry.path[..], entry.bytes)).collect();
    let received = status["domains"][0]["bytes"].as_u64().unwrap();
    assert!(received <= firsts.values().sum(), "{received} bytes received for pages, of {firsts:?}");
    let documents = documents(&job.join("corpus"));
    let written = articles.iter().filter(|path| documents.contains_key(&format!("http://courier.example{path}")));
    assert!(written.count() * 10 >= articles.len() * 8, "{} documents of {} articles", documents.len(), articles.len());
    assert!(!documents.contains_key("http://courier.example/"), "a start page is no article, however often it changes");
    assert_extracted_again(&world, &job);
}

#[test]
fn a_redesigned_portal_is_learned_again_and_loses_no_article() {
    let knobs = Knobs { redesign_after: Some(75), ..Knobs::default() };
    let world = World::new(portals(1.0), knobs)
        .hosts(&["courier.example"])
        .settings("ip_spacing = \"0s\"\nlearning_pages = 20");
    let job = world.crawled("job");
    let documents = documents(&job.join("corpus"));
    let versions = versions(&documents);
    assert!(versions.get(&1).is_some_and(|n| *n > 10) && versions.get(&2).is_some_and(|n| *n > 20), "{versions:?}");
    let portal = portals(1.0).find("courier.example").unwrap();
    let articles: Vec<String> = portal.gold().map(|(path, _)| format!("http://courier.example{path}")).collect();
    let missed: Vec<&String> = articles.iter().filter(|url| !documents.contains_key(*url)).collect();
    assert!(missed.len() * 20 <= articles.len(), "{} of {} have no document: {missed:?}", missed.len(), articles.len());
    assert_accounts(&status(&job));
    assert_extracted_again(&world, &job);
}

#[test]
fn a_domain_with_too_few_pages_learns_when_it_has_more() {
    let world = World::new(portals(1.0), Knobs::default())
        .hosts(&["courier.example"])
        .settings("ip_spacing = \"0s\"\nlearning_pages = 30");
    let job = world.path("job");
    let crawl = |pages: &str| run(world.crawl(&job).args(["--delay", "0s", "-q", "--max-pages", pages]), LONG);
    assert_eq!(crawl("5").code(), Some(3));
    assert_eq!(status(&job)["domains"][0]["phase"], "unprofiled");
    let first = documents(&job.join("corpus"));
    assert!(first.values().all(|document| document.provenance.method != Method::Goldminer));
    let convert = || run(goldminer(&["convert"]).arg(&job).arg("-o").arg(world.path("texts.txt")), LONG).stderr;
    assert!(convert().contains("has not finished"), "{}", convert());

    // Fewer than a learning phase, but enough for a provisional profile.
    assert_eq!(crawl("22").code(), Some(3));
    assert_eq!(status(&job)["domains"][0]["phase"], "profiled");
    // A whole learning phase: the profile is learned again.
    assert_eq!(crawl("1000").code(), Some(0));
    assert!(!convert().contains("has not finished"), "{}", convert());
    let all = documents(&job.join("corpus"));
    // At 5, 20, and 30 article-like pages; pages that were cut when there were fewer than 20 were cut again.
    let versions = versions(&all);
    assert!(!versions.contains_key(&1) && versions[&2] > 15 && versions[&3] > 40, "{versions:?}");
    assert!(!first.contains_key("http://courier.example/"), "a front page is no article");
    assert!(first.keys().all(|url| all.contains_key(url)), "an article was lost: {:?}", first.keys());
    assert_accounts(&status(&job));
    assert_extracted_again(&world, &job);
}

#[test]
fn a_domain_without_enough_pages_gets_no_profile() {
    let world =
        World::new(portals(1.0), Knobs::default()).hosts(&["rundschau.example"]).settings("ip_spacing = \"0s\"");
    let job = world.path("job");
    let crawl = |pages: &str| run(world.crawl(&job).args(["--delay", "0s", "--max-pages", pages]), LONG).stderr;
    let first = crawl("4");
    assert!(first.contains("rundschau.example: no profile: it has "), "{first}");
    let again = crawl("8");
    assert!(again.contains("rundschau.example: still no profile"), "{again}");
    assert!(!again.contains("the existing one is kept"), "{again}");
}

#[test]
fn a_redesign_is_learned_once_in_spite_of_kills() {
    let knobs = Knobs { redesign_after: Some(75), ..Knobs::default() };
    let world = World::new(portals(1.0), knobs)
        .hosts(&["courier.example"])
        .settings("ip_spacing = \"0s\"\nlearning_pages = 20");
    let job = world.path("job");
    // The second profile is durable when the process dies, but the documents that it gives are not yet in the corpus.
    for fault in ["learned:2", "corpus-committed:1", "extracted:1", "extracted:2"] {
        run(world.crawl(&job).args(["--delay", "0s", "-q"]).env("GOLDMINER_FAULT", fault), LONG);
    }
    let job = world.crawled("job");
    let versions = versions(&documents(&job.join("corpus")));
    assert!(versions.get(&2).is_some_and(|n| *n > 20) && !versions.contains_key(&3), "{versions:?}");
    assert_accounts(&status(&job));
    assert_extracted_again(&world, &job);
}
