//! Errors of the local disk, and descriptions of damage inside files.
//!
//! An [`ArchiveError`] stops the program, so its message says what to do. A [`Fault`] is data: the reader continues
//! after the damage, and the caller counts it.

use std::path::{Path, PathBuf};
use std::{fmt, io};

use crate::durable::advice;

/// An error of the local disk or directory.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    /// An operation on a file failed.
    #[error("cannot {doing} {}: {cause}. {}", .path.display(), advice(.cause))]
    Disk {
        /// The operation that failed, as in `write to`.
        doing: &'static str,
        /// The file or directory.
        path: PathBuf,
        /// The system's reason.
        cause: io::Error,
    },
    /// The writer accepts no more records, because the state of the file is unknown after a failed write.
    #[error(
        "cannot add records to {}, because an earlier write to it failed. Run the same command again: \
         it repairs the file and keeps all records that were reported as stored",
        .path.display()
    )]
    Closed {
        /// The archive file.
        path: PathBuf,
    },
    /// There is no complete record at the requested position.
    #[error(
        "no record at byte {offset} of {}: {reason}. If the file was changed or lost, restore it from a copy, \
         or run `goldminer rebuild` on the job directory",
        .path.display()
    )]
    NoRecord {
        /// The archive file.
        path: PathBuf,
        /// The offset in bytes at which the record should begin.
        offset: u64,
        /// What the file has at this offset instead.
        reason: String,
    },
    /// A revisit record has no body, and the earlier record with its body is not in this archive.
    #[error(
        "the record at byte {offset} of {} repeats {original}, which is not in this archive. Put the WARC file \
         that contains it into the same directory",
        .path.display()
    )]
    NoOriginal {
        /// The file with the revisit record.
        path: PathBuf,
        /// The offset in bytes at which the revisit record begins.
        offset: u64,
        /// The URL and time of the earlier record.
        original: String,
    },
}

impl ArchiveError {
    /// Converts an I/O error, as in `.map_err(ArchiveError::disk("write to", path))`.
    pub(super) fn disk(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |cause| Self::Disk { doing, path: path.to_owned(), cause }
    }
}

/// A part of a file that was skipped because it is damaged or not WARC.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The file's name, without the suffix `.open` of a file that is being written.
    pub file: String,
    /// The offset at which the damage begins, as in [`ArchivePosition`](goldminer_html::capture::ArchivePosition).
    pub offset: u64,
    /// Whether the file is a table. Then `offset` is the number of rows before the damage.
    pub is_row: bool,
    /// A description of the damage.
    pub what: String,
}

/// The most characters of a description. It may quote the damaged part.
const MAX_CHARS: usize = 300;

impl Fault {
    /// Creates a fault that is not in a table. A long description is shortened.
    pub fn new(file: String, offset: u64, mut what: String) -> Self {
        if let Some((end, _)) = what.char_indices().nth(MAX_CHARS) {
            what.truncate(end);
            what.push('…');
            what.shrink_to_fit();
        }
        Self { file, offset, is_row: false, what }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, offset, is_row, what } = self;
        if *is_row {
            write!(f, "{file}, row {}: {what}", offset + 1)
        } else {
            write!(f, "{file} at byte {offset}: {what}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_description_that_quotes_a_page_is_cut() {
        let message = Fault::new("pages.parquet".to_owned(), 7, "é".repeat(1_000_000)).to_string();
        assert_eq!(message, format!("pages.parquet at byte 7: {}…", "é".repeat(MAX_CHARS)));
        let short = "é".repeat(MAX_CHARS);
        assert_eq!(Fault::new(String::new(), 0, short.clone()).what, short);
    }
}
