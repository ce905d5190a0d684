//! Records which pages are being read. After a crash (out of memory, stack overflow, a bug in a library), the next
//! process knows the page that may have caused it, and does not crash on it again and again.
//!
//! Each page has a mark in the file `reading` while it is read. Pages that a new process finds marked are *suspects*:
//! the page may have crashed the last process, or somebody may have killed the process at that moment. A suspect is
//! archived before it is read again, and is read after all other waiting pages. Reading it successfully clears it.
//! After it has ended three processes, it is skipped until the build of the program changes. `suspects.json` stores
//! this; `status` and `why` show it.
//!
//! Writing a mark copies a kilobyte to the system's page cache, which outlives the process; nothing waits for the
//! disk.

use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use goldminer_fetch::share::lock;
use goldminer_html::CrawlUrl;
use goldminer_warc::durable;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::limits::fault;
use crate::{JobDir, JobError};

/// The size of a mark: the purpose of reading, and the URL, followed by a line end.
const MARK_BYTES: usize = 1024;

/// Number of processes that may end while they read a page before the page is skipped. Two may be a coincidence
/// if somebody kills a crawl repeatedly.
const DEATHS: u32 = 3;

/// Version and commit of the program. A page that one build skips is tried again by the next.
const BUILD: &str = goldminer_core::goldminer::PROGRAM;

/// Why a page is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stage {
    /// To find its links, or the entries of a feed or sitemap.
    Links,
    /// To extract its text.
    Text,
}

/// A page that was being read when a process ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Suspect {
    /// The URL of the page, shortened if it is very long.
    pub url: String,
    /// Why the page was read.
    pub stage: Stage,
    /// Number of processes that ended while they read it.
    pub deaths: u32,
    /// When a process last found its mark.
    pub found: Timestamp,
    /// The build of the program that ended.
    pub program: String,
}

/// The marks of a job, and the suspects of earlier processes.
#[derive(Debug)]
pub(crate) struct Marks {
    slots: Mutex<Slots>,
    suspects: Mutex<HashMap<(Stage, String), Suspect>>,
    list: PathBuf,
}

#[derive(Debug)]
struct Slots {
    file: File,
    taken: Vec<bool>,
}

impl Suspect {
    /// Whether the page is skipped.
    pub fn is_set_aside(&self) -> bool {
        self.deaths >= DEATHS && self.program == BUILD
    }

    /// Whether this is the suspect with this URL.
    pub fn is_of(&self, url: &CrawlUrl) -> bool {
        self.url == written(url)
    }

    /// Describes the suspect in a sentence.
    pub fn reason(&self) -> String {
        let what = self.stage.name();
        let follows = match self.is_set_aside() {
            true => "it is skipped until the program version changes; please report the page",
            false => "next time it is archived before it is read",
        };
        let times = if self.deaths == 1 { "once".to_owned() } else { format!("{} times", self.deaths) };
        format!("the program ended {times} while reading its {what}, last found {:.0}: {follows}", self.found)
    }
}

impl Marks {
    /// Opens the marks of a job whose lock is held. Marks of an earlier process become suspects.
    pub(crate) fn open(job: &JobDir, now: Timestamp) -> Result<Self, JobError> {
        let (path, list) = (job.marks(), job.suspects());
        let unwritable = |cause| JobError::Unwritable { path: path.clone(), cause };
        let left = match fs::read(&path) {
            Err(cause) if cause.kind() != io::ErrorKind::NotFound => return Err(unwritable(cause)),
            read => marked(&read.unwrap_or_default()),
        };
        let mut suspects: HashMap<_, _> =
            suspects(job).into_iter().map(|suspect| ((suspect.stage, suspect.url.clone()), suspect)).collect();
        for (stage, url) in left {
            let suspect = suspects.entry((stage, url.clone())).or_insert_with(|| Suspect {
                url,
                stage,
                deaths: 0,
                found: now,
                program: BUILD.to_owned(),
            });
            // Crashes of another build do not count.
            suspect.deaths = if suspect.program == BUILD { suspect.deaths + 1 } else { 1 };
            (suspect.found, suspect.program) = (now, BUILD.to_owned());
            match suspect.is_set_aside() {
                true => tracing::error!(url = %suspect.url, "{}: {}", suspect.url, suspect.reason()),
                false => tracing::warn!(url = %suspect.url, "{}: {}", suspect.url, suspect.reason()),
            }
        }
        write(&list, &suspects).map_err(|cause| JobError::Unwritable { path: list.clone(), cause })?;
        let file = OpenOptions::new().write(true).create(true).truncate(true).open(&path).map_err(unwritable)?;
        Ok(Self { slots: Mutex::new(Slots { file, taken: Vec::new() }), suspects: Mutex::new(suspects), list })
    }

