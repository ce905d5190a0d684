//! Ctrl-C: the first one finishes the requests in flight within ten seconds, the second one ends immediately, and the
//! same command continues.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use goldminer_crawl::config::{Config, Overrides};
use goldminer_crawl::run::crawl::Job;
use goldminer_crawl::run::live::Live;
use goldminer_crawl::run::{Ended, Stop};
use goldminer_crawl::seeds::Seeds;
use goldminer_testkit::portals::{Portals, Size};
use goldminer_testkit::web::Knobs;

use crate::crawl_world::{
    LONG, Running, World, assert_accounts, assert_warcs_are_valid, pause, run, start, status, texts,
};

fn portals() -> Portals {
    Portals::demo(&Size { scale: 0.1, ..Size::default() })
}

fn wait_for(what: &str, mut is_so: impl FnMut() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < Duration::from_secs(60), "{what} did not happen");
        pause(Duration::from_millis(10));
    }
}

#[test]
fn an_interrupted_crawl_ends_in_time_and_continues() {
    let world = World::new(portals(), Knobs::default()).hosts(&["courier.example"]).settings("learning_pages = 8");
    let unbroken = world.crawled("unbroken");
    let before = world.web.log().len();
    let job = world.path("job");
    let mut running = start(world.crawl(&job).args(["--delay", "30ms"]));
    wait_for("a dozen requests", || world.web.log().len() > before + 12);
    let asked = Instant::now();
    running.signal("INT");
    let ran = running.end(LONG);
    assert_eq!(ran.code(), Some(130), "{ran:?}");
    assert!(asked.elapsed() < Duration::from_secs(10), "{:?}", asked.elapsed());
    assert!(ran.stdout.contains("Run the same command to continue"), "{}", ran.stdout);
    assert_accounts(&status(&job));
    let ran = run(world.crawl(&job).args(["--delay", "0s", "-q"]), LONG);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    assert_eq!(texts(&job.join("corpus")), texts(&unbroken.join("corpus")));
    assert_warcs_are_valid(&job.join("archive"));
}

#[test]
fn a_stop_while_the_crawl_begins_is_obeyed() {
    let world = World::new(portals(), Knobs::default()).hosts(&["courier.example"]);
    let text = std::fs::read_to_string(world.seeds()).unwrap();
    let overrides = Overrides {
        delay: Some("30ms".parse().unwrap()),
        allow_private: vec!["loopback".to_owned()],
        resolve: world.web.resolve_rules(),
        ..Overrides::default()
    };
    let config = Config::effective(Seeds::parse(&text, "seeds.toml").unwrap(), &overrides).unwrap();
    let job = Job::open(&world.path("job"), config).unwrap();
    let (stopper, _) = tokio::sync::watch::channel(Stop::No);
    stopper.send_replace(Stop::Soon);
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let report = runtime.block_on(goldminer_crawl::run::crawl(&job, Arc::new(Live::default()), stopper)).unwrap();
    assert_eq!(report.ended, Ended::Interrupted);
    assert!(world.web.log().len() <= 2, "{} requests after the stop", world.web.log().len());
}

/// A crawl of a portal whose answers take a minute, while it waits for one.
fn hanging() -> (World, PathBuf, Running) {
    let knobs = Knobs { slow: 1.0, slow_by: Duration::from_secs(60), ..Knobs::default() };
    let world = World::new(portals(), knobs).hosts(&["courier.example"]);
    let job = world.path("job");
    let running = start(world.crawl(&job).args(["--delay", "10ms"]));
    // robots.txt is spared: it comes at once, and the next request hangs.
    wait_for("robots.txt", || !world.web.log().is_empty());
    pause(Duration::from_millis(500));
    (world, job, running)
}

#[test]
fn a_hanging_request_does_not_delay_the_end() {
    let (_world, job, mut running) = hanging();
    let asked = Instant::now();
    running.signal("INT");
    let ran = running.end(LONG);
    assert_eq!(ran.code(), Some(130), "{ran:?}");
    // Ten seconds are the promise; a busy machine gets two more to end the process.
    assert!(asked.elapsed() < Duration::from_secs(12), "{:?}", asked.elapsed());
    assert_accounts(&status(&job));
}

#[test]
fn a_second_ctrl_c_ends_at_once() {
    let (_world, job, mut running) = hanging();
    running.signal("INT");
    pause(Duration::from_millis(500));
    assert!(running.is_running(), "the first one waits for what is in flight");
    let asked = Instant::now();
    running.signal("INT");
    let ran = running.end(LONG);
    assert_eq!(ran.code(), Some(130), "{ran:?}");
    assert!(asked.elapsed() < Duration::from_secs(2), "{:?}", asked.elapsed());
    assert!(ran.stderr.contains("run the same command to continue"), "{}", ran.stderr);
    assert_accounts(&status(&job));
}

#[test]
fn a_closed_terminal_ends_the_crawl_as_ctrl_c_does() {
    for signal in ["TERM", "HUP"] {
        let world = World::new(portals(), Knobs::default()).hosts(&["courier.example"]);
        let job = world.path("job");
        let mut running = start(world.crawl(&job).args(["--delay", "50ms"]));
        wait_for("a few requests", || world.web.log().len() > 4);
        running.signal(signal);
        let ran = running.end(LONG);
        assert_eq!(ran.code(), Some(130), "{signal}: {ran:?}");
        assert!(ran.stdout.contains("Run the same command to continue"), "{signal}: {}", ran.stdout);
        assert_accounts(&status(&job));
    }
}
