//! A crawl: stages, bounded channels between them, and how they end.
//!
//! [`crawl()`] runs a job: `scheduler` (leases and accounts), `fetching` (one request), `visit` (the meaning of an
//! answer), `archivist` (durable records), and [`extract`](crate::extract), which reads the archive after them. They
//! share a `stage_context`. At the end of a run, a [`page_list`](crate::job::page_list) is written.
//! [`frontier`](crate::frontier) decides which URL is next, and `goldminer-core` decides what is text.

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
    /// It should go on.
    No,
    /// It should finish the requests in flight, make everything durable, and end.
    Soon,
}

/// The end of a crawl.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ended {
    /// Nothing is left to request.
    Finished,
    /// Nothing is left but hosts that never answered; the next run tries them again.
    Unreached {
        /// The hosts.
        hosts: Vec<Host>,
        /// Their URLs in the queue.
        urls: u64,
    },
    /// A limit was reached; the next run continues.
    Limit(Limit),
    /// It was stopped; the next run continues.
    Interrupted,
}

/// The limit that stopped a crawl.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Limit {
    /// The number of pages.
    Pages,
    /// The time.
    Time,
    /// The patience: only hosts in trouble are left.
    Patience {
        /// The hosts.
        hosts: Vec<Host>,
        /// Their URLs in the queue.
        urls: u64,
    },
    /// The disk space.
    Disk {
        /// Bytes that are still free.
        free_bytes: u64,
    },
}

/// An error that stops a crawl: of the local disk or databases, or a bug. Responses of servers are never an error.
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
    #[error("cannot answer Prometheus on port {port}: {cause}; choose another --metrics port")]
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
