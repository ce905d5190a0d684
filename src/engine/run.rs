//! One run of a job: opens everything in the right order, joins the stages, and closes everything whatever happens.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::num::{NonZeroU32, NonZeroUsize};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, RwLock};

use tokio::sync::{Semaphore, mpsc, watch};
use tokio::task::JoinSet;

use crate::archive::{self, Entry, Record, WarcInfo, Writer};
use crate::capture::ArchivePosition;
use crate::capture::coding::CodingLimits;
use crate::config::Config;
use crate::corpus;
use crate::corpus::early::EarlyWriter;
use crate::corpus::jsonl::JsonlWriter;
use crate::fetch::{FetchConfig, Fetcher};
use crate::frontier::{Attempts, Counts, Frontier, FrontierConfig, Politeness, RevisitIntervals, SitemapLimits};
use crate::goldminer::PROGRAM;
use crate::store::Store;
use crate::store::profiles::ProfileStore;

use super::answers::Desk;
use super::archivist::Archivist;
use super::clock::{self, Clock};
use super::control::ControlServer;
use super::descriptors::{self, DescriptorGuard, Descriptors, Shares};
use super::disk::DiskGuard;
use super::ending::Limits;
use super::extraction::{Domains, ExtractorThread, Parts, Progress};
use super::fetching::Fetching;
use super::job::{JobDir, JobError, JobLock};
use super::last_run::LastRun;
use super::live::Live;
use super::marks::Marks;
use super::metrics::MetricsServer;
use super::network::Network;
use super::page_list;
use super::portal_outcomes::{PortalOutcome, portal_outcomes};
use super::portals::Portals;
use super::scheduler::Scheduler;
use super::visit::Reading;
use super::{Ended, EngineError, Stop};

/// Arrivals that wait for the archive: together with what is in flight, all bodies that are in memory.
const ARRIVALS: usize = 64;

/// Answers that may be in the archive without the database knowing: several times all that can be under way.
const MOST_UNKNOWN: u64 = 2_000;

/// A job that is ours: its directory, its lock, its configuration.
#[derive(Debug)]
pub struct Job {
    /// The directory.
    pub dir: JobDir,
    /// What it does.
    pub config: Config,
    /// Where Prometheus may ask, on loopback.
    pub metrics_port: Option<u16>,
    _lock: JobLock,
}

/// How a run went.
#[derive(Debug)]
pub struct Report {
    /// How it ended.
    pub ended: Ended,
    /// The accounts of the whole job.
    pub counts: Counts,
    /// What the extraction learned in this run.
    pub progress: Progress,
    /// What each portal of the seeds gave.
    pub portals: Vec<PortalOutcome>,
}

impl Job {
    /// The job in a directory, as its last crawl was configured.
    ///
    /// # Errors
    /// When there is none, or it is in use.
    pub fn existing(root: &Path) -> Result<Self, EngineError> {
        let dir = JobDir::existing(root)?;
        let lock = dir.lock()?;
        let config = Config::of_job(root)?.unwrap_or_default();
        Ok(Self { dir, config, metrics_port: None, _lock: lock })
    }

    /// Makes the directory of a job, or continues the one that is there.
    ///
    /// # Errors
    /// When it is in use, holds another crawl, or can't be written.
    pub fn open(root: &Path, config: Config) -> Result<Self, EngineError> {
        let dir = JobDir::new(root);
        dir.create()?;
        let lock = dir.lock()?;
        let config = match Config::of_job(root)? {
            Some(old) => config.continuing(&old, root)?,
            None => config,
        };
        config.write(root)?;
        Ok(Self { dir, config, metrics_port: None, _lock: lock })
    }
}

