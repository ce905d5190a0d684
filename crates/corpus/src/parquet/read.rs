//! Documents out of a Parquet file that `write` made, or that another program made with the same columns.

use std::collections::VecDeque;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::slice::IterMut;
use std::sync::Arc;

use goldminer_core::document::{Document, DocumentParagraph, MetadataSource, MetadataSources, ProfileUse};
use goldminer_html::capture::ArchivePosition;
use goldminer_warc::caught::caught;
use jiff::Timestamp;
use parquet::basic::CompressionCodec;
use parquet::errors::ParquetError;
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::SchemaDescriptor;
use serde::Deserialize;
use serde::de::IntoDeserializer;
use serde::de::value::Error as NoVariant;

use super::checksum::Checksums;
use super::column::{Column, fits};
use super::{FIRST_COLUMNS, SCHEMA};
use crate::error::CorpusError;

/// Documents that are decoded at a time.
const STRETCH_ROWS: usize = 256;

/// A file being read.
pub(crate) struct ParquetFile {
    path: PathBuf,
    file: SerializedFileReader<File>,
    checksums: Checksums,
    /// Where the file has each column of the schema; later ones may be missing.
    places: Vec<Option<usize>>,
    /// The row group after the open one.
    next_group: usize,
    /// Those of the open group, in the order of the schema.
    columns: Vec<Option<Column>>,
    /// Rows of the open group that are not decoded yet.
    rows_left: usize,
    /// Rows decoded so far.
    rows: u64,
    ready: VecDeque<Document>,
}

impl ParquetFile {
    /// Opens a file and looks at its columns.
    ///
    /// # Errors
    /// When it is no whole Parquet file, or lacks a column.
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
        let places = places(&path, footer.schema_descr())?;
        let width = footer.schema_descr().num_columns();
        if file.metadata().row_groups().iter().any(|group| group.num_columns() != width) {
            return Err(damaged(&path, "a row group has not the columns of the file".to_owned()));
        }
        let mut groups = file.metadata().row_groups().iter();
        if let Some(codec) = groups.find_map(|group| places.iter().flatten().find_map(|at| unread(group.column(*at)))) {
            return Err(CorpusError::Compression { path, codec: codec.to_string() });
        }
        let (columns, ready) = (Vec::new(), VecDeque::new());
        Ok(Self { path, file, checksums, places, next_group: 0, columns, rows_left: 0, rows: 0, ready })
    }

    /// The next document; none at the end.
    ///
    /// # Errors
    /// When the file is damaged, or a value is none that a document may have.
    pub(crate) fn next_document(&mut self) -> Result<Option<Document>, CorpusError> {
        if self.ready.is_empty() {
            let path = self.path.clone();
            guarded(&path, || self.fill())?;
        }
        Ok(self.ready.pop_front())
    }

    /// Decodes the next rows, if there are any.
    fn fill(&mut self) -> Result<(), CorpusError> {
        while self.ready.is_empty() && (self.rows_left > 0 || self.open_group()?) {
            self.decode()?;
        }
        Ok(())
    }

    /// Opens the next row group, if there is one.
    fn open_group(&mut self) -> Result<bool, CorpusError> {
        let number = self.next_group;
        if number >= self.file.num_row_groups() {
            return Ok(false);
        }
        self.next_group += 1;
        if !self.checksums.holds(number).map_err(CorpusError::disk("read", &self.path))? {
            return Err(damaged(&self.path, format!("row group {number} is not as it was written")));
        }
        let (path, file, places) = (&self.path, &self.file, &self.places);
        let columns = || {
            let group = file.get_row_group(number)?;
            let columns = places.iter().map(|at| {
                let Some(at) = *at else { return Ok(None) };
                let descriptor = group.metadata().schema_descr().column(at);
                Ok(Some(Column::new(&descriptor, group.get_column_reader(at)?)))
            });
            columns.collect::<Result<Vec<_>, ParquetError>>()
        };
        self.columns = columns().map_err(|e| unreadable(path, e))?;
        let rows = file.metadata().row_group(number).num_rows();
        self.rows_left =
            usize::try_from(rows).map_err(|_| damaged(path, format!("row group {number} has {rows} rows")))?;
        Ok(true)
    }

    fn decode(&mut self) -> Result<(), CorpusError> {
        let count = self.rows_left.min(STRETCH_ROWS);
        let documents = vec![Document::default(); count];
        let stretch = Stretch { path: &self.path, columns: self.columns.iter_mut(), row: self.rows, documents };
        self.ready = stretch.decode()?.into();
        self.rows += count as u64;
        self.rows_left -= count;
        Ok(())
    }
}

/// Some rows on their way to documents, column by column.
struct Stretch<'a> {
    path: &'a Path,
    columns: IterMut<'a, Option<Column>>,
    /// Rows before these.
    row: u64,
    documents: Vec<Document>,
}

