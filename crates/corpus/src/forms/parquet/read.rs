//! Reads documents from a Parquet file written by `write`, or by another program with the same columns.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use goldminer_core::document::Document;
use goldminer_warc::caught::caught;
use parquet::basic::{CompressionCodec, LogicalType};
use parquet::errors::ParquetError;
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::reader::RowIter;
use parquet::schema::types::{ColumnDescriptor, SchemaDescriptor, Type};

use super::checksum::Checksums;
use super::row::{Leaf, document, leaves, schema};
use crate::error::CorpusError;
use crate::schema::columns;

/// A file being read.
pub(crate) struct ParquetFile {
    path: PathBuf,
    rows: RowIter<'static>,
    checksums: Checksums,
    /// The number of rows in each row group.
    groups: Vec<u64>,
    /// The number of the row group after the open one.
    next_group: usize,
    /// The number of rows in the open group that are not decoded yet.
    rows_left: u64,
    /// The number of rows decoded so far.
    number: u64,
}

impl ParquetFile {
    /// Opens a file and checks its columns.
    ///
    /// # Errors
    /// Fails if it is not a complete Parquet file, or lacks a column.
    pub(crate) fn open(path: PathBuf) -> Result<Self, CorpusError> {
        let at = path.clone();
        guarded(&at, || Self::open_unguarded(path))
    }

    fn open_unguarded(path: PathBuf) -> Result<Self, CorpusError> {
        let file = File::open(&path).map_err(CorpusError::disk("open", &path))?;
        let file = SerializedFileReader::new(file).map_err(|e| unreadable(&path, e))?;
        let footer = file.metadata().file_metadata();
        let again = File::open(&path).map_err(CorpusError::disk("open", &path))?;
        let checksums = Checksums::of(again, footer, file.num_row_groups()).map_err(|cause| damaged(&path, cause))?;
        let rows: i64 = file.metadata().row_groups().iter().map(|group| group.num_rows()).fold(0, i64::saturating_add);
        if rows != footer.num_rows() {
            return Err(damaged(&path, format!("it has {rows} rows, and {} were written", footer.num_rows())));
        }
        let leaves = leaves();
        let places = places(&path, &leaves, footer.schema_descr())?;
        let width = footer.schema_descr().num_columns();
        if file.metadata().row_groups().iter().any(|group| group.num_columns() != width) {
            return Err(damaged(&path, "a row group has not the columns of the file".to_owned()));
        }
        let mut groups = file.metadata().row_groups().iter();
        if let Some(codec) = groups.find_map(|group| places.iter().flatten().find_map(|at| unread(group.column(*at)))) {
            return Err(CorpusError::Refused(format!(
                "{} is compressed with {codec}, which is not read. Write it with zstd (DuckDB: `compression zstd`, pyarrow: \
                 `compression=\"zstd\"`)",
                path.display()
            )));
        }
        let groups = file.metadata().row_groups().iter().map(|group| group.num_rows().unsigned_abs()).collect();
        let wanted = wanted(footer.schema_descr().root_schema()).map_err(|e| unreadable(&path, e))?;
        let rows = RowIter::from_file_into(Box::new(file)).project(Some(wanted)).map_err(|e| unreadable(&path, e))?;
        Ok(Self { path, rows, checksums, groups, next_group: 0, rows_left: 0, number: 0 })
    }

    /// The next document; `None` at the end.
    ///
    /// # Errors
    /// Fails if the file is damaged, or a value is not valid in a document.
    pub(crate) fn next_document(&mut self) -> Result<Option<Document>, CorpusError> {
        while self.rows_left == 0 {
            let Some(rows) = self.groups.get(self.next_group) else { return Ok(None) };
            let holds = self.checksums.holds(self.next_group).map_err(CorpusError::disk("read", &self.path))?;
            if !holds {
                return Err(damaged(&self.path, format!("row group {} is not as it was written", self.next_group)));
            }
            (self.rows_left, self.next_group) = (*rows, self.next_group + 1);
        }
        let (path, rows) = (&self.path, &mut self.rows);
        let row = guarded(path, || rows.next().transpose().map_err(|e| unreadable(path, e)))?;
        let row = row.ok_or_else(|| damaged(path, "it has fewer rows than were written".to_owned()))?;
        (self.rows_left, self.number) = (self.rows_left - 1, self.number + 1);
        let wrong = |(column, cause): (String, String)| {
            wrong_column(&self.path, &column, &format!("{cause}, in row {}", self.number))
        };
        document(row).map(Some).map_err(wrong)
    }
}

