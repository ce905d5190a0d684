//! Tests all attacks at once beside honest portals: are the honest portals crawled completely, and at what cost?
//! `benches/hostile.rs -- --attacks` is the long form.

use std::collections::{BTreeMap, HashSet};
use std::fmt;
use std::net::TcpStream;
use std::path::Path;
use std::time::{Duration, Instant};

use goldminer_testkit::access_log::Entry;
use goldminer_testkit::attacks::{Attack, Scale};
use goldminer_testkit::portals::{Portal, Portals, Size};
use goldminer_testkit::traps::Trap;
use goldminer_testkit::web::WebConfig;
use serde_json::Value;

use crate::crawl_world::{LONG, Ran, World, goldminer, pause, run, start, status};

/// One portal in this many has every trap; the others are the honest ones.
const TRAPPED_EVERY: usize = 5;

/// The parameters of the world.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    /// The number of portals. Every fifth has traps.
    pub portals: usize,
    pub articles: usize,
    pub attacks: Vec<Attack>,
    pub scale: Scale,
    /// Connections that somebody else on this machine holds to the control port.
    pub connections: usize,
    pub delay: Duration,
    /// The crawl runs for at least this long, even if the honest portals are complete earlier.
    pub at_least: Duration,
    pub patience: Duration,
}

/// The results.
#[derive(Debug)]
pub(crate) struct AttackOutcome {
    pub ran: Ran,
    pub status: Value,
    /// The requests by host. Hosts below a name are counted with it.
    pub requests: BTreeMap<String, usize>,
    /// Honest portals of which an article was not delivered.
    pub incomplete: Vec<String>,
    /// Honest portals without a document for each article.
    pub without_documents: Vec<String>,
    /// When the honest portals were complete.
    pub complete_after: Option<Duration>,
    pub connected: usize,
}

impl fmt::Display for AttackOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "ended with {:?} after {:.1} s; CPU {:.1} s, peak RSS {} MB; {} connections to the control port",
            self.ran.status,
            self.ran.took.as_secs_f64(),
            self.ran.usage.cpu.as_secs_f64(),
            self.ran.usage.peak_rss_bytes / 1_000_000,
            self.connected,
        )?;
        writeln!(f, "the honest portals were complete after {:.1?}", self.complete_after)?;
        writeln!(f, "not complete: {:?}; without documents: {:?}", self.incomplete, self.without_documents)?;
        for (host, count) in self.requests.iter().filter(|(host, _)| Attack::of(host).is_some()) {
            writeln!(f, "  {host}: {count} requests")?;
        }
        writeln!(f, "accounts: {}", self.status["counts"])?;
        let lines: Vec<&str> = self.ran.stderr.lines().collect();
        lines.iter().skip(lines.len().saturating_sub(30)).try_for_each(|line| writeln!(f, "{line}"))
    }
}

