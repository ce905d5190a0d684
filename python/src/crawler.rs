//! Runs a crawl on a separate thread, and yields its documents when they are in the corpus.
//!
//! A Python caller gets each document once, even if the corpus was made again meanwhile (by a rebuild, or because a
//! profile was learned again). The next run continues where the last caller stopped: the file `yielded` in the job
//! directory contains a 64-bit hash of the id of each document that was yielded.

use std::collections::{HashSet, VecDeque};
use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use goldminer_core::document::Document as CoreDocument;
use goldminer_crawl::config::{Config, ConfigError, NO_USER_AGENT, Overrides};
use goldminer_crawl::health::portal_outcomes::PortalOutcome;
use goldminer_crawl::run::crawl::{Job, Report};
use goldminer_crawl::run::live::Live;
use goldminer_crawl::run::{Ended, Stop};
use goldminer_crawl::seeds::{HumanDuration, Seeds};
use goldminer_warc::durable;
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use serde::Serialize;
use tokio::sync::watch;
use xxhash_rust::xxh3::xxh3_64;

use crate::arguments::{number, path, text};
use crate::corpus::{Document, object};
use crate::errors::{Kind, argument, caught, detached, with_causes};
use crate::logging;

/// The most documents that wait for the caller. When there are more, the extraction waits, but pages are still fetched.
const WAITING: usize = 256;
/// The longest time for which Ctrl-C, or a caller who reads the counters, has to wait.
const LOOK: Duration = Duration::from_millis(100);
/// How long a task that is still blocked when a crawl ends (such as a DNS lookup) may delay the end.
const BLOCKED: Duration = Duration::from_secs(1);

/// A running crawl.
#[pyclass(frozen, module = "goldminer")]
pub(crate) struct CrawlRun {
    dir: PathBuf,
    live: Arc<Live>,
    stopper: watch::Sender<Stop>,
    state: Mutex<State>,
}

struct State {
    /// `None` when no caller reads documents any more.
    documents: Option<Receiver<CoreDocument>>,
    thread: Option<JoinHandle<Result<Report, String>>>,
    report: Option<ReportJson>,
    /// Documents that may still be retracted. They are yielded at the end.
    early: VecDeque<CoreDocument>,
    yielded: Yielded,
}

#[derive(Serialize)]
struct ReportJson {
    ended: &'static str,
    pages: u64,
    portals: Vec<PortalOutcome>,
}

impl ReportJson {
    fn of(report: Report) -> Self {
        let ended = match report.ended {
            Ended::Finished => "finished",
            Ended::Unreached { .. } => "unreached",
            Ended::Limit(_) => "limit",
            Ended::Interrupted => "interrupted",
        };
        Self { ended, pages: report.counts.pages, portals: report.portals }
    }
}

#[pymethods]
impl CrawlRun {
    /// Starts a crawl in a job directory, or continues the one in it.
    #[new]
    #[pyo3(signature = (seeds, dir, *, text=None, max_pages=None, max_time=None, delay=None, user_agent=None, allow_private=Vec::new(), resolve=Vec::new()))]
    #[allow(clippy::too_many_arguments)] // by name
    fn new(
        py: Python<'_>,
        seeds: &Bound<'_, PyAny>,
        dir: &Bound<'_, PyAny>,
        text: Option<String>,
        max_pages: Option<&Bound<'_, PyAny>>,
        max_time: Option<&Bound<'_, PyAny>>,
        delay: Option<&Bound<'_, PyAny>>,
        user_agent: Option<&Bound<'_, PyAny>>,
        allow_private: Vec<String>,
        resolve: Vec<String>,
    ) -> PyResult<Self> {
        let (seeds, dir) = (path("seeds", seeds)?, path("dir", dir)?);
        let overrides = Overrides {
            user_agent: self::text("user_agent", user_agent)?,
            delay: duration("delay", delay)?,
            max_pages: number("max_pages", max_pages)?.map(|pages| pages as u64),
            max_time: duration("max_time", max_time)?,
            allow_private,
            resolve,
        };
        logging::begin();
        let opened = detached(py, || open(&seeds, text.as_deref(), &dir, &overrides))?;
        let mut job = opened.map_err(|what| Kind::Crawl.of(py, what))?;
        let (sender, documents) = sync_channel(WAITING);
        job.reader = Some(sender);
        let (live, (stopper, _)) = (Arc::new(Live::default()), watch::channel(Stop::No));
        let yielded = detached(py, || Yielded::of_job(&dir))?.map_err(|what| Kind::Crawl.of(py, what))?;
        let (counters, stop) = (Arc::clone(&live), stopper.clone());
        let started = std::thread::Builder::new().name("goldminer-crawl".to_owned());
        let thread = started.spawn(move || caught(|| crawl(job, counters, stop)).unwrap_or_else(Err))?;
        let (documents, thread) = (Some(documents), Some(thread));
        let state = State { documents, thread, report: None, early: VecDeque::new(), yielded };
        Ok(Self { dir, live, stopper, state: Mutex::new(state) })
    }

