//! Python's interface to corpora: reads a corpus document by document, and writes one.

use std::borrow::Cow;
use std::ffi::CString;
use std::sync::{Mutex, PoisonError};

use goldminer_core::document::{Document as CoreDocument, DocumentParagraph, MarkKind, ObjectKind, ParagraphKind};
use goldminer_core::extract::domain::PageOutcome;
use goldminer_core::extract::keep;
use goldminer_corpus::schema::{self, DOCUMENT, Field};
use goldminer_corpus::{CorpusError, Documents, Format, Sink, html, markdown, markdown_body, markup};
use pyo3::exceptions::{PyAttributeError, PyUserWarning};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};
use serde::Serialize;

use crate::arguments::{path, text, type_name};
use crate::errors::{Kind, argument, detached, with_causes};

/// An iterator over the documents of a corpus.
#[pyclass(frozen, module = "goldminer")]
pub(crate) struct CorpusDocuments {
    documents: Mutex<Documents>,
}

/// Read the documents of a corpus, one at a time.
///
/// Parameters
/// ----------
/// path : path
///     A folder, a file of JSON lines (`.jsonl`, `.jsonl.zst`), a Parquet file, or the job directory of a crawl.
///
/// Returns
/// -------
/// iterator of Document
///
/// Raises
/// ------
/// CorpusError
///     If the corpus cannot be read.
///
/// Warns
/// -----
/// UserWarning
///     If the corpus is an incomplete output of `goldminer extract` or `goldminer dedup`.
#[pyfunction]
pub(crate) fn read_corpus(py: Python<'_>, path: &Bound<'_, PyAny>) -> PyResult<CorpusDocuments> {
    let path = goldminer_crawl::JobDir::corpus_of(&self::path("path", path)?);
    let opened = detached(py, || -> Result<_, String> {
        let documents = goldminer_corpus::read(&path).map_err(|error| with_causes(&error))?;
        Ok((documents, goldminer_batch::incomplete(&path).map_err(|error| with_causes(&error))?))
    })?;
    let (documents, incomplete) = opened.map_err(|what| Kind::Corpus.of(py, what))?;
    if let Some(what) = incomplete.and_then(|what| CString::new(what).ok()) {
        PyErr::warn(py, &py.get_type::<PyUserWarning>(), &what, 1)?;
    }
    Ok(CorpusDocuments { documents: Mutex::new(documents) })
}

/// Write documents as a corpus. If an error is raised, nothing is written.
///
/// Parameters
/// ----------
/// documents : iterable of Document
/// folder : path
///     A folder without a corpus in this format, or the name of a new file such as `corpus.parquet`.
/// format : {"jsonl", "parquet", "text", "markdown", "html", "cleaneval", "vertical", "tei"}, optional
///     By default the format of the file's name, or "jsonl" for a folder.
///
/// Returns
/// -------
/// int
///     The number of documents.
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
        argument(py, "format", format_args!("is {name:?}; the formats are {}", names.join(", ")))
    };
    let format = Format::ALL.iter().copied().find(|format| format.as_str() == name).ok_or_else(unknown)?;
    let failed = |error: CorpusError| Kind::Corpus.of(py, with_causes(&error));
    let mut sink = Sink::create(&folder, format).map_err(failed)?;
    let mut written = 0;
    for document in documents.try_iter().map_err(|_| argument(py, "documents", "must be an iterable of documents"))? {
        let document = document?;
        let document = document.cast::<Document>().map_err(|_| {
            argument(py, "documents", format_args!("must be Document objects, not {}", type_name(&document)))
        })?;
        sink.write(&document.get().core).map_err(failed)?;
        written += 1;
    }
    detached(py, || sink.close().map_err(|error| with_causes(&error)))?.map_err(|what| Kind::Corpus.of(py, what))?;
    Ok(written)
}

#[pymethods]
impl CorpusDocuments {
    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Document>> {
        let next = detached(py, || self.documents.lock().unwrap_or_else(PoisonError::into_inner).next())?;
        let document = next.transpose().map_err(|error| Kind::Corpus.of(py, with_causes(&error)))?;
        Ok(document.map(|core| Document { core }))
    }
}