/// Crawls until nothing is left, a limit is reached, or somebody says stop, through `stopper` or by an order.
///
/// # Errors
/// When our own disk or databases fail, or the configuration can't be used. What was done until then is durable.
pub async fn crawl(job: &Job, live: Arc<Live>, stopper: watch::Sender<Stop>) -> Result<Report, EngineError> {
    let stop = stopper.subscribe();
    let (config, dir) = (&job.config, &job.dir);
    let clock = Clock::start();
    let descriptors = Descriptors::raise();
    let shares = shares(descriptors, config, &live)?;
    dir.refuse_lost_database()?;
    let store = Store::open(&dir.frontier())?;
    let domains = Domains::new(ProfileStore::open(&dir.profiles())?);
    let user_agent = config.user_agent()?;
    let product_token = user_agent.product_token().to_owned();

    let portals = Portals::of(config);
    let mut frontier = Frontier::open(store.frontier(), frontier_config(config, &portals), clock.now())?;
    let portals = portals.with_ids(|name| frontier.portal(name));
    frontier.add(&portals.seeds(), clock.now())?;
    let writer = Writer::open(&dir.archive(), "goldminer", warc_info(config))?;
    for mended in writer.mended() {
        tracing::warn!(?mended, "the end of an archive file was torn by a crash and has been mended");
    }
    refuse_older_database(dir, frontier.archive_position())?;
    let reading = Reading { limits: CodingLimits::default(), product_token, judge: true };

    let learned = Arc::new(RwLock::new(HashSet::new()));
    let ended = Arc::new(AtomicBool::new(false));
    let (yields_in, yields) = mpsc::channel(16);
    let corpus = JsonlWriter::open(&dir.corpus(), store.extraction().corpus_position()?)?;
    let early = EarlyWriter::open(&dir.corpus(), store.extraction().early_position()?)?;
    corpus::leave_card(&dir.corpus())?;
    let marks = Arc::new(Marks::open(dir, clock.now())?);
    let extractor = ExtractorThread::new(Parts {
        tables: store.frontier(),
        extraction: store.extraction(),
        domains: domains.clone(),
        corpus,
        early,
        archive: dir.archive(),
        marks: Arc::clone(&marks),
        clock,
        live: Arc::clone(&live),
        learned: Arc::clone(&learned),
        learning_pages: config.learning_pages as u64,
        least_learning_pages: config.least_learning_pages as u64,
        stop: stop.clone(),
        ended: Arc::clone(&ended),
        yields: yields_in,
    })?;
    let (looks_in, looks) = mpsc::channel(4);
    let (orders_in, orders) = mpsc::channel(4);
    let desk = Desk::running(dir, store.clone(), domains, looks_in, orders_in, Arc::clone(&live), clock);
    let desk = Arc::new(desk);
    let control = ControlServer::open(dir, Arc::clone(&desk)).await?;
    let metrics = match job.metrics_port {
        Some(port) => {
            Some(MetricsServer::open(port, desk).await.map_err(|cause| EngineError::Metrics { port, cause })?)
        }
        None => None,
    };

    let (arrivals_in, arrivals) = mpsc::channel(ARRIVALS);
    let (archived_in, archived) = mpsc::channel(4);
    let (notices_in, notices) = std::sync::mpsc::channel();
    let portals = RwLock::new(portals);
    let readers = Semaphore::new(std::thread::available_parallelism().map_or(1, NonZeroUsize::get));
    let fetching = Arc::new(Fetching {
        fetcher: fetcher(config, shares.idle)?,
        clock,
        reading,
        marks,
        readers,
        portals,
        learned,
        waits: Mutex::default(),
    });
    let archivist = Archivist { writer, dir: dir.archive(), tables: store.frontier(), reader: Arc::clone(&fetching) };
    let archivist = tokio::task::spawn_blocking(move || archivist.run(arrivals, &archived_in));
    let extractor = tokio::task::spawn_blocking(move || extractor.run(&notices));
    let mut scheduler = Scheduler {
        frontier,
        fetching,
        arrivals: Some(arrivals_in),
        archived,
        looks,
        orders,
        config: config.clone(),
        job: dir.clone(),
        extractor: notices_in,
        queued: BTreeSet::new(),
        next_idle_look: clock::instant(),
        yields,
        stop,
        stopper,
        live,
        ended,
        limits: Limits {
            descriptors: DescriptorGuard::new(descriptors, shares.in_flight),
            max_pages: config.max_pages,
            alarm_after: config.alarm_after.map(|after| after.0),
            deadline: config.max_time.map(|time| clock::instant() + time.0),
            disk: DiskGuard::new(dir.root().to_owned(), reserve_bytes(config, dir.root()), config.disk_patience.0),
        },
        network: Network::default(),
        follows: config.max_time.is_some(),
        robots: HashMap::new(),
        tasks: JoinSet::new(),
    };
    let scheduled = scheduler.run().await;
    // Whatever happened, the other stages end by their channels; the first error is the cause of the others.
    let closed = scheduler.close().await;
    let scheduled = scheduled.and_then(|ended| Ok((ended, closed?)));
    let archived = joined(archivist.await);
    let extracted = joined(extractor.await);
    drop((control, metrics));
    let (ended, frontier) = match (archived, scheduled) {
        (Err(error), _) | (Ok(()), Err(error)) => return Err(error),
        (Ok(()), Ok(ended)) => ended,
    };
    let counts = frontier.counts();
    let progress = extracted?;
    if let Err(discrepancy) = counts.check() {
        return Err(EngineError::Defect(discrepancy.to_string()));
    }
    page_list::leave(dir, &store.frontier());
    let portals = portal_outcomes(&frontier, &store, config, dir, clock.now())?;
    LastRun::new(clock.now(), &ended, portals.clone()).leave(dir);
    Ok(Report { ended, counts, progress, portals })
}

