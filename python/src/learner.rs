//! Learning: from pages of a domain to its profile.

use std::sync::Mutex;

use goldminer_core::address::{CrawlUrl, Domain};
use goldminer_core::extract::{Extractor as CoreExtractor, SourcePage};
use goldminer_core::goldminer::learner::Learner as CoreLearner;
use pyo3::prelude::*;

use crate::arguments::{Html, text, url};
use crate::errors::{Kind, argument, detached};
use crate::extract_many::given;
use crate::extractor::{Known, domain_of};
use crate::profiles::Profile;

/// Gathers pages of a domain, and learns from them how its articles are cut out. About a hundred pages are best, five are
/// something.
#[pyclass(frozen, module = "goldminer")]
pub(crate) struct Learner {
    state: Mutex<State>,
}

struct State {
    /// Known from the start, or from the first page.
    domain: Option<Domain>,
    core: Option<CoreLearner>,
}

impl State {
    fn add(&mut self, page: &Html, known: &Known) -> bool {
        let domain = self.domain.get_or_insert_with(|| domain_of(known.url.as_ref(), None)).clone();
        let learner = self.core.get_or_insert_with(|| CoreLearner::of(domain.clone()));
        let source = SourcePage::new(page.bytes(), &domain)
            .with_url(&known.url)
            .with_content_type(page.content_type().or(known.content_type.as_deref()));
        CoreExtractor::read(&source).is_some_and(|page| learner.add_page(&page, known.url.as_ref()))
    }
}

impl Learner {
    fn of(py: Python<'_>, domain: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let wrong = |error| argument(py, "domain", format_args!("is no name of a host: {error}"));
        let named = |name| CrawlUrl::parse(&format!("http://{name}/")).map(|url| url.site()).map_err(wrong);
        let domain = text("domain", domain)?.map(named).transpose()?;
        Ok(Self { state: Mutex::new(State { domain, core: None }) })
    }

    fn with<T: Send>(&self, py: Python<'_>, work: impl FnOnce(&mut State) -> T + Send) -> PyResult<T> {
        detached(py, || work(&mut self.state.lock().unwrap_or_else(std::sync::PoisonError::into_inner)))
    }
}

#[pymethods]
impl Learner {
    #[new]
    #[pyo3(signature = (domain=None))]
    fn new(py: Python<'_>, domain: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        Self::of(py, domain)
    }

    /// Takes a page into the sample; whether there was room for it.
    #[pyo3(signature = (html, url=None))]
    fn add(&self, py: Python<'_>, html: &Bound<'_, PyAny>, url: Option<&Bound<'_, PyAny>>) -> PyResult<bool> {
        let (page, known) = (Html::named("html", html)?, Known { url: self::url(url)?, ..Known::default() });
        self.with(py, |state| state.add(&page, &known))
    }

    /// Learns from the pages that were added.
    fn learn(&self, py: Python<'_>) -> PyResult<Profile> {
        let learned = self.with(py, |state| {
            let none = || CoreLearner::of(domain_of(None, None));
            state.core.clone().unwrap_or_else(none).learn().map_err(|nothing| nothing.to_string())
        })?;
        Ok(Profile { core: learned.map_err(|nothing| Kind::Profile.of(py, nothing))? })
    }
}

/// Learns a profile from pages of one domain: an iterable of what `Extractor.extract_many` takes. The domain is that of the
/// first page's URL, where it is not named.
#[pyfunction]
#[pyo3(signature = (pages, domain=None))]
pub(crate) fn learn(py: Python<'_>, pages: &Bound<'_, PyAny>, domain: Option<&Bound<'_, PyAny>>) -> PyResult<Profile> {
    if Html::named("pages", pages).is_ok() {
        return Err(argument(py, "pages", "must be an iterable of pages, not one page"));
    }
    let learner = Learner::of(py, domain)?;
    for page in pages.try_iter().map_err(|_| argument(py, "pages", "must be an iterable of pages"))? {
        let (page, known) = given(&page?)?;
        learner.with(py, |state| state.add(&page, &known))?;
    }
    learner.learn(py)
}
