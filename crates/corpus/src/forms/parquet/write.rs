//! Writes documents into a Parquet file, one row group at a time.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use goldminer_core::document::Document;
use parquet::basic::{Compression, ZstdLevel};
use parquet::column::writer::ColumnWriter;
use parquet::data_type::ByteArray;
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use serde_json::Value;

use super::checksum::{CREATED_BY, SummedFile};
use super::row::{Entry, Leaf, leaves, row, schema};
use crate::error::CorpusError;
use crate::forms::form::FormWriter;
use crate::{create_file, finish_file};

/// The bytes of text after which a row group ends, because readers load a whole group at a time.
const GROUP_TEXT_BYTES: usize = 32 << 20;
/// The number of documents after which a row group ends at the latest.
const GROUP_DOCUMENTS: usize = 20_000;

/// Writes one file, `corpus.parquet`.
pub(crate) struct ParquetWriter {
    path: PathBuf,
    file: SerializedFileWriter<SummedFile>,
    leaves: Vec<Leaf>,
    /// The values of the current row group, by leaf.
    waiting: Vec<Values>,
    documents: usize,
    text_bytes: usize,
}

impl ParquetWriter {
    pub(crate) fn create(out: &Path) -> Result<Self, CorpusError> {
        let path = out.join("corpus.parquet");
        let file = SummedFile::new(create_file(&path)?);
        let level = ZstdLevel::try_new(3).expect("3 is a level");
        let properties =
            WriterProperties::builder().set_compression(Compression::ZSTD(level)).set_created_by(CREATED_BY.to_owned());
        let file = SerializedFileWriter::new(file, Arc::new(schema()), Arc::new(properties.build()))
            .map_err(|e| failed(&path, e))?;
        Ok(Self { path, file, leaves: leaves(), waiting: Vec::new(), documents: 0, text_bytes: 0 })
    }

    fn end_group(&mut self) -> Result<(), CorpusError> {
        if self.documents > 0 {
            self.write_group().map_err(|e| failed(&self.path, e))?;
            self.file.flush().map_err(CorpusError::disk("write to", &self.path))?;
            self.file.inner_mut().end_group();
        }
        (self.documents, self.text_bytes) = (0, 0);
        Ok(())
    }

    fn write_group(&mut self) -> Result<(), ParquetError> {
        let mut group = self.file.next_row_group()?;
        for (values, leaf) in std::mem::take(&mut self.waiting).into_iter().zip(&self.leaves) {
            let column = group.next_column()?;
            let mut column = column.ok_or_else(|| ParquetError::General("the schema lacks a column".to_owned()))?;
            values.write(leaf, column.untyped())?;
            column.close()?;
        }
        group.close().map(drop)
    }
}

impl FormWriter for ParquetWriter {
    fn write(&mut self, document: &Document) -> Result<(), CorpusError> {
        let mut row = row(document);
        self.waiting.resize_with(self.leaves.len(), Values::default);
        self.waiting.iter_mut().zip(&self.leaves).for_each(|(values, leaf)| values.add(leaf.entries(&mut row)));
        self.documents += 1;
        self.text_bytes += document.text.len();
        if self.text_bytes >= GROUP_TEXT_BYTES || self.documents >= GROUP_DOCUMENTS {
            self.end_group()?;
        }
        Ok(())
    }

    fn close(mut self: Box<Self>) -> Result<(), CorpusError> {
        self.end_group()?;
        let path = self.path;
        let checksums = self.file.inner().metadata();
        self.file.append_key_value_metadata(checksums);
        let file = self.file.into_inner().map_err(|e| failed(&path, e))?;
        finish_file(&path, file.file)
    }
}

fn failed(path: &Path, error: ParquetError) -> CorpusError {
    CorpusError::disk("write to", path)(disk_error(error))
}

/// Converts an error of the Parquet library. If its cause was an error of the disk, returns that one.
fn disk_error(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(cause) => cause.downcast().map_or_else(io::Error::other, |cause| *cause),
        error => io::Error::other(error),
    }
}

