//! A run against a hostile web: many small portals with every fault, a crawler that is killed again and again, and the
//! evidence of the server, the archive and the corpus afterwards. `benches/hostile.rs` is the long form.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use goldminer_testkit::access_log::{Entry, ViolationKind};
use goldminer_testkit::portals::{Portals, Size};
use goldminer_testkit::violations;
use goldminer_testkit::web::{BlockPeriod, Knobs};
use goldminer_warc::{Entry as Stored, Record};

use crate::crawl_world::{World, assert_warcs_are_valid, next_random, pause, start, status};

/// The longest time before a kill in which an answer may be lost, because the process had no time to save it.
const LOST_RESPONSE: Duration = Duration::from_millis(500);

/// The longest time from the end of an answer to its commit on disk, on a busy machine. A page may be requested again
/// only if the process was killed within this time after its answer.
const UNCOMMITTED: Duration = Duration::from_secs(3);

/// After a kill, the test waits until the test web has answered nothing for this time. It has then read all requests of
/// the killed process.
const SETTLED: Duration = Duration::from_millis(60);

/// The parameters of the run.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    pub hosts: usize,
    /// The articles of each portal. For each of them, there are about three other pages.
    pub articles: usize,
    pub kills: usize,
    /// The average time between a start and a kill.
    pub life: Duration,
    pub delay: Duration,
    pub seed: u64,
    /// The longest time of a process.
    pub patience: Duration,
}

/// The results.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    pub requests: usize,
    pub kills: usize,
    pub fetched: u64,
    pub documents: usize,
    /// The violations by kind, except those that a kill explains.
    pub violations: BTreeMap<String, usize>,
    pub examples: Vec<String>,
    /// Pages requested again because a kill came before their outcome was durable.
    pub repeated_by_kills: usize,
    /// The longest time between the end of such a page's response and the kill.
    pub longest_uncommitted: Duration,
    /// Requests during a Retry-After whose response was lost in a kill.
    pub lost_responses: usize,
    /// Pages that the server delivered completely and that are not in the archive.
    pub lost: Vec<String>,
    /// Articles that were never requested.
    pub never_requested: Vec<String>,
    /// URLs with two documents, and texts with two documents in one domain.
    pub twice: Vec<String>,
    /// The number of checks in which the counts did not add up.
    pub broken_accounts: usize,
    pub accounts_checked: usize,
    /// Pages of the index without an outcome of the extraction.
    pub not_extracted: u64,
    pub peak_rss_bytes: u64,
    pub cpu: Duration,
    pub wall: Duration,
    /// How the last process ended.
    pub code: Option<i32>,
    pub message: String,
    pub archive: PathBuf,
}

impl Outcome {
    /// Whether there were no violations, losses or duplicates.
    pub(crate) fn is_clean(&self) -> bool {
        self.violations.is_empty()
            && self.lost.is_empty()
            && self.never_requested.is_empty()
            && self.twice.is_empty()
            && self.broken_accounts == 0
            && self.not_extracted == 0
            && self.code == Some(0)
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} requests, {} pages fetched, {} documents", self.requests, self.fetched, self.documents)?;
        writeln!(f, "{} kills; the last process ended with {:?}: {}", self.kills, self.code, self.message.trim())?;
        writeln!(f, "violations of the rules: {:?} (must be none)", self.violations)?;
        writeln!(
            f,
            "explained by kills: {} pages asked for again (received up to {:.2?} before one), {} answers with \
             Retry-After lost within {LOST_RESPONSE:?} before one",
            self.repeated_by_kills, self.longest_uncommitted, self.lost_responses
        )?;
        writeln!(f, "pages lost: {}; articles never asked for: {}", self.lost.len(), self.never_requested.len())?;
        writeln!(f, "documents twice: {}; pages not extracted: {}", self.twice.len(), self.not_extracted)?;
        writeln!(f, "accounts that did not add up: {} of {}", self.broken_accounts, self.accounts_checked)?;
        writeln!(
            f,
            "peak RSS {} MB; CPU {:.1} s; wall {:.1} s",
            self.peak_rss_bytes / 1_000_000,
            self.cpu.as_secs_f64(),
            self.wall.as_secs_f64()
        )?;
        let examples = self.examples.iter().chain(&self.lost).chain(&self.never_requested).chain(&self.twice);
        examples.take(40).try_for_each(|example| writeln!(f, "  {example}"))
    }
}

