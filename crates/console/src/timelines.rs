//! What came when, of each job: the archive's indexes, read once in the background, and later as far as they have grown. Nobody
//! waits for a great archive: what was read by then is shown, with how much that is.
//!
//! Closed indexes are added up and forgotten; one that is still written is counted apart, because it is written anew, in
//! another order, when it is closed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use goldminer_crawl::job::JobDir;
use goldminer_warc::{ArchiveError, IndexFile, index_files};

use super::survey::{Timeline, TimelineBuilder};
use super::texts;

/// A page waits no longer for what came when.
pub(super) const TIMELINE_PATIENCE: Duration = Duration::from_millis(60);

/// Read at a time, between two looks at how far it is.
const PORTION_BYTES: u64 = 4 << 20;

/// The last line of an index that is written may not be whole yet.
const TORN_BYTES: u64 = 4 << 10;

/// The timelines of all jobs.
#[derive(Default)]
pub(super) struct Timelines {
    jobs: Mutex<BTreeMap<PathBuf, TimelineReader>>,
    /// Somebody has read on.
    read: Condvar,
}

/// What came when, as far as it was read.
#[derive(Debug, Clone, Default)]
pub(crate) struct SoFar {
    pub course: Timeline,
    /// Bytes of the indexes that were read, and that there are.
    pub read_bytes: u64,
    pub all_bytes: u64,
    /// Why no more can be read.
    pub failed: Option<String>,
}

impl SoFar {
    /// Whether all was read that there was.
    pub(super) fn is_whole(&self) -> bool {
        self.read_bytes + TORN_BYTES >= self.all_bytes
    }
}

#[derive(Default)]
struct TimelineReader {
    /// A thread reads on just now.
    is_read: bool,
    done: IndexProgress,
    failed: Option<String>,
    all_bytes: u64,
}

/// How far indexes were read.
#[derive(Clone, Default)]
struct IndexProgress {
    closed: TimelineBuilder,
    /// Closed indexes by name, with their lengths and how far they were read.
    files: BTreeMap<PathBuf, (u64, u64)>,
    /// The one that is written.
    open: Option<(PathBuf, u64, TimelineBuilder)>,
}

impl Timelines {
    /// What came when in a job, as far as it can be read within the time given; reading goes on behind that.
    pub(super) fn of(self: &Arc<Self>, dir: &Path, patience: Duration) -> SoFar {
        let mut jobs = self.jobs();
        let reading = jobs.entry(dir.to_owned()).or_default();
        if !reading.is_read {
            let (this, dir) = (Arc::clone(self), dir.to_owned());
            let thread = std::thread::Builder::new().name("console-course".to_owned());
            // Where no thread can be had, what is known is shown.
            reading.is_read = thread.spawn(move || this.read(&dir)).is_ok();
        }
        let waits = |jobs: &mut BTreeMap<PathBuf, TimelineReader>| jobs.get(dir).is_some_and(|reading| reading.is_read);
        let (jobs, _) = self.read.wait_timeout_while(jobs, patience, waits).unwrap_or_else(PoisonError::into_inner);
        jobs.get(dir).map(TimelineReader::so_far).unwrap_or_default()
    }

    /// Reads on to the end, and tells from time to time how far it is.
    fn read(&self, dir: &Path) {
        let _guard = ReaderGuard { timelines: self, dir };
        let mut progress = self.jobs().get(dir).map(|reading| reading.done.clone()).unwrap_or_default();
        loop {
            let step = progress.step(&JobDir::new(dir).archive());
            let mut jobs = self.jobs();
            let Some(reading) = jobs.get_mut(dir) else { return };
            let goes_on = match step {
                Ok((all_bytes, goes_on)) => {
                    (reading.all_bytes, reading.failed) = (all_bytes, None);
                    goes_on
                }
                Err(error) => {
                    reading.failed = Some(error.to_string());
                    false
                }
            };
            if goes_on {
                reading.done = progress.clone();
                continue;
            }
            reading.done = progress;
            return;
        }
    }

    fn jobs(&self) -> MutexGuard<'_, BTreeMap<PathBuf, TimelineReader>> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Says that a thread has ended, even by a panic: else every later page would wait for it.
struct ReaderGuard<'a> {
    timelines: &'a Timelines,
    dir: &'a Path,
}

impl Drop for ReaderGuard<'_> {
    fn drop(&mut self) {
        if let Some(reading) = self.timelines.jobs().get_mut(self.dir) {
            reading.is_read = false;
            if std::thread::panicking() {
                reading.failed = Some(texts::WENT_WRONG.to_owned());
            }
        }
        self.timelines.read.notify_all();
    }
}

