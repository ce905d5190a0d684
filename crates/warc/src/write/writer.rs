//! Writes the archive: the WARC files in one directory, one file at a time.
//!
//! [`Writer::append`] adds a capture to the file, and [`Writer::sync`] writes all appended captures to disk (a group
//! commit: append many, sync once). Only then does a page count as fetched. A file is closed when it has 1 GB. If a
//! writer is not closed, because the process crashed or the writer was dropped, the next writer repairs the file. It
//! cuts off an incomplete record at the end, and gives the file its index and its final name. Damage between complete
//! records is left unchanged and reported, because cutting there would destroy the records after it.
//!
//! A record is compressed as one gzip member, and written in one call. The bytes of a failed write are cut off again,
//! so a file always ends with a complete record when no write is running.
//!
//! Records are compressed with libdeflater at level 1. On 1,779 pages of news sites (125 MB, one core), level 1
//! compresses 306 MB/s at 3.97:1, level 6 compresses 123 MB/s at 4.30:1, level 9 compresses 63 MB/s at 4.33:1. Level
//! 1 leaves the processor for extraction, at the cost of 8 % more disk space.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use goldminer_html::{ArchivePosition, Capture};
use jiff::Timestamp;

use crate::bytes::whole_member::Packer;
use crate::error::{ArchiveError, Fault};
use crate::folder::{ArchiveFile, OPEN_SUFFIX, final_name, list, sync_dir};
use crate::format::compose::{Composed, Original, WarcInfo, compose, compose_warcinfo};
use crate::format::digest::PayloadDigest;
use crate::index::IndexWriter;
use crate::warc_reader::{RawEntry, WarcReader};
use crate::{durable, index};

/// The length in bytes at which a file is closed: 1 GB, the usual size (WARC/1.1, annex C).
const ROTATE_AT_BYTES: u64 = 1_000_000_000;

/// Writes captures to the WARC files of a directory. A directory must have only one writer at a time.
pub struct Writer {
    dir: PathBuf,
    prefix: String,
    info: WarcInfo,
    rotate_at_bytes: u64,
    next_serial: u64,
    segment: Option<Segment>,
    repaired: Vec<Repaired>,
}

impl Writer {
    /// Opens an archive, and repairs files that crashed processes have left. The directory is created if it does not
    /// exist; the first file is created with the first capture. File names are `prefix-yyyymmdd-serial.warc.gz`.
    ///
    /// # Errors
    /// Fails if the directory cannot be created, read or written.
    pub fn open(dir: &Path, prefix: &str, info: WarcInfo) -> Result<Self, ArchiveError> {
        fs::create_dir_all(dir).map_err(ArchiveError::disk("create", dir))?;
        let files = list(dir)?;
        let repaired = files.iter().filter(|f| f.is_open).map(|f| repair(f, dir)).collect::<Result<_, _>>()?;
        Ok(Self {
            dir: dir.to_owned(),
            prefix: prefix.to_owned(),
            info,
            rotate_at_bytes: ROTATE_AT_BYTES,
            next_serial: files.iter().map(|file| file.serial + 1).max().unwrap_or(0),
            segment: None,
            repaired,
        })
    }

    /// Sets the length in bytes at which a file is closed and a new one is started.
    pub fn rotate_at_bytes(mut self, bytes: u64) -> Self {
        self.rotate_at_bytes = bytes;
        self
    }

    /// The files that [`Writer::open`] has repaired.
    pub fn repaired(&self) -> &[Repaired] {
        &self.repaired
    }

    /// Appends a capture, and returns the position of its response (or revisit) record. The record can be read
    /// immediately, but it is safe on disk only after the next [`Writer::sync`].
    ///
    /// If there is an `original`, a revisit without the body is stored if both have the same body, or if the response
    /// is a 304 without a body.
    ///
    /// # Errors
    /// Fails if the disk is full or fails. The bytes of the failed write are cut off again. When there is space, you
    /// can repeat the call. After [`ArchiveError::Closed`], you need a new writer.
    pub fn append(&mut self, capture: &Capture, original: Option<&Original>) -> Result<ArchivePosition, ArchiveError> {
        self.append_digested(capture, PayloadDigest::of(&capture.body), original)
    }

    /// Appends a capture like [`Writer::append`]. `payload` is the digest of its body.
    ///
    /// # Errors
    /// Fails as [`Writer::append`] does.
    pub fn append_digested(
        &mut self,
        capture: &Capture,
        payload: PayloadDigest,
        original: Option<&Original>,
    ) -> Result<ArchivePosition, ArchiveError> {
        let composed = compose(capture, payload, original);
        let mut segment = match self.segment.take() {
            Some(segment) if segment.bytes() < self.rotate_at_bytes => segment,
            full => {
                full.map_or(Ok(()), Segment::close)?;
                self.begin_segment(capture.fetched)?
            }
        };
        let appended = segment.append(capture, &composed);
        self.segment = Some(segment);
        appended
    }

    fn begin_segment(&mut self, now: Timestamp) -> Result<Segment, ArchiveError> {
        let name = format!("{}-{}-{:05}.warc.gz", self.prefix, now.strftime("%Y%m%d"), self.next_serial);
        // The number is not used again, even if this fails, because an incomplete file may have this name.
        self.next_serial += 1;
        Segment::create(&self.dir, name.clone(), &compose_warcinfo(&self.info, &name, now))
    }

    /// Writes all appended records to disk.
    ///
    /// # Errors
    /// Fails if the disk fails. Records that were appended since the last sync may then be lost, and the writer accepts
    /// no more.
    pub fn sync(&mut self) -> Result<(), ArchiveError> {
        self.segment.as_mut().map_or(Ok(()), Segment::sync)
    }

