//! The job directory and its paths. The lock that excludes a second process is in `lock`.
//!
//! ```text
//! job.toml          the effective configuration        archive/        *.warc.gz and *.cdxj: the source of the rest
//! frontier/         the state of every URL             profiles.sled/  the learned profiles of every domain
//! corpus/           the documents                      log/            JSON lines, one file per day
//! lock              held while a process runs          control.json    the address of a running crawl's API
//! pages.jsonl.zst   the page index, once a crawl has ended
//! outcome.json      how the last run ended, and what each portal gave
//! withdrawn.jsonl   what was permanently removed
//! reading           pages that are being read now      suspects.json   pages that may have crashed a process
//! clock.json        the time of the last start, and the machine's uptime then
//! rebuilt/          parts of an unfinished rebuild     report/   reports for people
//! yielded           documents that a Python reader was given
//! ```

use std::path::{Path, PathBuf};

use goldminer_corpus::{CorpusError, refuse_used};

/// The paths of a job directory.
#[derive(Debug, Clone)]
pub struct JobDir {
    root: PathBuf,
}

/// An error of a job directory. The message says what to do.
#[derive(Debug, thiserror::Error)]
pub enum JobError {
    /// The path is not a job directory.
    #[error("{} is not a job directory (it has no job.toml); {hint}", path.display())]
    NotAJob {
        /// The path that was given.
        path: PathBuf,
        /// What the path is instead, and which path to give.
        hint: String,
    },
    /// A path cannot be created or written.
    #[error("cannot write to {}: {cause}; free some space, correct its permissions, or choose another --dir", path.display())]
    Unwritable {
        /// The directory or file.
        path: PathBuf,
        /// The system's reason.
        cause: std::io::Error,
    },
    /// A path cannot be read.
    #[error("cannot read {}: {cause}; ask its owner for permission to read it", path.display())]
    Unreadable {
        /// The directory or file.
        path: PathBuf,
        /// The system's reason.
        cause: std::io::Error,
    },
    /// The directory already contains a corpus, which commands would ignore if it also contained a job.
    #[error("{} already holds a corpus ({what}). Choose another job directory with --dir", path.display())]
    HoldsCorpus {
        /// The directory.
        path: PathBuf,
        /// What is in it.
        what: String,
    },
    /// The archive exists, but the database is missing.
    #[error(
        "{} has an archive, but its database (frontier/) is missing; rebuild it from the archive, so that nothing is \
         fetched twice: goldminer rebuild {}",
        path.display(), path.display()
    )]
    LostDatabase {
        /// The job directory.
        path: PathBuf,
    },
    /// The archive has many records that the database does not know.
    #[error(
        "{} has an archive with many responses that are not in its database (frontier/): part of the database is \
         lost, or it is an older copy. Rebuild it from the archive, so that nothing is fetched twice: goldminer \
         rebuild {}",
        path.display(), path.display()
    )]
    OlderDatabase {
        /// The job directory.
        path: PathBuf,
    },
    /// The archive does not account for all documents of the corpus.
    #[error(
        "{} has a corpus of {documents} documents, and its archive as it is now gives no more than {} of them; \
         {example} would be lost. {damage}Nothing was changed. Put back what archive/ is missing, from a copy, and try \
         again; or say --accept-losses to give those documents up",
        path.display(), documents - lost
    )]
    Unaccounted {
        /// The job directory.
        path: PathBuf,
        /// Number of readable documents in the present corpus.
        documents: u64,
        /// How many of them would be lost.
        lost: u64,
        /// The URL of one of them.
        example: String,
        /// The damage found in the archive, as sentences.
        damage: String,
    },
    /// Nothing matches what is to be removed.
    #[error(
        "{what} is unknown to {}: none of its URLs was found or fetched. Nothing was changed. Check the spelling; \
         `goldminer status {} --urls done` lists what was fetched",
        path.display(), path.display()
    )]
    Unknown {
        /// The job directory.
        path: PathBuf,
        /// The URL or host to remove.
        what: String,
    },
    /// Another process works on the job.
    #[error(
        "{} is in use by {holder}; wait until it ends or stop it (Ctrl-C there keeps its state), or look with: goldminer status {}",
        path.display(), path.display()
    )]
    Locked {
        /// The job directory.
        path: PathBuf,
        /// The process that has the lock, if known.
        holder: String,
    },
}

impl JobDir {
    /// The directory at `root`, whether it exists or not.
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

    /// The folder with the documents: for a job directory its `corpus/`, otherwise the path itself.
    pub fn corpus_of(path: &Path) -> PathBuf {
        if Self::is_job(path) { Self::new(path).corpus() } else { path.to_owned() }
    }

    /// Whether `root` is a job directory.
    pub fn is_job(root: &Path) -> bool {
        root.join("job.toml").is_file()
    }

    /// Whether a crawl is starting in `root`, or ended before it had started.
    pub fn is_beginning(root: &Path) -> bool {
        !Self::is_job(root) && (root.join("lock").is_file() || root.join("archive").is_dir())
    }

    /// Refuses to start a job in a folder that contains a corpus, because commands would then read the job's corpus
    /// instead.
    ///
    /// # Errors
    /// When the folder contains a corpus.
    pub fn refuse_corpus(&self) -> Result<(), JobError> {
        let path = self.root();
        match refuse_used(path) {
            Err(CorpusError::Used { what, .. }) if !Self::is_job(path) && !Self::is_beginning(path) => {
                Err(JobError::HoldsCorpus { path: path.to_owned(), what })
            }
            _ => Ok(()),
        }
    }

