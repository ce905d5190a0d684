//! Crawls news portals politely: reads a seeds file, archives the pages, and extracts a corpus from the archive.
//! `goldminer-fetch` makes each request.
//!
//! | module | content |
//! |---|---|
//! | [`seeds`] | the seeds file |
//! | [`frontier`] | which URL is next, and when |
//! | [`run`] | the stages of a crawl, and how they end |
//! | [`extract`] | the extraction of documents from the archive, while the crawl runs |
//! | [`job`] | the job directory, which has all files of a crawl |
//! | [`health`] | portals without documents, and why |
//! | [`limits`] | limits on disk space, open files and processors |
//! | [`api`] | queries and commands to running and stopped crawls |
//! | [`store`] | the databases |

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::disallowed_methods))]

#[cfg(windows)]
compile_error!("GoldMiner runs on Linux and macOS: on Windows, build it inside WSL");

pub mod api;
pub mod config;
pub mod extract;
pub mod frontier;
pub mod health;
pub mod job;
pub mod limits;
pub mod profile_rules;
pub mod run;
pub mod seeds;
pub mod store;

pub use api::{
    Command, CommandError, DISALLOWED, DomainLine, LiveReport, MetricsAddress, ProfileLine, Query, StatusReport,
    WhyReport,
};
pub use config::{Config, ConfigError, Overrides};
pub use frontier::{Counts, Done, HostStatus, PortalStatus, UrlKind, WaitsFor, name_of};
pub use health::site::SiteReport;
pub use job::{JobDir, JobError, LastRun};
pub use limits::clock::Clock;
pub use run::crawl::{Job, Report};
pub use run::live::{Counters, Learner, Live};
pub use run::{CrawlError, Ended, Limit, Stop};
pub use seeds::{HumanDuration, Portal, ScopeKind, Seeds, of_host_name, seed_url, typed_url};
pub use store::{Store, StoreError};
