//! The console from the outside: what it shows of jobs, and to whom.

use goldminer_testkit::portals::{Portals, Size};
use goldminer_testkit::web::Knobs;

use crate::console_client::ConsoleClient;
use crate::crawl_world::{LONG, World, pause, run};

fn small() -> World {
    let portals = Portals::demo(&Size { scale: 0.1, ..Size::default() });
    World::new(portals, Knobs::default()).hosts(&["courier.example", "gazette.example"])
}

#[test]
fn the_first_page_shows_the_state_of_a_job() {
    let world = small();
    let job = world.path("jobs").join("<b>mine");
    let ran = run(world.crawl(&job).args(["--delay", "0s", "-q", "--max-pages", "12"]), LONG);
    assert_eq!(ran.code(), Some(3), "{ran:?}");
    let console = ConsoleClient::open(&world.path("jobs"));
    let first = console.get("/");
    assert_eq!(first.status, 200, "{first:?}");
    for part in ["&lt;b&gt;mine", ">stopped<", "stopped at the page limit", "What needs attention", "Over time"] {
        assert!(first.body.contains(part), "{part} is missing in\n{}", first.body);
    }
    assert!(!first.body.contains("<b>mine"), "a job's name is text");
    let policy = first.header("content-security-policy");
    assert!(policy.contains("default-src 'none'") && policy.contains("script-src 'self';"), "{policy}");

    let address = "/job/%3Cb%3Emine";
    let portals = console.get(&format!("{address}/portals?sort=name&order=descending"));
    let at = |name: &str| portals.body.find(&format!("\">{name}")).unwrap_or_else(|| panic!("no {name}"));
    assert!(at("gazette.example") < at("courier.example"), "{}", portals.body);
    assert!(!console.get(&format!("{address}/portals?q=gaz")).body.contains("courier.example"), "it was filtered");
    assert!(console.get(address).body.contains("<svg"), "what came when is drawn");
    let numbers = console.listen(&format!("{address}/live"));
    assert!(numbers.contains("\"running\":false"), "{numbers}");
    for path in ["/job/nobody", "/job/..", "/job/%2E%2E%2Fjobs", "/elsewhere"] {
        assert_eq!(console.get(path).status, 404, "{path}");
    }
}

#[test]
fn access_needs_the_token_and_other_sites_start_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let console = ConsoleClient::open(dir.path());
    let (host, cookie) = (&console.host, &console.cookie);
    for path in ["/", "/console.js", "/?token=guess"] {
        let page = console.ask(&format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n"), "");
        assert_eq!(page.status, 401, "{path}: {page:?}");
    }
    let rebound = console.ask(&format!("GET / HTTP/1.1\r\nHost: rebound.example\r\nCookie: {cookie}\r\n"), "");
    assert_eq!(rebound.status, 421, "{rebound:?}");
    let form = "Content-Type: application/x-www-form-urlencoded\r\n";
    let post = |origin: &str, body: &str| {
        let head = format!("POST /start HTTP/1.1\r\nHost: {host}\r\nOrigin: {origin}\r\nCookie: {cookie}\r\n{form}");
        console.ask(&head, body).status
    };
    assert_eq!(post("http://evil.example", "what=demo"), 403);
    assert_eq!(post(&format!("http://{host}"), "what=demo&check=guess"), 403, "a form that is none of ours");
    assert_eq!(console.get("/start").status, 405, "GET starts nothing");
    assert!(std::fs::read_dir(dir.path()).unwrap().next().is_none(), "something was started");
}

#[test]
fn a_crawl_that_cannot_start_says_why_on_the_first_page() {
    let dir = tempfile::tempdir().unwrap();
    let seeds = dir.path().join("seeds.toml");
    std::fs::write(&seeds, "[[portal]]\nstart = [\"https://portal.example/\"]\n").unwrap();
    std::fs::create_dir(dir.path().join("jobs")).unwrap();
    let console = ConsoleClient::open(&dir.path().join("jobs"));
    let missing = console.send("/start", &[("what", "seeds"), ("seeds", "/no/such/file")]);
    assert_eq!(missing.status, 400);
    assert!(missing.body.contains("there is no file /no/such/file"), "{}", missing.body);
    let started = console.send("/start", &[("what", "seeds"), ("seeds", seeds.to_str().unwrap())]);
    assert_eq!((started.status, started.header("location")), (303, "/"), "{started:?}");
    for _ in 0..500 {
        let first = console.get("/").body;
        if first.contains("seeds: failed (exit code 2)") {
            assert!(first.contains("no user agent"), "{first}");
            return;
        }
        pause(std::time::Duration::from_millis(20));
    }
    panic!("its end is not reported:\n{}", console.get("/").body);
}

#[test]
fn an_unreadable_job_says_why_and_others_are_shown() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir(dir.path().join("broken")).unwrap();
    std::fs::write(dir.path().join("broken").join("job.toml"), "[crawl]\nuser_agent = 7\n").unwrap();
    let world = small();
    let ran = run(world.crawl(&dir.path().join("whole")).args(["--delay", "0s", "-q", "--max-pages", "5"]), LONG);
    assert_eq!(ran.code(), Some(3), "{ran:?}");
    let console = ConsoleClient::open(dir.path());
    let first = console.get("/").body;
    assert!(first.contains("broken/job.toml: invalid type"), "{first}");
    assert!(first.contains("stopped at the page limit"), "{first}");
}

#[test]
#[cfg(target_os = "linux")]
fn the_console_closes_the_database_of_a_stopped_job() {
    let world = small();
    let job = world.path("jobs").join("mine");
    let ran = run(world.crawl(&job).args(["--delay", "0s", "-q", "--max-pages", "5"]), LONG);
    assert_eq!(ran.code(), Some(3), "{ran:?}");
    let console = ConsoleClient::open(&world.path("jobs"));
    assert!(console.get("/").body.contains(">stopped<"));
    console.get("/job/mine/portal?name=courier.example");
    let paused = console
        .send("/job/mine/command", &[("portal", "courier.example"), ("command", "pause"), ("host", "courier.example")]);
    assert_eq!(paused.status, 200, "{paused:?}");
    // Open threads prove nothing: sled keeps them for its next database. It closes its files slightly later, on one of
    // these threads.
    let job = job.canonicalize().unwrap();
    let open = || -> Vec<_> {
        let files = std::fs::read_dir(format!("/proc/{}/fd", console.process())).unwrap();
        let files = files.filter_map(|file| std::fs::read_link(file.unwrap().path()).ok());
        files.filter(|file| file.starts_with(&job)).collect()
    };
    let until = std::time::Instant::now() + std::time::Duration::from_secs(20);
    while !open().is_empty() {
        assert!(std::time::Instant::now() < until, "{:?}", open());
        pause(std::time::Duration::from_millis(20));
    }
}
