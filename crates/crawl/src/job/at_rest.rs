//! A job that nobody works on, opened to look at it. Whoever may write there takes its lock, as every process does, and says
//! that it only looks, so that others wait for that moment; for a user who may only read, or a disk that is mounted so, the
//! databases are copied for as long as the look takes, because they cannot be opened without writing.
//!
//! Tables of the frontier are never changed once they are written: the copy has links to them, so that it is small however
//! large the job is.

use std::path::Path;
use std::{fs, io};

use tempfile::TempDir;

use super::lock::JobLock;
use super::{JobDir, JobError};

/// Folders in which files are written once.
const WRITTEN_ONCE: &[&str] = &["tables", "blobs"];

/// Such a job, as long as this lives.
#[derive(Debug)]
pub struct AtRest {
    /// Where its databases may be opened.
    databases: JobDir,
    _lock: JobLock,
    _copy: Option<TempDir>,
}

impl AtRest {
    /// Of a job.
    ///
    /// # Errors
    /// When a process works on it, or it cannot even be read.
    pub fn of(job: &JobDir) -> Result<Self, JobError> {
        match job.lock_to_look() {
            Ok(lock) => Ok(Self { databases: job.clone(), _lock: lock, _copy: None }),
            Err(JobError::Unwritable { cause, .. }) if is_forbidden(&cause) => Self::copied(job),
            Err(other) => Err(other),
        }
    }

    /// The job as far as its databases are concerned.
    pub fn databases(&self) -> &JobDir {
        &self.databases
    }

    fn copied(job: &JobDir) -> Result<Self, JobError> {
        let lock = job.lock_to_read()?;
        let unreadable = |cause| JobError::Unreadable { path: job.root().to_owned(), cause };
        let folder = tempfile::Builder::new().prefix("goldminer-look-").tempdir().map_err(unreadable)?;
        let databases = JobDir::new(folder.path());
        for (from, to) in [(job.frontier(), databases.frontier()), (job.profiles(), databases.profiles())] {
            if from.is_dir() {
                copy(&from, &to, false).map_err(unreadable)?;
            }
        }
        Ok(Self { databases, _lock: lock, _copy: Some(folder) })
    }
}

fn is_forbidden(cause: &io::Error) -> bool {
    matches!(cause.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem)
}

/// A database's folder; its depth is the library's.
fn copy(from: &Path, to: &Path, written_once: bool) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (path, copied) = (entry.path(), to.join(entry.file_name()));
        if entry.file_type()?.is_dir() {
            copy(&path, &copied, WRITTEN_ONCE.iter().any(|name| entry.file_name() == *name))?;
        } else if written_once {
            std::os::unix::fs::symlink(fs::canonicalize(&path)?, &copied)?;
        } else {
            // Not `fs::copy`: a file that may not be written stays so with its mode.
            io::copy(&mut fs::File::open(&path)?, &mut fs::File::create(&copied)?)?;
        }
    }
    Ok(())
}
