//! Tests portals with traps (endless URLs): does the crawl of each end by itself, with every article once, a bounded
//! number of requests to each trap, and documents long before the end? `benches/hostile.rs -- --traps` is the long
//! form.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;
use std::path::Path;
use std::time::{Duration, Instant};

use goldminer_testkit::access_log::Entry;
use goldminer_testkit::portals::{Portal, Portals, Size};
use goldminer_testkit::traps::{Trap, visits, without_visit};
use goldminer_testkit::violations;
use goldminer_testkit::web::Knobs;
use serde_json::Value;

use crate::crawl_world::{LONG, World, goldminer, pause, run, start};

/// The time after the last request to a portal in which its profile must be learned and its documents appear. In a long
/// crawl, a quarter of the crawl's duration is allowed instead.
const AFTERWARDS: Duration = Duration::from_secs(4);

/// The parameters of the world.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    pub portals: usize,
    pub articles: usize,
    /// Every second portal has all of these.
    pub traps: Vec<Trap>,
    pub delay: Duration,
    pub patience: Duration,
}

/// The results.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    pub code: Option<i32>,
    pub message: String,
    pub requests: usize,
    /// The requests to traps, by host and trap.
    pub visits: BTreeMap<(String, Trap), usize>,
    /// Articles without a document.
    pub missing: Vec<String>,
    /// Articles that were requested twice, and those with two documents.
    pub twice: Vec<String>,
    /// Portals whose last request was long before the end of the crawl, but none of whose documents appeared while the
    /// crawl ran.
    pub late: Vec<String>,
    pub violations: Vec<String>,
    pub peak_rss_bytes: u64,
    pub wall: Duration,
}

impl Outcome {
    /// The number of requests to the most visited trap.
    pub(crate) fn most_visits(&self) -> usize {
        self.visits.values().copied().max().unwrap_or(0)
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{} requests in {:.1} s; ended with {:?}: {}",
            self.requests,
            self.wall.as_secs_f64(),
            self.code,
            self.message
        )?;
        writeln!(f, "articles without a document: {}; twice: {}", self.missing.len(), self.twice.len())?;
        writeln!(f, "portals without a document before the crawl ended: {:?}", self.late)?;
        writeln!(f, "violations: {}; peak RSS {} MB", self.violations.len(), self.peak_rss_bytes / 1_000_000)?;
        let mut by_trap: BTreeMap<Trap, (usize, usize, usize)> = BTreeMap::new();
        for ((_, trap), count) in &self.visits {
            let (hosts, sum, most) = by_trap.entry(*trap).or_default();
            (*hosts, *sum, *most) = (*hosts + 1, *sum + count, (*most).max(*count));
        }
        for (trap, (hosts, sum, most)) in by_trap {
            writeln!(f, "  {trap:?}: {} requests a portal, {most} at most", sum / hosts)?;
        }
        let examples = self.missing.iter().chain(&self.twice).chain(&self.violations);
        examples.take(20).try_for_each(|example| writeln!(f, "  {example}"))
    }
}

/// Runs a plan.
pub(crate) fn run_plan(plan: &Plan, job: Option<&Path>) -> Outcome {
    let size = Size { traps: false, ..Size::default() };
    let portals = Portals::many(plan.portals, plan.articles, &size).trapped(2, &plan.traps);
    let world = World::new(portals.clone(), Knobs::default()).settings("ip_spacing = \"0s\"");
    let job = job.map_or_else(|| world.path("job"), Path::to_owned);
    let began = Instant::now();
    let delay = format!("{}ms", plan.delay.as_millis());
    let mut running = start(world.crawl(&job).args(["--delay", &delay, "-q"]));
    let mut first_seen: HashMap<String, Duration> = HashMap::new();
    while running.is_running() && began.elapsed() < plan.patience {
        pause(Duration::from_millis(400));
        for host in hosts_with_documents(&job) {
            first_seen.entry(host).or_insert_with(|| world.web.log().now());
        }
    }
    if running.is_running() {
        running.signal("INT");
    }
    let ran = running.end(LONG);
    let log = world.log();
    let mut verdict = Outcome {
        code: ran.code(),
        message: ran.stdout.lines().next().unwrap_or(&ran.stderr).to_owned(),
        requests: log.len(),
        visits: visits(&log, &plan.traps),
        violations: violations(&log, &portals, plan.delay).iter().map(|violation| format!("{violation:?}")).collect(),
        peak_rss_bytes: ran.usage.peak_rss_bytes,
        wall: began.elapsed(),
        ..Outcome::default()
    };
    let ended = world.web.log().now();
    for portal in portals.iter() {
        let last = log.iter().filter(|entry| entry.host == portal.host).map(|entry| entry.start).max();
        // On a busy machine a look at the crawl takes longer as well.
        let has_ended_early = last.is_none_or(|last| last + AFTERWARDS.max(ended / 4) < ended);
        if has_ended_early && !first_seen.contains_key(&portal.host) {
            verdict.late.push(portal.host.clone());
        }
        check_requests(&mut verdict, &log, &portal);
    }
    check_documents(&mut verdict, &portals, &job);
    verdict
}

