//! Operating a crawl: commands through its API and on a stopped job, metrics for Prometheus, and a disk that becomes
//! full.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::time::{Duration, Instant};

use goldminer_testkit::portals::{Portals, Size};
use goldminer_testkit::web::Knobs;
use serde_json::Value;

use crate::crawl_world::{LONG, Ran, World, goldminer, pause, run, start, status};
use crate::small_web::text_of;

fn portals() -> Portals {
    Portals::demo(&Size { scale: 0.4, ..Size::default() })
}

fn world() -> World {
    World::new(portals(), Knobs::default()).settings("ip_spacing = \"0s\"")
}

fn ctl(job: &Path, words: &[&str]) -> Ran {
    run(goldminer(&["ctl"]).arg(job).args(words), LONG)
}

/// A command that must be executed; returns its answer.
fn execute(job: &Path, words: &[&str]) -> String {
    let ran = ctl(job, words);
    assert_eq!(ran.code(), Some(0), "{words:?}: {ran:?}");
    ran.stdout
}

fn host(job: &Path, name: &str) -> Value {
    let status = status(job);
    let hosts = status["hosts"].as_array().unwrap();
    hosts.iter().find(|host| host["host"] == format!("http://{name}")).cloned().unwrap_or_default()
}

/// Waits until a condition holds; a minute is always more than enough.
fn wait(what: &str, mut is_so: impl FnMut() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < Duration::from_secs(180), "{what}");
        pause(Duration::from_millis(20));
    }
}

#[test]
fn a_running_crawl_carries_out_commands() {
    let world = world().hosts(&["courier.example", "gazette.example"]);
    let job = world.path("job");
    let requests = |host: &str| world.log().iter().filter(|entry| entry.host == host).count();
    let mut crawl = start(world.crawl(&job).args(["--delay", "150ms", "-q"]));
    wait("no page was asked for", || requests("courier.example") > 2);

    let message = execute(&job, &["pause", "courier.example"]);
    assert!(message.contains("http://courier.example is paused"), "{message}");
    // Requests in flight still finish.
    pause(Duration::from_millis(300));
    let (paused, other) = (requests("courier.example"), requests("gazette.example"));
    pause(Duration::from_millis(900));
    assert_eq!(requests("courier.example"), paused, "it was asked while it was paused");
    assert!(requests("gazette.example") > other, "the other host must go on");
    assert_eq!(host(&job, "courier.example")["waits_for"], "paused");
    let lines = run(goldminer(&["status"]).arg(&job), LONG).stdout;
    let line = lines.lines().find(|line| line.starts_with("http://courier.example")).unwrap_or_default();
    assert!(line.ends_with("none  paused by a command"), "when it is due next, and why: {lines}");

    let message = execute(&job, &["resume", "courier.example"]);
    assert!(message.contains("gets requests again"), "{message}");
    wait("it was not resumed", || requests("courier.example") > paused);

    let message = execute(&job, &["delay", "gazette.example", "20s"]);
    assert!(message.contains("has a delay of 20s now"), "{message}");
    assert_eq!(host(&job, "gazette.example")["delay"]["secs"], 20);
    let message = execute(&job, &["resume", "gazette.example"]);
    // The delay counts from the end of the last request, so a slow request moves it.
    let due = message.split("the next request is due in ").nth(1);
    let due = due.and_then(|rest| rest.split('s').next()?.parse::<u64>().ok());
    assert!(due.is_some_and(|due| (10..30).contains(&due)), "its delay still applies: {message}");
    wait("a delay of 20 s is waited for", || {
        let lines = run(goldminer(&["status"]).arg(&job), LONG).stdout;
        lines.lines().any(|line| line.starts_with("http://gazette.example") && line.ends_with("waiting for the delay"))
    });

    let wrong = ctl(&job, &["delay", "gazette.example", "25h"]);
    assert_eq!(wrong.code(), Some(1), "{wrong:?}");
    assert!(wrong.stderr.contains("a delay of 25h is too long"), "{wrong:?}");
    let wrong = ctl(&job, &["block", "gazete.example"]);
    assert_eq!(wrong.code(), Some(1), "{wrong:?}");
    assert!(wrong.stderr.contains("knows no host \"gazete.example\"; did you mean gazette.example?"), "{wrong:?}");

    assert_eq!(requests("naplo.example"), 0);
    let message = execute(&job, &["add", "http://naplo.example/"]);
    assert!(message.contains("http://naplo.example/ is queued, in a new portal naplo.example"), "{message}");
    wait("the new portal was not crawled", || requests("naplo.example") > 2);
    let message = execute(&job, &["add", "http://naplo.example/"]);
    assert!(message.contains("is known already: a seed, done (fetched)"), "{message}");

    let message = execute(&job, &["stop"]);
    assert!(message.contains("finishes the requests in flight"), "{message}");
    let ran = crawl.end(Duration::from_secs(20));
    assert_eq!(ran.code(), Some(130), "{ran:?}");
    let outcome = text_of(&job.join("outcome.json"));
    assert!(outcome.contains("naplo.example"), "the portal that was added is missing: {outcome}");
}

