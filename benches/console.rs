//! Measures what the console costs with thousands of portals, here with 5,000 portals and a million URLs:
//! `cargo bench --bench console --profile dist -- 5000 1000000`
//!
//! Two jobs are made; the second one has three times as many URLs. The first one is stopped, and has a profile,
//! documents and an index of its archive for every portal. The bench measures how long it takes until the first page is
//! shown, until all of it is there, and how much memory that needs. The second job is crawled from a server in another
//! process, by turns without and with a page of the console open. The cost of the open page is measured in processor
//! time, which other programs on the machine do not change.

#![allow(clippy::disallowed_methods, clippy::unwrap_used)] // it measures time; what fails ends it

#[path = "../tests/it/console_client.rs"]
#[allow(dead_code)] // shared with the tests
mod console_client;
#[path = "../tests/it/crawl_world.rs"]
#[allow(dead_code)] // shared with the tests
mod crawl_world;

use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use console_client::ConsoleClient;
use goldminer_core::extract::domain::{ExtractionProgress, LearningState, PageOutcome};
use goldminer_core::{DomainProfile, Phase, ServingProfile};
use goldminer_corpus::files::early::EarlyPosition;
use goldminer_corpus::forms::jsonl::CorpusPosition;
use goldminer_crawl::config::{Config, Overrides};
use goldminer_crawl::frontier::{
    Discovery, Exchange, Fetched, Finished, Frontier, FrontierConfig, Lease, Outcome, PageFacts, Portal, PortalId,
    RobotsAnswer, Source, UrlKind, Work,
};
use goldminer_crawl::job::JobDir;
use goldminer_crawl::seeds::Seeds;
use goldminer_crawl::store::Store;
use goldminer_crawl::store::profiles::ProfileStore;
use goldminer_html::address::{CrawlUrl, Domain};
use goldminer_html::capture::ArchivePosition;
use jiff::Timestamp;

/// The allocator of the program.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const GROUP: usize = 256;
/// How long each part of a crawl is measured: longer than the time after which a page is loaded again.
const WINDOW: Duration = Duration::from_secs(110);
/// The number of parts with a console. Before, between and after them are parts without one.
const ROUNDS: usize = 1;
const SERVE: &str = "CONSOLE_BENCH_SERVE";

fn main() {
    if std::env::var_os(SERVE).is_some() {
        serve();
    }
    let mut sizes = std::env::args().skip(1).filter_map(|arg| arg.parse::<u64>().ok());
    let (portals, urls) = (sizes.next().unwrap_or(5_000), sizes.next().unwrap_or(1_000_000));
    let dir = tempfile::tempdir().unwrap();
    let jobs = dir.path().join("jobs");
    println!("{portals} portals, {urls} URLs");

    make(&jobs.join("still"), portals, urls, urls / 5);
    still(&jobs);
    std::fs::remove_dir_all(jobs.join("still")).unwrap();

    // More URLs, so that they last until everything is measured.
    make(&jobs.join("crawled"), portals, 3 * urls, 0);
    crawled(&jobs, dir.path(), portals);
}

/// Measures the pages of a job whose crawl is not running.
fn still(jobs: &Path) {
    let began = Instant::now();
    let console = ConsoleClient::open(jobs);
    let opened = began.elapsed();
    let (first, page) = timed(|| console.get_once("/"));
    assert_eq!(page.status, 200, "{page:?}");
    let is_whole = !page.body.contains(" data-looking");
    let (rest, page) = timed(|| console.get("/"));
    assert!(page.body.contains("id=\"portals\""), "{}", page.body);
    let mut again: Vec<Duration> = (0..20).map(|_| timed(|| console.get_once("/")).0).collect();
    again.sort_unstable();
    let sorted = timed(|| console.get("/job/still/portals?sort=documents&page=17")).0;
    let portal = timed(|| console.get("/job/still/portal?name=www.portal-7.example")).0;
    println!(
        "stopped: open after {} ms; first page {} ms ({}), all of it after {} ms, again {} ms (the slowest of 20: {} ms, {} kB); \
         sorted {} ms; a portal {} ms; peak RSS {} MB",
        opened.as_millis(),
        first.as_millis(),
        if is_whole { "whole" } else { "incomplete" },
        (first + if is_whole { Duration::ZERO } else { rest }).as_millis(),
        again[again.len() / 2].as_millis(),
        again[again.len() - 1].as_millis(),
        page.body.len() / 1000,
        sorted.as_millis(),
        portal.as_millis(),
        peak_mb(console.process()),
    );
}

