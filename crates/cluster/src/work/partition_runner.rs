//! Runs one partition on a worker: restores it, crawls in rounds, commits after each round, and releases it. A round ends when
//! nothing is left to crawl, else after the time between two commits. The job then stops for a moment, as after a Ctrl-C, so
//! that another worker can continue what is committed like any stopped crawl.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use goldminer_crawl::frontier::HostWait;
use goldminer_crawl::job::checkpoint;
use goldminer_crawl::job::checkpoint::Rest;
use goldminer_crawl::limits::CpuPermits;
use goldminer_crawl::limits::shared_resources::{Handover, SharedResources};
use goldminer_crawl::{Clock, Config, Ended, Job, JobDir, Limit, Report, Stop};
use goldminer_fetch::{Fetcher, since_start};
use jiff::Timestamp;
use tokio::sync::{Notify, mpsc, watch};

use super::pieces::{self, Piece};
use crate::commands::{self, CommandResults};
use crate::db::database::Database;
use crate::db::lease::{self, Claim, Crawl, Tally};
use crate::error::{ClusterError, blocking};
use crate::figures::Figures;
use crate::partitions;
use crate::store::{Published, SegmentStore};

/// The pause before the next try after the database or the store failed.
const TRY_AGAIN: Duration = Duration::from_secs(1);

/// How often a commit is tried on a disk that is full.
const FULL_TRIES: u32 = 10;

/// A worker's order to a runner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    /// Go on.
    Crawl,
    /// Stop, commit, and release the partition.
    Release,
    /// Another worker has the partition, or will have it: stop at once, without a commit.
    Abandon,
}

/// How a runner ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ExitReason {
    /// Committed and released, with work left.
    Released,
    /// Committed; nothing is left to do.
    Done,
    /// The lease ended; another worker may have the partition.
    LeaseEnded,
    /// Released, because this machine's disk is full.
    NoRoom,
}

/// What all runners of a worker share.
pub(crate) struct Common {
    pub(crate) db: Arc<Database>,
    pub(crate) store: SegmentStore,
    pub(crate) crawl: Crawl,
    pub(crate) fetcher: Arc<Fetcher>,
    pub(crate) cpu_permits: Arc<CpuPermits>,
    pub(crate) clock: Clock,
    pub(crate) figures: Arc<Figures>,
}

/// A partition that this worker has claimed.
pub(crate) struct PartitionRunner {
    pub(crate) common: Arc<Common>,
    pub(crate) session: i64,
    pub(crate) claim: Claim,
    /// How many partitions share this process.
    pub(crate) jobs: usize,
    /// Its job directory, removed when the runner ends.
    pub(crate) folder: PathBuf,
    /// Files that were rebuilt here and are not committed yet.
    pub(crate) remade: BTreeSet<String>,
    /// When files of earlier epochs were last removed from the store.
    pub(crate) collected: Duration,
    /// Digests of the committed profiles, by key.
    pub(crate) learned: BTreeMap<String, String>,
    pub(crate) orders: watch::Receiver<Order>,
    /// Signals new commands; the job stops so that they can be carried out.
    pub(crate) commands: Arc<Notify>,
}

/// What is to be committed after a round.
struct Round {
    number: u32,
    tally: Tally,
    /// The stopped job's state; none if it must be read from the job directory.
    rest: Option<Rest>,
}

impl PartitionRunner {
    /// Runs the partition until it is done or released.
    pub(crate) async fn run(mut self) -> Result<ExitReason, ClusterError> {
        let left = self.rounds().await;
        if left.is_err() {
            // Commits are kept, and another machine may succeed.
            let _ = lease::release(&self.common.db, self.session, &self.claim).await;
        }
        let _ = std::fs::remove_dir_all(&self.folder);
        left
    }