/// Runs a plan.
pub(crate) fn run_plan(plan: &Plan, job: Option<&Path>) -> AttackOutcome {
    let size = Size { traps: false, ..Size::default() };
    let portals = Portals::many(plan.portals, plan.articles, &size).trapped(TRAPPED_EVERY, &Trap::USUAL);
    let honest: Vec<_> = portals.iter().filter(|portal| portal.traps().is_empty()).collect();
    let world = World::serve(WebConfig { attacks: Some(plan.scale), ..WebConfig::new(portals) })
        .settings("ip_spacing = \"0s\"")
        .more_seeds(plan.attacks.iter().map(|attack| attack.seed()).collect());
    let job = job.map_or_else(|| world.path("job"), Path::to_owned);
    let began = Instant::now();
    let mut running = start(world.crawl(&job).args(["--delay", &format!("{}ms", plan.delay.as_millis()), "-q"]));
    let mut connections: Vec<TcpStream> = Vec::new();
    let (mut complete_after, mut connected) = (None, 0);
    while running.is_running() && began.elapsed() < plan.patience {
        // When the honest portals are complete, only the status of the crawl is requested, with its thousands of
        // hosts.
        pause(Duration::from_millis(if complete_after.is_some() { 2_000 } else { 500 }));
        if connections.len() < plan.connections
            && let Some(port) = control_port(&job)
        {
            // Some connections are refused if there are too many.
            let more =
                (connections.len()..plan.connections).map_while(|_| TcpStream::connect(("127.0.0.1", port)).ok());
            connections = connections.into_iter().chain(more).collect();
            connected = connected.max(connections.len());
        }
        if complete_after.is_none() && incomplete(&honest, &world.log()).is_empty() {
            complete_after = Some(began.elapsed());
            connections.clear();
        }
        let done = complete_after.is_some() && began.elapsed() > plan.at_least;
        if done && without_documents(&honest, plan.articles, &running_status(&job)).is_empty() {
            break;
        }
    }
    drop(connections);
    if running.is_running() {
        running.signal("INT");
    }
    let ran = running.end(LONG);
    let (log, status) = (world.log(), status(&job));
    let mut requests: BTreeMap<String, usize> = BTreeMap::new();
    for entry in &log {
        let host = Attack::of(&entry.host).map_or_else(|| entry.host.clone(), Attack::host);
        *requests.entry(host).or_default() += 1;
    }
    AttackOutcome {
        incomplete: incomplete(&honest, &log),
        without_documents: without_documents(&honest, plan.articles, &status),
        ran,
        status,
        requests,
        complete_after,
        connected,
    }
}

fn incomplete(honest: &[std::sync::Arc<Portal>], log: &[Entry]) -> Vec<String> {
    let delivered = log.iter().filter(|entry| entry.status == 200 && entry.complete);
    let delivered: HashSet<(&str, &str)> = delivered.map(|entry| (&*entry.host, &*entry.path)).collect();
    let whole =
        |portal: &Portal| portal.gold().all(|(path, _)| delivered.contains(&(portal.host.as_str(), path.as_str())));
    honest.iter().filter(|portal| !whole(portal)).map(|portal| portal.host.clone()).collect()
}

/// The honest portals without a document for each article. An article that repeats another one needs none.
fn without_documents(honest: &[std::sync::Arc<Portal>], articles: usize, status: &Value) -> Vec<String> {
    let domains = status["domains"].as_array().cloned().unwrap_or_default();
    let documents = |host: &str| domains.iter().find(|d| d["domain"] == host).and_then(|d| d["documents"].as_u64());
    let few = |portal: &&std::sync::Arc<Portal>| documents(&portal.host).unwrap_or(0) < articles as u64 - 1;
    honest.iter().filter(few).map(|portal| portal.host.clone()).collect()
}

fn control_port(job: &Path) -> Option<u16> {
    let text = std::fs::read(job.join("control.json")).ok()?;
    let endpoint: Value = serde_json::from_slice(&text).ok()?;
    endpoint["port"].as_u64().and_then(|port| u16::try_from(port).ok())
}

/// The status of the running crawl. Null while the crawl does not answer.
fn running_status(job: &Path) -> Value {
    let ran = run(goldminer(&["status", "--json"]).arg(job), LONG);
    serde_json::from_str(&ran.stdout).unwrap_or_default()
}

#[test]
fn honest_portals_are_complete_during_all_attacks() {
    let plan = Plan {
        portals: 6,
        articles: 8,
        attacks: Attack::ALL.to_vec(),
        scale: Scale::SHORT,
        connections: 300,
        delay: Duration::from_millis(20),
        at_least: Duration::from_secs(8),
        patience: Duration::from_secs(120),
    };
    let verdict = run_plan(&plan, None);
    assert!(verdict.ran.signal().is_none() && matches!(verdict.ran.code(), Some(0 | 4 | 130)), "{verdict}");
    assert!(verdict.incomplete.is_empty() && verdict.without_documents.is_empty(), "{verdict}");
    assert!(verdict.ran.usage.peak_rss_bytes <= 1_000_000_000, "{verdict}");
}
