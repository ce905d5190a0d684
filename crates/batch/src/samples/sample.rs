//! A sample, read: the pages of each domain of a bucket, in the order of time.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use goldminer_crawl::run::CrawlError;
use goldminer_html::address::Domain;
use goldminer_warc::{Entry, Record, WarcReader};
use jiff::Timestamp;

use super::candidate::{Candidate, choose};
use super::mark::{Mark, bucket_folder, bucket_path, name};
use super::sampling::{BUCKETS, PAGES};
use crate::manifest;
use crate::manifest::{Manifest, ManifestError};
use crate::plan::Settings;
use crate::shard::Shard;
use crate::sources::{PageRef, SourceError, by_domain, one_site, page_name};

/// One or more samples of parts of an archive.
#[derive(Debug)]
pub struct Samples {
    /// Each with the number of its shards.
    folders: Vec<(PathBuf, u32)>,
    /// How many buckets they have.
    pub buckets: u32,
    pages: usize,
    /// Of what they were made, in a hash.
    pub digest: String,
}

/// The pages of a site, and when each was fetched.
#[derive(Debug, Default)]
pub(super) struct DomainSample {
    pub pages: Vec<PageRef>,
    pub fetched: Vec<Timestamp>,
    /// Sites that are one with it.
    pub kin: Vec<Domain>,
}

/// What the manifest of a sample says.
#[derive(serde::Deserialize)]
struct Made {
    settings: Settings,
}

impl Samples {
    /// Whether a folder is a sample.
    #[must_use]
    pub fn is_sample(folder: &Path) -> bool {
        made(folder).is_ok_and(|made| made.is_some_and(|made| made.settings.contains_key(BUCKETS)))
    }

    /// Samples that are to be taken for one.
    ///
    /// # Errors
    /// When one is none, is not whole, or they were not made alike.
    pub fn open(folders: &[PathBuf]) -> Result<Self, CrawlError> {
        let (mut first, mut hasher): (Option<(u32, usize)>, _) = (None, blake3::Hasher::new());
        let mut whole = Vec::new();
        for folder in folders {
            let incomplete = |why: String| SourceError::Sample { path: folder.clone(), why };
            let made = made(folder)?.ok_or_else(|| incomplete("it is no sample".to_owned()))?;
            let number = |key: &str| made.settings.get(key).and_then(|value| value.parse::<u32>().ok());
            let (Some(buckets), Some(pages), Some(of)) = (number(BUCKETS), number(PAGES), number("shards")) else {
                return Err(incomplete("it is no sample".to_owned()).into());
            };
            let kind = (buckets, pages as usize);
            if first.is_some_and(|first| first != kind) {
                let why = format!("it was made with {PAGES} {pages} {BUCKETS} {buckets}, and the others were not");
                return Err(incomplete(why).into());
            }
            first = Some(kind);
            let manifest = Manifest::open_by_file(folder)?;
            for number in 1..=of {
                let path = manifest.mark_path(&name(Shard { number, of }));
                let mark = std::fs::read(&path).map_err(|_| incomplete(format!("shard {number}/{of} is not done")))?;
                hasher.update(&mark);
                let broken = |e: serde_json::Error| ManifestError::Broken { path: path.clone(), cause: e.to_string() };
                let mark: Mark = serde_json::from_slice(&mark).map_err(broken)?;
                if let Some(what) = mark.lost_pages(folder)? {
                    return Err(incomplete(what).into());
                }
            }
            whole.push((folder.clone(), of));
        }
        let (buckets, pages) = first.unwrap_or_default();
        let digest = data_encoding::HEXLOWER.encode(&hasher.finalize().as_bytes()[..8]);
        Ok(Self { folders: whole, buckets, pages, digest })
    }

    /// The pages of a bucket, as they would have been chosen of all at once.
    pub(super) fn bucket(&self, bucket: u32) -> Result<BTreeMap<Domain, DomainSample>, CrawlError> {
        let (mut candidates, mut files) = (Vec::new(), 0);
        for (folder, of) in &self.folders {
            // What else lies there, nobody has sampled.
            let paths = (1..=*of).map(|number| bucket_path(folder, bucket, Shard { number, of: *of }));
            for path in paths.filter(|path| path.exists()) {
                list(&bucket_folder(folder, bucket), &path, files, &mut candidates)?;
                files += 1;
            }
        }
        let mut chosen = choose(candidates, self.pages).chosen;
        chosen.sort_by_key(|(candidate, _)| (candidate.fetched, candidate.rank, candidate.content));
        let by_site = by_domain(chosen.iter().map(|(_, page)| page.clone()).collect());
        let names = one_site(by_site.iter().map(|(site, pages)| (site, &pages[..])));
        let mut domains: BTreeMap<Domain, DomainSample> = BTreeMap::new();
        for (candidate, page) in chosen {
            let sample = domains.entry(names.get(page.domain()).unwrap_or(page.domain()).clone()).or_default();
            sample.fetched.push(Timestamp::from_microsecond(candidate.fetched).unwrap_or_default());
            sample.pages.push(page);
        }
        for (site, name) in names {
            domains.entry(name).or_default().kin.push(site);
        }
        Ok(domains)
    }
}

fn made(folder: &Path) -> Result<Option<Made>, CrawlError> {
    Ok(manifest::read(&folder.join("manifest").join("files.json"))?)
}

fn list(folder: &Path, file: &Path, number: u32, candidates: &mut Vec<(Candidate, PageRef)>) -> Result<(), CrawlError> {
    for entry in WarcReader::open(file)? {
        let (position, capture) = match entry? {
            Entry::Record { position, record: Record::Response(capture) } => (position, capture),
            Entry::Record { .. } => continue,
            Entry::Fault(fault) => {
                let why = format!("{fault}; remove {}, and take it again", file.display());
                return Err(SourceError::Sample { path: folder.to_owned(), why }.into());
            }
        };
        let domain = capture.url.site();
        let candidate = Candidate::of(&capture, &domain, (number, position.offset));
        let page = PageRef::archived(domain, page_name(&capture.url), folder.to_owned(), position);
        candidates.push((candidate, page));
    }
    Ok(())
}
