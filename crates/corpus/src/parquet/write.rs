//! Documents into a Parquet file, a row group at a time.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use goldminer_core::document::{Access, Document, MetadataSource};
use jiff::Timestamp;
use parquet::basic::{Compression, ZstdLevel};
use parquet::data_type::{ByteArray, ByteArrayType, DataType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;

use super::SCHEMA;
use super::checksum::{CREATED_BY, SummedFile};
use crate::error::CorpusError;
use crate::{create_file, finish_file};

/// A row group ends with the document that makes it so long: what readers load at a time.
const GROUP_TEXT_BYTES: usize = 32 << 20;
const GROUP_DOCUMENTS: usize = 20_000;

/// Writes one file, `corpus.parquet`.
pub(crate) struct ParquetWriter {
    path: PathBuf,
    file: SerializedFileWriter<SummedFile>,
    waiting: Vec<Document>,
    waiting_bytes: usize,
}

impl ParquetWriter {
    pub(crate) fn create(out: &Path) -> Result<Self, CorpusError> {
        let path = out.join("corpus.parquet");
        let file = SummedFile::new(create_file(&path)?);
        let schema = Arc::new(parse_message_type(SCHEMA).expect("the schema is one"));
        let level = ZstdLevel::try_new(3).expect("3 is a level");
        let properties =
            WriterProperties::builder().set_compression(Compression::ZSTD(level)).set_created_by(CREATED_BY.to_owned());
        let file =
            SerializedFileWriter::new(file, schema, Arc::new(properties.build())).map_err(|e| failed(&path, e))?;
        Ok(Self { path, file, waiting: Vec::new(), waiting_bytes: 0 })
    }

    pub(crate) fn write(&mut self, document: &Document) -> Result<(), CorpusError> {
        self.waiting_bytes += document.text.len();
        self.waiting.push(document.clone());
        if self.waiting_bytes >= GROUP_TEXT_BYTES || self.waiting.len() >= GROUP_DOCUMENTS {
            self.end_group()?;
        }
        Ok(())
    }

    pub(crate) fn close(mut self) -> Result<(), CorpusError> {
        self.end_group()?;
        let path = self.path;
        let checksums = self.file.inner().metadata();
        self.file.append_key_value_metadata(checksums);
        let file = self.file.into_inner().map_err(|e| failed(&path, e))?;
        finish_file(&path, file.file)
    }

    fn end_group(&mut self) -> Result<(), CorpusError> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        let documents = std::mem::take(&mut self.waiting);
        self.waiting_bytes = 0;
        write_group(&mut self.file, &documents).map_err(|e| failed(&self.path, e))?;
        self.file.flush().map_err(CorpusError::disk("write to", &self.path))?;
        self.file.inner_mut().end_group();
        Ok(())
    }
}

fn failed(path: &Path, error: ParquetError) -> CorpusError {
    let cause = match error {
        ParquetError::External(cause) => match cause.downcast::<io::Error>() {
            Ok(cause) => *cause,
            Err(cause) => io::Error::other(cause),
        },
        error => io::Error::other(error),
    };
    CorpusError::disk("write to", path)(cause)
}

/// Writes the columns in the order of [`SCHEMA`].
fn write_group(file: &mut SerializedFileWriter<SummedFile>, documents: &[Document]) -> Result<(), ParquetError> {
    let mut group = Group { group: file.next_row_group()?, documents };
    group.text(|d| &d.id)?;
    group.text(|d| &d.url)?;
    group.text(|d| &d.text)?;
    group.texts(|d| d.paragraphs.iter().map(|paragraph| paragraph.kind.as_str()).collect())?;
    group.texts(|d| d.paragraphs.iter().map(|paragraph| paragraph.text.as_str()).collect())?;
    group.text(|d| &d.metadata.domain)?;
    group.optional_text(|d| d.metadata.host.as_deref())?;
    group.optional_text(|d| d.metadata.title.as_deref())?;
    group.texts(|d| d.metadata.authors.iter().map(String::as_str).collect())?;
    group.optional_text(|d| d.metadata.published.as_deref())?;
    group.optional_text(|d| d.metadata.modified.as_deref())?;
    group.optional::<Int64Type>(|d| d.metadata.fetched.map(|at| at.as_nanosecond().div_euclid(1_000) as i64))?;
    group.optional::<Int32Type>(|d| d.metadata.fetched.and_then(nanoseconds))?;
    group.optional_text(|d| d.metadata.language.as_deref())?;
    group.optional_text(|d| d.metadata.site_name.as_deref())?;
    group.optional_text(|d| d.metadata.section.as_deref())?;
    group.optional_text(|d| d.metadata.canonical.as_deref())?;
    group.text(|d| d.provenance.method.as_str())?;
    group.optional_text(|d| d.provenance.profile.as_ref().map(|profile| profile.key.as_str()))?;
    group.optional::<Int32Type>(|d| d.provenance.profile.as_ref().map(|profile| profile.version as i32))?;
    group.optional::<Int32Type>(|d| d.provenance.profile.as_ref().map(|profile| profile.template as i32))?;
    group.text(|d| &d.provenance.stoplist)?;
    group.text(|d| &d.provenance.thresholds)?;
    group.text(|d| &d.provenance.program)?;
    group.optional_text(|d| d.provenance.warc.as_ref().map(|warc| warc.file.as_str()))?;
    group.optional::<Int64Type>(|d| d.provenance.warc.as_ref().map(|warc| warc.offset as i64))?;
    group.optional::<Int64Type>(|d| d.provenance.warc.as_ref().map(|warc| warc.length as i64))?;
    group.text(|d| &d.provenance.page_digest)?;
    group.text(|d| &d.provenance.text_digest)?;
    group.text(|d| &d.provenance.simhash)?;
    group.required::<Int32Type>(|d| d.provenance.dropped_duplicates as i32)?;
    group.optional_text(|d| d.provenance.near_duplicate_of.as_deref())?;
    group.optional::<Int32Type>(|d| d.provenance.score.map(i32::from))?;
    group.optional_text(|d| d.metadata.sources.title.map(MetadataSource::as_str))?;
    group.optional_text(|d| d.metadata.sources.authors.map(MetadataSource::as_str))?;
    group.optional_text(|d| d.metadata.sources.published.map(MetadataSource::as_str))?;
    group.optional_text(|d| d.metadata.sources.modified.map(MetadataSource::as_str))?;
    group.optional_text(|d| d.metadata.sources.site_name.map(MetadataSource::as_str))?;
    group.optional_text(|d| d.metadata.sources.section.map(MetadataSource::as_str))?;
    group.optional_text(|d| d.metadata.sources.canonical.map(MetadataSource::as_str))?;
    group.texts(|d| d.rights.restrictions.iter().map(|restriction| restriction.as_str()).collect())?;
    group.texts(|d| d.rights.contradictions.iter().map(String::as_str).collect())?;
    group.optional_text(|d| d.rights.license.as_deref())?;
    group.optional::<ByteArrayType>(signals)?;
    group.optional_text(|d| d.metadata.access.map(Access::as_str))?;
    group.optional_text(|d| d.provenance.file.as_deref())?;
    group.group.close().map(|_| ())
}

