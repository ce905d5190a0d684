//! The test web, visited over real sockets by a minimal client: its pages, its faults and its log.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use goldminer_testkit::access_log::ViolationKind;
use goldminer_testkit::portals::place::{Kind, PageSpec};
use goldminer_testkit::portals::{Portals, Size};
use goldminer_testkit::web::{Knobs, News, Web, WebConfig};
use goldminer_testkit::{seeds, violations};

fn small() -> Portals {
    Portals::demo(&Size { scale: 0.2, ..Size::default() })
}

async fn start(config: WebConfig) -> Web {
    Web::start(config).await.expect("a free port on loopback")
}

/// Sends one request on a separate connection, and reads until the server closes it.
fn get(address: SocketAddr, host: &str, path: &str, fields: &str) -> Vec<u8> {
    let mut stream = TcpStream::connect(address).expect("the server listens");
    stream.set_read_timeout(Some(Duration::from_secs(10))).expect("a timeout");
    let request =
        format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nUser-Agent: it/1\r\nConnection: close\r\n{fields}\r\n");
    stream.write_all(request.as_bytes()).expect("the server reads");
    let mut response = Vec::new();
    let _ = stream.read_to_end(&mut response);
    response
}

fn status(response: &[u8]) -> u16 {
    let head = String::from_utf8_lossy(&response[..response.len().min(40)]).into_owned();
    head.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or(0)
}

fn split(response: &[u8]) -> (String, &[u8]) {
    let at = response.windows(4).position(|four| four == b"\r\n\r\n").expect("a head");
    (String::from_utf8_lossy(&response[..at]).into_owned(), &response[at + 4..])
}

