//! The errors of writing and reading a corpus. Each message says what to do.

use std::fmt::Display;
use std::io;
use std::path::{Path, PathBuf};

use goldminer_warc::durable::advice;

/// Why a corpus cannot be written or read.
#[derive(Debug, thiserror::Error)]
pub enum CorpusError {
    /// An operation on a file failed.
    #[error("cannot {doing} {}: {cause}. {}", .path.display(), advice(.cause))]
    Disk {
        /// What was tried, such as `write to`.
        doing: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The error of the operating system.
        cause: io::Error,
    },
    /// Standard output was closed by its reader.
    #[error("standard output was closed by the program that reads it")]
    OutputClosed,
    /// Committed documents are missing.
    #[error(
        "{} has {found} bytes, but {committed} were committed: documents are lost. \
         Restore the file from a copy, or run `goldminer rebuild` on the job directory",
        .path.display()
    )]
    Lost {
        /// The file.
        path: PathBuf,
        /// The actual length of the file in bytes.
        found: u64,
        /// The committed length of the file in bytes.
        committed: u64,
    },
    /// The file exists already.
    #[error("{} is there already. Name another file, or remove this one", .0.display())]
    Exists(PathBuf),
    /// The folder has a corpus already.
    #[error("{} already holds a corpus ({what}). Name a new folder", .folder.display())]
    Used {
        /// The folder.
        folder: PathBuf,
        /// A description of the corpus in the folder.
        what: String,
    },
    /// The folder has an archive, which would be hidden.
    #[error(
        "cannot write an output into the folder of {}: later commands would skip the archives in it. Name another folder",
        .0.display()
    )]
    Archive(PathBuf),
    /// The corpus has more documents than are recorded in the job's database.
    #[error(
        "{} holds documents that the job's database does not know: part of the database is lost, or it is an older \
         copy. Nothing was changed. Rebuild it from the archive: goldminer rebuild {}",
        .0.display(), job_of(.0).display()
    )]
    Ahead(PathBuf),
    /// There is nothing to read.
    #[error(
        "{} holds no *.jsonl.zst, *.jsonl or *.parquet. Give a folder of such files, or one of them; plain text, \
         CleanEval, vertical and TEI files cannot be read: they do not contain all fields of a document",
        .0.display()
    )]
    NoCorpus(PathBuf),
    /// The file or folder holds pages or archives, not a corpus.
    #[error(
        "{} is {what}, not a corpus. Extract it first: goldminer extract {} -o out",
        .path.display(), .path.display()
    )]
    Source {
        /// The file or folder.
        path: PathBuf,
        /// What it is, in words.
        what: &'static str,
    },
    /// The bytes of a compressed file have changed.
    #[error("{0}")]
    Damaged(String),
    /// Another error, which no caller handles specially. The message says what is wrong and what to do.
    #[error("{0}")]
    Refused(String),
    /// A line that is not a document.
    #[error("{} line {line}: {cause}. Correct the line or remove it", .path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The number of the line, from 1.
        line: u64,
        /// A description of what is wrong with the line.
        cause: String,
    },
    /// A file ends within a line or a compressed frame: it is still being written, or the writing process was killed.
    #[error(
        "{} is cut off after line {line}. If a crawl is writing it, this is its uncommitted end; \
         else delete it, and run the command that wrote it again",
        .path.display()
    )]
    CutOff {
        /// The file.
        path: PathBuf,
        /// The last complete line, from 1.
        line: u64,
    },
}

impl CorpusError {
    /// The error for a line that is not a document.
    pub(super) fn line(path: &Path, line: u64, cause: impl Display) -> Self {
        Self::Line { path: path.to_owned(), line, cause: cause.to_string() }
    }

    /// Returns a function that makes the error of a failed operation: `.map_err(CorpusError::disk("write to", path))`.
    pub(super) fn disk(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |cause| Self::Disk { doing, path: path.to_owned(), cause }
    }
}

/// The directory of the job whose corpus contains this file.
pub(super) fn job_of(file: &Path) -> &Path {
    file.ancestors().nth(2).unwrap_or(file)
}
