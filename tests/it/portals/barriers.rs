//! Portals that cannot be read, each for a different reason. A crawl that gets no documents from them does not end as a
//! success, and the reason is reported with evidence, during the crawl and after its end.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

use goldminer_core::document::{Access, Method};
use goldminer_testkit::barriers::Barrier;
use goldminer_testkit::portals::{Portals, Size};
use goldminer_testkit::web::WebConfig;
use serde_json::Value;

use crate::crawl_world::{LONG, World, documents, goldminer, pause, run, start, status, texts};
use crate::small_web::text_of;

/// A web of one ordinary portal and these hosts.
fn world(barriers: &[Barrier]) -> World {
    let portals = Portals::many(1, 12, &Size { traps: false, ..Size::default() });
    let hosts: Vec<String> = portals.hosts().into_iter().chain(barriers.iter().map(|barrier| barrier.host())).collect();
    let hosts: Vec<&str> = hosts.iter().map(String::as_str).collect();
    World::serve(WebConfig { barriers: true, ..WebConfig::new(portals) }).hosts(&hosts)
}

fn no_yield() -> Vec<Barrier> {
    Barrier::ALL.iter().copied().filter(|barrier| barrier.reason().is_some()).collect()
}

/// What a line of evidence must say.
fn evidence(barrier: Barrier) -> &'static str {
    match barrier {
        Barrier::Scripts => "its text is made by scripts, which GoldMiner does not run (seen on 10 of 10 pages",
        Barrier::Consent | Barrier::ConsentInPlace => "it shows a consent dialog instead of text (seen on ",
        Barrier::Login => "it requires a login (seen on 10 of 10 pages",
        Barrier::Paywall => "its pages declare that they are not free (seen on ",
        Barrier::Captcha => "it shows a CAPTCHA (seen on 10 of 10 pages",
        Barrier::Refused => "it refuses (status 403 for ",
        Barrier::Disallowed => "robots.txt forbids it (Disallow: /)",
        Barrier::Noindex => "17 of its 17 pages are not used, because they say noindex",
        Barrier::Moved => "its start page redirects to http://elsewhere.example/",
        Barrier::Signpost => "all 6 links of its pages are out of its scope, most of them to http://elsewhere.example/",
        _ => "",
    }
}

#[test]
fn each_unreadable_portal_is_reported_with_its_reason() {
    let no_yield = no_yield();
    let world = world(&no_yield).settings("ip_spacing = \"0s\"\nbackoff = \"100ms\"");
    let job = world.path("job");
    let ran = run(world.crawl(&job).args(["--delay", "0s"]), LONG);
    let outcome: Value = serde_json::from_str(&text_of(&job.join("outcome.json"))).unwrap();
    let report = run(goldminer(&["report"]).arg(&job), LONG);
    assert_eq!(report.code(), Some(0), "{report:?}");
    let report = text_of(&job.join("report/crawl.html"));
    let at_rest = run(goldminer(&["status"]).arg(&job), LONG).stdout;
    let status_json = status(&job);
    for barrier in &no_yield {
        let (host, reason) = (barrier.host(), barrier.reason().unwrap());
        let of = |portals: &Value| portals.as_array().unwrap().iter().find(|one| one["portal"] == host).cloned();
        let portal = of(&outcome["portals"]).unwrap_or_else(|| panic!("{host} is missing: {outcome:#}"));
        let nothing = &portal["nothing"];
        assert_eq!(nothing.get("by").unwrap_or(&nothing["why"]), reason, "{host}: {portal:#}\n{ran:?}");
        assert_eq!(of(&status_json["no_yield"]), Some(portal), "status in JSON");
        for (place, text) in [("summary", &ran.stdout), ("status", &at_rest)] {
            let is_its_own =
                |line: &&str| line.trim_start().starts_with(&format!("{host} ")) && line.contains(" none  ");
            let line = text.lines().find(is_its_own).unwrap_or_else(|| panic!("{host} is not in the {place}:\n{text}"));
            assert!(line.contains(evidence(*barrier)), "{place}: {line}");
        }
        assert!(report.contains(&host), "{host} is not in the report");
    }
    assert!(ran.stdout.contains("12 documents from 1 of"), "{}", ran.stdout);
    assert_eq!(ran.code(), Some(4), "{ran:?}");
}