    /// Returns the entry of a page among the suspects; None if this build has no reason to suspect it. A suspect is
    /// archived first, and read last and alone, or not at all.
    pub(crate) fn suspect(&self, stage: Stage, url: &CrawlUrl) -> Option<Suspect> {
        let known = lock(&self.suspects).get(&(stage, written(url).to_owned())).cloned();
        known.filter(|suspect| suspect.program == BUILD)
    }

    /// Calls `read` for a page, which is marked as being read meanwhile. Returns the result of `read`, or the reason
    /// why the page is skipped. A suspect that was read successfully is cleared. `read` must catch its own panics.
    pub(crate) fn read<T>(&self, stage: Stage, url: &CrawlUrl, read: impl FnOnce() -> T) -> Result<T, String> {
        let suspect = self.suspect(stage, url);
        if let Some(suspect) = suspect.as_ref().filter(|suspect| suspect.is_set_aside()) {
            return Err(suspect.reason());
        }
        let slot = self.enter(stage, url);
        let found = read();
        self.leave(slot);
        if suspect.is_some() {
            self.clear(stage, url);
        }
        Ok(found)
    }

    fn enter(&self, stage: Stage, url: &CrawlUrl) -> usize {
        let mut slots = lock(&self.slots);
        let slot = slots.taken.iter().position(|taken| !taken).unwrap_or(slots.taken.len());
        if slot == slots.taken.len() {
            slots.taken.push(true);
        }
        slots.taken[slot] = true;
        let mut mark = [0; MARK_BYTES];
        let text = format!("{} {}\n", stage.name(), written(url));
        mark[..text.len()].copy_from_slice(text.as_bytes());
        slots.put(slot, &mark);
        drop(slots);
        fault::read(stage.name(), url.as_str());
        slot
    }

    fn leave(&self, slot: usize) {
        let mut slots = lock(&self.slots);
        slots.put(slot, &[0]);
        slots.taken[slot] = false;
    }

    /// Clears a suspect that was read successfully.
    fn clear(&self, stage: Stage, url: &CrawlUrl) {
        let mut suspects = lock(&self.suspects);
        if suspects.remove(&(stage, written(url).to_owned())).is_some()
            && let Err(cause) = write(&self.list, &suspects)
        {
            tracing::warn!(
                "cannot write to {}: {cause}; free some space, or correct its permissions",
                self.list.display()
            );
        }
    }
}

impl Slots {
    /// Writes a mark, which says that a page is being read. A failure is ignored, because marks are needed only after a
    /// crash. The disk check reports a full disk.
    fn put(&mut self, slot: usize, bytes: &[u8]) {
        let at = SeekFrom::Start((slot * MARK_BYTES) as u64);
        let _ = self.file.seek(at).and_then(|_| self.file.write_all(bytes));
    }
}

impl Stage {
    fn name(self) -> &'static str {
        match self {
            Self::Links => "links",
            Self::Text => "text",
        }
    }
}

/// The suspects of a job, as the last process saved them.
pub(crate) fn suspects(job: &JobDir) -> Vec<Suspect> {
    let list = fs::read(job.suspects()).unwrap_or_default();
    serde_json::from_slice(&list).unwrap_or_default()
}

/// The part of a URL that fits into a mark.
fn written(url: &CrawlUrl) -> &str {
    let url = url.as_str();
    &url[..url.floor_char_boundary(MARK_BYTES - 16)]
}

fn marked(file: &[u8]) -> Vec<(Stage, String)> {
    let name = |mark: &[u8]| {
        let line = mark.split(|byte| *byte == b'\n').next()?;
        let (stage, url) = std::str::from_utf8(line).ok()?.split_once(' ')?;
        let stage = [Stage::Links, Stage::Text].into_iter().find(|known| known.name() == stage)?;
        Some((stage, url.to_owned()))
    };
    file.chunks(MARK_BYTES).filter_map(name).collect()
}

