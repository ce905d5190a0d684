//! Extracts many pages in parallel, and yields the results in order. The threads belong to the iterator and end with
//! it. A limited number of pages is read ahead, so that memory does not grow with the number of pages.

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
use crate::extractor::{Extracted, Known, Shared, to_python};
use crate::warc::Page;

/// The number of pages that are read ahead for each thread, so that threads have work while one extracts a long page.
const AHEAD: usize = 8;
/// The most bytes of pages that are read ahead.
const AHEAD_BYTES: usize = 64 << 20;
/// The longest time for which Ctrl-C may have to wait.
const SIGNALS: Duration = Duration::from_millis(100);

/// A page that is being extracted, and where its document is sent. The page is returned too, because only a thread
/// that holds the GIL may drop it.
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

/// The state that the consumer of the iterator uses.
struct State {
    /// `None` after the garbage collector has cleared it.
    pages: Option<Py<PyIterator>>,
    /// The queue to the threads; `None` at the end of the pages.
    tasks: Option<Sender<Task>>,
    waiting: VecDeque<Waiting>,
    bytes: usize,
    /// The exception of the iterator of pages. It is raised after the documents of the earlier pages.
    raised: Option<PyErr>,
}

/// An iterator over the results of pages: documents, or the reasons why there are none.
#[pyclass(frozen, module = "goldminer")]
pub(crate) struct ExtractMany {
    state: Mutex<State>,
    window: usize,
    /// The id of the process that created the threads. In a forked process, the threads do not exist.
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
            // One thread is enough, only slower.
            if let (0, Err(error)) = (number, started) {
                return Err(Kind::Base.of(py, format_args!("cannot start a thread: {error}")));
            }
        }
        let state = State { pages: Some(pages), tasks: Some(tasks), waiting: VecDeque::new(), bytes: 0, raised: None };
        Ok(Self { state: Mutex::new(state), window: threads * AHEAD, process: std::process::id() })
    }
}

/// The most threads. More threads would only need memory.
const MOST_THREADS: usize = 1024;

fn work(shared: &Shared, queue: &Mutex<Receiver<Task>>) {
    loop {
        let next = queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(Task { page, known, done }) = next else { return };
        let extracted = caught(|| shared.extract(&page, &known));
        // If the iterator was released, nobody receives the result.
        let _ = done.send((page, extracted));
    }
}

#[pymethods]
impl ExtractMany {
    /// Lets the garbage collector find cycles. Pages often come from an object that refers to this iterator; such a
    /// cycle, and its threads, would never be freed.
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        // If the state is locked, a caller of `__next__` refers to the iterator anyway.
        self.state.try_lock().map_or(Ok(()), |state| visit.call(&state.pages))
    }

    fn __clear__(&self) {
        // Releasing objects may run Python code, which must not find the state locked.
        let taken = self.state.try_lock().map(|mut state| (state.pages.take(), state.tasks.take()));
        drop(taken);
    }

    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        if self.process != std::process::id() {
            return Err(PyRuntimeError::new_err(
                "the iterator of extract_many works only in the process that created it, not in a forked one",
            ));
        }
        // The thread that has locked the state may need the GIL, so this thread must not wait for the lock while it
        // holds the GIL.
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
                Err(RecvTimeoutError::Disconnected) => return Err(Kind::Base.of(py, "a worker thread has ended early")),
            }
        };
        to_python(py, extracted.map_err(|defect| Kind::Base.of(py, defect))?).map(Some)
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
                    // The threads end when this sender is dropped.
                    let _ = tasks.send(Task { page, known, done });
                }
                Some(Err(raised)) => (self.tasks, self.raised) = (None, Some(raised)),
                None => self.tasks = None,
            }
        }
    }
}

/// Converts a page in one of the forms that callers may pass: a `Page`, a pair of an HTML page and its URL, or the HTML
/// page alone.
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
            let what = format!("must be pages or pairs of page and URL, not a tuple of length {}", other.len());
            Err(argument(page.py(), "pages", what))
        }
        Err(_) => Ok((Html::named("pages", page)?, Known::default())),
    }
}
