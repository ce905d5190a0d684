//! Contains what a worker does with a partition: restore it, crawl it, publish its files, and commit them.

mod committing;
pub(crate) mod partition_runner;
pub(crate) mod pieces;
mod tidying;
pub(crate) mod worker;
