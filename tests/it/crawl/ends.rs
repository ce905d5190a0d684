//! The end of a crawl: what is left, the exit code, and why a portal gave nothing.

use std::path::PathBuf;
use std::process::Command;

use crate::crawl_world::{LONG, Ran, documents, goldminer, run};
use crate::small_web::{Answer, SmallWeb, article, links, text_of};

const STORIES: [&str; 6] = ["/1.html", "/2.html", "/3.html", "/4.html", "/5.html", "/6.html"];

/// Hosts with a start page and six articles.
fn web() -> SmallWeb {
    SmallWeb::new(page)
}

fn page(host: &str, path: &str) -> Option<Answer> {
    match path {
        "/" => Some(links(&STORIES)),
        story if STORIES.contains(&story) => {
            Some(article(story.len() * host.len() + usize::from(story.as_bytes()[1]), &[]))
        }
        _ => None,
    }
}

fn seeds(web: &SmallWeb, portals: &str) -> PathBuf {
    web.file("seeds.toml", &format!("[crawl]\nuser_agent = \"it/1.0 (+https://uni.hu/it)\"\nretry_wait = \"10ms\"\nip_spacing = \"0s\"\n{portals}"))
}

fn crawl(web: &SmallWeb, portals: &str, more: &[&str]) -> Ran {
    let (seeds, mut command): (PathBuf, Command) = (seeds(web, portals), web.command(&["crawl"]));
    run(command.arg(seeds).arg("--dir").arg(web.path("job")).args(more), LONG)
}

#[test]
fn a_portal_at_its_own_limit_is_not_finished() {
    let web = web();
    let portal = "[[portal]]\nstart = [\"http://portal.example/\"]\n";
    let ran = crawl(&web, &format!("{portal}max_pages = 3\n"), &[]);
    assert_eq!(ran.code(), Some(3), "{ran:?}");
    assert!(ran.stdout.contains("the portals of the remaining 4 URLs have reached their own limit"), "{}", ran.stdout);
    let ran = crawl(&web, portal, &[]);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    assert!(ran.stdout.contains("Finished: no URLs left."), "{}", ran.stdout);
}

#[test]
fn a_page_limit_does_not_stop_a_crawl_without_urls() {
    let web = web();
    let portal = "[[portal]]\nstart = [\"http://portal.example/\"]\n";
    assert_eq!(crawl(&web, portal, &["--max-pages", "6"]).code(), Some(3), "an article is left");
    for most in ["7", "7", "2"] {
        let ran = crawl(&web, portal, &["--max-pages", most]);
        assert_eq!(ran.code(), Some(0), "{ran:?}");
        assert!(ran.stdout.contains("Finished: no URLs left."), "{}", ran.stdout);
    }
    let follows = crawl(&web, portal, &["--max-pages", "7", "--max-time", "1h"]);
    assert_eq!(follows.code(), Some(3), "without the limit, it waits for new articles: {follows:?}");
}

#[test]
fn limits_count_pages_and_no_feeds() {
    let feed = "<rss version=\"2.0\"><channel><title>F</title><item><link>http://portal.example/1.html</link></item></channel></rss>";
    let portal = "[[portal]]\nstart = [\"http://portal.example/\"]\nfeeds = [\"http://portal.example/feed.xml\"]\n";
    for (own, of_all) in [("max_pages = 3\n", &[][..]), ("", &["--max-pages", "3"])] {
        let web = SmallWeb::new(move |host, path| match path {
            "/feed.xml" => Some((200, "application/rss+xml", feed.to_owned())),
            _ => page(host, path),
        });
        let ran = crawl(&web, &format!("{portal}{own}"), of_all);
        assert_eq!(ran.code(), Some(3), "{ran:?}");
        let asked: Vec<String> = web.requests().into_iter().map(|(_, path)| path).collect();
        assert_eq!(asked.iter().filter(|path| *path == "/" || path.ends_with(".html")).count(), 3, "{asked:?}");
        assert!(asked.contains(&"/feed.xml".to_owned()), "{asked:?}");
    }
}

