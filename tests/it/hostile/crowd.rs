//! Tests many portals, each at an address of its own, with a process that may open only few files: does the crawl end
//! well? `benches/hostile.rs -- --crowd` is the long form, with the web in a separate process.

use std::collections::HashMap;
use std::fmt;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use goldminer_testkit::access_log::Entry;
use goldminer_testkit::portals::{Portals, Size};
use serde_json::Value;

use crate::crawl_world::{Ran, pause, start, status};

/// The parameters of the crowd, and the limits of the crawler.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    pub portals: usize,
    pub articles: usize,
    pub delay: Duration,
    /// Files that may be open at once.
    pub descriptors: usize,
    /// Whether the crawler may raise that limit.
    pub raisable: bool,
    pub patience: Duration,
}

/// The results.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub ran: Ran,
    pub status: Value,
    pub requests: usize,
    /// Portals of which an article was never delivered.
    pub incomplete: Vec<String>,
    /// The highest number of open descriptors.
    pub most_open: usize,
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{} requests in {:.1} s, CPU {:.1} s, peak RSS {} MB; ended with {:?}",
            self.requests,
            self.ran.took.as_secs_f64(),
            self.ran.usage.cpu.as_secs_f64(),
            self.ran.usage.peak_rss_bytes / 1_000_000,
            self.ran.code()
        )?;
        writeln!(f, "descriptors open at once: {} at most", self.most_open)?;
        writeln!(f, "incomplete portals: {}", self.incomplete.len())?;
        self.incomplete.iter().take(10).try_for_each(|host| writeln!(f, "  {host}"))?;
        writeln!(f, "accounts: {}", self.status["counts"])?;
        writeln!(f, "{}\n{}", self.ran.stdout.trim(), self.ran.stderr.trim())
    }
}

impl Plan {
    /// The portals of the plan, without traps.
    pub(crate) fn web(&self) -> Portals {
        Portals::many(self.portals, self.articles, &Size { traps: false, ..Size::default() })
    }

    /// The crawl, in a shell that limits it.
    pub(crate) fn limited(&self, crawl: &Command) -> Command {
        let flags = if self.raisable { "-Sn" } else { "-n" };
        let mut shell = Command::new("sh");
        shell.args(["-c", &format!("ulimit {flags} {}; exec \"$0\" \"$@\"", self.descriptors)]);
        shell.arg(crawl.get_program()).args(crawl.get_args());
        shell
    }
}

/// Runs a crawl into `job`. `log` is called when the crawl has ended.
pub(crate) fn run_crawl(plan: &Plan, crawl: &Command, job: &Path, log: impl FnOnce() -> Vec<Entry>) -> Outcome {
    let mut crawl = plan.limited(crawl);
    let mut running = start(crawl.args(["--delay", &format!("{}ms", plan.delay.as_millis()), "-q"]));
    let open = format!("/proc/{}/fd", running.child.id());
    let mut most_open = 0;
    let began = std::time::Instant::now();
    while running.is_running() && began.elapsed() < plan.patience {
        most_open = most_open.max(std::fs::read_dir(&open).map_or(0, Iterator::count));
        pause(Duration::from_millis(100));
    }
    let ran = running.end(Duration::from_secs(1));
    let log = log();
    let mut delivered: HashMap<&str, HashMap<&str, usize>> = HashMap::new();
    for entry in log.iter().filter(|entry| entry.status == 200) {
        *delivered.entry(&entry.host).or_default().entry(&entry.path).or_default() += 1;
    }
    let complete = |portal: &goldminer_testkit::portals::Portal| {
        let delivered = delivered.get(portal.host.as_str());
        portal.gold().all(|(path, _)| delivered.is_some_and(|paths| paths.contains_key(path.as_str())))
    };
    let incomplete = plan.web().iter().filter(|portal| !complete(portal)).map(|portal| portal.host.clone()).collect();
    Outcome { ran, status: status(job), requests: log.len(), incomplete, most_open }
}

#[test]
fn many_portals_are_crawled_with_few_descriptors() {
    use crate::crawl_world::World;
    use goldminer_testkit::web::WebConfig;

    let plan = Plan {
        portals: 120,
        articles: 1,
        delay: Duration::from_millis(5),
        descriptors: 128,
        raisable: false,
        patience: Duration::from_secs(600),
    };
    let config = WebConfig { addresses: plan.portals, ..WebConfig::new(plan.web()) };
    let world = World::serve(config).settings("ip_spacing = \"0s\"");
    let job = world.path("job");
    let verdict = run_crawl(&plan, &world.crawl(&job), &job, || world.log());
    assert!(verdict.incomplete.is_empty(), "{plan:?}\n{verdict}");
    assert!(matches!(verdict.ran.code(), Some(0 | 4)), "{plan:?}\n{verdict}");
    assert!(!verdict.ran.stderr.contains("Too many open files"), "{plan:?}\n{verdict}");
    assert_eq!(verdict.status["identity_holds"], true, "{verdict}");
}
