//! Learned profiles: one profile, the profiles of any number of domains, and learning them from pages.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use goldminer::commands::{serving_profiles, write_profile, write_profile_file};
use goldminer_core::address::{CrawlUrl, Domain};
use goldminer_core::extract::domain::ServingProfile;
use goldminer_core::extract::{Extractor as CoreExtractor, SourcePage};
use goldminer_core::goldminer::explain::trials;
use goldminer_core::goldminer::learner::Learner as CoreLearner;
use goldminer_core::{DomainProfile, ProfileSet};
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::arguments::{Html, path, text, type_name, url};
use crate::corpus::object;
use crate::errors::{Kind, argument, detached, with_causes};
use crate::extract_many::given;
use crate::extractor::{Known, domain_of};

/// The learned profile of a domain: where its articles begin and end. As a TOML file it can be read, edited and shared.
///
/// Examples
/// --------
/// >>> import goldminer
/// >>> profile = goldminer.Profile.parse("key = 'portal.example'\n[[template]]\nstart = 'div.story'\n")
/// >>> profile.key, profile.templates
/// ('portal.example', ['div.story'])
#[pyclass(frozen, eq, module = "goldminer")]
#[derive(PartialEq)]
pub(crate) struct Profile {
    pub(crate) core: DomainProfile,
}

#[pymethods]
impl Profile {
    /// Read a profile from the text of its TOML file.
    #[staticmethod]
    fn parse(py: Python<'_>, toml: &Bound<'_, PyAny>) -> PyResult<Self> {
        let toml = text("toml", Some(toml))?.ok_or_else(|| argument(py, "toml", "must be str, not None"))?;
        let core = DomainProfile::from_toml(&toml).map_err(|e| Kind::Profile.of(py, with_causes(&e)))?;
        Ok(Self { core })
    }

    /// Read a profile file.
    #[staticmethod]
    fn load(py: Python<'_>, file: &Bound<'_, PyAny>) -> PyResult<Self> {
        let file = path("file", file)?;
        let complaint = |what: String| Kind::Profile.of(py, format_args!("{}: {what}", file.display()));
        let toml = std::fs::read_to_string(&file).map_err(|e| complaint(format!("cannot be read: {e}")))?;
        let core = DomainProfile::from_toml(&toml).map_err(|e| complaint(with_causes(&e)))?;
        Ok(Self { core })
    }

    /// Write the profile as TOML. Hand-written parts of an existing file are kept.
    ///
    /// Parameters
    /// ----------
    /// target : path
    ///     A folder, for the file `KEY.toml`, or a file that ends in `.toml`.
    ///
    /// Returns
    /// -------
    /// path
    ///     The file.
    fn save(&self, py: Python<'_>, target: &Bound<'_, PyAny>) -> PyResult<PathBuf> {
        let target = path("target", target)?;
        let written = match target.extension().is_some_and(|extension| extension == "toml") && !target.is_dir() {
            true => write_profile_file(&target, &self.core).map(|()| target),
            false => write_profile(&target, &self.core),
        };
        written.map_err(|e| Kind::Profile.of(py, format_args!("{e:#}")))
    }

    /// Return the profile as the text of its TOML file.
    fn to_toml(&self) -> String {
        self.core.to_toml()
    }

    #[getter]
    fn key(&self) -> &str {
        &self.core.key
    }

    #[getter]
    fn version(&self) -> u32 {
        self.core.version
    }

    #[getter]
    fn language(&self) -> Option<&str> {
        self.core.language.as_deref()
    }

    /// The start and the end of each template.
    #[getter]
    fn templates(&self) -> Vec<String> {
        self.core.templates.iter().map(|template| template.bounds()).collect()
    }

    /// Number of pages that the profile was learned from, and its fitness on them.
    #[getter]
    fn evidence<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        object(py, &self.core.evidence)
    }

    /// Test each template on a page.
    ///
    /// Parameters
    /// ----------
    /// html, url
    ///     As in `Extractor.extract`.
    ///
    /// Returns
    /// -------
    /// list of dict
    ///     For each template whether it matches, and if not, what the page lacks.
    #[pyo3(signature = (html, url=None))]
    fn test<'py>(
        &self,
        py: Python<'py>,
        html: &Bound<'py, PyAny>,
        url: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (page, url) = (Html::named("html", html)?, self::url(url)?);
        let tried = detached(py, || {
            let domain = domain_of(url.as_ref(), Some(&self.core.key));
            let source = SourcePage::new(page.bytes(), &domain).with_url(&url).with_content_type(page.content_type());
            CoreExtractor::read(&source).map(|page| trials(&page, url.as_ref(), None, &self.core)).unwrap_or_default()
        })?;
        object(py, &tried)
    }

    fn __repr__(&self) -> String {
        format!("Profile(key={:?}, version={}, templates={:?})", self.core.key, self.core.version, self.templates())
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        Ok((slf.get_type().getattr("parse")?, (slf.get().core.to_toml(),)))
    }
}

