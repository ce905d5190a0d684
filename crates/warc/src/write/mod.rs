//! Writes an archive: appends, syncs, starts new files, repairs after a crash, and withdraws records.

pub(crate) mod stored_file;
pub(crate) mod withdraw;
pub(crate) mod writer;
