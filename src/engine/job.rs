//! The job directory: which file lies where, and the lock that keeps a second process out.
//!
//! ```text
//! job.toml          the effective configuration        archive/        *.warc.gz and *.cdxj: the truth
//! frontier/         what is known of every URL         profiles.sled/  what was learned of every domain
//! corpus/           the product                        log/            JSON lines, a file a day
//! lock              held while a process runs          control.json    where a running crawl answers
//! pages.jsonl.zst   the page index, once a crawl has ended
//! outcome.json      how the last run ended, and what each portal gave
//! withdrawn.jsonl   what was taken out for good
//! reading           what is being read just now        suspects.json   pages that a process ended by
//! clock.json        the time of the last start, beside one that nobody can set
//! rebuilt/          what a rebuild makes anew          report/, gold/  what people made of it
//! ```

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::replacement;
use crate::durable;

/// What stands in the lock of whoever only looks.
const LOOKS: &str = ", which only looks";
/// How often, and after what pause, a look is waited for.
const LOOK_PAUSE: Duration = Duration::from_millis(20);
const LOOK_TRIES: u32 = 1_500;

/// A job directory, by its paths.
#[derive(Debug, Clone)]
pub struct JobDir {
    root: PathBuf,
}

/// Held while a process works on a job directory; the system lets go of it however the process ends.
#[derive(Debug)]
pub struct JobLock {
    _file: File,
}

/// What is wrong with a job directory, and what to do.
#[derive(Debug, thiserror::Error)]
pub enum JobError {
    /// It isn't one.
    #[error("{} is no job directory (it has no job.toml); {hint}", path.display())]
    NotAJob {
        /// What was given.
        path: PathBuf,
        /// What it is instead, and what to give.
        hint: String,
    },
    /// It can't be made or written.
    #[error("cannot write to {}: {cause}; free space, mend its permissions, or choose another --dir", path.display())]
    Unwritable {
        /// The directory or file.
        path: PathBuf,
        /// The system's reason.
        cause: std::io::Error,
    },
    /// It can't be read.
    #[error("cannot read {}: {cause}; ask its owner for the permission to read all of it", path.display())]
    Unreadable {
        /// The directory or file.
        path: PathBuf,
        /// The system's reason.
        cause: std::io::Error,
    },
    /// The archive is there, the database is not.
    #[error(
        "{} has an archive, but its database (frontier/) is gone; make it anew from the archive, so that nothing is fetched twice: goldminer rebuild {}",
        path.display(), path.display()
    )]
    LostDatabase {
        /// The job directory.
        path: PathBuf,
    },
    /// The archive holds much that the database does not know of.
    #[error(
        "{} has an archive with many answers that its database (frontier/) does not know of: a part of the database is \
         lost, or it is an older copy. Make it anew from the archive, so that nothing is fetched twice: goldminer rebuild {}",
        path.display(), path.display()
    )]
    OlderDatabase {
        /// The job directory.
        path: PathBuf,
    },
    /// The archive does not account for the corpus.
    #[error(
        "{} has a corpus of {documents} documents, and its archive as it is now gives no more than {} of them; \
         {example} would be lost. {damage}Nothing was changed. Put back what archive/ is missing, from a copy, and try \
         again; or say --accept-losses to give those documents up",
        path.display(), documents - lost
    )]
    Unaccounted {
        /// The job directory.
        path: PathBuf,
        /// Documents that can be read in the corpus as it is.
        documents: u64,
        /// Those of them that would be lost.
        lost: u64,
        /// The URL of one.
        example: String,
        /// What was met in the archive, as sentences.
        damage: String,
    },
    /// There is nothing to drop.
    #[error(
        "{what} is unknown to {}: none of its URLs was found or fetched. Nothing was changed. Check how it is written; \
         `goldminer status {} --urls done` lists what was fetched",
        path.display(), path.display()
    )]
    Unknown {
        /// The job directory.
        path: PathBuf,
        /// What was to be dropped.
        what: String,
    },
    /// Another process works on it.
    #[error(
        "{} is in use by {holder}; wait until it ends or stop it (Ctrl-C there keeps its state), or look with: goldminer status {}",
        path.display(), path.display()
    )]
    Locked {
        /// The job directory.
        path: PathBuf,
        /// Who holds the lock, as far as it said so.
        holder: String,
    },
}

