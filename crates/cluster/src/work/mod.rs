//! What a worker does with a partition: restore, crawl, publish, commit.

mod committing;
pub(crate) mod partition_runner;
pub(crate) mod pieces;
mod tidying;
pub(crate) mod worker;
