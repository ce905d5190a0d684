//! Measures a crawl by several workers with one PostgreSQL database, one figure per run:
//! `--measure takeover|move|checkpoint|throughput|statements`.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use std::time::{Duration, Instant};

use goldminer_crawl::frontier::{
    Discovery, Exchange, Fetched, Finished, Frontier, FrontierConfig, Outcome, PageFacts, Portal, PortalId,
    RobotsAnswer, Source, UrlKind, Work,
};
use goldminer_crawl::job::{JobDir, checkpoint};
use goldminer_crawl::store::Store;
use goldminer_html::address::CrawlUrl;
use goldminer_html::capture::ArchivePosition;
use goldminer_testkit::access_log::Entry;

use crate::crawl_world::{LONG, Running, goldminer, pause, run, start};
use crate::postgres::Postgres;
use crate::web_process::{WebProcess, read_log};

/// A server, a database, a folder as store, and a crawl of all portals.
pub(crate) struct Scene {
    pub(crate) dir: tempfile::TempDir,
    pub(crate) postgres: Postgres,
    pub(crate) web: WebProcess,
    pub(crate) seeds: std::path::PathBuf,
    pub(crate) portals: Vec<String>,
}

impl Scene {
    /// Creates a crawl with these options of `cluster init`.
    fn init(&self, options: &[&str]) {
        let mut init = goldminer(&["cluster", "init"]);
        init.env("GOLDMINER_DB", self.postgres.url())
            .arg(&self.seeds)
            .arg("--store")
            .arg(self.dir.path().join("store"));
        let ran = run(init.args(["--allow-private", "--resolve", &self.web.rules[0]]).args(options), LONG);
        assert_eq!(ran.code(), Some(0), "{ran:?}");
    }

    fn worker(&self, name: &str) -> Running {
        let mut work = goldminer(&["cluster", "work", "--name", name, "--dir"]);
        start(work.arg(self.dir.path().join(name)).env("GOLDMINER_DB", self.postgres.url()))
    }

    fn number(&self, statement: &str) -> i64 {
        self.postgres.ask(statement)[0].parse().expect("a number")
    }

    fn until(&self, what: &str, within: Duration, is_so: impl Fn(&Self) -> bool) -> Duration {
        let began = Instant::now();
        while !is_so(self) {
            assert!(began.elapsed() < within, "not in time: {what}");
            pause(Duration::from_millis(50));
        }
        began.elapsed()
    }

    fn log(&self) -> Vec<Entry> {
        read_log(&self.dir.path().join("access.tsv"))
    }

    fn end(&self, mut worker: Running, signal: &str) -> Duration {
        let began = Instant::now();
        worker.signal(signal);
        let ran = worker.end(LONG);
        assert!(matches!(ran.code(), Some(0 | 130)), "{ran:?}");
        began.elapsed()
    }
}

pub(crate) fn run_named(name: &str, scene: impl FnOnce() -> Option<Scene>, urls: u64) {
    match name {
        "checkpoint" => checkpoint_of(urls),
        "takeover" => scene().iter().for_each(takeover),
        "move" => scene().iter().for_each(|scene| planned_move(scene, urls)),
        "throughput" => scene().iter().for_each(throughput),
        "statements" => scene().iter().for_each(|scene| statements(scene, 50)),
        other => panic!("there is no measure {other:?}: takeover, move, checkpoint, throughput, statements"),
    }
}

/// Measures a takeover, by the web server's log: the time from a killed worker's last request to a host until the next
/// worker's first request to this host.
fn takeover(scene: &Scene) {
    scene.init(&["--delay", "1s"]);
    // The worker commits something before it is killed.
    let first = scene.worker("to be killed");
    pause(Duration::from_secs(20));
    scene.end(first, "INT");
    let first = scene.worker("to be killed");
    pause(Duration::from_secs(20));
    let second = scene.worker("the other");
    pause(Duration::from_secs(40));
    let lost = scene.postgres.ask(
        "SELECT job FROM partition JOIN worker ON worker.session = owner WHERE worker.name = 'to be killed' AND NOT dead",
    );
    let lost = lost.join("\n");
    let hosts: Vec<&String> = scene.portals.iter().filter(|host| lost.contains(&format!("//{host}/"))).collect();
    assert!(!hosts.is_empty(), "it has nothing to lose");
    println!("{} hosts of the worker that is killed", hosts.len());
    let killed_after = scene.log().len();
    drop(first.kill());
    let held = "SELECT count(*) FROM partition JOIN worker ON worker.session = owner
        WHERE worker.name = 'to be killed' AND partition.done IS NULL";
    scene.until("another has them", Duration::from_secs(300), |scene| scene.number(held) == 0);
    pause(Duration::from_secs(15));
    let log = scene.log();
    let gap = |host: &String| {
        let of_host = |entry: &&Entry| entry.host == *host;
        let last = log[..killed_after].iter().filter(of_host).map(|entry| entry.start).max()?;
        let next = log[killed_after..].iter().filter(of_host).map(|entry| entry.start).filter(|at| *at > last);
        next.filter(|at| *at > last + Duration::from_secs(30)).min().map(|next| (next - last).as_secs_f64())
    };
    let gaps: Vec<f64> = hosts.iter().filter_map(|host| gap(host)).collect();
    println!(
        "{} hosts of a killed worker were asked again after {:.1} to {:.1} s (lease 60 s, grace 60 s)",
        gaps.len(),
        gaps.iter().copied().fold(f64::MAX, f64::min),
        gaps.iter().copied().fold(0.0, f64::max)
    );
    drop(second.kill());
}

