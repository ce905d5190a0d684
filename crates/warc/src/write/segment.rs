//! One WARC file while it is written: `NAME.warc.gz.open`, which becomes `NAME.warc.gz` when it closes.
//!
//! A record is compressed whole, as one gzip member, and written at once. What a failed write left is cut off again, so the
//! file ends with a whole record at any moment when nobody writes. `writer` decides when files begin and end, `mend` takes
//! care of files whose process died.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use goldminer_html::capture::{ArchivePosition, Capture};
use libdeflater::{CompressionLvl, Compressor};

use crate::error::ArchiveError;
use crate::folder::{OPEN_SUFFIX, final_name, sync_dir};
use crate::format::compose::Composed;
use crate::index::IndexWriter;
use crate::{durable, index};

/// libdeflater's. See the writer's documentation for the measurement.
const COMPRESSION_LEVEL: i32 = 1;

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
    members: Members,
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
        let mut segment = Self { name, path, file, index, end: 0, failed: false, members: Members::new() };
        segment.members.add(warcinfo);
        segment.write_members()?;
        sync_dir(dir)?;
        Ok(segment)
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.end
    }

    /// Appends the records of a capture. The position is that of its response or revisit.
    pub(crate) fn append(&mut self, capture: &Capture, composed: &Composed) -> Result<ArchivePosition, ArchiveError> {
        self.refuse_after_failure()?;
        let length = self.members.add(&composed.response);
        if let Some(request) = &composed.request {
            self.members.add(request);
        }
        let position = ArchivePosition::new(self.name.clone(), self.end, length);
        self.write_members()?;
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

    /// Writes the waiting members, all or none of them.
    fn write_members(&mut self) -> Result<(), ArchiveError> {
        let written = self.file.write_all(&self.members.bytes);
        if written.is_ok() {
            self.end += self.members.bytes.len() as u64;
        } else {
            // Shortening needs no room. If even that fails, the torn tail is mended at the next start.
            self.failed = self.file.set_len(self.end).is_err();
        }
        self.members.bytes.clear();
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

/// Gzip members waiting to be written together.
struct Members {
    compressor: Compressor,
    bytes: Vec<u8>,
    /// Room for the next member, as large as the largest so far needed: to clear it each time would take as long as to copy it.
    room: Vec<u8>,
}

impl Members {
    fn new() -> Self {
        let level = CompressionLvl::new(COMPRESSION_LEVEL).expect("the library has this level");
        Self { compressor: Compressor::new(level), bytes: Vec::new(), room: Vec::new() }
    }

    /// Compresses a record, and gives the length of its member.
    fn add(&mut self, record: &[u8]) -> u64 {
        let bound = self.compressor.gzip_compress_bound(record.len());
        if self.room.len() < bound {
            self.room = vec![0; bound];
        }
        let length = self
            .compressor
            .gzip_compress(record, &mut self.room)
            .expect("the buffer has the length that the library asked for");
        self.bytes.extend_from_slice(&self.room[..length]);
        length as u64
    }
}
