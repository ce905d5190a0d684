//! Kills: whenever a crawl is killed, the same command continues, and ends with the result of an unbroken run. Nothing
//! is lost, and nothing is repeated.

use std::path::Path;
use std::time::Duration;

use goldminer_testkit::portals::{Portals, Size};
use goldminer_testkit::web::Knobs;

use crate::crawl_world::{
    LONG, World, assert_accounts, assert_warcs_are_valid, documents, next_random, pause, run, seed, start, status,
    texts,
};

const SIGABRT: i32 = 6;

/// All steps of the order of durable writes, in the order of their first occurrence in a crawl.
const POINTS: [&str; 9] =
    ["leased", "appended", "synced", "finishing", "finished", "learned", "written", "corpus-committed", "extracted"];

fn world() -> World {
    let portals = Portals::demo(&Size { scale: 0.15, ..Size::default() });
    World::new(portals, Knobs::default())
        .hosts(&["courier.example", "naplo.example"])
        .settings("learning_pages = 8\nip_spacing = \"0s\"")
}

/// Checks a finished crawl that was killed any number of times: it must have the documents and the counts of an
/// unbroken one.
fn assert_whole(world: &World, killed: &Path, unbroken: &Path) {
    let (killed_texts, unbroken_texts) = (texts(&killed.join("corpus")), texts(&unbroken.join("corpus")));
    assert!(unbroken_texts.len() > 20, "only {} documents, so nothing is tested", unbroken_texts.len());
    let differing: Vec<&String> = killed_texts
        .keys()
        .chain(unbroken_texts.keys())
        .filter(|url| killed_texts.get(*url) != unbroken_texts.get(*url))
        .collect();
    assert!(differing.is_empty(), "{} documents differ: {differing:#?}", differing.len());
    let (killed_status, unbroken_status) = (status(killed), status(unbroken));
    assert_accounts(&killed_status);
    for number in ["discovered", "queued", "in_flight", "done", "rejected", "pages"] {
        assert_eq!(killed_status["counts"][number], unbroken_status["counts"][number], "{number}");
    }
    for domain in killed_status["domains"].as_array().unwrap() {
        assert_eq!(domain["pages"], domain["extracted"], "{domain:#}");
    }
    assert_warcs_are_valid(&killed.join("archive"));
    let again = world.path("again");
    let extract = &mut crate::crawl_world::goldminer(&["extract", "-q"]);
    let ran = run(extract.arg(killed).arg("-o").arg(&again), LONG);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    let (again, corpus) = (documents(&again), documents(&killed.join("corpus")));
    for (url, document) in &corpus {
        assert_eq!(again.get(url), Some(document), "extracted again, {url} is another document");
    }
    assert_eq!(again.len(), corpus.len(), "documents of the crawl, and extracted again");
}

#[test]
fn kills_at_random_moments_change_no_documents() {
    let world = world();
    let unbroken = world.crawled("unbroken");
    let job = world.path("killed");
    let mut random = seed();
    for kill in 0..10 {
        let mut running = start(world.crawl(&job).args(["--delay", "5ms", "-q"]));
        pause(Duration::from_millis(50 + (next_random(&mut random) * 900.0) as u64));
        assert!(running.is_running() || kill > 4, "it ended before it was killed {} times", kill + 1);
        running.kill();
        if job.join("job.toml").is_file() {
            assert_accounts(&status(&job));
        }
    }
    let ran = run(world.crawl(&job).args(["--delay", "0s", "-q"]), LONG);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    assert_whole(&world, &job, &unbroken);
}

#[test]
fn kills_at_every_step_of_durable_writes_change_no_documents() {
    let world = world();
    let unbroken = world.crawled("unbroken");
    let job = world.path("killed");
    for passes in [1, 2] {
        for point in POINTS {
            let fault = format!("{point}:{passes}");
            let ran = run(world.crawl(&job).args(["--delay", "0s", "-q"]).env("GOLDMINER_FAULT", &fault), LONG);
            // Learning and its consequences happen a few times only: later rounds may have nothing left to do.
            assert!(ran.signal() == Some(SIGABRT) || passes > 1, "{fault} was never passed: {ran:?}");
            assert_accounts(&status(&job));
        }
    }
    let ran = run(world.crawl(&job).args(["--delay", "0s", "-q"]), LONG);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    assert_whole(&world, &job, &unbroken);
}

#[test]
fn domains_are_learned_again_after_a_kill_at_the_end() {
    // No domain has a hundred article-like pages: all learning and extraction comes after the last request.
    let world = world().settings("ip_spacing = \"0s\"");
    let unbroken = world.crawled("unbroken");
    let job = world.path("killed");
    for fault in ["learned:1", "written:1", "written:9", "corpus-committed:1", "learned:1"] {
        let ran = run(world.crawl(&job).args(["--delay", "0s", "-q"]).env("GOLDMINER_FAULT", fault), LONG);
        if fault != "learned:1" || !job.join("profiles.sled").is_dir() {
            assert_eq!(ran.signal(), Some(SIGABRT), "{fault}: {ran:?}");
        }
        assert_accounts(&status(&job));
    }
    let ran = run(world.crawl(&job).args(["--delay", "0s", "-q"]), LONG);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    assert_whole(&world, &job, &unbroken);
}

#[test]
fn a_crawl_killed_at_its_start_begins_again() {
    let world = world().hosts(&["courier.example"]);
    for kill in (0..24).step_by(2) {
        let job = world.path(&format!("job-{kill}"));
        let running = start(world.crawl(&job).args(["--delay", "200ms", "-q"]));
        pause(Duration::from_millis(kill * 10));
        running.kill();
        let ran = run(world.crawl(&job).args(["--delay", "0s", "-q", "--max-pages", "1"]), LONG);
        assert_eq!(ran.code(), Some(3), "after a kill {} ms after its start: {ran:?}", kill * 10);
        assert_accounts(&status(&job));
    }
}
