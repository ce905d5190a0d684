//! Reads all records of a WARC file in order, whichever program wrote it.
//!
//! [`WarcReader`] reads plain and compressed files. Each gzip member or zstd frame may contain one record, several, or
//! all. Damage is returned as a [`Fault`] with a description, and reading continues at the next record. Only errors of
//! the local disk are errors. Memory is limited: only the beginning of each block (a record's content) is kept.

use std::path::Path;

use goldminer_html::capture::{ArchivePosition, Headers};

use crate::bytes::source::{ReadError, Source};
use crate::error::{ArchiveError, Fault};
use crate::folder;
use crate::format::http::parse_fields;
use crate::format::record::{RawRecord, Record, interpret};
use crate::format::record_bytes::{
    BEGIN_BYTES, HEADER_BEGIN_BYTES, RecordBytes, begins_header, begins_record, check_end, may_begin_record,
};

/// An entry of a file: a record or a damaged part.
#[derive(Debug)]
pub enum Entry {
    /// A complete record.
    Record {
        /// The position of the record. If its gzip member or zstd frame also contains other records, offset and length
        /// are in decompressed bytes.
        position: ArchivePosition,
        /// The parsed record.
        record: Record,
    },
    /// A part of the file that was skipped, because it is not a complete record.
    Fault(Fault),
}

/// Iterates over the entries of one WARC file.
pub struct WarcReader {
    bytes: RecordBytes,
    file: String,
    max_block_bytes: usize,
    /// The number of bytes of a plain file that may still be read again after records with wrong lengths. Without this
    /// limit, many such records could make reading very slow.
    rereadable: u64,
    /// Whether the position of the last record is in decompressed bytes.
    decoded_position: bool,
    /// Whether the disk has failed. Then nothing more is read.
    failed: bool,
}

/// The most bytes of a block that are kept, well above what the crawler fetches. The rest is skipped.
const MAX_BLOCK_BYTES: usize = 16 << 20;
/// The most bytes of a record's WARC header. The longest real ones contain a page's links as JSON.
const MAX_HEADER_BYTES: usize = 1 << 20;
/// The number of bytes after a block that are checked to see whether the record ends there. Some writers leave more
/// than two blank lines.
const END_BYTES: usize = 64;

impl Iterator for WarcReader {
    type Item = Result<Entry, ArchiveError>;

    fn next(&mut self) -> Option<Self::Item> {
        Some(self.next_raw()?.map(RawEntry::parsed))
    }
}

/// An [`Entry`] whose record is not parsed yet.
pub(super) enum RawEntry {
    Record(ArchivePosition, RawRecord),
    Fault(Fault),
}

impl RawEntry {
    /// Parses the record. Returns a fault if a record with a web URL lacks a required field or part.
    pub(super) fn parsed(self) -> Entry {
        match self {
            Self::Record(position, raw) => match interpret(raw) {
                Ok(record) => Entry::Record { position, record },
                Err(what) => Entry::Fault(Fault::new(position.file, position.offset, what)),
            },
            Self::Fault(fault) => Entry::Fault(fault),
        }
    }
}

impl WarcReader {
    /// Opens a WARC file and reads from its beginning.
    ///
    /// # Errors
    /// Fails if the file cannot be opened.
    pub fn open(path: &Path) -> Result<Self, ArchiveError> {
        Self::open_at(path, 0)
    }

    /// Opens a WARC file and reads from an offset. A record must begin there, or in a compressed file a gzip member or
    /// zstd frame.
    ///
    /// # Errors
    /// Fails if the file cannot be opened.
    pub fn open_at(path: &Path, offset: u64) -> Result<Self, ArchiveError> {
        let source = Source::open(path, offset)?;
        Ok(Self {
            rereadable: source.most_left().unwrap_or(0),
            bytes: RecordBytes::new(source),
            file: folder::final_name(path),
            max_block_bytes: MAX_BLOCK_BYTES,
            decoded_position: false,
            failed: false,
        })
    }

    /// Sets the most bytes of each block that are kept. A longer body is returned as truncated.
    pub fn max_block_bytes(mut self, bytes: usize) -> Self {
        self.max_block_bytes = bytes;
        self
    }

    /// Whether the last record's position is in decompressed bytes instead of bytes of the file.
    pub(super) fn counts_decoded_bytes(&self) -> bool {
        self.decoded_position
    }

    /// The next entry, with its record not parsed. None at the end of the file.
    pub(super) fn next_raw(&mut self) -> Option<Result<RawEntry, ArchiveError>> {
        let entry = self.try_next().transpose()?;
        self.failed = entry.is_err();
        Some(entry)
    }