/// Measures a planned move: the time from Ctrl-C at one worker until another worker sends a request to a host of the
/// partition.
fn planned_move(scene: &Scene, urls: u64) {
    scene.init(&["--delay", "100ms", "--partitions", "1"]);
    let first = scene.worker("first");
    // The database knows `queued` only from commits, which happen every few minutes and at each Ctrl-C.
    pause(Duration::from_secs(60));
    scene.end(first, "INT");
    let queued = scene.number("SELECT sum(queued + pages)::bigint FROM partition");
    println!("the partition knows {queued} URLs ({urls} were wanted)");
    let bytes = scene.number("SELECT sum(bytes)::bigint FROM partition");
    let first = scene.worker("first");
    scene.until("it crawls again", LONG, |scene| {
        scene.number("SELECT count(*) FROM partition WHERE owner IS NOT NULL") == 1
    });
    pause(Duration::from_secs(20));
    let mut second = goldminer(&["cluster", "work", "--name", "second", "--dir"]);
    second.arg(scene.dir.path().join("second")).env("GOLDMINER_DB", scene.postgres.url());
    let before = scene.log().len();
    let second = start(&mut second);
    let letting = scene.end(first, "INT");
    pause(Duration::from_secs(12));
    // Requests are logged when they end: the longest silence is that between the two workers.
    let mut starts: Vec<Duration> =
        scene.log().iter().skip(before.saturating_sub(1)).map(|entry| entry.start).collect();
    starts.sort_unstable();
    let last = starts.first().copied().unwrap_or_default();
    let silence = starts.windows(2).max_by_key(|two| two[1] - two[0]).expect("requests before and after");
    println!(
        "a checkpoint of {bytes} bytes; released in {:.1} s, in all {:.1} s from Ctrl-C to the other's first request, of which the \
         web saw none for {:.1} s",
        letting.as_secs_f64(),
        (silence[1] - last).as_secs_f64(),
        (silence[1] - silence[0]).as_secs_f64()
    );
    drop(second.kill());
}

/// Measures how a frontier with this many URLs, a fifth of them fetched, is saved as a checkpoint and restored.
fn checkpoint_of(urls: u64) {
    let dir = tempfile::tempdir().expect("a folder");
    let job = JobDir::new(&dir.path().join("job"));
    job.create().expect("a job directory");
    let hosts = (urls / 100).clamp(10, 10_000);
    let page = |number: u64, host: u64| {
        let mixed = number.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let text = format!("https://www.portal-{host}.example/2026/11/20/news/story-{mixed:016x}-of-number-{number}");
        CrawlUrl::parse(&text).expect("a URL")
    };
    let portal = |host| Portal::around(format!("portal {host}"), page(0, host));
    let config = FrontierConfig { portals: (0..hosts).map(portal).collect(), ..FrontierConfig::default() };
    {
        let store = Store::open(&job.frontier()).expect("a database");
        let mut now = "2026-11-20T12:00:00Z".parse().expect("a time");
        let mut frontier = Frontier::open(store.frontier(), config, now).expect("a frontier");
        for first in (0..urls).step_by(1_000) {
            let found: Vec<_> = (first..urls.min(first + 1_000))
                .map(|number| {
                    let host = number % hosts;
                    let seed = Discovery::seed(page(number, host), UrlKind::Page, PortalId(host as u32));
                    Discovery { source: Source::Link, depth: 1, via: Some(page(0, host)), ..seed }
                })
                .collect();
            frontier.add(&found, now).expect("added");
        }
        let mut done = 0_u64;
        while done < urls / 5 {
            let leases = frontier.lease_up_to(256, now).expect("leased");
            if leases.is_empty() {
                now = frontier.next_wakeup().expect("URLs are left").max(now) + Duration::from_secs(1);
                continue;
            }
            let finished = leases.into_iter().map(|lease| {
                done += 1;
                let exchange = Some(Exchange {
                    ended: now,
                    elapsed: Duration::from_millis(200),
                    bytes: 40_000,
                    status: Some(200),
                });
                if !matches!(lease.work, Work::Page(_)) {
                    return Finished { exchange, ..Finished::new(lease, Outcome::Robots(RobotsAnswer::AllowAll)) };
                }
                let facts = Some(PageFacts { teaches: true, judged: true, thin: false });
                let file = format!("portals-20261120-{:05}.warc.gz", done / 100_000);
                Finished {
                    exchange,
                    position: Some(ArchivePosition::new(file, done * 10_000, 10_000)),
                    payload: Some((blake3::hash(&done.to_le_bytes()).as_bytes()[..20].to_vec(), now)),
                    ..Finished::new(lease, Outcome::Fetched(Fetched { page: facts, ..Fetched::default() }))
                }
            });
            frontier.finish(finished.collect(), now).expect("finished");
        }
    }
    let began = Instant::now();
    let file = checkpoint::save(&job).expect("saved").checkpoint;
    let saving = began.elapsed();
    let bytes = std::fs::metadata(&file).expect("a file").len();
    let again = JobDir::new(&dir.path().join("again"));
    again.create().expect("a job directory");
    let began = Instant::now();
    checkpoint::restore(&again, &file).expect("restored");
    println!(
        "{urls} URLs of {hosts} hosts, a fifth of them fetched: saved in {:.1} s, {:.1} bytes a URL, restored in {:.1} s",
        saving.as_secs_f64(),
        bytes as f64 / urls as f64,
        began.elapsed().as_secs_f64()
    );
}