#[test]
fn no_request_is_sent_after_a_confirmed_pause_or_delay() {
    // All share an address, so that most leases wait for it when the command comes.
    let portals = Portals::many(12, 40, &Size { traps: false, ..Size::default() });
    let names = portals.hosts();
    let world = World::new(portals, Knobs::default()).settings("ip_spacing = \"150ms\"");
    let job = world.path("job");
    let requests = |host: &str| world.log().iter().filter(|entry| entry.host == *host).count();
    let mut crawl = start(world.crawl(&job).args(["--delay", "100ms", "-q"]));
    wait("not all were asked", || names.iter().all(|host| requests(host) > 1));
    let mut told_of = Vec::new();
    for (number, host) in names.iter().take(10).enumerate() {
        match number % 3 {
            0 => execute(&job, &["pause", host]),
            1 => execute(&job, &["block", host]),
            _ => execute(&job, &["delay", host, "10m"]),
        };
        told_of.push((host, requests(host)));
    }
    pause(Duration::from_secs(4));
    let leaked: Vec<_> = told_of.iter().filter(|(host, before)| requests(host) > *before).collect();
    assert!(leaked.is_empty(), "asked after the confirmation: {leaked:?}");
    crawl.signal("INT");
    assert_eq!(crawl.end(Duration::from_secs(20)).code(), Some(130));
}

