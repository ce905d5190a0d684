//! The jobs of the console, and their cached states. Reading a state costs the crawl or a database some work. So the
//! state of a stopped job is cached until the job changes, and that of a running job for some seconds.
//!
//! States are read in the background, at most two at the same time, and never two of the same job. A request waits for
//! a new state for a time that depends on the page, then shows the previous state. No lock is held meanwhile.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use anyhow::anyhow;
use goldminer_crawl::api::client::{self as job_client, Busy, JobClient};
use goldminer_crawl::{Clock, Config, JobDir, LastRun, LiveReport, Query};
use jiff::{SignedDuration, Timestamp};
use tokio::sync::Semaphore;

use super::job_summary::JobSummary;
use super::texts;
use super::timelines::IndexReader;

/// The state of a running crawl is cached for this time, or for `FRESH_TIMES` times the duration of reading it if that
/// is longer.
const FRESH: Duration = Duration::from_secs(2);
const FRESH_TIMES: u32 = 20;
/// The most states that are read at the same time.
const MOST_READERS: usize = 2;
/// How long a page that cannot be shown without a state waits for it.
const PATIENCE: Duration = Duration::from_secs(60);

/// The jobs of a console, with their cached states. `root` is a job directory, or a folder with job directories.
pub(super) struct Jobs {
    root: PathBuf,
    clock: Clock,
    remembered: Mutex<BTreeMap<PathBuf, RememberedJob>>,
    /// Names of the jobs that were started from the console. They are listed even if `root` is a single job.
    others: Mutex<BTreeSet<String>>,
    /// Wakes the requests that wait for a state, whenever one was read.
    ended: Condvar,
    readers: Semaphore,
}

/// What the console remembers about a job.
#[derive(Default)]
struct RememberedJob {
    seen: Option<CachedSummary>,
    /// Why the last reading gave no state; None if it gave one.
    failed: Option<JobState>,
    /// Reads the archive's indexes, and remembers how far.
    index: IndexReader,
    /// Whether a task is reading the state, or waits for its turn to do so.
    is_under_way: bool,
    /// Whether the job has changed while its state was being read, so that it must be read again.
    is_outdated: bool,
}

#[derive(Clone)]
struct CachedSummary {
    summary: Arc<JobSummary>,
    stamp: Stamp,
    at: Timestamp,
    took: Duration,
}

/// The modification times of some files of a job. Each change of the job changes at least one of them.
type Stamp = [Option<SystemTime>; 4];

fn stamp(job: &JobDir) -> Stamp {
    let changed = |path: PathBuf| std::fs::metadata(path).and_then(|about| about.modified()).ok();
    // A process that works on a job writes its name into the lock.
    [job.control(), job.outcome(), job.root().join("job.toml"), job.root().join("lock")].map(changed)
}

/// The result of asking for a state.
#[derive(Clone)]
pub(crate) enum JobState {
    /// The current state.
    Now(Arc<JobSummary>),
    /// The previous state, while a new one is being read.
    Before(Arc<JobSummary>),
    /// The state is being read for the first time, or the job is starting or ending.
    Pending,
    /// The job does not exist yet.
    Beginning,
    /// The job cannot be read, for this reason.
    Failed(String),
}

impl Jobs {
    pub(super) fn below(root: PathBuf, clock: Clock) -> Self {
        let (remembered, others, readers) = (Mutex::default(), Mutex::default(), Semaphore::new(MOST_READERS));
        Self { root, clock, remembered, others, ended: Condvar::new(), readers }
    }

    /// The folder in which new jobs are created: `root`, or its parent if `root` is a job.
    pub(super) fn folder(&self) -> &Path {
        match self.root.parent() {
            Some(above) if JobDir::is_job(&self.root) && above.as_os_str().is_empty() => Path::new("."),
            Some(above) if JobDir::is_job(&self.root) => above,
            _ => &self.root,
        }
    }