/// Measures one crawl, by turns without and with a page of the console open. Each part is compared with the parts
/// before and after it, because the speed of a crawl changes as its database grows.
fn crawled(jobs: &Path, dir: &Path, portals: u64) {
    let server = Server::start();
    let seeds = dir.join("seeds.toml");
    std::fs::write(&seeds, seeds_of(portals)).unwrap();
    let job = jobs.join("crawled");
    let mut crawl = crawl_world::goldminer(&["crawl", "-q"]);
    crawl.arg(&seeds).arg("--dir").arg(&job).args(["--allow-private", "--delay", "0s"]);
    crawl.args(["--resolve", &server.rule]);
    let mut running = crawl_world::start(&mut crawl);
    let pid = running.child.id();
    // Wait until the crawl has begun.
    let until = Instant::now() + Duration::from_secs(120);
    while !job.join("control.json").is_file() && Instant::now() < until && running.is_running() {
        crawl_world::pause(Duration::from_millis(100));
    }
    crawl_world::pause(Duration::from_secs(10));
    let pages_a_second = |console: Option<&ConsoleClient>| {
        let (pages, before, until) = (server.pages(), cpu(pid), Instant::now() + WINDOW);
        while let Some(left) = until.checked_duration_since(Instant::now()) {
            crawl_world::pause(console.map_or(left, renewed_after).min(left));
        }
        (server.pages() - pages) as f64 / (cpu(pid) - before).as_secs_f64()
    };
    let mut without = vec![pages_a_second(None)];
    let mut with = Vec::new();
    for _ in 0..ROUNDS {
        let console = ConsoleClient::open(jobs);
        let first = timed(|| console.get_once("/")).0;
        let (rest, page) = timed(|| console.get("/"));
        assert!(page.body.contains("data-running=\"true\""), "the crawl had ended");
        let (stream, before) = (listen(&console), cpu(console.process()));
        with.push(pages_a_second(Some(&console)));
        let live = (cpu(console.process()) - before).as_secs_f64() / WINDOW.as_secs_f64();
        println!(
            "runs: first page {} ms, all of it after {} ms; live {:.2} % of a core, peak RSS {} MB",
            first.as_millis(),
            (first + rest).as_millis(),
            100.0 * live,
            peak_mb(console.process())
        );
        drop((stream, console));
        without.push(pages_a_second(None));
    }
    assert!(running.is_running(), "the crawl had ended: give it more URLs");
    running.signal("INT");
    let ran = running.end(Duration::from_secs(300));
    assert!(matches!(ran.code(), Some(0 | 4 | 130)), "{ran:?}");
    let mut shares = Vec::new();
    for (round, with) in with.iter().enumerate() {
        let (before, after) = (without[round], without[round + 1]);
        shares.push(200.0 * with / (before + after));
        println!("pages per CPU second of the crawl: {before:.0} and {after:.0} without a console, {with:.0} with one");
    }
    println!("with a console {:.1} % of without", shares.iter().sum::<f64>() / shares.len() as f64);
}

/// Loads the page of the job as its script does. Returns the time after which the script loads it again.
fn renewed_after(console: &ConsoleClient) -> Duration {
    let page = console.get_once("/job/crawled").body;
    let seconds = page.split("data-renew=\"").nth(1).and_then(|rest| rest.split('"').next()?.parse().ok());
    Duration::from_secs(seconds.expect("a running job's page is renewed"))
}

/// Opens a page with live numbers. It stays open until this is dropped.
fn listen(console: &ConsoleClient) -> TcpStream {
    let mut stream = TcpStream::connect(&console.host).unwrap();
    let (host, cookie) = (&console.host, &console.cookie);
    write!(stream, "GET /job/crawled/live HTTP/1.1\r\nHost: {host}\r\nCookie: {cookie}\r\n\r\n").unwrap();
    let mut reading = stream.try_clone().unwrap();
    std::thread::spawn(move || {
        let mut bytes = [0; 64 << 10];
        while matches!(reading.read(&mut bytes), Ok(1..)) {}
    });
    stream
}

fn timed<T>(work: impl FnOnce() -> T) -> (Duration, T) {
    let began = Instant::now();
    let result = work();
    (began.elapsed(), result)
}

fn name(portal: u64) -> String {
    format!("www.portal-{portal}.example")
}

fn page(number: u64, portal: u64) -> CrawlUrl {
    let mixed = number.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let text = format!("http://{}/2026/11/20/news/story-{mixed:016x}-of-number-{number}", name(portal));
    CrawlUrl::parse(&text).unwrap()
}

