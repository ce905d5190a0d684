//! Runs a worker: it sends heartbeats for its session, and crawls its share of the partitions. The loop itself does
//! nothing that takes long, because each partition is a task. When the session has lost its lease, the worker gives up
//! all partitions and starts a new session.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use goldminer_crawl::api::metrics;
use goldminer_crawl::job::settings::has_room;
use goldminer_crawl::limits::CpuPermits;
use goldminer_crawl::limits::shared_resources::shared_fetcher;
use goldminer_crawl::{Clock, Config, Stop};
use goldminer_fetch::{LeaseDeadline, since_start};
use tokio::sync::{Notify, watch};
use tokio::task::{Id, JoinError, JoinSet};
use tokio::time::{MissedTickBehavior, interval};

use super::partition_runner::{ExitReason, Order, PartitionRunner, RunnerResources};
use crate::commands;
use crate::db::addresses::Addresses;
use crate::db::database::Database;
use crate::db::lease::{ClaimedPartition, Crawl};
use crate::db::{addresses, lease, schema};
use crate::error::ClusterError;
use crate::metrics::WorkerMetrics;
use crate::partitions;
use crate::store::SegmentStore;

/// If a partition has failed on this worker, the worker does not claim it again for this time, so that other workers
/// can.
const REASSIGN_BACKOFF: Duration = Duration::from_secs(600);

/// The pause after a notification, so that notifications that follow shortly are handled together with it.
const NEWS: Duration = Duration::from_millis(300);

/// The options of a worker.
#[derive(Debug, Clone)]
pub struct WorkerConfig {
    /// The worker's name in `cluster status`.
    pub name: String,
    /// The most partitions at a time; None for no limit.
    pub partitions: Option<usize>,
    /// The folder for the job directories of its partitions.
    pub folder: PathBuf,
    /// The store's path or address on this machine, if it differs from the crawl's setting.
    pub store: Option<String>,
    /// Where metrics for Prometheus are served.
    pub metrics: Option<SocketAddr>,
}

/// How a worker ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WorkerEnd {
    /// Every partition is done.
    AllDone,
    /// The worker was stopped; all its partitions are committed and released.
    Drained,
    /// The disk of this machine is full; all partitions are committed and released.
    NoRoom,
}

/// Works until every partition is done, or until it is stopped.
///
/// # Errors
/// When the crawl belongs to another version of the program, or this machine cannot work on it. If the database or the
/// store fails later, the worker waits and tries again.
pub async fn work(
    db: Arc<Database>,
    config: WorkerConfig,
    mut stop: watch::Receiver<Stop>,
) -> Result<WorkerEnd, ClusterError> {
    let crawl = of_this_version(&db).await?;
    let store = SegmentStore::at(config.store.as_deref().unwrap_or(&crawl.store))?;
    let first = db.row("reading a partition", "SELECT job FROM partition ORDER BY id LIMIT 1", &[]).await?;
    let job: String = first.map(|row| row.get(0)).ok_or(ClusterError::NoCrawl)?;
    let settings = partitions::from_toml(&job)?;
    std::fs::create_dir_all(&config.folder).map_err(ClusterError::store(&config.folder))?;
    let deadline = Arc::new(LeaseDeadline::closed(crawl.grace));
    let fetcher = shared_fetcher(&settings, Arc::clone(&deadline))?;
    // A worker saves the time until which a host asks it to wait. Another worker may read this time, so all use the
    // database's time.
    let clock = Clock::showing(lease::time(&db).await?);
    let metrics = Arc::new(WorkerMetrics::default());
    let _metrics = match config.metrics {
        None => None,
        Some(address) => {
            let (metrics, deadline) = (Arc::clone(&metrics), Arc::clone(&deadline));
            let served = metrics::serve(address, move || Some(metrics.render(deadline.remaining()))).await;
            let taken = |cause| format!("--metrics {address} cannot be opened: {cause}; give another port");
            Some(served.map_err(|cause| ClusterError::Refused(taken(cause)))?)
        }
    };
    let cpu_permits = Arc::new(CpuPermits::default());
    let common = Arc::new(RunnerResources { db, store, crawl, fetcher, cpu_permits, clock, metrics });
    let RunnerResources { db, crawl, metrics, .. } = &*common;
    let mut failed = HashMap::new();
    loop {
        let Some(session) = begin(db, &config.name, crawl, &mut stop).await? else { return Ok(WorkerEnd::Drained) };
        addresses::forget_dead(db).await.unwrap_or_else(|error| tracing::debug!("{error}"));
        let mut session = Session {
            number: session,
            common: Arc::clone(&common),
            deadline: Arc::clone(&deadline),
            config: config.clone(),
            runners: JoinSet::new(),
            held: HashMap::new(),
            partition_of: HashMap::new(),
            addresses: Addresses::default(),
            failed: std::mem::take(&mut failed),
            heartbeats: lease::LastHeartbeats::new(),
            settings: settings.clone(),
            is_ending: None,
            is_silent: false,
        };
        if let Some(exit_reason) = session.run(&mut stop).await {
            return Ok(exit_reason);
        }
        metrics.count(|metrics| &metrics.lost_leases);
        tracing::warn!(
            "this worker did not renew its lease in time and lost its partitions (groups of portals). It continues \
             by itself with a new lease; pages fetched since the last commits are fetched again"
        );
        failed = session.failed;
    }
}