impl Stretch<'_> {
    /// Reads the columns in the order of [`SCHEMA`].
    fn decode(mut self) -> Result<Vec<Document>, CorpusError> {
        self.text(|d, id| d.id = id)?;
        self.text(|d, url| d.url = url)?;
        self.text(|d, text| d.text = text)?;
        self.texts(begin_paragraphs)?;
        self.texts(fill_paragraphs)?;
        self.text(|d, domain| d.metadata.domain = domain)?;
        self.optional_text(|d, host| d.metadata.host = host)?;
        self.optional_text(|d, title| d.metadata.title = title)?;
        self.texts(|d, authors| {
            d.metadata.authors = authors;
            Ok(())
        })?;
        self.optional_text(|d, published| d.metadata.published = published)?;
        self.optional_text(|d, modified| d.metadata.modified = modified)?;
        self.numbers(|d, microseconds| match microseconds {
            Some(microseconds) => fetched(d, i128::from(microseconds) * 1_000),
            None => Ok(()),
        })?;
        self.numbers(|d, nanoseconds| match (d.metadata.fetched, nanoseconds) {
            (Some(at), Some(nanoseconds)) => fetched(d, at.as_nanosecond() + i128::from(nanoseconds)),
            _ => Ok(()),
        })?;
        self.optional_text(|d, language| d.metadata.language = language)?;
        self.optional_text(|d, site_name| d.metadata.site_name = site_name)?;
        self.optional_text(|d, section| d.metadata.section = section)?;
        self.optional_text(|d, canonical| d.metadata.canonical = canonical)?;
        self.texts(|d, method| {
            d.provenance.method = variant(&one(method)?)?;
            Ok(())
        })?;
        self.optional_text(|d, key| {
            d.provenance.profile = key.map(|key| ProfileUse::new(key, 0, 0));
        })?;
        // Unsigned numbers stand in signed columns with the same bits.
        self.of_profile(|profile, version| profile.version = version as u32)?;
        self.of_profile(|profile, template| profile.template = template as u32)?;
        self.text(|d, stoplist| d.provenance.stoplist = stoplist)?;
        self.text(|d, thresholds| d.provenance.thresholds = thresholds)?;
        self.text(|d, program| d.provenance.program = program)?;
        self.optional_text(|d, file| {
            d.provenance.warc = file.map(|file| ArchivePosition::new(file, 0, 0));
        })?;
        self.of_warc(|warc, offset| warc.offset = offset as u64)?;
        self.of_warc(|warc, length| warc.length = length as u64)?;
        self.text(|d, page_digest| d.provenance.page_digest = page_digest)?;
        self.text(|d, text_digest| d.provenance.text_digest = text_digest)?;
        self.text(|d, simhash| d.provenance.simhash = simhash)?;
        self.numbers(|d, dropped| {
            d.provenance.dropped_duplicates = dropped.ok_or("has no value")? as u32;
            Ok(())
        })?;
        self.optional_text(|d, id| d.provenance.near_duplicate_of = id)?;
        self.numbers(|d, score| {
            let score = score.map(|score| u16::try_from(score).map_err(|_| "is no number of thousandths"));
            d.provenance.score = score.transpose()?;
            Ok(())
        })?;
        self.source(|sources| &mut sources.title)?;
        self.source(|sources| &mut sources.authors)?;
        self.source(|sources| &mut sources.published)?;
        self.source(|sources| &mut sources.modified)?;
        self.source(|sources| &mut sources.site_name)?;
        self.source(|sources| &mut sources.section)?;
        self.source(|sources| &mut sources.canonical)?;
        self.texts(|d, restrictions| {
            d.rights.restrictions = restrictions.iter().map(|name| variant(name)).collect::<Result<_, String>>()?;
            Ok(())
        })?;
        self.texts(|d, contradictions| {
            d.rights.contradictions = contradictions;
            Ok(())
        })?;
        self.optional_text(|d, license| d.rights.license = license)?;
        self.texts(|d, mut signals| {
            let signals = signals.pop().map(|json| serde_json::from_str(&json)).transpose();
            d.rights.signals = signals.map_err(|e| format!("has no list of signals ({e})"))?.unwrap_or_default();
            Ok(())
        })?;
        self.texts(|d, mut access| {
            d.metadata.access = access.pop().map(|name| variant(&name)).transpose()?;
            Ok(())
        })?;
        self.optional_text(|d, file| d.provenance.file = file)?;
        Ok(self.documents)
    }

    fn text(&mut self, set: impl Fn(&mut Document, String)) -> Result<(), CorpusError> {
        self.texts(|document, values| {
            set(document, one(values)?);
            Ok(())
        })
    }

    fn optional_text(&mut self, set: impl Fn(&mut Document, Option<String>)) -> Result<(), CorpusError> {
        self.texts(|document, mut values| {
            set(document, values.pop());
            Ok(())
        })
    }

    /// Which source said something of the metadata.
    fn source(
        &mut self,
        slot: impl Fn(&mut MetadataSources) -> &mut Option<MetadataSource>,
    ) -> Result<(), CorpusError> {
        self.texts(|document, mut values| {
            *slot(&mut document.metadata.sources) = values.pop().map(|name| variant(&name)).transpose()?;
            Ok(())
        })
    }

    fn of_profile(&mut self, set: impl Fn(&mut ProfileUse, i64)) -> Result<(), CorpusError> {
        self.numbers(|document, number| {
            let Some(profile) = &mut document.provenance.profile else { return Ok(()) };
            set(profile, number.ok_or("has no value, but there is a profile")?);
            Ok(())
        })
    }

    fn of_warc(&mut self, set: impl Fn(&mut ArchivePosition, i64)) -> Result<(), CorpusError> {
        self.numbers(|document, number| {
            let Some(warc) = &mut document.provenance.warc else { return Ok(()) };
            set(warc, number.ok_or("has no value, but there is a WARC file")?);
            Ok(())
        })
    }

    /// The next column, one of texts.
    fn texts(&mut self, set: impl Fn(&mut Document, Vec<String>) -> Result<(), String>) -> Result<(), CorpusError> {
        self.column(Column::texts, set)
    }

    /// The next column, one of numbers.
    fn numbers(&mut self, set: impl Fn(&mut Document, Option<i64>) -> Result<(), String>) -> Result<(), CorpusError> {
        self.column(Column::numbers, |document, mut values| set(document, values.pop()))
    }

    fn column<V>(
        &mut self,
        read: impl Fn(&mut Column, usize) -> Result<Vec<Vec<V>>, String>,
        set: impl Fn(&mut Document, Vec<V>) -> Result<(), String>,
    ) -> Result<(), CorpusError> {
        let Some(column) = self.columns.next().expect("the schema has all of them") else { return Ok(()) };
        let name = column.name.clone();
        let (path, before) = (self.path, self.row);
        let wrong = |cause: String| CorpusError::Column { path: path.to_owned(), column: name.clone(), cause };
        let rows = read(column, self.documents.len())
            .map_err(|cause| wrong(format!("{cause}, in row {} or soon after", before + 1)))?;
        for (n, (document, values)) in self.documents.iter_mut().zip(rows).enumerate() {
            set(document, values).map_err(|cause| wrong(format!("{cause}, in row {}", before + 1 + n as u64)))?;
        }
        Ok(())
    }
}