/// Every fault of a server, in small shares.
pub(crate) fn all_knobs(seed: u64) -> Knobs {
    Knobs {
        seed,
        not_found: 0.03,
        redirect_loop: 0.01,
        server_error: 0.02,
        too_many: 0.02,
        unavailable: 0.02,
        retry_after: Duration::from_secs(2),
        slow: 0.01,
        slow_by: Duration::from_millis(700),
        dropped: 0.02,
        wrong_length: 0.01,
        lying_type: 0.01,
        lying_charset: 0.03,
        redesign_after: Some(60),
        blocked: Some(BlockPeriod { after: 25, length: 2, captcha: false }),
        robots_errors: 1,
        robots_faults: true,
        ..Knobs::default()
    }
}

/// Runs a plan.
pub(crate) fn run(plan: &Plan, job: Option<&Path>) -> Outcome {
    let portals = Portals::many(plan.hosts, plan.articles, &Size { seed: plan.seed, ..Size::default() });
    let knobs = all_knobs(plan.seed);
    let settings = "ip_spacing = \"0s\"\nbackoff = \"1s\"\nretry_wait = \"500ms\"\nlearning_pages = 12";
    let world = World::new(portals.clone(), knobs.clone()).settings(settings);
    let job = job.map_or_else(|| world.path("job"), Path::to_owned);
    let mut verdict = Outcome { archive: job.join("archive"), ..Outcome::default() };
    let began = Instant::now();
    let kills = crawl(plan, &world, &job, &mut verdict);
    verdict.wall = began.elapsed();
    let log = world.log();
    verdict.requests = log.len();
    check_requests(&mut verdict, &log, &portals, plan.delay, &kills);
    check_archive(&mut verdict, &log, &portals, &knobs);
    check_corpus(&mut verdict, &job);
    assert_warcs_are_valid(&verdict.archive);
    verdict
}

/// Crawls and kills; returns the times of the kills by the log's clock.
fn crawl(plan: &Plan, world: &World, job: &Path, verdict: &mut Outcome) -> Vec<Duration> {
    let delay = format!("{}ms", plan.delay.as_millis());
    let mut random = plan.seed;
    let mut kills = Vec::new();
    loop {
        let mut running = start(world.crawl(job).args(["--delay", &delay, "-q"]));
        let is_last = kills.len() == plan.kills;
        if !is_last {
            pause(plan.life.mul_f64(2.0 * next_random(&mut random)));
        }
        let ran = if is_last || !running.is_running() {
            running.end(plan.patience)
        } else {
            let ran = running.kill();
            // The web gets time between the last request of the killed process and the first one of the next. On a
            // busy machine, it still reads requests of the killed process for some time.
            let mut answered = usize::MAX;
            while answered != world.web.log().len() {
                answered = world.web.log().len();
                pause(SETTLED);
            }
            kills.push(world.web.log().now());
            ran
        };
        verdict.cpu += ran.usage.cpu;
        verdict.peak_rss_bytes = verdict.peak_rss_bytes.max(ran.usage.peak_rss_bytes);
        if job.join("job.toml").is_file() {
            verdict.accounts_checked += 1;
            verdict.broken_accounts += usize::from(status(job)["identity_holds"] != true);
        }
        if ran.signal().is_none() {
            (verdict.code, verdict.message) = (ran.code(), ran.stdout.lines().next().unwrap_or(&ran.stderr).to_owned());
            verdict.kills = kills.len();
            return kills;
        }
    }
}

