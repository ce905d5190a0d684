//! Reads the state of a crawl while it runs, through its API, and when it is stopped.

use std::time::{Duration, Instant};

use goldminer_testkit::portals::{Portals, Size};
use goldminer_testkit::web::Knobs;
use serde_json::Value;

use crate::crawl_world::{LONG, Running, World, assert_accounts, goldminer, pause, run, start, status};

fn world() -> World {
    let portals = Portals::demo(&Size { scale: 0.15, ..Size::default() });
    World::new(portals, Knobs::default())
        .hosts(&["courier.example", "rundschau.example"])
        .settings("learning_pages = 8\nip_spacing = \"0s\"")
}

fn wait_for_answer(job: &std::path::Path, running: &mut Running) -> Value {
    let began = Instant::now();
    loop {
        assert!(running.is_running(), "the crawl has ended");
        if job.join("control.json").is_file() {
            return status(job);
        }
        assert!(began.elapsed() < Duration::from_secs(60), "no control.json");
        pause(Duration::from_millis(10));
    }
}

#[test]
fn status_why_and_profiles_work_during_and_after_a_crawl() {
    let world = world();
    let job = world.path("job");
    let mut running = start(world.crawl(&job).args(["--delay", "25ms", "-q"]));
    let first = wait_for_answer(&job, &mut running);
    assert_eq!(first["running"], true);
    let mut seen = Vec::new();
    let mut listed_while_running = false;
    while running.is_running() {
        let ran = run(goldminer(&["status", "--json"]).arg(&job), LONG);
        if ran.code() == Some(0) {
            let status: Value = serde_json::from_str(&ran.stdout).unwrap();
            assert_accounts(&status);
            if status["running"] == true {
                seen.push(status["counts"]["discovered"].as_u64().unwrap());
                let ran = run(goldminer(&["profile", "list", "--json"]).arg(&job), LONG);
                listed_while_running |= ran.stdout.contains("courier.example");
            }
        } else {
            // It is ending: its API is closed already, but its lock is still held.
            assert!(ran.stderr.contains("try again in a moment") || ran.stderr.contains("is stopping"), "{ran:?}");
        }
        pause(Duration::from_millis(200));
    }
    let ran = running.end(LONG);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    assert!(seen.len() > 2 && seen.is_sorted(), "{seen:?}");
    assert!(listed_while_running, "no profile was listed while the crawl ran");
    assert!(!job.join("control.json").exists(), "the file is deleted when the crawl ends");

    let still = status(&job);
    assert_eq!(still["running"], false);
    assert_accounts(&still);
    assert_eq!(status(&job)["counts"], still["counts"], "looking changes nothing");
    let list = run(goldminer(&["profile", "list"]).arg(&job), LONG);
    assert!(list.stdout.contains("courier.example") && list.stdout.contains("rundschau.example"), "{list:?}");
    let show = run(goldminer(&["profile", "show"]).arg(&job).arg("courier.example"), LONG);
    assert_eq!(show.code(), Some(0), "{show:?}");
    let none = run(goldminer(&["profile", "show"]).arg(&job).arg("nowhere.example"), LONG);
    assert_eq!(none.code(), Some(1), "{none:?}");
    assert!(none.stderr.contains("profile list"), "{}", none.stderr);
}

#[test]
fn why_gives_the_reason_for_any_url() {
    let world = world().hosts(&["courier.example"]);
    let job = world.crawled("job");
    let why = |url: &str| -> Value {
        let ran = run(goldminer(&["why", "--json"]).arg(&job).arg(url), LONG);
        assert_eq!(ran.code(), Some(0), "{ran:?}");
        serde_json::from_str(&ran.stdout).unwrap()
    };
    let front = why("http://courier.example/");
    assert_eq!(front["life"]["account"]["done"], "fetched", "{front:#}");
    let forbidden = why("http://courier.example/private/subscribers/1");
    assert_eq!(forbidden["life"]["account"]["done"], "disallowed", "{forbidden:#}");
    assert!(forbidden["life"]["answer"]["note"].as_str().unwrap().contains("/private/"), "{forbidden:#}");
    let elsewhere = why("http://elsewhere.example/");
    assert_eq!(elsewhere["life"], Value::Null, "{elsewhere:#}");
    assert_eq!(elsewhere["portals"][0]["wanted"], false, "{elsewhere:#}");
    let wrong = run(goldminer(&["why"]).arg(&job).arg("no url"), LONG);
    assert_eq!(wrong.code(), Some(2), "{wrong:?}");
    assert!(wrong.stderr.contains("no url"), "{}", wrong.stderr);
}

#[test]
fn a_second_crawl_in_a_directory_is_refused_with_the_reason() {
    let world = world();
    let job = world.path("job");
    let mut running = start(world.crawl(&job).args(["--delay", "100ms", "-q"]));
    wait_for_answer(&job, &mut running);
    while world.log().len() < 12 {
        pause(Duration::from_millis(20));
    }
    let second = run(world.crawl(&job).args(["--delay", "0s"]), LONG);
    assert_eq!(second.code(), Some(1), "{second:?}");
    assert!(second.stderr.contains("in use by process") && second.stderr.contains("goldminer status"), "{second:?}");
    // Its pages can be extracted meanwhile.
    let ran = run(goldminer(&["extract"]).arg(&job).arg("-o").arg(world.path("out")), LONG);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    assert!(running.is_running());
    running.kill();
    // A dead process leaves control.json behind, which must not mislead anybody.
    assert!(job.join("control.json").exists());
    assert_eq!(status(&job)["running"], false);
}

#[test]
fn a_host_that_waits_for_its_ip_address_is_shown() {
    let portals = Portals::demo(&Size { scale: 0.1, ..Size::default() });
    let world = World::new(portals, Knobs::default())
        .hosts(&["courier.example", "hirnok.example", "gazette.example"])
        .settings("ip_spacing = \"2s\"");
    let job = world.path("job");
    let mut running = start(world.crawl(&job).args(["--delay", "100ms", "-q"]));
    wait_for_answer(&job, &mut running);
    let began = Instant::now();
    let waiting = loop {
        let status = status(&job);
        let hosts = status["hosts"].as_array().unwrap().clone();
        if let Some(host) = hosts.into_iter().find(|host| host["waits_for"] == "address") {
            break host;
        }
        assert!(began.elapsed() < Duration::from_secs(60), "nobody waits: {status:#}");
        pause(Duration::from_millis(50));
    };
    assert_eq!(waiting["address"]["address"], "127.0.0.1", "{waiting:#}");
    assert!(waiting["address"]["hosts"].as_u64() >= Some(2), "{waiting:#}");
    let text = loop {
        let ran = run(goldminer(&["status"]).arg(&job), LONG);
        if ran.stdout.contains("waiting between requests to the IP address 127.0.0.1, which ")
            || began.elapsed() > Duration::from_secs(60)
        {
            break ran.stdout;
        }
    };
    assert!(text.contains("waiting between requests to the IP address 127.0.0.1, which "), "{text}");
    running.kill();
}
