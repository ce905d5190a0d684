//! Allowed targets of requests: names whose addresses change, private addresses, refused ports.

use std::net::IpAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use goldminer_fetch::failure::{Cause, Failure};
use goldminer_fetch::{Accept, Admission, FetchConfig, Fetched, Fetcher, Lookup, PrivateAccess, Request};
use tokio::net::TcpListener;
use tokio::time::sleep;

use crate::raw_server::{RawServer, SOME_DAY, config, get, page, response, url};

/// A name server that gives each answer once, and the last one repeatedly.
fn lookup(answers: &[&str]) -> (Lookup, Arc<AtomicUsize>) {
    let answers: Mutex<Vec<IpAddr>> = Mutex::new(answers.iter().rev().map(|a| a.parse().unwrap()).collect());
    let lookups = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&lookups);
    let give = move |_: &str| {
        count.fetch_add(1, Ordering::SeqCst);
        let mut left = answers.lock().unwrap();
        let answer = if left.len() > 1 { left.pop() } else { left.last().copied() };
        Ok(answer.into_iter().collect())
    };
    (Lookup::Given(Arc::new(give)), lookups)
}

fn fetcher(change: impl FnOnce(&mut FetchConfig)) -> Fetcher {
    let mut config = config();
    change(&mut config);
    Fetcher::new(config).unwrap()
}

/// Allows only this network of this machine, so that no test can reach another.
fn only(network: &str) -> PrivateAccess {
    PrivateAccess { network: Some(network.parse().unwrap()), ..PrivateAccess::NONE }
}

fn is_forbidden(fetched: &Fetched) -> bool {
    matches!(fetched, Fetched::Failed(Failure { cause: Cause::PrivateAddress, .. }))
}

#[tokio::test]
async fn a_name_that_becomes_private_before_connecting_is_refused() {
    let server = RawServer::saying(page("secret")).await;
    let (lookup, lookups) = lookup(&["127.1.0.1", "127.0.0.1"]);
    let fetcher = fetcher(|config| {
        config.private = only("127.1.0.0/16");
        config.lookup = lookup;
        config.lookup_lifetime = Duration::ZERO;
    });
    let target = url(&format!("http://turncoat.example:{}/", server.address.port()));
    assert_eq!(fetcher.admit(&target).await, Admission::Go, "the first address is public");
    let fetched = fetcher.fetch(&Request::new(target, Accept::Page), SOME_DAY).await;
    assert!(is_forbidden(&fetched), "{fetched:?}");
    assert_eq!((server.connections(), lookups.load(Ordering::SeqCst)), (0, 2));
}

#[tokio::test]
async fn the_checked_address_is_connected_to() {
    let server = RawServer::saying(page("<p>")).await;
    let (lookup, lookups) = lookup(&["127.0.0.1", "127.0.0.2"]);
    let fetcher = fetcher(|config| {
        config.private = only("127.0.0.1/32");
        config.lookup = lookup;
    });
    let target = url(&format!("http://turncoat.example:{}/", server.address.port()));
    assert_eq!(fetcher.admit(&target).await, Admission::Go);
    let capture = response(fetcher.fetch(&Request::new(target, Accept::Page), SOME_DAY).await);
    assert_eq!(capture.peer, Some("127.0.0.1".parse().unwrap()));
    assert_eq!(lookups.load(Ordering::SeqCst), 1, "the name is resolved once");
}

#[tokio::test]
async fn only_the_allowed_addresses_of_a_name_are_used() {
    let server = RawServer::saying(page("<p>")).await;
    let both = |_: &str| Ok(vec!["127.0.0.2".parse().unwrap(), "127.0.0.1".parse().unwrap()]);
    let fetcher = fetcher(|config| {
        config.private = only("127.0.0.1/32");
        config.lookup = Lookup::Given(Arc::new(both));
    });
    let target = url(&format!("http://two.example:{}/", server.address.port()));
    let capture = response(fetcher.fetch(&Request::new(target, Accept::Page), SOME_DAY).await);
    assert_eq!(capture.peer, Some("127.0.0.1".parse().unwrap()));
}

