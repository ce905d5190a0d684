//! Measures what the frontier (the crawl's URLs and their states) costs at given sizes:
//! `cargo bench --bench frontier -- 100000 1000000 10000000`
//!
//! For each number of URLs, a separate process measures adding the URLs. It then measures leasing and finishing them,
//! without links and with 20 links on each page (most of them known, as on real pages). A further process measures
//! opening the database again. Memory and disk space are also measured. The clock is simulated, so that delays take no
//! time. URLs are added in groups of 1,000, and leased and finished in groups of 256. As in a crawl, each group is
//! saved to disk. Only these calls are measured, and the database's background work after them, so that each step
//! includes its own compaction. Compare CPU times: wall-clock time also includes waiting for `fsync`.

#![allow(clippy::disallowed_methods)] // it measures time

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use goldminer_crawl::frontier::{
    Discovery, Exchange, Fetched, Finished, Frontier, FrontierConfig, Lease, Outcome, PageFacts, Portal, PortalId,
    RobotsAnswer, Source, UrlKind, Work,
};
use goldminer_crawl::store::Store;
use goldminer_html::address::CrawlUrl;
use goldminer_html::capture::ArchivePosition;
use jiff::Timestamp;

/// The allocator of the program.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const GROUP: usize = 256;
const CYCLES: u64 = 200_000;

fn main() {
    let sizes: Vec<u64> = std::env::args().skip(1).filter_map(|arg| arg.parse().ok()).collect();
    if std::env::var_os("FRONTIER_BENCH_CHILD").is_some() {
        run(sizes[0]);
        return;
    }
    let names = [
        ("URLs", 9),
        ("hosts", 6),
        ("| adds/s", 10),
        ("per CPU s", 9),
        ("| bare/s", 10),
        ("per CPU s", 9),
        ("| 20 l./s", 10),
        ("per CPU s", 9),
        ("| open s", 8),
        ("CPU s", 6),
        ("MB", 7),
        ("peak MB", 7),
        ("disk MB", 7),
        ("bytes/URL", 9),
    ];
    let heads: Vec<String> = names.iter().map(|(name, width)| format!("{name:>width$}")).collect();
    println!("{}", heads.join(" "));
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
        let mut opening = Stopwatch::default();
        let frontier = opening.time(|| open(dir, &config(hosts), now));
        let cpu = opening.cpu_nanos as f64 / 1e9;
        print!(" | {:>6.2} {cpu:>6.2} {:>7}", opening.wall.as_secs_f64(), memory_mb("VmHWM"));
        drop(frontier);
        return;
    }
    let dir = tempfile::tempdir().expect("a folder for the database");
    let (hosts, mut now) = (hosts(urls), start());
    let mut frontier = open(dir.path(), &config(hosts), now);
    print!("{urls:>9} {hosts:>6}");
    let mut adding = Stopwatch::default();
    for first in (0..urls).step_by(1_000) {
        let found: Vec<_> = (first..urls.min(first + 1_000)).map(|n| found(n, hosts)).collect();
        adding.time(|| frontier.add(&found, now)).expect("added");
    }
    adding.settle();
    adding.print(urls);

    let mut web = Web { hosts, links: 0, cycle: 0, new: 0 };
    // The first lease of each host is its robots.txt.
    cycles(&mut frontier, &mut now, hosts, &mut web);
    for links in [0, 20] {
        web.links = links;
        let most = CYCLES.min(urls / 4);
        let mut stopwatch = cycles(&mut frontier, &mut now, most, &mut web);
        stopwatch.settle();
        stopwatch.print(most);
    }
    frontier.counts().check().expect("the accounts add up");
    drop(frontier);

    let peak = memory_mb("VmHWM");
    let disk = disk_bytes(dir.path());
    let itself = std::env::current_exe().expect("this program has a path");
    let mut again = Command::new(itself);
    again.env("FRONTIER_BENCH_CHILD", "1").env("FRONTIER_BENCH_OPEN", dir.path()).arg(urls.to_string());
    std::io::Write::flush(&mut std::io::stdout()).expect("printed");
    assert!(again.status().is_ok_and(|status| status.success()), "opening again failed");
    println!(" {peak:>7} {:>7} {:>9}", disk / 1_000_000, disk / (urls + web.new));
}

