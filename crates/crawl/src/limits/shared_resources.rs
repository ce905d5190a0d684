//! Resources that a job shares with the other jobs of its process, a worker of a cluster, which runs several jobs in
//! parallel and hands them over to other machines: one fetcher, a deadline for requests, and the memory. A job on its
//! own has none of these.
//!
//! The files of such a job need not survive a loss of power: all that matters is also stored elsewhere, and the job
//! directory of a dead process is never continued. So neither the archive nor the databases wait for the disk.

use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, MutexGuard};

use goldminer_fetch::share::lock;
use goldminer_fetch::{FetchConfig, Fetcher, LeaseDeadline};
use goldminer_html::{Host, HostKey};
use jiff::Timestamp;
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::{Semaphore, SemaphorePermit};

use super::clock::Clock;
use super::descriptors::Descriptors;
use crate::frontier::{Frontier, HostWait};
use crate::job::settings;
use crate::store::Durability;
use crate::{Config, CrawlError, Live};

/// The fetcher that all jobs of a process share: connections, names, pauses between requests to an address, limits
/// over all hosts, and the deadline for requests.
///
/// # Errors
/// When the configuration cannot be used, or the process may open too few files.
pub fn shared_fetcher(config: &Config, deadline: Arc<LeaseDeadline>) -> Result<Arc<Fetcher>, CrawlError> {
    let shares = settings::shares(Descriptors::raise(), config, &Live::default())?;
    let fetch = FetchConfig {
        deadline: Some(deadline),
        // The configured limit applies to each job, and the same one to all of them together.
        max_in_flight: NonZeroUsize::new(shares.in_flight),
        ..settings::fetch_config(config, shares.idle)?
    };
    Ok(Arc::new(Fetcher::new(fetch)?))
}

/// Resources that a job shares with others.
#[derive(Clone)]
pub struct SharedResources {
    /// The fetcher of the process.
    pub fetcher: Arc<Fetcher>,
    /// The permits for the processors.
    pub cpu_permits: Arc<CpuPermits>,
    /// The clock of all processes with this job, because one reads the times that another wrote.
    pub clock: Clock,
    /// Number of jobs that share the process's memory and requests.
    pub jobs: usize,
    /// The beginning of the names of archive files. No other run of the job uses it.
    pub archive_prefix: String,
    /// What is known of earlier owners.
    pub handover: Option<Handover>,
    /// Receives the waits that hosts ask for, as soon as they do.
    pub waits: UnboundedSender<HostWait>,
}

/// What is known of the earlier owners of a job: the processes that crawled it before.
#[derive(Debug, Clone, Default)]
pub struct Handover {
    /// Whether there was one. If so, its last request may have ended just now.
    pub had_earlier_owner: bool,
    /// The waits that hosts asked them for.
    pub waits: Vec<HostWait>,
}

impl SharedResources {
    /// How durable a job's files and databases are, and the number of jobs that share the memory.
    pub(crate) fn terms(lent: Option<&Self>) -> (Durability, usize) {
        lent.map_or((Durability::Disk, 1), |shared| (Durability::Process, shared.jobs.max(1)))
    }
}

impl std::fmt::Debug for SharedResources {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SharedResources").field("archive_prefix", &self.archive_prefix).finish_non_exhaustive()
    }
}

impl Handover {
    /// Passes the handover to a frontier that was just opened.
    pub(crate) fn tell(&self, frontier: &mut Frontier, now: Timestamp) -> Result<(), CrawlError> {
        let ended = if self.had_earlier_owner { now } else { Timestamp::MIN };
        Ok(frontier.take_over(ended, &self.waits, now)?)
    }
}

/// Passes on the waits that hosts ask for, each once.
pub(crate) struct WaitTeller {
    to: UnboundedSender<HostWait>,
    told: HashMap<HostKey, (Option<std::time::Duration>, Timestamp)>,
}

impl WaitTeller {
    pub(crate) fn new(to: UnboundedSender<HostWait>) -> Self {
        Self { to, told: HashMap::new() }
    }

    /// Passes on a new wait, if the host asked for one in its last response.
    pub(crate) fn look(&mut self, frontier: &Frontier, host: &Host, now: Timestamp) {
        let Some(wait) = frontier.wait_of(host, now) else { return };
        // A wait that has not become longer was passed on already.
        let until = if wait.wait.is_zero() { Timestamp::MIN } else { now.saturating_add(wait.wait).unwrap_or(now) };
        let known = self.told.get(&host.key());
        if known.is_some_and(|(delay, told)| *delay == wait.crawl_delay && until <= *told) {
            return;
        }
        self.told.insert(host.key(), (wait.crawl_delay, until));
        // A closed channel is no error of this job.
        let _ = self.to.send(wait);
    }
}

/// Permits for the processors, shared by all jobs of the process. As many pages are parsed at a time as there are
/// cores, and one domain is extracted at a time (its pages on all cores). More would not be faster, and each keeps
/// pages, or a domain's sample, in memory.
#[derive(Debug)]
pub struct CpuPermits {
    readers: Semaphore,
    extraction: Mutex<()>,
}

impl Default for CpuPermits {
    /// One permit to parse for each core.
    fn default() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        Self { readers: Semaphore::new(cores), extraction: Mutex::default() }
    }
}

impl CpuPermits {
    /// Waits for a permit to parse a page.
    pub(crate) async fn reader(&self) -> Option<SemaphorePermit<'_>> {
        // The semaphore is never closed.
        self.readers.acquire().await.ok()
    }

    /// Waits for the permit to extract a domain; blocks.
    pub(crate) fn extraction(&self) -> MutexGuard<'_, ()> {
        lock(&self.extraction)
    }
}
