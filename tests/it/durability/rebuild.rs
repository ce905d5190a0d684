//! A job whose databases are lost or damaged: rebuilt from the archive, without requests to any portal.

use std::path::Path;

use goldminer_testkit::portals::{Portals, Size};
use goldminer_testkit::web::Knobs;
use serde_json::{Value, json};

use crate::crawl_world::{LONG, Ran, World, assert_accounts, documents, goldminer, run, status, texts};

fn world() -> World {
    let portals = Portals::demo(&Size { scale: 0.3, ..Size::default() });
    World::new(portals, Knobs::default())
        .hosts(&["courier.example", "naplo.example"])
        .settings("ip_spacing = \"0s\"\nlearning_pages = 12")
}

/// A crawl that was stopped on the way.
fn begun(world: &World) -> std::path::PathBuf {
    let job = world.path("job");
    let ran = run(world.crawl(&job).args(["--delay", "0s", "-q", "--max-pages", "60"]), LONG);
    assert_eq!(ran.code(), Some(3), "{ran:?}");
    job
}

fn rebuild(job: &Path) -> Ran {
    run(goldminer(&["rebuild"]).arg(job), LONG)
}

/// Continues the crawl of a rebuilt job to its end, and checks that nothing was requested twice and that the documents
/// are those of an unbroken crawl.
fn assert_goes_on(world: &World, job: &Path) {
    let ran = run(world.crawl(job).args(["--delay", "0s", "-q"]), LONG);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    let log = world.log();
    let mut asked: Vec<(&str, &str)> = log
        .iter()
        .filter(|entry| entry.status == 200 && entry.path != "/robots.txt")
        .map(|entry| (entry.host.as_str(), entry.path.as_str()))
        .collect();
    asked.sort_unstable();
    let twice: Vec<_> = asked.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| pair[0]).collect();
    assert!(twice.is_empty(), "fetched twice: {twice:?}");
    assert_accounts(&status(job));
    let unbroken = world.crawled("unbroken");
    assert_eq!(
        texts(&job.join("corpus")).keys().collect::<Vec<_>>(),
        texts(&unbroken.join("corpus")).keys().collect::<Vec<_>>()
    );
}

#[test]
fn a_deleted_frontier_is_rebuilt_and_the_crawl_continues() {
    let world = world();
    let job = begun(&world);
    let (before, accounts) = (documents(&job.join("corpus")), status(&job));
    std::fs::remove_dir_all(job.join("frontier")).unwrap();
    std::fs::write(job.join("pages.jsonl.zst"), b"of an earlier version").unwrap();

    let refused = run(world.crawl(&job).args(["--delay", "0s"]), LONG);
    assert_eq!(refused.code(), Some(1), "{refused:?}");
    assert!(refused.stderr.contains(&format!("goldminer rebuild {}", job.display())), "{refused:?}");

    let ran = run(goldminer(&["rebuild", "--json"]).arg(&job), LONG);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    let report: Value = serde_json::from_str(&ran.stdout).unwrap();
    let after = status(&job);
    assert_accounts(&after);
    assert_eq!(report["counts"], after["counts"]);
    assert_eq!(report["documents"], before.len());
    assert_eq!(report["aside"], json!([]), "there was none to move aside");
    for number in ["discovered", "done", "rejected", "pages", "robots"] {
        assert_eq!(after["counts"][number], accounts["counts"][number], "{number}");
    }
    assert_eq!(documents(&job.join("corpus")), before, "the corpus is written anew under the same profiles");
    let out = world.path("out");
    let ran = run(goldminer(&["extract"]).arg(&job).arg("-o").arg(&out), LONG);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    assert!(!ran.stderr.contains("pages.jsonl.zst"), "the list of pages is written anew, too: {}", ran.stderr);
    assert_goes_on(&world, &job);
}

