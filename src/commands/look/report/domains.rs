//! Collects the data for the report of a domain: its profiles, its pages, and the results of the profiles on these
//! pages. The databases are read as in `status`, `profile` and `extract`: through a running crawl, or else directly.
//!
//! Memory and time are limited. If a domain has many pages, the report reads a few hundred of them: pages from which
//! its profile was learned, and others, evenly spread over the crawl.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::{Path, PathBuf};

use goldminer_batch::sources::{PageRef, Sources};
use goldminer_console::pages::domain::{DomainReport, Sample};
use goldminer_console::survey::{Dissection, Outcome, Survey};
use goldminer_core::{DomainProfile, ProfileSet, ServingProfile};
use goldminer_crawl::api::client as job_client;
use goldminer_crawl::extract::Learned;
use goldminer_crawl::{DomainLine, JobDir, Query, StatusReport};
use goldminer_html::{ArchivePosition, Domain};
use goldminer_warc::OpenFiles;
use rayon::prelude::*;

use crate::commands::{profile_files, warn_of};

/// The most pages of a domain that are read.
const MAX_PAGES: usize = 400;
/// A domain's share of `MAX_PAGES_OF_ALL` is at least this many pages.
const MIN_PAGES: usize = 60;
/// The most pages that the reports of all domains read together. It is exceeded if each domain's share is less than
/// `MIN_PAGES`.
const MAX_PAGES_OF_ALL: usize = 40_000;
/// The most pages of a domain that are read because its profile was learned from them.
const MAX_TRAINING_PAGES: usize = 100;
/// The most pages to which no template applies that are listed.
const UNCUT_LISTED: usize = 40;
/// Number of pages in memory at a time.
const CHUNK: usize = 32;

/// The profiles and pages for the reports.
pub(crate) struct ReportInput {
    sources: Sources,
    profiles: Vec<ServingProfile>,
    set: ProfileSet,
    files: OpenFiles,
    /// The state of each domain in the crawl; None without a job directory.
    lines: Option<BTreeMap<String, DomainLine>>,
}

impl ReportInput {
    /// Opens a job directory, or a folder of profiles with pages from elsewhere.
    ///
    /// # Errors
    /// When one of them cannot be read.
    pub(crate) fn open(dir: &Path, pages: &[PathBuf]) -> anyhow::Result<Self> {
        let (profiles, lines) = if JobDir::is_job(dir) {
            let learned: Learned = job_client::ask(dir, &Query::Learned)?;
            let status: StatusReport = job_client::ask(dir, &Query::Status)?;
            let lines: BTreeMap<_, _> = status.domains.into_iter().map(|line| (line.domain.clone(), line)).collect();
            (learned.profiles, Some(lines))
        } else {
            (profile_files::read(dir)?.into_iter().map(ServingProfile::everywhere).collect(), None)
        };
        let has_own_pages = lines.as_ref().is_some_and(|lines| !lines.is_empty());
        let sources = match pages {
            [] if has_own_pages => Sources::find(&[dir.to_owned()])?,
            [] => Sources::default(),
            pages => Sources::find(pages)?,
        };
        warn_of(&sources.faults);
        let set = ProfileSet::of(profiles.iter().cloned());
        Ok(Self { sources, profiles, set, files: OpenFiles::default(), lines })
    }

    /// The names of all domains with pages or a profile.
    pub(crate) fn domains(&self) -> Vec<String> {
        let mut names: BTreeSet<String> =
            self.sources.domains.keys().map(|domain| domain.as_str().to_owned()).collect();
        for serving in &self.profiles {
            let key = &serving.profile.key;
            if !names.iter().any(|domain| belongs(key, domain)) {
                names.insert(key.clone());
            }
        }
        names.into_iter().collect()
    }

