//! Errors of the local databases. Responses of servers are never errors here.

use std::fmt::Display;
use std::path::{Path, PathBuf};

/// An error of a database. The message names the folder and says what to do.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Another process has the database open.
    #[error("{} is in use by another process; stop that first (`goldminer status` works meanwhile)", path.display())]
    Locked {
        /// The database's folder.
        path: PathBuf,
    },
    /// Any other error.
    #[error("{0}")]
    Failed(String),
}

impl StoreError {
    /// An error of the file system or the database engine.
    pub(super) fn failed(doing: &str, path: &Path, reason: impl Display) -> Self {
        let path = path.display();
        Self::Failed(format!(
            "{doing} failed in {path}: {reason}; check free space and permissions, then run the same command again"
        ))
    }

    /// The database exists but cannot be opened.
    pub(super) fn unopenable(path: &Path, reason: impl Display) -> Self {
        Self::Failed(format!(
            "{} cannot be opened: {reason}; check free space and permissions, and if it is damaged {}",
            path.display(),
            rebuild(path)
        ))
    }

    /// A part of the database is missing.
    pub(super) fn incomplete(path: &Path, lost: &str) -> Self {
        Self::Failed(format!("{} has lost {lost}: nothing was changed; {}", path.display(), rebuild(path)))
    }

    /// A stored value that cannot be decoded.
    pub(crate) fn corrupt(path: &Path, table: &str, key: &str, reason: impl Display) -> Self {
        let place = path.display();
        Self::Failed(format!("{table} in {place} holds an unreadable value at key {key}: {reason}; {}", rebuild(path)))
    }

    /// A database of another version of the program.
    pub(super) fn other_schema(path: &Path, found: u32, known: u32) -> Self {
        let place = path.display();
        Self::Failed(match found > known {
            true => format!(
                "{place} has schema {found}, this program knows up to {known}; use the newer goldminer that wrote it"
            ),
            false => format!(
                "{place} has schema {found}, this program writes {known}: an earlier goldminer made the job. Start a new \
                 one with another --dir; the archive of this one can still be read: goldminer extract {}/archive -o OUT",
                job(path)
            ),
        })
    }
}

fn rebuild(path: &Path) -> String {
    format!("rebuild it from the archive: goldminer rebuild {}", job(path))
}

/// The job directory that contains a database.
fn job(path: &Path) -> std::path::Display<'_> {
    path.parent().unwrap_or(path).display()
}
