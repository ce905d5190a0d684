//! Writes an archive: appends, syncs, rotates, repairs after a crash, and withdraws records.

pub(crate) mod stored_file;
pub(crate) mod withdraw;
pub(crate) mod writer;
