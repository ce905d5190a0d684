//! Sources of stored pages: job directories, WARC files, HTML files, or trees of them.
//!
//! [`Sources::find`] searches all sources once and lists where the pages are, by learning unit: a site, or a folder of
//! HTML files. Pages are read when they are needed. Unreadable files do not stop the search; the caller reports them.

mod archive_names;
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

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use goldminer_core::{ServingProfile, StoredPage};
use goldminer_crawl::JobDir;
use goldminer_crawl::extract::Learned;
use goldminer_html::{CrawlUrl, Domain};
use jiff::Timestamp;

use archive_names::ArchiveNames;
use kind::{Source, SourceKind};
use page_ref::PageLocation;

pub use archive_names::is_pattern;
pub use archive_pass::ArchiveStats;
pub(crate) use archive_pass::{ArchivePass, MAX_FAULTS, folder_of, page_in, reason_not_page};
pub use archives::{ArchiveFile, Archives, LocalFile, NAME_BY_NAME};
pub use error::SourceError;
pub use foreign::Foreign;
pub(crate) use host_rights::{ArchivedRights, RightsSoFar};
pub(crate) use join::one_site;
pub use page_ref::{PageRef, page_name};

/// The pages of some sources.
#[derive(Debug, Default)]
pub struct Sources {
    /// The pages by learning unit (a site and its other host names, or a folder), in the order of the sources.
    pub domains: BTreeMap<Domain, Vec<PageRef>>,
    /// Messages about what could not be read.
    pub faults: Vec<String>,
    /// Number of responses in WARC files that are not pages, by reason.
    pub others: BTreeMap<String, u64>,
    /// The profiles and other results that the job directories among the sources have learned.
    pub learned: Learned,
}

impl Sources {
    /// Finds the pages of all sources.
    ///
    /// # Errors
    /// When a source does not exist, or none of them contains pages.
    pub fn find(paths: &[PathBuf]) -> Result<Self, SourceError> {
        Self::find_below(paths, None)
    }

    /// Finds the pages of all sources, each once. With `prefix`, the HTML files among them are pages of the website
    /// with this URL.
    ///
    /// # Errors
    /// When a source does not exist, or none of them contains pages.
    pub fn find_below(paths: &[PathBuf], prefix: Option<&CrawlUrl>) -> Result<Self, SourceError> {
        let mut sources = Self::default();
        for path in paths {
            let faults = sources.faults.len();
            let Source { kind, aside } = Source::of(path, prefix.is_some())?;
            sources.faults.extend(aside);
            let listed = match kind {
                SourceKind::Jobs(jobs) => {
                    jobs.iter().try_for_each(|job| sources.add_job(job))?;
                    continue;
                }
                SourceKind::Warcs { files, tables } => {
                    if let (true, Some(table)) = (files.is_empty(), tables.first()) {
                        return Err(SourceError::needs_stream(table));
                    }
                    sources.faults.extend(tables.iter().map(|table| SourceError::needs_stream(table).to_string()));
                    warc::list(&files, &mut sources.faults, &mut sources.others)
                }
                SourceKind::Page => Ok(tree::single(path, prefix)),
                SourceKind::Pages { top, files } => tree::list(&top, files, prefix),
            };
            let none = match listed {
                Ok(found) if found.is_empty() => {
                    let contents = sources.faults.drain(faults..).collect::<Vec<_>>().join("; ");
                    SourceError::NoPages { path: path.clone(), contents }
                }
                Err(none @ SourceError::NoPages { .. }) => none,
                listed => {
                    sources.add(listed?);
                    continue;
                }
            };
            // Other sources may have pages.
            if paths.len() == 1 {
                return Err(none);
            }
            sources.faults.push(none.to_string());
        }
        if paths.len() > 1 {
            sources.drop_repeated();
        }
        join::join(&mut sources.domains);
        let names = ArchiveNames::of(paths);
        sources.domains.values_mut().flatten().for_each(|page| page.name_archive(&names));
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

    /// Keeps each page once, in the largest unit that has it.
    fn drop_repeated(&mut self) {
        let mut units: Vec<&mut Vec<PageRef>> = self.domains.values_mut().collect();
        units.sort_by_key(|pages| Reverse(pages.len()));
        let mut known = HashSet::new();
        units.into_iter().for_each(|pages| pages.retain(|page| known.insert(page.place())));
        self.domains.retain(|_, pages| !pages.is_empty());
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
        join_learned(&mut self.learned, learned);
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
            PageRef { domain, id, url, language, note: None, file: None, place: PageLocation::Memory(Arc::new(page)) }
        };
        sources.add(pages.into_iter().map(found).collect());
        sources
    }