/// The compression of a column, if it is one that the program is not built with.
fn unread(column: &ColumnChunkMetaData) -> Option<CompressionCodec> {
    let codec = column.compression_codec();
    (!matches!(codec, CompressionCodec::UNCOMPRESSED | CompressionCodec::SNAPPY | CompressionCodec::ZSTD))
        .then_some(codec)
}

/// Where a file has each column of [`SCHEMA`].
fn places(path: &Path, theirs: &SchemaDescriptor) -> Result<Vec<Option<usize>>, CorpusError> {
    let ours = SchemaDescriptor::new(Arc::new(parse_message_type(SCHEMA).expect("the schema is one")));
    let place = |(number, column): (usize, &Arc<parquet::schema::types::ColumnDescriptor>)| {
        let wrong =
            |cause: String| CorpusError::Column { path: path.to_owned(), column: column.path().string(), cause };
        let Some(at) = theirs.columns().iter().position(|their| their.path() == column.path()) else {
            return if number < FIRST_COLUMNS { Err(wrong("is missing".to_owned())) } else { Ok(None) };
        };
        if !fits(column, theirs.column(at).as_ref()) {
            return Err(wrong(format!("is of another type ({})", theirs.column(at).physical_type())));
        }
        Ok(Some(at))
    };
    ours.columns().iter().enumerate().map(place).collect()
}

fn begin_paragraphs(document: &mut Document, kinds: Vec<String>) -> Result<(), String> {
    let begin = |kind: String| Ok(DocumentParagraph::new(variant(&kind)?, ""));
    document.paragraphs = kinds.into_iter().map(begin).collect::<Result<_, String>>()?;
    Ok(())
}

fn fill_paragraphs(document: &mut Document, texts: Vec<String>) -> Result<(), String> {
    if texts.len() != document.paragraphs.len() {
        return Err(format!("has {} texts for {} paragraphs", texts.len(), document.paragraphs.len()));
    }
    document.paragraphs.iter_mut().zip(texts).for_each(|(paragraph, text)| paragraph.text = text);
    Ok(())
}

fn fetched(document: &mut Document, nanosecond: i128) -> Result<(), String> {
    document.metadata.fetched = Some(Timestamp::from_nanosecond(nanosecond).map_err(|e| format!("has no time ({e})"))?);
    Ok(())
}

fn one(mut values: Vec<String>) -> Result<String, String> {
    values.pop().ok_or_else(|| "has no value".to_owned())
}

/// A kind or a method by the name that JSON lines have, too.
fn variant<'a, T: Deserialize<'a>>(name: &'a str) -> Result<T, String> {
    T::deserialize(name.into_deserializer()).map_err(|e: NoVariant| format!("has an {e}"))
}

/// The decoder takes some damage for impossible and panics: nothing of it runs outside of this.
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
    CorpusError::Parquet { path: path.to_owned(), cause }
}
