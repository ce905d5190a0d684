//! What a worker does with a partition: restore, crawl, publish.

pub(crate) mod partition_runner;
pub(crate) mod pieces;
pub(crate) mod worker;