    /// The next document; `None` if there is none yet, `False` if there will be no more.
    fn poll<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let next = detached(py, || self.state().next(&self.dir))?;
        logging::pass_on(py)?;
        py.check_signals()?;
        match next.map_err(|what| Kind::Crawl.of(py, what))? {
            Next::Document(core) => Document { core: *core }.into_bound_py_any(py),
            Next::NotYet => py.None().into_bound_py_any(py),
            Next::Over => false.into_bound_py_any(py),
        }
    }

    /// Ends the crawl: requests in flight are finished, and everything is saved. It can be continued.
    fn stop(&self, py: Python<'_>) -> PyResult<()> {
        // Documents that are committed from now on are yielded by the next run.
        let _ = self.stopper.send(Stop::Soon);
        loop {
            let is_over = detached(py, || {
                let mut state = self.state();
                state.documents = None;
                let is_over = state.thread.as_ref().is_none_or(JoinHandle::is_finished);
                if is_over { state.conclude(&self.dir).map(|()| true) } else { Ok(false) }
            })?;
            logging::pass_on(py)?;
            py.check_signals()?;
            if is_over.map_err(|what| Kind::Crawl.of(py, what))? {
                return Ok(());
            }
            #[allow(clippy::disallowed_methods)]
            // Unlike other ways to wait, this lets Python handle signals.
            detached(py, || std::thread::sleep(LOOK / 4))?;
        }
    }

    /// The counters of this run.
    fn counters<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        object(py, &self.live.counters())
    }

    /// How the run ended; `None` while it is running.
    fn report<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        object(py, &detached(py, || serde_json::to_value(&self.state().report).unwrap_or_default())?)
    }
}

enum Next {
    Document(Box<CoreDocument>),
    NotYet,
    Over,
}

impl CrawlRun {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn next(&mut self, dir: &Path) -> Result<Next, String> {
        self.yielded.save_much()?;
        if let Some(document) = self.yielded.earlier() {
            return Ok(Next::Document(Box::new(document)));
        }
        match self.documents.as_ref().map(|documents| documents.recv_timeout(LOOK)) {
            Some(Ok(document)) if !self.yielded.takes(&document) => return Ok(Next::NotYet),
            Some(Ok(document)) => return Ok(Next::Document(Box::new(document))),
            Some(Err(RecvTimeoutError::Timeout)) => return Ok(Next::NotYet),
            Some(Err(RecvTimeoutError::Disconnected)) => self.conclude(dir)?,
            None => {}
        }
        let yielded = &mut self.yielded;
        let next = std::iter::from_fn(|| self.early.pop_front()).find(|document| yielded.takes(document));
        Ok(next.map_or(Next::Over, |document| Next::Document(Box::new(document))))
    }

    /// Waits for the end of the crawl, and keeps its report and the documents that may still be retracted.
    fn conclude(&mut self, dir: &Path) -> Result<(), String> {
        self.documents = None;
        self.yielded.save()?;
        let Some(thread) = self.thread.take() else { return Ok(()) };
        let report = thread.join().unwrap_or_else(|_| Err("the crawl's thread has panicked".to_owned()))?;
        self.early = Yielded::early(dir);
        self.report = Some(ReportJson::of(report));
        Ok(())
    }
}

fn open(seeds: &Path, text: Option<&str>, dir: &Path, overrides: &Overrides) -> Result<Job, String> {
    let read = match text {
        Some(text) => Seeds::parse(text, "seeds"),
        None => Seeds::read(seeds),
    };
    let mut seeds = read.map_err(|error| with_causes(&error))?;
    if seeds.crawl.user_agent.trim().is_empty() {
        seeds.crawl.user_agent = std::env::var("GOLDMINER_USER_AGENT").unwrap_or_default();
    }
    let config = Config::effective(seeds, overrides).map_err(|error| match error {
        ConfigError::NoUserAgent => format!(
            "{NO_USER_AGENT}; give a name, and a web page or an e-mail address of your own, as user_agent= or in the \
             environment as GOLDMINER_USER_AGENT"
        ),
        error => with_causes(&error),
    })?;
    Job::open(dir, config).map_err(|error| with_causes(&error))
}

fn crawl(job: Job, live: Arc<Live>, stopper: watch::Sender<Stop>) -> Result<Report, String> {
    let runtime = tokio::runtime::Runtime::new().map_err(|e| format!("cannot start the asynchronous runtime: {e}"))?;
    let report = runtime.block_on(goldminer_crawl::run::crawl(&job, live, stopper));
    runtime.shutdown_timeout(BLOCKED);
    report.map_err(|error| with_causes(&error))
}

/// A duration: a number of seconds, or a text as on the command line.
fn duration(name: &str, value: Option<&Bound<'_, PyAny>>) -> PyResult<Option<HumanDuration>> {
    let Some(value) = value.filter(|value| !value.is_none()) else { return Ok(None) };
    let wrong = |what: String| argument(value.py(), name, what);
    if let Ok(seconds) = value.extract::<f64>() {
        let length = Duration::try_from_secs_f64(seconds).map_err(|e| wrong(format!("is {seconds}: {e}")))?;
        return Ok(Some(HumanDuration(length)));
    }
    match text(name, Some(value))? {
        Some(text) => text.parse().map(Some).map_err(|e: String| wrong(format!("is wrong: {e}"))),
        None => Ok(None),
    }
}

