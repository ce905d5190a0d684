//! What can be wrong with an output directory, and what to do.

use std::fmt::Display;
use std::io;
use std::path::{Path, PathBuf};

use goldminer_crawl::run::CrawlError;

/// What is wrong with an output directory, and what to do.
#[derive(Debug, thiserror::Error)]
pub enum OutputError {
    /// The disk refuses.
    #[error("cannot {doing} {}: {cause}; free space, mend its permissions, or name another -o, and run the command again", path.display())]
    Disk {
        /// What was tried.
        doing: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The system's reason.
        cause: io::Error,
    },
    /// It is something else, was begun otherwise, is not whole, or somebody works on it.
    #[error("{0}")]
    Refused(String),
}

impl From<OutputError> for CrawlError {
    fn from(error: OutputError) -> Self {
        Self::Reader(error.into())
    }
}

pub(super) fn disk(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> OutputError {
    move |cause| OutputError::Disk { doing, path: path.to_owned(), cause }
}

/// A file of an output isn't what it should be.
pub(super) fn broken(path: &Path, cause: impl Display) -> OutputError {
    refused(
        path,
        &format!(
            "cannot be read ({cause}); remove it, and run the same command again: what it stood for is done again"
        ),
    )
}

/// What is wrong with a file or folder.
pub(super) fn refused(path: &Path, what: &str) -> OutputError {
    OutputError::Refused(format!("{} {what}", path.display()))
}
