//! Holds the resources that several jobs of one process share: the fetcher, a deadline for requests, and the memory.
//! Only the worker of a cluster runs several jobs, and it can hand them over to other machines.
//!
//! The files of a shared job need not survive a loss of power: everything important is also stored elsewhere, and the
//! job directory of a dead process is never continued. So neither the archive nor the databases wait for the disk.

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

/// Creates the fetcher that all jobs of a process share. Through it they share connections, looked-up names, the pauses
/// between requests to an IP address, the limits over all hosts, and the deadline for requests.
///
/// # Errors
/// When the configuration cannot be used, or the process may open too few files.
pub fn shared_fetcher(config: &Config, deadline: Arc<LeaseDeadline>) -> Result<Arc<Fetcher>, CrawlError> {
    let shares = settings::shares(Descriptors::raise(), config, &Live::default())?;
    let fetch = FetchConfig {
        deadline: Some(deadline),
        // The configured limit applies to each job, and also to all jobs together.
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
    /// The permits to use the processors.
    pub cpu_permits: Arc<CpuPermits>,
    /// The clock that all processes with this job use, because each reads times that another has written.
    pub clock: Clock,
    /// Number of jobs that share the process's memory and requests.
    pub jobs: usize,
    /// The beginning of the names of archive files. No other run of the job uses it.
    pub archive_prefix: String,
    /// What is known of the processes that crawled the job before; None if the job's frontier knows it already.
    pub handover: Option<Handover>,
    /// Receives how long a host asks the crawler to wait, as soon as the host does.
    pub waits: UnboundedSender<HostWait>,
}

/// What is known of the earlier owners of a job: the processes that crawled it before.
#[derive(Debug, Clone, Default)]
pub struct Handover {
    /// Whether another process crawled the job before. If so, its last request may have ended just now.
    pub had_earlier_owner: bool,
    /// How long hosts asked the earlier processes to wait.
    pub waits: Vec<HostWait>,
}

impl SharedResources {
    /// How durable a job's files and databases are, and the number of jobs that share the memory.
    pub(crate) fn terms(shared: Option<&Self>) -> (Durability, usize) {
        shared.map_or((Durability::Disk, 1), |shared| (Durability::Process, shared.jobs.max(1)))
    }
}

impl std::fmt::Debug for SharedResources {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SharedResources").field("archive_prefix", &self.archive_prefix).finish_non_exhaustive()
    }
}

impl Handover {
    /// Tells a frontier that was just opened what is known of the earlier owners.
    pub(crate) fn apply_to(&self, frontier: &mut Frontier, now: Timestamp) -> Result<(), CrawlError> {
        let ended = if self.had_earlier_owner { now } else { Timestamp::MIN };
        Ok(frontier.take_over(ended, &self.waits, now)?)
    }
}

/// Passes on how long hosts ask the crawler to wait, each wait once.
pub(crate) struct WaitSender {
    to: UnboundedSender<HostWait>,
    sent: HashMap<HostKey, (Option<std::time::Duration>, Timestamp)>,
}

impl WaitSender {
    pub(crate) fn new(to: UnboundedSender<HostWait>) -> Self {
        Self { to, sent: HashMap::new() }
    }

    /// Passes on a new wait, if the host asked for one in its last response.
    pub(crate) fn send_new(&mut self, frontier: &Frontier, host: &Host, now: Timestamp) {
        let Some(wait) = frontier.wait_of(host, now) else { return };
        // A wait that has not become longer was passed on already.
        let until = if wait.wait.is_zero() { Timestamp::MIN } else { now.saturating_add(wait.wait).unwrap_or(now) };
        let known = self.sent.get(&host.key());
        if known.is_some_and(|(delay, sent)| *delay == wait.crawl_delay && until <= *sent) {
            return;
        }
        self.sent.insert(host.key(), (wait.crawl_delay, until));
        // A closed channel means that the worker is ending, which is not an error of this job.
        let _ = self.to.send(wait);
    }
}

/// Permits to use the processors, shared by all jobs of the process. As many pages are parsed at a time as there are
/// cores, and one domain is extracted at a time (on all cores). More would not be faster, and would need more memory.
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
