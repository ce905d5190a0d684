//! One sequence of values of a row group, read a stretch of rows at a time, so that a group of any size takes the memory of
//! a page.

use parquet::basic::LogicalType;
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArray, DataType};
use parquet::errors::ParquetError;
use parquet::schema::types::ColumnDescriptor;
use serde_json::Value;

use super::row::Leaf;

/// A column under way.
pub(crate) struct ColumnValues {
    /// The definition level of values that are there.
    defined: i16,
    values: ColumnReader,
}

impl ColumnValues {
    pub(crate) fn new(descriptor: &ColumnDescriptor, values: ColumnReader) -> Self {
        Self { defined: descriptor.max_def_level(), values }
    }

    /// The values of the next rows, a list for each.
    ///
    /// # Errors
    /// When they cannot be decoded, or the column ends before.
    pub(crate) fn next(&mut self, rows: usize, leaf: &Leaf) -> Result<Vec<Vec<Value>>, String> {
        let text = |bytes: ByteArray| {
            let text = String::from_utf8(bytes.data().to_vec()).map_err(|_| "holds bytes that are no UTF-8".to_owned());
            text.map(Value::from)
        };
        match &mut self.values {
            ColumnReader::ByteArrayColumnReader(values) => read(values, self.defined, rows, text),
            ColumnReader::Int32ColumnReader(values) => {
                read(values, self.defined, rows, |n| Ok(leaf.number(i64::from(n))))
            }
            ColumnReader::Int64ColumnReader(values) => read(values, self.defined, rows, |n| Ok(leaf.number(n))),
            _ => Err("holds neither text nor numbers".to_owned()),
        }
    }
}

/// Whether a column of some file can stand for one of ours. Other programs write our columns back as optional ones;
/// that a value is missing is seen where it matters.
pub(crate) fn fits(ours: &ColumnDescriptor, theirs: &ColumnDescriptor) -> bool {
    let is_time = matches!(ours.logical_type_ref(), Some(LogicalType::Timestamp(_)));
    ours.physical_type() == theirs.physical_type()
        && ours.max_rep_level() == theirs.max_rep_level()
        && (!is_time || ours.logical_type_ref() == theirs.logical_type_ref())
}

fn read<T: DataType>(
    values: &mut ColumnReaderImpl<T>,
    max_defined: i16,
    rows: usize,
    value: impl Fn(T::T) -> Result<Value, String>,
) -> Result<Vec<Vec<Value>>, String> {
    let (mut found, mut defined, mut repeated) = (Vec::new(), Vec::new(), Vec::new());
    let (records, _, levels) = values
        .read_records(rows, Some(&mut defined), Some(&mut repeated), &mut found)
        .map_err(|e: ParquetError| format!("cannot be decoded ({e})"))?;
    if records != rows {
        return Err("has fewer values than the file has rows".to_owned());
    }
    let mut found = found.into_iter();
    let mut lists: Vec<Vec<Value>> = Vec::with_capacity(rows);
    for level in 0..levels {
        // Columns without lists, and those without nulls, have no levels.
        if repeated.get(level).is_none_or(|repeated| *repeated == 0) {
            lists.push(Vec::new());
        }
        if defined.get(level).is_none_or(|defined| *defined == max_defined)
            && let (Some(list), Some(next)) = (lists.last_mut(), found.next())
        {
            list.push(value(next)?);
        }
    }
    if lists.len() == rows { Ok(lists) } else { Err("has lists that do not begin with a row".to_owned()) }
}
