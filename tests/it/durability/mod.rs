//! Kills, full disks, damaged files: nothing is lost, and nothing is there twice.

pub(crate) mod continues;
pub(crate) mod descriptors;
pub(crate) mod disk;
pub(crate) mod interrupts;
pub(crate) mod kills;
pub(crate) mod losses;
pub(crate) mod read_only;
pub(crate) mod rebuild;
pub(crate) mod suspects;
pub(crate) mod withdraws;