fn write(list: &Path, suspects: &HashMap<(Stage, String), Suspect>) -> io::Result<()> {
    if suspects.is_empty() && !list.exists() {
        return Ok(());
    }
    let mut sorted: Vec<&Suspect> = suspects.values().collect();
    sorted.sort_by(|a, b| (a.stage, &a.url).cmp(&(b.stage, &b.url)));
    durable::write(list, serde_json::to_vec_pretty(&sorted)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job() -> (tempfile::TempDir, JobDir) {
        let dir = tempfile::tempdir().unwrap();
        let job = JobDir::new(dir.path());
        job.create().unwrap();
        (dir, job)
    }

    fn open(job: &JobDir) -> Marks {
        Marks::open(job, Timestamp::UNIX_EPOCH).unwrap()
    }

    /// How a page is treated.
    #[derive(Debug, PartialEq)]
    enum SuspectState {
        Clear,
        Suspect,
        SetAside,
    }

    fn state_of(marks: &Marks, stage: Stage, url: &CrawlUrl) -> SuspectState {
        match marks.suspect(stage, url) {
            None => SuspectState::Clear,
            Some(suspect) if suspect.is_set_aside() => SuspectState::SetAside,
            Some(_) => SuspectState::Suspect,
        }
    }

    fn url(path: &str) -> CrawlUrl {
        CrawlUrl::parse(&format!("https://portal.example/{path}")).unwrap()
    }

    /// Leaves marks as a crashing process does.
    fn crashes_while_reading(job: &JobDir, pages: &[&str]) {
        let marks = open(job);
        for page in pages {
            marks.enter(Stage::Links, &url(page));
        }
    }

    #[test]
    fn a_page_is_skipped_after_three_crashes() {
        let (_dir, job) = job();
        let marks = open(&job);
        marks.leave(marks.enter(Stage::Links, &url("well")));
        crashes_while_reading(&job, &["killer", "innocent"]);
        let marks = open(&job);
        assert_eq!(state_of(&marks, Stage::Links, &url("well")), SuspectState::Clear);
        assert_eq!(state_of(&marks, Stage::Links, &url("killer")), SuspectState::Suspect);
        assert_eq!(state_of(&marks, Stage::Text, &url("killer")), SuspectState::Clear, "its text was not read");
        assert_eq!(marks.read(Stage::Links, &url("innocent"), || 7), Ok(7));
        marks.enter(Stage::Links, &url("killer"));
        assert_eq!(state_of(&open(&job), Stage::Links, &url("killer")), SuspectState::Suspect);
        crashes_while_reading(&job, &["killer"]);
        let marks = open(&job);
        assert_eq!(state_of(&marks, Stage::Links, &url("innocent")), SuspectState::Clear);
        assert_eq!(state_of(&marks, Stage::Links, &url("killer")), SuspectState::SetAside);
        let left = marks.read(Stage::Links, &url("killer"), || panic!("it is read")).unwrap_err();
        assert!(left.contains("ended 3 times while reading its links"), "{left}");
        assert_eq!(suspects(&job).len(), 1);
    }

    #[test]
    fn a_page_that_crashed_another_build_is_tried_again() {
        let (_dir, job) = job();
        let old = Suspect {
            url: url("killer").to_string(),
            stage: Stage::Links,
            deaths: 7,
            found: Timestamp::UNIX_EPOCH,
            program: "goldminer/0.2.0 (0123456789)".to_owned(),
        };
        fs::write(job.suspects(), serde_json::to_vec(&[&old]).unwrap()).unwrap();
        assert_eq!(state_of(&open(&job), Stage::Links, &url("killer")), SuspectState::Clear);
        crashes_while_reading(&job, &["killer"]);
        assert_eq!(state_of(&open(&job), Stage::Links, &url("killer")), SuspectState::Suspect);
    }

    #[test]
    fn many_pages_at_a_time_and_urls_of_any_length_are_marked() {
        let (_dir, job) = job();
        let long = "x".repeat(5_000);
        crashes_while_reading(&job, &["a", &long, "b", "c"]);
        let marks = open(&job);
        for page in ["a", &long, "b", "c"] {
            assert_eq!(state_of(&marks, Stage::Links, &url(page)), SuspectState::Suspect, "{page}");
        }
    }

    /// Reading a page takes milliseconds, so marking it may take a few microseconds. The limit has a margin for a busy
    /// machine.
    #[test]
    fn marking_a_page_takes_little_time() {
        let (_dir, job) = job();
        let (marks, page) = (open(&job), url("page"));
        let started = std::time::Instant::now();
        (0..10_000).for_each(|_| marks.leave(marks.enter(Stage::Links, &page)));
        assert!(started.elapsed().as_millis() < 2_000, "{:?} for 10,000 marks", started.elapsed());
    }

    #[test]
    fn damaged_files_of_marks_and_suspects_are_ignored() {
        let (_dir, job) = job();
        fs::write(job.marks(), [&[0xff; 3000][..], b"links \n", b"cake https://portal.example/"].concat()).unwrap();
        fs::write(job.suspects(), "[{]").unwrap();
        let marks = open(&job);
        assert_eq!(state_of(&marks, Stage::Links, &url("")), SuspectState::Clear);
        assert!(suspects(&job).is_empty());
    }
}
