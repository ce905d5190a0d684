//! Which jobs there are, and how each stands. To look at a job is work for whoever has it, so what was seen is remembered:
//! of a job that lies still until something there changes, of a running one for two seconds.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use anyhow::Context;
use jiff::Timestamp;

use super::standing::Standing;
use super::texts;
use crate::archive;
use crate::config::Config;
use crate::engine::job::JobDir;
use crate::engine::{LastRun, LiveReport, ProfileLine, Query, StatusReport, control};
use crate::job_client;
use crate::report::{Course, CourseMaker};

/// What a running crawl said is good for so long.
const FRESH: Duration = Duration::from_secs(2);
/// The course over time is read from the archive's indexes: of a great archive, only when somebody asks for it.
const INDEX_BYTES: u64 = 4 << 20;

/// One job, or the jobs in a folder.
pub(super) struct Jobs {
    root: PathBuf,
    seen: Mutex<BTreeMap<PathBuf, Seen>>,
}

#[derive(Clone)]
struct Seen {
    standing: Arc<Standing>,
    stamp: Stamp,
    at: Timestamp,
}

/// What changes with whatever is done to a job.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Stamp([Option<SystemTime>; 4]);

impl Stamp {
    fn of(job: &JobDir) -> Self {
        let changed = |path: PathBuf| std::fs::metadata(path).and_then(|about| about.modified()).ok();
        // Whoever works on a job writes its name into the lock.
        let paths = [job.control(), job.outcome(), job.root().join("job.toml"), job.root().join("lock")];
        Self(paths.map(changed))
    }
}

impl Jobs {
    pub(super) fn below(root: PathBuf) -> Self {
        Self { root, seen: Mutex::default() }
    }

    /// The folder that new jobs go into.
    pub(super) fn folder(&self) -> &Path {
        if JobDir::is_job(&self.root) { self.root.parent().unwrap_or(&self.root) } else { &self.root }
    }

    /// The names of all jobs.
    pub(super) fn names(&self) -> Vec<String> {
        let name = |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned());
        if JobDir::is_job(&self.root) {
            let whole = std::fs::canonicalize(&self.root).unwrap_or_else(|_| self.root.clone());
            return vec![name(&whole).unwrap_or_else(|| texts::THIS_JOB.to_owned())];
        }
        let entries = std::fs::read_dir(&self.root).into_iter().flatten().flatten();
        let paths = entries.map(|entry| entry.path());
        let is_one = |path: &PathBuf| JobDir::is_job(path) || JobDir::is_beginning(path);
        let mut names: Vec<String> = paths.filter(is_one).filter_map(|path| name(&path)).collect();
        names.sort_unstable();
        names
    }

    /// The folder of a job by its name: one of [`Jobs::names`], or none.
    pub(super) fn find(&self, name: &str) -> Option<PathBuf> {
        self.names()
            .iter()
            .any(|known| known == name)
            .then(|| if JobDir::is_job(&self.root) { self.root.clone() } else { self.root.join(name) })
    }

    /// How a job stands. Blocks for as long as the look takes.
    pub(super) fn look(&self, dir: &Path, now: Timestamp) -> anyhow::Result<Arc<Standing>> {
        let job = JobDir::existing(dir)?;
        let seen = self.seen().get(dir).cloned();
        let is_fresh = |seen: &Seen| {
            let age = now.duration_since(seen.at).unsigned_abs();
            seen.stamp == Stamp::of(&job) && (!seen.standing.is_running || age < FRESH)
        };
        if let Some(seen) = seen.filter(is_fresh) {
            return Ok(seen.standing);
        }
        let (report, profiles): (StatusReport, Vec<ProfileLine>) = job_client::ask(dir, &Query::Overview)?;
        let config = Config::of_job(dir)?.unwrap_or_default();
        let free = fs4::available_space(dir).ok();
        let standing = Arc::new(Standing::of(report, &profiles, &config, LastRun::of_job(dir), free));
        // The look itself takes the lock: the stamp is of the time after it.
        let seen = Seen { standing: Arc::clone(&standing), stamp: Stamp::of(&job), at: now };
        self.seen().insert(dir.to_owned(), seen);
        Ok(standing)
    }

    /// Forgets how a job stood, because something was done there.
    pub(super) fn forget(&self, dir: &Path) {
        self.seen().remove(dir);
    }

    /// What a running crawl counts just now; of a job that lies still, nothing. Asks neither its scheduler nor a database.
    pub(super) fn live(dir: &Path) -> LiveReport {
        let answer = control::ask(&JobDir::new(dir), &Query::Live).ok().flatten();
        answer.and_then(|answer| serde_json::from_str(answer.get()).ok()).unwrap_or_default()
    }

    /// What came when, from the archive's indexes; none of a great archive, unless `all` of it is to be read.
    pub(super) fn course(dir: &Path, all: bool) -> anyhow::Result<Option<Course>> {
        let folder = JobDir::new(dir).archive();
        if !all && index_bytes(&folder) > INDEX_BYTES {
            return Ok(None);
        }
        let mut course = CourseMaker::default();
        for line in archive::index_lines(&folder).context(texts::NO_COURSE)? {
            let line = line.context(texts::NO_COURSE)?;
            course.note(line.fetched, line.status, line.record_bytes);
        }
        Ok(Some(course.finish()))
    }

    fn seen(&self) -> MutexGuard<'_, BTreeMap<PathBuf, Seen>> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn index_bytes(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let indexes = entries.filter(|entry| entry.file_name().to_string_lossy().contains(".cdxj"));
    indexes.filter_map(|entry| entry.metadata().ok()).map(|about| about.len()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_is_found_by_its_name_alone() {
        let dir = tempfile::tempdir().unwrap();
        for name in ["b", "a"] {
            std::fs::create_dir(dir.path().join(name)).unwrap();
            std::fs::write(dir.path().join(name).join("job.toml"), "").unwrap();
        }
        std::fs::create_dir(dir.path().join("no-job")).unwrap();
        let jobs = Jobs::below(dir.path().to_owned());
        assert_eq!(jobs.names(), ["a", "b"]);
        for name in ["no-job", "..", "../a", "a/../b", "", "a/"] {
            assert_eq!(jobs.find(name), None, "{name}");
        }
        assert_eq!(jobs.find("a"), Some(dir.path().join("a")));
        let single = Jobs::below(dir.path().join("a"));
        assert_eq!((single.names(), single.folder()), (vec!["a".to_owned()], dir.path()));
        assert_eq!(single.find("a"), Some(dir.path().join("a")));
    }
}
