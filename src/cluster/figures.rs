//! What a worker counts, for Prometheus (text format 0.0.4): `goldminer cluster work --metrics PORT`. What it counts of its
//! crawling has the names that `goldminer crawl` gives it, as sums over the partitions that it has and had.
//!
//! | metric | type | meaning |
//! |---|---|---|
//! | `goldminer_worker_lease_seconds` | gauge | until no request leaves any more, unless a heartbeat comes through |
//! | `goldminer_worker_partitions` | gauge | partitions that it has |
//! | `goldminer_worker_commits_total`, `goldminer_worker_failed_commits_total` | counter | commits, and those that database or store refused |
//! | `goldminer_worker_lost_leases_total` | counter | sessions that ran out while nobody heard of it |
//! | `goldminer_worker_failed_partitions_total` | counter | partitions that failed here and were left to others |
//! | `goldminer_worker_database_away` | gauge | 1 while the database does not answer |
//! | `goldminer_cluster_workers`, `goldminer_cluster_partitions_open`, `goldminer_cluster_partitions_unowned` | gauge | of the whole crawl, at the last heartbeat |
//! | `goldminer_cluster_oldest_commit_seconds` | gauge | since the commit of the open partition that waits for one longest |
//! | `goldminer_in_flight`, `goldminer_hosts_due` | gauge | requests, and hosts that could be asked now |
//! | `goldminer_received_bytes`, `goldminer_fetched_total`, `goldminer_unfetched_total`, `goldminer_documents_total`, `goldminer_text_bytes_total`, `goldminer_pages_without_article_total`, `goldminer_duplicates_total` | counter | of this process |

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::engine::{Counters, Live};

/// What a worker counts.
#[derive(Debug, Default)]
pub(super) struct Figures {
    pub(super) commits: AtomicU64,
    pub(super) failed_commits: AtomicU64,
    pub(super) lost_leases: AtomicU64,
    pub(super) failed_partitions: AtomicU64,
    pub(super) is_database_away: AtomicBool,
    cluster: Mutex<Standing>,
    crawled: Mutex<Crawled>,
}

/// The whole crawl, as the database tells it.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Standing {
    /// Partitions with work left.
    pub(super) open: i64,
    /// Workers that live.
    pub(super) alive: i64,
    /// Open partitions that nobody has.
    pub(super) unowned: i64,
    /// Since the commit of the open partition that waits for one longest.
    pub(super) oldest_commit_seconds: i64,
}

#[derive(Debug, Default)]
struct Crawled {
    /// Rounds that run, by partition.
    running: HashMap<i32, Arc<Live>>,
    /// What rounds that ended have counted.
    ended: Sums,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Sums {
    bytes: u64,
    fetched: u64,
    other: u64,
    documents: u64,
    text_bytes: u64,
    without_article: u64,
    duplicates: u64,
}

impl Figures {
    /// Adds one.
    pub(super) fn count(&self, of: impl Fn(&Self) -> &AtomicU64) {
        of(self).fetch_add(1, Ordering::Relaxed);
    }

    /// How the whole crawl stood just now.
    pub(super) fn set_standing(&self, standing: Standing) {
        *lock(&self.cluster) = standing;
    }

    /// A partition's next round begins.
    pub(super) fn round_begins(&self, partition: i32) -> Arc<Live> {
        self.round_ends(partition);
        let live = Arc::new(Live::default());
        lock(&self.crawled).running.insert(partition, Arc::clone(&live));
        live
    }

    /// A partition's round is over, or there was none.
    pub(super) fn round_ends(&self, partition: i32) {
        let mut crawled = lock(&self.crawled);
        if let Some(live) = crawled.running.remove(&partition) {
            crawled.ended.add(&live.counters());
        }
    }

    /// The figures as text, with what is left of the lease.
    pub(super) fn render(&self, lease: Duration) -> String {
        let (mut sums, running) = {
            let crawled = lock(&self.crawled);
            (crawled.ended, crawled.running.values().map(|live| live.counters()).collect::<Vec<_>>())
        };
        running.iter().for_each(|counters| sums.add(counters));
        let of_running = |of: fn(&Counters) -> usize| running.iter().map(of).sum::<usize>() as u64;
        let number = |of: &AtomicU64| of.load(Ordering::Relaxed);
        let standing = *lock(&self.cluster);
        let mut text = String::new();
        let mut one = |name: &str, kind: &str, value: u64| {
            let _ = writeln!(text, "# TYPE goldminer_{name} {kind}\ngoldminer_{name} {value}");
        };
        one("worker_lease_seconds", "gauge", lease.as_secs());
        one("worker_partitions", "gauge", running.len() as u64);
        one("worker_commits_total", "counter", number(&self.commits));
        one("worker_failed_commits_total", "counter", number(&self.failed_commits));
        one("worker_lost_leases_total", "counter", number(&self.lost_leases));
        one("worker_failed_partitions_total", "counter", number(&self.failed_partitions));
        one("worker_database_away", "gauge", u64::from(self.is_database_away.load(Ordering::Relaxed)));
        one("cluster_workers", "gauge", standing.alive.unsigned_abs());
        one("cluster_partitions_open", "gauge", standing.open.unsigned_abs());
        one("cluster_partitions_unowned", "gauge", standing.unowned.unsigned_abs());
        one("cluster_oldest_commit_seconds", "gauge", standing.oldest_commit_seconds.unsigned_abs());
        one("in_flight", "gauge", of_running(|counters| counters.in_flight));
        one("hosts_due", "gauge", of_running(|counters| counters.hosts_due));
        one("received_bytes", "counter", sums.bytes);
        one("fetched_total", "counter", sums.fetched);
        one("unfetched_total", "counter", sums.other);
        one("documents_total", "counter", sums.documents);
        one("text_bytes_total", "counter", sums.text_bytes);
        one("pages_without_article_total", "counter", sums.without_article);
        one("duplicates_total", "counter", sums.duplicates);
        text
    }
}

impl Sums {
    fn add(&mut self, counters: &Counters) {
        self.bytes += counters.bytes;
        self.fetched += counters.fetched;
        self.other += counters.other;
        self.documents += counters.documents;
        self.text_bytes += counters.text_bytes;
        self.without_article += counters.without_article;
        self.duplicates += counters.duplicates;
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_partitions_counted_that_are_gone_is_still_counted_and_nothing_twice() {
        let figures = Figures::default();
        let first = figures.round_begins(1);
        first.documents.fetch_add(3, Ordering::Relaxed);
        let second = figures.round_begins(2);
        second.documents.fetch_add(4, Ordering::Relaxed);
        let documents = || {
            let text = figures.render(Duration::from_secs(40));
            let line = text.lines().find_map(|line| line.strip_prefix("goldminer_documents_total ")).map(str::to_owned);
            line.and_then(|value| value.parse::<u64>().ok())
        };
        assert_eq!(documents(), Some(7));
        figures.round_ends(1);
        assert_eq!(documents(), Some(7));
        figures.round_begins(2).documents.fetch_add(10, Ordering::Relaxed);
        assert_eq!(documents(), Some(17));
    }
}
