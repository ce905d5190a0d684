//! Runs one partition on a worker: restores it, crawls in rounds, commits after each round, and releases it. A round
//! ends when nothing is left to crawl, or else when the next commit is due. The job then stops for a moment, as after
//! Ctrl-C, so that another worker can continue from the commit as from any stopped crawl.

use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use goldminer_crawl::frontier::HostWait;
use goldminer_crawl::job::checkpoint::Rest;
use goldminer_crawl::limits::CpuPermits;
use goldminer_crawl::limits::shared_resources::{Handover, SharedResources};
use goldminer_crawl::{Clock, Config, Ended, Job, JobDir, Limit, Report, Stop};
use goldminer_fetch::{Fetcher, since_start};
use tokio::sync::{Notify, mpsc, watch};

use super::pieces;
use crate::db::database::Database;
use crate::db::lease::{self, ClaimedPartition, Crawl, PartitionCounts};
use crate::error::{ClusterError, blocking};
use crate::metrics::WorkerMetrics;
use crate::partitions;
use crate::store::{Published, SegmentStore};

/// The pause before another attempt after the database or the store has failed.
pub(super) const TRY_AGAIN: Duration = Duration::from_secs(1);

/// How often a commit is tried while the disk is full.
const FULL_TRIES: u32 = 10;

/// What a worker orders a runner to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    /// Go on crawling.
    Crawl,
    /// Stop, commit, and release the partition.
    Release,
    /// Stop immediately, without a commit, because another worker has the partition or will have it.
    Abandon,
}

/// How a runner ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ExitReason {
    /// The partition was committed and released, with work left.
    Released,
    /// The partition was committed, and nothing is left to do.
    Done,
    /// The lease has ended, so another worker may have the partition.
    LeaseEnded,
    /// The partition was released, because this machine's disk is full.
    NoRoom,
}

/// The resources that all runners of a worker share.
pub(crate) struct RunnerResources {
    pub(crate) db: Arc<Database>,
    pub(crate) store: SegmentStore,
    pub(crate) crawl: Crawl,
    pub(crate) fetcher: Arc<Fetcher>,
    pub(crate) cpu_permits: Arc<CpuPermits>,
    pub(crate) clock: Clock,
    pub(crate) metrics: Arc<WorkerMetrics>,
}

/// A partition that this worker has claimed.
pub(crate) struct PartitionRunner {
    pub(crate) common: Arc<RunnerResources>,
    pub(crate) session: i64,
    pub(crate) claim: ClaimedPartition,
    /// Number of partitions in this process.
    pub(crate) partitions_here: usize,
    /// The job directory of the partition, which is removed when the runner ends.
    pub(crate) folder: PathBuf,
    /// Files that were rebuilt here and not committed yet.
    pub(crate) remade: BTreeSet<String>,
    /// When files of earlier epochs were last removed from the store.
    pub(crate) collected: Duration,
    /// Digests of the committed profiles, by key.
    pub(crate) committed_profiles: BTreeMap<String, String>,
    pub(crate) orders: watch::Receiver<Order>,
    /// Notifies of new commands. The job then stops so that they can be executed.
    pub(crate) commands: Arc<Notify>,
}

/// What is to be committed after a round.
pub(super) struct Round {
    pub(super) number: u32,
    /// How often the state was saved. It is saved again if a command has changed it since the last attempt.
    pub(super) saves: u32,
    pub(super) counts: PartitionCounts,
    /// The state of the stopped job; None if it must be read from the job directory.
    pub(super) rest: Option<Rest>,
    /// Whether the partition is released with the commit.
    pub(super) release: bool,
    /// Why the partition is done; None if it is not.
    pub(super) reason_done: Option<&'static str>,
    /// How the commit left the partition: done or released; None if this worker keeps it.
    pub(super) left: Option<ExitReason>,
}

impl Round {
    /// The beginning of the store's keys for the state that was saved last. A saved state never replaces another,
    /// because an earlier attempt may have been committed although its answer was lost.
    pub(super) fn prefix(&self, claim: &ClaimedPartition) -> String {
        format!("{}/e{:05}/{:05}-{}", pieces::folder_of(claim.partition), claim.epoch, self.number, self.saves)
    }
}

impl PartitionRunner {
    /// Runs the partition until it is done or released.
    pub(crate) async fn run(mut self) -> Result<ExitReason, ClusterError> {
        let exit = self.rounds().await;
        if exit.is_err() {
            // Commits are kept, and another machine may succeed.
            let _ = lease::release(&self.common.db, self.session, &self.claim).await;
        }
        let _ = std::fs::remove_dir_all(&self.folder);
        exit
    }