/// An article: its text, metadata and origin. Each field of the corpus's JSON line is an attribute.
///
/// Examples
/// --------
/// >>> import goldminer
/// >>> story = "<p>It rained all day in the town, and nobody who had an umbrella lent it to the others.</p>"
/// >>> document = goldminer.bare_extraction("<h1>Rain</h1>" + story * 5)
/// >>> document.title
/// 'Rain'
#[pyclass(frozen, weakref, module = "goldminer")]
pub(crate) struct Document {
    pub(crate) core: CoreDocument,
}

/// Other names of metadata fields, for users of other extractors: the other name, and the name of the field.
const ALIASES: [(&str, &str); 1] = [("date", "published")];

#[pymethods]
impl Document {
    /// Read a document from a JSON line of a corpus.
    #[staticmethod]
    fn from_json(py: Python<'_>, line: &Bound<'_, PyAny>) -> PyResult<Self> {
        let text = line.cast::<PyString>().ok().and_then(|text| text.to_str().ok());
        let text = text.ok_or_else(|| argument(py, "line", "must be a str with JSON"))?;
        let core = serde_json::from_str(text).map_err(|e| argument(py, "line", format_args!("is no document: {e}")))?;
        Ok(Self { core })
    }

    #[getter]
    fn id(&self) -> &str {
        &self.core.id
    }

    #[getter]
    fn url(&self) -> &str {
        &self.core.url
    }

    #[getter]
    fn text(&self) -> &str {
        &self.core.text
    }

    #[getter]
    fn paragraphs(&self) -> Vec<Paragraph> {
        self.core.paragraphs.iter().map(|core| Paragraph { core: core.clone() }).collect()
    }

    /// The objects between the paragraphs that are not text: figures, embeds, rules.
    #[getter]
    fn objects<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        self.core.objects.iter().map(|core| whole(py, core, "objects")).collect()
    }

    /// The version of the format in which the document states its structure (levels, lists, marks): 1. None in corpora
    /// of older versions of the program.
    #[getter]
    fn structure(&self) -> Option<u8> {
        self.core.structure
    }

    #[getter]
    fn metadata<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        object(py, &self.core.metadata)
    }

    #[getter]
    fn provenance<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        object(py, &self.core.provenance)
    }

    #[getter]
    fn rights<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        object(py, &self.core.rights)
    }

    /// Return a field of the metadata: `title`, `authors`, `date`, `language` and so on.
    fn __getattr__<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let field = ALIASES.iter().find(|(alias, _)| *alias == name).map_or(name, |(_, field)| *field);
        let metadata = self.metadata(py)?.cast_into::<PyDict>()?;
        let unknown = || PyAttributeError::new_err(format!("a document has no attribute {name:?}"));
        metadata.get_item(field)?.ok_or_else(unknown)
    }

    fn __dir__<'py>(slf: &Bound<'py, Self>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let py = slf.py();
        let mut names: Vec<_> =
            py.get_type::<PyAny>().call_method1("__dir__", (slf,))?.try_iter()?.collect::<PyResult<_>>()?;
        names.extend(slf.get().metadata(py)?.try_iter()?.collect::<PyResult<Vec<_>>>()?);
        names.extend(ALIASES.iter().map(|(alias, _)| PyString::new(py, alias).into_any()));
        Ok(names)
    }

    /// Return the document as a `str`: its JSON line in a corpus.
    fn to_json(&self, py: Python<'_>) -> PyResult<String> {
        serde_json::to_string(&self.core).map_err(|e| Kind::Base.of(py, e))
    }

    /// Return the document as a `dict` with the keys of its JSON line.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        object(py, &self.core)
    }

    /// Return the text in CleanEval's markup.
    fn to_cleaneval(&self) -> String {
        markup(&self.core)
    }

    /// Return the text in Markdown, after the metadata.
    fn to_markdown(&self) -> String {
        markdown(&self.core)
    }

    /// Return the text in Markdown with its structure, or with parts of it.
    ///
    /// Parameters
    /// ----------
    /// links, formatting, images, tables : bool
    ///     The parts of the structure to keep.
    ///
    /// Examples
    /// --------
    /// >>> import goldminer
    /// >>> story = "<p>It rained all day in the town, and nobody who had an umbrella lent it to the others.</p>"
    /// >>> goldminer.bare_extraction("<h1>Rain</h1>" + story * 5).markdown()[:6]
    /// '# Rain'
    #[pyo3(signature = (*, links=true, formatting=true, images=true, tables=true))]
    fn markdown(&self, links: bool, formatting: bool, images: bool, tables: bool) -> String {
        markdown_body(&self.part(links, formatting, images, tables))
    }

    /// Return the text as an HTML fragment with its structure, or with parts of it.
    ///
    /// Parameters
    /// ----------
    /// links, formatting, images, tables : bool
    ///     The parts of the structure to keep.
    #[pyo3(signature = (*, links=true, formatting=true, images=true, tables=true))]
    fn html(&self, links: bool, formatting: bool, images: bool, tables: bool) -> String {
        html(&self.part(links, formatting, images, tables))
    }

    fn __str__(&self) -> &str {
        &self.core.text
    }

    fn __repr__(&self) -> String {
        let title = self.core.metadata.title.as_deref().unwrap_or_default();
        format!("Document(url={:?}, title={title:?}, {} characters)", self.core.url, self.core.text.chars().count())
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Self>().is_ok_and(|other| other.get().core == self.core)
    }

    fn __hash__(&self) -> u64 {
        use std::hash::{DefaultHasher, Hash, Hasher};
        let mut hasher = DefaultHasher::new();
        (&self.core.id, &self.core.provenance.text_digest).hash(&mut hasher);
        hasher.finish()
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        Ok((slf.get_type().getattr("from_json")?, (slf.get().to_json(slf.py())?,)))
    }
}

