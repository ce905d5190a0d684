//! A sample, read: the pages of each domain of a bucket, in the order of time.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use goldminer_crawl::run::CrawlError;
use goldminer_html::address::Domain;
use goldminer_warc::{Entry, Record};
use jiff::Timestamp;
use serde::de::IgnoredAny;

use super::candidate::{Candidate, choose};
use super::sampling::{BUCKETS, PAGES, bucket_folder, bucket_path, unit_name};
use crate::output::{Output, OutputKind, OutputPlan, broken};
use crate::shard::Shard;
use crate::sources::{ArchivePass, PageRef, SourceError, one_site};
use crate::units::Mark;

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

impl Samples {
    /// Whether a folder is a sample.
    pub fn is_sample(folder: &Path) -> bool {
        let made = Output::existing(folder, OutputKind::Sample, |_| false).map(|output| output.planned::<IgnoredAny>());
        made.is_ok_and(|made| made.is_ok_and(|made| made.is_some_and(|made| made.settings.contains_key(BUCKETS))))
    }

    /// Samples that are to be taken for one.
    ///
    /// # Errors
    /// When one is none, is not whole, or they were not made alike.
    pub fn open(folders: &[PathBuf]) -> Result<Self, CrawlError> {
        let (mut first, mut hasher): (Option<(u32, usize)>, _) = (None, blake3::Hasher::new());
        let mut whole = Vec::new();
        for folder in folders {
            let output = Output::existing(folder, OutputKind::Sample, |_| false)?;
            let made: Option<OutputPlan<IgnoredAny>> = output.planned()?;
            let number = |key: &str| made.as_ref()?.settings.get(key)?.parse::<u32>().ok();
            let (Some(buckets), Some(pages), Some(of)) = (number(BUCKETS), number(PAGES), number("shards")) else {
                return Err(unusable(folder, "it is no sample"));
            };
            let kind = (buckets, pages as usize);
            if first.is_some_and(|first| first != kind) {
                let why = format!("it was made with {PAGES} {pages} {BUCKETS} {buckets}, and the others were not");
                return Err(unusable(folder, &why));
            }
            first = Some(kind);
            for number in 1..=of {
                let path = output.mark_path(&unit_name(Shard { number, of }));
                let Ok(bytes) = std::fs::read(&path) else {
                    return Err(unusable(folder, &format!("shard {number}/{of} is not done")));
                };
                hasher.update(&bytes);
                let mark: Mark<IgnoredAny> = serde_json::from_slice(&bytes).map_err(|cause| broken(&path, cause))?;
                // Nobody learns from the index of captures.
                if let Some(what) = output.lost(&mark, |name| name.starts_with("bucket-"))? {
                    return Err(unusable(folder, &what));
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
        let mut by_site: BTreeMap<&Domain, Vec<PageRef>> = BTreeMap::new();
        for (_, page) in &chosen {
            by_site.entry(page.domain()).or_default().push(page.clone());
        }
        let names = one_site(by_site.iter().map(|(site, pages)| (*site, &pages[..])));
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

/// A sample that cannot be learned from.
fn unusable(folder: &Path, why: &str) -> CrawlError {
    let sample = folder.display();
    SourceError::Refused(format!("cannot learn from the sample {sample}: {why}; `goldminer sample` takes it")).into()
}

fn list(folder: &Path, file: &Path, number: u32, candidates: &mut Vec<(Candidate, PageRef)>) -> Result<(), CrawlError> {
    for stated in ArchivePass::open(file)? {
        match stated?.entry {
            Entry::Record { position, record: Record::Response(capture) } => {
                let site = capture.url.site();
                let candidate = Candidate::of(&capture, &site, (number, position.offset));
                candidates.push((candidate, PageRef::archived(site, &capture.url, folder, position)));
            }
            Entry::Record { .. } => {}
            Entry::Fault(fault) => {
                return Err(unusable(folder, &format!("{fault}; remove {}, and take it again", file.display())));
            }
        }
    }
    Ok(())
}
