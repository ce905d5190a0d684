//! One WARC file while it is written: `NAME.warc.gz.open`, which becomes `NAME.warc.gz` when it closes.
//!
//! A record is compressed whole, as one gzip member, and written at once. What a failed write left is cut off again, so the
//! file ends with a whole record at any moment when nobody writes. `writer` decides when files begin and end, and
//! takes care of files whose process died.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use goldminer_html::capture::{ArchivePosition, Capture};

use crate::bytes::whole_member::Packer;
use crate::error::ArchiveError;
use crate::folder::{OPEN_SUFFIX, final_name, sync_dir};
use crate::format::compose::Composed;
use crate::index::IndexWriter;
use crate::{durable, index};

/// A file being written.
pub(crate) struct Segment {
    /// The final name.
    name: String,
    path: PathBuf,
    file: File,
    index: IndexWriter,
    /// Where the next record begins.
    end: u64,
    /// The state of the file on disk is not known.
    failed: bool,
    packer: Packer,
}

impl Segment {
    /// Creates the file and writes its first record.
    pub(crate) fn create(dir: &Path, name: String, warcinfo: &[u8]) -> Result<Self, ArchiveError> {
        let path = dir.join(format!("{name}{OPEN_SUFFIX}"));
        let file = OpenOptions::new()
            .append(true)
            .create_new(true)
            .open(&path)
            .map_err(ArchiveError::disk("create", &path))?;
        let index = IndexWriter::create(&path)?;
        let mut segment = Self { name, path, file, index, end: 0, failed: false, packer: Packer::new() };
        let member = segment.packer.pack(warcinfo).to_vec();
        segment.write(&member)?;
        sync_dir(dir)?;
        Ok(segment)
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.end
    }

    /// Appends the records of a capture. The position is that of its response or revisit.
    pub(crate) fn append(&mut self, capture: &Capture, composed: &Composed) -> Result<ArchivePosition, ArchiveError> {
        self.refuse_after_failure()?;
        let mut members = self.packer.pack(&composed.response).to_vec();
        let position = ArchivePosition::new(self.name.clone(), self.end, members.len() as u64);
        if let Some(request) = &composed.request {
            members.extend_from_slice(self.packer.pack(request));
        }
        self.write(&members)?;
        // A gap in the index is found by nobody; an unfinished file gets a new one at the next start.
        let indexed = self.index.add(&index::line(capture, composed.is_revisit, composed.payload_digest, &position));
        self.failed = indexed.is_err();
        indexed.map(|()| position)
    }

    /// Makes everything appended durable.
    pub(crate) fn sync(&mut self) -> Result<(), ArchiveError> {
        self.refuse_after_failure()?;
        // After a failed sync nobody knows which pages reached the disk, and a second sync would not say.
        self.failed = true;
        self.file.sync_data().map_err(ArchiveError::disk("sync", &self.path))?;
        self.failed = false;
        self.index.flush()
    }

    /// Finishes file and index.
    pub(crate) fn close(mut self) -> Result<(), ArchiveError> {
        self.sync()?;
        self.index.close()?;
        finish(&self.path)
    }

    /// Writes members, all or none of them.
    fn write(&mut self, members: &[u8]) -> Result<(), ArchiveError> {
        let written = self.file.write_all(members);
        if written.is_ok() {
            self.end += members.len() as u64;
        } else {
            // Shortening needs no room. If even that fails, the torn tail is mended at the next start.
            self.failed = self.file.set_len(self.end).is_err();
        }
        written.map_err(ArchiveError::disk("write to", &self.path))
    }

    fn refuse_after_failure(&self) -> Result<(), ArchiveError> {
        if self.failed { Err(ArchiveError::Closed { path: self.path.clone() }) } else { Ok(()) }
    }
}

/// Gives a whole, synced file its final name.
pub(crate) fn finish(open: &Path) -> Result<(), ArchiveError> {
    durable::publish(open, &open.with_file_name(final_name(open))).map_err(ArchiveError::disk("rename", open))
}