#[tokio::test]
async fn a_redirect_to_a_private_address_is_refused() {
    let inside = RawServer::on(TcpListener::bind("127.0.0.2:0").await.unwrap(), |_, _| async { None });
    let location = format!("http://{}/admin", inside.address);
    let redirect = format!("HTTP/1.1 302 Found\r\nLocation: {location}\r\nContent-Length: 0\r\n\r\n");
    let server = RawServer::saying(redirect).await;
    let fetcher = server.fetcher_with(|config| config.private = only("127.0.0.1/32"));
    let capture = response(get(&fetcher, "/").await);
    let target = capture.url.join(capture.headers.get("location").unwrap()).unwrap();
    assert!(matches!(fetcher.admit(&target).await, Admission::Refused(_)));
    assert!(is_forbidden(&fetcher.fetch(&Request::new(target, Accept::Page), SOME_DAY).await));
    assert_eq!(inside.connections(), 0);
}

#[tokio::test]
async fn ip_addresses_as_hosts_are_checked_in_any_spelling() {
    let server = RawServer::saying(page("secret")).await;
    let port = server.address.port();
    let shut = fetcher(|config| config.private = PrivateAccess::NONE);
    for host in ["127.0.0.1", "2130706433", "0x7f.1", "0177.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]"] {
        let target = url(&format!("http://{host}:{port}/"));
        assert!(matches!(shut.admit(&target).await, Admission::Refused(_)), "{host} was admitted");
        assert!(is_forbidden(&shut.fetch(&Request::new(target, Accept::Page), SOME_DAY).await), "{host} was fetched");
    }
    let open = fetcher(|_| {});
    for host in ["169.254.169.254", "[fd00:ec2::254]", "10.0.0.1", "[fe80::1]", "0.0.0.0", "100.64.0.1"] {
        let target = url(&format!("http://{host}/latest/meta-data/"));
        assert!(matches!(open.admit(&target).await, Admission::Refused(_)), "{host} was admitted");
    }
    assert_eq!(server.connections(), 0);
}

#[tokio::test]
async fn resolve_rules_do_not_bypass_the_address_guard() {
    let server = RawServer::saying(page("secret")).await;
    let fetcher = server.fetcher_with(|config| config.private = PrivateAccess::NONE);
    let target = url("http://portal.example/");
    assert!(matches!(fetcher.admit(&target).await, Admission::Refused(_)));
    assert!(is_forbidden(&fetcher.fetch(&Request::new(target, Accept::Page), SOME_DAY).await));
    assert_eq!(server.connections(), 0);
}

#[tokio::test]
async fn resolve_rules_map_names_and_ports_to_servers() {
    let (one, other) = (RawServer::saying(page("one")).await, RawServer::saying(page("other")).await);
    let fetcher = fetcher(|config| {
        let rule = |name: &str, to: &RawServer| format!("{name}:{}", to.address).parse().unwrap();
        config.resolve = vec![rule("a.example:80", &one), rule("a.example:8080", &other), rule("*:80", &other)];
    });
    for (target, expected) in
        [("http://a.example/", "one"), ("http://a.example:8080/", "other"), ("http://b.example/", "other")]
    {
        let capture = response(fetcher.fetch(&Request::new(url(target), Accept::Page), SOME_DAY).await);
        assert_eq!(String::from_utf8_lossy(&capture.body), expected, "{target}");
    }
    let hosts: Vec<String> =
        other.heads().iter().filter_map(|h| h.lines().find(|l| l.starts_with("host:")).map(str::to_owned)).collect();
    assert_eq!(hosts, ["host: a.example:8080", "host: b.example"], "the server gets the requested name");
}

#[tokio::test]
async fn a_name_without_an_address_is_reported_so() {
    let nobody = |name: &str| Err(format!("{name}: no such name"));
    let fetcher = fetcher(|config| config.lookup = Lookup::Given(Arc::new(nobody)));
    let target = url("http://nowhere.example/");
    assert!(matches!(fetcher.admit(&target).await, Admission::Refused(_)));
    let fetched = fetcher.fetch(&Request::new(target, Accept::Page), SOME_DAY).await;
    let Fetched::Failed(failure) = fetched else { panic!("{fetched:?}") };
    assert_eq!(failure.cause, Cause::UnknownName);
    assert!(failure.detail.contains("nowhere.example: no such name"), "{failure}");
}

