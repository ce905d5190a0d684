//! The main format: documents as JSON lines in zstd, each exactly once.
//!
//! Files are named `part-00000.jsonl.zst` and so on. A commit ends a zstd frame, makes it durable, and returns a
//! [`CorpusPosition`]. The caller stores it together with its other results (`goldminer_crawl::store::extraction`).
//! When a corpus is opened at a position, everything after it is cut off: these documents were written but never
//! committed, and will be written again.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use goldminer_core::document::Document;
use serde::{Deserialize, Serialize};
use zstd::stream::write::Encoder;

use super::form::{FormWriter, json_line};
use crate::error::CorpusError;
use crate::files::frames;

/// The committed state of a corpus.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct CorpusPosition {
    /// The number of the file that is being written.
    pub part: u32,
    /// The committed length of this file in bytes.
    pub bytes: u64,
    /// The number of documents in all files up to this position.
    pub documents: u64,
}

/// The length from which a commit ends a compressed file, in bytes. Such a file holds 1.3 GB of JSON, a convenient
/// amount for one core.
const ROLL_AT_BYTES: u64 = 256 << 20;

/// Writes the corpus of a directory. There must be only one writer per directory at a time.
pub struct JsonlWriter {
    dir: PathBuf,
    roll_at_bytes: u64,
    committed: CorpusPosition,
    documents: u64,
    frame: Option<Encoder<'static, File>>,
    failed: bool,
}

impl JsonlWriter {
    /// Opens the corpus of a job at its committed position, and cuts off everything after it. Documents that were
    /// written but not committed will be written again. No position means that nothing was ever committed.
    ///
    /// # Errors
    /// Fails if the directory cannot be read or written, or committed documents are missing. It also fails if there
    /// are more documents after the position than one commit writes: then the position is wrong, and nothing is cut
    /// off.
    pub fn open(dir: &Path, committed: Option<CorpusPosition>) -> Result<Self, CorpusError> {
        let committed = committed.unwrap_or_default();
        refuse_more_than_a_commit(dir, committed)?;
        fs::create_dir_all(dir).map_err(CorpusError::disk("create", dir))?;
        for part in 0..committed.part {
            let path = part_path(dir, part);
            if !path.exists() {
                return Err(CorpusError::Lost { path, found: 0, committed: 1 });
            }
        }
        frames::cut(&part_path(dir, committed.part), committed.bytes)?;
        for (part, path) in parts(dir)? {
            if part > committed.part {
                fs::remove_file(&path).map_err(CorpusError::disk("remove", &path))?;
            }
        }
        frames::sync_dir(dir)?;
        Ok(Self {
            dir: dir.to_owned(),
            roll_at_bytes: ROLL_AT_BYTES,
            committed,
            documents: committed.documents,
            frame: None,
            failed: false,
        })
    }

    /// Sets the length at which the next commit ends a file.
    pub fn roll_at_bytes(mut self, bytes: u64) -> Self {
        self.roll_at_bytes = bytes;
        self
    }

    /// Writes a document. It is valid only after the next commit.
    ///
    /// # Errors
    /// Fails if the disk is full or fails. The writer then accepts no more documents; open the corpus again at the
    /// committed position.
    pub fn write(&mut self, document: &Document) -> Result<(), CorpusError> {
        self.refuse_after_failure()?;
        let path = part_path(&self.dir, self.committed.part);
        let line = json_line(document);
        self.failed = true;
        let frame = match &mut self.frame {
            Some(frame) => frame,
            none => none.insert(frames::begin(&path)?),
        };
        frame.write_all(&line).map_err(CorpusError::disk("write to", &path))?;
        self.failed = false;
        self.documents += 1;
        Ok(())
    }

    /// Makes all documents durable. Returns the position to store. Each commit ends a frame, so frequent commits
    /// compress less.
    ///
    /// # Errors
    /// Fails if the disk is full or fails. Then assume that documents since the last commit are lost.
    pub fn commit(&mut self) -> Result<CorpusPosition, CorpusError> {
        self.refuse_after_failure()?;
        let Some(frame) = self.frame.take() else { return Ok(self.committed) };
        let path = part_path(&self.dir, self.committed.part);
        self.failed = true;
        let bytes = frames::finish(frame, &path)?;
        self.failed = false;
        self.committed = if bytes >= self.roll_at_bytes {
            CorpusPosition { part: self.committed.part + 1, bytes: 0, documents: self.documents }
        } else {
            CorpusPosition { bytes, documents: self.documents, ..self.committed }
        };
        Ok(self.committed)
    }

    /// Commits the remaining documents.
    ///
    /// # Errors
    /// As for [`JsonlWriter::commit`].
    pub fn close(mut self) -> Result<(), CorpusError> {
        self.commit().map(drop)
    }

    fn refuse_after_failure(&self) -> Result<(), CorpusError> {
        let why = "takes no more documents, because an earlier write to it failed. Run the same command again";
        if self.failed { Err(CorpusError::Refused(format!("{} {why}", self.dir.display()))) } else { Ok(()) }
    }
}

impl FormWriter for JsonlWriter {
    fn write(&mut self, document: &Document) -> Result<(), CorpusError> {
        Self::write(self, document)
    }

    fn close(self: Box<Self>) -> Result<(), CorpusError> {
        Self::close(*self)
    }
}

/// Refuses a corpus with more than one zstd frame after the committed position. A killed process leaves at most one
/// such frame, because the next frame begins after the commit.
fn refuse_more_than_a_commit(dir: &Path, committed: CorpusPosition) -> Result<(), CorpusError> {
    let path = part_path(dir, committed.part);
    let later = if dir.is_dir() { parts(dir)?.into_iter().find(|(part, _)| *part > committed.part) } else { None };
    match later {
        Some((_, later)) => Err(CorpusError::Ahead(later)),
        None => frames::refuse_more_than_one(&path, committed.bytes),
    }
}

fn part_path(dir: &Path, part: u32) -> PathBuf {
    dir.join(format!("part-{part:05}.jsonl.zst"))
}

/// The parts of a directory with their numbers, in order.
fn parts(dir: &Path) -> Result<Vec<(u32, PathBuf)>, CorpusError> {
    let mut parts = Vec::new();
    for entry in fs::read_dir(dir).map_err(CorpusError::disk("read", dir))? {
        let path = entry.map_err(CorpusError::disk("read", dir))?.path();
        let name = path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
        let number = name.strip_prefix("part-").and_then(|name| name.strip_suffix(".jsonl.zst"));
        if let Some(part) = number.and_then(|number| number.parse().ok()) {
            parts.push((part, path.clone()));
        }
    }
    parts.sort_unstable();
    Ok(parts)
}
