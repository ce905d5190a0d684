//! Resources that a job shares with others in its process, which runs several jobs side by side and hands them over to
//! other machines: one fetcher for all, a deadline for its requests, a share of the memory. A job on its own has none
//! of these.
//!
//! The files of such a job need not survive the machine: what matters is stored elsewhere, and the job directory of a
//! dead process is never continued. So neither the archive nor the databases wait for the disk.

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

/// The fetcher that all jobs of a process share: connections, names, spacing by address, ceilings, and the deadline for
/// requests.
///
/// # Errors
/// When the configuration cannot be used, or the process may open too few files.
pub fn shared_fetcher(config: &Config, deadline: Arc<LeaseDeadline>) -> Result<Arc<Fetcher>, CrawlError> {
    let shares = settings::shares(Descriptors::raise(), config, &Live::default())?;
    let fetch = FetchConfig {
        deadline: Some(deadline),
        // Each job obeys the ceiling in its configuration, and all of them together obey the same one.
        max_in_flight: NonZeroUsize::new(shares.in_flight),
        ..settings::fetch_config(config, shares.idle)?
    };
    Ok(Arc::new(Fetcher::new(fetch)?))
}

/// Resources that a job shares with others.
#[derive(Clone)]
pub struct SharedResources {
    /// The process's fetcher.
    pub fetcher: Arc<Fetcher>,
    /// The process's cores.
    pub cpu_permits: Arc<CpuPermits>,
    /// The clock that all owners and all runs of the job use, because one run reads the times that another wrote.
    pub clock: Clock,
    /// The number of jobs that share the process's memory and requests.
    pub jobs: usize,
    /// The beginning of the names of archive files, which no other run of the job uses.
    pub archive_prefix: String,
    /// What is known about the earlier owners of the job.
    pub handover: Option<Handover>,
    /// Receives the waits that hosts ask for, at once.
    pub waits: UnboundedSender<HostWait>,
}

/// What is known about the earlier owners of a job.
#[derive(Debug, Clone, Default)]
pub struct Handover {
    /// Whether there was one. If so, its last request may have ended just now.
    pub had_earlier_owner: bool,
    /// The waits that hosts asked them for.
    pub waits: Vec<HostWait>,
}

impl SharedResources {
    /// How durable a job's files and databases are, and the number of jobs that share the process's memory.
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
    /// Passes the handover to a frontier that has just been opened.
    pub(crate) fn tell(&self, frontier: &mut Frontier, now: Timestamp) -> Result<(), CrawlError> {
        let ended = if self.had_earlier_owner { now } else { Timestamp::MIN };
        Ok(frontier.take_over(ended, &self.waits, now)?)
    }
}

/// Passes on the waits that hosts ask for, each one once.
pub(crate) struct WaitTeller {
    to: UnboundedSender<HostWait>,
    told: HashMap<HostKey, (Option<std::time::Duration>, Timestamp)>,
}

impl WaitTeller {
    pub(crate) fn new(to: UnboundedSender<HostWait>) -> Self {
        Self { to, told: HashMap::new() }
    }

    /// Checks for a new wait after an exchange with a host.
    pub(crate) fn look(&mut self, frontier: &Frontier, host: &Host, now: Timestamp) {
        let Some(wait) = frontier.wait_of(host, now) else { return };
        // A wait that has not become longer was passed on before.
        let until = if wait.wait.is_zero() { Timestamp::MIN } else { now.saturating_add(wait.wait).unwrap_or(now) };
        let known = self.told.get(&host.key());
        if known.is_some_and(|(delay, told)| *delay == wait.crawl_delay && until <= *told) {
            return;
        }
        self.told.insert(host.key(), (wait.crawl_delay, until));
        // If nobody receives it, that is the lender's concern.
        let _ = self.to.send(wait);
    }
}

/// The processors of this process, shared by all its jobs: as many pages are parsed at a time as there are cores, and
/// one domain's text is extracted at a time (its pages on all cores). More at once would not be faster, and each holds
/// pages, or a domain's sample, in memory.
#[derive(Debug)]
pub struct CpuPermits {
    readers: Semaphore,
    extraction: Mutex<()>,
}

impl Default for CpuPermits {
    /// As many as the machine has cores.
    fn default() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        Self { readers: Semaphore::new(cores), extraction: Mutex::default() }
    }
}

impl CpuPermits {
    /// A permit to parse a page that arrived.
    pub(crate) async fn reader(&self) -> Option<SemaphorePermit<'_>> {
        // The semaphore is never closed.
        self.readers.acquire().await.ok()
    }

    /// A permit to extract a domain's text; blocks.
    pub(crate) fn extraction(&self) -> MutexGuard<'_, ()> {
        lock(&self.extraction)
    }
}
