//! Reads pages from the rows of a table: a Parquet file or JSON lines with the columns `url` and `html`. Many data sets
//! on Hugging Face and some made from Common Crawl have this form.
//!
//! A row is converted to the `resource` record that a WARC file would have for the page, so all other code treats both
//! alike. Rows can only be read in order, not by position.

mod json;
mod parquet;
mod row;

use std::path::Path;

use goldminer_html::capture::Headers;

use crate::bytes::source::decoded_head;
use crate::error::ArchiveError;
use crate::format::record::RawRecord;

use row::{CaptureRow, RowError};

/// A row, converted to a record, or the reason why it cannot be converted.
pub(super) struct TableEntry {
    /// The number of the row, counted from 0.
    pub number: u64,
    pub record: Result<RawRecord, String>,
    /// Whether the row has the time of the fetch. If not, the record has the date 1970-01-01.
    pub is_dated: bool,
}

/// Reads a table from start to end.
pub(super) struct TableReader {
    rows: Box<dyn Iterator<Item = Result<CaptureRow, RowError>> + Send>,
    number: u64,
    /// Whether nothing more is read, because the rest is damaged or the disk has failed.
    is_over: bool,
}

/// Whether a file is a table of pages. `head` is its decompressed beginning. A damaged Parquet file counts as a table,
/// so that reading it reports the damage.
pub fn is_table(path: &Path, head: &[u8]) -> bool {
    match head.starts_with(b"PAR1") {
        true => !matches!(parquet::ParquetRows::open(path), Ok(None)),
        false => json::is_head(head),
    }
}

impl TableReader {
    /// Opens a table; None if the file is not a table of pages.
    pub(super) fn open(path: &Path) -> Result<Option<Self>, ArchiveError> {
        let head = decoded_head(path, 8 << 10)?;
        let rows: Box<dyn Iterator<Item = _> + Send> = if json::is_head(&head) {
            Box::new(json::JsonRows::open(path)?)
        } else if !head.starts_with(b"PAR1") {
            return Ok(None);
        } else {
            match parquet::ParquetRows::open(path) {
                Ok(Some(rows)) => Box::new(rows),
                Ok(None) => return Ok(None),
                Err(RowError::Disk(error)) => return Err(error),
                Err(why) => Box::new(std::iter::once(Err(why))),
            }
        };
        Ok(Some(Self { rows, number: 0, is_over: false }))
    }
}

impl Iterator for TableReader {
    type Item = Result<TableEntry, ArchiveError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_over {
            return None;
        }
        let row = self.rows.next();
        let number = self.number;
        self.number += 1;
        let entry = |record, is_dated| Some(Ok(TableEntry { number, record, is_dated }));
        self.is_over = matches!(row, Some(Err(RowError::Last(_) | RowError::Disk(_))));
        match row? {
            Ok(row) => entry(Ok(record(&row, number)), row.fetched.is_some()),
            Err(RowError::Broken(why) | RowError::Last(why)) => entry(Err(why), false),
            Err(RowError::Disk(error)) => Some(Err(error)),
        }
    }
}

/// Converts a row to the record that a WARC file would have for the page.
fn record(row: &CaptureRow, number: u64) -> RawRecord {
    let mut fields = Headers::default();
    fields.push("WARC-Type", "resource");
    fields.push("WARC-Record-ID", format!("<urn:uuid:00000000-0000-0000-0000-{number:012x}>"));
    fields.push("WARC-Target-URI", row.url.as_str());
    fields.push("WARC-Date", row.fetched.unwrap_or_default().to_string());
    fields.push("Content-Type", if row.is_text { "text/html; charset=utf-8" } else { "text/html" });
    RawRecord { fields, block: row.html.clone(), block_bytes: row.html.len() as u64 }
}
