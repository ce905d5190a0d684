//! What can go wrong with our own disk. What the web does is never an error here.

use std::path::{Path, PathBuf};

/// A database failed. Every message names the place and says what to do.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Another process has the database open.
    #[error("{} is in use by another process; stop it, or ask it (`goldminer status`) instead", path.display())]
    Locked {
        /// The database's folder.
        path: PathBuf,
    },
    /// The file system or the database engine refused.
    #[error("{doing} failed in {}: {reason}; check free space and permissions, then run the same command again", path.display())]
    Failed {
        /// What was being done.
        doing: &'static str,
        /// The database's folder.
        path: PathBuf,
        /// The engine's reason.
        reason: String,
    },
    /// The database is there and cannot be opened.
    #[error(
        "{} cannot be opened: {reason}; check free space and permissions, and if it is damaged make it anew from the archive: goldminer rebuild {}",
        path.display(), job(path)
    )]
    Unopenable {
        /// The database's folder.
        path: PathBuf,
        /// The engine's reason.
        reason: String,
    },
    /// A part of the database is gone.
    #[error(
        "{} has lost {lost}: nothing was changed; make it anew from the archive: goldminer rebuild {}",
        path.display(), job(path)
    )]
    Incomplete {
        /// The database's folder.
        path: PathBuf,
        /// What is gone.
        lost: String,
    },
    /// A value that this program cannot have written.
    #[error(
        "{table} in {} holds an unreadable value at key {key}: {reason}; make it anew from the archive: goldminer rebuild {}",
        path.display(), job(path)
    )]
    Corrupt {
        /// The database's folder.
        path: PathBuf,
        /// The table.
        table: &'static str,
        /// The key, in hexadecimal or as text.
        key: String,
        /// The decoder's reason.
        reason: String,
    },
    /// The database was written by a later version of the program.
    #[error(
        "{} has schema {found}, this program knows up to {known}; use the newer goldminer that wrote it",
        path.display()
    )]
    NewerSchema {
        /// The database's folder.
        path: PathBuf,
        /// The schema's version on disk.
        found: u32,
        /// The newest version that this program knows.
        known: u32,
    },
    /// The database was written by an earlier version of the program.
    #[error(
        "{} has schema {found}, this program writes {known}; make it anew from the archive: goldminer rebuild {}",
        path.display(), job(path)
    )]
    OlderSchema {
        /// The database's folder.
        path: PathBuf,
        /// The schema's version on disk.
        found: u32,
        /// The version that this program writes.
        known: u32,
    },
    /// Something was handed back that was never handed out.
    #[error("the frontier was given a lease that it did not hand out: {0}; this is a defect, please report it")]
    ForeignLease(String),
    /// An earlier failure left memory and disk different.
    #[error("the frontier stopped after an earlier failure ({0}); run the same command again, nothing is lost")]
    Stopped(String),
}

/// The job directory that a database lies in.
fn job(path: &Path) -> std::path::Display<'_> {
    path.parent().unwrap_or(path).display()
}
