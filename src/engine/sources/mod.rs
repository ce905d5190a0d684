//! Stored pages, wherever they lie: job directories, WARC files, HTML files, or trees of them.
//!
//! [`Sources::find`] goes over everything once and notes by learning unit where each page lies, not the pages; whoever
//! wants one reads it. What can't be read is a described fault that the caller reports, not an end.

mod foreign;
mod job;
mod kind;
mod tree;
mod warc;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::address::{CrawlUrl, Domain};
use crate::archive::{ArchiveError, OpenFiles, Record};
use crate::capture::ArchivePosition;
use crate::engine::extraction::{Learned, stored_page};
use crate::engine::job::JobDir;
use crate::extract::domain::StoredPage;

use foreign::recognise;
use kind::{HEAD_BYTES, SourceKind};

pub use foreign::Foreign;

/// Every page of some sources.
#[derive(Debug, Default)]
pub struct Sources {
    /// By learning unit, in the order of the sources.
    pub domains: BTreeMap<Domain, Vec<Found>>,
    /// What could not be read, for people.
    pub faults: Vec<String>,
    /// What the job directories among the sources have learned.
    pub learned: Learned,
}

/// Where a page lies.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Found {
    domain: Domain,
    id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    url: Option<CrawlUrl>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    language: Option<String>,
    place: Place,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Place {
    File(PathBuf),
    Record {
        folder: PathBuf,
        position: ArchivePosition,
    },
    #[serde(skip)]
    Memory(Arc<StoredPage>),
}

/// A source that can't be used, and what to do.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// It can't be read.
    #[error("cannot read {}: {cause}; check the path and its permissions", path.display())]
    Unreadable {
        /// The file or folder.
        path: PathBuf,
        /// The system's reason.
        cause: std::io::Error,
    },
    /// There are no pages in it.
    #[error(
        "no pages in {}: {census}. Give a job directory, WARC files, WACZ files, HTML files, or folders such as \
         pages/<domain>/<id>.html",
        path.display()
    )]
    NoPages {
        /// The file or folder.
        path: PathBuf,
        /// What there is instead.
        census: String,
    },
    /// It is something else.
    #[error("{} {what}", path.display())]
    Foreign {
        /// The file or folder.
        path: PathBuf,
        /// What it is, and what to do.
        what: Foreign,
    },
    /// It is a zip archive that can't be read.
    #[error("{} is a zip archive (WACZ) that cannot be read: {cause}; restore it from a copy", path.display())]
    Wacz {
        /// The file.
        path: PathBuf,
        /// The reason.
        cause: std::io::Error,
    },
    /// It is the folder of one website, whose own folders name no domains.
    #[error(
        "{} looks like the folder of one website: what is in it ({folders}) is not called like a host. Say where it was saved from, with \
         --url-prefix {}; or, if each folder is a portal of its own, put them below a folder called pages/",
        path.display(), address.as_deref().unwrap_or("https://www.example.com/")
    )]
    Website {
        /// The folder.
        path: PathBuf,
        /// Some of its folders.
        folders: String,
        /// The address that its pages name.
        address: Option<String>,
    },
    /// `meta.tsv` isn't one.
    #[error("{}: the first line must name the columns, with `id` and `domain` among them", path.display())]
    Meta {
        /// The file.
        path: PathBuf,
    },
    /// An archive can't be read.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
}

impl Sources {
    /// Finds the pages of all sources.
    ///
    /// # Errors
    /// When a source does not exist or holds no pages.
    pub fn find(paths: &[PathBuf]) -> Result<Self, SourceError> {
        Self::find_below(paths, None)
    }

    /// Finds the pages of all sources; HTML files among them are of the website that was saved from `prefix`, if it is
    /// given.
    ///
    /// # Errors
    /// When a source does not exist or holds no pages.
    pub fn find_below(paths: &[PathBuf], prefix: Option<&CrawlUrl>) -> Result<Self, SourceError> {
        let mut sources = Self::default();
        for path in paths {
            let faults = sources.faults.len();
            let found = match SourceKind::of(path)? {
                SourceKind::Jobs { jobs, aside } => {
                    sources.faults.extend(aside);
                    jobs.iter().try_for_each(|job| sources.add_job(job))?;
                    continue;
                }
                SourceKind::Warcs { files, aside } => {
                    sources.faults.extend(aside);
                    warc::list(&files, &mut sources.faults)?
                }
                SourceKind::Page => tree::single(path, prefix),
                SourceKind::Pages { top, files } => tree::list(&top, files, prefix)?,
            };
            if found.is_empty() {
                let census = sources.faults.drain(faults..).collect::<Vec<_>>().join("; ");
                return Err(SourceError::NoPages { path: path.clone(), census });
            }
            sources.add(by_domain(found));
        }
        match paths.first() {
            Some(path) if sources.domains.is_empty() => {
                Err(SourceError::NoPages { path: path.clone(), census: sources.faults.join("; ") })
            }
            _ => Ok(sources),
        }
    }

