//! Reading a corpus back, document by document, and writing one.

pub(crate) mod document;

use std::sync::{Mutex, PoisonError};

use goldminer_corpus::{CorpusError, Documents, Format, Sink};
use pyo3::prelude::*;

use crate::arguments::{path, text, type_name};
use crate::errors::{Kind, argument, detached, told};

use document::Document;

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
    let documents = detached(py, || goldminer_corpus::read(&path).map_err(|error| told(&error)))?;
    let documents = documents.map_err(|what| Kind::Corpus.of(py, what))?;
    Ok(CorpusDocuments { documents: Mutex::new(documents) })
}

/// Writes documents into a folder as a corpus of some form, all of it or nothing, and gives their number. Of each form but
/// "cleaneval" and "markdown" the folder must hold none yet.
#[pyfunction]
#[pyo3(signature = (documents, folder, format=None))]
pub(crate) fn write_corpus(
    py: Python<'_>,
    documents: &Bound<'_, PyAny>,
    folder: &Bound<'_, PyAny>,
    format: Option<&Bound<'_, PyAny>>,
) -> PyResult<usize> {
    let folder = path("folder", folder)?;
    let of_file = || Format::of_file(&folder).unwrap_or(Format::Jsonl).as_str().to_owned();
    let name = text("format", format)?.unwrap_or_else(of_file);
    let unknown = || {
        let names: Vec<&str> = Format::ALL.iter().map(|format| format.as_str()).collect();
        argument(py, "format", format_args!("is {name:?}; there are {}", names.join(", ")))
    };
    let format = Format::ALL.into_iter().find(|format| format.as_str() == name).ok_or_else(unknown)?;
    let failed = |error: CorpusError| Kind::Corpus.of(py, told(&error));
    let mut sink = Sink::create(&folder, format).map_err(failed)?;
    let mut written = 0;
    for document in documents.try_iter().map_err(|_| argument(py, "documents", "must be an iterable of documents"))? {
        let document = document?;
        let document = document.cast::<Document>().map_err(|_| {
            argument(py, "documents", format_args!("must be documents, and one is {}", type_name(&document)))
        })?;
        sink.write(&document.get().core).map_err(failed)?;
        written += 1;
    }
    detached(py, || sink.close().map_err(|error| told(&error)))?.map_err(|what| Kind::Corpus.of(py, what))?;
    Ok(written)
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
