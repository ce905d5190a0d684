//! Answers queries and executes commands for a job, running or stopped, with its stores and its frontier.

use std::sync::{Arc, Mutex};

use anyhow::Context as _;
use goldminer_fetch::robots::Robots;
use goldminer_html::CrawlUrl;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use tokio::sync::{mpsc, oneshot};

use super::query::CommandRequest;
use crate::frontier::{Explanation, Frontier, RobotsStatus};
use crate::health::portal_outcomes::PortalOutcome;
use crate::health::url_result::UrlResult;
use crate::job::at_rest::AtRest;
use crate::job::history::marks::Suspect;
use crate::job::settings::frontier_config;
use crate::store::Durability;
use crate::store::profiles::ProfileStore;
use crate::{Clock, Config, Counts, HostStatus, JobDir, Live, PortalStatus, Store, StoreError};

/// The database of a stopped job gets the memory of a running crawl's database, divided by this number.
const MEMORY_DIVISOR: usize = 8;

/// The channels to a running crawl's scheduler, and its counters.
pub(crate) struct Running {
    pub snapshots: mpsc::Sender<SnapshotRequest>,
    pub commands: mpsc::Sender<CommandRequest>,
    pub live: Arc<Live>,
}

/// How to reach the frontier: in a running crawl or on disk.
pub(crate) enum View {
    Running(Running),
    Stopped(Box<Mutex<(Frontier, Config)>>),
}

/// Answers requests about one job. For a stopped job, the service keeps the frontier open. For a running crawl, the
/// scheduler answers between the steps of its loop.
pub struct JobService {
    pub(crate) job: JobDir,
    pub(crate) store: Store,
    pub(crate) profiles: ProfileStore,
    pub(crate) view: View,
    pub(crate) clock: Clock,
}

impl JobService {
    /// The service of a running crawl.
    pub(crate) fn running(job: &JobDir, store: Store, profiles: ProfileStore, running: Running, clock: Clock) -> Self {
        Self { job: job.clone(), store, profiles, view: View::Running(running), clock }
    }

    /// The service of a job that no process works on. `clock` must be the clock that the job is crawled with: by
    /// another clock, the delays of hosts would seem to be over, or much too long.
    ///
    /// # Errors
    /// When a database cannot be opened.
    pub fn stopped(job: &JobDir, at_rest: &AtRest, config: &Config, clock: Clock) -> Result<Self, StoreError> {
        let databases = at_rest.databases();
        let store = Store::open_sharing(&databases.frontier(), MEMORY_DIVISOR, Durability::Disk)?;
        let profiles = ProfileStore::open(&databases.profiles())?;
        let frontier = Frontier::open(store.frontier(), frontier_config(config), clock.now())?;
        let view = View::Stopped(Box::new(Mutex::new((frontier, config.clone()))));
        Ok(Self { job: job.clone(), store, profiles, view, clock })
    }

    /// The state of the frontier or, if `why` is a URL, only what it knows about that URL.
    pub(crate) fn snapshot(&self, why: Option<CrawlUrl>) -> anyhow::Result<Snapshot> {
        const ENDING: &str = "the crawl is stopping; try again in a moment";
        match &self.view {
            View::Stopped(stopped) => {
                let stopped = stopped.lock().ok().context(ENDING)?;
                let (frontier, config) = &*stopped;
                let token = config.user_agent().map(|agent| agent.product_token().to_owned()).unwrap_or_default();
                Ok(Snapshot::of(frontier, why.as_ref(), &token, self.clock.now())?)
            }
            View::Running(Running { snapshots, .. }) => {
                let (reply_in, reply) = oneshot::channel();
                snapshots.blocking_send((why, reply_in)).ok().context(ENDING)?;
                Ok(reply.blocking_recv().context(ENDING)??)
            }
        }
    }
}

/// The beginning of [`WhyReport::robots`] if robots.txt disallows the URL.
pub const DISALLOWED: &str = "disallowed";