    pub(super) fn names(&self) -> Vec<String> {
        if JobDir::is_job(&self.root) {
            let own = self.own_name();
            let others = self.others().iter().filter(|other| **other != own).cloned().collect();
            return [vec![own], others].concat();
        }
        let entries = std::fs::read_dir(&self.root).into_iter().flatten().flatten();
        let jobs = entries.filter(|entry| JobDir::is_job(&entry.path()) || JobDir::is_beginning(&entry.path()));
        let mut names: Vec<String> = jobs.map(|job| job.file_name().to_string_lossy().into_owned()).collect();
        names.sort_unstable();
        names
    }

    fn own_name(&self) -> String {
        let whole = std::fs::canonicalize(&self.root).unwrap_or_else(|_| self.root.clone());
        whole.file_name().map_or_else(|| "this job".to_owned(), |name| name.to_string_lossy().into_owned())
    }

    /// The directory of a job, if its name is one of [`Jobs::names`].
    pub(super) fn find(&self, name: &str) -> Option<PathBuf> {
        let is_known = self.names().iter().any(|known| known == name);
        let is_root = JobDir::is_job(&self.root) && name == self.own_name();
        is_known.then(|| if is_root { self.root.clone() } else { self.folder().join(name) })
    }

    /// Notes that a job was started from the console, so that it is listed even if `root` is another job.
    pub(super) fn note(&self, name: &str) {
        self.others().insert(name.to_owned());
    }

    /// The state of a job, after waiting for a current one for up to `patience`.
    pub(super) fn state(self: &Arc<Self>, dir: &Path, patience: Duration) -> JobState {
        let job = match JobDir::existing(dir) {
            Ok(job) => job,
            Err(error) => return JobState::Failed(error.to_string()),
        };
        let stamp = stamp(&job);
        let mut remembered = self.remembered();
        let known = remembered.entry(dir.to_owned()).or_default();
        if let Some(seen) = known.seen.as_ref().filter(|seen| self.is_fresh(seen, &stamp)) {
            return JobState::Now(Arc::clone(&seen.summary));
        }
        known.failed = None;
        if !std::mem::replace(&mut known.is_under_way, true) {
            tokio::spawn(Arc::clone(self).read_state(dir.to_owned()));
        }
        let waits = |jobs: &mut BTreeMap<PathBuf, RememberedJob>| jobs.get(dir).is_some_and(|known| known.is_under_way);
        let (mut remembered, waited) =
            self.ended.wait_timeout_while(remembered, patience, waits).unwrap_or_else(PoisonError::into_inner);
        let RememberedJob { failed, seen, .. } = remembered.entry(dir.to_owned()).or_default();
        match (failed, seen) {
            (Some(failed), _) => failed.clone(),
            (None, Some(seen)) if waited.timed_out() => JobState::Before(Arc::clone(&seen.summary)),
            (None, Some(seen)) => JobState::Now(Arc::clone(&seen.summary)),
            (None, None) => JobState::Pending,
        }
    }

    /// The state of a job: the current one, or the previous one if reading it takes longer than a minute.
    ///
    /// # Errors
    /// When the state cannot be read, no state could be read within a minute, or the crawl is just starting or ending.
    pub(super) fn wait_for_state(self: &Arc<Self>, dir: &Path) -> anyhow::Result<Arc<JobSummary>> {
        match self.state(dir, PATIENCE) {
            JobState::Now(summary) | JobState::Before(summary) => Ok(summary),
            JobState::Failed(why) => Err(anyhow::Error::msg(why)),
            JobState::Pending | JobState::Beginning => Err(anyhow::Error::msg(texts::LOADING)),
        }
    }

    fn is_fresh(&self, seen: &CachedSummary, stamp: &Stamp) -> bool {
        let age = self.clock.now().duration_since(seen.at).unsigned_abs();
        // If the archive's index is large, each reading of the state takes the next portion, so it must be read again.
        let fresh = FRESH.max(seen.took * FRESH_TIMES);
        seen.stamp == *stamp && seen.summary.so_far.is_whole() && (!seen.summary.is_running || age < fresh)
    }