    fn add(&mut self, found: BTreeMap<Domain, Vec<Found>>) {
        for (domain, mut pages) in found {
            self.domains.entry(domain).or_default().append(&mut pages);
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
        if found.is_empty() {
            self.faults.push(format!(
                "{} has fetched no pages; `goldminer status {}` says how it stands",
                job.display(),
                job.display()
            ));
        }
        self.add(found);
        Ok(())
    }

    /// Pages that somebody has in memory, each with its name within its learning unit.
    #[must_use]
    pub fn of_pages(pages: impl IntoIterator<Item = (String, StoredPage)>) -> Self {
        let mut sources = Self::default();
        for (id, page) in pages {
            let (domain, url, language) = (page.domain.clone(), page.url.clone(), page.language.clone());
            let found = Found { domain: domain.clone(), id, url, language, place: Place::Memory(Arc::new(page)) };
            sources.domains.entry(domain).or_default().push(found);
        }
        sources
    }

    /// A part of the pages.
    #[must_use]
    pub fn part(&self, is_wanted: impl Fn(&Found) -> bool) -> Self {
        let wanted = |pages: &[Found]| pages.iter().filter(|page| is_wanted(page)).cloned().collect::<Vec<_>>();
        let domains = self.domains.iter().map(|(domain, pages)| (domain.clone(), wanted(pages)));
        Self { domains: domains.filter(|(_, pages)| !pages.is_empty()).collect(), ..Self::default() }
    }

    /// How many pages there are.
    #[must_use]
    pub fn pages(&self) -> usize {
        self.domains.values().map(Vec::len).sum()
    }
}

/// Pages by learning unit, in their order.
fn by_domain(found: Vec<Found>) -> BTreeMap<Domain, Vec<Found>> {
    let mut domains: BTreeMap<Domain, Vec<Found>> = BTreeMap::new();
    for page in found {
        domains.entry(page.domain.clone()).or_default().push(page);
    }
    domains
}

/// The name of an archived page within its learning unit, as [`Found::id`] gives it.
#[must_use]
pub fn page_name(url: &CrawlUrl) -> String {
    warc::name(url)
}

impl Found {
    /// Its learning unit.
    #[must_use]
    pub fn domain(&self) -> &Domain {
        &self.domain
    }

    /// The page's name within its learning unit, without extension: what `--format cleaneval` names its file after.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Its URL, where the source tells it without the page being read.
    #[must_use]
    pub fn url(&self) -> Option<&CrawlUrl> {
        self.url.as_ref()
    }

    /// A number that orders the pages of a unit by chance, but always in the same way: samples are taken in this order
    /// where pages have no order of their own.
    #[must_use]
    pub fn lot(&self) -> u64 {
        xxhash_rust::xxh3::xxh3_64(self.id.as_bytes())
    }

    /// The page's record, where it comes from an archive.
    #[must_use]
    pub fn position(&self) -> Option<&ArchivePosition> {
        match &self.place {
            Place::Record { position, .. } => Some(position),
            Place::File(_) | Place::Memory(_) => None,
        }
    }

    /// Whether the page comes from an archive, whose order is that of fetching.
    #[must_use]
    pub fn is_archived(&self) -> bool {
        matches!(self.place, Place::Record { .. })
    }

    /// Reads the page; none when it is no page for the extractor (which only a changed source explains). `files` are for
    /// whoever reads many.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn read(&self, files: &OpenFiles) -> Result<Option<StoredPage>, SourceError> {
        match &self.place {
            Place::File(path) => self.read_file(path).map(Some),
            Place::Memory(page) => Ok(Some(StoredPage::clone(page))),
            Place::Record { folder, position } => match files.read_record_at(folder, position)? {
                Record::Response(capture) => Ok(stored_page(*capture, position.clone())),
                _ => Ok(None),
            },
        }
    }

    fn read_file(&self, path: &Path) -> Result<StoredPage, SourceError> {
        let mut bytes =
            std::fs::read(path).map_err(|cause| SourceError::Unreadable { path: path.to_owned(), cause })?;
        if let Some(what) = recognise(&bytes[..bytes.len().min(HEAD_BYTES)]) {
            return Err(SourceError::Foreign { path: path.to_owned(), what });
        }
        let (url, start) = tree::cleaneval_header(&bytes);
        bytes.drain(..start);
        let mut page = StoredPage::new(self.domain.clone(), bytes);
        page.url = self.url.clone().or(url);
        page.path = Some(format!("{}/{}", self.domain, self.id));
        page.language = self.language.clone();
        Ok(page)
    }
}
