//! Runs a crawl: starts its stages, connects them by bounded channels, and ends them.
//!
//! [`crawl()`] runs a job. The stages are `scheduler` (hands out URLs and saves the results), `fetching` (makes one
//! request), `visit` (interprets its response), `archivist` (writes responses to the archive), and
//! [`extract`](crate::extract) (turns archived pages into documents). They share a `stage_context`. At the end of a
//! run, a [`page_list`](crate::job::page_list) is written. [`frontier`](crate::frontier) decides which URL is next, and
//! `goldminer-core` decides what is text.

pub(crate) mod accounting;
mod archivist;
pub mod body;
pub mod crawl;
mod ending;
mod fetching;
pub(crate) mod host_rules;
pub mod live;
pub(crate) mod network;
mod scheduler;
pub(crate) mod stage_context;
#[cfg(test)]
mod trap_tests;
pub(crate) mod visit;

use std::convert::Infallible;

use goldminer_corpus::CorpusError;
use goldminer_html::Host;
use goldminer_warc::ArchiveError;
use goldminer_warc::objects::ObjectError;

use goldminer_fetch::FetchError;

use crate::store::profile_book::BookError;
use crate::{ConfigError, JobError, StoreError};

pub use crawl::{Job, Report, crawl};
pub use live::{Counters, Learner, Live};

/// Whether a crawl should stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// The crawl goes on.
    No,
    /// The crawl finishes the requests in flight, saves everything, and ends.
    Soon,
}

/// How a crawl ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ended {
    /// Nothing is left to request.
    Finished,
    /// Only hosts that never answered are left; the next run tries them again.
    Unreached {
        /// The hosts.
        hosts: Vec<Host>,
        /// Number of their queued URLs.
        urls: u64,
    },
    /// A limit was reached; the next run continues.
    Limit(Limit),
    /// The crawl was stopped; the next run continues.
    Interrupted,
}

/// The limit that stopped a crawl.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Limit {
    /// `max_pages` was reached.
    Pages,
    /// `max_time` has passed.
    Time,
    /// Only failing hosts are left, and their next attempts are too far away.
    Patience {
        /// The failing hosts.
        hosts: Vec<Host>,
        /// Number of their queued URLs.
        urls: u64,
        /// Whether all of them refuse requests.
        refuse: bool,
    },
    /// Only URLs of portals that have reached their own `max_pages` or `max_bytes` are left.
    Portals {
        /// Number of their queued URLs.
        urls: u64,
    },
    /// The disk has too little free space.
    Disk {
        /// Number of free bytes.
        free_bytes: u64,
    },
}

/// An error that stops a crawl: the local disk or a database failed, a setting cannot be used, or there is a bug. A
/// server's response never stops a crawl.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)]
pub enum CrawlError {
    #[error(transparent)]
    Job(#[from] JobError),
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Book(#[from] BookError),
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    #[error(transparent)]
    Corpus(#[from] CorpusError),
    #[error(transparent)]
    Fetch(#[from] FetchError),
    #[error(transparent)]
    Object(#[from] ObjectError),
    #[error(transparent)]
    Reader(Box<dyn std::error::Error + Send + Sync>),
    #[error("cannot serve Prometheus metrics on port {port}: {cause}; choose another --metrics port")]
    Metrics { port: u16, cause: std::io::Error },
    #[error(
        "this process may have only {limit} file descriptors open, and {what} needs {least}: raise the limit and run it \
         again (ulimit -n 65536)"
    )]
    Descriptors { limit: usize, what: String, least: usize },
    #[error("the {0} stage has ended by itself; this is a bug, please report it with the job's log")]
    StageEnded(&'static str),
    #[error("a bug: {0}; please report it with the job's log")]
    Defect(String),
}

impl From<Infallible> for CrawlError {
    fn from(never: Infallible) -> Self {
        match never {}
    }
}
