//! A page that crashes the process: the same command continues the crawl and skips the page, so that nobody has to
//! search for it.

use goldminer_testkit::portals::{Portals, Size};
use goldminer_testkit::web::Knobs;

use crate::crawl_world::{LONG, World, assert_accounts, assert_warcs_are_valid, goldminer, run, status, texts};

const SIGABRT: i32 = 6;

fn world() -> World {
    let portals = Portals::demo(&Size { scale: 0.15, ..Size::default() });
    World::new(portals, Knobs::default())
        .hosts(&["courier.example"])
        .settings("learning_pages = 8\nip_spacing = \"0s\"")
}

#[test]
fn a_page_that_crashes_the_process_is_archived_and_skipped() {
    let world = world();
    let unbroken = texts(&world.crawled("unbroken").join("corpus"));
    let killer = unbroken.keys().nth(unbroken.len() / 2).expect("a document").clone();
    let asked_before = world.log().len();
    let job = world.path("killed");
    for death in 1..=3 {
        let mut crawl = world.crawl(&job);
        let ran = run(crawl.args(["--delay", "0s", "-q"]).env("GOLDMINER_FAULT_PAGE", format!("links:{killer}")), LONG);
        assert_eq!(ran.signal(), Some(SIGABRT), "death {death}: {ran:?}");
        assert_accounts(&status(&job));
    }
    let mut crawl = world.crawl(&job);
    let ran = run(crawl.args(["--delay", "0s"]).env("GOLDMINER_FAULT_PAGE", format!("links:{killer}")), LONG);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    assert!(
        ran.stderr.contains(&killer) && ran.stderr.contains("is skipped until the program version"),
        "{}",
        ran.stderr
    );
    let path = killer.split_once("example").expect("a host").1;
    let asked = world.log()[asked_before..].iter().filter(|entry| entry.path == path).count();
    assert_eq!(asked, 3, "requests for the page, one a death");

    let found = texts(&job.join("corpus"));
    let missing: Vec<&String> = unbroken.keys().filter(|url| !found.contains_key(*url)).collect();
    assert_eq!(missing, [&killer], "documents that an unbroken crawl has and this one has not");
    assert_warcs_are_valid(&job.join("archive"));
    let report = status(&job);
    assert_accounts(&report);
    assert_eq!(report["suspects"][0]["url"], killer.as_str());
    let why = run(goldminer(&["why"]).arg(&job).arg(&killer), LONG);
    assert!(why.stdout.contains("failed: the program ended 3 times while reading its links"), "{}", why.stdout);
    let output = run(goldminer(&["status"]).arg(&job), LONG).stdout;
    assert!(output.contains(&killer), "{output}");
}

#[test]
fn a_page_is_not_blamed_for_a_kill_from_outside() {
    let world = world();
    let unbroken = texts(&world.crawled("unbroken").join("corpus"));
    let innocent = unbroken.keys().nth(unbroken.len() / 3).expect("a document").clone();
    let job = world.path("killed");
    let mut crawl = world.crawl(&job);
    let ran = run(crawl.args(["--delay", "0s", "-q"]).env("GOLDMINER_FAULT_PAGE", format!("links:{innocent}")), LONG);
    assert_eq!(ran.signal(), Some(SIGABRT), "{ran:?}");
    let ran = run(world.crawl(&job).args(["--delay", "0s", "-q"]), LONG);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    let found = texts(&job.join("corpus"));
    assert!(found == unbroken, "{} documents, {} of an unbroken crawl", found.len(), unbroken.len());
    assert!(status(&job)["suspects"].is_null(), "{}", status(&job)["suspects"]);
}

#[test]
fn a_crash_in_extraction_loses_only_that_document() {
    let world = world();
    let unbroken = texts(&world.crawled("unbroken").join("corpus"));
    let killer = unbroken.keys().nth(unbroken.len() / 2).expect("a document").clone();
    let job = world.path("killed");
    let crawl = || {
        let mut crawl = world.crawl(&job);
        run(crawl.args(["--delay", "0s", "-q"]).env("GOLDMINER_FAULT_PAGE", format!("text:{killer}")), LONG)
    };
    for death in 1..=3 {
        let ran = crawl();
        assert_eq!(ran.signal(), Some(SIGABRT), "death {death}: {ran:?}");
    }
    let ran = crawl();
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    let found = texts(&job.join("corpus"));
    let missing: Vec<&String> = unbroken.keys().filter(|url| !found.contains_key(*url)).collect();
    assert_eq!(missing, [&killer], "documents that an unbroken crawl has and this one has not");
    let report = status(&job);
    assert_accounts(&report);
    assert_eq!(report["domains"][0]["tally"]["unreadable"], 1, "{report:#}");
    let why = run(goldminer(&["why"]).arg(&job).arg(&killer), LONG);
    assert!(why.stdout.contains("the program ended 3 times while reading its text"), "{}", why.stdout);
}

#[test]
fn a_rebuild_continues_after_a_page_that_fails() {
    let world = world();
    let unbroken = texts(&world.crawled("unbroken").join("corpus"));
    let failing = unbroken.keys().nth(unbroken.len() / 2).expect("a document").clone();
    let job = world.crawled("failing");
    for _ in 0..2 {
        let mut rebuild = goldminer(&["rebuild"]);
        let ran = run(rebuild.arg(&job).env("GOLDMINER_FAULT_PAGE", format!("panic:{failing}")), LONG);
        assert_eq!(ran.code(), Some(0), "{ran:?}");
        assert!(ran.stderr.contains(&failing) && ran.stderr.contains("please report this page"), "{}", ran.stderr);
        let found = texts(&job.join("corpus"));
        let missing: Vec<&String> = unbroken.keys().filter(|url| !found.contains_key(*url)).collect();
        assert_eq!(missing, [&failing], "documents that the crawl had and the rebuild does not");
    }
    let ran = run(goldminer(&["rebuild"]).arg(&job), LONG);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    assert!(texts(&job.join("corpus")) == unbroken, "the page is read again, as nothing was set aside");
}
