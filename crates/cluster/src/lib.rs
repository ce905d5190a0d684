//! A crawl on many machines. PostgreSQL says who has what, a shared folder or a bucket holds what came of it; there is no
//! server of ours.
//!
//! The unit is the **partition**: some whole registrable domains with their portals, and a partition *is* a job directory.
//! Everything that holds for a job holds inside of it, and nothing crosses it. A worker **leases** partitions
//! (`db::lease`), crawls them side by side in one process (`work::worker`, `work::partition_runner`), and every few minutes
//! brings each to rest, **publishes** what is new of its files and a checkpoint of its databases (`work::pieces`, `store`),
//! and **commits**: one statement that makes all of it visible, or nothing, if another has the partition by now. What
//! nobody committed nobody sees.
//!
//! ```text
//!  init ─► partitions ─claim─► restore ─► crawl ─► rest ─► publish ─► commit ─┬─► crawl …
//!              ▲                                                              └─► release, done
//!              └───────────── a dead worker's, after its lease and a grace ◄──────┘
//! ```
//!
//! What an operator wants (`ctl`) is written to the database, carried out at a rest (`commands`), and answered by the commit
//! that has it. `jobs` makes job directories of what is committed, to which everything is open that works on a job.
//!
//! What a partition learned is committed with its documents, and known to any that begins with the same domain
//! (`work::pieces`). The pause of an address and the ceiling of requests are shared by the workers that ask it
//! (`db::addresses`).
//!
//! Requests are fenced by time ([`LeaseDeadline`](goldminer_fetch::LeaseDeadline)): none leaves when the last good
//! heartbeat is too long ago.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::disallowed_methods))]

mod commands;
mod db;
mod error;
mod export;
mod figures;
mod init;
mod partitions;
mod status;
mod store;
mod work;

pub use commands::{Answer, ctl};
pub use db::database::Database;
pub use error::ClusterError;
pub use export::{Exported, Jobs, export, jobs};
pub use init::{Made, Retention, Timing, adopt, init};
pub use status::{ClusterStatus, PartitionLine, WorkerLine, status};
pub use work::pieces::learn_from;
pub use work::worker::{Worked, WorkerConfig, work};
