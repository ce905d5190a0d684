//! Extracts many pages in parallel, and yields the results in order: with threads of the iterator, which end with it,
//! and a bounded number of pages that are read ahead, so that memory does not grow with their number.

use std::collections::VecDeque;
use std::num::NonZeroUsize;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use pyo3::exceptions::PyRuntimeError;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyIterator, PyTuple};

use crate::arguments::{Html, url};
use crate::errors::{Kind, argument, caught};
use crate::extractor::{Extracted, Known, Shared, came};
use crate::warc::Page;

/// The pages that each thread reads ahead: while it works on a long one, others are ready.
const AHEAD: usize = 8;
/// The most bytes of pages that are read ahead.
const AHEAD_BYTES: usize = 64 << 20;
/// The longest time that Ctrl-C may wait.
const SIGNALS: Duration = Duration::from_millis(100);

/// A page that is being extracted, and the receiver of its document. The page is returned, because only a thread that
/// holds the GIL may drop it.
struct Task {
    page: Html,
    known: Known,
    done: SyncSender<Done>,
}

type Done = (Html, Result<Extracted, String>);

struct Waiting {
    done: Receiver<Done>,
    bytes: usize,
}

/// The consumer's part.
struct State {
    /// `None` at the end of the pages, or after the garbage collector has cleared it.
    pages: Option<Py<PyIterator>>,
    /// `None` at the end of the pages.
    tasks: Option<Sender<Task>>,
    waiting: VecDeque<Waiting>,
    bytes: usize,
    /// The exception of the iterator of pages; it is raised after the documents of the earlier pages.
    raised: Option<PyErr>,
}

/// An iterator of documents.
#[pyclass(frozen, module = "goldminer")]
pub(crate) struct ExtractMany {
    state: Mutex<State>,
    window: usize,
    /// Threads do not survive in a process that forks.
    process: u32,
}

impl ExtractMany {
    pub(crate) fn start(
        py: Python<'_>,
        shared: Arc<Shared>,
        pages: &Bound<'_, PyAny>,
        threads: usize,
    ) -> PyResult<Self> {
        let not_pages = |_| argument(py, "pages", "must be an iterable of pages");
        if Html::named("pages", pages).is_ok() {
            return Err(argument(py, "pages", "must be an iterable of pages, not one page"));
        }
        let pages = pages.try_iter().map_err(not_pages)?.unbind();
        let processors = || thread::available_parallelism().map_or(1, NonZeroUsize::get);
        let threads = if threads == 0 { processors() } else { threads.min(MOST_THREADS) };
        let (tasks, queue) = channel();
        let queue = Arc::new(Mutex::new(queue));
        for number in 0..threads {
            let (shared, queue) = (Arc::clone(&shared), Arc::clone(&queue));
            let named = thread::Builder::new().name(format!("goldminer-{number}"));
            let started = named.spawn(move || work(&shared, &queue));
            // One thread is enough, but slower.
            if let (0, Err(error)) = (number, started) {
                return Err(Kind::Base.of(py, format_args!("cannot start a thread: {error}")));
            }
        }
        let state = State { pages: Some(pages), tasks: Some(tasks), waiting: VecDeque::new(), bytes: 0, raised: None };
        Ok(Self { state: Mutex::new(state), window: threads * AHEAD, process: std::process::id() })
    }
}

/// More threads than the processors of any machine would only take memory.
const MOST_THREADS: usize = 1024;

fn work(shared: &Shared, queue: &Mutex<Receiver<Task>>) {
    loop {
        let next = queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(Task { page, known, done }) = next else { return };
        let extracted = caught(|| shared.extract(&page, &known));
        // Nobody waits any more if the iterator was released.
        let _ = done.send((page, extracted));
    }
}

#[pymethods]
impl ExtractMany {
    /// Pages often come from an object that holds this iterator: without this such a cycle, and its threads, would stay
    /// for ever.
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        // A caller of `__next__` holds the iterator anyway.
        self.state.try_lock().map_or(Ok(()), |state| visit.call(&state.pages))
    }

    fn __clear__(&self) {
        // Releasing objects may run their own code, which must not find the state locked.
        let taken = self.state.try_lock().map(|mut state| (state.pages.take(), state.tasks.take()));
        drop(taken);
    }

    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        if self.process != std::process::id() {
            return Err(PyRuntimeError::new_err(
                "extract_many goes on in the process that began it, not in a fork of it",
            ));
        }
        // A thread that holds it waits for pages without the interpreter, so it must not be waited for with the
        // interpreter.
        let Ok(mut state) = self.state.try_lock() else {
            return Err(PyRuntimeError::new_err("another thread is taking the next document"));
        };
        state.fill(py, self.window);
        let Some(mut waiting) = state.waiting.pop_front() else {
            return state.raised.take().map_or(Ok(None), Err);
        };
        state.bytes -= waiting.bytes;
        let (_page, extracted) = loop {
            let done = &mut waiting.done;
            match py.detach(move || done.recv_timeout(SIGNALS)) {
                Ok(done) => break done,
                Err(RecvTimeoutError::Timeout) => py.check_signals()?,
                Err(RecvTimeoutError::Disconnected) => return Err(Kind::Base.of(py, "a thread ended by itself")),
            }
        };
        came(py, extracted.map_err(|defect| Kind::Base.of(py, defect))?).map(Some)
    }
}

impl State {
    /// Takes pages from their iterator until enough are being extracted.
    fn fill(&mut self, py: Python<'_>, window: usize) {
        while self.waiting.len() < window && (self.bytes < AHEAD_BYTES || self.waiting.is_empty()) {
            let (Some(tasks), Some(pages)) = (&self.tasks, &self.pages) else { return };
            let next = pages.bind(py).clone().next().map(|page| page.and_then(|page| given(&page)));
            match next {
                Some(Ok((page, known))) => {
                    let (done, waiting) = sync_channel(1);
                    let bytes = page.bytes().len();
                    self.bytes += bytes;
                    self.waiting.push_back(Waiting { done: waiting, bytes });
                    // The threads live as long as this sender.
                    let _ = tasks.send(Task { page, known, done });
                }
                Some(Err(raised)) => (self.tasks, self.raised) = (None, Some(raised)),
                None => self.tasks = None,
            }
        }
    }
}

/// A page in one of the forms that callers may pass.
pub(crate) fn given(page: &Bound<'_, PyAny>) -> PyResult<(Html, Known)> {
    if let Ok(page_object) = page.cast::<Page>() {
        let page = page_object.get();
        let known = Known { url: page.url(), content_type: page.content_type.clone(), language: None };
        return Ok((page.html(page_object.py()), known));
    }
    match page.cast::<PyTuple>() {
        Ok(pair) if pair.len() == 2 => {
            let known = Known { url: url(Some(&pair.get_item(1)?))?, ..Known::default() };
            Ok((Html::named("pages", &pair.get_item(0)?)?, known))
        }
        Ok(other) => {
            let what = format!("must be pages or pairs of page and URL, not a tuple of {}", other.len());
            Err(argument(page.py(), "pages", what))
        }
        Err(_) => Ok((Html::named("pages", page)?, Known::default())),
    }
}