/// The values of a row group in one column.
#[derive(Default)]
struct Values {
    values: Vec<Value>,
    defined: Vec<i16>,
    repeated: Vec<i16>,
}

impl Values {
    fn add(&mut self, row: Vec<Entry>) {
        for Entry { value, defined, repeated } in row {
            self.values.extend(value);
            self.defined.push(defined);
            self.repeated.push(repeated);
        }
    }

    fn write(self, leaf: &Leaf, column: &mut ColumnWriter<'_>) -> Result<usize, ParquetError> {
        let defined = leaf.may_be_empty().then_some(self.defined.as_slice());
        let repeated = leaf.is_list().then_some(self.repeated.as_slice());
        let numbers = || self.values.iter().map(number);
        match column {
            ColumnWriter::BoolColumnWriter(column) => {
                let booleans: Vec<bool> = self.values.iter().map(|value| value.as_bool().unwrap_or_default()).collect();
                column.write_batch(&booleans, defined, repeated)
            }
            ColumnWriter::Int32ColumnWriter(column) => {
                column.write_batch(&numbers().map(|n| n as i32).collect::<Vec<_>>(), defined, repeated)
            }
            ColumnWriter::Int64ColumnWriter(column) => {
                column.write_batch(&numbers().collect::<Vec<_>>(), defined, repeated)
            }
            ColumnWriter::DoubleColumnWriter(column) => {
                let shares: Vec<f64> = self.values.iter().map(|value| value.as_f64().unwrap_or_default()).collect();
                column.write_batch(&shares, defined, repeated)
            }
            ColumnWriter::ByteArrayColumnWriter(column) => {
                let texts: Vec<ByteArray> = self.values.into_iter().map(text).collect();
                column.write_batch(&texts, defined, repeated)
            }
            _ => Err(ParquetError::General("the schema has only numbers and texts".to_owned())),
        }
    }
}

/// Unsigned numbers are in signed columns with the same bits.
fn number(value: &Value) -> i64 {
    value.as_i64().unwrap_or_else(|| value.as_u64().unwrap_or_default() as i64)
}

fn text(value: Value) -> ByteArray {
    match value {
        Value::String(text) => text.into_bytes().into(),
        other => other.to_string().into_bytes().into(),
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use super::*;
    use crate::testing::document;
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::RowAccessor;

    #[test]
    fn rows_come_back_with_their_lists_and_nulls() {
        let dir = tempfile::tempdir().unwrap();
        let mut writer = Box::new(ParquetWriter::create(dir.path()).unwrap());
        let mut first = document("a", "Árvíztűrő.");
        first.metadata.authors = vec!["Ady Endre".to_owned(), "B".to_owned()];
        first.metadata.title = Some("Cím".to_owned());
        writer.write(&first).unwrap();
        let mut second = document("b", "Second.");
        second.metadata.fetched = "2026-11-20T12:00:00Z".parse().ok();
        writer.write(&second).unwrap();
        writer.close().unwrap();
        let file = File::open(dir.path().join("corpus.parquet")).unwrap();
        let reader = SerializedFileReader::new(file).unwrap();
        let rows: Vec<_> = reader.get_row_iter(None).unwrap().map(Result::unwrap).collect();
        assert_eq!(rows.len(), 2);
        assert_eq!(
            (rows[0].get_string(0).unwrap().as_str(), rows[1].get_string(2).unwrap().as_str()),
            ("a", "Second.")
        );
        let text = rows[0].to_string();
        for part in ["authors: [\"Ady Endre\", \"B\"]", "title: \"Cím\"", "kind: \"p\"", "fetched: null"] {
            assert!(text.contains(part), "{part}: {text}");
        }
        for part in ["authors: []", "fetched_nanoseconds: 0"] {
            assert!(rows[1].to_string().contains(part), "{part}: {}", rows[1]);
        }
    }
}
