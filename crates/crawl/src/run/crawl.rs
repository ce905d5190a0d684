//! Runs a job once: opens its files and databases, connects the stages, and closes everything, also after an error.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::SyncSender;
use std::sync::{Arc, Mutex, RwLock};

use goldminer_core::{Document, DomainProfile, Extractor};
use goldminer_corpus as corpus;
use goldminer_corpus::files::early::EarlyWriter;
use goldminer_corpus::forms::jsonl::JsonlWriter;
use goldminer_fetch::Fetcher;
use goldminer_html::ArchivePosition;
use goldminer_warc as archive;
use goldminer_warc::{Entry, Record, Writer};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;

use super::archivist::Archivist;
use super::ending::Limits;
use super::fetching::Fetching;
use super::host_rules::RulesCache;
use super::live::Live;
use super::network::Network;
use super::scheduler::Scheduler;
use super::stage_context::StageContext;
use super::visit::ParseOptions;
use super::{CrawlError, Ended, Limit, Stop};
use crate::api::client::ApiPort;
use crate::api::service::{JobService, Running};
use crate::extract::{ExtractionSummary, ExtractorResources, ExtractorThread};
use crate::frontier::{Frontier, FrontierConfig};
use crate::health::portal_outcomes::{PortalOutcome, portal_outcomes};
use crate::health::portal_watch::PortalWatch;
use crate::health::portals::Portals;
use crate::job::checkpoint::Rest;
use crate::job::lock::JobLock;
use crate::job::settings::{
    ARCHIVE_PREFIX, fetcher, frontier_config, learning_rules, reserve_bytes, shares, warc_info,
};
use crate::job::{card, checkpoint, page_list};
use crate::limits::address_shares::AddressShares;
use crate::limits::clock;
use crate::limits::descriptors::{DescriptorGuard, Descriptors};
use crate::limits::disk::DiskGuard;
use crate::limits::shared_resources::{Handover, SharedResources, WaitTeller};
use crate::store::Durability;
use crate::store::profiles::ProfileStore;
use crate::{Clock, Config, Counts, JobDir, JobError, LastRun, MetricsAddress, Store};

/// The most responses that wait to be archived. This limits how many bodies are in memory, besides those of requests in
/// flight.
const ARRIVALS: usize = 64;

/// If a job has at least this many URLs, its database journal is written into tables at the end of a run, so that the
/// database opens faster next time. A smaller database opens quickly anyway.
const SETTLED_FROM: u64 = 20_000;

/// The most archived responses that the database may not know. A crash can leave only a fraction of this number.
const MOST_UNKNOWN: u64 = 2_000;

/// A job that this process has locked: its directory, its lock, its configuration.
#[derive(Debug)]
pub struct Job {
    /// The job directory.
    pub dir: JobDir,
    /// The configuration of the job.
    pub config: Config,
    /// Where metrics for Prometheus are served, if anywhere.
    pub metrics: Option<MetricsAddress>,
    /// Receives each committed document. A slow receiver slows extraction down.
    pub reader: Option<SyncSender<Document>>,
    /// Profiles that a person has edited. They are restored if the job's profile database is missing.
    pub hand_made: Vec<DomainProfile>,
    /// Resources that this job shares with other jobs of the process; None for a single job.
    pub shared: Option<SharedResources>,
    _lock: JobLock,
}

/// The result of a run.
#[derive(Debug)]
pub struct Report {
    /// How the run ended.
    pub ended: Ended,
    /// The URL counts of the whole job.
    pub counts: Counts,
    /// Which domains have learned in this run, and which have not.
    pub progress: ExtractionSummary,
    /// What each portal of the seeds gave.
    pub portals: Vec<PortalOutcome>,
    /// For a job with shared resources, the state with which another machine continues it. None for a single job, or
    /// if the state could not be written.
    pub rest: Option<Rest>,
}