/// What was said of rights, as JSON.
fn signals(document: &Document) -> Option<ByteArray> {
    let signals = &document.rights.signals;
    (!signals.is_empty()).then(|| ByteArray::from(serde_json::to_vec(signals).expect("signals are always JSON")))
}

struct Group<'a, 'd> {
    group: SerializedRowGroupWriter<'a, SummedFile>,
    documents: &'d [Document],
}

impl<'d> Group<'_, 'd> {
    fn text(&mut self, value: impl Fn(&'d Document) -> &'d str) -> Result<(), ParquetError> {
        self.required::<ByteArrayType>(|document| bytes(value(document)))
    }

    fn optional_text(&mut self, value: impl Fn(&'d Document) -> Option<&'d str>) -> Result<(), ParquetError> {
        self.optional::<ByteArrayType>(|document| value(document).map(bytes))
    }

    fn required<T: DataType>(&mut self, value: impl Fn(&'d Document) -> T::T) -> Result<(), ParquetError> {
        let values: Vec<T::T> = self.documents.iter().map(value).collect();
        self.column::<T>(&values, None, None)
    }

    fn optional<T: DataType>(&mut self, value: impl Fn(&'d Document) -> Option<T::T>) -> Result<(), ParquetError> {
        let all: Vec<Option<T::T>> = self.documents.iter().map(value).collect();
        let defined: Vec<i16> = all.iter().map(|value| i16::from(value.is_some())).collect();
        let values: Vec<T::T> = all.into_iter().flatten().collect();
        self.column::<T>(&values, Some(&defined), None)
    }

    /// A list in each document.
    fn texts(&mut self, list: impl Fn(&'d Document) -> Vec<&'d str>) -> Result<(), ParquetError> {
        let (mut values, mut defined, mut repeated) = (Vec::new(), Vec::new(), Vec::new());
        for document in self.documents {
            let list = list(document);
            if list.is_empty() {
                defined.push(0);
                repeated.push(0);
            }
            for (n, value) in list.into_iter().enumerate() {
                values.push(bytes(value));
                defined.push(1);
                repeated.push(i16::from(n > 0));
            }
        }
        self.column::<ByteArrayType>(&values, Some(&defined), Some(&repeated))
    }

    fn column<T: DataType>(
        &mut self,
        values: &[T::T],
        defined: Option<&[i16]>,
        repeated: Option<&[i16]>,
    ) -> Result<(), ParquetError> {
        let Some(mut column) = self.group.next_column()? else {
            return Err(ParquetError::General("more columns than the schema has".to_owned()));
        };
        column.typed::<T>().write_batch(values, defined, repeated)?;
        column.close()
    }
}

/// What a time has beyond microseconds, if anything.
fn nanoseconds(at: Timestamp) -> Option<i32> {
    Some(at.as_nanosecond().rem_euclid(1_000) as i32).filter(|nanoseconds| *nanoseconds > 0)
}

fn bytes(text: &str) -> ByteArray {
    ByteArray::from(text.as_bytes().to_vec())
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use super::*;
    use crate::samples::document;
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::RowAccessor;

    #[test]
    fn rows_come_back_with_their_lists_and_nulls() {
        let dir = tempfile::tempdir().unwrap();
        let mut writer = ParquetWriter::create(dir.path()).unwrap();
        let mut first = document("a", "Árvíztűrő.");
        first.metadata.authors = vec!["Ady Endre".to_owned(), "B".to_owned()];
        first.metadata.title = Some("Cím".to_owned());
        writer.write(&first).unwrap();
        writer.write(&document("b", "Second.")).unwrap();
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
        assert!(rows[1].to_string().contains("authors: []"), "{}", rows[1]);
    }
}