fn check_requests(verdict: &mut Outcome, log: &[Entry], portals: &Portals, delay: Duration, kills: &[Duration]) {
    let mut delivered: HashMap<(&str, &str), Vec<&Entry>> = HashMap::new();
    let mut asked_to_wait: HashMap<&str, Vec<&Entry>> = HashMap::new();
    for entry in log {
        if entry.status == 200 && entry.complete {
            delivered.entry((&entry.host, &entry.path)).or_default().push(entry);
        }
        if entry.retry_until.is_some() {
            asked_to_wait.entry(&entry.host).or_default().push(entry);
        }
    }
    for violation in violations(log, portals, delay) {
        let (host, path, at) = (violation.host.as_str(), violation.path.as_str(), violation.at);
        match violation.kind {
            ViolationKind::FetchedTwice => {
                // The response counts as ended when it was handed to the system: its reader may have died before.
                let before = delivered[&(host, path)].iter().filter(|entry| entry.start < at).max_by_key(|e| e.start);
                let lost = |entry: &&Entry| {
                    let kill = kills.iter().find(|kill| **kill >= entry.start && **kill <= at)?;
                    Some(kill.saturating_sub(entry.end)).filter(|waited| *waited < UNCOMMITTED)
                };
                if let Some(waited) = before.and_then(lost) {
                    verdict.repeated_by_kills += 1;
                    verdict.longest_uncommitted = verdict.longest_uncommitted.max(waited);
                    continue;
                }
            }
            ViolationKind::DuringRetryAfter => {
                let open = asked_to_wait[host].iter().filter(|e| e.end <= at && e.retry_until.is_some_and(|t| at < t));
                let swallowed = |e: &&&Entry| kills.iter().any(|kill| *kill >= e.end && *kill - e.end < LOST_RESPONSE);
                let open: Vec<&&Entry> = open.collect();
                if !open.is_empty() && open.iter().all(swallowed) {
                    verdict.lost_responses += 1;
                    continue;
                }
            }
            _ => {}
        }
        let name = format!("{:?}", violation.kind);
        let name = name.split('(').next().unwrap_or_default().to_owned();
        *verdict.violations.entry(name).or_default() += 1;
        verdict.examples.push(format!("{violation:?}"));
    }
}

fn check_archive(verdict: &mut Outcome, log: &[Entry], portals: &Portals, knobs: &Knobs) {
    let mut archived: HashSet<(String, String)> = HashSet::new();
    for entry in goldminer_warc::after(&verdict.archive, None).unwrap() {
        let capture = match entry.unwrap() {
            Stored::Record { record: Record::Response(capture), .. } => *capture,
            Stored::Record { record: Record::Revisit(revisit), .. } => revisit.capture,
            Stored::Record { .. } => continue,
            Stored::Fault(fault) => {
                verdict.lost.push(fault.to_string());
                continue;
            }
        };
        archived.insert((capture.url.host_name().to_owned(), capture.url.path_and_query().to_owned()));
    }
    let mut requested: HashSet<(&str, &str)> = HashSet::new();
    let mut lost = BTreeSet::new();
    for entry in log {
        requested.insert((&entry.host, &entry.path));
        let is_wrong_type = matches!(
            knobs.fault(&entry.host, &entry.path, 1 << 40, 1 << 40),
            goldminer_testkit::web::Fault::LyingType(_)
        );
        let delivered = entry.status == 200 && entry.complete && !is_wrong_type;
        if delivered && !archived.contains(&(entry.host.clone(), entry.path.clone())) {
            lost.insert(format!("not archived: http://{}{}", entry.host, entry.path));
        }
    }
    verdict.lost.extend(lost);
    for portal in portals.iter() {
        for (path, _) in portal.gold() {
            if !requested.contains(&(portal.host.as_str(), path.as_str())) {
                verdict.never_requested.push(format!("never asked for: http://{}{path}", portal.host));
            }
        }
    }
}

fn check_corpus(verdict: &mut Outcome, job: &Path) {
    let status = status(job);
    verdict.fetched = status["counts"]["done"]["fetched"].as_u64().unwrap_or(0);
    let mut counted = 0;
    for domain in status["domains"].as_array().unwrap() {
        verdict.not_extracted += domain["pages"].as_u64().unwrap() - domain["extracted"].as_u64().unwrap();
        counted += domain["documents"].as_u64().unwrap() as usize;
    }
    let (mut urls, mut texts) = (HashSet::new(), HashSet::new());
    for document in goldminer_corpus::read(&job.join("corpus")).unwrap() {
        let document = document.unwrap();
        verdict.documents += 1;
        if !texts.insert((document.metadata.domain.clone(), document.provenance.text_digest.clone())) {
            verdict.twice.push(format!("text twice: {}", document.url));
        }
        if !urls.insert(document.url.clone()) {
            verdict.twice.push(format!("document twice: {}", document.url));
        }
    }
    if counted != verdict.documents {
        verdict.twice.push(format!("{counted} documents are committed, {} in the corpus", verdict.documents));
    }
}

#[test]
fn a_short_hostile_run_is_polite_and_complete() {
    let plan = Plan {
        hosts: 10,
        articles: 8,
        kills: 5,
        life: Duration::from_millis(1500),
        delay: Duration::from_millis(50),
        seed: crate::crawl_world::seed(),
        patience: crate::crawl_world::LONG,
    };
    let verdict = run(&plan, None);
    assert!(verdict.requests > 300 && verdict.documents > 30, "nothing is tested: {verdict}");
    assert!(verdict.is_clean(), "{plan:?}\n{verdict}");
}
