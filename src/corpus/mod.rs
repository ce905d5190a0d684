//! The corpus: documents on disk, in the forms that corpus people and their tools expect.
//!
//! JSON lines are the corpus proper: [`jsonl`] writes them exactly once even when the process dies, and all other forms
//! are made from the same [`Document`]. A [`Sink`] writes any form; [`read()`] reads back the two that lose nothing,
//! JSON lines and Parquet. Nothing here decides which documents are worth writing.

pub mod jsonl;

mod cleaneval;
mod error;
mod filter;
mod lines;
mod names;
#[cfg(feature = "parquet")]
mod parquet;
mod read;
#[cfg(test)]
mod samples;
mod tei;
mod text;
mod vertical;
mod whole_file;
mod xml;

use std::fs::{self, File, OpenOptions};
use std::io::BufWriter;
use std::path::Path;

pub use cleaneval::markup;
pub use error::CorpusError;
pub use filter::Filter;
pub use names::file_name;
pub use read::{Documents, read};
pub use whole_file::WholeFile;

use crate::document::Document;
use cleaneval::CleanevalWriter;
use jsonl::JsonlWriter;
use tei::TeiWriter;
use text::TextWriter;
use vertical::VerticalWriter;

/// A form of corpus.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// JSON lines in zstd: `part-00000.jsonl.zst` and so on. Nothing is lost in it.
    Jsonl,
    /// Plain text, one file a domain (`<domain>.txt`): a paragraph a line, an empty line after each document.
    Text,
    /// CleanEval's markup, one file a page (`<domain>/<id>.txt`), empty for pages without an article.
    Cleaneval,
    /// One word a line with structural attributes (`corpus.vert`), for Sketch Engine and the Corpus Workbench.
    Vertical,
    /// TEI P5, one `teiCorpus` (`corpus.xml`).
    Tei,
    /// Parquet (`corpus.parquet`), a row a document; nothing is lost in it. Programs built without the feature
    /// `parquet`, which is a default one, refuse it.
    Parquet,
}

impl Format {
    /// Every form.
    pub const ALL: [Self; 6] = [Self::Jsonl, Self::Text, Self::Cleaneval, Self::Vertical, Self::Tei, Self::Parquet];

    /// The name on the command line.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Jsonl => "jsonl",
            Self::Text => "text",
            Self::Cleaneval => "cleaneval",
            Self::Vertical => "vertical",
            Self::Tei => "tei",
            Self::Parquet => "parquet",
        }
    }
}

const PARQUET_NOT_BUILT: CorpusError =
    CorpusError::NotBuilt { format: "parquet", otherwise: "keep the corpus as JSON lines" };

/// A corpus being written in one form.
pub struct Sink(Form);

enum Form {
    Jsonl(JsonlWriter),
    Text(TextWriter),
    Cleaneval(CleanevalWriter),
    Vertical(VerticalWriter),
    Tei(TeiWriter),
    #[cfg(feature = "parquet")]
    Parquet(Box<parquet::ParquetWriter>),
}

impl Sink {
    /// Begins a corpus in a folder, which is created where there is none. CleanEval files of the same names are written
    /// over; of every other form the folder must hold none yet.
    ///
    /// # Errors
    /// When the folder cannot be written, or already holds a corpus of that form.
    pub fn create(out: &Path, format: Format) -> Result<Self, CorpusError> {
        if format == Format::Parquet && cfg!(not(feature = "parquet")) {
            return Err(PARQUET_NOT_BUILT);
        }
        fs::create_dir_all(out).map_err(CorpusError::disk("create", out))?;
        Ok(Self(match format {
            Format::Jsonl => Form::Jsonl(JsonlWriter::create(out)?),
            Format::Text => Form::Text(TextWriter::create(out)),
            Format::Cleaneval => Form::Cleaneval(CleanevalWriter::create(out)),
            Format::Vertical => Form::Vertical(VerticalWriter::create(out)?),
            Format::Tei => Form::Tei(TeiWriter::create(out)?),
            #[cfg(feature = "parquet")]
            Format::Parquet => Form::Parquet(Box::new(parquet::ParquetWriter::create(out)?)),
            #[cfg(not(feature = "parquet"))]
            Format::Parquet => return Err(PARQUET_NOT_BUILT),
        }))
    }

    /// Writes a document. In CleanEval's form the file is named after the document's id.
    ///
    /// # Errors
    /// When the disk is full or fails.
    pub fn write(&mut self, document: &Document) -> Result<(), CorpusError> {
        match &mut self.0 {
            Form::Jsonl(writer) => writer.write(document),
            Form::Text(writer) => writer.write(document),
            Form::Cleaneval(writer) => writer.write(&document.metadata.domain, &document.id, Some(document)),
            Form::Vertical(writer) => writer.write(document),
            Form::Tei(writer) => writer.write(document),
            #[cfg(feature = "parquet")]
            Form::Parquet(writer) => writer.write(document),
        }
    }

    /// Writes what a page gave, under the page's own name. A page without an article leaves an empty file in
    /// CleanEval's form, and nothing in the others.
    ///
    /// # Errors
    /// When the disk is full or fails.
    pub fn page(&mut self, domain: &str, id: &str, article: Option<&Document>) -> Result<(), CorpusError> {
        match (&mut self.0, article) {
            (Form::Cleaneval(writer), article) => writer.write(domain, id, article),
            (_, Some(document)) => self.write(document),
            (_, None) => Ok(()),
        }
    }

    /// Finishes the files.
    ///
    /// # Errors
    /// When the disk is full or fails; the corpus is then not whole.
    pub fn close(self) -> Result<(), CorpusError> {
        match self.0 {
            Form::Jsonl(writer) => writer.close(),
            Form::Text(writer) => writer.close(),
            Form::Cleaneval(_) => Ok(()),
            Form::Vertical(writer) => writer.close(),
            Form::Tei(writer) => writer.close(),
            #[cfg(feature = "parquet")]
            Form::Parquet(writer) => writer.close(),
        }
    }
}

/// Begins a file that must not be there yet.
fn create_file(path: &Path) -> Result<BufWriter<File>, CorpusError> {
    match OpenOptions::new().write(true).create_new(true).open(path) {
        Ok(file) => Ok(BufWriter::with_capacity(64 << 10, file)),
        Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists => Err(CorpusError::Exists { path: path.to_owned() }),
        Err(e) => Err(CorpusError::disk("create", path)(e)),
    }
}

/// Writes out what is buffered, and makes it durable.
fn finish_file(path: &Path, file: BufWriter<File>) -> Result<(), CorpusError> {
    let file = file.into_inner().map_err(|e| CorpusError::disk("write to", path)(e.into_error()))?;
    file.sync_all().map_err(CorpusError::disk("sync", path))
}