#[test]
fn pages_that_were_read_only_in_part_are_counted_at_the_end() {
    let web = SmallWeb::new(|host, path| {
        let (status, media, html) = page(host, path)?;
        Some((status, media, if path == "/1.html" { html + &"<!-- more -->".repeat(500_000) } else { html }))
    });
    let portal = "[[portal]]\nstart = [\"http://portal.example/\"]\n";
    let ran = crawl(&web, portal, &[]);
    assert!(ran.code() == Some(0) && ran.stdout.contains("1 page was read only in part"), "{ran:?}");
    let ran = crawl(&web, portal, &[]);
    assert!(ran.code() == Some(0) && !ran.stdout.contains("in part"), "nothing was read now: {ran:?}");
}

#[test]
fn a_paused_host_is_named_at_the_start_and_while_waiting() {
    let web = web();
    let portal = "[[portal]]\nstart = [\"http://portal.example/\"]\n";
    crawl(&web, portal, &["--max-pages", "1"]);
    let paused = run(goldminer(&["ctl"]).arg(web.path("job")).args(["pause", "portal.example"]), LONG);
    assert_eq!(paused.code(), Some(0), "{paused:?}");
    let ran = crawl(&web, portal, &["--max-time", "2s"]);
    assert_eq!(ran.code(), Some(3), "{ran:?}");
    assert!(ran.stderr.contains("paused by a command"), "{}", ran.stderr);
    assert!(ran.stderr.contains("only paused hosts have URLs left"), "{}", ran.stderr);
    let why = "not yet: 7 URLs are queued\n";
    assert!(ran.stdout.contains(why), "its only page is no article, but most are queued: {}", ran.stdout);
}

#[test]
fn unanswering_hosts_are_named_at_the_next_start() {
    let web = web();
    // Nobody listens on the port for discarded data.
    let portals = "[[portal]]\nstart = [\"http://portal.example/\"]\n[[portal]]\nstart = [\"http://127.0.0.1:9/\"]\n";
    let ran = crawl(&web, portals, &[]);
    assert!(
        ran.stderr.contains("http://127.0.0.1:9: its robots.txt") && !ran.stderr.contains("cause="),
        "{}",
        ran.stderr
    );
    let ran = crawl(&web, portals, &[]);
    let named = "did not answer last time, and wait for their next try: http://127.0.0.1:9 (its port is closed)";
    assert!(ran.stderr.contains(named), "{}", ran.stderr);
}

#[test]
fn a_crawl_without_documents_has_its_own_message() {
    let web = web();
    crawl(&web, "[[portal]]\nstart = [\"http://portal.example/\"]\n", &["--max-pages", "1"]);
    let ran = run(goldminer(&["convert"]).arg(web.path("job")).arg("-o").arg(web.path("out")), LONG);
    assert!(ran.code() == Some(1) && ran.stderr.contains("has no documents yet"), "{ran:?}");
}

#[test]
fn a_renamed_portal_keeps_its_documents() {
    let web = web();
    let portal = "[[portal]]\nstart = [\"http://portal.example/\"]\n";
    let other = "[[portal]]\nstart = [\"http://other.example/\"]\n";
    crawl(&web, &format!("{other}{portal}"), &["--max-pages", "6"]);
    let ran = crawl(&web, &format!("{other}{portal}name = \"renamed\"\n"), &[]);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    assert!(ran.stdout.contains("from 2 of 2 portals"), "{}", ran.stdout);
    assert_eq!(documents(&web.path("job/corpus")).len(), 12);
}