#[test]
fn obstacles_are_reported_while_the_crawl_runs() {
    let barriers = [Barrier::Scripts, Barrier::Login, Barrier::Refused, Barrier::Disallowed, Barrier::Noindex];
    let world = world(&barriers);
    let (job, port) = (world.path("job"), free_port());
    let mut crawl = start(world.crawl(&job).args(["--delay", "600ms", "--metrics", &port.to_string()]));
    let mut status_json = Value::Null;
    for _ in 0..600 {
        pause(Duration::from_millis(100));
        let ran = run(goldminer(&["status", "--json"]).arg(&job), LONG);
        // The crawl does not answer before it runs.
        if ran.code() == Some(0) {
            status_json = serde_json::from_str(&ran.stdout).unwrap();
        }
        if status_json["no_yield"].as_array().is_some_and(|portals| portals.len() == barriers.len()) {
            break;
        }
    }
    assert_eq!(status_json["running"], true, "{status_json:#}");
    let portals =
        status_json["no_yield"].as_array().unwrap_or_else(|| panic!("no portal is reported: {status_json:#}"));
    let mut names: Vec<&str> = portals.iter().filter_map(|portal| portal["portal"].as_str()).collect();
    names.sort_unstable();
    assert_eq!(names, ["disallowed.example", "login.example", "noindex.example", "refused.example", "scripts.example"]);
    let described = run(goldminer(&["status"]).arg(&job), LONG).stdout;
    let metrics = scrape(port);
    for barrier in barriers {
        let line = format!("portal {} gives no documents so far: ", barrier.host());
        assert!(described.contains(&line), "{line} is missing:\n{described}");
        let count = format!("goldminer_portals_without_documents{{why=\"{}\"}} 1", barrier.reason().unwrap());
        assert!(metrics.contains(&count), "{count} is missing:\n{metrics}");
    }
    crawl.signal("INT");
    let ran = crawl.end(Duration::from_secs(20));
    for barrier in barriers {
        let message = format!("portal {} gives no documents so far: ", barrier.host());
        assert_eq!(ran.stderr.matches(&message).count(), 1, "warned once:\n{}", ran.stderr);
    }
}

#[test]
fn readable_texts_are_extracted_and_cut_ones_marked() {
    let barriers = [Barrier::ScriptData, Barrier::FirstParagraph, Barrier::DeclaredFirstParagraph, Barrier::Archived];
    let world = world(&barriers).settings("ip_spacing = \"0s\"");
    let job = world.crawled("job");
    let given = documents(&job.join("corpus"));
    for barrier in barriers {
        for number in 0..barrier.articles() {
            let url = format!("http://{}/story/{number}", barrier.host());
            let document = given.get(&url);
            let Some((headline, text)) = barrier.readable(number) else {
                assert!(document.is_none(), "{url} shows nothing of its article: {document:#?}");
                continue;
            };
            let document = document.unwrap_or_else(|| panic!("{url} gave no document"));
            assert!(document.text.contains(&headline), "{url}: {}", document.text);
            assert!(text.iter().all(|text| document.text.contains(text)), "{url}: {}\n{text:#?}", document.text);
            assert!(!document.text.contains(barrier.wall()), "{url}: {}", document.text);
            let is_cut_off = matches!(barrier, Barrier::FirstParagraph | Barrier::DeclaredFirstParagraph);
            assert_eq!(document.metadata.access == Some(Access::Partial), is_cut_off, "{url}");
            assert_eq!(document.provenance.method == Method::PageData, barrier == Barrier::ScriptData, "{url}");
        }
    }
    let tallied = |host: &str, outcome: &str| -> u64 {
        let status = status(&job);
        let domains = status["domains"].as_array().unwrap();
        let domain = domains.iter().find(|domain| domain["domain"] == host).unwrap();
        domain["tally"][outcome].as_u64().unwrap_or(0)
    };
    assert_eq!(tallied("first-paragraph.example", "partial"), 16);
    assert_eq!(tallied("archived.example", "wall"), 8);
    // The result is the same for each driver of the pipeline.
    let again = world.path("again");
    let ran = run(goldminer(&["extract", "-q"]).arg(&job).arg("-o").arg(&again), LONG);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    assert_eq!(texts(&again), texts(&job.join("corpus")));
    let ran = run(goldminer(&["rebuild", "-q"]).arg(&job), LONG);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    assert_eq!(documents(&job.join("corpus")), given);
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

fn scrape(port: u16) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    stream.write_all(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    text
}
