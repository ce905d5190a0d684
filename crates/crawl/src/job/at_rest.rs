//! Opens a job that no process works on, to read it. With write permission, the process takes the job's lock and notes
//! in it that it only reads, so that other processes wait a moment. Without write permission, or on a read-only or
//! nearly full disk, a temporary copy of the databases is opened, because opening them writes to them.
//!
//! Table files of the frontier never change after they are written. The copy contains links to them, so it is small
//! for any job.

use std::path::Path;
use std::{fs, io};

use tempfile::TempDir;

use super::lock::JobLock;
use super::{JobDir, JobError};

/// Folders whose files never change once written.
const WRITTEN_ONCE: &[&str] = &["tables", "blobs"];

/// Free bytes on a job's disk below which its databases are not opened there.
const ROOM_BYTES: u64 = 64 << 20;

/// A job that no process works on, open while this value exists.
#[derive(Debug)]
pub struct AtRest {
    /// Where the databases are: in the job or in a copy.
    databases: JobDir,
    _lock: JobLock,
    _copy: Option<TempDir>,
}

impl AtRest {
    /// Opens a job that no process works on.
    ///
    /// # Errors
    /// When a process works on it, or it cannot be read.
    pub fn of(job: &JobDir) -> Result<Self, JobError> {
        let in_place = |lock| Self { databases: job.clone(), _lock: lock, _copy: None };
        match job.lock_to_view() {
            Ok(lock) if fs4::available_space(job.root()).is_ok_and(|free| free < ROOM_BYTES) => {
                drop(lock);
                // The temporary folder may be on the same disk.
                Self::copied(job).or_else(|_| Ok(in_place(job.lock_to_view()?)))
            }
            Ok(lock) => Ok(in_place(lock)),
            Err(JobError::Unwritable { cause, .. }) if cannot_be_written(&cause) => Self::copied(job),
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

fn cannot_be_written(cause: &io::Error) -> bool {
    matches!(
        cause.kind(),
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem | io::ErrorKind::StorageFull
    )
}

/// Copies the folder of a database with its subfolders. `written_once` says that the files never change, so that links
/// to them are enough. The recursion is shallow, because the database library creates only a few levels.
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
            // `fs::copy` would also copy the mode of a read-only file.
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
