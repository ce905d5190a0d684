//! Reads the pages of WARC and WACZ files of any program, in order.

use std::collections::VecDeque;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use goldminer_core::address::CrawlUrl;
use goldminer_core::extract::domain::StoredPage;
use goldminer_crawl::extract::stored_page;
use goldminer_warc::{Entry, Record, WarcReader, is_compressed, wacz_members};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;

use crate::arguments::{Html, path};
use crate::errors::{Kind, argument, detached, with_causes};

/// A page of an archive: its bytes without content coding, and the metadata of its record.
#[pyclass(frozen, module = "goldminer")]
pub(crate) struct Page {
    html: PyBackedBytes,
    #[pyo3(get)]
    url: String,
    #[pyo3(get)]
    pub(crate) content_type: Option<String>,
    /// The time when the page was fetched, in UTC, such as `2026-11-20T09:15:00Z`.
    #[pyo3(get)]
    fetched: Option<String>,
    /// The name of the WARC file; `offset` is the position of the page's record in it, in bytes.
    #[pyo3(get)]
    file: String,
    #[pyo3(get)]
    offset: u64,
}

impl Page {
    fn of(py: Python<'_>, page: StoredPage) -> Self {
        Self {
            html: PyBytes::new(py, &page.bytes).into(),
            url: page.url.map(|url| url.as_str().to_owned()).unwrap_or_default(),
            content_type: page.content_type,
            fetched: page.fetched.map(|time| time.to_string()),
            file: page.position.as_ref().map(|position| position.file.clone()).unwrap_or_default(),
            offset: page.position.map_or(0, |position| position.offset),
        }
    }

    pub(crate) fn url(&self) -> Option<CrawlUrl> {
        CrawlUrl::parse(&self.url).ok()
    }

    pub(crate) fn html(&self, py: Python<'_>) -> Html {
        Html::Bytes(self.html.clone_ref(py))
    }
}

#[pymethods]
impl Page {
    #[getter(html)]
    fn html_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok((&self.html).into_pyobject(py)?.into_any())
    }

    fn __repr__(&self) -> String {
        format!("Page(url={:?}, {} bytes)", self.url, self.html.len())
    }
}

/// An iterator over the pages of an archive.
#[pyclass(frozen, module = "goldminer")]
pub(crate) struct WarcPages {
    state: Mutex<State>,
}

struct State {
    files: VecDeque<PathBuf>,
    open: Option<WarcReader>,
}

impl State {
    fn next(&mut self) -> Result<Option<StoredPage>, String> {
        loop {
            let Some(reader) = &mut self.open else {
                let Some(file) = self.files.pop_front() else { return Ok(None) };
                self.open = Some(WarcReader::open(&file).map_err(|error| with_causes(&error))?);
                continue;
            };
            match reader.next() {
                None => self.open = None,
                Some(Err(error)) => {
                    self.open = None;
                    return Err(with_causes(&error));
                }
                Some(Ok(Entry::Record { position, record: Record::Response(capture) })) => {
                    if let Some(page) = stored_page(*capture, position) {
                        return Ok(Some(page));
                    }
                }
                // Damaged parts are skipped, as by `goldminer extract`.
                Some(Ok(_)) => {}
            }
        }
    }
}

/// Read the pages of an archive.
///
/// Parameters
/// ----------
/// path : path
///     A WARC file (`.warc`, `.warc.gz`, `.warc.zst`), a WACZ file, or a folder of WARC files such as the `archive/` of a job.
///
/// Returns
/// -------
/// iterator of Page
///     The pages in order. Damaged records, and responses that are not HTML, are skipped.
///
/// Raises
/// ------
/// ArchiveError
///     If the archive cannot be read.
#[pyfunction]
pub(crate) fn read_warc(py: Python<'_>, path: &Bound<'_, PyAny>) -> PyResult<WarcPages> {
    let path = self::path("path", path)?;
    let files = files(&path).map_err(|what| Kind::Archive.of(py, format_args!("{}: {what}", path.display())))?;
    if files.is_empty() {
        return Err(argument(py, "path", format_args!("names {}, which has no WARC files", path.display())));
    }
    Ok(WarcPages { state: Mutex::new(State { files: files.into(), open: None }) })
}

fn files(path: &Path) -> Result<Vec<PathBuf>, String> {
    if path.is_dir() {
        let entries = std::fs::read_dir(path).map_err(|e| format!("cannot be read: {e}"))?;
        let mut files: Vec<PathBuf> =
            entries.map(|entry| entry.map(|e| e.path())).collect::<Result<_, _>>().map_err(|e| e.to_string())?;
        files.retain(|file| file.is_file() && file.to_string_lossy().contains(".warc"));
        files.sort_unstable();
        return Ok(files);
    }
    std::fs::metadata(path).map_err(|e| format!("cannot be read: {e}"))?;
    if path.extension().is_some_and(|extension| extension == "wacz") {
        return wacz_members(path).map_err(|e| with_causes(&e));
    }
    let mut start = [0; 5];
    let read = std::fs::File::open(path).and_then(|mut file| file.read(&mut start));
    let start = &start[..read.map_err(|e| format!("cannot be read: {e}"))?];
    if !(start.is_empty() || start.starts_with(b"WARC/") || is_compressed(start)) {
        return Err("is not a WARC file (.warc, .warc.gz, .warc.zst, .wacz); for HTML use goldminer.extract".to_owned());
    }
    Ok(vec![path.to_owned()])
}

#[pymethods]
impl WarcPages {
    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Page>> {
        let next = detached(py, || self.state.lock().unwrap_or_else(std::sync::PoisonError::into_inner).next())?;
        let page = next.map_err(|what| Kind::Archive.of(py, what))?;
        Ok(page.map(|page| Page::of(py, page)))
    }
}
