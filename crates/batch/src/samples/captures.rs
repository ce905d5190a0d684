//! The index of a WARC file as Parquet, a row a capture: which URL was fetched when, and where it stands. For DuckDB and
//! the like; nothing of ours depends on it.

use std::io;
use std::path::Path;
use std::sync::Arc;

use goldminer_warc::durable::DraftFile;
use parquet::basic::{Compression, ZstdLevel};
use parquet::data_type::{ByteArray, ByteArrayType, DataType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;

use super::row::SampleRow;

/// The columns; a promise to users, to which columns are only ever added. `offset` and `length` are null where the record
/// shares its compressed member with others.
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

/// Rows that are written at a time.
const GROUP_ROWS: usize = 20_000;

/// The index of one file in the making.
pub(super) struct CaptureIndex {
    file: SerializedFileWriter<DraftFile>,
    rows: Vec<SampleRow>,
}

impl CaptureIndex {
    pub(super) fn create(path: &Path) -> io::Result<Self> {
        let schema = Arc::new(parse_message_type(SCHEMA).expect("the schema is one"));
        let level = ZstdLevel::try_new(3).expect("3 is a level");
        let properties = WriterProperties::builder().set_compression(Compression::ZSTD(level)).build();
        let file = SerializedFileWriter::new(DraftFile::of(path)?, schema, Arc::new(properties)).map_err(failed)?;
        Ok(Self { file, rows: Vec::new() })
    }

    pub(super) fn add(&mut self, row: SampleRow) -> io::Result<()> {
        self.rows.push(row);
        if self.rows.len() >= GROUP_ROWS { self.end_group() } else { Ok(()) }
    }

    pub(super) fn finish(mut self) -> io::Result<()> {
        self.end_group()?;
        self.file.into_inner().map_err(failed)?.publish()
    }

    fn end_group(&mut self) -> io::Result<()> {
        let rows = std::mem::take(&mut self.rows);
        if rows.is_empty() {
            return Ok(());
        }
        write_group(&mut self.file, &rows).map_err(failed)
    }
}

fn write_group(file: &mut SerializedFileWriter<DraftFile>, rows: &[SampleRow]) -> Result<(), ParquetError> {
    let mut group = file.next_row_group()?;
    column::<ByteArrayType>(&mut group, rows, true, |row| Some(text(&row.domain)))?;
    column::<ByteArrayType>(&mut group, rows, true, |row| Some(text(&row.url)))?;
    column::<Int64Type>(&mut group, rows, true, |row| Some(row.fetched))?;
    column::<Int32Type>(&mut group, rows, true, |row| Some(i32::from(row.status)))?;
    column::<ByteArrayType>(&mut group, rows, false, |row| row.media_type.as_deref().map(text))?;
    column::<ByteArrayType>(&mut group, rows, true, |row| Some(text(&row.file)))?;
    column::<Int64Type>(&mut group, rows, false, |row| row.place.map(|(offset, _)| offset as i64))?;
    column::<Int64Type>(&mut group, rows, false, |row| row.place.map(|(_, length)| length as i64))?;
    column::<ByteArrayType>(&mut group, rows, false, |row| row.digest.as_deref().map(text))?;
    group.close().map(|_| ())
}

fn column<T: DataType>(
    group: &mut SerializedRowGroupWriter<'_, DraftFile>,
    rows: &[SampleRow],
    is_required: bool,
    value: impl Fn(&SampleRow) -> Option<T::T>,
) -> Result<(), ParquetError> {
    let all: Vec<Option<T::T>> = rows.iter().map(value).collect();
    let defined: Vec<i16> = all.iter().map(|value| i16::from(value.is_some())).collect();
    let values: Vec<T::T> = all.into_iter().flatten().collect();
    let Some(mut column) = group.next_column()? else {
        return Err(ParquetError::General("more columns than the schema has".to_owned()));
    };
    column.typed::<T>().write_batch(&values, (!is_required).then_some(&defined), None)?;
    column.close()
}

fn text(text: &str) -> ByteArray {
    ByteArray::from(text.as_bytes().to_vec())
}

fn failed(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(cause) => match cause.downcast::<io::Error>() {
            Ok(cause) => *cause,
            Err(cause) => io::Error::other(cause),
        },
        error => io::Error::other(error),
    }
}