impl Document {
    /// The document with only the selected parts of its structure.
    fn part(&self, links: bool, formatting: bool, images: bool, tables: bool) -> Cow<'_, CoreDocument> {
        if links && formatting && images && tables {
            return Cow::Borrowed(&self.core);
        }
        let is_wanted = |paragraph: &DocumentParagraph| match paragraph.kind {
            ParagraphKind::Table => tables,
            ParagraphKind::Caption => images,
            _ => true,
        };
        let wanted: Vec<bool> = self.core.paragraphs.iter().map(is_wanted).collect();
        let mut document = keep(Box::new(self.core.clone()), &wanted).unwrap_or_else(|| {
            // No paragraph is left, but there may be images.
            let mut bare = Box::new(self.core.clone());
            bare.paragraphs.clear();
            for object in &mut bare.objects {
                object.before = 0;
                object.quoted.clear();
            }
            bare
        });
        document.objects.retain(|object| images || object.kind != ObjectKind::Figure);
        for paragraph in &mut document.paragraphs {
            paragraph.marks.retain(|mark| match mark.mark {
                MarkKind::Link => links,
                MarkKind::Emphasis
                | MarkKind::Strong
                | MarkKind::Deleted
                | MarkKind::Code
                | MarkKind::Sub
                | MarkKind::Sup => formatting,
                _ => true,
            });
        }
        Cow::Owned(*document)
    }
}

/// A paragraph of a document.
#[pyclass(frozen, eq, module = "goldminer")]
#[derive(PartialEq)]
pub(crate) struct Paragraph {
    core: DocumentParagraph,
}

#[pymethods]
impl Paragraph {
    #[classattr]
    fn __match_args__() -> (&'static str, &'static str) {
        ("kind", "text")
    }

