//! Documents out of one file of JSON lines, compressed or not.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::PathBuf;

use goldminer_core::document::Document;

use super::survivors::{self, Survivors};
use crate::error::CorpusError;

/// A document's line may not be longer: four times what the longest page gives.
const MAX_LINE_BYTES: u64 = 64 << 20;

/// A file being read.
pub(crate) struct Lines {
    path: PathBuf,
    lines: Box<dyn BufRead + Send>,
    /// Lines read so far.
    line: u64,
}

impl Lines {
    pub(crate) fn open(path: PathBuf) -> Result<Self, CorpusError> {
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

    pub(crate) fn next_document(&mut self) -> Result<Option<Document>, CorpusError> {
        let mut line = Vec::new();
        loop {
            line.clear();
            match self.lines.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', &mut line) {
                Ok(0) => return Ok(None),
                Ok(_) => {}
                Err(e) if e.kind() == io::ErrorKind::UnexpectedEof => return Err(self.cut_off()),
                Err(e) if e.raw_os_error().is_none() => return Err(self.damaged(&e)),
                Err(e) => return Err(CorpusError::disk("read", &self.path)(e)),
            }
            let is_whole = line.ends_with(b"\n");
            if !is_whole && line.len() as u64 == MAX_LINE_BYTES {
                let cause = format!("it is longer than {MAX_LINE_BYTES} bytes");
                return Err(CorpusError::line(&self.path, self.line + 1, cause));
            }
            if !line.trim_ascii().is_empty() {
                let document = serde_json::from_slice(&line);
                if document.is_err() && !is_whole {
                    return Err(self.cut_off());
                }
                self.line += 1;
                return document.map(Some).map_err(|cause| CorpusError::line(&self.path, self.line, cause));
            }
            self.line += 1;
        }
    }

    fn damaged(&self, cause: &io::Error) -> CorpusError {
        let Survivors { frame, offset, before, behind, .. } = match survivors::count(&self.path) {
            Ok(survivors) => survivors,
            Err(cause) => return CorpusError::disk("read", &self.path)(cause),
        };
        CorpusError::Damaged(format!(
            "{} is damaged behind line {}, in frame {frame} at byte {offset} ({cause}): {before} documents before that frame \
             and {behind} behind it are whole. Restore it from a copy, or make it again from the stored pages with \
             `goldminer extract`",
            self.path.display(),
            self.line
        ))
    }

    fn cut_off(&self) -> CorpusError {
        CorpusError::CutOff { path: self.path.clone(), line: self.line }
    }
}
