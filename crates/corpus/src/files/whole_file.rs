//! A file of JSON lines in zstd that exists completely or not at all: it is written under another name (the draft), and
//! renamed once it is durable.
//!
//! `extract` writes the documents of one domain in this way; a running crawl appends instead (`jsonl`). When a file is
//! finished, its length, checksum and counts are known. For an existing file, [`HeldFile::summed`] reads the length and
//! computes the checksum.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

use data_encoding::HEXLOWER;
use goldminer_core::document::Document;
use goldminer_warc::durable;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use zstd::stream::write::Encoder;

use super::frames;
use crate::error::CorpusError;
use crate::forms::form::{FormWriter, json_line};
use crate::holdings::Holdings;

/// A file of documents that is being written.
pub struct WholeFile {
    draft: PathBuf,
    path: PathBuf,
    lines: Encoder<'static, Summing<BufWriter<File>>>,
    holdings: Holdings,
}

impl WholeFile {
    /// Begins a file at `draft`, which will be renamed to `path` on the same file system. An existing draft is
    /// overwritten.
    ///
    /// # Errors
    /// Fails if the draft cannot be written.
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
    /// Fails if the disk is full or fails.
    pub fn write(&mut self, document: &Document) -> Result<(), CorpusError> {
        self.holdings.add(document);
        self.lines.write_all(&json_line(document)).map_err(CorpusError::disk("write to", &self.draft))
    }

    /// Writes a document's line from another file without changes. The line includes its line end.
    ///
    /// # Errors
    /// Fails if the disk is full or fails, or the line is not a document.
    pub fn write_line(&mut self, line: &[u8]) -> Result<(), CorpusError> {
        let broken = |cause| CorpusError::line(&self.path, self.holdings.documents + 1, cause);
        let document: Document = serde_json::from_slice(line).map_err(broken)?;
        self.holdings.add(&document);
        self.lines.write_all(line).map_err(CorpusError::disk("write to", &self.draft))
    }

    /// Makes the file durable and renames it. Returns its description.
    ///
    /// # Errors
    /// Fails if the disk is full or fails.
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

/// The name, length, checksum and counts of a finished file of a corpus.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeldFile {
    /// The name of the file in the folder of the corpus.
    pub name: String,
    /// The length of the file in bytes.
    pub bytes: u64,
    /// The SHA-256 of the file, as hexadecimal digits.
    pub sha256: String,
    /// Counts of the documents in the file; empty if they are known only for the whole corpus.
    #[serde(default)]
    pub holdings: Holdings,
}

impl HeldFile {
    /// Reads the length and computes the checksum of an existing file, without counts.
    ///
    /// # Errors
    /// Fails if the file cannot be read.
    pub fn summed(path: &Path) -> Result<Self, CorpusError> {
        let disk = || CorpusError::disk("read", path);
        let mut file = BufReader::with_capacity(256 << 10, File::open(path).map_err(disk())?);
        let mut sum = Summing::new(io::sink());
        io::copy(&mut file, &mut sum).map_err(disk())?;
        Ok(sum.finish(path).1)
    }
}

/// A writer that passes bytes on and computes their checksum.
struct Summing<W> {
    to: W,
    sum: Sha256,
    bytes: u64,
}

impl<W: Write> Summing<W> {
    fn new(to: W) -> Self {
        Self { to, sum: Sha256::new(), bytes: 0 }
    }

    /// The inner writer, and the description of the file, with the name from `path`.
    fn finish(self, path: &Path) -> (W, HeldFile) {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let sha256 = HEXLOWER.encode(&self.sum.finalize());
        (self.to, HeldFile { name, bytes: self.bytes, sha256, holdings: Holdings::default() })
    }
}

impl<W: Write> Write for Summing<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.to.write(bytes)?;
        self.sum.update(&bytes[..written]);
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}
