//! Reading a corpus back, document by document.

use std::sync::{Mutex, PoisonError};

use goldminer::corpus::{self, Documents};
use pyo3::prelude::*;

use crate::arguments::path;
use crate::document::Document;
use crate::errors::{Kind, detached, told};

/// An iterator of documents.
#[pyclass(frozen, module = "goldminer")]
pub(crate) struct CorpusDocuments {
    documents: Mutex<Documents>,
}

/// The documents of a corpus: a folder, a file of JSON lines (`.jsonl`, `.jsonl.zst`), or a Parquet file. They are read as they
/// are asked for.
#[pyfunction]
pub(crate) fn read_corpus(py: Python<'_>, path: &Bound<'_, PyAny>) -> PyResult<CorpusDocuments> {
    let path = self::path("path", path)?;
    let documents = detached(py, || corpus::read(&path).map_err(|error| told(&error)))?;
    let documents = documents.map_err(|what| Kind::Corpus.of(py, what))?;
    Ok(CorpusDocuments { documents: Mutex::new(documents) })
}

#[pymethods]
impl CorpusDocuments {
    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Document>> {
        let next = detached(py, || self.documents.lock().unwrap_or_else(PoisonError::into_inner).next())?;
        let document = next.transpose().map_err(|error| Kind::Corpus.of(py, told(&error)))?;
        Ok(document.map(|core| Document { core }))
    }
}
