//! A crawl on many machines. PostgreSQL records which worker has which partition; a shared folder or a bucket
//! contains the results. There is no other server.
//!
//! The unit of work is the **partition**: some registrable domains with their portals. Each partition is a job, with a
//! job directory, and partitions do not interact. A worker **leases** partitions (`db::lease`) and crawls them in
//! parallel in one process (`work::worker`, `work::partition_runner`). Every few minutes it pauses each partition,
//! **publishes** new parts of its files and a checkpoint of its databases (`work::pieces`, `store`), and **commits**.
//! The commit is one statement: it makes all of this visible, or nothing if another worker has taken the partition.
//! Uncommitted data is invisible.
//!
//! ```text
//!  init ─► partitions ─claim─► restore ─► crawl ─► rest ─► publish ─► commit ─┬─► crawl …
//!              ▲                                                              └─► release, done
//!              └───────────── a dead worker's, after its lease and a grace ◄──────┘
//! ```
//!
//! Commands of an operator (`ctl`) are written to the database, executed while the job is stopped (`commands`), and
//! confirmed by the commit that contains their effects. `jobs` writes the committed data as job directories, for all
//! commands of the program that need a job directory.
//!
//! Learned profiles are committed with the documents. A new partition starts with the known profiles of its domains
//! (`work::pieces`). Workers divide the requests to an IP address, and the total limit of requests, between them
//! (`db::addresses`).
//!
//! Requests have a deadline ([`LeaseDeadline`](goldminer_fetch::LeaseDeadline)): a worker sends no requests if its last
//! successful heartbeat is too old.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::disallowed_methods))]

mod commands;
mod db;
mod error;
mod export;
mod init;
mod metrics;
mod partitions;
mod status;
mod store;
mod work;

pub use commands::{Answer, ctl};
pub use db::database::Database;
pub use error::ClusterError;
pub use export::{ExportCounts, JobExportCounts, export, jobs};
pub use init::{InitCounts, Retention, Timing, adopt, init};
pub use status::{ClusterStatus, PartitionLine, WorkerLine, status};
pub use work::pieces::learn_from;
pub use work::worker::{WorkerConfig, WorkerEnd, work};
