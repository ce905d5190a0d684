//! Reads an archive file, whichever program wrote it, from start to end, and copies the records that the caller
//! chooses.
//!
//! A copy is one gzip member (a separately compressed part of a file), so concatenated copies are a valid WARC file. A
//! record that is already a gzip member is copied unchanged; others are compressed again.

use std::path::Path;

use goldminer_html::ArchivePosition;

use crate::bytes::part::Part;
use crate::bytes::whole_member::{self, Packer};
use crate::error::{ArchiveError, Fault};
use crate::folder;
use crate::format::record::{RawRecord, Record, interpret, parse_date};
use crate::table::{TableEntry, TableReader};
use crate::warc_reader::{Entry, RawEntry, WarcReader};

/// Reads the entries of one file, and can copy the record that it read last. If the file is a table of pages, each row
/// is returned as a record.
pub struct CopyingReader {
    reader: Reader,
    part: Part,
    packer: Packer,
    /// The bytes of the last record, if it cannot be read again by its position (as in a table of pages). A copy is
    /// then made from these bytes.
    shared: Option<Vec<u8>>,
}

enum Reader {
    Warc(Box<WarcReader>),
    Table { table: Box<TableReader>, file: String },
}

/// An entry of a file, with what the file says about its record.
#[derive(Debug)]
pub struct FileEntry {
    /// The record, or a damaged part of the file.
    pub entry: Entry,
    /// Whether the entry is a row of a table. Then its position is the number of the row.
    pub is_row: bool,
    /// Whether the time of the fetch is known. Some rows lack it, and some dates are invalid.
    pub is_dated: bool,
}

impl CopyingReader {
    /// Opens a WARC file, a WARC file inside a WACZ file, or a table of pages.
    ///
    /// # Errors
    /// Fails if the file cannot be opened.
    pub fn open(path: &Path) -> Result<Self, ArchiveError> {
        Ok(Self {
            reader: match TableReader::open(path)? {
                Some(table) => Reader::Table { table: Box::new(table), file: folder::final_name(path) },
                None => Reader::Warc(Box::new(WarcReader::open(path)?)),
            },
            part: Part::open(path).map_err(ArchiveError::disk("open", path))?,
            packer: Packer::new(),
            shared: None,
        })
    }

    /// Returns the record that was read last as a gzip member. `position` must be that of this record. None if it is
    /// too long or cannot be read.
    pub fn copy(&mut self, position: &ArchivePosition) -> Option<Vec<u8>> {
        match &self.shared {
            Some(record) => Some(self.packer.pack(record).to_vec()),
            None => whole_member::copy(&self.part, position, &mut self.packer),
        }
    }
}

impl Iterator for CopyingReader {
    type Item = Result<FileEntry, ArchiveError>;

    fn next(&mut self) -> Option<Self::Item> {
        let shared = &mut self.shared;
        match &mut self.reader {
            Reader::Table { table, file } => {
                let row = table.next()?;
                Some(row.map(|row| {
                    *shared = row.record.as_ref().ok().map(composed);
                    row_entry(file, row)
                }))
            }
            Reader::Warc(reader) => {
                let entry = reader.next_raw()?;
                Some(entry.map(|entry| {
                    let mut is_dated = true;
                    if let RawEntry::Record(_, raw) = &entry {
                        *shared = reader.counts_decoded_bytes().then(|| composed(raw));
                        is_dated = raw.fields.get("warc-date").is_some_and(|date| parse_date(date).is_some());
                    }
                    FileEntry { entry: entry.parsed(), is_row: false, is_dated }
                }))
            }
        }
    }
}

fn row_entry(file: &str, row: TableEntry) -> FileEntry {
    let record = row.record.and_then(interpret).and_then(|record| match record {
        Record::Other(raw) => Err(format!("{:?} is not the URL of a page", raw.target())),
        record => Ok(record),
    });
    let entry = match record {
        Ok(record) => Entry::Record { position: ArchivePosition::new(file, row.number, 1), record },
        Err(what) => Entry::Fault(Fault { is_row: true, ..Fault::new(file.to_owned(), row.number, what) }),
    };
    FileEntry { entry, is_row: true, is_dated: row.is_dated }
}

/// The bytes of a record as a WARC/1.0 record. If the record's content exceeded the reader's limit and was cut off, it
/// stays so.
fn composed(raw: &RawRecord) -> Vec<u8> {
    let mut record = b"WARC/1.0\r\n".to_vec();
    for (name, value) in raw.fields.iter().filter(|(name, _)| !name.eq_ignore_ascii_case("content-length")) {
        record.extend([name.as_bytes(), b": ", value, b"\r\n"].concat());
    }
    record.extend(format!("Content-Length: {}\r\n\r\n", raw.block.len()).as_bytes());
    record.extend_from_slice(&raw.block);
    record.extend_from_slice(b"\r\n\r\n");
    record
}