    /// Writes all records to disk, and gives the current file its final name and its sorted index.
    ///
    /// # Errors
    /// Fails if the disk fails. The next writer then repairs the file.
    pub fn close(mut self) -> Result<(), ArchiveError> {
        self.segment.take().map_or(Ok(()), Segment::close)
    }
}

/// What the repair of a file did, after the process that wrote it had crashed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repaired {
    /// The file's name, without the suffix `.open`.
    pub file: String,
    /// The number of complete records in the file, including `warcinfo` and requests.
    pub records: u64,
    /// The number of bytes that were kept; 0 if the file had no capture and was removed.
    pub kept_bytes: u64,
    /// The number of bytes that were cut off at the end, because they were an incomplete record; the whole length if
    /// the file was removed.
    pub cut_bytes: u64,
    /// Damaged parts between complete records, which were left unchanged.
    pub faults: Vec<Fault>,
}

/// Repairs one file that a crashed process has left.
fn repair(file: &ArchiveFile, dir: &Path) -> Result<Repaired, ArchiveError> {
    let path = &file.path;
    let length = fs::metadata(path).map_err(ArchiveError::disk("read", path))?.len();
    let mut repaired =
        Repaired { file: file.name.clone(), records: 0, kept_bytes: 0, cut_bytes: length, faults: Vec::new() };
    let mut captures = 0_u64;
    let mut waiting = Vec::new();
    // Only the headers are needed, not the blocks.
    let mut entries = WarcReader::open(path)?.max_block_bytes(0);
    while let Some(entry) = entries.next_raw() {
        match entry? {
            RawEntry::Record(position, record) => {
                repaired.records += 1;
                repaired.kept_bytes = position.offset + position.length;
                repaired.faults.append(&mut waiting);
                captures += u64::from(matches!(record.kind().as_str(), "response" | "revisit"));
            }
            // Damage after the last complete record is the incomplete end, which is cut off.
            RawEntry::Fault(fault) => waiting.push(fault),
        }
    }
    repaired.cut_bytes = length - repaired.kept_bytes;
    let index = index::open_path(path);
    if captures == 0 {
        fs::remove_file(path).map_err(ArchiveError::disk("remove", path))?;
        repaired.kept_bytes = 0;
        repaired.cut_bytes = length;
    } else {
        let handle = OpenOptions::new().write(true).open(path).map_err(ArchiveError::disk("open", path))?;
        handle.set_len(repaired.kept_bytes).map_err(ArchiveError::disk("shorten", path))?;
        handle.sync_all().map_err(ArchiveError::disk("sync", path))?;
        index::rebuild(path)?;
        finish(path)?;
    }
    if index.exists() {
        fs::remove_file(&index).map_err(ArchiveError::disk("remove", &index))?;
    }
    sync_dir(dir)?;
    Ok(repaired)
}

/// A WARC file that is being written, and its index.
pub(crate) struct Segment {
    /// The file's name without `.open`.
    name: String,
    path: PathBuf,
    file: File,
    index: IndexWriter,
    /// The length of the file: the offset of the next record.
    end: u64,
    /// Whether the state of the file on disk is unknown, after an error.
    failed: bool,
    packer: Packer,
}

impl Segment {
    /// Creates the file, and writes `warcinfo` as its first record.
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

    /// Appends the records of a capture. Returns the position of its response or revisit.
    pub(crate) fn append(&mut self, capture: &Capture, composed: &Composed) -> Result<ArchivePosition, ArchiveError> {
        self.refuse_after_failure()?;
        let mut members = self.packer.pack(&composed.response).to_vec();
        let position = ArchivePosition::new(self.name.clone(), self.end, members.len() as u64);
        if let Some(request) = &composed.request {
            members.extend_from_slice(self.packer.pack(request));
        }
        self.write(&members)?;
        // A missing line in the index would not be noticed. So the segment accepts no more records, and the next writer
        // makes the index again.
        let indexed = self.index.add(&index::line(capture, composed.is_revisit, composed.payload_digest, &position));
        self.failed = indexed.is_err();
        indexed.map(|()| position)
    }

    /// Writes all appended records to disk.
    pub(crate) fn sync(&mut self) -> Result<(), ArchiveError> {
        self.refuse_after_failure()?;
        // After a failed sync it is unknown which pages are on disk, and a second sync would not show it.
        self.failed = true;
        self.file.sync_data().map_err(ArchiveError::disk("sync", &self.path))?;
        self.failed = false;
        self.index.flush()
    }

    /// Completes the file and its index.
    pub(crate) fn close(mut self) -> Result<(), ArchiveError> {
        self.sync()?;
        self.index.close()?;
        finish(&self.path)
    }

    /// Writes gzip members, either all or none.
    fn write(&mut self, members: &[u8]) -> Result<(), ArchiveError> {
        let written = self.file.write_all(members);
        if written.is_ok() {
            self.end += members.len() as u64;
        } else {
            // Shortening a file needs no disk space. If it fails, the next writer repairs the incomplete end.
            self.failed = self.file.set_len(self.end).is_err();
        }
        written.map_err(ArchiveError::disk("write to", &self.path))
    }

    fn refuse_after_failure(&self) -> Result<(), ArchiveError> {
        if self.failed { Err(ArchiveError::Closed { path: self.path.clone() }) } else { Ok(()) }
    }
}

/// Gives a complete, synced file its final name.
pub(crate) fn finish(open: &Path) -> Result<(), ArchiveError> {
    durable::publish(open, &open.with_file_name(final_name(open))).map_err(ArchiveError::disk("rename", open))
}