#[tokio::test(flavor = "multi_thread")]
async fn each_portal_answers_for_its_own_name_only() {
    let portals = small();
    let web = start(WebConfig::new(portals.clone())).await;
    for portal in portals.iter() {
        let (head, body) = (get(web.address(), &portal.host, "/", ""), portal.reply("/", false).body);
        let (head, sent) = split(&head);
        assert!(head.contains("200 OK") && head.contains("Etag: "), "{head}");
        assert!(head.contains("chunked") || sent == body, "{}", portal.host);
    }
    assert_eq!(status(&get(web.address(), "elsewhere.example", "/", "")), 421);
    let entries = web.log().entries();
    assert_eq!(entries.len(), portals.hosts().len() + 1);
    assert!(entries.iter().all(|entry| entry.complete && entry.user_agent == "it/1" && entry.start <= entry.end));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_connection_serves_many_requests_and_head_has_no_body() {
    let portals = small();
    let web = start(WebConfig::new(portals.clone())).await;
    let mut stream = TcpStream::connect(web.address()).expect("the server listens");
    let ask = |method: &str| format!("{method} /robots.txt HTTP/1.1\r\nHost: courier.example\r\n\r\n");
    stream
        .write_all((ask("HEAD") + &ask("GET") + &ask("GET").replace("1.1", "1.0")).as_bytes())
        .expect("the server reads");
    let mut all = String::new();
    stream.read_to_string(&mut all).expect("three answers in text");
    assert_eq!(all.matches(" 200 OK\r\n").count(), 3);
    assert_eq!(all.matches("User-agent: *").count(), 2);
    let peers: std::collections::HashSet<_> = web.log().entries().iter().map(|entry| entry.peer).collect();
    assert_eq!(peers.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_front_page_that_did_not_change_is_not_sent_again() {
    let web = start(WebConfig::new(small())).await;
    let first = get(web.address(), "courier.example", "/", "");
    let (head, _) = split(&first);
    let etag = head.lines().find_map(|line| line.strip_prefix("Etag: ")).expect("an ETag");
    let second = get(web.address(), "courier.example", "/", &format!("If-None-Match: {etag}\r\n"));
    assert_eq!(status(&second), 304);
    assert!(split(&second).1.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_log_file_has_the_entries_of_the_server() {
    let dir = tempfile::tempdir().expect("a directory");
    let file = dir.path().join("access.tsv");
    let web = start(WebConfig { log_file: Some(file.clone()), ..WebConfig::new(small()) }).await;
    get(web.address(), "courier.example", "/robots.txt", "");
    get(web.address(), "courier.example", "/nothing?x=1", "");
    let log = std::fs::read_to_string(&file).expect("the log");
    let lines: Vec<Vec<&str>> = log.lines().map(|line| line.split('\t').collect()).collect();
    assert_eq!(lines.len(), 2);
    assert_eq!(lines[1][2..5], ["courier.example", "/nothing?x=1", "404"]);
    assert_eq!(lines[1].len(), 7);
}

#[tokio::test(flavor = "multi_thread")]
async fn violations_of_a_rude_visitor_are_found() {
    let portals = small();
    let web = start(WebConfig::new(portals.clone())).await;
    for path in ["/about", "/robots.txt", "/about", "/private/subscribers/1"] {
        get(web.address(), "courier.example", path, "");
    }
    let delay = Duration::from_secs(2);
    let found: Vec<ViolationKind> =
        violations(&web.log().entries(), &portals, delay).into_iter().map(|v| v.kind).collect();
    let count = |wanted: fn(&ViolationKind) -> bool| found.iter().filter(|kind| wanted(kind)).count();
    assert_eq!(count(|o| matches!(o, ViolationKind::BeforeRobots)), 1, "{found:?}");
    assert_eq!(count(|o| matches!(o, ViolationKind::TooSoon(_))), 3, "{found:?}");
    assert_eq!(count(|o| matches!(o, ViolationKind::FetchedTwice)), 1, "{found:?}");
    assert_eq!(count(|o| matches!(o, ViolationKind::Forbidden)), 1, "{found:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_slow_page_is_slow_and_a_visitor_that_leaves_ends_it() {
    let web = start(WebConfig::new(small())).await;
    let slow = small().find("courier.example").and_then(|p| p.path(PageSpec::new(Kind::Slow, 0))).expect("a slow page");
    get(web.address(), "courier.example", &slow, "");
    let mut stream = TcpStream::connect(web.address()).expect("the server listens");
    stream
        .write_all(format!("GET {slow} HTTP/1.1\r\nHost: courier.example\r\n\r\n").as_bytes())
        .expect("the server reads");
    // The server does not notice a visitor that leaves before reading anything.
    tokio::time::sleep(Duration::from_millis(300)).await;
    drop(stream);
    for _ in 0..100 {
        if web.log().len() == 2 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let [stayed, left] = &web.log().entries()[..] else { panic!("two entries") };
    assert!(stayed.complete && stayed.end - stayed.start >= Duration::from_secs(1));
    assert!(!left.complete && left.status == 0 && left.end - left.start < Duration::from_secs(1));
}

#[tokio::test(flavor = "multi_thread")]
async fn faults_are_sent_as_their_names_say() {
    let with = |knobs: Knobs| start(WebConfig { knobs, ..WebConfig::new(small()) });
    let about = |web: &Web| get(web.address(), "courier.example", "/about", "");

    let web = with(Knobs { too_many: 1.0, retry_after: Duration::from_secs(7), ..Knobs::default() }).await;
    let heads: Vec<String> = (0..12).map(|_| split(&about(&web)).0).collect();
    assert!(heads.iter().all(|head| head.contains("429")));
    assert!(heads.iter().any(|head| head.contains("Retry-After: 7\r\n")));
    assert!(heads.iter().any(|head| head.contains(" GMT")), "as a date as well");
    let waits: Vec<_> = web.log().entries().iter().filter_map(|e| Some(e.retry_until? - e.end)).collect();
    assert!(waits.len() == 12 && waits.iter().all(|d| (6.0..=7.0).contains(&d.as_secs_f64())), "{waits:?}");

    let web = with(Knobs { dropped: 1.0, ..Knobs::default() }).await;
    let whole = small().find("courier.example").map_or(0, |p| p.reply("/about", false).body.len());
    assert!(split(&about(&web)).1.len() < whole * 2 / 3);
    assert!(!web.log().entries()[0].complete);

    let web = with(Knobs { wrong_length: 1.0, ..Knobs::default() }).await;
    let response = about(&web);
    let (head, body) = split(&response);
    assert!(head.contains(&format!("Content-Length: {}", body.len() + 1000)), "{head}");

    let web = with(Knobs { lying_charset: 1.0, ..Knobs::default() }).await;
    assert!(split(&about(&web)).0.contains("charset=iso-8859-2"));

    let web = with(Knobs { redesign_after: Some(1), ..Knobs::default() }).await;
    assert_ne!(about(&web), about(&web));
}

#[tokio::test(flavor = "multi_thread")]
async fn only_pages_in_a_redirect_loop_redirect_for_ever() {
    let knobs = Knobs { redirect_loop: 0.5, ..Knobs::default() };
    let web = start(WebConfig { knobs: knobs.clone(), ..WebConfig::new(small()) }).await;
    let portal = small().find("courier.example").expect("a portal");
    let (lost, served): (Vec<String>, Vec<String>) =
        portal.gold().map(|(path, _)| path).partition(|path| knobs.is_lost(&portal.host, path));
    assert!(!lost.is_empty() && !served.is_empty());
    for path in served {
        assert_eq!(status(&get(web.address(), &portal.host, &path, "")), 200);
    }
    let mut path = lost[0].clone();
    for _ in 0..5 {
        let response = get(web.address(), &portal.host, &path, "");
        let (head, _) = split(&response);
        path = head.lines().find_map(|line| line.strip_prefix("Location: ")).expect("a redirect").to_owned();
    }
    assert!(path.starts_with(&lost[0]) && path.ends_with("?round=1"), "{path}");
}

#[tokio::test(flavor = "multi_thread")]
async fn articles_are_published_during_a_visit() {
    let knobs = Knobs { news: Some(News { held_back: 2, every: 3 }), ..Knobs::default() };
    let web = start(WebConfig { knobs, ..WebConfig::new(small()) }).await;
    let portal = small().find("gazette.example").expect("a portal");
    let newest = portal.article_path(0);
    let seen: Vec<u16> = (0..8).map(|_| status(&get(web.address(), &portal.host, &newest, ""))).collect();
    assert_eq!(seen, [404, 404, 404, 404, 404, 404, 200, 200]);
}

#[test]
fn the_seeds_name_every_portal_and_a_contact() {
    let portals = small();
    let seeds: toml::Table = seeds(&portals).parse().expect("TOML");
    let starts: Vec<&str> =
        seeds["portal"].as_array().expect("portals").iter().filter_map(|p| p["start"][0].as_str()).collect();
    assert_eq!(starts, portals.iter().map(|p| p.start()).collect::<Vec<_>>());
    assert!(seeds["crawl"]["user_agent"].as_str().is_some_and(|agent| agent.contains('@')));
}