#[tokio::test]
async fn a_closed_port_is_no_connection() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    let fetched =
        fetcher(|_| {}).fetch(&Request::new(url(&format!("http://127.0.0.1:{port}/")), Accept::Page), SOME_DAY).await;
    assert!(matches!(fetched, Fetched::Failed(Failure { cause: Cause::ConnectionRefused, .. })), "{fetched:?}");
}

#[tokio::test]
async fn ports_without_tls_and_silent_ports_time_out() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let plain = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            tokio::spawn(async move {
                let answer = b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n";
                let _ = tokio::io::AsyncWriteExt::write_all(&mut stream, answer).await;
                sleep(Duration::from_secs(60)).await;
            });
        }
    });
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let silent_port = silent.local_addr().unwrap().port();
    tokio::spawn(async move {
        let mut held = Vec::new();
        while let Ok((stream, _)) = silent.accept().await {
            held.push(stream);
        }
    });
    let fetcher = fetcher(|config| config.limits.connect = Duration::from_millis(500));
    let started = Instant::now();
    for (port, expected) in [(plain, Cause::Tls), (silent_port, Cause::ConnectTimeout)] {
        let fetched =
            fetcher.fetch(&Request::new(url(&format!("https://127.0.0.1:{port}/")), Accept::Page), SOME_DAY).await;
        let Fetched::Failed(failure) = fetched else { panic!("{fetched:?}") };
        assert_eq!(failure.cause, expected, "{failure}");
    }
    assert!(started.elapsed() < Duration::from_secs(10));
}

#[tokio::test]
async fn two_hosts_on_one_address_wait_for_each_other() {
    let fetcher = fetcher(|config| {
        config.resolve = vec!["*:80:127.0.0.1:9".parse().unwrap()];
        config.ip_spacing = Duration::from_secs(60);
    });
    assert_eq!(fetcher.admit(&url("http://a.example/")).await, Admission::Go);
    let Admission::Wait(wait, _) = fetcher.admit(&url("http://b.example/")).await else { panic!("no wait") };
    assert!(wait > Duration::from_secs(50) && wait <= Duration::from_secs(60), "{wait:?}");
}

/// Runs one of the other tests again in a process that finds no trusted certificates, as in a bare container.
#[test]
fn a_machine_without_trusted_certificates_can_fetch() {
    let tests = std::env::current_exe().unwrap();
    let run = std::process::Command::new(tests)
        .env("SSL_CERT_FILE", "/nonexistent")
        .env("SSL_CERT_DIR", "/nonexistent")
        .args(["--exact", "fetch::addresses::ports_without_tls_and_silent_ports_time_out"])
        .output()
        .unwrap();
    let output = String::from_utf8_lossy(&run.stdout).into_owned() + &String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success() && output.contains("1 passed"), "{output}");
}

#[tokio::test]
async fn a_resolve_rule_for_one_host_precedes_one_for_all() {
    let (any, one) = (RawServer::saying(page("any")).await, RawServer::saying(page("one")).await);
    let fetcher = fetcher(|config| {
        config.resolve = [
            format!("*:80:{}", any.address),
            format!("one.example:80:{}", one.address),
            format!("one.example:8080:{}", one.address),
        ]
        .iter()
        .map(|rule| rule.parse().unwrap())
        .collect();
    });
    let ask = async |target: &str| {
        let request = Request::new(url(target), Accept::Page);
        String::from_utf8(response(fetcher.fetch(&request, SOME_DAY).await).body).unwrap()
    };
    assert_eq!(ask("http://one.example/").await, "one");
    assert_eq!(ask("http://two.example/").await, "any");
    assert_eq!(ask("http://one.example:8080/").await, "one");
    assert!(one.heads()[1].contains("host: one.example:8080\r\n"), "{:?}", one.heads());
}