    /// The pages for which `is_wanted` returns true.
    pub fn part(&self, is_wanted: impl Fn(&PageRef) -> bool) -> Self {
        let wanted = |pages: &[PageRef]| pages.iter().filter(|page| is_wanted(page)).cloned().collect::<Vec<_>>();
        let domains = self.domains.iter().map(|(domain, pages)| (domain.clone(), wanted(pages)));
        Self { domains: domains.filter(|(_, pages)| !pages.is_empty()).collect(), ..Self::default() }
    }

    /// Number of pages.
    pub fn pages(&self) -> usize {
        self.domains.values().map(Vec::len).sum()
    }
}

/// Adds the profiles of another job. A domain has a profile if one of the jobs has one. If both have one, the newer one
/// is put last, because the last one is used.
fn join_learned(all: &mut Learned, job: Learned) {
    let newest = |profiles: &[ServingProfile]| {
        let mut newest: HashMap<String, Option<Timestamp>> = HashMap::new();
        for profile in profiles.iter().map(|serving| &serving.profile) {
            let known = newest.entry(profile.key.clone()).or_default();
            *known = (*known).max(profile.learned_at);
        }
        newest
    };
    let (before, now) = (newest(&all.profiles), newest(&job.profiles));
    all.unprofiled.retain(|domain| !now.contains_key(domain));
    all.unprofiled.extend(job.unprofiled.into_iter().filter(|domain| !before.contains_key(domain)));
    let is_older = |serving: &ServingProfile| before.get(&serving.profile.key) > now.get(&serving.profile.key);
    let (older, newer): (Vec<_>, Vec<_>) = job.profiles.into_iter().partition(is_older);
    all.profiles.splice(0..0, older);
    all.profiles.extend(newer);
    all.walls.extend(job.walls);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn learned(profiles: &[(&str, &str)], unprofiled: &[&str]) -> Learned {
        let profile = |(key, day): &(&str, &str)| {
            let text = format!("key = '{key}'\nlearned_at = '{day}T00:00:00Z'\n[[template]]\nstart = 'div.a'\n");
            ServingProfile::everywhere(text.parse().unwrap())
        };
        let unprofiled = unprofiled.iter().map(|name| (*name).to_owned()).collect();
        Learned { profiles: profiles.iter().map(profile).collect(), unprofiled, ..Learned::default() }
    }

    #[test]
    fn of_profiles_of_several_jobs_the_newest_is_used() {
        let large = || learned(&[("a.example", "2026-01-01"), ("a.example", "2026-03-01")], &["b.example"]);
        let small = || learned(&[("a.example", "2026-02-01"), ("b.example", "2026-02-01")], &["c.example"]);
        let none = || learned(&[], &["a.example", "b.example"]);
        for jobs in [[none(), small(), large()], [large(), none(), small()], [small(), large(), none()]] {
            let mut all = Learned::default();
            jobs.into_iter().for_each(|job| join_learned(&mut all, job));
            assert_eq!(all.unprofiled, ["c.example"]);
            let set = goldminer_core::ProfileSet::of(all.profiles);
            let latest = |name| set.latest(&Domain::named(name)).unwrap().profile.learned_at.unwrap().to_string();
            assert_eq!(latest("a.example"), "2026-03-01T00:00:00Z");
            assert_eq!(latest("b.example"), "2026-02-01T00:00:00Z");
        }
    }
}
