//! Sources of stored pages: job directories, WARC files, HTML files, or trees of them.
//!
//! [`Sources::find`] looks through all sources once and notes the places of the pages, by learning unit, not the pages;
//! they are read when they are needed. Anything that can't be read becomes a fault, which the caller reports, and does
//! not stop the search.

mod archive_pass;
mod archives;
mod below;
mod error;
mod file;
mod foreign;
mod host_rights;
mod job;
mod join;
mod kind;
mod page_ref;
mod tree;
mod warc;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use goldminer_core::StoredPage;
use goldminer_crawl::JobDir;
use goldminer_crawl::extract::Learned;
use goldminer_html::{CrawlUrl, Domain};
use kind::{Source, SourceKind};
use page_ref::PageLocation;

pub use archive_pass::ArchiveStats;
pub(crate) use archive_pass::{ArchivePass, MAX_FAULTS, folder_of, why_not};
pub use archives::{ArchiveFile, Archives, LocalFile, NAME_BY_NAME, is_pattern};
pub use error::SourceError;
pub use foreign::Foreign;
pub(crate) use host_rights::{ArchivedRights, RightsSoFar};
pub(crate) use join::one_site;
pub use page_ref::{PageRef, page_name};

/// Every page of some sources.
#[derive(Debug, Default)]
pub struct Sources {
    /// By learning unit, in the order of the sources: a site of the web, with others that are one with it.
    pub domains: BTreeMap<Domain, Vec<PageRef>>,
    /// Faults of what could not be read, for people.
    pub faults: Vec<String>,
    /// Answers in WARC files that are not pages, by reason.
    pub others: BTreeMap<String, u64>,
    /// What the job directories among the sources have learned.
    pub learned: Learned,
}

impl Sources {
    /// Finds the pages of all sources.
    ///
    /// # Errors
    /// When a source does not exist or holds no pages.
    pub fn find(paths: &[PathBuf]) -> Result<Self, SourceError> {
        Self::find_below(paths, None)
    }

    /// Finds the pages of all sources. If `prefix` is given, HTML files among them are pages of the website that was
    /// saved from it.
    ///
    /// # Errors
    /// When a source does not exist or holds no pages.
    pub fn find_below(paths: &[PathBuf], prefix: Option<&CrawlUrl>) -> Result<Self, SourceError> {
        let mut sources = Self::default();
        for path in paths {
            let faults = sources.faults.len();
            let Source { kind, aside } = Source::of(path, prefix.is_some())?;
            sources.faults.extend(aside);
            let found = match kind {
                SourceKind::Jobs(jobs) => {
                    jobs.iter().try_for_each(|job| sources.add_job(job))?;
                    continue;
                }
                SourceKind::Warcs { files, tables } => {
                    if let (true, Some(table)) = (files.is_empty(), tables.first()) {
                        return Err(SourceError::needs_stream(table));
                    }
                    sources.faults.extend(tables.iter().map(|table| SourceError::needs_stream(table).to_string()));
                    warc::list(&files, &mut sources.faults, &mut sources.others)?
                }
                SourceKind::Page => tree::single(path, prefix),
                SourceKind::Pages { top, files } => tree::list(&top, files, prefix)?,
            };
            if found.is_empty() {
                let contents = sources.faults.drain(faults..).collect::<Vec<_>>().join("; ");
                return Err(SourceError::NoPages { path: path.clone(), contents });
            }
            sources.add(found);
        }
        join::join(&mut sources.domains);
        match paths.first() {
            Some(path) if sources.domains.is_empty() => {
                Err(SourceError::NoPages { path: path.clone(), contents: sources.faults.join("; ") })
            }
            _ => Ok(sources),
        }
    }

    fn add(&mut self, found: Vec<PageRef>) {
        for page in found {
            self.domains.entry(page.domain.clone()).or_default().push(page);
        }
    }

    fn add_job(&mut self, job: &Path) -> Result<(), SourceError> {
        let (found, learned) = match job::list(&JobDir::new(job), &mut self.faults) {
            // Other jobs may have pages.
            Err(none @ SourceError::NoPages { .. }) => {
                self.faults.push(none.to_string());
                return Ok(());
            }
            listed => listed?,
        };
        self.learned.profiles.extend(learned.profiles);
        self.learned.unprofiled.extend(learned.unprofiled);
        self.learned.walls.extend(learned.walls);
        if found.is_empty() {
            let job = job.display();
            self.faults.push(format!("{job} has fetched no pages; `goldminer status {job}` shows its state"));
        }
        self.add(found);
        Ok(())
    }

    /// Sources of pages in memory, each with its name within its learning unit.
    pub fn of_pages(pages: impl IntoIterator<Item = (String, StoredPage)>) -> Self {
        let mut sources = Self::default();
        let found = |(id, page): (String, StoredPage)| {
            let (domain, url, language) = (page.domain.clone(), page.url.clone(), page.language.clone());
            PageRef { domain, id, url, language, file: None, place: PageLocation::Memory(Arc::new(page)) }
        };
        sources.add(pages.into_iter().map(found).collect());
        sources
    }

    /// The pages for which `is_wanted` is true.
    pub fn part(&self, is_wanted: impl Fn(&PageRef) -> bool) -> Self {
        let wanted = |pages: &[PageRef]| pages.iter().filter(|page| is_wanted(page)).cloned().collect::<Vec<_>>();
        let domains = self.domains.iter().map(|(domain, pages)| (domain.clone(), wanted(pages)));
        Self { domains: domains.filter(|(_, pages)| !pages.is_empty()).collect(), ..Self::default() }
    }

    /// The number of pages.
    pub fn pages(&self) -> usize {
        self.domains.values().map(Vec::len).sum()
    }
}