/// The prefix of files with documents that may still be retracted.
const EARLY: &str = "part-early-";

/// The number of yielded documents after which their ids are saved. If the process is killed before, the next run
/// yields the unsaved documents again, so that the caller misses none.
const SAVED_EVERY: usize = 100;

/// Remembers which documents of a job were yielded, and finds those that earlier runs committed but did not yield.
pub(crate) struct Yielded {
    path: PathBuf,
    file: File,
    given: HashSet<u64>,
    /// Number of bytes of the file that are on disk.
    saved: u64,
    /// Hashes that are not on disk yet.
    unsaved: Vec<u8>,
    /// Documents that were committed before this run.
    earlier: Box<dyn Iterator<Item = CoreDocument> + Send>,
}

impl Yielded {
    /// Opens the file `yielded` of the job in `dir`. If the corpus was made without a Python caller, its documents
    /// count as yielded; `Crawler.documents` reads them.
    pub(crate) fn of_job(dir: &Path) -> Result<Self, String> {
        let path = dir.join("yielded");
        let failed = |what: &str, e: io::Error| format!("cannot {what} {}: {e}", path.display());
        let known = match std::fs::read(&path) {
            Ok(known) => known,
            Err(e) if e.kind() == ErrorKind::NotFound => begin(dir, &path).map_err(|e| failed("write", e))?,
            Err(e) => return Err(failed("read", e)),
        };
        let file = OpenOptions::new().write(true).open(&path).map_err(|e| failed("write", e))?;
        // A killed process may have left a part of a hash, which the next hash overwrites.
        let (hashes, _) = known.as_chunks::<8>();
        let given = hashes.iter().map(|hash| u64::from_le_bytes(*hash)).collect();
        let saved = size_of_val(hashes) as u64;
        Ok(Self { path, file, given, saved, unsaved: Vec::new(), earlier: Box::new(documents(dir, false)) })
    }

    /// The next document that was committed before this run and not yielded yet.
    pub(crate) fn earlier(&mut self) -> Option<CoreDocument> {
        loop {
            let document = self.earlier.next()?;
            if self.takes(&document) {
                return Some(document);
            }
        }
    }

    /// Returns whether a document was not yielded yet, and counts it as yielded from now on.
    pub(crate) fn takes(&mut self, document: &CoreDocument) -> bool {
        let hash = hash(document);
        let is_new = self.given.insert(hash);
        if is_new {
            self.unsaved.extend(hash.to_le_bytes());
        }
        is_new
    }

    /// The documents that may still be retracted.
    pub(crate) fn early(dir: &Path) -> VecDeque<CoreDocument> {
        documents(dir, true).collect()
    }

    /// Saves the ids of yielded documents, if there are [`SAVED_EVERY`] of them.
    pub(crate) fn save_much(&mut self) -> Result<(), String> {
        if self.unsaved.len() >= SAVED_EVERY * size_of::<u64>() { self.save() } else { Ok(()) }
    }

    /// Saves the ids of yielded documents.
    pub(crate) fn save(&mut self) -> Result<(), String> {
        if self.unsaved.is_empty() {
            return Ok(());
        }
        // After a failed write, the next one starts at the same byte, so that hashes stay aligned.
        let start = self.file.seek(SeekFrom::Start(self.saved));
        let written = start.and_then(|_| self.file.write_all(&self.unsaved)).and_then(|()| self.file.sync_data());
        written.map_err(|e| format!("cannot write {}: {e}", self.path.display()))?;
        self.saved += self.unsaved.len() as u64;
        self.unsaved.clear();
        Ok(())
    }
}

/// Creates the file `yielded` with the hashes of all documents of a job, and returns the hashes. The file is written
/// completely or not at all, because documents that are missing in it would be yielded again.
fn begin(dir: &Path, path: &Path) -> io::Result<Vec<u8>> {
    let all = documents(dir, false).chain(documents(dir, true));
    let hashes: Vec<u8> = all.flat_map(|document| hash(&document).to_le_bytes()).collect();
    durable::write(path, &hashes)?;
    Ok(hashes)
}

fn hash(document: &CoreDocument) -> u64 {
    xxh3_64(document.id.as_bytes())
}

/// The documents of the corpus, in order: the final ones, or with `early` those that may still be retracted.
fn documents(dir: &Path, early: bool) -> impl Iterator<Item = CoreDocument> + Send + use<> {
    let files = std::fs::read_dir(dir.join("corpus")).into_iter().flatten().flatten();
    let is_early = |path: &Path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(EARLY));
    let mut files: Vec<PathBuf> = files.map(|file| file.path()).filter(|path| is_early(path) == early).collect();
    files.sort_unstable();
    files.into_iter().filter_map(|file| goldminer_corpus::read(&file).ok()).flatten().filter_map(Result::ok)
}