/// Refuses a database that does not know of more than a dying process can leave in the archive behind it: a part of it is
/// lost, or it is an older copy, and all of that would be fetched a second time.
fn refuse_older_database(dir: &JobDir, known: Option<&ArchivePosition>) -> Result<(), EngineError> {
    let mut unknown = 0;
    for entry in archive::after(&dir.archive(), known)? {
        let Entry::Record { record: Record::Response(_) | Record::Revisit(_), .. } = entry? else { continue };
        unknown += 1;
        if unknown > MOST_UNKNOWN {
            return Err(JobError::OlderDatabase { path: dir.root().to_owned() }.into());
        }
    }
    Ok(())
}

fn joined<T>(thread: Result<Result<T, EngineError>, tokio::task::JoinError>) -> Result<T, EngineError> {
    thread.unwrap_or_else(|panic| Err(EngineError::Defect(panic.to_string())))
}

pub(super) fn frontier_config(config: &Config, portals: &Portals) -> FrontierConfig {
    FrontierConfig {
        politeness: Politeness { delay: config.delay.0, backoff: config.backoff.0, ..Politeness::default() },
        attempts: Attempts { wait: config.retry_wait.0, ..Attempts::default() },
        // A limit of time means to follow the portals until then.
        revisit: config.max_time.is_some(),
        intervals: RevisitIntervals {
            shortest: config.shortest_revisit.0,
            longest: config.longest_revisit.0.max(config.shortest_revisit.0),
            ..RevisitIntervals::default()
        },
        sitemaps: SitemapLimits::default(),
        portals: portals.for_frontier(),
    }
}

/// What must stay free on the job's disk: as configured, else 1 GiB, or a hundredth of the disk where that is less.
fn reserve_bytes(config: &Config, root: &Path) -> u64 {
    let hundredth = || fs4::total_space(root).map_or(u64::MAX, |bytes| bytes / 100);
    config.min_free.map_or_else(|| hundredth().min(1 << 30), |bytes| bytes.0)
}

/// What of the descriptors is for sockets. With few of them, that is said.
fn shares(descriptors: Descriptors, config: &Config, live: &Live) -> Result<Shares, EngineError> {
    let limit = descriptors.limit();
    live.descriptors_limit.store(limit, Ordering::Relaxed);
    if limit < descriptors::LEAST {
        return Err(EngineError::Descriptors { limit, least: descriptors::LEAST });
    }
    let shares = descriptors.shares(config.max_in_flight);
    if shares.in_flight < config.max_in_flight {
        tracing::warn!(
            limit,
            "this process may have {limit} file descriptors open: at most {} requests are in flight instead of {}. Raise the \
             limit before the crawl (ulimit -n)",
            shares.in_flight,
            config.max_in_flight
        );
    }
    Ok(shares)
}

pub(super) fn fetcher(config: &Config, max_idle_connections: usize) -> Result<Fetcher, EngineError> {
    let fetch = FetchConfig {
        proxy: config.proxy()?,
        max_idle_connections,
        resolve: config.resolve_rules()?,
        private: config.private_access()?,
        ip_spacing: config.ip_spacing.0,
        max_requests_per_second: config.max_requests_per_second.and_then(NonZeroU32::new),
        ..FetchConfig::new(config.user_agent()?)
    };
    Ok(Fetcher::new(fetch)?)
}

fn warc_info(config: &Config) -> WarcInfo {
    let portals = config.portals.iter().map(|portal| portal.name.as_str()).collect::<Vec<_>>().join(", ");
    WarcInfo {
        software: PROGRAM.to_owned(),
        user_agent: Some(config.user_agent.clone()),
        operator: None,
        description: Some(format!("news portals: {portals}")),
    }
}