    async fn rounds(&mut self) -> Result<ExitReason, ClusterError> {
        let claimed = since_start();
        let config = self.config()?;
        if !self.restore(&config).await? || !self.rest_of_delay(&config).await {
            return Ok(ExitReason::LeaseEnded);
        }
        let (waits, receiver) = mpsc::unbounded_channel();
        tokio::spawn(save_waits(Arc::clone(&self.common.db), self.claim.partition, receiver));
        let mut known = Some(std::mem::take(&mut self.claim.pieces));
        let mut handover = Some(self.claim.handover.clone());
        let mut checkpoints: Vec<Published> = self.claim.checkpoint.iter().cloned().collect();
        let mut number = 0;
        loop {
            number += 1;
            let age = self.claim.age + since_start().saturating_sub(claimed);
            let config = with_time_left(self.config()?, age);
            let Some(report) = self.round(config, handover.take(), waits.clone(), number).await? else {
                return Ok(ExitReason::LeaseEnded);
            };
            let is_full = matches!(report.ended, Ended::Limit(Limit::Disk { .. }));
            let release = is_full || *self.orders.borrow() != Order::Crawl;
            let (counts, reason_done) = (counts(&report), done_because(&report.ended));
            let mut round = Round { number, saves: 0, counts, rest: report.rest, release, reason_done, left: None };
            let most_tries = if is_full { FULL_TRIES } else { u32::MAX };
            if let Some(exit) = self.commit_until_settled(&mut known, &mut round, most_tries, &mut checkpoints).await? {
                return Ok(exit);
            }
            // The last but one is kept in case the last is damaged.
            while checkpoints.len() > 2 {
                let (store, key) = (self.common.store.clone(), checkpoints.remove(0).key);
                tokio::task::spawn_blocking(move || store.remove(&key));
            }
            if let Err(error) = self.tidy(&mut known, checkpoints.last()).await {
                // This can wait: it is tried again after the next commit.
                tracing::debug!("partition {}: {error}", self.claim.partition);
            }
            match round.left {
                Some(ExitReason::Released) if is_full => return Ok(ExitReason::NoRoom),
                Some(left) => return Ok(left),
                None => {}
            }
        }
    }

    pub(super) fn config(&self) -> Result<Config, ClusterError> {
        partitions::from_toml(&self.claim.config_toml)
    }

    /// Restores the job directory from the store. Returns false if the partition must be abandoned.
    async fn restore(&mut self, config: &Config) -> Result<bool, ClusterError> {
        // A checkpoint contains the partition's own profiles.
        let known = match &self.claim.checkpoint {
            Some(_) => Vec::new(),
            None => pieces::known_profiles(&self.common.db, config).await?,
        };
        let (store, claim, folder, config) =
            (self.common.store.clone(), self.claim.clone(), self.folder.clone(), config.clone());
        let before = self.leftovers_before();
        let restored = blocking(move || {
            Self::remove_earlier(&folder, claim.partition);
            let (partition, epoch) = (claim.partition, claim.epoch);
            let there = store.contents(&pieces::folder_of(partition))?;
            let checkpoint = claim.checkpoint.as_ref();
            let remade = pieces::restore(&store, &folder, &config, partition, &there, checkpoint, &claim.pieces)?;
            goldminer_crawl::job::begin_with(&JobDir::new(&folder), &known)?;
            let files = pieces::collect(&store, (epoch, before), &there, checkpoint, &claim.pieces);
            if files > 0 {
                tracing::info!(
                    "partition {partition}: removing {files} stored files that no commit uses. An interrupted worker \
                     left them, or they were replaced; pages fetched after the last commit are fetched again"
                );
            }
            Ok(remade)
        });
        self.remade = restored.await?;
        Ok(*self.orders.borrow() != Order::Abandon)
    }

    /// If another worker had the partition, waits for the longest configured delay, because that worker may have sent
    /// requests after its last commit. Returns false if the partition must be abandoned.
    async fn rest_of_delay(&mut self, config: &Config) -> bool {
        let delays = config.portals.iter().filter_map(|portal| portal.delay);
        let delay = delays.map(|delay| delay.0).chain([config.crawl.delay.0]).max().unwrap_or_default();
        let wait = if self.claim.handover.had_earlier_owner { delay } else { Duration::ZERO };
        tokio::select! {
            () = tokio::time::sleep(wait) => true,
            () = wait_for_order(&mut self.orders, Order::Abandon) => false,
        }
    }

