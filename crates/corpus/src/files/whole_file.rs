//! A file of JSON lines in zstd that is there whole or not at all: written beside, renamed when it is durable.
//!
//! This is how `extract` writes the documents of one domain. A running crawl appends instead (`jsonl`).

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use goldminer_core::document::Document;
use goldminer_warc::durable;
use zstd::stream::write::Encoder;

use super::frames;
use super::held_file::{HeldFile, Summing};
use crate::error::CorpusError;
use crate::forms::form::{FormWriter, json_line};
use crate::holdings::Holdings;

/// A file being written.
pub struct WholeFile {
    draft: PathBuf,
    path: PathBuf,
    lines: Encoder<'static, Summing<BufWriter<File>>>,
    holdings: Holdings,
}

impl WholeFile {
    /// Begins a file in `draft`, which is to become `path` on the same file system. A draft that is there is written
    /// over.
    ///
    /// # Errors
    /// When the draft cannot be written.
    pub fn create(draft: &Path, path: &Path) -> Result<Self, CorpusError> {
        let file = File::create(draft).map_err(CorpusError::disk("create", draft))?;
        let file = Summing::new(BufWriter::with_capacity(256 << 10, file));
        let lines = frames::encoder(file).map_err(CorpusError::disk("compress for", draft))?;
        let (draft, path) = (draft.to_owned(), path.to_owned());
        Ok(Self { draft, path, lines, holdings: Holdings::default() })
    }

    /// Writes a document.
    ///
    /// # Errors
    /// When the disk is full or fails.
    pub fn write(&mut self, document: &Document) -> Result<(), CorpusError> {
        self.holdings.add(document);
        self.lines.write_all(&json_line(document)).map_err(CorpusError::disk("write to", &self.draft))
    }

    /// Writes a line that is there already, with its end.
    ///
    /// # Errors
    /// When the disk is full or fails, or the line is no document.
    pub fn write_line(&mut self, line: &[u8]) -> Result<(), CorpusError> {
        let document: Document = serde_json::from_slice(line).map_err(|cause| CorpusError::Line {
            path: self.path.clone(),
            line: self.holdings.documents + 1,
            cause: cause.to_string(),
        })?;
        self.holdings.add(&document);
        self.lines.write_all(line).map_err(CorpusError::disk("write to", &self.draft))
    }

    /// Makes the file durable and gives it its name; what is in it.
    ///
    /// # Errors
    /// When the disk is full or fails.
    pub fn finish(self) -> Result<HeldFile, CorpusError> {
        let disk = || CorpusError::disk("write to", &self.draft);
        let (file, held) = self.lines.finish().map_err(disk())?.finish(&self.path);
        drop(file.into_inner().map_err(|e| disk()(e.into_error()))?);
        durable::publish(&self.draft, &self.path).map_err(CorpusError::disk("rename a file to", &self.path))?;
        Ok(HeldFile { holdings: self.holdings, ..held })
    }
}

impl FormWriter for WholeFile {
    fn write(&mut self, document: &Document) -> Result<(), CorpusError> {
        Self::write(self, document)
    }

    fn close(self: Box<Self>) -> Result<(), CorpusError> {
        self.finish().map(drop)
    }
}
