//! Archives: reading, repairing, learning, sampling.

pub(crate) mod changed_sources;
mod crash;
pub(crate) mod foreign;
pub(crate) mod learning;
pub(crate) mod roundtrip;
pub(crate) mod samples;
pub(crate) mod stream;
pub(crate) mod tables;