fn seeds_of(portals: u64) -> String {
    let mut seeds = String::from("[crawl]\nuser_agent = \"bench/1.0 (+https://uni.hu/bench)\"\nip_spacing = \"0s\"\n");
    for portal in 0..portals {
        let _ = write!(seeds, "[[portal]]\nname = \"{0}\"\nstart = [\"http://{0}/\"]\n", name(portal));
    }
    seeds
}

/// Makes a job with this many portals and URLs, of which `fetched` are fetched.
fn make(dir: &Path, portals: u64, urls: u64, fetched: u64) {
    let began = Instant::now();
    let job = JobDir::new(dir);
    std::fs::create_dir_all(dir).unwrap();
    job.create().unwrap();
    let seeds = Seeds::parse(&seeds_of(portals), "seeds").unwrap();
    let overrides = Overrides {
        delay: Some("0s".parse().unwrap()),
        allow_private: vec!["loopback".into()],
        ..Overrides::default()
    };
    Config::effective(seeds, &overrides).unwrap().write(dir).unwrap();
    let named = |portal| Portal::around(name(portal), page(0, portal));
    let config = FrontierConfig { portals: (0..portals).map(named).collect(), ..FrontierConfig::default() };
    let mut now: Timestamp = "2026-11-20T12:00:00Z".parse().unwrap();
    let store = Store::open(&job.frontier()).unwrap();
    let mut frontier = Frontier::open(store.frontier(), config, now).unwrap();
    for first in (0..urls).step_by(1_000) {
        let found = |number| {
            let portal = number % portals;
            let seed = Discovery::seed(page(number, portal), UrlKind::Page, PortalId(portal as u32));
            Discovery { source: Source::Link, depth: 1, via: Some(page(0, portal)), ..seed }
        };
        frontier.add(&(first..urls.min(first + 1_000)).map(found).collect::<Vec<_>>(), now).unwrap();
    }
    let (mut done, mut index) = (0, String::new());
    while done < fetched {
        let leases = frontier.lease_up_to(GROUP, now).unwrap();
        if leases.is_empty() {
            now = frontier.next_wakeup().unwrap().max(now) + Duration::from_secs(1);
            continue;
        }
        done += leases.len() as u64;
        let group: Vec<Finished> = leases.into_iter().map(|lease| answer(lease, now, &mut index)).collect();
        frontier.finish(group, now).unwrap();
    }
    if fetched > 0 {
        std::fs::write(job.archive().join("portals-20261120-00000.cdxj"), index).unwrap();
        learned(&job, &store, portals, fetched / portals);
    }
    drop(frontier);
    // A crawl does the same at its end.
    store.settle().unwrap();
    drop(store);
    println!("made {} in {:.0} s", dir.display(), began.elapsed().as_secs_f64());
}

fn answer(lease: Lease, now: Timestamp, index: &mut String) -> Finished {
    let exchange = Some(Exchange { ended: now, elapsed: Duration::from_millis(200), bytes: 40_000, status: Some(200) });
    let Work::Page(work) = &lease.work else {
        return Finished { exchange, ..Finished::new(lease, Outcome::Robots(RobotsAnswer::AllowAll)) };
    };
    let url = work.url.as_str();
    let at = index.len() as u64;
    let time = now.strftime("%Y%m%d%H%M%S");
    let _ = writeln!(
        index,
        "{url} {time} {{\"url\":\"{url}\",\"mime\":\"text/html\",\"status\":\"200\",\"digest\":\"sha1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\",\
         \"length\":\"10000\",\"offset\":\"{at}\",\"filename\":\"portals-20261120-00000.warc.gz\"}}"
    );
    let facts = Some(PageFacts { teaches: true, judged: true, thin: false });
    Finished {
        exchange,
        position: Some(ArchivePosition::new("portals-20261120-00000.warc.gz".to_owned(), at, 10_000)),
        payload: Some((work.url.key().0.to_vec(), now)),
        ..Finished::new(lease, Outcome::Fetched(Fetched { page: facts, ..Fetched::default() }))
    }
}

