//! What does the frontier cost at a given size? `cargo bench --bench frontier -- 100000 1000000 10000000`
//!
//! For each number of URLs, in a process of its own: adding them, leasing and finishing with links (most of them known,
//! as on real pages), opening again, memory and disk. The clock is pretended, so that delays cost nothing. Calls are
//! made in groups of 256, each durable, as the engine makes them.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use goldminer::address::CrawlUrl;
use goldminer::capture::ArchivePosition;
use goldminer::frontier::scope::{Extent, PortalScope};
use goldminer::frontier::{
    Discovery, Exchange, Fetched, Finished, Frontier, FrontierConfig, Lease, Outcome, PageFacts, Portal, PortalId,
    RobotsAnswer, Source, UrlKind, Work,
};
use goldminer::store::Store;
use jiff::Timestamp;

const GROUP: usize = 256;
/// Links of a page that everybody knows already, as those of a menu.
const KNOWN_LINKS: u64 = 19;
const CYCLES: u64 = 100_000;

fn main() {
    let sizes: Vec<u64> = std::env::args().skip(1).filter_map(|arg| arg.parse().ok()).collect();
    if std::env::var_os("FRONTIER_BENCH_CHILD").is_some() {
        run(sizes[0]);
        return;
    }
    println!(
        "{:>9} {:>6} {:>8} {:>9} {:>13} {:>7} {:>8} {:>8} {:>8} {:>10}",
        "URLs", "hosts", "adds/s", "cycles/s", "cycles/CPU s", "open s", "open MB", "peak MB", "disk MB", "bytes/URL"
    );
    let sizes = if sizes.is_empty() { vec![10_000, 100_000] } else { sizes };
    for size in sizes {
        let itself = std::env::current_exe().expect("this program has a path");
        let status = Command::new(itself).env("FRONTIER_BENCH_CHILD", "1").arg(size.to_string()).status();
        assert!(status.is_ok_and(|status| status.success()), "the run with {size} URLs failed");
    }
}

fn run(urls: u64) {
    if let Some(dir) = std::env::var_os("FRONTIER_BENCH_OPEN") {
        let dir = Path::new(&dir);
        let (hosts, now) = (hosts(urls), start());
        let opening = Instant::now();
        let frontier = open(dir, &config(hosts), now);
        print!(" {:>7.2} {:>8}", opening.elapsed().as_secs_f64(), memory_mb("VmHWM"));
        drop(frontier);
        return;
    }
    let dir = tempfile::tempdir().expect("a folder for the database");
    let (hosts, mut now) = (hosts(urls), start());
    let mut frontier = open(dir.path(), &config(hosts), now);
    let adding = Instant::now();
    for first in (0..urls).step_by(1_000) {
        let found: Vec<_> = (first..urls.min(first + 1_000)).map(|n| found(n, hosts)).collect();
        frontier.add(&found, now).expect("added");
    }
    let adds_a_second = urls as f64 / adding.elapsed().as_secs_f64();

    let (mut cycle, mut new) = (0, 0);
    // The first lease of each host is its robots.txt.
    cycles(&mut frontier, &mut now, hosts, hosts, &mut cycle, &mut new);
    let (running, cpu) = (Instant::now(), cpu_seconds());
    let done = cycles(&mut frontier, &mut now, hosts, CYCLES.min(urls / 2), &mut cycle, &mut new) as f64;
    let (a_second, a_cpu_second) = (done / running.elapsed().as_secs_f64(), done / (cpu_seconds() - cpu));
    frontier.counts().check().expect("the accounts add up");
    drop(frontier);

    let peak = memory_mb("VmHWM");
    let disk = disk_bytes(dir.path());
    print!("{urls:>9} {hosts:>6} {adds_a_second:>8.0} {a_second:>9.0} {a_cpu_second:>13.0}");
    let itself = std::env::current_exe().expect("this program has a path");
    let mut again = Command::new(itself);
    again.env("FRONTIER_BENCH_CHILD", "1").env("FRONTIER_BENCH_OPEN", dir.path()).arg(urls.to_string());
    std::io::Write::flush(&mut std::io::stdout()).expect("printed");
    assert!(again.status().is_ok_and(|status| status.success()), "opening again failed");
    println!(" {peak:>8} {:>8} {:>10}", disk / 1_000_000, disk / (urls + new));
}

