//! What a job is lent by a process that runs several of them side by side and hands them to other machines: one fetcher
//! for all, a deadline for its requests, a share of the memory. A job of its own has none of it.
//!
//! What a lent job writes need not survive the machine: who lends it keeps what counts elsewhere, and a job directory that
//! a dead process left is never gone on with. So neither the archive nor the databases wait
//! for the disk.

use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, MutexGuard};

use goldminer_fetch::share::lock;
use goldminer_fetch::{FetchConfig, Fetcher, LeaseDeadline};
use goldminer_html::{Host, HostKey};
use jiff::{SignedDuration, Timestamp};
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::{Semaphore, SemaphorePermit};

use super::clock::Clock;
use super::descriptors::Descriptors;
use crate::frontier::{Frontier, HostWait};
use crate::job::settings;
use crate::store::Durability;
use crate::{Config, CrawlError, Live};

/// The fetcher that all jobs of a process share: connections, names, spacing by address and ceilings are one, and one
/// deadline holds for all its requests.
///
/// # Errors
/// When the configuration cannot be used, or the process may open too few files.
pub fn shared_fetcher(config: &Config, deadline: Arc<LeaseDeadline>) -> Result<Arc<Fetcher>, CrawlError> {
    let shares = settings::shares(Descriptors::raise(), config, &Live::default())?;
    let fetch = FetchConfig {
        deadline: Some(deadline),
        // Each job keeps to the ceiling of its configuration, and all of them together to the same one.
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
    /// The time of all who may have the job, and of all its runs: what one wrote down, the next one reads.
    pub clock: Clock,
    /// This many jobs share the process's memory and requests.
    pub jobs: usize,
    /// How names of the archive's files begin: no other run of the job uses it.
    pub archive_prefix: String,
    /// What is known of those who had the job before.
    pub handover: Option<Handover>,
    /// Who wants to know at once what hosts ask for.
    pub waits: UnboundedSender<HostWait>,
}

/// What is known of those who had a job before.
#[derive(Debug, Clone, Default)]
pub struct Handover {
    /// How long ago their last request had ended, at the latest.
    pub quiet_for: SignedDuration,
    /// What hosts asked them for.
    pub waits: Vec<HostWait>,
}

impl SharedResources {
    /// How durable a job's files and databases are, and among how many jobs the process's memory is shared out.
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
    /// Tells a frontier that has just been opened.
    pub(crate) fn tell(&self, frontier: &mut Frontier, now: Timestamp) -> Result<(), CrawlError> {
        let ended = now.saturating_sub(self.quiet_for).unwrap_or(now).min(now);
        Ok(frontier.take_over(ended, &self.waits, now)?)
    }
}

/// Passes on what hosts ask for, each wish once.
pub(crate) struct WaitTeller {
    to: UnboundedSender<HostWait>,
    told: HashMap<HostKey, (Option<std::time::Duration>, Timestamp)>,
}

impl WaitTeller {
    pub(crate) fn new(to: UnboundedSender<HostWait>) -> Self {
        Self { to, told: HashMap::new() }
    }

    /// After an exchange with a host.
    pub(crate) fn look(&mut self, frontier: &Frontier, host: &Host, now: Timestamp) {
        let Some(wait) = frontier.wait_of(host, now) else { return };
        // A wait that has not grown is the one that was told.
        let until = if wait.wait.is_zero() { Timestamp::MIN } else { now.saturating_add(wait.wait).unwrap_or(now) };
        let known = self.told.get(&host.key());
        if known.is_some_and(|(delay, told)| *delay == wait.crawl_delay && until <= *told) {
            return;
        }
        self.told.insert(host.key(), (wait.crawl_delay, until));
        // Nobody to listen is for the lender to mind.
        let _ = self.to.send(wait);
    }
}

/// The cores of this process, shared out by turns to all its jobs: pages are read on as many threads as there are cores, and
/// one domain's text is extracted at a time (its pages on all cores). More at once would be no quicker, and each holds
/// pages, or a domain's sample, in memory.
#[derive(Debug)]
pub struct CpuPermits {
    readers: Semaphore,
    extraction: Mutex<()>,
}

impl Default for CpuPermits {
    /// As many as the machine has.
    fn default() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        Self { readers: Semaphore::new(cores), extraction: Mutex::default() }
    }
}

impl CpuPermits {
    /// A turn to read a page that came.
    pub(crate) async fn reader(&self) -> Option<SemaphorePermit<'_>> {
        // Nobody closes it.
        self.readers.acquire().await.ok()
    }

    /// A turn to extract a domain's text; blocks.
    pub(crate) fn extraction(&self) -> MutexGuard<'_, ()> {
        lock(&self.extraction)
    }
}
