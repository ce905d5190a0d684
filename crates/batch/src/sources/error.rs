//! The errors of reading sources. Each message says what the user can do.

use std::path::{Path, PathBuf};

use goldminer_crawl::CrawlError;
use goldminer_warc::ArchiveError;
use goldminer_warc::objects::ObjectError;

use super::foreign::Foreign;

/// Why a source cannot be used. The message says what to do.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// The source cannot be read.
    #[error("cannot read {}: {cause}; check the path, its permissions and, if it is a link, where it leads", path.display())]
    Unreadable {
        /// The file or folder.
        path: PathBuf,
        /// The system's reason.
        cause: std::io::Error,
    },
    /// The source contains no pages.
    #[error(
        "no pages in {}: {contents}. Give a job directory, WARC files, WACZ files, HTML files, or folders such as \
         pages/<domain>/<id>.html",
        path.display()
    )]
    NoPages {
        /// The file or folder.
        path: PathBuf,
        /// A description of what the source contains instead.
        contents: String,
    },
    /// The source is named like a WARC file, but has no record.
    #[error("{} is not read: {what}: check the download", path.display())]
    NoRecord {
        /// The file.
        path: PathBuf,
        /// A description of its content.
        what: String,
    },
    /// The source is of another type.
    #[error("{} {what}", path.display())]
    Foreign {
        /// The file or folder.
        path: PathBuf,
        /// The type of the file or folder, with what to do about it.
        what: Foreign,
    },
    /// The file or address cannot be used as it is. The message names it, the reason, and what to do.
    #[error("{0}")]
    Refused(String),
    /// An object cannot be read.
    #[error(transparent)]
    Object(#[from] ObjectError),
    /// An archive cannot be read.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
}

impl SourceError {
    /// Whether a file or folder does not exist.
    pub(crate) fn is_missing(&self) -> bool {
        matches!(self, Self::Unreadable { cause, .. } if cause.kind() == std::io::ErrorKind::NotFound)
    }

    /// The error of an unusable file or folder.
    pub(crate) fn refused(path: &Path, what: &str) -> Self {
        Self::Refused(format!("{} {what}", path.display()))
    }

    /// The error for a table of pages, which only `--stream` reads.
    pub(super) fn needs_stream(path: &Path) -> Self {
        let what = "holds pages in rows (`url`, `html`) and can only be read from start to end: use `goldminer sample`, then \
                    `goldminer learn SAMPLES -o profiles.gmp`, then `goldminer extract --stream`";
        Self::refused(path, what)
    }

    /// The error for a name that is not UTF-8, which could not be written into an output.
    pub(super) fn name_is_not_utf8(path: &Path) -> Self {
        let what = "is not read: its name is not UTF-8 (it is not shown exactly here), so that an output could not \
                    name the file; rename it";
        Self::refused(path, what)
    }

    /// The error for pages outside an archive, where an archive is needed.
    pub(super) fn needs_archive(path: &Path) -> Self {
        let what = "is neither an archive (WARC, WACZ) nor a table of pages (Parquet or JSON lines with `url` and \
                    `html`), and this command reads nothing else. For HTML files, use `goldminer extract` without \
                    --stream, or `goldminer learn`; other tables, such as CSV, must be converted first";
        Self::refused(path, what)
    }
}

impl From<SourceError> for CrawlError {
    fn from(error: SourceError) -> Self {
        Self::Reader(error.into())
    }
}
