//! Reading a corpus back, document by document, in bounded memory.

use std::collections::VecDeque;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use super::error::CorpusError;
use crate::document::Document;

/// A document's line may not be longer: four times what the longest page gives.
const MAX_LINE_BYTES: u64 = 64 << 20;

/// The documents of a corpus; made by [`read()`].
pub struct Documents {
    files: VecDeque<PathBuf>,
    open: Option<OpenFile>,
}

struct OpenFile {
    path: PathBuf,
    lines: Box<dyn BufRead + Send>,
    /// Lines read so far.
    line: u64,
}

/// Reads a corpus: a file `*.jsonl` or `*.jsonl.zst`, or a folder of such files, in the order of their names. A line that is
/// no document is an error that names it; the documents behind it still follow.
///
/// # Errors
/// When there is no such file, or the folder holds none.
pub fn read(corpus: &Path) -> Result<Documents, CorpusError> {
    let mut files = vec![corpus.to_owned()];
    if fs::metadata(corpus).map_err(CorpusError::disk("read", corpus))?.is_dir() {
        files.clear();
        for entry in fs::read_dir(corpus).map_err(CorpusError::disk("read", corpus))? {
            let path = entry.map_err(CorpusError::disk("read", corpus))?.path();
            let name = path.to_string_lossy();
            if name.ends_with(".jsonl.zst") || name.ends_with(".jsonl") {
                files.push(path);
            }
        }
        files.sort_unstable();
    }
    if files.is_empty() {
        return Err(CorpusError::NoCorpus { path: corpus.to_owned() });
    }
    Ok(Documents { files: files.into(), open: None })
}

impl Iterator for Documents {
    type Item = Result<Document, CorpusError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if self.open.is_none() {
                let path = self.files.pop_front()?;
                match OpenFile::open(path) {
                    Ok(file) => self.open = Some(file),
                    Err(error) => return Some(Err(error)),
                }
            }
            let document = self.open.as_mut()?.next_document();
            // Behind a damaged place of a file nothing is certain.
            if !matches!(document, Ok(Some(_)) | Err(CorpusError::Line { .. })) {
                self.open = None;
            }
            if let Some(document) = document.transpose() {
                return Some(document);
            }
        }
    }
}

impl OpenFile {
    fn open(path: PathBuf) -> Result<Self, CorpusError> {
        let file = File::open(&path).map_err(CorpusError::disk("open", &path))?;
        // A file without a byte is a corpus without a document, not half a frame.
        let is_empty = file.metadata().map_err(CorpusError::disk("read", &path))?.len() == 0;
        let lines: Box<dyn BufRead + Send> =
            if !is_empty && path.extension().is_some_and(|extension| extension == "zst") {
                let decoder = zstd::Decoder::new(file).map_err(CorpusError::disk("decompress", &path))?;
                Box::new(BufReader::with_capacity(256 << 10, decoder))
            } else {
                Box::new(BufReader::new(file))
            };
        Ok(Self { path, lines, line: 0 })
    }

    fn next_document(&mut self) -> Result<Option<Document>, CorpusError> {
        let mut line = Vec::new();
        loop {
            line.clear();
            match self.lines.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', &mut line) {
                Ok(0) => return Ok(None),
                Ok(_) => {}
                Err(e) if e.kind() == io::ErrorKind::UnexpectedEof => return Err(self.cut_off()),
                Err(e) => return Err(CorpusError::disk("read", &self.path)(e)),
            }
            let is_whole = line.ends_with(b"\n");
            if !is_whole && line.len() as u64 == MAX_LINE_BYTES {
                return Err(CorpusError::disk("read", &self.path)(io::Error::other(format!(
                    "line {} is longer than {MAX_LINE_BYTES} bytes",
                    self.line + 1
                ))));
            }
            if !line.trim_ascii().is_empty() {
                let document = serde_json::from_slice(&line);
                if document.is_err() && !is_whole {
                    return Err(self.cut_off());
                }
                self.line += 1;
                return document.map(Some).map_err(|cause| CorpusError::Line {
                    path: self.path.clone(),
                    line: self.line,
                    cause: cause.to_string(),
                });
            }
            self.line += 1;
        }
    }

    fn cut_off(&self) -> CorpusError {
        CorpusError::CutOff { path: self.path.clone(), line: self.line }
    }
}
