//! Reads samples, learns profiles from them, and writes all profiles into one file, the profile book.
//!
//! Domains are learned bucket by bucket (a bucket is a numbered share of the domains), with the usual pipeline: a
//! profile is learned from the first pages of a domain's sample. The other pages are read in the order of time, and
//! after a redesign another profile is learned. A page's position is its number in the sample, so a profile that
//! applies from a position on applies from a time on.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::{Mutex, PoisonError};

use goldminer_core::extract::domain::Rules;
use goldminer_core::goldminer::PROGRAM;
use goldminer_core::{Extractor, Phase};
use goldminer_corpus::figures::counted;
use goldminer_crawl::extract::Until;
use goldminer_crawl::limits::descriptors::Descriptors;
use goldminer_crawl::store::profile_book::{self, BookWriter, Entries, ProfileBook, Spanned};
use goldminer_crawl::{Clock, CrawlError};
use goldminer_html::Domain;
use goldminer_warc::{Entry, OpenFiles, Record};
use jiff::Timestamp;
use serde::Serialize;
use serde::de::IgnoredAny;

use super::candidate::{Candidate, choose};
use super::sampling::{PAGES, SHARD, bucket_folder, bucket_path, unit_name};
use crate::BatchExtractor;
use crate::output::{BUCKETS, Output, OutputKind, OutputPlan, broken, disk};
use crate::shard::Shard;
use crate::sources::{ArchivePass, PageRef, SourceError, one_site};
use crate::stored_pages::{BatchProgress, DomainPages, DomainSink};
use crate::units::{Mark, side_by_side};

/// One or more samples, each of a part of an archive.
#[derive(Debug)]
pub struct Samples {
    /// The folders, each with its number of shards.
    folders: Vec<(PathBuf, u32)>,
    /// Number of buckets of each sample.
    pub buckets: u32,
    pages: usize,
    /// A hash of the marks of all samples. It changes when their content changes.
    pub digest: String,
}

/// The sampled pages of a site, and when each was fetched.
#[derive(Debug, Default)]
pub(super) struct DomainSample {
    pub pages: Vec<PageRef>,
    pub fetched: Vec<Timestamp>,
    /// The sites whose pages were joined to this site, because they serve the same pages under another name.
    pub joined: Vec<Domain>,
}

impl Samples {
    /// Whether a folder is a sample.
    pub fn is_sample(folder: &Path) -> bool {
        OutputKind::in_folder(folder).is_ok_and(|kind| kind == Some(OutputKind::Sample))
    }

    /// Opens several samples as one.
    ///
    /// # Errors
    /// When a folder is not a sample or is incomplete, or the samples were made with different settings.
    pub fn open(folders: &[PathBuf]) -> Result<Self, CrawlError> {
        let (mut first, mut hasher): (Option<(u32, usize)>, _) = (None, blake3::Hasher::new());
        let mut whole = Vec::new();
        for folder in folders {
            let output = Output::existing(folder, OutputKind::Sample, |_| false)?;
            let made: Option<OutputPlan<IgnoredAny>> = output.planned()?;
            let setting = |key: &str| made.as_ref()?.settings.get(key);
            let number = |key: &str| setting(key)?.parse::<u32>().ok();
            let (Some(buckets), Some(pages)) = (number(BUCKETS), number(PAGES)) else {
                let what = "is not a sample, and samples are not learned together with other sources";
                return Err(SourceError::refused(folder, what).into());
            };
            let of = setting(SHARD).and_then(|shard| shard.strip_prefix("I/")?.parse().ok()).unwrap_or(1);
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
                if let Some(what) = output.lost(&mark, |_| true)? {
                    return Err(unusable(folder, &what));
                }
            }
            whole.push((folder.clone(), of));
        }
        let (buckets, pages) = first.unwrap_or_default();
        let digest = data_encoding::HEXLOWER.encode(&hasher.finalize().as_bytes()[..8]);
        Ok(Self { folders: whole, buckets, pages, digest })
    }

    /// The pages of a bucket, as if they had been chosen from all samples together.
    pub(super) fn bucket(&self, bucket: u32) -> Result<BTreeMap<Domain, DomainSample>, CrawlError> {
        let (mut candidates, mut files) = (Vec::new(), 0);
        for (folder, of) in &self.folders {
            // Other files in the folder are not part of the sample.
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
            domains.entry(name).or_default().joined.push(site);
        }
        Ok(domains)
    }
}

/// The error for a sample that cannot be learned from.
fn unusable(folder: &Path, why: &str) -> CrawlError {
    let sample = folder.display();
    SourceError::Refused(format!(
        "cannot learn from the sample {sample}: {why}; make or complete the sample with `goldminer sample`"
    ))
    .into()
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
                return Err(unusable(folder, &format!("{fault}; delete {}", file.display())));
            }
        }
    }
    Ok(())
}

/// The counts of learning from samples.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct LearnedCounts {
    /// Number of domains that were read in this run.
    pub domains: u64,
    /// Number of pages of these domains.
    pub pages: u64,
    /// Number of domains in the profile book.
    pub learned: u64,
    /// Number of profiles in the profile book. A domain that was redesigned has more than one.
    pub profiles: u64,
}

