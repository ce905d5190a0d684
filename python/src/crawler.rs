//! The crawl, on a thread of its own, and its documents as they come to stand in the corpus.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use goldminer_core::document::Document as CoreDocument;
use goldminer_crawl::config::{Config, Overrides};
use goldminer_crawl::health::portal_outcomes::PortalOutcome;
use goldminer_crawl::run::crawl::{Job, Report};
use goldminer_crawl::run::live::Live;
use goldminer_crawl::run::{Ended, Stop};
use goldminer_crawl::seeds::{HumanDuration, Seeds};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use serde::Serialize;
use tokio::sync::watch;

use crate::arguments::{number, path, text};
use crate::corpus::document::{Document, object};
use crate::errors::{Kind, argument, caught, detached, told};
use crate::logging;
use crate::yielded::Yielded;

/// Documents that wait for who reads them; the extraction waits for them, not the fetching.
const WAITING: usize = 256;
/// How long Ctrl-C, and a look at the counters, may wait.
const LOOK: Duration = Duration::from_millis(100);
/// What is still blocked when a crawl ends (a name that is being looked up) must not hold it up.
const BLOCKED: Duration = Duration::from_secs(1);

/// A crawl under way.
#[pyclass(frozen, module = "goldminer")]
pub(crate) struct CrawlRun {
    dir: PathBuf,
    live: Arc<Live>,
    stopper: watch::Sender<Stop>,
    state: Mutex<State>,
}

struct State {
    /// Nothing when nobody reads any more.
    documents: Option<Receiver<CoreDocument>>,
    thread: Option<JoinHandle<Result<Report, String>>>,
    report: Option<ReportJson>,
    /// Documents that may still be made anew: they come at the end.
    early: VecDeque<CoreDocument>,
    yielded: Yielded,
}

/// A report for people and programs.
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
    /// Begins a crawl in a job directory, or goes on with the one that is there.
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

    /// The next document; `None` when there is none yet, `False` when there will be none any more.
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

    /// Ends the crawl: what is in flight is finished, and everything made durable. Going on is beginning again.
    fn stop(&self, py: Python<'_>) -> PyResult<()> {
        // What is committed from here on is given by the next run.
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
            // a thread of Python's has nothing else to wait on that lets signals through
            detached(py, || std::thread::sleep(LOOK / 4))?;
        }
    }

    /// What has happened in this run, in numbers.
    fn counters<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        object(py, &self.live.counters())
    }

    /// How the run ended; `None` while it runs.
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

    /// The crawl has ended.
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
    let mut seeds = read.map_err(|error| told(&error))?;
    if seeds.crawl.user_agent.as_ref().is_none_or(|agent| agent.trim().is_empty()) {
        seeds.crawl.user_agent = std::env::var("GOLDMINER_USER_AGENT").ok();
    }
    let config = Config::effective(seeds, overrides).map_err(|error| told(&error))?;
    Job::open(dir, config).map_err(|error| told(&error))
}

fn crawl(job: Job, live: Arc<Live>, stopper: watch::Sender<Stop>) -> Result<Report, String> {
    let runtime = tokio::runtime::Runtime::new().map_err(|e| format!("cannot start the asynchronous runtime: {e}"))?;
    let report = runtime.block_on(goldminer_crawl::run::crawl(&job, live, stopper));
    runtime.shutdown_timeout(BLOCKED);
    report.map_err(|error| told(&error))
}

/// A length of time: a number of seconds, or what the command line takes.
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