/// The schema of a file with our columns only.
fn wanted(theirs: &Type) -> Result<Type, ParquetError> {
    let ours = columns();
    let is_ours = |field: &&Arc<Type>| ours.iter().any(|column| column.name == field.name());
    let fields = theirs.get_fields().iter().filter(is_ours).cloned().collect();
    Type::group_type_builder(theirs.name()).with_fields(fields).build()
}

/// The compression of a column, if this program cannot decode it.
fn unread(column: &ColumnChunkMetaData) -> Option<CompressionCodec> {
    let codec = column.compression_codec();
    (!matches!(codec, CompressionCodec::UNCOMPRESSED | CompressionCodec::SNAPPY | CompressionCodec::ZSTD))
        .then_some(codec)
}

/// For each leaf, the index of its column in the file.
fn places(path: &Path, leaves: &[Leaf], theirs: &SchemaDescriptor) -> Result<Vec<Option<usize>>, CorpusError> {
    let ours = SchemaDescriptor::new(Arc::new(schema()));
    let place = |(leaf, column): (&Leaf, &Arc<ColumnDescriptor>)| {
        let wrong = |cause: &str| wrong_column(path, &column.path().string(), cause);
        let Some(at) = theirs.columns().iter().position(|their| their.path() == column.path()) else {
            return if leaf.is_later() { Ok(None) } else { Err(wrong("is missing")) };
        };
        if !fits(column, theirs.column(at).as_ref()) {
            return Err(wrong(&format!("is of another type ({})", theirs.column(at).physical_type())));
        }
        Ok(Some(at))
    };
    leaves.iter().zip(ours.columns()).map(place).collect()
}

/// Runs the decoder and catches its panics, which some damage causes. The decoder is never run outside this function.
fn guarded<T>(path: &Path, decode: impl FnOnce() -> Result<T, CorpusError>) -> Result<T, CorpusError> {
    caught(decode).unwrap_or_else(|panic| Err(damaged(path, format!("the decoder gave up ({panic})"))))
}

fn unreadable(path: &Path, error: ParquetError) -> CorpusError {
    match error {
        ParquetError::External(cause) => match cause.downcast::<io::Error>() {
            Ok(cause) if cause.kind() != io::ErrorKind::UnexpectedEof => CorpusError::disk("read", path)(*cause),
            Ok(cause) => damaged(path, cause.to_string()),
            Err(cause) => damaged(path, cause.to_string()),
        },
        ParquetError::General(cause) | ParquetError::EOF(cause) => {
            damaged(path, cause.trim_end_matches('.').to_owned())
        }
        error => damaged(path, error.to_string()),
    }
}

fn damaged(path: &Path, cause: String) -> CorpusError {
    CorpusError::Refused(format!(
        "{} is not a complete Parquet file: {cause}. It is truncated or damaged: restore it from a backup, or make it \
         again with `goldminer convert --format parquet`",
        path.display()
    ))
}

/// The error for a file whose columns are not those of documents.
fn wrong_column(path: &Path, column: &str, cause: &str) -> CorpusError {
    CorpusError::Refused(format!(
        "{} column {column}: it {cause}. Keep the columns as `goldminer convert --format parquet` writes them, or make the \
         file again with it",
        path.display()
    ))
}

/// Whether a column of a file can be used as one of ours. Other programs rewrite our columns as optional ones;
/// missing values are found later, where they matter.
fn fits(ours: &ColumnDescriptor, theirs: &ColumnDescriptor) -> bool {
    let is_time = matches!(ours.logical_type_ref(), Some(LogicalType::Timestamp(_)));
    ours.physical_type() == theirs.physical_type()
        && ours.max_rep_level() == theirs.max_rep_level()
        && (!is_time || ours.logical_type_ref() == theirs.logical_type_ref())
}
