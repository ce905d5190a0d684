//! What can go wrong with a corpus: our disk, or files that are not what they should be. Each message says what to do.

use std::io;
use std::path::{Path, PathBuf};

use goldminer_warc::durable::advice;

/// Why a corpus cannot be written or read.
#[derive(Debug, thiserror::Error)]
pub enum CorpusError {
    /// An operation on a file failed.
    #[error("cannot {doing} {}: {cause}. {}", .path.display(), advice(.cause))]
    Disk {
        /// What was tried, as in `write to`.
        doing: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        cause: io::Error,
    },
    /// Whoever read standard output has seen enough.
    #[error("nobody reads what is written to standard output")]
    NobodyReads,
    /// An earlier write failed.
    #[error(
        "{} takes no more documents, because an earlier write to it failed. Run the same command again",
        .path.display()
    )]
    Closed {
        /// The folder.
        path: PathBuf,
    },
    /// There is a corpus already.
    #[error("{} is there already. Name another output folder, or remove it", .path.display())]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// Committed documents are missing.
    #[error(
        "{} has {found} bytes, but {committed} were committed: documents are lost. \
         Restore the file from a copy, or run `goldminer rebuild` on the job directory",
        .path.display()
    )]
    Lost {
        /// The file.
        path: PathBuf,
        /// Its length.
        found: u64,
        /// What its length was.
        committed: u64,
    },
    /// There are more documents than the database of the job knows of.
    #[error(
        "{} holds documents that the job's database does not know of: a part of the database is lost, or it is an older \
         copy. Nothing was changed. Make it anew from the archive: goldminer rebuild {}",
        .path.display(), .path.ancestors().nth(2).unwrap_or(path).display()
    )]
    Ahead {
        /// The file.
        path: PathBuf,
    },
    /// The program was built without a form.
    #[error(
        "this program was built without {format}: build it with `cargo install --path . --features {format}`, or \
         {otherwise}"
    )]
    NotBuilt {
        /// The form, and the feature.
        format: &'static str,
        /// What can be done without it.
        otherwise: &'static str,
    },
    /// Nothing to read.
    #[error(
        "{} holds no *.jsonl.zst, *.jsonl or *.parquet. Give a folder of such files, or one of them; plain text, \
         CleanEval, vertical and TEI files are not read back: they lack what a document needs",
        .path.display()
    )]
    NoCorpus {
        /// The folder.
        path: PathBuf,
    },
    /// A Parquet file whose columns are not those of documents.
    #[error(
        "{} column {column}: it {cause}. Keep the columns as `goldminer convert --format parquet` writes them, or make \
         the file again with it",
        .path.display()
    )]
    Column {
        /// The file.
        path: PathBuf,
        /// Its path in the schema, as in `authors.list.element`.
        column: String,
        /// What is wrong with it, after "it".
        cause: String,
    },
    /// A Parquet file in a compression that is not read.
    #[error(
        "{} is compressed with {codec}, which is not read. Write it with zstd (DuckDB: `compression zstd`, pyarrow: \
         `compression=\"zstd\"`)",
        .path.display()
    )]
    Compression {
        /// The file.
        path: PathBuf,
        /// The compression, as its footer names it.
        codec: String,
    },
    /// A file that is no Parquet, not all of it, or not as it was written.
    #[error(
        "{} is no whole Parquet file: {cause}. It is cut off or damaged: restore it from a copy, or make it again with \
         `goldminer convert --format parquet`",
        .path.display()
    )]
    Parquet {
        /// The file.
        path: PathBuf,
        /// What the decoder said.
        cause: String,
    },
    /// A line that is no document.
    #[error("{} line {line}: {cause}. Correct the line or remove it", .path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// From 1.
        line: u64,
        /// What is wrong with it.
        cause: String,
    },
    /// A compressed file whose bytes are not those that were written.
    #[error(
        "{} is damaged behind line {line}, in frame {frame} at byte {offset} ({cause}): {before} documents before that frame \
         and {behind} behind it are whole. Restore it from a copy, or make it again from the stored pages with \
         `goldminer extract`",
        .path.display()
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The last line before the damage, from 1.
        line: u64,
        /// What the decoder said.
        cause: String,
        /// The damaged frame, from 1.
        frame: u64,
        /// Where it begins.
        offset: u64,
        /// Documents in the frames before it.
        before: u64,
        /// Documents in the frames behind it.
        behind: u64,
    },
    /// A file of a job's corpus whose bytes are not those that were written.
    #[error(
        "{} is damaged in frame {frame} at byte {offset}; {documents} documents of it are whole. Nothing was changed. \
         Restore the file from a copy, or make the corpus anew from the archive: goldminer rebuild {}",
        .path.display(), .path.ancestors().nth(2).unwrap_or(path).display()
    )]
    DamagedInJob {
        /// The file.
        path: PathBuf,
        /// The damaged frame, from 1.
        frame: u64,
        /// Where it begins.
        offset: u64,
        /// Documents in the other frames.
        documents: u64,
    },
    /// A file that ends within a line or a compressed frame: it is still being written, or its writer died.
    #[error(
        "{} is cut off after line {line}. If a crawl is writing it, this is its uncommitted end; \
         else run the command that wrote it again",
        .path.display()
    )]
    CutOff {
        /// The file.
        path: PathBuf,
        /// The last whole line, from 1.
        line: u64,
    },
}

impl CorpusError {
    /// For `map_err`: `.map_err(CorpusError::disk("write to", path))`.
    pub(super) fn disk(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |cause| Self::Disk { doing, path: path.to_owned(), cause }
    }
}
