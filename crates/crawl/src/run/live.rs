//! The counters of a running crawl. Every stage adds to them, and locks them only for that moment.

use std::sync::Mutex;

use goldminer_fetch::share::lock;
use serde::{Deserialize, Serialize};

use crate::frontier::{Finished, Outcome, Work};

/// The counters of a process that crawls.
#[derive(Debug, Default)]
pub struct Live {
    counters: Mutex<Counters>,
    /// The learning domain with the most article-like pages.
    learner: Mutex<Option<Learner>>,
}

/// A copy of the counters at one moment. They count from the start of the process.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counters {
    /// Requests in flight: leases that are given out and whose results are not saved yet.
    pub in_flight: usize,
    /// Number of archived pages that are passed to the extraction. Copies of earlier pages (the same bytes), later
    /// visits and restricted pages do not count.
    pub pages: u64,
    /// Responses kept: pages, feeds and sitemaps, each visit.
    pub fetched: u64,
    /// Requests whose response was not kept: errors, refusals, redirects, missing pages.
    pub other: u64,
    /// Bytes received.
    pub bytes: u64,
    /// Number of hosts whose next request is due and was not given out yet, counted up to a limit.
    pub hosts_due: usize,
    /// URLs that wait for their first visit.
    pub queued: u64,
    /// Seconds since a new URL was found.
    pub seconds_without_news: u64,
    /// Documents written.
    pub documents: u64,
    /// Bytes of the texts of these documents.
    pub text_bytes: u64,
    /// Bytes of the extracted pages, as received (before decoding).
    pub read_bytes: u64,
    /// Pages without an article.
    pub without_article: u64,
    /// Duplicate articles, which were not written again.
    pub duplicates: u64,
    /// Domains that are still learning.
    pub learning: usize,
    /// Domains with a profile.
    pub learned: usize,
    /// Open file descriptors.
    pub descriptors: usize,
    /// The limit on open file descriptors.
    pub descriptors_limit: usize,
    /// Whether fewer requests are in flight than allowed, because file descriptors are short.
    pub short_of_descriptors: bool,
    /// When the network became unavailable, in seconds of the Unix epoch; 0 while it is available.
    pub network_away_since: i64,
}

/// A domain that is learning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Learner {
    /// The domain.
    pub domain: String,
    /// Number of article-like pages of the domain.
    pub pages: u64,
    /// The number of article-like pages that it needs to learn.
    pub of: u64,
    /// Number of other domains that are learning.
    pub others: usize,
}

impl Counters {
    /// Adds the counters of another process, or of another run in this process.
    pub fn add(&mut self, other: &Self) {
        self.bytes += other.bytes;
        self.pages += other.pages;
        self.fetched += other.fetched;
        self.other += other.other;
        self.documents += other.documents;
        self.text_bytes += other.text_bytes;
        self.read_bytes += other.read_bytes;
        self.without_article += other.without_article;
        self.duplicates += other.duplicates;
    }
}

impl Live {
    /// The counters now.
    pub fn counters(&self) -> Counters {
        *lock(&self.counters)
    }

    /// Changes the counters.
    pub fn count(&self, change: impl FnOnce(&mut Counters)) {
        change(&mut lock(&self.counters));
    }

    /// The learning domain with the most article-like pages.
    pub fn learner(&self) -> Option<Learner> {
        lock(&self.learner).clone()
    }

    pub(crate) fn set_learner(&self, furthest: Option<Learner>) {
        *lock(&self.learner) = furthest;
    }

    pub(crate) fn note(&self, finished: &Finished) {
        // URLs that robots.txt forbids were not requested.
        let is_forbidden = matches!(finished.outcome, Outcome::Disallowed { .. });
        let is_counted = !is_forbidden && !matches!(finished.lease.work, Work::Robots { .. });
        self.count(|counters| {
            counters.bytes += finished.exchange.as_ref().map_or(0, |exchange| exchange.bytes);
            match finished.outcome {
                _ if !is_counted => {}
                Outcome::Fetched(ref fetched) => {
                    counters.fetched += 1;
                    counters.pages += u64::from(fetched.page.is_some());
                }
                _ => counters.other += 1,
            }
        });
    }
}