/// Adds a profile and documents for each portal. A tenth of the portals need attention.
fn learned(job: &JobDir, store: &Store, portals: u64, pages: u64) {
    let profiles = ProfileStore::open(&job.profiles()).unwrap();
    let repeated: Vec<String> = (0..200_u64).map(|n| format!("\"{:016x}\"", n << 40)).collect();
    let mut batch = store.extraction().begin();
    for portal in 0..portals {
        let key = format!("portal-{portal}.example");
        let fitness = if portal % 10 == 0 { 0.5 } else { 0.97 };
        let text = format!(
            "key = \"{key}\"\nversion = 1\nlanguage = \"en\"\nprogram = \"bench\"\nis_small = false\nrepeated = [{}]\n\
             [evidence]\npages = 101\ndistinct = 100\ntaught = 100\ncovered = 100\nfitness = {fitness}\n\
             [[template]]\nstart = \"div.article__body\"\ndated = true\nmatches = 1\npages = 100\nshare = 1.0\nfitness = {fitness}\n\
             hand_made = false\n",
            repeated.join(", ")
        );
        let profile = DomainProfile::from_toml(&text).unwrap();
        let domain = Domain::named(&key);
        let mut state = LearningState::default();
        state.phase = Phase::Profiled;
        profiles.put_learning(&domain, &state).unwrap();
        profiles.put(&ServingProfile::everywhere(profile)).unwrap();
        let mut progress = ExtractionProgress::default();
        (progress.next_page, progress.documents) = (pages, pages * 4 / 5);
        progress.tally.add(PageOutcome::Document, pages);
        batch.put_progress(&domain, &progress);
    }
    profiles.flush().unwrap();
    batch.commit(CorpusPosition::default(), EarlyPosition::default()).unwrap();
}

/// The CPU time of a process, including threads that have ended (proc(5): ticks of a hundredth of a second).
fn cpu(process: u32) -> Duration {
    let line = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    // The program's name before these fields may contain spaces.
    let fields: Vec<&str> = line.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks: u64 = fields.get(11..13).unwrap_or_default().iter().filter_map(|ticks| ticks.parse::<u64>().ok()).sum();
    Duration::from_millis(10 * ticks)
}

fn peak_mb(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM")).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|kb| kb.parse::<u64>().ok()).unwrap_or(0) / 1024
}

/// The web server, in a separate process.
struct Server {
    child: Child,
    rule: String,
    pages: std::path::PathBuf,
    _dir: tempfile::TempDir,
}

impl Server {
    fn start() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let pages = dir.path().join("pages");
        let mut command = Command::new(std::env::current_exe().unwrap());
        let mut child = command.env(SERVE, &pages).stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        Self { child, rule: format!("*:80:{}", line.trim()), pages, _dir: dir }
    }

    /// The number of requests answered with a page so far.
    fn pages(&self) -> u64 {
        std::fs::read_to_string(&self.pages).unwrap_or_default().trim().parse().unwrap_or(0)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Answers every request except robots.txt with a page, until the process is killed. Four times a second, writes the
/// number of answered requests into a file.
fn serve() -> ! {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering};
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    let pages = Arc::new(AtomicU64::new(0));
    let counted = Arc::clone(&pages);
    let note = std::path::PathBuf::from(std::env::var_os(SERVE).unwrap());
    std::thread::spawn(move || {
        loop {
            let draft = note.with_extension("draft");
            std::fs::write(&draft, counted.load(Ordering::Relaxed).to_string()).unwrap();
            std::fs::rename(&draft, &note).unwrap();
            std::thread::sleep(Duration::from_millis(250));
        }
    });
    let text =
        "<p>The council met on Monday and talked for hours about the bridge that was to be built over the river.</p>";
    let body = format!(
        "<!doctype html><html lang=en><title>Story</title><article><h1>Story</h1>{}</article>",
        text.repeat(20)
    );
    let page = format!("HTTP/1.1 200 x\r\nContent-Type: text/html\r\nContent-Length: {}\r\n\r\n{body}", body.len());
    let none = "HTTP/1.1 404 x\r\nContent-Length: 0\r\n\r\n";
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    runtime.block_on(async move {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        println!("{}", listener.local_addr().unwrap());
        std::io::stdout().flush().unwrap();
        loop {
            let Ok((mut stream, _)) = listener.accept().await else { continue };
            let (page, pages) = (page.clone(), Arc::clone(&pages));
            tokio::spawn(async move {
                let mut head = Vec::new();
                let mut bytes = [0; 4096];
                while let Ok(read @ 1..) = stream.read(&mut bytes).await {
                    head.extend_from_slice(&bytes[..read]);
                    if !head.ends_with(b"\r\n\r\n") {
                        continue;
                    }
                    let is_page = !head.starts_with(b"GET /robots.txt") && !head.starts_with(b"GET /sitemap");
                    pages.fetch_add(u64::from(is_page), Ordering::Relaxed);
                    let answer = if is_page { page.as_bytes() } else { none.as_bytes() };
                    if stream.write_all(answer).await.is_err() {
                        return;
                    }
                    head.clear();
                }
            });
        }
    })
}
