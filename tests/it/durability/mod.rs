//! Kills, full disks, damaged files: nothing is lost, and nothing is there twice.

pub(crate) mod crashing_pages;
pub(crate) mod descriptors;
pub(crate) mod disk;
pub(crate) mod interrupts;
pub(crate) mod kills;
pub(crate) mod lost_files;
pub(crate) mod read_only;
pub(crate) mod rebuild;
pub(crate) mod resumption;
pub(crate) mod withdrawal;