/// How this process names itself in locks.
pub(super) fn this_process() -> String {
    format!("process {}", std::process::id())
}

impl JobDir {
    /// The directory at `root`, whether it exists or not.
    #[must_use]
    pub fn new(root: &Path) -> Self {
        Self { root: root.to_owned() }
    }

    /// An existing job directory.
    ///
    /// # Errors
    /// When there is no `job.toml`.
    pub fn existing(root: &Path) -> Result<Self, JobError> {
        if Self::is_job(root) {
            return Ok(Self::new(root));
        }
        Err(JobError::NotAJob { path: root.to_owned(), hint: what_is_there(root) })
    }

    /// Whether `root` is a job directory.
    #[must_use]
    pub fn is_job(root: &Path) -> bool {
        root.join("job.toml").is_file()
    }

    /// Whether a crawl begins in `root` just now, or ended before it had begun.
    #[must_use]
    pub fn is_beginning(root: &Path) -> bool {
        !Self::is_job(root) && (root.join("lock").is_file() || root.join("archive").is_dir())
    }

    /// Refuses a job whose database is gone while its archive is there: to begin anew would fetch everything again.
    ///
    /// # Errors
    /// When it is so.
    pub fn refuse_lost_database(&self) -> Result<(), JobError> {
        let has_archive = has(&self.archive(), |name| name.contains(".warc.gz"));
        if has_archive && !has(&self.frontier(), |_| true) {
            return Err(JobError::LostDatabase { path: self.root().to_owned() });
        }
        Ok(())
    }

