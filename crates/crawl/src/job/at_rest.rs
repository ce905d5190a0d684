//! Opens a job that nobody works on, to look at it. A user with write permission takes its lock, like every process,
//! and marks it as only looking, so that others wait for that moment. For a user without write permission, or on a
//! read-only disk, the databases are copied for the time of the look, because they cannot be opened without writing.
//!
//! Table files of the frontier are never changed after they are written: the copy has links to them, so it is small for
//! any job.

use std::path::Path;
use std::{fs, io};

use tempfile::TempDir;

use super::lock::JobLock;
use super::{JobDir, JobError};

/// Folders in which files are written once.
const WRITTEN_ONCE: &[&str] = &["tables", "blobs"];

/// A job at rest, opened as long as this value lives.
#[derive(Debug)]
pub struct AtRest {
    /// Where its databases may be opened.
    databases: JobDir,
    _lock: JobLock,
    _copy: Option<TempDir>,
}

impl AtRest {
    /// Opens a job at rest.
    ///
    /// # Errors
    /// When a process works on it, or it cannot be read.
    pub fn of(job: &JobDir) -> Result<Self, JobError> {
        match job.lock_to_look() {
            Ok(lock) => Ok(Self { databases: job.clone(), _lock: lock, _copy: None }),
            Err(JobError::Unwritable { cause, .. }) if is_forbidden(&cause) => Self::copied(job),
            Err(other) => Err(other),
        }
    }

    /// The job directory with the databases that may be opened.
    pub fn databases(&self) -> &JobDir {
        &self.databases
    }

    fn copied(job: &JobDir) -> Result<Self, JobError> {
        let lock = job.lock_to_read()?;
        let folder = tempfile::Builder::new().prefix("goldminer-look-").tempdir();
        let folder = folder.map_err(unwritable(&std::env::temp_dir()))?;
        let databases = JobDir::new(folder.path());
        for (from, to) in [(job.frontier(), databases.frontier()), (job.profiles(), databases.profiles())] {
            if from.is_dir() {
                copy(&from, &to, false)?;
            }
        }
        Ok(Self { databases, _lock: lock, _copy: Some(folder) })
    }
}

fn is_forbidden(cause: &io::Error) -> bool {
    matches!(cause.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem)
}

/// Copies the folder of a database; its depth is determined by the library.
fn copy(from: &Path, to: &Path, written_once: bool) -> Result<(), JobError> {
    fs::create_dir_all(to).map_err(unwritable(to))?;
    for entry in fs::read_dir(from).map_err(unreadable(from))? {
        let entry = entry.map_err(unreadable(from))?;
        let (path, copied) = (entry.path(), to.join(entry.file_name()));
        if entry.file_type().map_err(unreadable(&path))?.is_dir() {
            copy(&path, &copied, WRITTEN_ONCE.iter().any(|name| entry.file_name() == *name))?;
        } else if written_once {
            let target = fs::canonicalize(&path).map_err(unreadable(&path))?;
            std::os::unix::fs::symlink(target, &copied).map_err(unwritable(&copied))?;
        } else {
            // Not `fs::copy`: that would also copy the mode of a read-only file.
            let mut file = fs::File::open(&path).map_err(unreadable(&path))?;
            let mut copy = fs::File::create(&copied).map_err(unwritable(&copied))?;
            io::copy(&mut file, &mut copy).map_err(unreadable(&path))?;
        }
    }
    Ok(())
}

fn unreadable(path: &Path) -> impl FnOnce(io::Error) -> JobError {
    move |cause| JobError::Unreadable { path: path.to_owned(), cause }
}

fn unwritable(path: &Path) -> impl FnOnce(io::Error) -> JobError {
    move |cause| JobError::Unwritable { path: path.to_owned(), cause }
}
