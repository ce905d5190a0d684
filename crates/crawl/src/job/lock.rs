//! The lock of a job directory, which excludes a second process. It names its process, and says whether that process
//! only reads the job.
//!
//! After taking the lock, a process first cleans up what a killed process left: half-replaced databases (`replacement`)
//! and unfinished files.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::time::Duration;

use goldminer_warc::durable;

use super::{JobDir, JobError, replacement};

/// The end of the lock's text if its process only reads the job.
const VIEWER_NOTE: &str = ", which only looks";
/// The pause between two attempts while another process only reads the job.
const LOOK_PAUSE: Duration = Duration::from_millis(20);
/// The most attempts while another process only reads the job.
const LOOK_TRIES: u32 = 1_500;

/// Held while a process works on a job directory. The system releases it however the process ends.
#[derive(Debug)]
pub struct JobLock {
    _file: File,
}

/// How this process is named in locks.
pub(crate) fn this_process() -> String {
    format!("process {}", std::process::id())
}

impl JobDir {
    /// Takes the lock. If another process only reads the job, waits for it, because that takes a moment. If another
    /// process works on the job, fails at once.
    ///
    /// # Errors
    /// When another process holds the lock, or the disk fails.
    pub fn lock(&self) -> Result<JobLock, JobError> {
        self.take_lock(&this_process(), false)
    }

    /// Takes the lock to read the job for a moment. The lock file keeps its modification time, which is the time of the
    /// last work on the job.
    ///
    /// # Errors
    /// As [`JobDir::lock`].
    pub fn lock_to_view(&self) -> Result<JobLock, JobError> {
        self.take_lock(&format!("{}{VIEWER_NOTE}", this_process()), true)
    }

    fn take_lock(&self, holder: &str, only_looks: bool) -> Result<JobLock, JobError> {
        let path = self.root().join("lock");
        let unwritable = |cause| JobError::Unwritable { path: path.clone(), cause };
        let mut file =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path).map_err(unwritable)?;
        self.try_lock(&mut file, unwritable)?;
        replacement::settle(self.root()).map_err(unwritable)?;
        [self.root(), &self.archive(), &self.corpus(), &self.reports()].into_iter().for_each(durable::sweep);
        let worked_on = file.metadata().and_then(|about| about.modified()).ok().filter(|_| only_looks);
        file.set_len(0).and_then(|()| file.rewind()).and_then(|()| writeln!(file, "{holder}")).map_err(unwritable)?;
        if let Some(worked_on) = worked_on {
            file.set_modified(worked_on).map_err(unwritable)?;
        }
        Ok(JobLock { _file: file })
    }

    /// Locks the file, after waiting for processes that only read the job.
    fn try_lock(&self, file: &mut File, failed: impl Fn(std::io::Error) -> JobError) -> Result<(), JobError> {
        let mut tries = 0;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(()),
                Err(TryLockError::Error(cause)) => return Err(failed(cause)),
                Err(TryLockError::WouldBlock) => {}
            }
            let locked = self.locked(file);
            let only_looks = matches!(&locked, JobError::Locked { holder, .. } if holder.ends_with(VIEWER_NOTE));
            // A process that has just taken the lock has not yet written why.
            if tries >= LOOK_TRIES || (!only_looks && tries > 0) {
                return Err(locked);
            }
            tries += 1;
            std::thread::park_timeout(LOOK_PAUSE);
        }
    }

    /// Takes the lock of a job without write permission.
    ///
    /// # Errors
    /// When another process holds the lock, or the lock's file cannot be read.
    pub fn lock_to_read(&self) -> Result<JobLock, JobError> {
        let path = self.root().join("lock");
        let unreadable = |cause| JobError::Unreadable { path: path.clone(), cause };
        let mut file = File::open(&path).map_err(unreadable)?;
        self.try_lock(&mut file, unreadable)?;
        Ok(JobLock { _file: file })
    }

    /// Whether the lock is held by a process with this name, as returned by [`this_process`].
    pub(crate) fn is_held_by(&self, name: &str) -> bool {
        let Ok(mut file) = File::open(self.root().join("lock")) else { return false };
        if !matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)) {
            return false;
        }
        let mut holder = String::new();
        file.read_to_string(&mut holder).is_ok() && holder.trim() == name
    }

    fn locked(&self, file: &mut File) -> JobError {
        let mut holder = String::new();
        let _ = file.rewind().and_then(|()| file.read_to_string(&mut holder));
        let holder = if holder.trim().is_empty() { "another process" } else { holder.trim() }.to_owned();
        JobError::Locked { path: self.root().to_owned(), holder }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_process_is_refused_with_the_name_of_the_holder() {
        let dir = tempfile::tempdir().unwrap();
        let job = JobDir::new(dir.path());
        job.create().unwrap();
        let held = job.lock().unwrap();
        let said = job.lock().expect_err("two locks").to_string();
        assert!(said.contains("is in use by process") && said.contains("goldminer status"), "{said}");
        drop(held);
        job.lock().expect("free again");
    }

    #[cfg(not(windows))]
    #[test]
    fn the_lock_is_held_only_by_the_process_that_it_names() {
        let dir = tempfile::tempdir().unwrap();
        let job = JobDir::new(dir.path());
        job.create().unwrap();
        assert!(!job.is_held_by(&this_process()), "there is no lock");
        let held = job.lock().unwrap();
        assert!(job.is_held_by(&this_process()) && !job.is_held_by("process 0"));
        drop(held);
        assert!(!job.is_held_by(&this_process()), "only its name is left in the file");
    }

    #[test]
    fn a_process_that_only_reads_is_waited_for_and_changes_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let job = JobDir::new(dir.path());
        job.create().unwrap();
        drop(job.lock().unwrap());
        let worked_on = || std::fs::metadata(dir.path().join("lock")).unwrap().modified().unwrap();
        let before = worked_on();
        let view = job.lock_to_view().unwrap();
        assert_eq!(worked_on(), before);
        std::thread::scope(|scope| {
            let waits = scope.spawn(|| job.lock().map(drop));
            std::thread::park_timeout(3 * LOOK_PAUSE);
            assert!(!waits.is_finished());
            drop(view);
            waits.join().unwrap().expect("a starting crawl waits for a process that only reads");
        });
    }
}
