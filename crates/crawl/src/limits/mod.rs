//! Limits on the resources of the machine (processors, file descriptors, disk), and the clock, for the crawls of one
//! process.

pub(crate) mod address_shares;
pub mod clock;
pub mod descriptors;
pub(crate) mod disk;
pub(crate) mod fault;
pub mod shared_resources;

pub use clock::Clock;
pub use shared_resources::{CpuPermits, Handover, SharedResources, shared_fetcher};
