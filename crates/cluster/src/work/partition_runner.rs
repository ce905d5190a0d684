//! One partition's life with a worker: restored, crawled in rounds, committed after each, let go. A round ends by itself
//! when nothing is left, else after the time from one commit to the next: the job comes to rest for a moment, as after a
//! Ctrl-C, so that what is published is what any stopped crawl goes on from.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use goldminer_crawl::frontier::HostWait;
use goldminer_crawl::job::checkpoint;
use goldminer_crawl::job::checkpoint::Rest;
use goldminer_crawl::limits::CpuPermits;
use goldminer_crawl::limits::shared_resources::{Handover, SharedResources};
use goldminer_crawl::{Clock, Config, Ended, HumanDuration, Job, JobDir, Limit, Report, Stop};
use goldminer_fetch::{Fetcher, since_start};
use jiff::Timestamp;
use tokio::sync::{Notify, mpsc, watch};

use super::pieces::{self, Piece};
use crate::commands::{self, CommandResults};
use crate::db::database::Database;
use crate::db::lease::{self, Claim, Crawl, Tally};
use crate::error::{ClusterError, aside};
use crate::figures::Figures;
use crate::partitions;
use crate::store::{Published, SegmentStore};

/// After a failure of database or store, the next try.
const TRY_AGAIN: Duration = Duration::from_secs(1);

/// How often a commit is tried on a disk that is full.
const FULL_TRIES: u32 = 10;

/// What a worker wants of a runner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    /// Go on.
    Crawl,
    /// Come to rest, commit, let the partition go.
    Release,
    /// It is another's, or will be: stop at once and leave nothing.
    Abandon,
}

/// How a runner ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ExitReason {
    /// Committed and let go, with work left.
    Released,
    /// Committed; nothing is left to do.
    Done,
    /// Another has it.
    LeaseEnded,
    /// Committed and let go, for want of room on this machine's disk.
    NoRoom,
}

/// What all partitions of a worker have in common.
pub(crate) struct Common {
    pub(crate) db: Arc<Database>,
    pub(crate) store: SegmentStore,
    pub(crate) crawl: Crawl,
    pub(crate) fetcher: Arc<Fetcher>,
    pub(crate) cpu_permits: Arc<CpuPermits>,
    pub(crate) clock: Clock,
    pub(crate) figures: Arc<Figures>,
}

/// A partition that is ours.
pub(crate) struct PartitionRunner {
    pub(crate) common: Arc<Common>,
    pub(crate) session: i64,
    pub(crate) claim: Claim,
    /// So many share this process.
    pub(crate) jobs: usize,
    /// Its job directory, which is there as long as it is.
    pub(crate) folder: PathBuf,
    /// Files that were made anew here, until they are committed.
    pub(crate) remade: BTreeSet<String>,
    /// When it was last looked for what earlier epochs left.
    pub(crate) collected: Duration,
    /// Digests of the profiles that are committed, by key.
    pub(crate) learned: BTreeMap<String, String>,
    pub(crate) orders: watch::Receiver<Order>,
    /// Somebody gave commands: the job is to come to rest, so that they are carried out.
    pub(crate) commands: Arc<Notify>,
}

/// What a round of the crawl left to be committed.
struct Round {
    number: u32,
    tally: Tally,
    /// None: to be asked of the job at rest.
    rest: Option<Rest>,
}

