//! A file of JSON lines in zstd that is there whole or not at all: written beside, renamed when it is durable.
//!
//! This is how `extract` writes the documents of one domain. A running crawl appends instead (`jsonl`).

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use goldminer_core::document::Document;
use goldminer_warc::durable;
use zstd::stream::write::Encoder;

use crate::error::CorpusError;
use crate::held_file::{HeldFile, Summing};
use crate::holdings::Holdings;
use crate::jsonl::ZSTD_LEVEL;

/// A file being written.
pub struct WholeFile {
    draft: PathBuf,
    path: PathBuf,
    lines: Encoder<'static, Summing<BufWriter<File>>>,
    line: Vec<u8>,
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
        let disk = || CorpusError::disk("compress for", draft);
        let file = Summing::new(BufWriter::with_capacity(256 << 10, file));
        let mut lines = Encoder::new(file, ZSTD_LEVEL).map_err(disk())?;
        lines.include_checksum(true).map_err(disk())?;
        let (draft, path) = (draft.to_owned(), path.to_owned());
        Ok(Self { draft, path, lines, line: Vec::new(), holdings: Holdings::default() })
    }

    /// Writes a document.
    ///
    /// # Errors
    /// When the disk is full or fails.
    pub fn write(&mut self, document: &Document) -> Result<(), CorpusError> {
        self.holdings.add(document);
        self.line.clear();
        document.append_json_line(&mut self.line);
        self.lines.write_all(&self.line).map_err(CorpusError::disk("write to", &self.draft))
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