    /// The report of a domain; None if the domain has neither pages nor a profile.
    ///
    /// # Errors
    /// When the disk fails.
    pub(crate) fn report(&self, name: &str) -> anyhow::Result<Option<DomainReport<'_>>> {
        let domain = Domain::named(name);
        let mut versions: Vec<&ServingProfile> =
            self.profiles.iter().filter(|serving| belongs(&serving.profile.key, name)).collect();
        // The domain's own profile comes last, because it is in use on most pages.
        versions.sort_by_key(|serving| (serving.profile.key == name, serving.profile.version));
        let pages = self.sources.domains.get(&domain).map(Vec::as_slice).unwrap_or_default();
        if pages.is_empty() && versions.is_empty() {
            return Ok(None);
        }
        let taught: HashSet<&ArchivePosition> = versions.iter().flat_map(|v| &v.profile.sample).collect();
        let most = (MAX_PAGES_OF_ALL / self.sources.domains.len().max(1)).clamp(MIN_PAGES, MAX_PAGES);
        let chosen = chosen(pages, &taught, most);
        let (survey, uncut) = self.survey(&domain, &chosen)?;
        let mut samples = Vec::new();
        for (at, why) in survey.worth_a_look() {
            let found = chosen[at];
            let taught = found.position().is_some_and(|position| taught.contains(position));
            samples.extend(self.dissect(&domain, found)?.map(|page| Sample { why, taught, page }));
        }
        let line = self.lines.as_ref().and_then(|lines| lines.get(name));
        Ok(Some(DomainReport {
            domain: name.to_owned(),
            versions,
            stored: line.map_or(pages.len() as u64, |line| line.pages),
            line,
            findings: survey.findings(),
            samples,
            uncut,
        }))
    }

    /// Extracts the pages in order. Returns the statistics, and the pages to which no template applies.
    fn survey(&self, domain: &Domain, pages: &[&PageRef]) -> anyhow::Result<(Survey, Vec<Dissection>)> {
        let mut survey = Survey::default();
        let mut uncut = Vec::new();
        for chunk in pages.chunks(CHUNK) {
            let dissected: Vec<Option<Dissection>> =
                chunk.par_iter().map(|found| self.dissect(domain, found)).collect::<anyhow::Result<_>>()?;
            for page in dissected {
                // A record that no longer contains a page is counted as well, so that the numbers add up.
                let page = page.unwrap_or_else(|| Dissection { name: "(no page)".to_owned(), ..Dissection::default() });
                survey.add(&page);
                if !matches!(page.outcome, Outcome::Cut { .. }) && uncut.len() < MAX_PAGES {
                    uncut.push(Dissection { blocks: Vec::new(), ..page });
                }
            }
        }
        // Articles to which no template applies come first, because they are more informative.
        uncut.sort_by_key(|page| !page.outcome.is_article());
        uncut.truncate(UNCUT_LISTED);
        Ok((survey, uncut))
    }

    fn dissect(&self, domain: &Domain, found: &PageRef) -> anyhow::Result<Option<Dissection>> {
        let Some(page) = found.read(&self.files)? else { return Ok(None) };
        let mut profiles: Vec<&DomainProfile> = self.set.candidates(domain, page.url.as_ref(), page.position.as_ref());
        let rescuing = self.set.rescues(domain).filter(|rescue| rescue.rescues(page.position.as_ref()));
        profiles.extend(rescuing.map(|rescue| &rescue.profile));
        Ok(Dissection::of(&page.source(), &profiles))
    }
}

/// Chooses at most `most` pages, and keeps their order. At most half are pages from which a profile was learned; the
/// others are evenly spread.
fn chosen<'f>(pages: &'f [PageRef], taught: &HashSet<&ArchivePosition>, most: usize) -> Vec<&'f PageRef> {
    let is_training_page = |page: &PageRef| page.position().is_some_and(|position| taught.contains(position));
    let training_pages = pages.iter().enumerate().filter(|(_, page)| is_training_page(page)).map(|(at, _)| at);
    let mut places: BTreeSet<usize> = training_pages.take(MAX_TRAINING_PAGES.min(most / 2)).collect();
    let room = most.saturating_sub(places.len()).min(pages.len());
    places.extend((0..room).map(|n| n * pages.len() / room.max(1)));
    places.into_iter().map(|at| &pages[at]).collect()
}

/// Whether a profile's key (domain, host, or host and path prefix) belongs to a domain.
fn belongs(key: &str, domain: &str) -> bool {
    let host = key.split('/').next().unwrap_or(key);
    key == domain || host == domain || host.strip_suffix(domain).is_some_and(|rest| rest.ends_with('.'))
}