/// The profiles of any number of domains, by key: a domain, a host, or a host and a path prefix.
///
/// Parameters
/// ----------
/// profiles : iterable of Profile, optional
///
/// Examples
/// --------
/// >>> import goldminer
/// >>> profiles = goldminer.Profiles([goldminer.Profile.parse("key = 'portal.example'\n[[template]]\nstart = 'div.story'\n")])
/// >>> profiles["portal.example"].templates
/// ['div.story']
#[pyclass(frozen, module = "goldminer")]
pub(crate) struct Profiles {
    /// The latest version of the profile of each key, sorted by key.
    latest: Vec<DomainProfile>,
    pub(crate) set: Arc<ProfileSet>,
    /// The path from which the profiles were read, if any, and a digest of all profiles.
    place: Option<(PathBuf, String)>,
}

impl Profiles {
    fn of(serving: Vec<ServingProfile>, place: Option<PathBuf>) -> Self {
        let mut all = String::new();
        let mut latest: Vec<DomainProfile> = Vec::new();
        for one in &serving {
            all.push_str(&one.profile.to_toml());
            latest.retain(|other| other.key != one.profile.key);
            latest.push(one.profile.clone());
        }
        latest.sort_unstable_by(|a, b| a.key.cmp(&b.key));
        let place = place.map(|path| (path, blake3::hash(all.as_bytes()).to_hex().to_string()));
        Self { latest, set: Arc::new(ProfileSet::of(serving)), place }
    }

    fn at(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let serving = detached(py, || serving_profiles(&path).map_err(|e| format!("{e:#}")))?;
        Ok(Self::of(serving.map_err(|e| Kind::Profile.of(py, e))?, Some(path)))
    }

    /// Profiles in any form that callers may pass: none, one, several, or a path.
    pub(crate) fn given<'py>(py: Python<'py>, value: Option<&Bound<'py, PyAny>>) -> PyResult<Bound<'py, Self>> {
        let Some(value) = value.filter(|value| !value.is_none()) else {
            return Bound::new(py, Self::of(Vec::new(), None));
        };
        if let Ok(profiles) = value.cast::<Self>() {
            return Ok(profiles.clone());
        }
        if let Ok(profile) = value.cast::<Profile>() {
            let serving = ServingProfile::everywhere(profile.get().core.clone());
            return Bound::new(py, Self::of(vec![serving], None));
        }
        if let Ok(path) = value.extract::<PathBuf>() {
            return Bound::new(py, Self::at(py, path)?);
        }
        let what = "must be a path, a Profile, Profiles or None";
        Err(argument(py, "profiles", format_args!("{what}, not {}", type_name(value))))
    }

    /// The key of the profile, if there is only one.
    pub(crate) fn only_key(&self) -> Option<&str> {
        match self.latest.as_slice() {
            [only] => Some(&only.key),
            _ => None,
        }
    }
}

