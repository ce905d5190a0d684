//! Collects the metrics of a worker for Prometheus (text format 0.0.4): `goldminer cluster work --metrics PORT`. The
//! names are those of `goldminer crawl`; the values are sums over all partitions that the worker has or had.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use goldminer_crawl::api::metrics::Exposition;
use goldminer_crawl::{Counters, Live};

/// The counters of a worker.
#[derive(Debug, Default)]
pub(super) struct WorkerMetrics {
    pub(super) commits: AtomicU64,
    pub(super) failed_commits: AtomicU64,
    pub(super) lost_leases: AtomicU64,
    pub(super) failed_partitions: AtomicU64,
    pub(super) is_database_away: AtomicBool,
    cluster: Mutex<ClusterSnapshot>,
    crawled: Mutex<RoundCounters>,
}

/// The state of the whole crawl, from the database.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ClusterSnapshot {
    /// Number of partitions with work left.
    pub(super) open: i64,
    /// Number of living workers.
    pub(super) alive: i64,
    /// Number of open partitions without a worker.
    pub(super) unowned: i64,
    /// The longest time since an open partition's last commit, in seconds.
    pub(super) oldest_commit_seconds: i64,
}

#[derive(Debug, Default)]
struct RoundCounters {
    /// The counters of running rounds, by partition. A round is the crawling between two commits.
    running: HashMap<i32, Arc<Live>>,
    /// The sum of the counters of ended rounds.
    ended: Counters,
}

impl WorkerMetrics {
    pub(super) fn count(&self, of: impl Fn(&Self) -> &AtomicU64) {
        of(self).fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn set_cluster_snapshot(&self, snapshot: ClusterSnapshot) {
        *lock(&self.cluster) = snapshot;
    }

    /// Starts the next round of a partition, and returns its counters.
    pub(super) fn round_begins(&self, partition: i32) -> Arc<Live> {
        self.round_ends(partition);
        let live = Arc::new(Live::default());
        lock(&self.crawled).running.insert(partition, Arc::clone(&live));
        live
    }

    /// Ends the round of a partition, if one is running.
    pub(super) fn round_ends(&self, partition: i32) {
        let mut crawled = lock(&self.crawled);
        if let Some(live) = crawled.running.remove(&partition) {
            crawled.ended.add(&live.counters());
        }
    }

    /// The metrics as text; `lease` is the time left of the lease.
    pub(super) fn render(&self, lease: Duration) -> String {
        let (mut sums, running) = {
            let crawled = lock(&self.crawled);
            (crawled.ended, crawled.running.values().map(|live| live.counters()).collect::<Vec<_>>())
        };
        running.iter().for_each(|counters| sums.add(counters));
        let of_running = |of: fn(&Counters) -> usize| running.iter().map(of).sum::<usize>() as u64;
        let number = |of: &AtomicU64| of.load(Ordering::Relaxed);
        let snapshot = *lock(&self.cluster);
        let mut out = Exposition::default();
        out.gauge(
            "worker_lease_seconds",
            "Seconds until requests stop, unless a heartbeat comes through.",
            lease.as_secs(),
        );
        out.gauge("worker_partitions", "Partitions of this worker.", running.len() as u64);
        out.counter("worker_commits", "Commits.", number(&self.commits));
        let failed = number(&self.failed_commits);
        out.counter("worker_failed_commits", "Commits that the database or the store refused.", failed);
        out.counter("worker_lost_leases", "Leases that were not renewed in time.", number(&self.lost_leases));
        let failed = number(&self.failed_partitions);
        out.counter("worker_failed_partitions", "Partitions that failed here and were left to others.", failed);
        let is_away = u64::from(self.is_database_away.load(Ordering::Relaxed));
        out.gauge("worker_database_away", "1 while the database does not answer.", is_away);
        out.gauge("cluster_workers", "Workers at the last heartbeat.", snapshot.alive.unsigned_abs());
        out.gauge("cluster_partitions_open", "Partitions that are not done.", snapshot.open.unsigned_abs());
        out.gauge("cluster_partitions_unowned", "Open partitions without a worker.", snapshot.unowned.unsigned_abs());
        let oldest = snapshot.oldest_commit_seconds.unsigned_abs();
        out.gauge("cluster_oldest_commit_seconds", "The longest time since an open partition's last commit.", oldest);
        out.gauge("in_flight", "Requests under way.", of_running(|counters| counters.in_flight));
        out.gauge("hosts_due", "Hosts that are due now.", of_running(|counters| counters.hosts_due));
        out.counter("received_bytes", "Bytes received by this process.", sums.bytes);
        out.process(&sums);
        out.text
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_of_released_partitions_are_kept_and_counted_once() {
        let metrics = WorkerMetrics::default();
        metrics.round_begins(1).count(|counters| counters.documents += 3);
        metrics.round_begins(2).count(|counters| counters.documents += 4);
        let documents = || {
            let text = metrics.render(Duration::from_secs(40));
            let line = text.lines().find_map(|line| line.strip_prefix("goldminer_documents_total ")).map(str::to_owned);
            line.and_then(|value| value.parse::<u64>().ok())
        };
        assert_eq!(documents(), Some(7));
        metrics.round_ends(1);
        assert_eq!(documents(), Some(7));
        metrics.round_begins(2).count(|counters| counters.documents += 10);
        assert_eq!(documents(), Some(17));
    }
}