impl TimelineReader {
    fn so_far(&self) -> SoFar {
        let IndexProgress { closed, files, open } = &self.done;
        let mut maker = closed.clone();
        let mut read_bytes: u64 = files.values().map(|(_, read)| read).sum();
        if let Some((_, read, of_open)) = open {
            maker.join(of_open.clone());
            read_bytes += read;
        }
        SoFar { course: maker.finish(), read_bytes, all_bytes: self.all_bytes, failed: self.failed.clone() }
    }
}

impl IndexProgress {
    /// Reads a portion; the bytes that there are, and whether there is more to read.
    fn step(&mut self, archive: &Path) -> Result<(u64, bool), ArchiveError> {
        let files = if archive.is_dir() { index_files(archive)? } else { Vec::new() };
        // A closed index that is another one now was written anew, because something was taken out of it.
        let is_same = |(path, (bytes, _)): (&PathBuf, &(u64, u64))| {
            files.iter().any(|file| file.path == *path && file.bytes == *bytes)
        };
        if !self.files.iter().all(is_same) {
            *self = Self::default();
        }
        let is_open = |path: &PathBuf| files.iter().any(|file| file.is_open && file.path == *path);
        self.open.take_if(|(path, ..)| !is_open(path));
        let all_bytes = files.iter().map(|file| file.bytes).sum();
        let mut left = PORTION_BYTES;
        // The latest first: that is what a person wants to see.
        for file in files.iter().rev() {
            left = left.saturating_sub(self.read(file, left)?);
            if left == 0 {
                return Ok((all_bytes, true));
            }
        }
        Ok((all_bytes, false))
    }

    /// Reads an index on; the bytes that were read.
    fn read(&mut self, file: &IndexFile, most: u64) -> Result<u64, ArchiveError> {
        if file.is_open {
            let (_, read, maker) = self.open.get_or_insert_with(|| (file.path.clone(), 0, TimelineBuilder::default()));
            return advance(file, read, most, maker);
        }
        let (_, read) = self.files.entry(file.path.clone()).or_insert((file.bytes, 0));
        advance(file, read, most, &mut self.closed)
    }
}

fn advance(file: &IndexFile, read: &mut u64, most: u64, maker: &mut TimelineBuilder) -> Result<u64, ArchiveError> {
    if *read >= file.bytes {
        return Ok(0);
    }
    let end = file.read_from(*read, most, |line| maker.note(line.fetched, line.status, line.record_bytes))?;
    Ok(end - std::mem::replace(read, end))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(second: u32, status: u16) -> String {
        format!(
            "example,portal)/{second} 2026112009{:02}{:02} {{\"url\":\"https://portal.example/{second}\",\
            \"status\":\"{status}\",\"length\":\"99\",\"offset\":\"0\",\"filename\":\"a\"}}\n",
            second / 60,
            second % 60
        )
    }

    #[test]
    fn an_index_that_grows_and_is_closed_in_another_order_is_counted_once() {
        let dir = tempfile::tempdir().unwrap();
        let archive = dir.path().join("archive");
        std::fs::create_dir(&archive).unwrap();
        let write = |name: &str, lines: &[String]| std::fs::write(archive.join(name), lines.concat()).unwrap();
        let timelines = Arc::new(Timelines::default());
        let answers = || {
            let so_far = timelines.of(dir.path(), Duration::from_secs(60));
            assert!(so_far.is_whole() && so_far.failed.is_none(), "{so_far:?}");
            so_far.course.intervals.iter().map(|interval| interval.good).sum::<u64>()
        };
        assert_eq!(answers(), 0);
        write("a-00000.cdxj.open", &[line(9, 200), line(2, 200)]);
        assert_eq!(answers(), 2);
        write("a-00000.cdxj.open", &[line(9, 200), line(2, 200), line(70, 200)]);
        assert_eq!(answers(), 3);
        std::fs::remove_file(archive.join("a-00000.cdxj.open")).unwrap();
        write("a-00000.cdxj", &[line(2, 200), line(70, 200), line(9, 200)]);
        write("a-00001.cdxj.open", &[line(80, 200)]);
        assert_eq!((answers(), answers()), (4, 4));
        write("a-00000.cdxj", &[line(2, 200)]);
        assert_eq!(answers(), 2, "something was taken out");
    }
}
