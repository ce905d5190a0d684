//! Every record of a WARC file, whoever made it, in order.
//!
//! [`WarcReader`] reads plain files, one gzip member or zstd frame a record, one for all, and anything between. Damage is a described
//! [`Fault`], behind which reading goes on at the next record; only our own disk is an error. Memory is bounded: of a
//! record's block no more than a limit is kept.

use std::path::Path;

use super::error::{ArchiveError, Fault};
use super::folder;
use super::http::parse_fields;
use super::record::{RawRecord, Record, interpret};
use super::source::{Source, Trouble};
use crate::capture::{ArchivePosition, Headers};

/// What stands in a file.
#[derive(Debug)]
pub enum Entry {
    /// A whole record.
    Record {
        /// Where it stands. In a file whose members are not one a record, offset and length count decoded bytes.
        position: ArchivePosition,
        /// What it says.
        record: Record,
    },
    /// Something that is no whole record, passed over.
    Fault(Fault),
}

/// The entries of one file.
pub struct WarcReader {
    source: Source,
    file: String,
    max_block_bytes: usize,
    /// The last record shares its member with others.
    decoded_position: bool,
    /// The disk failed: what follows is not known.
    failed: bool,
}

/// How every record begins; the version follows.
const RECORD_MAGIC: &[u8] = b"WARC/";

/// Of longer blocks the rest is passed over: well above what the crawler itself fetches.
const MAX_BLOCK_BYTES: usize = 16 << 20;
/// A record's own header; the longest honest ones carry a page's links as JSON.
const MAX_HEADER_BYTES: usize = 1 << 20;

impl Iterator for WarcReader {
    type Item = Result<Entry, ArchiveError>;

    fn next(&mut self) -> Option<Self::Item> {
        Some(match self.next_raw()? {
            Ok(RawEntry::Record(position, raw)) => Ok(match interpret(raw) {
                Ok(record) => Entry::Record { position, record },
                Err(what) => Entry::Fault(Fault { file: position.file, offset: position.offset, what }),
            }),
            Ok(RawEntry::Fault(fault)) => Ok(Entry::Fault(fault)),
            Err(error) => Err(error),
        })
    }
}

/// An entry before it is understood.
pub(super) enum RawEntry {
    Record(ArchivePosition, RawRecord),
    Fault(Fault),
}

/// Why a record could not be read.
enum Failure {
    Disk(ArchiveError),
    /// The bytes are readable, but they are no record.
    Malformed(String),
    /// The member is broken.
    Damaged(String),
}

impl From<ArchiveError> for Failure {
    fn from(error: ArchiveError) -> Self {
        Self::Disk(error)
    }
}

impl From<Trouble> for Failure {
    fn from(trouble: Trouble) -> Self {
        match trouble {
            Trouble::Disk(error) => Self::Disk(error),
            Trouble::Damaged(what) => Self::Damaged(what),
        }
    }
}

impl WarcReader {
    /// Reads a WARC file from its beginning.
    ///
    /// # Errors
    /// When the file cannot be opened.
    pub fn open(path: &Path) -> Result<Self, ArchiveError> {
        Self::open_at(path, 0)
    }

    /// Reads a WARC file from the offset where a record (in a compressed file: a member) begins.
    ///
    /// # Errors
    /// When the file cannot be opened.
    pub fn open_at(path: &Path, offset: u64) -> Result<Self, ArchiveError> {
        Ok(Self {
            source: Source::open(path, offset)?,
            file: folder::final_name(path),
            max_block_bytes: MAX_BLOCK_BYTES,
            decoded_position: false,
            failed: false,
        })
    }

    /// Keeps at most so many bytes of each block. Longer bodies come as truncated.
    #[must_use]
    pub fn max_block_bytes(mut self, bytes: usize) -> Self {
        self.max_block_bytes = bytes;
        self
    }

    /// Whether the last record's position counts decoded bytes instead of the file's.
    pub(super) fn counts_decoded_bytes(&self) -> bool {
        self.decoded_position
    }