#[pymethods]
impl Profiles {
    #[new]
    #[pyo3(signature = (profiles=None))]
    fn new(py: Python<'_>, profiles: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let mut serving = Vec::new();
        let Some(profiles) = profiles.filter(|profiles| !profiles.is_none()) else {
            return Ok(Self::of(serving, None));
        };
        let wrong = |what: &Bound<'_, PyAny>| {
            argument(py, "profiles", format_args!("must be Profile objects, not {}", type_name(what)))
        };
        for profile in profiles.try_iter().map_err(|_| wrong(profiles))? {
            let profile = profile?;
            let profile = profile.cast::<Profile>().map_err(|_| wrong(&profile))?;
            serving.push(ServingProfile::everywhere(profile.get().core.clone()));
        }
        Ok(Self::of(serving, None))
    }

    /// Read profiles.
    ///
    /// Parameters
    /// ----------
    /// path : path
    ///     A job directory, a folder of profile files, or one such file.
    /// digest : str, optional
    ///     The `digest` of the same profiles, opened earlier.
    ///
    /// Raises
    /// ------
    /// ProfileError
    ///     If they cannot be read, or have another digest.
    #[staticmethod]
    #[pyo3(signature = (path, *, digest=None))]
    fn open(py: Python<'_>, path: &Bound<'_, PyAny>, digest: Option<&str>) -> PyResult<Self> {
        let opened = Self::at(py, self::path("path", path)?)?;
        match (&opened.place, digest) {
            (Some((path, found)), Some(wanted)) if found != wanted => Err(Kind::Profile.of(
                py,
                format_args!(
                    "{} has changed since it was opened elsewhere: its digest is {found} now and was {wanted}",
                    path.display()
                ),
            )),
            _ => Ok(opened),
        }
    }

    /// The digest of the files that were read, or None for profiles that come from no files.
    #[getter]
    fn digest(&self) -> Option<&str> {
        self.place.as_ref().map(|(_, digest)| digest.as_str())
    }

    /// Return the keys, sorted.
    fn keys(&self) -> Vec<&str> {
        self.latest.iter().map(|profile| profile.key.as_str()).collect()
    }

    /// Write each profile into a folder, as `KEY.toml`.
    fn save(&self, py: Python<'_>, folder: &Bound<'_, PyAny>) -> PyResult<()> {
        let folder = path("folder", folder)?;
        for profile in &self.latest {
            write_profile(&folder, profile).map_err(|e| Kind::Profile.of(py, format_args!("{e:#}")))?;
        }
        Ok(())
    }

    fn __getitem__(&self, key: &str) -> PyResult<Profile> {
        let found = self.latest.iter().find(|profile| profile.key == key);
        found.map(|core| Profile { core: core.clone() }).ok_or_else(|| PyKeyError::new_err(key.to_owned()))
    }

    fn __contains__(&self, key: &Bound<'_, PyAny>) -> bool {
        let key = key.cast::<PyString>().ok().and_then(|key| key.to_str().ok());
        key.is_some_and(|key| self.latest.iter().any(|profile| profile.key == key))
    }

    fn __iter__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.call_method0("keys")?.call_method0("__iter__")
    }

    fn __len__(&self) -> usize {
        self.latest.len()
    }

    fn __repr__(&self) -> String {
        match self.latest.len() {
            0..=3 => format!("Profiles({:?})", self.keys()),
            more => format!("Profiles({more} domains)"),
        }
    }

    /// Pickles profiles. Profiles that were read from files are pickled as path and digest, others as a whole.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        let (py, own) = (slf.py(), slf.get());
        let opened = py.import("goldminer")?.getattr("_reopened")?;
        match &own.place {
            Some((path, digest)) => Ok((opened, (std::path::absolute(path)?, digest).into_pyobject(py)?.into_any())),
            None => {
                let profiles: Vec<Profile> = own.latest.iter().map(|core| Profile { core: core.clone() }).collect();
                Ok((slf.get_type().into_any(), (profiles,).into_pyobject(py)?.into_any()))
            }
        }
    }
}

/// Collects pages of a domain and learns its profile. About a hundred pages are best; five are the minimum.
///
/// Parameters
/// ----------
/// domain : str, optional
///     The domain; by default that of the first page's URL.
#[pyclass(frozen, module = "goldminer")]
pub(crate) struct Learner {
    state: Mutex<State>,
}

struct State {
    /// The domain of the pages; without one in the arguments, `None` until the first page.
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
        let wrong = |error| argument(py, "domain", format_args!("is not a host name: {error}"));
        let named = |name| CrawlUrl::parse(&format!("http://{name}/")).map(|url| url.site()).map_err(wrong);
        let domain = text("domain", domain)?.map(named).transpose()?;
        Ok(Self { state: Mutex::new(State { domain, core: None }) })
    }

    fn with<T: Send>(&self, py: Python<'_>, work: impl FnOnce(&mut State) -> T + Send) -> PyResult<T> {
        detached(py, || work(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner)))
    }
}

#[pymethods]
impl Learner {
    #[new]
    #[pyo3(signature = (domain=None))]
    fn new(py: Python<'_>, domain: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        Self::of(py, domain)
    }

    /// Add a page to the sample (the pages to learn from).
    ///
    /// Parameters
    /// ----------
    /// html, url
    ///     As in `Extractor.extract`.
    ///
    /// Returns
    /// -------
    /// bool
    ///     Whether there was room for the page.
    #[pyo3(signature = (html, url=None))]
    fn add(&self, py: Python<'_>, html: &Bound<'_, PyAny>, url: Option<&Bound<'_, PyAny>>) -> PyResult<bool> {
        let (page, known) = (Html::named("html", html)?, Known { url: self::url(url)?, ..Known::default() });
        self.with(py, |state| state.add(&page, &known))
    }

    /// Learn from the pages that were added.
    ///
    /// Raises
    /// ------
    /// ProfileError
    ///     If the pages are too few, or share no layout.
    fn learn(&self, py: Python<'_>) -> PyResult<Profile> {
        let learned = self.with(py, |state| {
            let none = || CoreLearner::of(domain_of(None, None));
            state.core.clone().unwrap_or_else(none).learn().map_err(|nothing| nothing.to_string())
        })?;
        Ok(Profile { core: learned.map_err(|nothing| Kind::Profile.of(py, nothing))? })
    }
}

/// Learn a profile from pages of one domain. About a hundred pages are best; five are the minimum.
///
/// Parameters
/// ----------
/// pages : iterable
///     Pages as for `Extractor.extract_many`.
/// domain : str, optional
///     The domain; by default that of the first page's URL.
///
/// Returns
/// -------
/// Profile
///
/// Raises
/// ------
/// ProfileError
///     If the pages are too few, or share no layout.
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