/// The answer to `why`: the history of a URL.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct WhyReport {
    /// What the frontier knows.
    #[serde(flatten)]
    pub explanation: Explanation,
    /// What robots.txt says about the URL.
    pub robots: String,
    /// The records of the URL as a suspect, if processes crashed while they read it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub suspects: Vec<Suspect>,
    /// The document that the URL gave, or the reason why there is none, if it was fetched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gave: Option<UrlResult>,
    /// The time of this report.
    pub at: Timestamp,
}

/// The state of the frontier at one moment, taken between two leases.
#[derive(Debug)]
pub(crate) struct Snapshot {
    pub(crate) counts: Counts,
    pub(crate) hosts: Vec<HostStatus>,
    pub(crate) portals: Vec<PortalStatus>,
    /// Portals that are already known to give no documents.
    pub(crate) no_yield: Vec<PortalOutcome>,
    pub(crate) why: Option<WhyReport>,
}

impl Snapshot {
    /// Takes a snapshot of a frontier: its hosts and portals or, if `why` is a URL, what it knows about that URL.
    /// `product_token` is the crawler's name in robots.txt.
    pub(crate) fn of(
        frontier: &Frontier,
        why: Option<&CrawlUrl>,
        product_token: &str,
        now: Timestamp,
    ) -> Result<Self, StoreError> {
        let report = |url: &CrawlUrl| -> Result<WhyReport, StoreError> {
            let robots = robots_on(frontier, url, product_token, now)?;
            Ok(WhyReport {
                explanation: frontier.explain(url, now)?,
                robots,
                suspects: Vec::new(),
                gave: None,
                at: now,
            })
        };
        // A query about one URL does not wait for the states of all hosts.
        let (hosts, portals) = match why {
            None => (frontier.hosts(now), frontier.portal_statuses(now)),
            Some(_) => (Vec::new(), Vec::new()),
        };
        let why = why.map(report).transpose()?;
        Ok(Self { counts: frontier.counts(), hosts, portals, no_yield: Vec::new(), why })
    }

    /// Calls `add` for the status of each host, so that it can add what only the running crawl knows.
    pub(crate) fn each_host(&mut self, add: impl Fn(&mut HostStatus)) {
        self.hosts.iter_mut().chain(self.why.iter_mut().filter_map(|why| why.explanation.host.as_mut())).for_each(add);
    }
}

/// A query to the frontier of a running crawl, with the channel for its answer.
pub(crate) type SnapshotRequest = (Option<CrawlUrl>, oneshot::Sender<Result<Snapshot, StoreError>>);

/// Describes what robots.txt decides about a URL, or why its decision is not known.
fn robots_on(frontier: &Frontier, url: &CrawlUrl, product_token: &str, now: Timestamp) -> Result<String, StoreError> {
    let host = url.host();
    let status = frontier.host(&host, now);
    let robots = status.as_ref().map_or(RobotsStatus::Unknown, |status| status.robots);
    Ok(match (frontier.robots_body(&host)?, robots) {
        (Some(body), _) => {
            let verdict = Robots::parse(&body, product_token).verdict(url);
            let rule = verdict.rule.map_or_else(|| "no rule applies".to_owned(), |rule| format!("rule {rule}"));
            format!("{}: {rule}", if verdict.allowed { "allowed" } else { DISALLOWED })
        }
        (None, RobotsStatus::AllowAll) => "allowed: the host has no robots.txt".to_owned(),
        (None, RobotsStatus::Unavailable) => match status.and_then(|status| status.trouble) {
            Some(trouble) => format!("not now: robots.txt is unreachable: {}", trouble.failure()),
            None => "not now: robots.txt is unreachable".to_owned(),
        },
        (None, RobotsStatus::Unknown | RobotsStatus::Rules) => "robots.txt was not requested yet".to_owned(),
    })
}
