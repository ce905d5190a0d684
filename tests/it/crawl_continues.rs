//! A job that an older version began is continued by this one, with what this one knows better.
//! `tests/jobs/0.1.0.tar.zst` was made by 0.1.0 over the test web, by the ignored test below.

use std::collections::HashMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use goldminer_testkit::portals::traps::{Trap, visits};
use goldminer_testkit::portals::{Portals, Size};
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

fn kept() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/jobs/0.1.0.tar.zst")
}

fn unpack(packed: &Path, job: &Path) {
    std::fs::create_dir_all(job).unwrap();
    let tar = zstd::decode_all(std::fs::File::open(packed).unwrap()).unwrap();
    let mut unpacking = Command::new("tar").arg("-xC").arg(job).stdin(Stdio::piped()).spawn().unwrap();
    unpacking.stdin.take().unwrap().write_all(&tar).unwrap();
    assert!(unpacking.wait().unwrap().success(), "tar -x");
}

/// Begins the job with the program that the tests run, and packs it.
fn begin(world: &World, to: &Path) {
    let job = world.path("begun");
    let ran = run(world.crawl(&job).args(["--delay", "0s", "-q", "--max-pages", "40"]), LONG);
    assert_eq!(ran.code(), Some(3), "{ran:?}");
    let ran = run(goldminer(&["ctl"]).arg(&job).args(["pause", HELD]), LONG);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    std::fs::remove_dir_all(job.join("log")).unwrap();
    let tar = Command::new("tar").arg("-cC").arg(&job).arg(".").output().unwrap();
    assert!(tar.status.success(), "{tar:?}");
    std::fs::create_dir_all(to.parent().unwrap()).unwrap();
    std::fs::write(to, zstd::encode_all(tar.stdout.as_slice(), 19).unwrap()).unwrap();
}

#[test]
#[ignore = "makes the job: GOLDMINER_PROGRAM=path/to/0.1.0 cargo test --test it -- --ignored a_job_is_begun"]
fn a_job_is_begun_for_later_versions_to_continue() {
    begin(&world(), &kept());
}

#[test]
fn a_job_that_is_begun_for_later_versions_has_something_left_to_do_and_a_host_on_hold() {
    let world = world();
    let (packed, job) = (world.path("packed/job.tar.zst"), world.path("job"));
    begin(&world, &packed);
    unpack(&packed, &job);
    let status = status(&job);
    assert_accounts(&status);
    assert!(status["counts"]["queued"].as_u64() > Some(0), "nothing to go on with: {status:#}");
    let held = status["hosts"].as_array().unwrap().iter().find(|host| host["host"] == format!("http://{HELD}"));
    assert!(held.is_some_and(|host| host["waits_for"] == "paused"), "{status:#}");
}

#[test]
fn a_job_begun_with_0_1_0_goes_on_to_its_end_and_its_hold_is_kept() {
    let world = world();
    let job = world.path("job");
    unpack(&kept(), &job);
    let before = texts(&job.join("corpus"));
    assert!(status(&job)["counts"]["queued"].as_u64() > Some(0), "nothing to go on with");

    // It waits for the operator to resume what is on hold, and has nothing else left to ask for.
    let ran = run(world.crawl(&job).args(["--delay", "0s", "-q", "--max-time", "30s"]), LONG);
    assert_eq!(ran.code(), Some(3), "{ran:?}");
    let status = status(&job);
    assert_accounts(&status);
    for host in status["hosts"].as_array().unwrap() {
        let is_held = host["host"] == format!("http://{HELD}");
        assert!(is_held || host["queued"] == 0, "not at its end: {host:#}");
    }
    let log = world.log();
    assert!(log.iter().all(|entry| entry.host != HELD), "a host on hold was asked: {log:#?}");
    let visits = visits(&log, &TRAPS);
    assert!(visits.values().all(|&count| count <= 200), "{visits:?}");
    let after = texts(&job.join("corpus"));
    let lost: Vec<&String> = before.keys().filter(|url| !after.contains_key(*url)).collect();
    assert!(lost.is_empty(), "documents of before: {lost:?}");

    // Under whichever of its two names: every article once, in the corpus as on the way.
    let portal = portals().find(TRAPPED).unwrap();
    let path_of = |url: &str| url.splitn(4, '/').nth(3).map(|path| format!("/{path}")).unwrap_or_default();
    let mut documents: HashMap<String, usize> = HashMap::new();
    for url in after.keys().filter(|url| url.contains(TRAPPED)) {
        *documents.entry(path_of(url)).or_default() += 1;
    }
    let twins = portal.twins();
    for (path, _) in portal.gold() {
        let others = twins.iter().filter(|(main, _)| *main == path).map(|(_, other)| other);
        let count: usize = std::iter::once(&path).chain(others).filter_map(|path| documents.get(path)).sum();
        assert_eq!(count, 1, "{path}: {documents:#?}");
    }
}