    async fn rounds(&mut self) -> Result<ExitReason, ClusterError> {
        let claimed = since_start();
        let config = self.config()?;
        if !self.restore(&config).await? || !self.rest_of_delay(&config).await {
            return Ok(ExitReason::LeaseEnded);
        }
        let (waits, heard) = mpsc::unbounded_channel();
        tokio::spawn(save_waits(Arc::clone(&self.common.db), self.claim.partition, heard));
        let mut known = Some(std::mem::take(&mut self.claim.pieces));
        let mut handover = Some(self.claim.handover.clone());
        let mut checkpoints: Vec<Published> = self.claim.checkpoint.iter().cloned().collect();
        for round in 1.. {
            let age = self.claim.age + since_start().saturating_sub(claimed);
            let Some(config) = with_time_left(self.config()?, age) else {
                // Its time was over before this worker claimed it.
                return self.close("its time is over", known.take(), round).await;
            };
            let Some(report) = self.round(config, handover.take(), waits.clone(), round).await? else {
                return Ok(ExitReason::LeaseEnded);
            };
            let (mut done, mut tries) = (done(&report.ended), 0);
            let is_full = matches!(report.ended, Ended::Limit(Limit::Disk { .. }));
            let release = is_full || *self.orders.borrow() != Order::Crawl;
            let mut round = Round { number: round, tally: tally(&report), rest: report.rest };
            loop {
                match self.commit(&mut known, &mut round, release, done).await {
                    Ok(None) => return Ok(ExitReason::LeaseEnded),
                    Ok(Some((checkpoint, is_done))) => {
                        self.common.figures.count(|figures| &figures.commits);
                        checkpoints.push(checkpoint);
                        done = done.filter(|_| is_done);
                        self.remade.clear();
                        break;
                    }
                    Err(error) => {
                        let partition = self.claim.partition;
                        tracing::warn!(partition, "partition {partition} could not be committed: {error}");
                        self.common.figures.count(|figures| &figures.failed_commits);
                        // It may be committed all the same, with only the answer lost.
                        known = None;
                    }
                }
                if !release && done.is_none() {
                    break;
                }
                tries += 1;
                if is_full && tries == FULL_TRIES {
                    // There is no room for a checkpoint either. Another worker continues from the last commit.
                    lease::release(&self.common.db, self.session, &self.claim).await?;
                    return Ok(ExitReason::NoRoom);
                }
                tokio::time::sleep(TRY_AGAIN).await;
                if *self.orders.borrow() == Order::Abandon {
                    return Ok(ExitReason::LeaseEnded);
                }
            }
            // The last but one is kept in case the last is damaged.
            while checkpoints.len() > 2 {
                let (store, key) = (self.common.store.clone(), checkpoints.remove(0).key);
                tokio::task::spawn_blocking(move || store.remove(&key));
            }
            if let Err(error) = self.tidy(&mut known, checkpoints.last()).await {
                // This can wait: it is tried again after the next commit.
                tracing::debug!(partition = self.claim.partition, "{error}");
            }
            match (release, done) {
                (_, Some(_)) => return Ok(ExitReason::Done),
                (true, None) => return Ok(if is_full { ExitReason::NoRoom } else { ExitReason::Released }),
                (false, None) => {}
            }
        }
        Ok(ExitReason::Released)
    }

    fn config(&self) -> Result<Config, ClusterError> {
        partitions::read(&self.claim.job)
    }