/// The simulated web.
struct Web {
    hosts: u64,
    /// The number of links on each page. The last link is new.
    links: u64,
    cycle: u64,
    new: u64,
}

/// Time spent in calls.
#[derive(Default)]
struct Stopwatch {
    wall: Duration,
    cpu_nanos: u64,
}

impl Stopwatch {
    fn time<T>(&mut self, call: impl FnOnce() -> T) -> T {
        let (started, cpu) = (Instant::now(), cpu_nanos());
        let result = call();
        self.wall += started.elapsed();
        self.cpu_nanos += cpu_nanos().saturating_sub(cpu);
        result
    }

    /// Waits until the database has finished its background work, and adds the CPU time of its threads.
    #[allow(clippy::disallowed_methods)] // its threads do not report when they are done
    fn settle(&mut self) {
        let mut idle = 0;
        while idle < 5 {
            let cpu = cpu_nanos();
            std::thread::sleep(Duration::from_millis(100));
            let spent = cpu_nanos().saturating_sub(cpu);
            self.cpu_nanos += spent;
            idle = if spent < 3_000_000 { idle + 1 } else { 0 };
        }
    }

    fn print(&self, calls: u64) {
        let calls = calls as f64;
        print!(" | {:>8.0} {:>9.0}", calls / self.wall.as_secs_f64(), calls / (self.cpu_nanos as f64 / 1e9));
        std::io::Write::flush(&mut std::io::stdout()).expect("printed");
    }
}

/// Leases and finishes URLs until `most` are done.
fn cycles(frontier: &mut Frontier, now: &mut Timestamp, most: u64, web: &mut Web) -> Stopwatch {
    let (mut done, mut stopwatch) = (0, Stopwatch::default());
    while done < most {
        let leases = stopwatch.time(|| frontier.lease_up_to(GROUP, *now)).expect("leased");
        if leases.is_empty() {
            // Jitter spreads the hosts; a second gathers enough of them for a group.
            *now = frontier.next_wakeup().expect("URLs are left").max(*now) + Duration::from_secs(1);
            continue;
        }
        done += leases.len() as u64;
        let group: Vec<_> = leases.into_iter().map(|lease| fetched(lease, *now, web)).collect();
        stopwatch.time(|| frontier.finish(group, *now)).expect("finished");
    }
    stopwatch
}

fn fetched(lease: Lease, now: Timestamp, web: &mut Web) -> Finished {
    web.cycle += 1;
    let cycle = web.cycle;
    let exchange = Exchange { ended: now, elapsed: Duration::from_millis(200), bytes: 40_000, status: Some(200) };
    let exchange = Some(exchange);
    let Work::Page(work) = &lease.work else {
        return Finished { exchange, ..Finished::new(lease, Outcome::Robots(RobotsAnswer::AllowAll)) };
    };
    let host = u64::from(work.portal.0);
    let known = (1..web.links).map(|n| page(host + web.hosts * (n * 4 + cycle % 3), host));
    let unseen = (web.links > 0).then(|| page(u64::MAX - cycle, host));
    web.new += u64::from(unseen.is_some());
    let links = known.chain(unseen);
    let discoveries: Vec<_> = links.map(|url| Discovery::on(work, url, UrlKind::Page, Source::Link)).collect();
    let file = format!("portals-20261120-{:05}.warc.gz", cycle / 100_000);
    let facts = Some(PageFacts { teaches: true, judged: true, thin: false });
    Finished {
        exchange,
        position: Some(ArchivePosition::new(file, cycle * 10_000, 10_000)),
        payload: Some((page(cycle, host).key().0.to_vec(), now)),
        discoveries,
        ..Finished::new(lease, Outcome::Fetched(Fetched { page: facts, ..Fetched::default() }))
    }
}

fn hosts(urls: u64) -> u64 {
    (urls / 100).clamp(10, 10_000)
}

fn start() -> Timestamp {
    "2026-11-20T12:00:00Z".parse().expect("a time")
}

fn config(hosts: u64) -> FrontierConfig {
    let portal = |host| Portal::around(format!("portal {host}"), page(0, host));
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

/// The CPU time of all threads (Linux).
fn cpu_nanos() -> u64 {
    let tasks = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let nanos = tasks.filter_map(|task| {
        let line = std::fs::read_to_string(task.path().join("schedstat")).ok()?;
        line.split_whitespace().next()?.parse::<u64>().ok()
    });
    nanos.sum()
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