/// The settings of the crawl, if it belongs to this version of the program.
async fn of_this_version(db: &Database) -> Result<Crawl, ClusterError> {
    schema::check(db).await?;
    let crawl = lease::crawl(db).await?;
    let (found, known) = (&crawl.version, env!("CARGO_PKG_VERSION"));
    if found == known {
        return Ok(crawl);
    }
    Err(ClusterError::Refused(format!(
        "this crawl is of goldminer {found}, this program is {known}, and all workers must be of one version. Start \
         goldminer {found} here, or stop all workers and run `goldminer cluster init --db … --adopt` with the new one"
    )))
}

/// Starts a new session (a run of the worker) as soon as the database is available, and returns its number. None if the
/// worker is stopped before the database is available. If the crawl belongs to another version of the program by then,
/// that is an error.
async fn begin(
    db: &Database,
    name: &str,
    crawl: &Crawl,
    stop: &mut watch::Receiver<Stop>,
) -> Result<Option<i64>, ClusterError> {
    let mut is_silent = false;
    loop {
        if *stop.borrow() != Stop::No {
            return Ok(None);
        }
        match lease::begin(db, name, crawl.ttl).await {
            Ok(Some(session)) => return Ok(Some(session)),
            Ok(None) => drop(of_this_version(db).await?),
            Err(forbidden @ ClusterError::Forbidden { .. }) => return Err(forbidden),
            Err(error) if !is_silent => tracing::warn!("{error}; retrying until it answers"),
            Err(_) => {}
        }
        is_silent = true;
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
}

/// The channels to a runner.
struct RunnerChannels {
    orders: watch::Sender<Order>,
    commands: Arc<Notify>,
}

struct Session {
    number: i64,
    common: Arc<RunnerResources>,
    deadline: Arc<LeaseDeadline>,
    config: WorkerConfig,
    runners: JoinSet<Result<ExitReason, ClusterError>>,
    /// The channels to the runners, by partition.
    held: HashMap<i32, RunnerChannels>,
    partition_of: HashMap<Id, i32>,
    addresses: Addresses,
    /// Partitions that failed on this worker, and when.
    failed: HashMap<i32, Duration>,
    /// The heartbeats of other workers.
    heartbeats: lease::LastHeartbeats,
    settings: Config,
    /// How the worker ends; None while it goes on.
    is_ending: Option<WorkerEnd>,
    /// Whether the database did not answer the last statement. This was logged.
    is_silent: bool,
}

impl Session {
    /// Works until the worker ends, and returns how. None if the session's lease has ended.
    async fn run(&mut self, stop: &mut watch::Receiver<Stop>) -> Option<WorkerEnd> {
        let mut beat = interval((self.common.crawl.ttl / 6).max(Duration::from_millis(50)));
        beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            if *stop.borrow() != Stop::No && self.is_ending.is_none() {
                self.end(WorkerEnd::Drained);
            }
            if let Some(exit_reason) = self.is_ending
                && self.runners.is_empty()
            {
                let _ = lease::end(&self.common.db, self.number).await;
                return Some(exit_reason);
            }
            tokio::select! {
                _ = beat.tick() => {
                    let is_alive = self.beat().await;
                    let result = match is_alive {
                        Ok(true) => self.rebalance().await,
                        Ok(false) => {
                            self.abandon().await;
                            return None;
                        }
                        Err(error) => Err(error),
                    };
                    self.log_database_state(result);
                }
                () = self.common.db.notified(), if self.is_ending.is_none() => {
                    // Other workers react too, which causes further notifications.
                    tokio::time::sleep((self.common.crawl.ttl / 12).min(NEWS)).await;
                    let result = self.rebalance().await;
                    self.log_database_state(result);
                }
                Some(ended) = self.runners.join_next_with_id() => self.runner_ended(ended),
                _ = stop.changed(), if self.is_ending.is_none() => {}
            }
        }
    }

    /// Extends the lease and the deadline of requests. Returns false if the lease has ended.
    async fn beat(&self) -> Result<bool, ClusterError> {
        let sent = since_start();
        let is_alive = lease::heartbeat(&self.common.db, self.number, self.common.crawl.ttl).await?;
        if is_alive {
            // A third of the lease is a reserve for inaccurate clocks and slow machines.
            self.deadline.open_until(sent + self.common.crawl.ttl * 2 / 3);
        }
        Ok(is_alive)
    }

    /// Declares silent workers dead, and claims or releases partitions so that all living workers have about as many.
    async fn rebalance(&mut self) -> Result<(), ClusterError> {
        lease::reap(&self.common.db, self.common.crawl.ttl + self.common.crawl.grace, &mut self.heartbeats).await?;
        if self.is_ending.is_some() {
            return Ok(());
        }
        let held: Vec<i32> = self.held.keys().copied().collect();
        lease::release_others(&self.common.db, self.number, &held).await?;
        let snapshot = lease::cluster_snapshot(&self.common.db).await?;
        let (open, alive) = (snapshot.open, snapshot.alive);
        self.common.metrics.set_cluster_snapshot(snapshot);
        let workers = u32::try_from(alive.max(1)).unwrap_or(u32::MAX);
        self.addresses.update(&self.common.db, self.number, workers, &self.common.fetcher).await?;
        if open == 0 {
            self.end(WorkerEnd::AllDone);
            return Ok(());
        }
        let share = usize::try_from(open.div_euclid(alive.max(1)) + i64::from(open % alive.max(1) > 0)).unwrap_or(1);
        let share = share.min(self.config.partitions.unwrap_or(usize::MAX)).max(1);
        for partition in commands::waiting(&self.common.db, self.number).await? {
            if let Some(held) = self.held.get(&partition) {
                held.commands.notify_one();
            }
        }
        let staying = self.held.values().filter(|held| *held.orders.borrow() == Order::Crawl).count();
        if staying > share {
            let surplus = self.held.values().filter(|held| *held.orders.borrow() == Order::Crawl).take(staying - share);
            surplus.for_each(|held| send_order(held, Order::Release));
        } else if self.held.len() < share {
            let now = since_start();
            self.failed.retain(|_, since| now.saturating_sub(*since) < REASSIGN_BACKOFF);
            let except: Vec<i32> = self.failed.keys().copied().collect();
            let most = i64::try_from(share - self.held.len()).unwrap_or(1);
            for claim in lease::claim(&self.common.db, self.number, most, &except, self.common.crawl.grace).await? {
                self.take(claim, share);
            }
        }
        Ok(())
    }

    fn take(&mut self, claim: ClaimedPartition, partitions_here: usize) {
        let (partition, epoch) = (claim.partition, claim.epoch);
        tracing::info!(
            "this worker now crawls partition {partition}, a group of portals (epoch {epoch}: the number of times that it was taken)"
        );
        let (sender, orders) = watch::channel(Order::Crawl);
        let commands = Arc::new(Notify::new());
        let runner = PartitionRunner {
            common: Arc::clone(&self.common),
            session: self.number,
            claim,
            partitions_here,
            folder: self.config.folder.join(format!("p{partition:03}-e{epoch:05}")),
            remade: BTreeSet::new(),
            collected: since_start(),
            committed_profiles: BTreeMap::new(),
            orders,
            commands: Arc::clone(&commands),
        };
        self.held.insert(partition, RunnerChannels { orders: sender, commands });
        let task = self.runners.spawn(runner.run());
        self.partition_of.insert(task.id(), partition);
    }

    fn runner_ended(&mut self, ended: Result<(Id, Result<ExitReason, ClusterError>), JoinError>) {
        let (id, exit) = match ended {
            Ok((id, exit)) => (id, exit.map_err(|error| error.to_string())),
            Err(panic) => (panic.id(), Err(panic.to_string())),
        };
        let Some(partition) = self.partition_of.remove(&id) else { return };
        self.held.remove(&partition);
        self.common.metrics.round_ends(partition);
        match exit {
            Ok(ExitReason::Done) => tracing::info!("partition {partition} is done"),
            Ok(ExitReason::Released) => tracing::info!("partition {partition} is released"),
            Ok(ExitReason::LeaseEnded) => tracing::info!(
                "this worker no longer crawls partition {partition}: the lease ended, and another worker can take it"
            ),
            Ok(ExitReason::NoRoom) => self.end(WorkerEnd::NoRoom),
            Err(error) => {
                tracing::error!(
                    "this worker gives up partition {partition} for a while, so that others can try it: {error}"
                );
                self.common.metrics.count(|metrics| &metrics.failed_partitions);
                self.failed.insert(partition, since_start());
                if !has_room(&self.settings, &self.config.folder) {
                    self.end(WorkerEnd::NoRoom);
                }
            }
        }
    }

    /// Makes every partition stop and be released.
    fn end(&mut self, how: WorkerEnd) {
        self.is_ending.get_or_insert(how);
        self.held.values().for_each(|held| send_order(held, Order::Release));
    }

    /// Gives up all partitions immediately.
    async fn abandon(&mut self) {
        self.deadline.close();
        self.held.values().for_each(|held| send_order(held, Order::Abandon));
        while self.runners.join_next().await.is_some() {}
        self.held.drain().for_each(|(partition, _)| self.common.metrics.round_ends(partition));
    }

    /// Logs once that the database does not answer, and once that it is back.
    fn log_database_state(&mut self, result: Result<(), ClusterError>) {
        self.common.metrics.is_database_away.store(result.is_err(), Ordering::Relaxed);
        match result {
            Ok(()) if self.is_silent => {
                tracing::info!("the database is back");
                self.is_silent = false;
            }
            Ok(()) => {}
            Err(error) if !self.is_silent => {
                tracing::warn!(
                    "{error}; no requests are sent after the lease has expired; the work continues when the database \
                     is back"
                );
                self.is_silent = true;
            }
            Err(_) => {}
        }
    }
}

/// Sends an order to a runner. If the runner has just ended, the order is dropped.
fn send_order(held: &RunnerChannels, order: Order) {
    let _ = held.orders.send(order);
}
