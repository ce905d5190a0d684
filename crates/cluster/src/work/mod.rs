//! A worker's steps for a partition: restore, crawl, publish.

mod committing;
pub(crate) mod partition_runner;
pub(crate) mod pieces;
mod tidying;
pub(crate) mod worker;