#[test]
fn a_dropped_portal_is_reported_as_removed() {
    let web = web();
    let portals = "[[portal]]\nstart = [\"http://portal.example/\"]\n[[portal]]\nstart = [\"http://other.example/\"]\n";
    crawl(&web, portals, &[]);
    let dropped = run(goldminer(&["drop"]).arg(web.path("job")).arg("portal.example"), LONG);
    assert_eq!(dropped.code(), Some(0), "{dropped:?}");
    let ran = crawl(&web, portals, &[]);
    assert!(ran.stdout.contains("it was removed from the job (goldminer drop)"), "{}", ran.stdout);
}

#[test]
fn a_portal_whose_pages_are_those_of_another_repeats_it() {
    let web = SmallWeb::new(|_, path| match path {
        "/" => Some(links(&["/1.html", "/2.html"])),
        "/1.html" => Some(article(1, &[])),
        "/2.html" => Some(article(2, &[])),
        _ => None,
    });
    let portal = |name: &str| format!("[[portal]]\nstart = [\"http://{name}.portal.example/\"]\n");
    crawl(&web, &portal("one"), &[]);
    let ran = crawl(&web, &(portal("one") + &portal("two")), &[]);
    assert_eq!(ran.code(), Some(4), "{ran:?}");
    let outcome = text_of(&web.path("job/outcome.json"));
    assert!(outcome.contains("all-duplicates") && !outcome.contains("not-yet"), "{outcome}");
}

#[test]
fn a_portal_that_refuses_its_articles_is_reported_so() {
    let web = SmallWeb::new(|_, path| match path {
        "/" => Some(links(&STORIES)),
        story if STORIES.contains(&story) => Some((451, "text/plain", "no".to_owned())),
        _ => None,
    });
    let ran = crawl(&web, "[[portal]]\nstart = [\"http://portal.example/\"]\n", &[]);
    assert_eq!(ran.code(), Some(4), "{ran:?}");
    assert!(ran.stdout.contains("it refuses (status 451 for 6 URLs)"), "{}", ran.stdout);
}

#[test]
fn a_page_at_the_url_of_a_feed_is_a_warning_and_no_document() {
    let web = SmallWeb::new(|_, path| match path {
        "/" => Some(links(&STORIES)),
        "/feed.xml" => Some(article(99, &["/7.html"])),
        story => Some(article(usize::from(*story.as_bytes().get(1)?), &[])),
    });
    let portal = "[[portal]]\nstart = [\"http://portal.example/\"]\nfeeds = [\"http://portal.example/feed.xml\"]\n";
    let ran = crawl(&web, portal, &[]);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    let documents = documents(&web.path("job/corpus"));
    assert!(!documents.contains_key("http://portal.example/feed.xml"), "{:?}", documents.keys());
    assert!(documents.contains_key("http://portal.example/7.html"), "its links are used: {:?}", documents.keys());
    let warning = ran.stderr.lines().find(|line| line.contains("http://portal.example/feed.xml"));
    assert!(warning.is_some_and(|line| line.contains("WARN") && line.contains("portal.example: ")), "{}", ran.stderr);
}

#[test]
fn maintenance_pages_with_status_200_are_requested_again() {
    let times = std::sync::Arc::new(std::sync::Mutex::new(std::collections::HashMap::<String, u32>::new()));
    let web = SmallWeb::new(move |_, path| match path {
        "/" => Some(links(&STORIES)),
        story if STORIES.contains(&story) => {
            let mut times = times.lock().ok()?;
            let times = times.entry(story.to_owned()).or_default();
            *times += 1;
            let soon = || (200, "text/html", "<html><body><h1>We will be back soon</h1></body></html>".to_owned());
            Some(if *times == 1 && story != STORIES[0] {
                soon()
            } else {
                article(usize::from(story.as_bytes()[1]), &[])
            })
        }
        _ => None,
    });
    let ran = crawl(&web, "[[portal]]\nstart = [\"http://portal.example/\"]\n", &[]);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    assert_eq!(documents(&web.path("job/corpus")).len(), 6, "{ran:?}");
}
