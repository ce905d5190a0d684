//! The extractor, which extracts documents from pages and can be shared by threads.

use std::sync::Arc;

use goldminer_core::address::{CrawlUrl, Domain};
use goldminer_core::classifier::{Classifier, Convention};
use goldminer_core::extract::{Extractor as CoreExtractor, SourcePage};
use goldminer_core::{NoArticle, ProfileSet, document};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::arguments::{Html, language, number, text, url};
use crate::corpus::{Document, NoText};
use crate::errors::{argument, detached};
use crate::extract_many::ExtractMany;
use crate::profiles::Profiles;

/// The parts of an extractor that its threads share.
pub(crate) struct Shared {
    core: CoreExtractor,
    set: Arc<ProfileSet>,
    language: Option<String>,
    /// The domain of pages without a URL: the key of the only profile, or an empty name.
    unit: String,
}

/// The domain of pages whose domain is unknown.
const UNNAMED: &str = "";

/// The facts that the caller states about a page, besides its HTML.
#[derive(Default)]
pub(crate) struct Known {
    pub(crate) url: Option<CrawlUrl>,
    pub(crate) content_type: Option<String>,
    pub(crate) language: Option<String>,
}

pub(crate) type Extracted = Result<Box<document::Document>, NoArticle>;

impl Shared {
    pub(crate) fn extract(&self, page: &Html, known: &Known) -> Extracted {
        let domain = self.domain(known);
        self.set.extract_with(&self.core, &self.source(page, known, &domain))
    }

    fn domain(&self, known: &Known) -> Domain {
        domain_of(known.url.as_ref(), Some(&self.unit))
    }

    fn source<'a>(&'a self, page: &'a Html, known: &'a Known, domain: &'a Domain) -> SourcePage<'a> {
        SourcePage {
            url: known.url.as_ref(),
            content_type: page.content_type().or(known.content_type.as_deref()),
            declared_language: known.language.as_deref().or(self.language.as_deref()),
            ..SourcePage::new(page.bytes(), domain)
        }
    }
}

/// The domain of a page: the domain of its URL, or else `unit`, or else an empty name.
pub(crate) fn domain_of(url: Option<&CrawlUrl>, unit: Option<&str>) -> Domain {
    url.map_or_else(|| Domain::named(unit.unwrap_or(UNNAMED)), CrawlUrl::domain)
}