    /// The next entry as it stands in the file.
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
            Err(failure) => Err(failure),
        };
        Ok(Some(match record {
            Ok((position, raw)) => RawEntry::Record(position, raw),
            Err(Failure::Disk(error)) => return Err(error),
            Err(Failure::Damaged(what) | Failure::Malformed(what)) => {
                // A wrong length may have swallowed the records behind.
                self.source.seek_plain(begin + 1)?;
                self.skip_to_record()?;
                RawEntry::Fault(Fault { file: self.file.clone(), offset: begin, what })
            }
        }))
    }

    /// Where the source stands, as faults count it.
    fn offset(&self) -> u64 {
        if self.source.is_compressed() { self.source.member_start() } else { self.source.decoded() }
    }

    /// Passes over blank lines and ended members, up to a byte that should begin a record. False at the file's end.
    fn find_record(&mut self, begin: &mut u64) -> Result<bool, Failure> {
        if self.failed {
            return Ok(false);
        }
        loop {
            // A new member may be damaged from its first byte on.
            *begin = self.offset();
            self.skip_blank()?;
            *begin = self.offset();
            if !self.source.fill()?.is_empty() {
                return Ok(true);
            }
            if !self.source.next_member()? {
                return Ok(false);
            }
        }
    }

    /// Reads the record that begins here, and makes sure that it is whole.
    fn read_record(&mut self) -> Result<(ArchivePosition, RawRecord), Failure> {
        let decoded_from = self.source.decoded();
        let member = self.source.is_at_member_start().then_some(self.source.member_start());
        let fields = self.read_header()?;
        let length = fields
            .get("content-length")
            .and_then(|length| length.parse().ok())
            .ok_or_else(|| Failure::Malformed("a record without a readable Content-Length".to_owned()))?;
        let block = self.read_block(length)?;
        let decoded_bytes = self.source.decoded() - decoded_from;
        let owned = member.map(|member| self.ends_member(member)).transpose()?.flatten();
        self.decoded_position = self.source.is_compressed() && owned.is_none();
        let (offset, bytes) = owned.unwrap_or((decoded_from, decoded_bytes));
        let position = ArchivePosition::new(self.file.clone(), offset, bytes);
        Ok((position, RawRecord { fields, block, block_bytes: length }))
    }

    /// Offset and length of the member, if the record that was read has it for itself. Its checksum is then verified, too.
    fn ends_member(&mut self, member: u64) -> Result<Option<(u64, u64)>, Failure> {
        self.skip_blank()?;
        let follows = self.source.fill_to(RECORD_MAGIC.len())?;
        if !follows.is_empty() && !follows.starts_with(RECORD_MAGIC) {
            // The rest of a torn member may well decode to garbage; without its end nothing in it is certain.
            return Err(Failure::Malformed("a record that ends before its compressed member does".to_owned()));
        }
        let owned = follows.is_empty() && self.source.member_start() == member;
        Ok(owned.then(|| (member, self.source.file_offset() - member)))
    }

    fn read_header(&mut self) -> Result<Headers, Failure> {
        if !self.source.fill_to(RECORD_MAGIC.len())?.starts_with(RECORD_MAGIC) {
            return Err(Failure::Malformed("bytes that belong to no record".to_owned()));
        }
        let mut header = Vec::with_capacity(1024);
        while !header.ends_with(b"\n\r\n") && !header.ends_with(b"\n\n") {
            let bytes = self.fill_within_record()?;
            if bytes.is_empty() {
                return Err(Failure::Malformed("a record that is cut off in its header".to_owned()));
            }
            let line = memchr::memchr(b'\n', bytes).map_or(bytes.len(), |end| end + 1);
            header.extend_from_slice(&bytes[..line]);
            self.source.consume(line);
            if header.len() > MAX_HEADER_BYTES {
                return Err(Failure::Malformed(format!("a record header of more than {MAX_HEADER_BYTES} bytes")));
            }
        }
        let version_line = memchr::memchr(b'\n', &header).map_or(0, |end| end + 1);
        Ok(parse_fields(&mut &header[version_line..]))
    }

    fn read_block(&mut self, length: u64) -> Result<Vec<u8>, Failure> {
        let cut_off = |there: u64| Failure::Malformed(format!("a record of {length} bytes is cut off after {there}"));
        if let Some(left) = self.source.plain_bytes_left().filter(|left| *left < length) {
            return Err(cut_off(left));
        }
        let kept = usize::try_from(length).unwrap_or(usize::MAX).min(self.max_block_bytes);
        let mut block = Vec::with_capacity(kept.min(1 << 20));
        let mut left = length;
        while left > 0 {
            let bytes = self.fill_within_record()?;
            if bytes.is_empty() {
                return Err(cut_off(length - left));
            }
            let count = bytes.len().min(usize::try_from(left).unwrap_or(usize::MAX));
            block.extend_from_slice(&bytes[..count.min(kept - block.len())]);
            self.source.consume(count);
            left -= count as u64;
        }
        Ok(block)
    }

    /// More bytes of a record, also from the next member, unless that one begins a record of its own. None when the record
    /// ends before its time.
    fn fill_within_record(&mut self) -> Result<&[u8], Failure> {
        while self.source.fill()?.is_empty() {
            if !self.source.next_member()? || self.source.fill_to(RECORD_MAGIC.len())?.starts_with(RECORD_MAGIC) {
                return Ok(&[]);
            }
        }
        Ok(self.source.fill()?)
    }

    fn skip_blank(&mut self) -> Result<(), Failure> {
        loop {
            let blank = self.source.fill()?.iter().take_while(|b| matches!(b, b'\r' | b'\n')).count();
            if blank == 0 {
                return Ok(());
            }
            self.source.consume(blank);
        }
    }

    /// Goes on to the next line that begins a record, through broken members if need be.
    fn skip_to_record(&mut self) -> Result<(), ArchiveError> {
        loop {
            let passed = match self.source.fill_to(RECORD_MAGIC.len()) {
                Ok(bytes) if bytes.starts_with(RECORD_MAGIC) => return Ok(()),
                Ok(bytes) => Some(memchr::memchr(b'\n', bytes).map_or(bytes.len(), |end| end + 1)),
                Err(Trouble::Damaged(_)) => None,
                Err(Trouble::Disk(error)) => return Err(error),
            };
            let goes_on = match passed {
                Some(0) => self.source.next_member()?,
                Some(line) => {
                    self.source.consume(line);
                    true
                }
                None => self.source.skip_to_member()?,
            };
            if !goes_on {
                return Ok(());
            }
        }
    }
}