impl Samples {
    /// Learns from one bucket (a numbered share of the domains), or from all, and writes all profiles into one file,
    /// `out`. If a run over all buckets was killed, the next one does not learn its finished buckets again.
    ///
    /// # Errors
    /// When a sample cannot be read, or `out` cannot be written.
    pub fn learn(
        &self,
        bucket: Option<u32>,
        out: &Path,
        options: &BatchExtractor,
        progress: &BatchProgress,
    ) -> Result<LearnedCounts, CrawlError> {
        let mut counts = LearnedCounts::default();
        match bucket {
            Some(bucket) => self.learn_bucket(bucket, out, options, progress, &mut counts)?,
            None => self.learn_all(out, options, progress, &mut counts)?,
        }
        let book = ProfileBook::open(out)?;
        (counts.learned, counts.profiles) = (book.domains(), book.profiles());
        Ok(counts)
    }

    fn learn_all(
        &self,
        out: &Path,
        options: &BatchExtractor,
        progress: &BatchProgress,
        counts: &mut LearnedCounts,
    ) -> Result<(), CrawlError> {
        // The folder's name has a hash of everything that determines its files, so that a run with other samples or
        // another program version does not use them.
        let inputs = format!("{} {PROGRAM} {}", self.digest, options.learning_pages);
        let parts = format!(
            "{}.parts-{:016x}",
            out.file_name().unwrap_or_default().to_string_lossy(),
            xxhash_rust::xxh3::xxh3_64(inputs.as_bytes())
        );
        let parts = out.with_file_name(parts);
        std::fs::create_dir_all(&parts).map_err(disk("create", &parts))?;
        let of_buckets = format!("the profiles of {}", counted(self.buckets.into(), "bucket", "buckets"));
        Descriptors::raise_for_files(&of_buckets, self.buckets as usize)?;
        let mut books = Vec::new();
        for bucket in 0..self.buckets {
            let part = parts.join(format!("bucket-{bucket:05}.gmp"));
            if !part.exists() {
                self.learn_bucket(bucket, &part, options, progress, counts)?;
            }
            books.push(ProfileBook::open(&part)?);
        }
        let mut book = BookWriter::create(out)?;
        let entries = books.iter().map(|book| Box::new(book.entries()) as Entries<'_>).collect();
        profile_book::merge(entries, &mut book)?;
        book.finish()?;
        std::fs::remove_dir_all(&parts).map_err(disk("remove", &parts))?;
        Ok(())
    }

    fn learn_bucket(
        &self,
        bucket: u32,
        out: &Path,
        options: &BatchExtractor,
        progress: &BatchProgress,
        counts: &mut LearnedCounts,
    ) -> Result<(), CrawlError> {
        let domains = self.bucket(bucket)?;
        counts.domains += domains.len() as u64;
        counts.pages += domains.values().map(|sample| sample.pages.len() as u64).sum::<u64>();
        let (files, extractor) = (OpenFiles::default(), options.extractor());
        let learned = Mutex::new(Vec::new());
        let units: Vec<(Domain, DomainSample)> = domains.into_iter().collect();
        side_by_side(units, rayon::current_num_threads() + 1, |(domain, sample)| {
            let profiles = learn_domain(options, &extractor, &domain, &sample, &files)?;
            progress.pages.fetch_add(sample.pages.len() as u64, Ordering::Relaxed);
            if !profiles.is_empty() {
                let mut learned = learned.lock().unwrap_or_else(PoisonError::into_inner);
                for domain in std::iter::once(domain).chain(sample.joined) {
                    learned.push(profile_book::Entry { domain, profiles: profiles.clone() });
                }
            }
            Ok(())
        })?;
        let mut learned = learned.into_inner().unwrap_or_else(PoisonError::into_inner);
        learned.sort_unstable_by(|one, other| one.domain.cmp(&other.domain));
        let mut book = BookWriter::create(out)?;
        learned.iter().try_for_each(|entry| book.write(entry))?;
        Ok(book.finish()?)
    }
}

/// Learns the profiles of a domain, the oldest first.
fn learn_domain(
    options: &BatchExtractor,
    extractor: &Extractor,
    domain: &Domain,
    sample: &DomainSample,
    files: &OpenFiles,
) -> Result<Vec<Spanned>, CrawlError> {
    // Most domains of an archive have too few pages to learn from.
    let pages = sample.pages.len() as u64;
    if pages < Rules::default().least_learning_pages {
        return Ok(Vec::new());
    }
    let mut run = options.run(extractor, domain, &sample.pages, &Clock::start());
    // The profile gets the date of the last page, not of this run, so that the same sample gives the same bytes.
    run.now = sample.fetched.last().copied().unwrap_or_default();
    let (sampled, unseen) = (DomainPages::sampled(&sample.pages, files), BatchProgress::default());
    let mut nothing = DomainSink::new(&options.filter, &sample.pages, &unseen, |_, _| Ok(()));
    run.advance(&sampled, &mut nothing, Until::Learned)?;
    // A redesign can only be detected with at least half as many pages as a learning phase has.
    let may_change = run.machine.learning().phase == Phase::Profiled && 2 * pages >= options.learning_pages as u64;
    if may_change {
        run.advance(&sampled, &mut nothing, Until::Done)?;
    }
    let first = run.profiles.serving_from(domain, None);
    let later = run.profiles.rescues(domain).cloned();
    let versions = first.into_iter().chain(later).map(|serving| {
        let from = serving.rescues_from.as_ref().and_then(|page| sample.fetched.get(page.offset as usize));
        let mut profile = serving.profile.clone();
        // The positions of records in a sample are useless to readers of the profile.
        profile.sample = Vec::new();
        Spanned { since: from.copied(), profile, of_site: serving.of_site }
    });
    Ok(versions.collect())
}
