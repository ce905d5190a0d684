//! Reads documents from a Parquet file written by `write`, or by another program with the same columns.

use std::collections::VecDeque;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use goldminer_core::document::Document;
use goldminer_warc::caught::caught;
use parquet::basic::{LogicalType, Repetition};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArray, DataType};
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::schema::types::{ColumnDescriptor, SchemaDescriptor, Type};
use serde_json::Value;

use super::checksum::Checksums;
use super::row::{Entry, Leaf, document, leaves, schema};
use crate::error::CorpusError;

/// The number of rows that are decoded together.
const STRETCH_ROWS: usize = 256;

/// A file being read.
pub(crate) struct ParquetFile {
    path: PathBuf,
    file: SerializedFileReader<File>,
    checksums: Checksums,
    leaves: Vec<Leaf>,
    /// For each of `leaves` (the columns that we read), the index of its column in the file; None if an older version
    /// wrote the file without it.
    places: Vec<Option<usize>>,
    /// The number of the row group after the open one.
    next_group: usize,
    /// The columns of the open group, one for each leaf.
    columns: Vec<Option<ColumnValues>>,
    /// The number of rows in the open group that are not decoded yet.
    rows_left: usize,
    /// The number of rows decoded so far.
    rows: u64,
    ready: VecDeque<Document>,
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
            return Err(damaged(&path, "a row group has other columns than the file".to_owned()));
        }
        let (columns, ready) = (Vec::new(), VecDeque::new());
        Ok(Self { path, file, checksums, leaves, places, next_group: 0, columns, rows_left: 0, rows: 0, ready })
    }

    /// The next document; `None` at the end.
    ///
    /// # Errors
    /// Fails if the file is damaged, or a value is not valid in a document.
    pub(crate) fn next_document(&mut self) -> Result<Option<Document>, CorpusError> {
        if self.ready.is_empty() {
            let path = self.path.clone();
            guarded(&path, || {
                while self.ready.is_empty() && (self.rows_left > 0 || self.open_group()?) {
                    self.decode()?;
                }
                Ok(())
            })?;
        }
        Ok(self.ready.pop_front())
    }

    /// Opens the next row group, if there is one.
    fn open_group(&mut self) -> Result<bool, CorpusError> {
        let number = self.next_group;
        if number >= self.file.num_row_groups() {
            return Ok(false);
        }
        self.next_group += 1;
        if !self.checksums.holds(number).map_err(CorpusError::disk("read", &self.path))? {
            return Err(damaged(&self.path, format!("row group {number} has changed since it was written")));
        }
        let (path, file, places) = (&self.path, &self.file, &self.places);
        let columns = || {
            let group = file.get_row_group(number)?;
            let columns = places.iter().map(|at| {
                let Some(at) = *at else { return Ok(None) };
                let schema = group.metadata().schema_descr();
                let column = schema.column(at);
                let (thresholds, defined) = (thresholds(schema.root_schema(), &column), column.max_def_level());
                Ok(Some(ColumnValues { thresholds, defined, values: group.get_column_reader(at)? }))
            });
            columns.collect::<Result<Vec<_>, ParquetError>>()
        };
        self.columns = columns().map_err(|e| unreadable(path, e))?;
        let rows = file.metadata().row_group(number).num_rows();
        self.rows_left =
            usize::try_from(rows).map_err(|_| damaged(path, format!("row group {number} has {rows} rows")))?;
        Ok(true)
    }

    /// Decodes the next rows of the open group, column by column.
    fn decode(&mut self) -> Result<(), CorpusError> {
        let count = self.rows_left.min(STRETCH_ROWS);
        let (path, first) = (&self.path, self.rows + 1);
        let wrong = |column: String, cause: String| wrong_column(path, &column, &cause);
        let mut rows = vec![Value::Null; count];
        for (leaf, column) in self.leaves.iter().zip(&mut self.columns) {
            let Some(column) = column else { continue };
            let values = column.next(count, leaf);
            let values =
                values.map_err(|cause| wrong(leaf.name(), format!("{cause}, in row {first} or soon after")))?;
            for ((row, values), number) in rows.iter_mut().zip(values).zip(first..) {
                leaf.put(values, &column.thresholds, row)
                    .map_err(|cause| wrong(leaf.name(), format!("{cause}, in row {number}")))?;
            }
        }
        for (row, number) in rows.into_iter().zip(first..) {
            let read = document(row);
            let read = read.map_err(|(column, cause)| wrong(column, format!("{cause}, in row {number}")))?;
            self.ready.push_back(read);
        }
        self.rows += count as u64;
        self.rows_left -= count;
        Ok(())
    }
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

