//! Why a book cannot be used, and what to do.

use std::io;
use std::path::{Path, PathBuf};

/// Why a book of profiles cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum BookError {
    /// The disk refuses.
    #[error("cannot {doing} {}: {cause}; check the path, its permissions and free space", path.display())]
    Disk {
        /// What was tried.
        doing: &'static str,
        /// The file.
        path: PathBuf,
        /// The system's reason.
        cause: io::Error,
    },
    /// It is something else.
    #[error(
        "{} is no file of profiles: `goldminer learn SAMPLES -o profiles.gmp` and `goldminer profile merge` write such files",
        .0.display()
    )]
    NoBook(PathBuf),
    /// It is torn, or was changed.
    #[error("{} is damaged: {what}; make it again with `goldminer learn`, or restore it from a copy", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
}

impl BookError {
    pub(super) fn disk(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |cause| Self::Disk { doing, path: path.to_owned(), cause }
    }

    pub(super) fn damaged(path: &Path, what: impl Into<String>) -> Self {
        Self::Damaged { path: path.to_owned(), what: what.into() }
    }
}