    fn try_next(&mut self) -> Result<Option<RawEntry>, ArchiveError> {
        let mut begin = self.offset();
        let record = match self.find_record(&mut begin) {
            Ok(false) => return Ok(None),
            Ok(true) => self.read_record(),
            Err(trouble) => Err(trouble),
        };
        Ok(Some(match record {
            Ok((position, raw)) => RawEntry::Record(position, raw),
            Err(ReadError::Disk(error)) => return Err(error),
            Err(ReadError::Damaged(what)) => {
                self.skip_to_record()?;
                RawEntry::Fault(Fault::new(self.file.clone(), begin, what))
            }
        }))
    }

    /// The offset that a [`Fault`] (damage in the file) at the current place reports: the start of the gzip member or
    /// zstd frame, or in a plain file the next byte.
    fn offset(&self) -> u64 {
        if self.bytes.source.is_compressed() { self.bytes.member_start() } else { self.bytes.decoded() }
    }

    /// Skips blank lines and the ends of gzip members or zstd frames, up to a byte that should begin a record, and sets
    /// `begin` to its offset. Returns false at the end of the file.
    fn find_record(&mut self, begin: &mut u64) -> Result<bool, ReadError> {
        if self.failed {
            return Ok(false);
        }
        loop {
            // If the member is damaged from its first byte on, this is the offset for the fault.
            *begin = self.offset();
            self.skip_blank()?;
            *begin = self.offset();
            if !self.bytes.fill()?.is_empty() {
                return Ok(true);
            }
            if !self.bytes.next_member()? {
                return Ok(false);
            }
        }
    }

    /// Reads the record that begins at the next byte, and checks that it is complete.
    fn read_record(&mut self) -> Result<(ArchivePosition, RawRecord), ReadError> {
        let decoded_from = self.bytes.decoded();
        let member = self.bytes.is_at_member_start().then_some(self.bytes.member_start());
        let fields = self.read_header()?;
        let length = fields
            .get("content-length")
            .and_then(|length| length.parse().ok())
            .ok_or_else(|| ReadError::Damaged("a record without a readable Content-Length".to_owned()))?;
        let block = self.read_block(length, member.is_some())?;
        let decoded_bytes = self.bytes.decoded() - decoded_from;
        let owned = member.map(|member| self.ends_member(member)).transpose()?.flatten();
        self.decoded_position = self.bytes.source.is_compressed() && owned.is_none();
        let (offset, bytes) = owned.unwrap_or((decoded_from, decoded_bytes));
        let position = ArchivePosition::new(self.file.clone(), offset, bytes);
        Ok((position, RawRecord { fields, block, block_bytes: length }))
    }

    /// Returns the offset and length of the gzip member or zstd frame that begins at `member`, if it contains only the
    /// record that was just read. The checksum of the member has then been verified, too. None if it contains other
    /// records as well.
    fn ends_member(&mut self, member: u64) -> Result<Option<(u64, u64)>, ReadError> {
        self.skip_blank()?;
        let follows = self.bytes.fill_to(BEGIN_BYTES)?;
        if !follows.is_empty() && !may_begin_record(follows) {
            // A damaged member may decompress to garbage. Without the checksum at its end, nothing in it is certain.
            return Err(ReadError::Damaged("a record that ends before its compressed member does".to_owned()));
        }
        let owned = follows.is_empty() && self.bytes.member_start() == member;
        Ok(owned.then(|| (member, self.bytes.source.file_offset() - member)))
    }

    fn read_header(&mut self) -> Result<Headers, ReadError> {
        if !may_begin_record(self.bytes.fill_to(BEGIN_BYTES)?) {
            return Err(ReadError::Damaged("bytes that belong to no record".to_owned()));
        }
        let mut header = Vec::with_capacity(1024);
        while !header.ends_with(b"\n\r\n") && !header.ends_with(b"\n\n") {
            // A header that lacks its end must not consume the next record.
            if header.ends_with(b"\n") && begins_record(self.bytes.fill_to(BEGIN_BYTES)?) {
                return Err(ReadError::Damaged("a record header that ends where another record begins".to_owned()));
            }
            let bytes = self.bytes.fill_within_record()?;
            if bytes.is_empty() {
                return Err(ReadError::Damaged("a record that is cut off in its header".to_owned()));
            }
            let line = memchr::memchr(b'\n', bytes).map_or(bytes.len(), |end| end + 1);
            header.extend_from_slice(&bytes[..line]);
            self.bytes.consume(line);
            if header.len() > MAX_HEADER_BYTES {
                return Err(ReadError::Damaged(format!("a record header of more than {MAX_HEADER_BYTES} bytes")));
            }
        }
        let version_line = memchr::memchr(b'\n', &header).map_or(0, |end| end + 1);
        Ok(parse_fields(&mut &header[version_line..]))
    }

