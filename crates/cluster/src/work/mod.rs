//! A worker's steps for a partition: restore, crawl, publish.

pub(crate) mod partition_runner;
pub(crate) mod pieces;
pub(crate) mod worker;
