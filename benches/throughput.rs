//! Measures how many pages the crawler processes per second of CPU time, archive and extraction included. The server is
//! another process on this machine, and its time is not counted. With a delay, also measures how much of the request
//! rate that the hosts' delays allow is used.
//!
//! Run `cargo bench --bench throughput -- --portals 30 --articles 400 --page-bytes 40000`, or use `--portals 100
//! --articles 15 --delay-ms 1000`. The first hundred articles of a portal are also used for learning, which costs about
//! as much again as processing them. So with a few hundred articles per portal, the result mostly shows the cost of
//! learning.

#[path = "../tests/it/crawl_world.rs"]
#[allow(dead_code, clippy::unwrap_used, clippy::disallowed_methods)] // shared with the tests, which may
mod crawl_world;
#[path = "../tests/it/web_process.rs"]
mod web_process;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use goldminer_testkit::access_log::Entry;
use goldminer_testkit::portals::{Portals, Size};
use goldminer_testkit::web::WebConfig;
use web_process::WebProcess;

struct Plan {
    portals: usize,
    articles: usize,
    page_bytes: usize,
    delay: Duration,
    dir: Option<PathBuf>,
    /// Where the server writes its log.
    serve: Option<PathBuf>,
}

fn main() {
    let plan = plan();
    let size = Size { traps: false, ..Size::default() };
    let portals = Portals::many(plan.portals, plan.articles, &size).of_page_bytes(plan.page_bytes);
    if let Some(log) = plan.serve {
        web_process::serve(WebConfig { log_file: Some(log), ..WebConfig::new(portals) });
    }
    let dir = tempfile::tempdir().expect("a folder");
    let log = dir.path().join("access.tsv");
    let server = WebProcess::start(&log);

    let seeds = dir.path().join("seeds.toml");
    let text = goldminer_testkit::seeds(&portals).replacen("[crawl]\n", "[crawl]\nip_spacing = \"0s\"\n", 1);
    std::fs::write(&seeds, text).expect("the seeds file");
    let job = plan.dir.unwrap_or_else(|| dir.path().join("job"));
    let mut crawl = crawl_world::goldminer(&["crawl", "-q"]);
    let delay = format!("{}ms", plan.delay.as_millis());
    crawl
        .arg(&seeds)
        .args(["--delay", &delay, "--allow-private", "--resolve", &server.rules[0]])
        .arg("--dir")
        .arg(&job);
    let ran = crawl_world::run(&mut crawl, Duration::from_secs(3600));
    assert_eq!(ran.code(), Some(0), "{ran:?}");

    let status = crawl_world::status(&job);
    let number = |name: &str| status["counts"][name].as_u64().unwrap_or(0);
    let fetched = status["counts"]["done"]["fetched"].as_u64().unwrap_or(0);
    let documents: u64 =
        status["domains"].as_array().into_iter().flatten().filter_map(|d| d["documents"].as_u64()).sum();
    println!(
        "{fetched} pages of {:.1} kB on the wire, {documents} documents: {:.0} pages per CPU second \
         (CPU {:.2} s, wall {:.1} s, peak RSS {} MB)",
        number("bytes") as f64 / 1000.0 / fetched.max(1) as f64,
        fetched as f64 / ran.usage.cpu.as_secs_f64(),
        ran.usage.cpu.as_secs_f64(),
        ran.took.as_secs_f64(),
        ran.usage.peak_rss_bytes / 1_000_000,
    );
    if !plan.delay.is_zero() {
        println!(
            "{:.1} % of the requests that the hosts' delays allow, while a host had something to ask for",
            100.0 * used(&log, &portals, plan.delay)
        );
    }
}

/// Returns which share of the allowed request rate was used while hosts had URLs left: the time that responses and
/// delays had to take, divided by the time that they took. The delay after a response is the host's delay or, if that
/// is longer, five times the response time (counted as at most a minute).
fn used(log: &Path, portals: &Portals, delay: Duration) -> f64 {
    let mut hosts: HashMap<String, Vec<Entry>> = HashMap::new();
    for entry in web_process::read_log(log) {
        hosts.entry(entry.host.clone()).or_default().push(entry);
    }
    let (mut needed, mut taken) = (Duration::ZERO, Duration::ZERO);
    for portal in portals.iter() {
        let own = portal.robots().crawl_delay.map_or(delay, |own| own.max(delay));
        let Some(requests) = hosts.get_mut(&portal.host) else { continue };
        requests.sort_by_key(|entry| entry.start);
        for pair in requests.windows(2) {
            let response = pair[0].end.saturating_sub(pair[0].start);
            needed += response + own.max((5 * response).min(Duration::from_secs(60)));
            taken += pair[1].start.saturating_sub(pair[0].start);
        }
    }
    needed.as_secs_f64() / taken.as_secs_f64()
}

fn plan() -> Plan {
    let mut plan =
        Plan { portals: 30, articles: 400, page_bytes: 40_000, delay: Duration::ZERO, dir: None, serve: None };
    let mut args = std::env::args().skip(1).filter(|arg| arg != "--bench");
    while let Some(name) = args.next() {
        let value = args.next().unwrap_or_default();
        let number = || value.parse::<usize>().unwrap_or_else(|_| panic!("{name} takes a number, not {value:?}"));
        match name.as_str() {
            "--portals" => plan.portals = number(),
            "--articles" => plan.articles = number(),
            "--delay-ms" => plan.delay = Duration::from_millis(number() as u64),
            "--page-bytes" => plan.page_bytes = number(),
            "--serve" => plan.serve = Some(PathBuf::from(value)),
            "--dir" => plan.dir = Some(PathBuf::from(value)),
            _ => panic!("unknown argument {name}; there are --portals, --articles, --page-bytes, --delay-ms, --dir"),
        }
    }
    plan
}