/// A column that is being read.
struct ColumnValues {
    /// For each step of its path, the definition level from which the step is present.
    thresholds: Vec<i16>,
    /// The definition level of values that are present.
    defined: i16,
    values: ColumnReader,
}

/// The definition level of each step on the path to a Parquet column: the keys of objects, the lists, and the column
/// itself. An element of a list is not a step of its own.
fn thresholds(root: &Type, column: &ColumnDescriptor) -> Vec<i16> {
    let (mut at, mut level, mut thresholds, mut is_element) = (root, 0, Vec::new(), false);
    for part in column.path().parts() {
        let Some(field) = at.get_fields().iter().find(|field| field.name() == part) else { break };
        let info = field.get_basic_info();
        let repetition = if info.has_repetition() { info.repetition() } else { Repetition::REQUIRED };
        level += i16::from(repetition != Repetition::REQUIRED);
        if !std::mem::replace(&mut is_element, repetition == Repetition::REPEATED) {
            thresholds.push(level);
        }
        at = field.as_ref();
        if !at.is_group() {
            break;
        }
    }
    thresholds
}

impl ColumnValues {
    /// Decodes this column's values in the next rows. Returns one list of values for each row.
    ///
    /// # Errors
    /// Fails if they cannot be decoded, or the column ends too early.
    fn next(&mut self, rows: usize, leaf: &Leaf) -> Result<Vec<Vec<Entry>>, String> {
        let text = |bytes: ByteArray| {
            let text =
                String::from_utf8(bytes.data().to_vec()).map_err(|_| "holds bytes that are not UTF-8".to_owned());
            text.map(Value::from)
        };
        match &mut self.values {
            ColumnReader::ByteArrayColumnReader(values) => read_rows(values, self.defined, rows, text),
            ColumnReader::BoolColumnReader(values) => {
                read_rows(values, self.defined, rows, |truth| Ok(Value::from(truth)))
            }
            ColumnReader::Int32ColumnReader(values) => {
                read_rows(values, self.defined, rows, |n| Ok(leaf.number(i64::from(n))))
            }
            ColumnReader::Int64ColumnReader(values) => read_rows(values, self.defined, rows, |n| Ok(leaf.number(n))),
            ColumnReader::DoubleColumnReader(values) => {
                read_rows(values, self.defined, rows, |share| Ok(Value::from(share)))
            }
            _ => Err("holds neither text nor numbers".to_owned()),
        }
    }
}

/// Whether a column of a file has the type of our column. Other programs rewrite required columns as optional ones;
/// missing values are found later.
fn fits(ours: &ColumnDescriptor, theirs: &ColumnDescriptor) -> bool {
    let is_time = matches!(ours.logical_type_ref(), Some(LogicalType::Timestamp(_)));
    ours.physical_type() == theirs.physical_type()
        && ours.max_rep_level() == theirs.max_rep_level()
        && (!is_time || ours.logical_type_ref() == theirs.logical_type_ref())
}

fn read_rows<T: DataType>(
    values: &mut ColumnReaderImpl<T>,
    max_defined: i16,
    rows: usize,
    value: impl Fn(T::T) -> Result<Value, String>,
) -> Result<Vec<Vec<Entry>>, String> {
    let (mut found, mut defined, mut repeated) = (Vec::new(), Vec::new(), Vec::new());
    let (records, _, levels) = values
        .read_records(rows, Some(&mut defined), Some(&mut repeated), &mut found)
        .map_err(|e: ParquetError| format!("cannot be decoded ({e})"))?;
    if records != rows {
        return Err("has fewer values than the file has rows".to_owned());
    }
    let mut found = found.into_iter();
    let mut lists: Vec<Vec<Entry>> = Vec::with_capacity(rows);
    for level in 0..levels {
        let repeated = repeated.get(level).copied().unwrap_or(0);
        if repeated == 0 {
            lists.push(Vec::new());
        }
        // Columns without optional steps have no levels.
        let defined = defined.get(level).copied().unwrap_or(max_defined);
        let next = if defined == max_defined { found.next() } else { None };
        let value = next.map(&value).transpose()?;
        if let Some(list) = lists.last_mut() {
            list.push(Entry { value, defined, repeated });
        }
    }
    if lists.len() == rows { Ok(lists) } else { Err("has lists that do not begin with a row".to_owned()) }
}