    /// Refuses a job that has an archive but no database, because a crawl would fetch everything again.
    ///
    /// # Errors
    /// When the database is missing.
    pub fn refuse_lost_database(&self) -> Result<(), JobError> {
        let has_archive = has(&self.archive(), |name| name.contains(".warc.gz"));
        if has_archive && !has(&self.frontier(), |_| true) {
            return Err(JobError::LostDatabase { path: self.root().to_owned() });
        }
        Ok(())
    }

    /// Creates the missing directories.
    ///
    /// # Errors
    /// When they cannot be created.
    pub fn create(&self) -> Result<(), JobError> {
        for path in [self.root.clone(), self.archive(), self.corpus(), self.log()] {
            std::fs::create_dir_all(&path).map_err(|cause| JobError::Unwritable { path, cause })?;
        }
        Ok(())
    }

    /// The directory itself.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The folders that the job creates.
    pub fn parts(&self) -> [PathBuf; 5] {
        [self.archive(), self.frontier(), self.profiles(), self.corpus(), self.log()]
    }

    /// The folder of WARC files and their indexes.
    pub fn archive(&self) -> PathBuf {
        self.root.join("archive")
    }

    /// The frontier's database.
    pub fn frontier(&self) -> PathBuf {
        self.root.join("frontier")
    }

    /// The profile database.
    pub fn profiles(&self) -> PathBuf {
        self.root.join("profiles.sled")
    }

    /// The folder of documents.
    pub fn corpus(&self) -> PathBuf {
        self.root.join("corpus")
    }

    /// The folder of the log files (JSON lines).
    pub fn log(&self) -> PathBuf {
        self.root.join("log")
    }

    /// A file with the content of the databases, for the next process that crawls the job.
    pub fn checkpoint(&self) -> PathBuf {
        self.root.join("checkpoint.zst")
    }

    /// The file with the page index, as it was at the end of the last crawl.
    pub fn pages(&self) -> PathBuf {
        self.root.join("pages.jsonl.zst")
    }

    /// The file that says how the last run ended.
    pub fn outcome(&self) -> PathBuf {
        self.root.join("outcome.json")
    }

    /// The folder of reports for people.
    pub fn reports(&self) -> PathBuf {
        self.root.join("report")
    }

    /// The file with marks of the pages that are being read now.
    pub fn marks(&self) -> PathBuf {
        self.root.join("reading")
    }

    /// The file with pages that may have crashed a process.
    pub fn suspects(&self) -> PathBuf {
        self.root.join("suspects.json")
    }

    /// The file with port and token of a running crawl's API.
    pub fn control(&self) -> PathBuf {
        self.root.join("control.json")
    }
}

/// Whether a folder has an entry whose name `wanted` accepts.
pub(crate) fn has(folder: &Path, wanted: fn(&str) -> bool) -> bool {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.into_iter().any(|entry| wanted(&entry.file_name().to_string_lossy()))
}

/// Describes a path that is not a job directory.
fn what_is_there(path: &Path) -> String {
    if path.to_string_lossy().contains("://") {
        return "it is a URL; put the job directory first, as in crawls/mine".to_owned();
    }
    if let Some(job) = path.ancestors().skip(1).find(|above| JobDir::is_job(above)) {
        return format!("it is part of one: give {}", job.display());
    }
    if path.is_file() {
        let made = Path::new("crawls").join(path.file_stem().unwrap_or_default());
        return match JobDir::is_job(&made) {
            true => format!("it is a file; its crawl is in {}", made.display()),
            false => "it is a file; give the folder in crawls/ that `goldminer crawl` created".to_owned(),
        };
    }
    if !path.exists() {
        let others = jobs_in(path.parent().unwrap_or(path));
        let known = if others.is_empty() { jobs_in(Path::new("crawls")) } else { others };
        return match known.as_slice() {
            _ if JobDir::is_job(&Path::new("crawls").join(path)) => {
                format!("it does not exist; did you mean {}?", Path::new("crawls").join(path).display())
            }
            [] => "it does not exist; `goldminer crawl SEEDS` creates one in crawls/".to_owned(),
            known => format!("it does not exist; job directories here: {}", known.join(", ")),
        };
    }
    if JobDir::is_beginning(path) {
        return "a crawl is just starting there: try again in a moment".to_owned();
    }
    match jobs_in(path).as_slice() {
        [] => "`goldminer crawl SEEDS` creates one in crawls/".to_owned(),
        [job] => format!("it holds one: give {job}"),
        jobs => format!("it holds some: give one of {}", jobs.join(", ")),
    }
}

/// Up to five job directories in a folder, or if it has none, in its folder `crawls`.
pub fn jobs_in(folder: &Path) -> Vec<String> {
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
    use crate::job::*;

    #[test]
    fn a_directory_without_a_job_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let said = JobDir::existing(dir.path()).expect_err("no job").to_string();
        assert!(said.contains("not a job directory"), "{said}");
    }

    #[test]
    fn a_crawl_that_is_just_starting_is_not_called_a_wrong_folder() {
        let dir = tempfile::tempdir().unwrap();
        JobDir::new(dir.path()).create().unwrap();
        let said = JobDir::existing(dir.path()).expect_err("no job yet").to_string();
        assert!(said.contains("a crawl is just starting there: try again in a moment"), "{said}");
    }
}
