//! The picture of the crate's front page, as code: stages, bounded channels between them, and how they end.
//!
//! [`crawl`] runs a job: `scheduler` (leases and accounts), `fetching` (one request), `archivist` (durable records),
//! `extraction` (the archive's reader). At its end it leaves a `page_list`. `api` lets others look on and command it while
//! it runs; `offline` extracts stored pages from `sources` without any of them. Decisions live elsewhere: which URL is next
//! in `frontier`, what is text in the pure modules. Only commands call this module.

mod accounting;
mod address_shares;
mod admin;
mod api;
mod archivist;
mod at_rest;
mod body;
mod card;
pub mod checkpoint;
mod clock;
mod cpu_permits;
mod descriptors;
mod discovery_watchdog;
mod disk;
mod ending;
mod examples;
pub mod extraction;
mod failures;
mod fault;
mod fetching;
mod gave;
pub(crate) mod guard;
mod host_rules;
pub mod job;
pub mod job_client;
mod job_lock;
mod last_run;
mod learned;
mod live;
pub(crate) mod loopback_server;
mod marks;
pub mod metrics;
mod network;
mod no_documents;
mod obstacle;
pub mod offline;
mod page_list;
mod portal_outcomes;
mod portal_watch;
mod portals;
mod probe;
mod query;
mod rebuild;
mod renewal;
mod replacement;
mod request;
mod run;
mod scheduler;
mod settings;
mod shared_resources;
mod site;
mod snapshot;
pub mod sources;
mod status;
mod traces;
#[cfg(test)]
mod trap_tests;
mod url_list;
mod visit;
mod withdrawal;

pub use admin::{Command, CommandError};
pub use api::{JobService, MetricsAddress};
pub use at_rest::AtRest;
pub use clock::Clock;
pub use cpu_permits::CpuPermits;
pub use examples::{Example, Kind};
pub use gave::Gave;
pub use last_run::LastRun;
pub use learned::begin_with;
pub use live::{Counters, Learner, Live};
pub use marks::{Stage, Suspect};
pub use no_documents::NoDocuments;
pub use obstacle::{Obstacle, Obstructed};
pub use portal_outcomes::PortalOutcome;
pub use probe::{Probe, ProbeAnswer, Probed, RobotsSeen, page_of};
pub use renewal::{Losses, Rebuilt, rebuild};
pub use request::{Query, Request};
pub use run::{Job, Report, crawl};
pub use settings::has_room;
pub use shared_resources::{Handover, SharedResources, shared_fetcher};
pub use site::{PrefixYield, SiteReport};
pub use snapshot::WhyReport;
pub use status::{DomainLine, LiveReport, ProfileLine, StatusReport};
pub use url_list::{Portion, UrlLine, Which};
pub use withdrawal::{Withdrawal, withdraw};

use std::convert::Infallible;

use crate::address::Host;

/// Whether a crawl should stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// It should go on.
    No,
    /// It should finish what is in flight, make everything durable, and end.
    Soon,
}

/// How a crawl ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ended {
    /// Nothing is left to ask for.
    Finished,
    /// Nothing is left but hosts that never answered; the next run tries them again.
    Unreached {
        /// The hosts.
        hosts: Vec<Host>,
        /// Their URLs in the queue.
        urls: u64,
    },
    /// A limit was reached; the next run goes on.
    Limit(Limit),
    /// Somebody said stop; the next run goes on.
    Interrupted,
}

/// Which limit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Limit {
    /// Of pages.
    Pages,
    /// Of time.
    Time,
    /// Of patience: nothing is left but hosts in trouble.
    Patience {
        /// The hosts.
        hosts: Vec<Host>,
        /// Their URLs in the queue.
        urls: u64,
    },
    /// Of disk space.
    Disk {
        /// Bytes that are still free.
        free_bytes: u64,
    },
}

/// What ends a crawl at once: our own disk, databases, or a defect. What the web does is never an error.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)]
pub enum EngineError {
    #[error(transparent)]
    Job(#[from] job::JobError),
    #[error(transparent)]
    Config(#[from] crate::config::ConfigError),
    #[error(transparent)]
    Store(#[from] crate::store::StoreError),
    #[error(transparent)]
    Book(#[from] crate::store::profile_book::BookError),
    #[error(transparent)]
    Archive(#[from] crate::archive::ArchiveError),
    #[error(transparent)]
    Corpus(#[from] crate::corpus::CorpusError),
    #[error(transparent)]
    Fetch(#[from] crate::fetch::FetchError),
    #[error(transparent)]
    Source(#[from] sources::SourceError),
    #[error(transparent)]
    Object(#[from] crate::objects::ObjectError),
    #[error(transparent)]
    Manifest(#[from] offline::ManifestError),
    #[error("cannot answer Prometheus on port {port}: {cause}; choose another --metrics port")]
    Metrics { port: u16, cause: std::io::Error },
    #[error(
        "this process may have only {limit} file descriptors open, and {what} needs {least}: raise the limit and run it \
         again (ulimit -n 65536)"
    )]
    Descriptors { limit: usize, what: String, least: usize },
    #[error("the {0} stage has ended by itself; this is a defect, please report it with the job's log")]
    StageEnded(&'static str),
    #[error("a defect: {0}; please report it with the job's log")]
    Defect(String),
}

impl From<Infallible> for EngineError {
    fn from(never: Infallible) -> Self {
        match never {}
    }
}