    /// Makes the directories that are not there yet.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn create(&self) -> Result<(), JobError> {
        for path in [self.root.clone(), self.archive(), self.corpus(), self.log()] {
            std::fs::create_dir_all(&path).map_err(|cause| JobError::Unwritable { path, cause })?;
        }
        Ok(())
    }

    /// Takes the lock. Another process that works on the job is not waited for; one that only looks at it is, because a
    /// look is short.
    ///
    /// # Errors
    /// When another process holds it, or the disk refuses.
    pub fn lock(&self) -> Result<JobLock, JobError> {
        self.take_lock(&this_process(), false)
    }

    /// Takes the lock for as long as a look takes. It tells nobody that something was done to the job.
    ///
    /// # Errors
    /// As [`JobDir::lock`].
    pub fn lock_to_look(&self) -> Result<JobLock, JobError> {
        self.take_lock(&format!("process {}{LOOKS}", std::process::id()), true)
    }

    fn take_lock(&self, holder: &str, only_looks: bool) -> Result<JobLock, JobError> {
        let path = self.root.join("lock");
        let unwritable = |cause| JobError::Unwritable { path: path.clone(), cause };
        let mut file =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path).map_err(unwritable)?;
        self.try_lock(&mut file, unwritable)?;
        replacement::settle(&self.root).map_err(unwritable)?;
        [&self.root, &self.archive(), &self.corpus(), &self.reports()].into_iter().for_each(|f| durable::sweep(f));
        let worked_on = file.metadata().and_then(|about| about.modified()).ok().filter(|_| only_looks);
        file.set_len(0).and_then(|()| file.rewind()).and_then(|()| writeln!(file, "{holder}")).map_err(unwritable)?;
        if let Some(worked_on) = worked_on {
            file.set_modified(worked_on).map_err(unwritable)?;
        }
        Ok(JobLock { _file: file })
    }

    /// Locks the file, after whoever only looks.
    fn try_lock(&self, file: &mut File, failed: impl Fn(std::io::Error) -> JobError) -> Result<(), JobError> {
        let mut tries = 0;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(()),
                Err(TryLockError::Error(cause)) => return Err(failed(cause)),
                Err(TryLockError::WouldBlock) => {}
            }
            let locked = self.locked(file);
            let only_looks = matches!(&locked, JobError::Locked { holder, .. } if holder.ends_with(LOOKS));
            // Whoever has the lock since just now has not said yet what for.
            if tries >= LOOK_TRIES || (!only_looks && tries > 0) {
                return Err(locked);
            }
            tries += 1;
            std::thread::park_timeout(LOOK_PAUSE);
        }
    }

    /// Takes the lock of a job that this user may not write to.
    ///
    /// # Errors
    /// When another process holds it, or it cannot be read.
    pub fn lock_to_read(&self) -> Result<JobLock, JobError> {
        let path = self.root.join("lock");
        let unreadable = |cause| JobError::Unreadable { path: path.clone(), cause };
        let mut file = File::open(&path).map_err(unreadable)?;
        self.try_lock(&mut file, unreadable)?;
        Ok(JobLock { _file: file })
    }

    /// Which process holds the lock, as far as it said so; none if nobody does.
    #[must_use]
    pub fn holder(&self) -> Option<String> {
        let mut file = File::open(self.root.join("lock")).ok()?;
        match file.try_lock_shared() {
            Err(TryLockError::WouldBlock) => match self.locked(&mut file) {
                JobError::Locked { holder, .. } => Some(holder),
                _ => None,
            },
            _ => None,
        }
    }

    fn locked(&self, file: &mut File) -> JobError {
        let mut holder = String::new();
        let _ = file.rewind().and_then(|()| file.read_to_string(&mut holder));
        let holder = if holder.trim().is_empty() { "another process" } else { holder.trim() }.to_owned();
        JobError::Locked { path: self.root.clone(), holder }
    }

    /// The directory itself.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The folders that are the job's own.
    #[must_use]
    pub fn parts(&self) -> [PathBuf; 5] {
        [self.archive(), self.frontier(), self.profiles(), self.corpus(), self.log()]
    }

    /// WARC files and their indexes.
    #[must_use]
    pub fn archive(&self) -> PathBuf {
        self.root.join("archive")
    }

    /// The frontier's database.
    #[must_use]
    pub fn frontier(&self) -> PathBuf {
        self.root.join("frontier")
    }

    /// The profiles' database.
    #[must_use]
    pub fn profiles(&self) -> PathBuf {
        self.root.join("profiles.sled")
    }

    /// The documents.
    #[must_use]
    pub fn corpus(&self) -> PathBuf {
        self.root.join("corpus")
    }

    /// The structured log.
    #[must_use]
    pub fn log(&self) -> PathBuf {
        self.root.join("log")
    }

    /// What its databases know, for whoever has the job next.
    #[must_use]
    pub fn checkpoint(&self) -> PathBuf {
        self.root.join("checkpoint.zst")
    }

    /// The page index as the last crawl left it.
    #[must_use]
    pub fn pages(&self) -> PathBuf {
        self.root.join("pages.jsonl.zst")
    }

    /// How the last run ended.
    #[must_use]
    pub fn outcome(&self) -> PathBuf {
        self.root.join("outcome.json")
    }

    /// Reports for people.
    #[must_use]
    pub fn reports(&self) -> PathBuf {
        self.root.join("report")
    }

    /// Pages that a person has marked.
    #[must_use]
    pub fn marked(&self) -> PathBuf {
        self.root.join("gold")
    }

    /// What is being read just now.
    #[must_use]
    pub fn marks(&self) -> PathBuf {
        self.root.join("reading")
    }

    /// Pages that were being read when a process ended.
    #[must_use]
    pub fn suspects(&self) -> PathBuf {
        self.root.join("suspects.json")
    }

    /// Where a running crawl answers.
    #[must_use]
    pub fn control(&self) -> PathBuf {
        self.root.join("control.json")
    }
}

/// Whether a folder has an entry of a name that is wanted.
pub(super) fn has(folder: &Path, wanted: fn(&str) -> bool) -> bool {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.into_iter().any(|entry| wanted(&entry.file_name().to_string_lossy()))
}

