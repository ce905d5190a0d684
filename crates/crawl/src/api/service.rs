//! A job that can be asked and commanded, running or stopped: its stores, and where its frontier is.

use std::sync::{Arc, Mutex};

use anyhow::Context as _;
use goldminer_fetch::robots::Robots;
use goldminer_html::CrawlUrl;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use tokio::sync::{mpsc, oneshot};

use super::query::CommandRequest;
use crate::frontier::{Explanation, Frontier, RobotsStatus};
use crate::health::gave::Gave;
use crate::health::portal_outcomes::PortalOutcome;
use crate::job::at_rest::AtRest;
use crate::job::history::marks::Suspect;
use crate::job::settings::frontier_config;
use crate::store::Durability;
use crate::store::profiles::ProfileStore;
use crate::{Clock, Config, Counts, HostStatus, JobDir, Live, PortalStatus, Store, StoreError};

/// Databases of a stopped job take as much memory as those of one among this many jobs.
const LOOKERS: usize = 8;

/// What a running crawl lends: its scheduler's channels, and its counters.
pub(crate) struct Running {
    pub snapshots: mpsc::Sender<SnapshotRequest>,
    pub commands: mpsc::Sender<CommandRequest>,
    pub live: Arc<Live>,
}

/// Where the frontier is.
pub(crate) enum View {
    Running(Running),
    Stopped(Box<Mutex<(Frontier, Config)>>),
}

/// Answers requests about one job. It has the stores, and the frontier: its own, opened for the request, or that of the
/// running crawl, which the scheduler lends for the length of a question.
pub struct JobService {
    pub(crate) job: JobDir,
    pub(crate) store: Store,
    pub(crate) profiles: ProfileStore,
    pub(crate) view: View,
    pub(crate) clock: Clock,
}

impl JobService {
    /// Of a running crawl.
    pub(crate) fn running(job: &JobDir, store: Store, profiles: ProfileStore, running: Running, clock: Clock) -> Self {
        Self { job: job.clone(), store, profiles, view: View::Running(running), clock }
    }

    /// Of a job that nobody works on. The clock is that of whoever works on it at other times: by another one, what hosts
    /// are owed would look over, or implausibly far.
    ///
    /// # Errors
    /// When a database can't be opened.
    pub fn stopped(job: &JobDir, at_rest: &AtRest, config: &Config, clock: Clock) -> Result<Self, StoreError> {
        let databases = at_rest.databases();
        let store = Store::open_sharing(&databases.frontier(), LOOKERS, Durability::Disk)?;
        let profiles = ProfileStore::open(&databases.profiles())?;
        let frontier = Frontier::open(store.frontier(), frontier_config(config), clock.now())?;
        let view = View::Stopped(Box::new(Mutex::new((frontier, config.clone()))));
        Ok(Self { job: job.clone(), store, profiles, view, clock })
    }

    /// What the frontier tells; with a URL, of that alone.
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

/// The report on a URL.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct WhyReport {
    /// What the frontier knows.
    #[serde(flatten)]
    pub explanation: Explanation,
    /// What robots.txt says of it.
    pub robots: String,
    /// Its marks, if processes ended while they read it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub suspects: Vec<Suspect>,
    /// What it gave, if it was fetched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gave: Option<Gave>,
    /// When this was so.
    pub at: Timestamp,
}

/// What the frontier alone can tell, at one moment. The scheduler of a running crawl takes a snapshot between two leases.
#[derive(Debug)]
pub(crate) struct Snapshot {
    pub(crate) counts: Counts,
    pub(crate) hosts: Vec<HostStatus>,
    pub(crate) portals: Vec<PortalStatus>,
    /// Portals of which it is clear by now that they give nothing.
    pub(crate) no_yield: Vec<PortalOutcome>,
    pub(crate) why: Option<WhyReport>,
}

impl Snapshot {
    /// Takes a snapshot of a frontier: its hosts and portals or, if `why` is a URL, what it knows of that. `product_token` is
    /// our name in robots.txt.
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
        // A question about one URL need not wait for the states of all hosts.
        let (hosts, portals) = match why {
            None => (frontier.hosts(now), frontier.portal_statuses(now)),
            Some(_) => (Vec::new(), Vec::new()),
        };
        let why = why.map(report).transpose()?;
        Ok(Self { counts: frontier.counts(), hosts, portals, no_yield: Vec::new(), why })
    }

    /// Lets the crawl add what it knows of the hosts.
    pub(crate) fn each_host(&mut self, tell: impl Fn(&mut HostStatus)) {
        self.hosts.iter_mut().chain(self.why.iter_mut().filter_map(|why| why.explanation.host.as_mut())).for_each(tell);
    }
}

/// A question to the frontier of a running crawl.
pub(crate) type SnapshotRequest = (Option<CrawlUrl>, oneshot::Sender<Result<Snapshot, StoreError>>);

/// What robots.txt says of a URL, as far as it is known.
fn robots_on(frontier: &Frontier, url: &CrawlUrl, product_token: &str, now: Timestamp) -> Result<String, StoreError> {
    let host = url.host();
    let status = frontier.host(&host, now);
    let standing = status.as_ref().map_or(RobotsStatus::Unknown, |status| status.robots);
    Ok(match (frontier.robots_body(&host)?, standing) {
        (Some(body), _) => {
            let verdict = Robots::parse(&body, product_token).verdict(url);
            let rule = verdict.rule.map_or_else(|| "no rule applies".to_owned(), |rule| format!("rule {rule}"));
            format!("{}: {rule}", if verdict.allowed { "allowed" } else { "disallowed" })
        }
        (None, RobotsStatus::AllowAll) => "allowed: the host has no robots.txt".to_owned(),
        (None, RobotsStatus::Unavailable) => match status.and_then(|status| status.trouble) {
            Some(trouble) => format!("not now: robots.txt is unavailable: {}", trouble.failure()),
            None => "not now: robots.txt is unavailable".to_owned(),
        },
        (None, RobotsStatus::Unknown | RobotsStatus::Rules) => "robots.txt was not requested yet".to_owned(),
    })
}