#[test]
fn pauses_blocks_and_delays_outlive_a_rebuild_and_a_drop() {
    let world = world();
    let job = begun(&world);
    for order in [&["block", "courier.example"][..], &["delay", "naplo.example", "150ms"]] {
        let ran = run(goldminer(&["ctl"]).arg(&job).args(order), LONG);
        assert_eq!(ran.code(), Some(0), "{ran:?}");
    }
    assert_eq!(rebuild(&job).code(), Some(0));
    let page = documents(&job.join("corpus")).into_values().next().expect("a document").url;
    let ran = run(goldminer(&["drop"]).arg(&job).arg(&page), LONG);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    let asked = |host: &str| world.log().iter().filter(|entry| entry.host == host).count();
    let before = (asked("courier.example"), asked("naplo.example"));
    run(world.crawl(&job).args(["--delay", "0s", "-q", "--max-time", "3s"]), LONG);
    let after = (asked("courier.example"), asked("naplo.example"));
    assert_eq!(after.0, before.0, "a blocked host was requested");
    assert!(after.1 > before.1 && after.1 - before.1 <= 21, "{before:?}, {after:?}: the delay is 150 ms");
}

#[test]
fn urls_that_a_command_added_outlive_a_rebuild() {
    let world = world();
    let job = begun(&world);
    for url in ["http://courier.example/not-linked", "http://gazette.example/"] {
        let ran = run(goldminer(&["ctl"]).arg(&job).args(["add", url]), LONG);
        assert_eq!(ran.code(), Some(0), "{ran:?}");
    }
    std::fs::remove_dir_all(job.join("frontier")).unwrap();
    assert_eq!(rebuild(&job).code(), Some(0));
    let queued = run(goldminer(&["status", "--urls", "queued"]).arg(&job), LONG).stdout;
    assert!(
        queued.contains("http://courier.example/not-linked\t") && queued.contains("http://gazette.example/\t"),
        "{queued}"
    );
    // With the seeds file, which names neither the URL nor the portal.
    run(world.crawl(&job).args(["--delay", "0s", "-q", "--max-pages", "70"]), LONG);
    let asked = |host: &str, path: &str| world.log().iter().any(|entry| entry.host == host && entry.path == path);
    assert!(asked("courier.example", "/not-linked") && asked("gazette.example", "/"));
}

#[test]
fn after_a_rebuild_a_seed_is_found_before_its_response() {
    let world = world();
    let job = begun(&world);
    std::fs::remove_dir_all(job.join("frontier")).unwrap();
    assert_eq!(rebuild(&job).code(), Some(0));
    let ran = run(goldminer(&["why", "--json"]).arg(&job).arg("http://courier.example/"), LONG);
    let life = serde_json::from_str::<Value>(&ran.stdout).unwrap()["life"].clone();
    assert!(life["found"].as_str() <= life["answer"]["ended"].as_str(), "{life:#}");
}

#[test]
fn a_damaged_database_says_how_to_rebuild_it() {
    let world = world();
    let job = begun(&world);
    for entry in std::fs::read_dir(job.join("frontier")).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() {
            std::fs::write(&path, b"this is no database").unwrap();
        }
    }
    let refused = run(world.crawl(&job).args(["--delay", "0s", "-q"]), LONG);
    assert_eq!(refused.code(), Some(1), "{refused:?}");
    assert!(refused.stderr.contains(&format!("goldminer rebuild {}", job.display())), "{refused:?}");
    let ran = rebuild(&job);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    assert!(ran.stdout.contains("frontier.old"), "the old one is kept: {ran:?}");
    assert_goes_on(&world, &job);
}

#[test]
fn deleted_profiles_are_learned_again() {
    let world = world();
    let job = begun(&world);
    std::fs::remove_dir_all(job.join("profiles.sled")).unwrap();
    assert_goes_on(&world, &job);
    let list = run(goldminer(&["profile", "list"]).arg(&job), LONG);
    assert!(list.stdout.contains("courier.example") && list.stdout.contains("naplo.example"), "{list:?}");
}
