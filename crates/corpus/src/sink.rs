//! A corpus in any form, all of it or nothing: what a run leaves unfinished never looks like a corpus.

use std::path::{Path, PathBuf};

use goldminer_core::document::Document;

use crate::Format;
use crate::card::Card;
use crate::cleaneval::CleanevalWriter;
use crate::draft::CorpusDraft;
use crate::error::CorpusError;
use crate::held_file::HeldFile;
use crate::holdings::Holdings;
use crate::jsonl::JsonlWriter;
use crate::line_writer::LineWriter;
use crate::markdown::MarkdownWriter;
#[cfg(feature = "parquet")]
use crate::parquet;
use crate::tei::TeiWriter;
use crate::text::TextWriter;
use crate::vertical::VerticalWriter;
use crate::whole_file::WholeFile;

pub(super) const PARQUET_NOT_BUILT: CorpusError =
    CorpusError::NotBuilt { format: "parquet", otherwise: "keep the corpus as JSON lines" };

/// A corpus being written in one form.
pub struct Sink {
    form: Form,
    /// Of forms that are files.
    draft: Option<CorpusDraft>,
    out: PathBuf,
    format: Format,
    /// `out` is the one file of the corpus.
    is_file: bool,
    holdings: Holdings,
}

enum Form {
    Lines(LineWriter),
    OneFile(Box<WholeFile>),
    Jsonl(JsonlWriter),
    Text(TextWriter),
    Cleaneval(CleanevalWriter),
    Markdown(MarkdownWriter),
    Vertical(VerticalWriter),
    Tei(TeiWriter),
    #[cfg(feature = "parquet")]
    Parquet(Box<parquet::ParquetWriter>),
}

impl Sink {
    /// Begins a corpus in a folder, which is created where there is none and must hold no corpus of that form yet; or in one file, where
    /// `out` is no folder and has a name that files of this form have ([`Format::of_file`]).
    ///
    /// # Errors
    /// When it cannot be written, or is there already.
    pub fn create(out: &Path, format: Format) -> Result<Self, CorpusError> {
        if format == Format::Parquet && cfg!(not(feature = "parquet")) {
            return Err(PARQUET_NOT_BUILT);
        }
        let is_file = Format::of_file(out) == Some(format) && !out.is_dir();
        let draft = if is_file { CorpusDraft::of_file(out)? } else { CorpusDraft::create(out, format)? };
        let folder = draft.folder();
        let form = match format {
            Format::Jsonl if is_file => Form::one_file_of_lines(folder, out)?,
            Format::Jsonl => Form::Jsonl(JsonlWriter::create(folder)?),
            Format::Text if is_file => Form::Text(TextWriter::in_one_file(folder)),
            Format::Text => Form::Text(TextWriter::create(folder)),
            Format::Cleaneval => Form::Cleaneval(CleanevalWriter::create(folder)),
            Format::Markdown => Form::Markdown(MarkdownWriter::create(folder)),
            Format::Vertical => Form::Vertical(VerticalWriter::create(folder)?),
            Format::Tei => Form::Tei(TeiWriter::create(folder)?),
            #[cfg(feature = "parquet")]
            Format::Parquet => Form::Parquet(Box::new(parquet::ParquetWriter::create(folder)?)),
            #[cfg(not(feature = "parquet"))]
            Format::Parquet => return Err(PARQUET_NOT_BUILT),
        };
        Ok(Self { form, draft: Some(draft), out: out.to_owned(), format, is_file, holdings: Holdings::default() })
    }

    /// Begins a corpus of plain JSON lines on standard output.
    #[must_use]
    pub fn standard_output() -> Self {
        let form = Form::Lines(LineWriter::standard_output());
        let (out, format, holdings) = (PathBuf::new(), Format::Jsonl, Holdings::default());
        Self { form, draft: None, out, format, is_file: false, holdings }
    }

    /// Writes a document. In CleanEval's form the file is named after the document's id.
    ///
    /// # Errors
    /// When the disk is full or fails.
    pub fn write(&mut self, document: &Document) -> Result<(), CorpusError> {
        if self.draft.is_some() {
            self.holdings.add(document);
        }
        match &mut self.form {
            Form::Lines(writer) => writer.write(document),
            Form::OneFile(writer) => writer.write(document),
            Form::Jsonl(writer) => writer.write(document),
            Form::Text(writer) => writer.write(document),
            Form::Cleaneval(writer) => writer.write(&document.metadata.domain, &document.id, Some(document)),
            Form::Markdown(writer) => writer.write(document),
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
        match (&mut self.form, article) {
            (Form::Cleaneval(writer), article) => writer.write(domain, id, article),
            (_, Some(document)) => self.write(document),
            (_, None) => Ok(()),
        }
    }

    /// Finishes the files and puts them into their place, a folder's with their card.
    ///
    /// # Errors
    /// When the disk is full or fails; nothing of the corpus is left then.
    pub fn close(self) -> Result<(), CorpusError> {
        match self.form {
            Form::Lines(writer) => writer.close(),
            Form::OneFile(writer) => writer.finish().map(drop),
            Form::Jsonl(writer) => writer.close(),
            Form::Text(writer) => writer.close(),
            Form::Cleaneval(_) | Form::Markdown(_) => Ok(()),
            Form::Vertical(writer) => writer.close(),
            Form::Tei(writer) => writer.close(),
            #[cfg(feature = "parquet")]
            Form::Parquet(writer) => writer.close(),
        }?;
        let Some(draft) = self.draft else { return Ok(()) };
        let names = draft.finish()?;
        // CleanEval's files are held against others, page by page; and JSON lines have their card already.
        let has_card = self.format != Format::Jsonl && !self.is_file && has_lines(&self.out)?;
        if self.format != Format::Cleaneval && !self.is_file && !has_card {
            let mut card = Card { holdings: self.holdings, ..Card::of(&self.out, self.format) };
            for name in names {
                card.add(HeldFile::summed(&self.out.join(name))?);
            }
            card.write(&self.out)?;
        }
        draft.done()
    }
}

impl Form {
    /// JSON lines in one file, compressed if its name says so.
    fn one_file_of_lines(folder: &Path, out: &Path) -> Result<Self, CorpusError> {
        let path = folder.join(out.file_name().unwrap_or_default());
        if out.extension().is_some_and(|end| end.eq_ignore_ascii_case("zst")) {
            return Ok(Self::OneFile(Box::new(WholeFile::create(&folder.join(".draft"), &path)?)));
        }
        LineWriter::create(&path).map(Self::Lines)
    }
}

/// Whether JSON lines lie in a folder.
fn has_lines(folder: &Path) -> Result<bool, CorpusError> {
    let mut entries = std::fs::read_dir(folder).map_err(CorpusError::disk("read", folder))?;
    Ok(entries.any(|entry| entry.is_ok_and(|entry| entry.file_name().to_string_lossy().ends_with(".jsonl.zst"))))
}
