//! Mending what a dead process left: files that still bear the mark of an open file.
//!
//! A record that was being written when the process died is torn. Such a tail is cut off behind the last whole record, the
//! file gets its index and its final name. Damage before that place is left as it is and reported: cutting there would
//! destroy whole records.

use std::fs::{self, OpenOptions};
use std::path::Path;

use super::segment::finish;
use crate::error::{ArchiveError, Fault};
use crate::folder::{ArchiveFile, sync_dir};
use crate::index;
use crate::warc_reader::{RawEntry, WarcReader};

/// What was done to a file whose process died.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mended {
    /// The file's final name.
    pub file: String,
    /// Whole records kept, `warcinfo` and requests included. A file without any capture is removed.
    pub records: u64,
    /// Bytes kept.
    pub kept_bytes: u64,
    /// Bytes of a torn record cut off at the end.
    pub cut_bytes: u64,
    /// Damage between whole records, which was left.
    pub faults: Vec<Fault>,
}

/// Mends one open file.
pub(crate) fn mend(file: &ArchiveFile, dir: &Path) -> Result<Mended, ArchiveError> {
    let path = &file.path;
    let length = fs::metadata(path).map_err(ArchiveError::disk("read", path))?.len();
    let mut mended =
        Mended { file: file.name.clone(), records: 0, kept_bytes: 0, cut_bytes: length, faults: Vec::new() };
    let mut captures = 0_u64;
    let mut waiting = Vec::new();
    // Blocks are of no interest here.
    let mut entries = WarcReader::open(path)?.max_block_bytes(0);
    while let Some(entry) = entries.next_raw() {
        match entry? {
            RawEntry::Record(position, record) => {
                mended.records += 1;
                mended.kept_bytes = position.offset + position.length;
                mended.faults.append(&mut waiting);
                captures += u64::from(matches!(record.kind().as_str(), "response" | "revisit"));
            }
            // Damage that no whole record follows is the torn tail.
            RawEntry::Fault(fault) => waiting.push(fault),
        }
    }
    mended.cut_bytes = length - mended.kept_bytes;
    let index = index::open_path(path);
    if captures == 0 {
        fs::remove_file(path).map_err(ArchiveError::disk("remove", path))?;
        mended.kept_bytes = 0;
        mended.cut_bytes = length;
    } else {
        let handle = OpenOptions::new().write(true).open(path).map_err(ArchiveError::disk("open", path))?;
        handle.set_len(mended.kept_bytes).map_err(ArchiveError::disk("shorten", path))?;
        handle.sync_all().map_err(ArchiveError::disk("sync", path))?;
        index::rebuild(path)?;
        finish(path)?;
    }
    if index.exists() {
        fs::remove_file(&index).map_err(ArchiveError::disk("remove", &index))?;
    }
    sync_dir(dir)?;
    Ok(mended)
}
