//! Converts the arguments of Python callers: pages (as `str` or bytes), URLs, paths, numbers. A value of another type
//! raises an `ArgumentError` that names the argument.

use std::path::{Path, PathBuf};

use goldminer_core::address::CrawlUrl;
use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};
use pyo3::types::{PyByteArray, PyBytes, PyMemoryView, PyString};

use crate::errors::argument;

/// A page from Python. Immutable objects are not copied.
pub(crate) enum Html {
    Bytes(PyBackedBytes),
    Text(PyBackedStr),
    /// A text that UTF-8 cannot encode, with U+FFFD in place of its lone surrogates.
    Lossy(String),
}

impl Html {
    pub(crate) fn bytes(&self) -> &[u8] {
        match self {
            Self::Bytes(bytes) => bytes,
            Self::Text(text) => text.as_bytes(),
            Self::Lossy(text) => text.as_bytes(),
        }
    }

    /// The content type for the page. For a `str` it states UTF-8, because the text is decoded already, whatever
    /// charset its `<meta>` declares. None for bytes, whose charset is unknown.
    pub(crate) fn content_type(&self) -> Option<&'static str> {
        match self {
            Self::Bytes(_) => None,
            Self::Text(_) | Self::Lossy(_) => Some("text/html; charset=utf-8"),
        }
    }

    /// The page in the argument `name`.
    pub(crate) fn named(name: &str, page: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = page.py();
        if let Ok(bytes) = page.cast::<PyBytes>() {
            return Ok(Self::Bytes(bytes.clone().into()));
        }
        if let Ok(text) = page.cast::<PyString>() {
            if let Some(what) = text.to_str().ok().and_then(no_page) {
                return Err(argument(py, name, what));
            }
            return Ok(match PyBackedStr::try_from(text.clone()) {
                Ok(text) => Self::Text(text),
                Err(_) => Self::Lossy(text.to_string_lossy().into_owned()),
            });
        }
        if let Ok(bytes) = page.cast::<PyByteArray>() {
            return Ok(Self::Bytes(bytes.clone().into()));
        }
        if page.cast::<PyMemoryView>().is_ok() {
            let bytes = py.get_type::<PyBytes>().call1((page,))?.cast_into::<PyBytes>()?;
            return Ok(Self::Bytes(bytes.into()));
        }
        Err(argument(py, name, format_args!("must be str or bytes, not {}", type_name(page))))
    }
}

/// Returns an error message if the text is a URL or a file name instead of a page.
fn no_page(text: &str) -> Option<String> {
    if text.len() > 1_000 || text.contains(['<', '\n']) {
        return None;
    }
    let lower = text.to_ascii_lowercase();
    if lower.starts_with("http://") || lower.starts_with("https://") {
        return Some(format!("is the URL {text:?}: give the page itself, as str or bytes"));
    }
    let is_file = [".html", ".htm", ".xhtml"].iter().any(|end| lower.ends_with(end)) || Path::new(text).is_file();
    is_file.then(|| format!("is the file name {text:?}: give the content of the file: open({text:?}, \"rb\").read()"))
}

/// The name of an object's type, for messages.
pub(crate) fn type_name(object: &Bound<'_, PyAny>) -> String {
    object.get_type().name().map_or_else(|_| "an object".to_owned(), |name| name.to_string())
}

/// The text in the argument `name`; `None` if it is Python's `None`.
pub(crate) fn text(name: &str, value: Option<&Bound<'_, PyAny>>) -> PyResult<Option<String>> {
    let Some(value) = value.filter(|value| !value.is_none()) else { return Ok(None) };
    let Ok(text) = value.cast::<PyString>() else {
        return Err(argument(value.py(), name, format_args!("must be str or None, not {}", type_name(value))));
    };
    match text.to_str() {
        Ok(text) => Ok(Some(text.to_owned())),
        Err(_) => Err(argument(value.py(), name, "contains a lone surrogate, which is not a character")),
    }
}

/// The URL in the argument `url`; `None` if it is Python's `None`.
pub(crate) fn url(value: Option<&Bound<'_, PyAny>>) -> PyResult<Option<CrawlUrl>> {
    let (Some(value), Some(text)) = (value, text("url", value)?) else { return Ok(None) };
    match CrawlUrl::parse(&text) {
        Ok(url) => Ok(Some(url)),
        Err(error) => Err(argument(value.py(), "url", format_args!("is not a URL of the web: {error}"))),
    }
}

/// The path in the argument `name`: `str` or `os.PathLike`.
pub(crate) fn path(name: &str, value: &Bound<'_, PyAny>) -> PyResult<PathBuf> {
    let wrong = |_| argument(value.py(), name, format_args!("must be a path, not {}", type_name(value)));
    value.extract::<PathBuf>().map_err(wrong)
}

/// The whole number, from 0, in the argument `name`; `None` if it is Python's `None`.
pub(crate) fn number(name: &str, value: Option<&Bound<'_, PyAny>>) -> PyResult<Option<usize>> {
    let Some(value) = value.filter(|value| !value.is_none()) else { return Ok(None) };
    let wrong = |_| {
        let what = value.repr().map_or_else(|_| type_name(value), |repr| repr.to_string_lossy().into_owned());
        argument(value.py(), name, format_args!("must be a whole number from 0, not {what}"))
    };
    value.extract::<usize>().map(Some).map_err(wrong)
}

/// The language code in the argument `language`, such as `hu` or `de-AT`; `None` if it is Python's `None`.
pub(crate) fn language(value: Option<&Bound<'_, PyAny>>) -> PyResult<Option<String>> {
    let Some((value, code)) = value.zip(text("language", value)?) else { return Ok(None) };
    match goldminer::cli::language_code(code.split(['-', '_']).next().unwrap_or_default()) {
        Ok(_) => Ok(Some(code)),
        Err(what) => Err(argument(value.py(), "language", format_args!("is wrong: {what}"))),
    }
}