    /// Restores the job directory from the store; false if the partition must be abandoned.
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
            remove_earlier(&folder, claim.partition);
            let (partition, epoch) = (claim.partition, claim.epoch);
            let there = store.contents(&pieces::folder_of(partition))?;
            let checkpoint = claim.checkpoint.as_ref();
            let remade = pieces::restore(&store, &folder, &config, partition, &there, checkpoint, &claim.pieces)?;
            goldminer_crawl::job::begin_with(&JobDir::new(&folder), &known)?;
            let left = pieces::collect(&store, (epoch, before), &there, checkpoint, &claim.pieces);
            if left > 0 {
                tracing::info!(partition, left, "partition {partition}: removing {left} uncommitted files");
            }
            Ok(remade)
        });
        self.remade = restored.await?;
        Ok(*self.orders.borrow() != Order::Abandon)
    }

    /// Waits until the longest delay has passed since the last request of the worker before, because the checkpoint may not
    /// know its hosts. False if the partition must be abandoned.
    async fn rest_of_delay(&mut self, config: &Config) -> bool {
        let delays = config.portals.iter().filter_map(|portal| portal.delay);
        let delay = delays.map(|delay| delay.0).chain([config.crawl.delay.0]).max().unwrap_or_default();
        let quiet = Duration::try_from(self.claim.handover.quiet_for).unwrap_or_default();
        let wait = delay.saturating_sub(quiet);
        tokio::select! {
            () = tokio::time::sleep(wait) => true,
            () = ordered(&mut self.orders, Order::Abandon) => false,
        }
    }

    /// One round of the crawl; none when it must be abandoned.
    async fn round(
        &mut self,
        mut config: Config,
        handover: Option<Handover>,
        waits: mpsc::UnboundedSender<HostWait>,
        round: u32,
    ) -> Result<Option<Report>, ClusterError> {
        // On a full disk the round ends soon: other machines may have room.
        let patience = &mut config.crawl.disk_patience;
        patience.0 = patience.0.min(self.common.crawl.upload / 4);
        let mut job = Job::open(&self.folder, config)?;
        let (partition, epoch) = (self.claim.partition, self.claim.epoch);
        job.shared = Some(SharedResources {
            fetcher: Arc::clone(&self.common.fetcher),
            cpu_permits: Arc::clone(&self.common.cpu_permits),
            clock: self.common.clock,
            jobs: self.jobs,
            archive_prefix: format!("goldminer-p{partition:03}-e{epoch:05}"),
            handover,
            waits,
        });
        // The first rounds have different lengths, so that the partitions of a worker do not all stop at once.
        let first = self.common.crawl.upload.mul_f64(0.5 + f64::from(partition % 64) / 128.0);
        let length = if round == 1 { first } else { self.common.crawl.upload };
        let (stopper, _kept) = watch::channel(Stop::No);
        let crawling = goldminer_crawl::run::crawl(&job, self.common.figures.round_begins(partition), stopper.clone());
        tokio::pin!(crawling);
        let mut orders = self.orders.clone();
        let asked = async {
            tokio::select! {
                () = tokio::time::sleep(length) => {}
                () = self.commands.notified() => {}
                () = ordered(&mut self.orders, Order::Release) => {}
            }
            stopper.send_replace(Stop::Soon);
            std::future::pending::<()>().await;
        };
        tokio::select! {
            report = &mut crawling => Ok(Some(report?)),
            () = asked => Ok(None),
            () = ordered(&mut orders, Order::Abandon) => Ok(None),
        }
    }

    /// Carries out commands, publishes and commits. Returns the checkpoint, and whether the partition is done; none if another
    /// worker has it.
    async fn commit(
        &mut self,
        known: &mut Option<Vec<Piece>>,
        round: &mut Round,
        release: bool,
        done: Option<&str>,
    ) -> Result<Option<(Published, bool)>, ClusterError> {
        let results = self.apply_commands().await?;
        if !results.ids.is_empty() {
            // The round's state does not contain them.
            round.rest = None;
        }
        // Commands may have added work.
        let done = done.filter(|_| results.ids.is_empty());
        let release = release || done.is_some();
        let pieces = match known.take() {
            Some(pieces) => pieces,
            None => lease::pieces(&self.common.db, self.claim.partition).await?,
        };
        let (store, job) = (self.common.store.clone(), JobDir::new(&self.folder));
        let prefix =
            format!("{}/e{:05}/{:05}", pieces::folder_of(self.claim.partition), self.claim.epoch, round.number);
        let (remade, known_profiles, rest) = (self.remade.clone(), self.learned.clone(), round.rest.take());
        let published = blocking(move || {
            let rest = rest.map_or_else(|| checkpoint::save(&job), Ok)?;
            let learned = pieces::new_profiles(rest.learned.clone(), &known_profiles);
            let news = (rest.checkpoint.as_path(), learned, results);
            let changes = pieces::publish(&store, &job, &pieces, &remade, news, &prefix);
            Ok((changes, pieces, rest))
        });
        let (changes, mut pieces, rest) = published.await?;
        round.rest = Some(rest);
        let changes = changes?;
        if !lease::commit(&self.common.db, self.session, &self.claim, &changes, round.tally, release, done).await? {
            return Ok(None);
        }
        self.learned.extend(changes.learned.into_iter().map(|profile| (profile.key, profile.blake3)));
        pieces.retain(|piece| !changes.gone.contains(&piece.file));
        pieces.extend(changes.new);
        *known = Some(pieces);
        Ok(Some((changes.checkpoint, done.is_some())))
    }

    /// Carries out the waiting commands, or all commands ever given if the job was rebuilt. A portal that a command adds
    /// belongs to the partition from then on.
    async fn apply_commands(&mut self) -> Result<CommandResults, ClusterError> {
        let again = !self.remade.is_empty();
        let (asked, given) = commands::of_partition(&self.common.db, self.claim.partition, again).await?;
        if given.is_empty() {
            return Ok(CommandResults { asked, ..CommandResults::default() });
        }
        let (job, clock) = (JobDir::new(&self.folder), self.common.clock);
        let applied = blocking(move || {
            let results = commands::apply_commands(&job, clock, asked, &given)?;
            Ok((results, Config::of_job(job.root())?))
        });
        let (results, here) = applied.await?;
        let (here, mut config) = (here.unwrap_or_default(), self.config()?);
        for name in here.added.iter().filter(|name| !config.added.contains(name)).collect::<Vec<_>>() {
            config.portals.extend(here.portals.iter().filter(|portal| portal.name == *name).cloned());
            config.added.push(name.clone());
        }
        self.claim.job = partitions::written(&config)?;
        Ok(results)
    }

    /// Retires archive files that were kept long enough. Removes retired files and those of earlier epochs from the store
    /// after a time in which their readers can finish.
    async fn tidy(&mut self, known: &mut Option<Vec<Piece>>, last: Option<&Published>) -> Result<(), ClusterError> {
        let partition = self.claim.partition;
        if let Some(keep) = self.common.crawl.keep {
            let retired = lease::retire(&self.common.db, self.session, &self.claim, keep).await?;
            for (file, bytes) in &retired {
                pieces::retire(&self.folder.join(file), *bytes)?;
            }
            let is_retired = |piece: &Piece| retired.iter().any(|(file, _)| *file == piece.file);
            for piece in known.iter_mut().flatten().filter(|piece| is_retired(piece)) {
                piece.is_retired = true;
            }
            let keys = lease::given_up(&self.common.db, partition, self.common.crawl.leftovers).await?;
            if !keys.is_empty() {
                let (store, gone) = (self.common.store.clone(), keys.clone());
                blocking(move || {
                    gone.iter().for_each(|key| store.remove(key));
                    Ok(())
                })
                .await?;
                lease::removed(&self.common.db, partition, &keys).await?;
            }
        }
        let (Some(pieces), Some(last)) = (&known, last) else { return Ok(()) };
        if since_start().saturating_sub(self.collected) < self.common.crawl.leftovers {
            return Ok(());
        }
        self.collected = since_start();
        let (store, epoch, before) = (self.common.store.clone(), self.claim.epoch, self.leftovers_before());
        let (pieces, last) = (pieces.clone(), last.clone());
        blocking(move || {
            let there = store.contents(&pieces::folder_of(partition))?;
            pieces::collect(&store, (epoch, before), &there, Some(&last), &pieces);
            Ok(())
        })
        .await
    }

    /// Files that nothing refers to are removed if they were written before this time.
    fn leftovers_before(&self) -> Timestamp {
        self.common.clock.now().checked_sub(self.common.crawl.leftovers).unwrap_or(Timestamp::MIN)
    }

    /// Ends a partition without another round.
    async fn close(
        &mut self,
        done: &str,
        mut known: Option<Vec<Piece>>,
        round: u32,
    ) -> Result<ExitReason, ClusterError> {
        let mut nothing = Round { number: round, tally: Tally::default(), rest: None };
        let committed = self.commit(&mut known, &mut nothing, true, Some(done)).await?;
        Ok(match committed {
            Some((_, true)) => ExitReason::Done,
            Some(_) => ExitReason::Released,
            None => ExitReason::LeaseEnded,
        })
    }
}