impl Job {
    /// Opens the job in a directory, with the configuration of its last crawl.
    ///
    /// # Errors
    /// When there is no job, or it is in use.
    pub fn existing(root: &Path) -> Result<Self, CrawlError> {
        let dir = JobDir::existing(root)?;
        let lock = dir.lock()?;
        let config = Config::of_job(root)?.unwrap_or_default();
        Ok(Self { dir, config, metrics: None, reader: None, hand_made: Vec::new(), shared: None, _lock: lock })
    }

    /// Returns whether the job has learned profiles, or has no frontier database, so that there is nothing to learn
    /// from.
    pub fn has_profiles(&self) -> bool {
        let profiles = self.dir.profiles();
        let has_any =
            || ProfileStore::open(&profiles).and_then(|store| store.is_empty()).is_ok_and(|is_empty| !is_empty);
        !self.dir.frontier().exists() || profiles.exists() && has_any()
    }

    /// Creates the directory of a job, or continues an existing one.
    ///
    /// # Errors
    /// When it is in use, contains another crawl, or cannot be written.
    pub fn open(root: &Path, config: Config) -> Result<Self, CrawlError> {
        let dir = JobDir::new(root);
        dir.refuse_corpus()?;
        dir.create()?;
        let lock = dir.lock()?;
        let config = match Config::of_job(root)? {
            Some(old) => config.continuing(&old, root)?,
            None => config,
        };
        config.write(root)?;
        Ok(Self { dir, config, metrics: None, reader: None, hand_made: Vec::new(), shared: None, _lock: lock })
    }
}

/// Everything that a run opens before its stages start, so that no stage has started if opening fails.
struct Opened {
    context: Arc<StageContext>,
    descriptors: DescriptorGuard,
    store: Store,
    profiles: ProfileStore,
    frontier: Frontier,
    portals: Portals,
    writer: Writer,
    corpus: JsonlWriter,
    early: EarlyWriter,
    fetcher: Arc<Fetcher>,
    api: ApiPort,
}

impl Opened {
    async fn by(job: &Job, live: Arc<Live>, durability: Durability, jobs: usize) -> Result<Self, CrawlError> {
        let (config, dir) = (&job.config, &job.dir);
        let (clock, is_time_known) = match &job.shared {
            Some(shared) => (shared.clock, true),
            None => Clock::of_run(dir.root())
                .map_err(|cause| JobError::Unwritable { path: dir.root().to_owned(), cause })?,
        };
        let descriptors = Descriptors::raise();
        let shares = shares(descriptors, config, &live)?;
        dir.refuse_lost_database()?;
        let store = Store::open_sharing(&dir.frontier(), jobs, durability)?;
        let profiles = ProfileStore::open_lasting(&dir.profiles(), durability)?;
        if profiles.is_empty()? && store.extraction().all_holdings().next().is_some() {
            tracing::warn!(
                "{} is missing: domains are learned again from their archived pages; existing documents are kept",
                dir.profiles().display()
            );
            profiles.bring_back(&job.hand_made, &store.frontier())?;
        }
        let mut frontier =
            Frontier::open(store.frontier(), FrontierConfig { jobs, ..frontier_config(config) }, clock.now())?;
        let portals = Portals::of(config, &frontier);
        if let Some(handover) = job.shared.as_ref().and_then(|shared| shared.handover.as_ref()) {
            handover.tell(&mut frontier, clock.now())?;
        }
        if !is_time_known {
            Handover { had_earlier_owner: true, waits: Vec::new() }.tell(&mut frontier, clock.now())?;
        }
        frontier.add(&portals.seeds(), clock.now())?;
        let prefix = job.shared.as_ref().map_or(ARCHIVE_PREFIX, |shared| &shared.archive_prefix);
        let writer = Writer::open(&dir.archive(), prefix, warc_info(config))?;
        for repaired in writer.repaired() {
            let (file, cut, damage) = (&repaired.file, repaired.cut_bytes, repaired.faults.len());
            let state = match cut {
                0 => "is complete".to_owned(),
                _ => format!("was repaired ({cut} bytes cut off)"),
            };
            tracing::warn!(
                file,
                cut,
                damage,
                "the last run was killed: {file} {state}; unsaved pages are fetched again"
            );
        }
        refuse_older_database(dir, frontier.archive_position())?;
        let (corpus, early) = store.extraction().positions()?;
        let corpus = JsonlWriter::open(&dir.corpus(), corpus)?;
        let early = EarlyWriter::open(&dir.corpus(), early)?;
        if job.shared.is_none() {
            corpus::refuse_damaged(&dir.corpus())?;
        }
        corpus::leave_card(&dir.corpus())?;
        let cpu_permits = job.shared.as_ref().map_or_else(Arc::default, |shared| Arc::clone(&shared.cpu_permits));
        Ok(Self {
            context: StageContext::open((dir, config), &store, cpu_permits, clock, live)?,
            fetcher: match &job.shared {
                Some(shared) => Arc::clone(&shared.fetcher),
                None => Arc::new(fetcher(config, shares.idle)?),
            },
            api: ApiPort::open(dir, job.metrics.as_ref()).await?,
            descriptors: DescriptorGuard::new(descriptors, shares.in_flight),
            store,
            profiles,
            frontier,
            portals,
            writer,
            corpus,
            early,
        })
    }
}