    #[getter]
    fn kind(&self) -> &'static str {
        self.core.kind.as_str()
    }

    #[getter]
    fn text(&self) -> &str {
        &self.core.text
    }

    /// The level of a heading on its page, 1 to 6.
    #[getter]
    fn level(&self) -> Option<u8> {
        self.core.level
    }

    /// The position of a list item.
    #[getter]
    fn item<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        whole(py, &self.core, "paragraphs")?.get_item("item")
    }

    /// Number of nested quotes around the paragraph.
    #[getter]
    fn quote(&self) -> Option<u8> {
        self.core.quote
    }

    /// The programming language of code.
    #[getter]
    fn language(&self) -> Option<&str> {
        self.core.language.as_deref()
    }

    /// Caption, header cells and spans of a table.
    #[getter]
    fn table<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        whole(py, &self.core, "paragraphs")?.get_item("table")
    }

    /// The label of the footnote, if the paragraph is the text of one.
    #[getter]
    fn note(&self) -> Option<&str> {
        self.core.note.as_deref()
    }

    /// The marks in the text: emphasis, links and so on.
    #[getter]
    fn marks<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        whole(py, &self.core, "paragraphs")?.get_item("marks")
    }

    fn __repr__(&self) -> String {
        format!("Paragraph(kind={:?}, text={:?})", self.kind(), self.text())
    }
}

/// The reason why a page gives no document. It is false, so that you can write `if document:`.
///
/// Parameters
/// ----------
/// reason : str
///     A code such as "no-text".
/// message : str
///     The reason in words.
#[pyclass(frozen, eq, module = "goldminer", get_all)]
#[derive(PartialEq)]
pub(crate) struct NoText {
    reason: String,
    message: String,
}

impl NoText {
    pub(crate) fn of(reason: goldminer_core::NoArticle) -> Self {
        let name = PageOutcome::from(reason).as_str();
        Self { reason: name.to_owned(), message: reason.to_string() }
    }
}

#[pymethods]
impl NoText {
    #[new]
    fn new(reason: String, message: String) -> Self {
        Self { reason, message }
    }

    fn __bool__(&self) -> bool {
        false
    }

    fn __repr__(&self) -> String {
        format!("NoText({:?})", self.reason)
    }

    fn __str__(&self) -> &str {
        &self.message
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> (Bound<'py, PyAny>, Bound<'py, PyTuple>) {
        let own = slf.get();
        let parts = PyTuple::new(slf.py(), [&own.reason, &own.message]);
        (slf.get_type().into_any(), parts.unwrap_or_else(|_| PyTuple::empty(slf.py())))
    }
}

/// Converts a paragraph or an object of a document to a `dict` that has all keys, also those that the JSON line leaves
/// out because they are empty. `key` is the key of the document's list that contains the value: `paragraphs` or
/// `objects`.
fn whole<'py>(py: Python<'py>, value: &impl Serialize, key: &str) -> PyResult<Bound<'py, PyAny>> {
    let dict = object(py, value)?;
    if let Some(Field { kind: schema::Kind::Many(fields), .. }) = DOCUMENT.iter().find(|field| field.key == key) {
        complete(&dict, fields)?;
    }
    Ok(dict)
}

/// Adds to a `dict` the keys that the JSON line leaves out, with empty values.
fn complete(value: &Bound<'_, PyAny>, fields: &[Field]) -> PyResult<()> {
    let Ok(dict) = value.cast::<PyDict>() else { return Ok(()) };
    for field in fields {
        match (dict.get_item(field.key)?, field.kind) {
            (None, schema::Kind::Truth) if !field.is_nullable => dict.set_item(field.key, false)?,
            (None, schema::Kind::Many(_) | schema::Kind::Numbers) => {
                dict.set_item(field.key, PyList::empty(dict.py()))?
            }
            (None, _) => dict.set_item(field.key, dict.py().None())?,
            (Some(inner), schema::Kind::One(fields)) => complete(&inner, fields)?,
            (Some(inner), schema::Kind::Many(fields)) => {
                for item in inner.try_iter()? {
                    complete(&item?, fields)?;
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// Converts a value to Python objects, as Python's `json` module reads its JSON.
pub(crate) fn object<'py>(py: Python<'py>, value: &impl Serialize) -> PyResult<Bound<'py, PyAny>> {
    static LOADS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let text = serde_json::to_string(value).map_err(|e| Kind::Base.of(py, e))?;
    LOADS.get_or_try_init(py, || Ok::<_, PyErr>(py.import("json")?.getattr("loads")?.unbind()))?.bind(py).call1((text,))
}
