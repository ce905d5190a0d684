//! Questions and orders: what a crawl tells others while it runs, and what the same job tells when it lies still.

pub mod admin;
pub mod client;
pub mod control;
pub mod loopback_server;
pub mod metrics;
pub mod metrics_port;
pub mod query;
pub mod snapshot;
pub mod status;

pub use admin::{Command, CommandError};
pub use metrics_port::{MetricsPort, MetricsServer};
pub use query::{JobService, Query, QueryError};
pub use snapshot::WhyReport;
pub use status::{DomainLine, LiveReport, ProfileLine, StatusReport};
