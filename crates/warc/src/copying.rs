//! Reads an archive file of any program from start to end, and copies the records that are chosen.
//!
//! A copy is one gzip member, so concatenated copies from any number of files are a WARC file. A record that is a
//! gzip member already is copied unchanged; others are compressed again.

use std::path::Path;

use goldminer_html::ArchivePosition;

use crate::bytes::part::Part;
use crate::bytes::whole_member::{self, Packer};
use crate::error::{ArchiveError, Fault};
use crate::folder;
use crate::format::digest::PayloadDigest;
use crate::format::record::{RawRecord, Record, interpret, parse_date};
use crate::table::{TableEntry, TableReader};
use crate::warc_reader::{Entry, RawEntry, WarcReader};

/// Reads the entries of one file; the last entry read can be copied. The pages of a table are returned as records,
/// too.
pub struct CopyingReader {
    reader: Reader,
    part: Part,
    packer: Packer,
    /// The last record, if its member contains others, too.
    shared: Option<Vec<u8>>,
}

enum Reader {
    Warc(Box<WarcReader>),
    Table { table: Box<TableReader>, file: String },
}

/// An entry, and facts about its record.
#[derive(Debug)]
pub struct Stated {
    /// The entry.
    pub entry: Entry,
    /// The digest of the payload, if the record has it.
    pub digest: Option<PayloadDigest>,
    /// Whether the record can be read by its position, which then counts bytes of the file.
    pub has_place: bool,
    /// Whether the entry is a row of a table. Then its position counts rows.
    pub is_row: bool,
    /// Whether the time of its fetch is known. Rows may lack it, and some dates are invalid.
    pub is_dated: bool,
}

impl CopyingReader {
    /// Reads a WARC file, a member of a WACZ file, or a table of pages, from its beginning.
    ///
    /// # Errors
    /// When the file cannot be opened.
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

    /// The last record as a gzip member; none if it is too long for a copy.
    pub fn copy(&mut self, position: &ArchivePosition) -> Option<Vec<u8>> {
        match &self.shared {
            Some(record) => Some(self.packer.pack(record).to_vec()),
            None => whole_member::copy(&self.part, position, &mut self.packer),
        }
    }
}

impl Iterator for CopyingReader {
    type Item = Result<Stated, ArchiveError>;

    fn next(&mut self) -> Option<Self::Item> {
        let reader = match &mut self.reader {
            Reader::Warc(reader) => reader,
            Reader::Table { table, file } => {
                let row = match table.next()? {
                    Ok(row) => row,
                    Err(error) => return Some(Err(error)),
                };
                self.shared = row.record.as_ref().ok().map(composed);
                return Some(Ok(stated_row(file, row)));
            }
        };
        let entry = match reader.next_raw()? {
            Ok(entry) => entry,
            Err(error) => return Some(Err(error)),
        };
        let (mut digest, mut has_place, mut is_dated) = (None, false, true);
        if let RawEntry::Record(_, raw) = &entry {
            has_place = !reader.counts_decoded_bytes();
            self.shared = (!has_place).then(|| composed(raw));
            digest = raw.fields.get("warc-payload-digest").and_then(PayloadDigest::parse);
            is_dated = raw.fields.get("warc-date").is_some_and(|date| parse_date(date).is_some());
        }
        Some(Ok(Stated { entry: entry.understood(), digest, has_place, is_row: false, is_dated }))
    }
}

fn stated_row(file: &str, row: TableEntry) -> Stated {
    let record = row.record.and_then(interpret).and_then(|record| match record {
        Record::Other(raw) => Err(format!("{:?} is not the address of a page", raw.target())),
        record => Ok(record),
    });
    let entry = match record {
        Ok(record) => Entry::Record { position: ArchivePosition::new(file, row.number, 1), record },
        Err(what) => Entry::Fault(Fault { is_row: true, ..Fault::new(file.to_owned(), row.number, what) }),
    };
    Stated { entry, digest: None, has_place: false, is_row: true, is_dated: row.is_dated }
}

/// The record as in its file, as far as its block was kept.
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
