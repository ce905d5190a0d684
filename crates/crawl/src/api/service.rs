//! A job that can be asked and commanded, running or stopped: its stores, and where its frontier is.

use std::sync::{Arc, Mutex};

use anyhow::Context as _;
use goldminer_html::CrawlUrl;
use tokio::sync::{mpsc, oneshot};

use super::query::CommandRequest;
use super::snapshot::{Snapshot, SnapshotRequest};
use crate::extract::Domains;
use crate::frontier::Frontier;
use crate::job::at_rest::AtRest;
use crate::job::settings::frontier_config;
use crate::store::Durability;
use crate::store::profiles::ProfileStore;
use crate::{Clock, Config, JobDir, Live, Store, StoreError};

/// Databases of a stopped job take as much memory as those of one among so many jobs.
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
    pub(crate) domains: Domains,
    pub(crate) view: View,
    pub(crate) clock: Clock,
}

impl JobService {
    /// Of a running crawl.
    pub(crate) fn running(job: &JobDir, store: Store, domains: Domains, running: Running, clock: Clock) -> Self {
        Self { job: job.clone(), store, domains, view: View::Running(running), clock }
    }

    /// Of a job that nobody works on. The clock is that of whoever works on it at other times: by another one, what hosts
    /// are owed would look over, or implausibly far.
    ///
    /// # Errors
    /// When a database can't be opened.
    pub fn stopped(job: &JobDir, at_rest: &AtRest, config: &Config, clock: Clock) -> Result<Self, StoreError> {
        let databases = at_rest.databases();
        let store = Store::open_sharing(&databases.frontier(), LOOKERS, Durability::Disk)?;
        let domains = Domains::new(ProfileStore::open(&databases.profiles())?);
        let frontier = Frontier::open(store.frontier(), frontier_config(config), clock.now())?;
        let view = View::Stopped(Box::new(Mutex::new((frontier, config.clone()))));
        Ok(Self { job: job.clone(), store, domains, view, clock })
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
