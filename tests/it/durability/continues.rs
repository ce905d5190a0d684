//! A job that was stopped by a limit is continued to its end, and commands that an operator gave meanwhile stay in
//! effect.

use std::collections::HashMap;
use std::path::Path;

use goldminer_testkit::portals::{Portals, Size};
use goldminer_testkit::traps::{Trap, visits};
use goldminer_testkit::web::WebConfig;

use crate::crawl_world::{LONG, World, assert_accounts, goldminer, run, status, texts};

/// The portal with traps, and the host that an operator has put on hold.
const TRAPPED: &str = "portal-000.example";
const HELD: &str = "portal-001.example";
const TRAPS: [Trap; 2] = [Trap::Calendar, Trap::Session];

/// Two small portals under two names each.
fn portals() -> Portals {
    let size = Size { traps: false, ..Size::default() };
    Portals::many(2, 8, &size).trapped(2, &TRAPS).under_www()
}

fn world() -> World {
    let domain = |host: String| format!("\n[[portal]]\nstart = [\"http://{host}/\"]\nscope = \"domain\"\n");
    let seeds = portals().hosts().into_iter().map(domain).collect();
    World::serve(WebConfig::new(portals())).hosts(&[]).settings("ip_spacing = \"0s\"").more_seeds(seeds)
}

/// Begins a job, and puts a host on hold.
fn begin(world: &World, job: &Path) {
    let ran = run(world.crawl(job).args(["--delay", "0s", "-q", "--max-pages", "40"]), LONG);
    assert_eq!(ran.code(), Some(3), "{ran:?}");
    let ran = run(goldminer(&["ctl"]).arg(job).args(["pause", HELD]), LONG);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    let status = status(job);
    assert_accounts(&status);
    assert!(status["counts"]["queued"].as_u64() > Some(0), "nothing to go on with: {status:#}");
    let held = status["hosts"].as_array().unwrap().iter().find(|host| host["host"] == format!("http://{HELD}"));
    assert!(held.is_some_and(|host| host["waits_for"] == "paused"), "{status:#}");
}

#[test]
fn a_stopped_job_continues_to_its_end_and_keeps_its_hold() {
    let world = world();
    let job = world.path("job");
    begin(&world, &job);
    let before = texts(&job.join("corpus"));
    let asked_before = world.log().len();

    // Only the host on hold, which waits for the operator, has URLs left.
    let ran = run(world.crawl(&job).args(["--delay", "0s", "-q", "--max-time", "30s"]), LONG);
    assert_eq!(ran.code(), Some(3), "{ran:?}");
    let status = status(&job);
    assert_accounts(&status);
    for host in status["hosts"].as_array().unwrap() {
        let is_held = host["host"] == format!("http://{HELD}");
        assert!(is_held || host["queued"] == 0, "not at its end: {host:#}");
    }
    let log = world.log();
    let later = &log[asked_before..];
    assert!(later.iter().all(|entry| entry.host != HELD), "a host on hold was asked: {later:#?}");
    let visits = visits(&log, &TRAPS);
    assert!(visits.values().all(|&count| count <= 200), "{visits:?}");
    let after = texts(&job.join("corpus"));
    // A list that was extracted as an article before its portal was learned is retracted.
    let is_list = |url: &str| url.contains("/section/");
    let lost: Vec<&String> = before.keys().filter(|url| !after.contains_key(*url) && !is_list(url)).collect();
    assert!(lost.is_empty(), "documents of before: {lost:?}");

    // Under either of its two names: every article once, in the corpus and in the requests.
    let portal = portals().find(TRAPPED).unwrap();
    let path_of = |url: &str| url.splitn(4, '/').nth(3).map(|path| format!("/{path}")).unwrap_or_default();
    let mut documents: HashMap<String, usize> = HashMap::new();
    for url in after.keys().filter(|url| url.contains(TRAPPED)) {
        *documents.entry(path_of(url)).or_default() += 1;
    }
    let second_urls = portal.second_urls();
    for (path, _) in portal.gold() {
        let others = second_urls.iter().filter(|(main, _)| *main == path).map(|(_, other)| other);
        let count: usize = std::iter::once(&path).chain(others).filter_map(|path| documents.get(path)).sum();
        assert_eq!(count, 1, "{path}: {documents:#?}");
    }
}
