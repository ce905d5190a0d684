//! The index of a WARC file as Parquet, with a row for each capture (stored response): URL, time and position. Users
//! can read it with DuckDB and similar tools; GoldMiner itself does not.

use std::io;
use std::path::Path;
use std::sync::Arc;

use goldminer_corpus::disk_error;
use goldminer_html::{ArchivePosition, Capture};
use goldminer_warc::PayloadDigest;
use goldminer_warc::durable::DraftFile;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::record::RecordWriter;
use parquet::schema::parser::parse_message_type;
use parquet_derive::ParquetRecordWriter;

/// The columns. Users rely on them, so none is removed or changed. `offset` and `length` are null if the record shares
/// its compressed member with other records, so that it cannot be read alone.
const SCHEMA: &str = "message capture {
    required binary domain (UTF8);
    required binary url (UTF8);
    required int64 fetched (TIMESTAMP(MICROS, true));
    required int32 status;
    optional binary type (UTF8);
    required binary file (UTF8);
    optional int64 offset;
    optional int64 length;
    optional binary digest (UTF8);
}";

/// A row of the index: a capture (stored response) and its position. The fields are in the order of the columns.
#[derive(ParquetRecordWriter)]
pub(super) struct SampleRow {
    domain: String,
    url: String,
    /// When it was fetched, in microseconds since 1970.
    fetched: i64,
    status: i32,
    /// The declared media type; `warc/revisit` for a record whose body is stored elsewhere.
    media_type: Option<String>,
    file: String,
    offset: Option<i64>,
    length: Option<i64>,
    digest: Option<String>,
}

/// Number of rows in a row group.
const GROUP_ROWS: usize = 20_000;

/// Writes the index of one WARC file.
pub(super) struct CaptureIndex {
    file: SerializedFileWriter<DraftFile>,
    rows: Vec<SampleRow>,
}

impl SampleRow {
    /// The row of a capture (stored response) in `file`. `place` is the record's position, if the record can be read
    /// alone.
    pub(super) fn of(
        capture: &Capture,
        is_revisit: bool,
        file: &str,
        place: Option<&ArchivePosition>,
        digest: Option<PayloadDigest>,
    ) -> Self {
        let content_type = capture.content_type().unwrap_or_default();
        let media_type = content_type.split([';', ' ', '\t']).next().filter(|name| !name.is_empty());
        let media_type = if is_revisit { Some("warc/revisit") } else { media_type };
        Self {
            domain: capture.url.domain().as_str().to_owned(),
            url: capture.url.as_str().to_owned(),
            fetched: capture.fetched.as_microsecond(),
            status: i32::from(capture.status),
            media_type: media_type.map(str::to_ascii_lowercase),
            file: file.to_owned(),
            offset: place.map(|position| position.offset as i64),
            length: place.map(|position| position.length as i64),
            digest: digest.map(|digest| digest.to_string()),
        }
    }
}

impl CaptureIndex {
    pub(super) fn create(path: &Path) -> io::Result<Self> {
        let schema = Arc::new(parse_message_type(SCHEMA).expect("the schema is one"));
        let level = ZstdLevel::try_new(3).expect("3 is a level");
        let properties = WriterProperties::builder().set_compression(Compression::ZSTD(level)).build();
        let file = SerializedFileWriter::new(DraftFile::of(path)?, schema, Arc::new(properties)).map_err(disk_error)?;
        Ok(Self { file, rows: Vec::new() })
    }

    pub(super) fn add(&mut self, row: SampleRow) -> io::Result<()> {
        self.rows.push(row);
        if self.rows.len() >= GROUP_ROWS { self.end_group() } else { Ok(()) }
    }

    pub(super) fn finish(mut self) -> io::Result<()> {
        self.end_group()?;
        self.file.into_inner().map_err(disk_error)?.publish()
    }

    fn end_group(&mut self) -> io::Result<()> {
        let rows = std::mem::take(&mut self.rows);
        if rows.is_empty() {
            return Ok(());
        }
        let mut group = self.file.next_row_group().map_err(disk_error)?;
        rows.as_slice().write_to_row_group(&mut group).and_then(|()| group.close()).map_err(disk_error)?;
        Ok(())
    }
}
