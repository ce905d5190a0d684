//! Writes an archive: appends records, syncs them to disk, starts new files, repairs files after a crash, and removes
//! records.

pub(crate) mod stored_file;
pub(crate) mod withdraw;
pub(crate) mod writer;