impl PartitionRunner {
    /// Has the partition until it is done, or somebody else's.
    pub(crate) async fn live(mut self) -> Result<ExitReason, ClusterError> {
        let left = self.rounds().await;
        if left.is_err() {
            // What was committed stands; another machine may have more luck.
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
        tokio::spawn(tell_waits(Arc::clone(&self.common.db), self.claim.partition, heard));
        let mut known = Some(std::mem::take(&mut self.claim.pieces));
        let mut handover = Some(self.claim.handover.clone());
        let mut checkpoints: Vec<Published> = self.claim.checkpoint.iter().cloned().collect();
        for round in 1.. {
            let age = self.claim.age + since_start().saturating_sub(claimed);
            let Some(config) = with_time_left(self.config()?, age) else {
                // Its time was over before it came here; what is committed is all.
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
                        // Perhaps it was, and only the answer is lost.
                        known = None;
                    }
                }
                if !release && done.is_none() {
                    break;
                }
                tries += 1;
                if is_full && tries == FULL_TRIES {
                    // Not even a checkpoint has room. What was committed stands, and the rest is fetched again by others.
                    lease::release(&self.common.db, self.session, &self.claim).await?;
                    return Ok(ExitReason::NoRoom);
                }
                tokio::time::sleep(TRY_AGAIN).await;
                if *self.orders.borrow() == Order::Abandon {
                    return Ok(ExitReason::LeaseEnded);
                }
            }
            // The one before the last stays, for the day that the last is damaged.
            while checkpoints.len() > 2 {
                let (store, key) = (self.common.store.clone(), checkpoints.remove(0).key);
                tokio::task::spawn_blocking(move || store.remove(&key));
            }
            if let Err(error) = self.tidy(&mut known, checkpoints.last()).await {
                // Nothing of it is needed now: the next commit tries again.
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

    /// False: somebody gave the order to abandon it meanwhile.
    async fn restore(&mut self, config: &Config) -> Result<bool, ClusterError> {
        // A partition with a past has its own profiles in its checkpoint.
        let known = match &self.claim.checkpoint {
            Some(_) => Vec::new(),
            None => pieces::known_profiles(&self.common.db, config).await?,
        };
        let (store, claim, folder, config) =
            (self.common.store.clone(), self.claim.clone(), self.folder.clone(), config.clone());
        let before = self.leftovers_before();
        let restored = aside(move || {
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

    /// Waits until every host, also one that the checkpoint does not know, has had its delay since the last request of
    /// those before. False: the order came to abandon it.
    async fn rest_of_delay(&mut self, config: &Config) -> bool {
        let delays = config.portals.iter().filter_map(|portal| portal.delay);
        let delay = delays.map(|delay| delay.0).chain([config.delay.0]).max().unwrap_or_default();
        let quiet = Duration::try_from(self.claim.handover.quiet_for).unwrap_or_default();
        let wait = delay.saturating_sub(quiet);
        tokio::select! {
            () = tokio::time::sleep(wait) => true,
            () = given(&mut self.orders, Order::Abandon) => false,
        }
    }

    /// One round of the crawl; none when it must be abandoned.
    async fn round(
        &mut self,
        config: Config,
        handover: Option<Handover>,
        waits: mpsc::UnboundedSender<HostWait>,
        round: u32,
    ) -> Result<Option<Report>, ClusterError> {
        // A full disk is waited for within a round, if at all: others have room.
        let disk_patience = HumanDuration(config.disk_patience.0.min(self.common.crawl.upload / 4));
        let config = Config { disk_patience, ..config };
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
        // So that not all partitions of a worker come to rest at once.
        let first = self.common.crawl.upload.mul_f64(0.5 + f64::from(partition % 64) / 128.0);
        let lasts = if round == 1 { first } else { self.common.crawl.upload };
        let (stopper, _kept) = watch::channel(Stop::No);
        let crawling = goldminer_crawl::run::crawl(&job, self.common.figures.round_begins(partition), stopper.clone());
        tokio::pin!(crawling);
        let mut orders = self.orders.clone();
        let asked = async {
            tokio::select! {
                () = tokio::time::sleep(lasts) => {}
                () = self.commands.notified() => {}
                () = given(&mut self.orders, Order::Release) => {}
            }
            stopper.send_replace(Stop::Soon);
            std::future::pending::<()>().await;
        };
        tokio::select! {
            report = &mut crawling => Ok(Some(report?)),
            () = asked => Ok(None),
            () = given(&mut orders, Order::Abandon) => Ok(None),
        }
    }

    /// Carries commands out, publishes and commits: the checkpoint, and whether the partition is done; none when it is another's.
    async fn commit(
        &mut self,
        known: &mut Option<Vec<Piece>>,
        round: &mut Round,
        release: bool,
        done: Option<&str>,
    ) -> Result<Option<(Published, bool)>, ClusterError> {
        let results = self.apply_commands().await?;
        if !results.ids.is_empty() {
            // What the round left knows nothing of them.
            round.rest = None;
        }
        // There may be something to do again.
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
        let published = aside(move || {
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

    /// Carries out the commands that wait, or where the job was made anew, all that there ever were. A portal that one has
    /// added is the partition's from now on.
    async fn apply_commands(&mut self) -> Result<CommandResults, ClusterError> {
        let again = !self.remade.is_empty();
        let (asked, given) = commands::of_partition(&self.common.db, self.claim.partition, again).await?;
        if given.is_empty() {
            return Ok(CommandResults { asked, ..CommandResults::default() });
        }
        let (job, clock) = (JobDir::new(&self.folder), self.common.clock);
        let applied = aside(move || {
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

    /// Gives up what of the archive was kept long enough, and removes from the store what was given up, and what earlier
    /// epochs left, as long ago as those need who read it just then.
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
                aside(move || {
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
        aside(move || {
            let there = store.contents(&pieces::folder_of(partition))?;
            pieces::collect(&store, (epoch, before), &there, Some(&last), &pieces);
            Ok(())
        })
        .await
    }

    /// What nobody refers to goes if it was written before this time.
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

/// Removes what workers that were killed left of a partition on this machine: its epochs are over.
fn remove_earlier(own: &Path, partition: i32) {
    let prefix = format!("p{partition:03}-e");
    for entry in own.parent().and_then(|folder| std::fs::read_dir(folder).ok()).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(&prefix) {
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

/// Returns when an order of this weight has been given, or a graver one.
async fn given(orders: &mut watch::Receiver<Order>, wanted: Order) {
    let is_given = |order: &Order| match wanted {
        Order::Abandon => *order == Order::Abandon,
        _ => *order != Order::Crawl,
    };
    // Where it fails, who gives orders is gone, and with it the lease.
    let _ = orders.wait_for(is_given).await;
}

/// Writes down what hosts ask for as it comes: who has the partition next must know.
async fn tell_waits(db: Arc<Database>, partition: i32, mut heard: mpsc::UnboundedReceiver<HostWait>) {
    while let Some(asked) = heard.recv().await {
        for _ in 0..5 {
            match lease::note_wait(&db, partition, &asked).await {
                Ok(()) => break,
                Err(error) => tracing::debug!(partition, host = %asked.host, "{error}"),
            }
            tokio::time::sleep(TRY_AGAIN).await;
        }
    }
}

/// The configuration with what is left of its time; none when nothing is.
fn with_time_left(config: Config, age: Duration) -> Option<Config> {
    let max_time = match config.max_time {
        None => None,
        Some(time) => Some(HumanDuration(time.0.checked_sub(age).filter(|left| !left.is_zero())?)),
    };
    Some(Config { max_time, ..config })
}

/// How a partition has ended, if its round's end is one.
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