/// Leases and finishes until `most` are done.
fn cycles(frontier: &mut Frontier, now: &mut Timestamp, hosts: u64, most: u64, cycle: &mut u64, new: &mut u64) -> u64 {
    let mut done = 0;
    while done < most {
        let leases = frontier.lease_up_to(GROUP, *now).expect("leased");
        if leases.is_empty() {
            // Jitter spreads the hosts; a second gathers enough of them for a group.
            *now = frontier.next_wakeup().expect("URLs are left").max(*now) + Duration::from_secs(1);
            continue;
        }
        done += leases.len() as u64;
        let group: Vec<_> = leases
            .into_iter()
            .map(|lease| {
                *cycle += 1;
                fetched(lease, *now, hosts, *cycle, new)
            })
            .collect();
        frontier.finish(group, *now).expect("finished");
    }
    done
}

fn fetched(lease: Lease, now: Timestamp, hosts: u64, cycle: u64, new: &mut u64) -> Finished {
    let exchange = Exchange { ended: now, elapsed: Duration::from_millis(200), bytes: 40_000, status: Some(200) };
    let exchange = Some(exchange);
    let Work::Page(work) = &lease.work else {
        return Finished { exchange, ..Finished::new(lease, Outcome::Robots(RobotsAnswer::AllowAll)) };
    };
    let host = u64::from(work.portal.0);
    *new += 1;
    let known = (0..KNOWN_LINKS).map(|n| page(host + hosts * (n * 7 + cycle % 3), host));
    let links = known.chain([page(u64::MAX - *new, host)]);
    let discoveries: Vec<_> = links.map(|url| Discovery::on(work, url, UrlKind::Page, Source::Link)).collect();
    let file = format!("portals-20261120-{:05}.warc.gz", cycle / 100_000);
    let facts = Some(PageFacts { teaches: true });
    Finished {
        exchange,
        position: Some(ArchivePosition { file, offset: cycle * 10_000, length: 10_000 }),
        payload: Some(page(cycle, host).key().0.to_vec()),
        discoveries,
        ..Finished::new(lease, Outcome::Fetched(Fetched { page: facts, changed: true, ..Fetched::default() }))
    }
}

fn hosts(urls: u64) -> u64 {
    (urls / 100).clamp(10, 10_000)
}

fn start() -> Timestamp {
    "2026-11-20T12:00:00Z".parse().expect("a time")
}

fn config(hosts: u64) -> FrontierConfig {
    let portal = |host| Portal {
        name: format!("portal {host}"),
        scope: PortalScope::around(vec![page(0, host)], Extent::Host),
    };
    FrontierConfig { portals: (0..hosts).map(portal).collect(), ..FrontierConfig::default() }
}

fn open(dir: &Path, config: &FrontierConfig, now: Timestamp) -> Frontier {
    let store = Store::open(dir).expect("a database");
    Frontier::open(store.frontier(), config.clone(), now).expect("a frontier")
}

/// A URL as long as those of portals are: about 90 characters.
fn page(number: u64, host: u64) -> CrawlUrl {
    let mixed = number.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let text = format!("https://www.portal-{host}.example/2026/11/20/news/story-{mixed:016x}-of-number-{number}");
    CrawlUrl::parse(&text).expect("a URL")
}

fn found(number: u64, hosts: u64) -> Discovery {
    let host = number % hosts;
    let portal = PortalId(host as u32);
    let seed = Discovery::seed(page(number, host), UrlKind::Page, portal);
    Discovery { source: Source::Link, depth: 1, via: Some(page(0, host)), ..seed }
}

fn memory_mb(field: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with(field)).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|kb| kb.parse::<u64>().ok()).unwrap_or(0) / 1024
}

/// User and system time of all threads; Linux counts in hundredths.
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = stat.rsplit(')').next().unwrap_or_default();
    let ticks = after_name.split_whitespace().skip(11).take(2).filter_map(|t| t.parse::<f64>().ok());
    ticks.sum::<f64>() / 100.0
}

fn disk_bytes(dir: &Path) -> u64 {
    let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
    let size = |entry: std::fs::DirEntry| match entry.metadata() {
        Ok(meta) if meta.is_dir() => disk_bytes(&entry.path()),
        Ok(meta) => meta.len(),
        Err(_) => 0,
    };
    entries.map(size).sum()
}