    /// Reads the state of a job, and once more if the job has changed meanwhile.
    async fn read_state(self: Arc<Self>, dir: PathBuf) {
        let _permit = self.readers.acquire().await;
        loop {
            self.remembered().entry(dir.clone()).or_default().is_outdated = false;
            let (this, job_dir) = (Arc::clone(&self), dir.clone());
            let seen = tokio::task::spawn_blocking(move || this.read_summary(&job_dir)).await;
            let mut remembered = self.remembered();
            let known = remembered.entry(dir.clone()).or_default();
            if known.is_outdated {
                continue;
            }
            known.is_under_way = false;
            match seen.unwrap_or_else(|panicked| Err(anyhow!("{}: {panicked}", texts::WENT_WRONG))) {
                Ok(seen) => known.seen = Some(seen),
                // The process that works on the job is starting or ending.
                Err(error) if error.is::<Busy>() => known.failed = Some(JobState::Pending),
                Err(error) => known.failed = Some(JobState::Failed(format!("{error:#}"))),
            }
            return self.ended.notify_all();
        }
    }

    fn read_summary(&self, dir: &Path) -> anyhow::Result<CachedSummary> {
        let began = self.clock.now();
        // A change after this point makes the state outdated.
        let stamp = stamp(&JobDir::new(dir));
        let (report, profiles) = {
            let job = JobClient::open(dir)?;
            (job.ask(&Query::Status)?, job.ask::<Vec<_>>(&Query::Profiles)?)
        };
        let config = Config::of_job(dir)?.unwrap_or_default();
        let free = fs4::available_space(dir).ok();
        let mut summary = JobSummary::of(report, &profiles, &config, LastRun::of_job(dir), free);
        // Only one task at a time reads a job's state, so no other task needs the index meanwhile.
        let mut index = std::mem::take(&mut self.remembered().entry(dir.to_owned()).or_default().index);
        summary.so_far = index.read_on(dir);
        self.remembered().entry(dir.to_owned()).or_default().index = index;
        let at = self.clock.now();
        let took = at.duration_since(began).max(SignedDuration::ZERO).unsigned_abs();
        Ok(CachedSummary { summary: Arc::new(summary), stamp, at, took })
    }

    /// How long the last reading of a job's state took; zero if it was never read.
    pub(super) fn took(&self, dir: &Path) -> Duration {
        self.remembered().get(dir).and_then(|known| known.seen.as_ref()).map_or(Duration::ZERO, |seen| seen.took)
    }

    /// Drops the cached state of a job that has changed.
    pub(super) fn forget(&self, dir: &Path) {
        if let Some(known) = self.remembered().get_mut(dir) {
            known.seen = None;
            known.is_outdated = known.is_under_way;
        }
    }

    /// The current counters of a running crawl, without asking its scheduler or a database; for a stopped job,
    /// a report without counters.
    pub(super) fn live(dir: &Path) -> LiveReport {
        job_client::ask_running(dir, &Query::Live).unwrap_or_default()
    }

    fn remembered(&self) -> MutexGuard<'_, BTreeMap<PathBuf, RememberedJob>> {
        self.remembered.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn others(&self) -> MutexGuard<'_, BTreeSet<String>> {
        self.others.lock().unwrap_or_else(PoisonError::into_inner)
    }
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
        let jobs = Jobs::below(dir.path().to_owned(), Clock::start());
        assert_eq!(jobs.names(), ["a", "b"]);
        for name in ["no-job", "..", "../a", "a/../b", "", "a/"] {
            assert_eq!(jobs.find(name), None, "{name}");
        }
        assert_eq!(jobs.find("a"), Some(dir.path().join("a")));
        let single = Jobs::below(dir.path().join("a"), Clock::start());
        assert_eq!((single.names(), single.folder()), (vec!["a".to_owned()], dir.path()));
        assert_eq!(single.find("a"), Some(dir.path().join("a")));
        assert_eq!(single.find("b"), None);
        single.note("b");
        assert_eq!(single.find("b"), Some(dir.path().join("b")), "it was started from here");
    }
}