/// Compares one worker that has all partitions with a plain crawl: pages per CPU second, and memory.
fn throughput(scene: &Scene) {
    scene.init(&["--delay", "0s", "--commit-every", "10m"]);
    println!("{} partitions", scene.number("SELECT count(*) FROM partition"));
    let plain = |job: &Path| {
        let mut crawl = goldminer(&["crawl", "-q"]);
        crawl.arg(&scene.seeds).args(["--delay", "0s", "--allow-private", "--resolve", &scene.web.rules[0], "--dir"]);
        let ran = run(crawl.arg(job), Duration::from_secs(3600));
        assert_eq!(ran.code(), Some(0), "{ran:?}");
        ran
    };
    let mut before = 0;
    let mut rate_of = |what: &str, ran: &crate::crawl_world::Ran| {
        let log = scene.log();
        let (requests, new) = (log.len(), &log[before..]);
        let urls: HashSet<_> = new.iter().map(|entry| (&entry.host, &entry.path)).collect();
        let broken = new.iter().filter(|entry| !entry.complete).count();
        let rate = new.len() as f64 / ran.usage.cpu.as_secs_f64();
        println!(
            "{what}: {} requests, {} of them again, {broken} broken off, {:.1} CPU s, {rate:.0} a CPU second, {:.0} s, peak {} MB",
            new.len(),
            new.len() - urls.len(),
            ran.usage.cpu.as_secs_f64(),
            ran.took.as_secs_f64(),
            ran.usage.peak_rss_bytes / 1_000_000
        );
        before = requests;
        rate
    };
    let one = rate_of("a plain crawl", &plain(&scene.dir.path().join("plain")));
    let mut worker = scene.worker("only");
    let ran = worker.end(Duration::from_secs(3600));
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    let many = rate_of("one worker", &ran);
    let again = rate_of("a plain crawl", &plain(&scene.dir.path().join("again")));
    println!("the worker has {:.1} % of a plain crawl's throughput", 200.0 * many / (one + again));
}

/// Counts the database statements per second of this many workers with the default times.
fn statements(scene: &Scene, workers: usize) {
    scene.init(&["--delay", "30s", "--commit-every", "2m"]);
    let running: Vec<Running> = (0..workers).map(|number| scene.worker(&format!("worker {number}"))).collect();
    let spread = "SELECT count(DISTINCT owner) FROM partition";
    let all = workers.min(usize::try_from(scene.number("SELECT count(*) FROM partition")).unwrap_or(0));
    scene.until("all have some", Duration::from_secs(400), |scene| scene.number(spread) >= all as i64 * 9 / 10);
    pause(Duration::from_secs(60));
    scene.postgres.ask("CREATE EXTENSION IF NOT EXISTS pg_stat_statements");
    scene.postgres.ask("SELECT pg_stat_statements_reset()");
    let began = Instant::now();
    pause(Duration::from_secs(150));
    let seconds = began.elapsed().as_secs_f64();
    let rows = scene.postgres.ask(
        "SELECT calls, round(total_exec_time::numeric, 1), left(regexp_replace(query, '\\s+', ' ', 'g'), 70)
         FROM pg_stat_statements WHERE query NOT LIKE '%pg_stat%' ORDER BY calls DESC",
    );
    let mut calls: BTreeMap<String, (u64, f64)> = BTreeMap::new();
    for row in &rows {
        let mut columns = row.splitn(3, '|');
        let number = columns.next().and_then(|calls| calls.parse().ok()).unwrap_or(0);
        let time = columns.next().and_then(|time| time.parse().ok()).unwrap_or(0.0);
        let sum = calls.entry(columns.next().unwrap_or_default().to_owned()).or_default();
        (sum.0, sum.1) = (sum.0 + number, sum.1 + time);
    }
    let (all, time) = calls.values().fold((0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    println!(
        "{} workers that live: {:.1} statements a second ({:.2} ms of the server's time each), over {seconds:.0} s:",
        scene.number("SELECT count(*) FROM worker WHERE NOT dead AND expires > now()"),
        all as f64 / seconds,
        time / all as f64
    );
    for (what, (calls, time)) in calls {
        println!("  {:>7.2} a second {:>8.2} ms  {what}", calls as f64 / seconds, time / calls as f64);
    }
    running.into_iter().for_each(|worker| drop(worker.kill()));
}