/// Removes folders of this partition that killed workers left on this machine; their epochs are over.
fn remove_earlier(own: &Path, partition: i32) {
    let prefix = format!("p{partition:03}-e");
    for entry in own.parent().and_then(|folder| std::fs::read_dir(folder).ok()).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(&prefix) {
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

/// Returns when this order has been given, or a stronger one.
async fn ordered(orders: &mut watch::Receiver<Order>, wanted: Order) {
    let is_given = |order: &Order| match wanted {
        Order::Abandon => *order == Order::Abandon,
        _ => *order != Order::Crawl,
    };
    // An error means that the worker is gone, and its lease with it.
    let _ = orders.wait_for(is_given).await;
}

/// Saves the waits that hosts ask for as they come, for the next worker of the partition.
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

/// The configuration with the rest of its `max_time`; none when that is over.
fn with_time_left(mut config: Config, age: Duration) -> Option<Config> {
    if let Some(time) = &mut config.crawl.max_time {
        time.0 = time.0.checked_sub(age).filter(|left| !left.is_zero())?;
    }
    Some(config)
}

/// Why a partition is done after this round; none if it is not.
fn done(ended: &Ended) -> Option<&'static str> {
    match ended {
        Ended::Finished => Some("finished"),
        Ended::Unreached { .. } => Some("finished, but for hosts that never answered"),
        Ended::Limit(Limit::Patience { .. }) => Some("finished, but for hosts in trouble"),
        Ended::Limit(Limit::Time) => Some("its time is over"),
        Ended::Limit(Limit::Pages | Limit::Disk { .. }) | Ended::Interrupted => None,
    }
}

fn tally(report: &Report) -> Tally {
    Tally {
        documents: report.portals.iter().map(|portal| portal.documents).sum(),
        pages: report.counts.pages,
        queued: report.counts.queued,
    }
}