/// Crawls until nothing is left, a limit is reached, or it is stopped through `stopper` or by a command.
///
/// # Errors
/// When the local disk or databases fail, or the configuration cannot be used. Everything done before that is saved.
pub async fn crawl(job: &Job, live: Arc<Live>, stopper: watch::Sender<Stop>) -> Result<Report, CrawlError> {
    let (config, dir) = (&job.config, &job.dir);
    let (durability, jobs) = SharedResources::terms(job.shared.as_ref());
    let opened = Opened::by(job, live, durability, jobs).await?;
    let Opened { context, store, profiles, .. } = opened;
    let clock = context.clock;
    let mut stop = stopper.subscribe();
    let stopped = stop.clone();
    // A stop that came while the job was being opened must not be lost.
    stop.mark_changed();
    // Channels between scheduler and archivist, in both directions, and from the extractor and the API to the
    // scheduler.
    let (arrivals_to, arrivals) = mpsc::channel(ARRIVALS);
    let (archived_to, archived) = mpsc::channel(4);
    let (yields_to, yields) = mpsc::channel(16);
    let (snapshots_to, snapshots) = mpsc::channel(4);
    let (commands_to, commands) = mpsc::channel(4);
    let (notices_to, notices_from) = std::sync::mpsc::channel();
    let ended = Arc::new(AtomicBool::new(false));

    let extractor = ExtractorThread::new(ExtractorResources {
        context: Arc::clone(&context),
        extraction: store.extraction(),
        profiles: profiles.clone(),
        corpus: opened.corpus,
        early: opened.early,
        rules: learning_rules(config),
        stop: stop.clone(),
        ended: Arc::clone(&ended),
        yields: yields_to,
        reader: job.reader.clone(),
    })?;
    let fetching = Arc::new(Fetching {
        fetcher: opened.fetcher,
        parse_options: ParseOptions {
            product_token: context.product_token.clone(),
            respect: config.crawl.respect.clone().into(),
            assess: true,
        },
        extractor: Extractor::default(),
        portals: RwLock::new(opened.portals),
        rules: Arc::new(RulesCache::new(store.frontier(), context.product_token.clone(), jobs)),
        addresses: AddressShares::default(),
        waits: Mutex::default(),
        context: Arc::clone(&context),
    });
    let archivist = Archivist { writer: opened.writer, fetching: Arc::clone(&fetching), durability, jobs };
    let running = Running { snapshots: snapshots_to, commands: commands_to, live: Arc::clone(&context.live) };
    let service = JobService::running(dir, store.clone(), profiles.clone(), running, clock);
    let mut scheduler = Scheduler {
        frontier: opened.frontier,
        fetching,
        arrivals: Some(arrivals_to),
        archived,
        snapshots,
        commands,
        config: config.clone(),
        job: dir.clone(),
        extractor: notices_to,
        queued: BTreeSet::new(),
        next_idle_look: clock::instant(),
        yields,
        stop,
        stopper,
        ended,
        limits: Limits {
            descriptors: opened.descriptors,
            max_pages: config.crawl.max_pages,
            alarm_after: config.crawl.alarm_after.map(|after| after.0),
            deadline: config.crawl.max_time.map(|time| clock::instant() + time.0),
            disk: DiskGuard::new(
                dir.root().to_owned(),
                reserve_bytes(config, dir.root()),
                config.crawl.disk_patience.0,
            ),
        },
        network: Network::default(),
        follows: config.crawl.max_time.is_some(),
        tasks: JoinSet::new(),
        leaving: HashMap::new(),
        waits: job.shared.as_ref().map(|shared| WaitTeller::new(shared.waits.clone())),
        watch: PortalWatch::new(dir, store.extraction()),
        durability,
    };

    let server = opened.api.serve(service);
    let archivist = tokio::task::spawn_blocking(move || archivist.run(arrivals, &archived_to));
    let extractor = tokio::task::spawn_blocking(move || extractor.run(&notices_from));
    let scheduled = scheduler.run().await;
    // Commands may have added portals.
    let config = &scheduler.config.clone();
    // Closing the channels ends the other stages, also after an error.
    let closed = scheduler.close().await;
    let scheduled = scheduled.and_then(|ended| Ok((ended, closed?)));
    let archived = joined(archivist.await);
    let extracted = joined(extractor.await);
    drop(server);
    // The error of a stage says why it has ended; the scheduler knows only that it has.
    archived?;
    let progress = extracted?;
    let (ended, frontier) = scheduled?;
    let counts = frontier.counts();
    // If the stop came after the last request, some pages may not be extracted yet.
    let ended = if *stopped.borrow() == Stop::No { ended } else { Ended::Interrupted };
    if let Err(discrepancy) = counts.check() {
        return Err(CrawlError::Defect(discrepancy.to_string()));
    }
    // A worker's job stops every few minutes and does not need a list of all its pages each time.
    if job.shared.is_none() {
        page_list::leave(dir, &store.frontier());
        card::leave_crawl_card(dir, &store.extraction(), &counts)?;
    }
    let portals = portal_outcomes(&frontier, &store, config, dir, clock.now())?;
    LastRun::new(clock.now(), &ended, portals.clone()).leave(dir);
    let is_large = counts.discovered >= SETTLED_FROM && !matches!(ended, Ended::Limit(Limit::Disk { .. }));
    if job.shared.is_none() && is_large {
        // This lets the next process open the job some seconds faster.
        if let Err(error) = store.settle() {
            tracing::warn!("the job's database is complete, but opening it takes longer next time: {error}");
        }
    }
    let left =
        job.shared.is_some().then(|| tokio::task::block_in_place(|| checkpoint::of_open(dir, &store, &profiles)));
    // The worker can still make a checkpoint of the stopped job when the disk has space again.
    let rest = left.and_then(|left| left.inspect_err(|error| tracing::warn!("no checkpoint yet: {error}")).ok());
    Ok(Report { ended, counts, progress, portals, rest })
}

/// Returns an error if the archive has more than [`MOST_UNKNOWN`] responses that the database does not know. Then a
/// part of the database is lost or it is an older copy, and the crawl would fetch these URLs a second time.
fn refuse_older_database(dir: &JobDir, known: Option<&ArchivePosition>) -> Result<(), CrawlError> {
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

fn joined<T>(thread: Result<Result<T, CrawlError>, tokio::task::JoinError>) -> Result<T, CrawlError> {
    thread.unwrap_or_else(|panic| Err(CrawlError::Defect(panic.to_string())))
}