    /// Crawls one round. Returns None if the partition must be abandoned.
    async fn round(
        &mut self,
        mut config: Config,
        handover: Option<Handover>,
        waits: mpsc::UnboundedSender<HostWait>,
        number: u32,
    ) -> Result<Option<Report>, ClusterError> {
        // On a full disk the round ends soon, because other machines may have space.
        let patience = &mut config.crawl.disk_patience;
        patience.0 = patience.0.min(self.common.crawl.commit_every / 4);
        let mut job = Job::open(&self.folder, config)?;
        let (partition, epoch) = (self.claim.partition, self.claim.epoch);
        job.shared = Some(SharedResources {
            fetcher: Arc::clone(&self.common.fetcher),
            cpu_permits: Arc::clone(&self.common.cpu_permits),
            clock: self.common.clock,
            jobs: self.partitions_here,
            archive_prefix: format!("goldminer-p{partition:03}-e{epoch:05}"),
            handover,
            waits,
        });
        // The first rounds have different lengths, so that the partitions of a worker do not all stop at the same time.
        let first = self.common.crawl.commit_every.mul_f64(0.5 + f64::from(partition % 64) / 128.0);
        let length = if number == 1 { first } else { self.common.crawl.commit_every };
        let stopper = watch::Sender::new(Stop::No);
        let crawling = goldminer_crawl::run::crawl(&job, self.common.metrics.round_begins(partition), stopper.clone());
        tokio::pin!(crawling);
        let mut orders = self.orders.clone();
        let stop_when_asked = async {
            tokio::select! {
                () = tokio::time::sleep(length) => {}
                () = self.commands.notified() => {}
                () = wait_for_order(&mut self.orders, Order::Release) => {}
            }
            stopper.send_replace(Stop::Soon);
            // The crawl ends by itself now.
            std::future::pending::<Infallible>().await
        };
        tokio::select! {
            report = &mut crawling => Ok(Some(report?)),
            never = stop_when_asked => match never {},
            () = wait_for_order(&mut orders, Order::Abandon) => Ok(None),
        }
    }
}

/// Waits until the worker gives the order `wanted`, or a stronger one: `Abandon` is stronger than `Release`.
async fn wait_for_order(orders: &mut watch::Receiver<Order>, wanted: Order) {
    let is_given = |order: &Order| match wanted {
        Order::Abandon => *order == Order::Abandon,
        _ => *order != Order::Crawl,
    };
    // An error means that the worker has ended, and its lease too.
    let _ = orders.wait_for(is_given).await;
}

/// Saves how long hosts ask the crawler to wait, as soon as they do, for the next worker of the partition.
async fn save_waits(db: Arc<Database>, partition: i32, mut waits: mpsc::UnboundedReceiver<HostWait>) {
    while let Some(asked) = waits.recv().await {
        for _ in 0..5 {
            match lease::note_wait(&db, partition, &asked).await {
                Ok(()) => break,
                Err(error) => tracing::debug!(partition, host = %asked.host, "{error}"),
            }
            tokio::time::sleep(TRY_AGAIN).await;
        }
    }
}

/// The configuration with the part of its `max_time` that is left after `age`. If nothing is left, the next round
/// requests nothing, and extracts the pages that are left.
fn with_time_left(mut config: Config, age: Duration) -> Config {
    if let Some(time) = &mut config.crawl.max_time {
        time.0 = time.0.saturating_sub(age);
    }
    config
}

/// Why a partition is done after this round; None if it is not.
fn done_because(ended: &Ended) -> Option<&'static str> {
    match ended {
        Ended::Finished => Some("finished"),
        Ended::Unreached { .. } => Some("finished, but for hosts that never answered"),
        Ended::Limit(Limit::Patience { .. }) => Some("finished, but for hosts in trouble"),
        Ended::Limit(Limit::Portals { .. }) => Some("finished, but for portals at their own limit"),
        Ended::Limit(Limit::Time) => Some("its time is over"),
        Ended::Limit(Limit::Pages | Limit::Disk { .. }) | Ended::Interrupted => None,
    }
}

fn counts(report: &Report) -> PartitionCounts {
    PartitionCounts {
        documents: report.portals.iter().map(|portal| portal.documents).sum(),
        pages: report.counts.pages,
        queued: report.counts.queued,
    }
}