/// Converts the result of a page to a Python object: a `Document` or a `NoText`.
pub(crate) fn to_python(py: Python<'_>, extracted: Extracted) -> PyResult<Bound<'_, PyAny>> {
    match extracted {
        Ok(core) => Document { core: *core }.into_bound_py_any(py),
        Err(reason) => NoText::of(reason).into_bound_py_any(py),
    }
}

/// Extracts pages with the profiles of their domains; pages without a profile are classified by themselves.
///
/// An extractor is immutable, so threads may share it. A process that unpickles it opens the same profiles again.
///
/// Parameters
/// ----------
/// profiles : path, Profile or Profiles, optional
///     Learned profiles: a job directory, a folder of profile files or one such file.
/// language : str, optional
///     A code such as "hu", used for pages whose language cannot be detected.
/// convention : {"article", "page"}, optional
///     "article" (the default) keeps only the article, "page" also comments and lists.
///
/// Examples
/// --------
/// >>> import goldminer
/// >>> story = "<p>It rained all day in the town, and nobody who had an umbrella lent it to the others.</p>" * 4
/// >>> extractor = goldminer.Extractor()
/// >>> extractor.extract(f"<h1>Rain</h1>{story}").text[:19]
/// 'Rain\n\nIt rained all'
/// >>> extractor.extract("<a href=/>Home</a>").reason
/// 'no-text'
#[pyclass(frozen, module = "goldminer")]
pub(crate) struct Extractor {
    pub(crate) shared: Arc<Shared>,
    profiles: Py<Profiles>,
    convention: Convention,
}

#[pymethods]
impl Extractor {
    #[new]
    #[pyo3(signature = (profiles=None, *, language=None, convention=None))]
    fn new(
        py: Python<'_>,
        profiles: Option<&Bound<'_, PyAny>>,
        language: Option<&Bound<'_, PyAny>>,
        convention: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let profiles = Profiles::given(py, profiles)?;
        let convention = match text("convention", convention)?.as_deref() {
            None | Some("article") => Convention::Article,
            Some("page") => Convention::Page,
            Some(other) => {
                return Err(argument(py, "convention", format_args!("is {other:?}; use 'article' or 'page'")));
            }
        };
        let shared = Shared {
            core: CoreExtractor::default().with_classifier(Classifier::of(convention)),
            set: Arc::clone(&profiles.get().set),
            language: self::language(language)?,
            unit: profiles.get().only_key().unwrap_or(UNNAMED).to_owned(),
        };
        Ok(Self { shared: Arc::new(shared), profiles: profiles.unbind(), convention })
    }

    /// Extract a page.
    ///
    /// Parameters
    /// ----------
    /// html : str or bytes
    ///     The page. The encoding of bytes is detected.
    /// url : str, optional
    ///     The URL of the page, which decides whose profile is used.
    /// content_type : str, optional
    ///     The value of the header `Content-Type`.
    /// language : str, optional
    ///     A code such as "hu", used if the language cannot be detected.
    ///
    /// Returns
    /// -------
    /// Document or NoText
    ///     The document, or the reason why there is none.
    #[pyo3(signature = (html, url=None, *, content_type=None, language=None))]
    fn extract<'py>(
        &self,
        py: Python<'py>,
        html: &Bound<'py, PyAny>,
        url: Option<&Bound<'py, PyAny>>,
        content_type: Option<&Bound<'py, PyAny>>,
        language: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let page = Html::named("html", html)?;
        let known = Known {
            url: self::url(url)?,
            content_type: text("content_type", content_type)?,
            language: self::language(language)?,
        };
        to_python(py, detached(py, || self.shared.extract(&page, &known))?)
    }

    /// Extract pages in parallel.
    ///
    /// Parameters
    /// ----------
    /// pages : iterable
    ///     Pages as for `extract`, pairs of a page and its URL, or `Page` objects. Only a few are read ahead.
    /// threads : int, optional
    ///     The number of threads; 0, the default, is one per processor.
    ///
    /// Returns
    /// -------
    /// iterator of Document or NoText
    ///     The results of `extract`, in the order of the pages.
    #[pyo3(signature = (pages, threads=None))]
    fn extract_many(
        &self,
        py: Python<'_>,
        pages: &Bound<'_, PyAny>,
        threads: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<ExtractMany> {
        let threads = number("threads", threads)?.unwrap_or(0);
        ExtractMany::start(py, Arc::clone(&self.shared), pages, threads)
    }

    /// Explain the extraction of a page.
    ///
    /// Parameters
    /// ----------
    /// html, url, content_type
    ///     As in `extract`.
    ///
    /// Returns
    /// -------
    /// list of Block
    ///     Each text block of the page: whether it is kept, and the reason.
    #[pyo3(signature = (html, url=None, *, content_type=None))]
    fn explain(
        &self,
        py: Python<'_>,
        html: &Bound<'_, PyAny>,
        url: Option<&Bound<'_, PyAny>>,
        content_type: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Vec<Block>> {
        let page = Html::named("html", html)?;
        let known = Known { url: self::url(url)?, content_type: text("content_type", content_type)?, language: None };
        let explained = detached(py, || {
            let domain = self.shared.domain(&known);
            goldminer_console::survey::explain(
                &self.shared.core,
                &self.shared.source(&page, &known, &domain),
                &self.shared.set,
            )
        })?;
        let blocks = explained.unwrap_or_default().into_iter();
        Ok(blocks.map(|block| Block { text: block.text, kept: block.is_kept, reason: block.reason }).collect())
    }

    #[getter]
    fn profiles(&self, py: Python<'_>) -> Py<Profiles> {
        self.profiles.clone_ref(py)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("Extractor({})", self.profiles.bind(py).repr()?))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let (py, own) = (slf.py(), slf.get());
        let named = PyDict::new(py);
        named.set_item("language", own.shared.language.as_deref())?;
        named.set_item("convention", own.convention.as_str())?;
        let partial = py.import("functools")?.getattr("partial")?.call((slf.get_type(),), Some(&named))?;
        Ok((partial, PyTuple::new(py, [own.profiles.bind(py)])?))
    }
}

/// A text block of a page: whether it was kept, and why.
#[pyclass(frozen, eq, module = "goldminer", get_all)]
#[derive(PartialEq)]
pub(crate) struct Block {
    text: String,
    kept: bool,
    reason: String,
}

#[pymethods]
impl Block {
    #[classattr]
    fn __match_args__() -> (&'static str, &'static str, &'static str) {
        ("text", "kept", "reason")
    }

    fn __repr__(&self) -> String {
        let kept = if self.kept { "True" } else { "False" };
        format!("Block(text={:?}, kept={kept}, reason={:?})", self.text, self.reason)
    }
}