    /// Reads a block (a record's content), and checks that the record ends after it. If it does not, the length is
    /// wrong and the block may contain the next records. So the bytes of the block are given back, to be read again.
    fn read_block(&mut self, length: u64, owns_member: bool) -> Result<Vec<u8>, ReadError> {
        if let Some(most) = self.bytes.most_left().filter(|most| *most < length) {
            return Err(cut_off(length, most));
        }
        let kept = usize::try_from(length).unwrap_or(usize::MAX).min(self.max_block_bytes);
        let is_plain = !self.bytes.source.is_compressed();
        if self.bytes.is_second_time() {
            let ahead = self.bytes.look_ahead(kept + END_BYTES)?;
            if ahead.len() < kept {
                return Err(cut_off(length, ahead.len() as u64));
            }
            if kept as u64 == length {
                let (block, behind) = ahead.split_at(kept);
                check_end(block, behind, length, is_plain).map_err(ReadError::Damaged)?;
                let block = block.to_vec();
                self.bytes.consume(kept);
                return Ok(block);
            }
        }
        let (from, member) = (self.bytes.decoded(), self.bytes.member_start());
        let mut block = Vec::with_capacity(kept.min(1 << 20));
        let left = self.stream_block(length, kept, &mut block)?;
        let checked = if left > 0 {
            Err(cut_off(length, length - left))
        } else {
            let behind = self.behind_block(owns_member)?;
            check_end(&block, behind, length, is_plain).map_err(ReadError::Damaged)
        };
        if let Err(trouble) = checked {
            let mut is_torn = left > 0 || (block.len() as u64) < length;
            if is_plain && left == 0 && is_torn && length <= self.rereadable {
                self.rereadable -= length;
                self.bytes.source.seek_plain(from + block.len() as u64);
                is_torn = false;
            }
            self.bytes.give_back(block, from, member, is_torn);
            return Err(trouble);
        }
        Ok(block)
    }

    /// Reads a block of `length` bytes, and adds its first `kept` bytes to `block`. Returns how many bytes are missing.
    fn stream_block(&mut self, length: u64, kept: usize, block: &mut Vec<u8>) -> Result<u64, ReadError> {
        let mut left = length;
        while left > 0 {
            let bytes = self.bytes.fill_within_record()?;
            if bytes.is_empty() {
                break;
            }
            let count = bytes.len().min(usize::try_from(left).unwrap_or(usize::MAX));
            block.extend_from_slice(&bytes[..count.min(kept - block.len())]);
            self.bytes.consume(count);
            left -= count as u64;
        }
        Ok(left)
    }

    /// Up to [`END_BYTES`] bytes after a block, at most up to the end of the member.
    fn behind_block(&mut self, owns_member: bool) -> Result<&[u8], ReadError> {
        let is_torn = match self.bytes.fill_to(END_BYTES) {
            Ok(_) => false,
            // Damage after one of several records in a member does not affect that record.
            Err(ReadError::Damaged(_)) if !owns_member => true,
            Err(trouble) => return Err(trouble),
        };
        match self.bytes.fill() {
            Err(ReadError::Damaged(_)) if is_torn => Ok(&[]),
            filled => filled.map(|behind| &behind[..behind.len().min(END_BYTES)]),
        }
    }

    fn skip_blank(&mut self) -> Result<(), ReadError> {
        loop {
            let blank = self.bytes.fill()?.iter().take_while(|b| matches!(b, b'\r' | b'\n')).count();
            if blank == 0 {
                return Ok(());
            }
            self.bytes.consume(blank);
        }
    }

    /// Moves to the next record after damage, through damaged gzip members if necessary. A record usually begins a
    /// line. Zero bytes count as line ends, because they fill parts of a file that were never written. After a record
    /// that is cut off, the next one may also begin within a line.
    fn skip_to_record(&mut self) -> Result<(), ArchiveError> {
        let mut is_line = true;
        loop {
            let passed = match self.bytes.fill_to(HEADER_BEGIN_BYTES) {
                Ok(bytes) if begins_record(bytes) && (is_line || begins_header(bytes)) => return Ok(()),
                Ok(bytes) => {
                    let from = usize::from(bytes.starts_with(b"W"));
                    let found = memchr::memchr3(b'\n', b'\0', b'W', &bytes[from..]).map(|at| from + at);
                    Some(match found {
                        Some(at) if bytes[at] == b'W' => (at, false),
                        Some(end) => (end + 1, true),
                        None => (bytes.len(), false),
                    })
                }
                Err(ReadError::Damaged(_)) => None,
                Err(ReadError::Disk(error)) => return Err(error),
            };
            let has_more = match passed {
                Some((0, _)) => self.bytes.next_member()?,
                Some((count, _)) => {
                    self.bytes.consume(count);
                    true
                }
                None => self.bytes.source.skip_to_member()?,
            };
            is_line = !matches!(passed, Some((1.., false)));
            if !has_more {
                return Ok(());
            }
        }
    }
}

fn cut_off(length: u64, there: u64) -> ReadError {
    ReadError::Damaged(format!("a record of {length} bytes is cut off after {there}"))
}
