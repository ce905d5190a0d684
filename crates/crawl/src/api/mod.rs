//! The local API of a job: queries and commands, for a running crawl and for a stopped job.

pub(crate) mod admin;
mod answers;
pub mod client;
pub mod guard;
pub mod loopback_server;
pub mod metrics;
pub mod query;
pub(crate) mod service;
pub mod status;

pub use metrics::MetricsAddress;
pub use query::{Command, CommandError, Query, Request};
pub use service::{DISALLOWED, JobService, WhyReport};
pub use status::{DomainLine, LiveReport, ProfileLine, StatusReport};
