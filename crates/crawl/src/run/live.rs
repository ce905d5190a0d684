//! What a running crawl shows while it runs: counters that every stage adds to and nobody waits for.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, AtomicUsize, Ordering};

use serde::{Deserialize, Serialize};

use crate::frontier::{Finished, Outcome, Work};

/// Counters since the process started.
#[derive(Debug, Default)]
pub struct Live {
    /// Leases out.
    pub in_flight: AtomicUsize,
    /// Pages, feeds and sitemaps received.
    pub fetched: AtomicU64,
    /// Requests that brought nothing to keep: errors, refusals, redirects, missing pages.
    pub other: AtomicU64,
    /// Bytes received.
    pub bytes: AtomicU64,
    /// Hosts that could be asked now, if more requests might be in flight.
    pub hosts_due: AtomicUsize,
    /// URLs that wait for their first visit.
    pub queued: AtomicU64,
    /// Since something new was discovered.
    pub seconds_without_news: AtomicU64,
    /// Documents written.
    pub documents: AtomicU64,
    /// Bytes of their texts.
    pub text_bytes: AtomicU64,
    /// Bytes of the pages that were extracted, as received.
    pub read_bytes: AtomicU64,
    /// Pages without an article.
    pub without_article: AtomicU64,
    /// Repeated articles that were not written again.
    pub duplicates: AtomicU64,
    /// Domains that wait for their profile.
    pub learning: AtomicUsize,
    /// Domains with a profile.
    pub learned: AtomicUsize,
    /// File descriptors that are open.
    pub descriptors: AtomicUsize,
    /// How many there may be.
    pub descriptors_limit: AtomicUsize,
    /// Whether fewer requests are in flight than there might be, for want of descriptors.
    pub short_of_descriptors: AtomicBool,
    /// Since when the network is away, in seconds of the Unix epoch; 0 while it is there.
    pub network_away_since: AtomicI64,
    /// The domain whose learning is furthest.
    learner: Mutex<Option<Learner>>,
}

/// A domain that is learning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Learner {
    /// The domain.
    pub domain: String,
    /// Article-like pages that it has.
    pub pages: u64,
    /// Those that it waits for.
    pub of: u64,
    /// Other domains that learn.
    pub others: usize,
}

/// [`Live`] at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct Counters {
    pub in_flight: usize,
    pub fetched: u64,
    pub other: u64,
    pub bytes: u64,
    pub hosts_due: usize,
    #[serde(default)]
    pub queued: u64,
    pub seconds_without_news: u64,
    pub documents: u64,
    pub text_bytes: u64,
    pub read_bytes: u64,
    pub without_article: u64,
    pub duplicates: u64,
    pub learning: usize,
    pub learned: usize,
    #[serde(default)]
    pub descriptors: usize,
    #[serde(default)]
    pub descriptors_limit: usize,
    #[serde(default)]
    pub short_of_descriptors: bool,
    #[serde(default)]
    pub network_away_since: i64,
}

impl Live {
    /// The counters now.
    #[must_use]
    pub fn counters(&self) -> Counters {
        let number = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Counters {
            in_flight: self.in_flight.load(Ordering::Relaxed),
            fetched: number(&self.fetched),
            other: number(&self.other),
            bytes: number(&self.bytes),
            hosts_due: self.hosts_due.load(Ordering::Relaxed),
            queued: number(&self.queued),
            seconds_without_news: number(&self.seconds_without_news),
            documents: number(&self.documents),
            text_bytes: number(&self.text_bytes),
            read_bytes: number(&self.read_bytes),
            without_article: number(&self.without_article),
            duplicates: number(&self.duplicates),
            learning: self.learning.load(Ordering::Relaxed),
            learned: self.learned.load(Ordering::Relaxed),
            descriptors: self.descriptors.load(Ordering::Relaxed),
            descriptors_limit: self.descriptors_limit.load(Ordering::Relaxed),
            short_of_descriptors: self.short_of_descriptors.load(Ordering::Relaxed),
            network_away_since: self.network_away_since.load(Ordering::Relaxed),
        }
    }

    /// The domain whose learning is furthest.
    #[must_use]
    pub fn learner(&self) -> Option<Learner> {
        self.learner.lock().ok()?.clone()
    }

    pub(crate) fn set_learner(&self, furthest: Option<Learner>) {
        if let Ok(mut learner) = self.learner.lock() {
            *learner = furthest;
        }
    }

    pub(crate) fn note(&self, finished: &Finished) {
        if let Some(exchange) = &finished.exchange {
            self.bytes.fetch_add(exchange.bytes, Ordering::Relaxed);
        }
        // What robots.txt forbids was not asked for.
        let is_forbidden = matches!(finished.outcome, Outcome::Disallowed { .. });
        if is_forbidden || matches!(finished.lease.work, Work::Robots { .. }) {
            return;
        }
        let counter = if matches!(finished.outcome, Outcome::Fetched(_)) { &self.fetched } else { &self.other };
        counter.fetch_add(1, Ordering::Relaxed);
    }
}
