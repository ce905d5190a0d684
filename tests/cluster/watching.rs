//! Tests the console for a crawl on many machines.

use std::time::{Duration, Instant};

use crate::console_client::ConsoleClient;
use crate::crawl_world::{LONG, goldminer, pause};
use crate::takeovers::Cluster;

/// Waits until the first page has these words, and returns it.
fn page_with(console: &ConsoleClient, words: &[&str]) -> String {
    let until = Instant::now() + LONG;
    loop {
        let page = console.get("/");
        assert_eq!(page.status, 200, "{page:?}");
        if words.iter().all(|words| page.body.contains(words)) {
            return page.body;
        }
        assert!(Instant::now() < until, "{words:?} are not on the page: {}", page.body);
        pause(Duration::from_millis(200));
    }
}

#[test]
fn the_console_shows_workers_losses_and_a_missing_database() {
    let Some(mut cluster) = Cluster::new(&["courier.example", "naplo.example"], 0.3) else { return };
    let console = ConsoleClient::started(goldminer(&["console", "--db"]).arg(cluster.postgres.url()));
    page_with(&console, &["No worker runs, but partitions are unfinished"]);
    let worker = cluster.worker("the first one");
    cluster.until("it has committed something", || {
        cluster.number("SELECT count(*) FROM partition WHERE checkpoint IS NOT NULL") > 0
    });
    page_with(&console, &["the first one", "alive", "crawling"]);
    page_with(&console, &["data-renew=\"5\""]);
    worker.kill();
    page_with(&console, &["Worker the first one is", "Other workers take them over"]);
    cluster.postgres.crash(Duration::from_secs(7));
    let stranger = console.ask(&format!("GET / HTTP/1.1\r\nHost: {}\r\n", console.host), "");
    assert_eq!(stranger.status, 401, "{stranger:?}");
    page_with(&console, &["the first one"]);
}