/// The hosts with documents in a running crawl. None while it begins or ends.
fn hosts_with_documents(job: &Path) -> Vec<String> {
    if !job.join("control.json").is_file() {
        return Vec::new();
    }
    let ran = run(goldminer(&["status", "--json"]).arg(job), LONG);
    let status: Value = serde_json::from_str(&ran.stdout).unwrap_or_default();
    let domains = status["domains"].as_array().cloned().unwrap_or_default();
    let with_some = domains.iter().filter(|domain| domain["documents"].as_u64() > Some(0));
    with_some.filter_map(|domain| domain["domain"].as_str().map(str::to_owned)).collect()
}

fn check_requests(verdict: &mut Outcome, log: &[Entry], portal: &Portal) {
    let mut requests: HashMap<String, usize> = HashMap::new();
    for entry in log.iter().filter(|entry| entry.host == portal.host) {
        *requests.entry(without_visit(&entry.path)).or_default() += 1;
    }
    let by_session = portal.traps().contains(&Trap::SessionOnLinks);
    for (path, _) in portal.gold() {
        match requests.get(&path) {
            Some(1) => {}
            Some(_) if by_session => {}
            Some(_) => verdict.twice.push(format!("asked for twice: http://{}{path}", portal.host)),
            None => verdict.missing.push(format!("never asked for: http://{}{path}", portal.host)),
        }
    }
}

fn check_documents(verdict: &mut Outcome, portals: &Portals, job: &Path) {
    let mut documents: HashMap<String, usize> = HashMap::new();
    for document in goldminer_corpus::read(&job.join("corpus")).unwrap() {
        *documents.entry(without_visit(&document.unwrap().url)).or_default() += 1;
    }
    for portal in portals.iter() {
        let second_urls = portal.second_urls();
        // An article that was published again, word by word, has one document.
        let repeated: BTreeSet<String> = portal.near_duplicates().into_iter().flat_map(|(a, b)| [a, b]).collect();
        for (path, _) in portal.gold() {
            let others = second_urls.iter().filter(|(main, _)| *main == path).map(|(_, other)| other);
            let paths = std::iter::once(&path).chain(others);
            let count: usize = paths.filter_map(|path| documents.get(&format!("http://{}{path}", portal.host))).sum();
            match count {
                1 => {}
                0 if repeated.contains(&path) => {}
                0 => verdict.missing.push(format!("no document: http://{}{path}", portal.host)),
                _ => verdict.twice.push(format!("two documents: http://{}{path}", portal.host)),
            }
        }
    }
}

#[test]
fn a_crawl_with_traps_ends_with_every_article_once() {
    let plan = Plan {
        portals: 4,
        articles: 30,
        traps: Trap::USUAL.to_vec(),
        delay: Duration::from_millis(5),
        patience: Duration::from_secs(120),
    };
    let verdict = run_plan(&plan, None);
    assert_eq!(verdict.code, Some(0), "{verdict}");
    assert!(verdict.missing.is_empty() && verdict.twice.is_empty() && verdict.violations.is_empty(), "{verdict}");
    assert!(verdict.visits.len() == 2 * Trap::USUAL.len() && verdict.most_visits() <= 200, "{verdict}");
    assert!(verdict.peak_rss_bytes <= 300_000_000, "{verdict}");
    assert!(verdict.late.is_empty(), "{verdict}");
}