#[test]
fn a_stopped_job_takes_commands_and_the_next_run_obeys() {
    let world = world().hosts(&["courier.example", "gazette.example"]);
    let job = world.path("job");
    let ran = run(world.crawl(&job).args(["--delay", "0s", "-q", "--max-pages", "12"]), LONG);
    assert_eq!(ran.code(), Some(3), "{ran:?}");
    let message = execute(&job, &["block", "http://courier.example/", "--json"]);
    let message: Value = serde_json::from_str(&message).unwrap();
    assert_eq!(message["order"]["block"]["host"], "http://courier.example/");
    assert!(message["done"][0].as_str().unwrap().contains("http://courier.example is blocked"), "{message}");
    assert!(execute(&job, &["add", "http://naplo.example/"]).contains("in a new portal"), "a seed");
    assert!(execute(&job, &["stop"]).contains("no crawl is running"), "nothing to stop");
    assert_eq!(host(&job, "courier.example")["waits_for"], "blocked");
    let before = world.log().len();

    let ran = run(world.crawl(&job).args(["--delay", "0s", "-q"]), LONG);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    let log = world.log().split_off(before);
    assert!(log.iter().all(|entry| entry.host != "courier.example"), "a blocked host was asked");
    let naplo = portals().find("naplo.example").unwrap();
    let found = naplo.gold().filter(|(path, _)| log.iter().any(|entry| entry.path == *path)).count();
    assert!(found * 10 >= naplo.gold().count() * 9, "only {found} articles of the added portal");
    let status = status(&job);
    assert!(status["counts"]["queued"].as_u64().unwrap() > 0, "what is blocked stays queued");
    assert_eq!(status["identity_holds"], true);

    let book = text_of(&Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/src/reference/summaries.md"));
    let documented = book.split("## `status`").nth(1).unwrap();
    let lists = ["domains", "hosts", "portals"].map(|list| &status[list][0]);
    for object in [&status, &status["counts"]].into_iter().chain(lists) {
        let missing = object.as_object().unwrap().keys().find(|key| !documented.contains(&format!("`{key}`")));
        assert_eq!(missing, None, "a key of `status --json` that the book does not describe");
    }

    // An added portal stays open, though the seeds file does not name it.
    assert!(std::fs::read_to_string(job.join("job.toml")).unwrap().contains("added = [\"http://naplo.example/\"]"));
}

#[test]
fn a_portal_missing_in_new_seeds_is_named_with_the_reason() {
    let world = world().hosts(&["courier.example", "gazette.example"]);
    let job = world.path("job");
    let ran = run(world.crawl(&job).args(["--delay", "0s", "-q", "--max-pages", "12"]), LONG);
    assert_eq!(ran.code(), Some(3), "{ran:?}");
    let seeds = text_of(&world.path("seeds.toml"));
    std::fs::write(world.path("other.toml"), seeds.rsplit_once("[[portal]]").unwrap().0).unwrap();
    let mut again = goldminer(&["crawl", "--allow-private", "--delay", "0s", "--max-pages", "15"]);
    again.arg(world.path("other.toml")).arg("--dir").arg(&job);
    for rule in world.web.resolve_rules() {
        again.args(["--resolve", &rule]);
    }
    let ran = run(&mut again, LONG);
    let named = "so they get no requests; their pages and documents stay: gazette.example\n";
    assert!(ran.stderr.contains(named), "{}", ran.stderr);
    assert_eq!(host(&job, "gazette.example")["waits_for"], "seeds");
    let lines = run(goldminer(&["status"]).arg(&job), LONG).stdout;
    assert!(lines.contains("its portal is not in the seeds file any more"), "{lines}");
    // With the earlier seeds file, it continues.
    let ran = run(world.crawl(&job).args(["--delay", "0s", "-q"]), LONG);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    assert_ne!(host(&job, "gazette.example")["waits_for"], "seeds");
}

#[test]
fn why_applies_robots_txt_to_urls_never_requested() {
    let world = world().hosts(&["courier.example"]);
    let job = world.path("job");
    run(world.crawl(&job).args(["--delay", "0s", "-q", "--max-pages", "3"]), LONG);
    let forbidden = portals().find("courier.example").unwrap().forbidden().remove(0);
    let why = |path: &str| {
        let ran = run(goldminer(&["why"]).arg(&job).arg(format!("http://courier.example{path}")), LONG);
        assert_eq!(ran.code(), Some(0), "{ran:?}");
        ran.stdout
    };
    assert!(why(&forbidden).contains("robots   disallowed: rule"), "{}", why(&forbidden));
    let unheard = why("/never-heard-of");
    assert!(
        unheard.contains(
            "\nthe crawl has not come across this URL; if it does, it queues it for the portal courier.example\n"
        ),
        "{unheard}"
    );
    assert!(unheard.contains("robots   allowed"), "{unheard}");
    assert!(
        why(&forbidden).contains("\nqueued, but it will not be requested: robots.txt disallows it\n")
            || why(&forbidden).contains("not come across this URL; robots.txt disallows it\n"),
        "{}",
        why(&forbidden)
    );
    let robots = why("/robots.txt");
    assert!(robots.contains("\nthe crawl requests this file by itself. State: has rules. "), "{robots}");
    let front = why("/");
    assert!(front.contains("\nfetched\n") && front.contains("status 200"), "{front}");
}

#[test]
fn prometheus_gets_figures_that_add_up() {
    let world = world().hosts(&["courier.example"]);
    let job = world.path("job");
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let mut crawl = start(world.crawl(&job).args(["--delay", "100ms", "-q", "--metrics", &port.to_string()]));
    let scrape = |path: &str| -> Option<String> {
        let mut stream = TcpStream::connect(("127.0.0.1", port)).ok()?;
        stream.write_all(format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n").as_bytes()).ok()?;
        let mut text = String::new();
        stream.read_to_string(&mut text).ok()?;
        Some(text)
    };
    let value = |text: &str, name: &str| -> u64 {
        let line =
            text.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_else(|| panic!("no {name} in {text}"));
        line.trim().parse().unwrap()
    };
    let mut text = String::new();
    wait("nothing was fetched", || {
        text = scrape("/metrics").unwrap_or_default();
        text.contains("goldminer_fetched_total") && value(&text, "goldminer_fetched_total ") > 3
    });
    assert!(text.starts_with("HTTP/1.1 200 OK"), "{text}");
    let urls = text.lines().filter(|line| line.starts_with("goldminer_urls{"));
    let sum: u64 = urls.filter_map(|line| line.rsplit(' ').next()?.parse::<u64>().ok()).sum();
    assert_eq!(sum, value(&text, "goldminer_urls_discovered "));
    // Other paths of the port need the token and the full host name.
    assert!(scrape("/request").unwrap().starts_with("HTTP/1.1 421"));
    crawl.signal("INT");
    assert_eq!(crawl.end(Duration::from_secs(20)).code(), Some(130));
}

#[test]
fn a_crawl_on_a_full_disk_pauses_and_says_so() {
    let world = world().hosts(&["courier.example"]).settings("min_free = \"1000TB\"");
    let job = world.path("job");
    let ran = run(world.crawl(&job).args(["--delay", "0s", "--max-time", "2s"]), LONG);
    assert_eq!(ran.code(), Some(3), "{ran:?}");
    assert!(ran.stderr.contains("the crawl pauses"), "{ran:?}");
    assert!(world.log().is_empty(), "{:?}", world.log());
}

#[test]
fn a_crawl_that_finds_nothing_new_raises_an_alarm_once() {
    let world = world().hosts(&["courier.example"]).settings("ip_spacing = \"0s\"\nalarm_after = \"1s\"");
    // All URLs are known when the crawl begins to follow the portal.
    let job = world.crawled("job");
    let mut crawl = start(world.crawl(&job).args(["--delay", "0s", "--max-time", "10m"]));
    wait("it did not run on", || job.join("control.json").is_file());
    // Several times as long as the alarm takes.
    wait("something new was found", || status(&job)["live"]["seconds_without_news"].as_u64() >= Some(4));
    crawl.signal("INT");
    let ran = crawl.end(Duration::from_secs(20));
    assert_eq!(ran.code(), Some(130), "{ran:?}");
    assert_eq!(ran.stderr.matches("no new URL was discovered").count(), 1, "{ran:?}");
}