/// What a path that is no job directory may have been given for.
fn what_is_there(path: &Path) -> String {
    if path.to_string_lossy().contains("://") {
        return "it is a URL; the job directory comes first, as in crawls/mine".to_owned();
    }
    if let Some(job) = path.ancestors().skip(1).find(|above| JobDir::is_job(above)) {
        return format!("it is a part of one: give {}", job.display());
    }
    if path.is_file() {
        let made = Path::new("crawls").join(path.file_stem().unwrap_or_default());
        return match JobDir::is_job(&made) {
            true => format!("it is a file; its crawl is in {}", made.display()),
            false => "it is a file; give the folder that `goldminer crawl` made, crawls/<seeds file's name>".to_owned(),
        };
    }
    if !path.exists() {
        let others = jobs_in(path.parent().unwrap_or(path));
        let known = if others.is_empty() { jobs_in(Path::new("crawls")) } else { others };
        return match known.as_slice() {
            [] => "nothing is there; `goldminer crawl SEEDS` makes one, crawls/<seeds file's name>".to_owned(),
            known => format!("nothing is there; there are {}", known.join(", ")),
        };
    }
    if JobDir::is_beginning(path) {
        return "a crawl begins there: try again in a moment".to_owned();
    }
    match jobs_in(path).as_slice() {
        [] => "`goldminer crawl SEEDS` makes one, crawls/<seeds file's name>".to_owned(),
        [job] => format!("it holds one: give {job}"),
        jobs => format!("it holds some: give one of {}", jobs.join(", ")),
    }
}

/// Some job directories in a folder, or one below.
fn jobs_in(folder: &Path) -> Vec<String> {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let below = |folder: &Path| {
        let mut paths: Vec<PathBuf> =
            std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
        paths.sort_unstable();
        paths
    };
    let mut jobs: Vec<PathBuf> = below(folder).into_iter().filter(|path| JobDir::is_job(path)).collect();
    if jobs.is_empty() {
        jobs = below(&folder.join("crawls")).into_iter().filter(|path| JobDir::is_job(path)).collect();
    }
    let shown = jobs.iter().take(5).map(|job| job.strip_prefix("./").unwrap_or(job).display().to_string());
    shown.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_process_is_kept_out_and_told_by_whom() {
        let dir = tempfile::tempdir().unwrap();
        let job = JobDir::new(dir.path());
        job.create().unwrap();
        let held = job.lock().unwrap();
        let said = job.lock().expect_err("two locks").to_string();
        assert!(said.contains("is in use by process") && said.contains("goldminer status"), "{said}");
        drop(held);
        job.lock().expect("free again");
    }

    #[test]
    fn whoever_only_looks_is_waited_for_and_leaves_no_trace() {
        let dir = tempfile::tempdir().unwrap();
        let job = JobDir::new(dir.path());
        job.create().unwrap();
        drop(job.lock().unwrap());
        let worked_on = || std::fs::metadata(dir.path().join("lock")).unwrap().modified().unwrap();
        let before = worked_on();
        let look = job.lock_to_look().unwrap();
        assert_eq!(worked_on(), before);
        std::thread::scope(|scope| {
            let waits = scope.spawn(|| job.lock().map(drop));
            std::thread::park_timeout(3 * LOOK_PAUSE);
            assert!(!waits.is_finished());
            drop(look);
            waits.join().unwrap().expect("a crawl that begins is not kept out by a look");
        });
    }

    #[test]
    fn a_directory_without_a_job_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let said = JobDir::existing(dir.path()).expect_err("no job").to_string();
        assert!(said.contains("no job directory"), "{said}");
    }

    #[test]
    fn a_crawl_that_begins_just_now_is_told_from_a_wrong_folder() {
        let dir = tempfile::tempdir().unwrap();
        JobDir::new(dir.path()).create().unwrap();
        let said = JobDir::existing(dir.path()).expect_err("no job yet").to_string();
        assert!(said.contains("a crawl begins there: try again in a moment"), "{said}");
    }
}
