//! Taking a sample: one pass over a shard's files.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::{Mutex, PoisonError};

use goldminer_crawl::extract::holds_page;
use goldminer_crawl::limits::descriptors::Descriptors;
use goldminer_crawl::run::CrawlError;
use goldminer_warc::objects::{Mirror, ObjectAddress};
use goldminer_warc::{CopyingReader, Entry, Record, Stated, durable};
use serde::Serialize;

use super::candidate::{Candidate, bucket_of};
#[cfg(feature = "parquet")]
use super::captures::CaptureIndex;
use super::mark::{Mark, Sampled, bucket_folder, bucket_path, name};
#[cfg(not(feature = "parquet"))]
use super::no_index::CaptureIndex;
use super::row::SampleRow;
use super::spill::Spill;
use crate::archive_stats::ArchiveStats;
use crate::file_plan::{FilePlan, PlannedFile};
use crate::manifest;
use crate::manifest::{Manifest, ManifestError, disk};
use crate::plan::Settings;
use crate::shard::Shard;
use crate::sources::{Archives, why_not};
use crate::stored_pages::BatchProgress;
use crate::workers::side_by_side;

/// How a sample is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sampling {
    /// So many pages of each domain and month at most.
    pub pages: usize,
    /// Into so many files, by domain.
    pub buckets: u32,
}

/// How a sample stands.
#[derive(Debug, Clone, Serialize)]
pub struct SampleStanding {
    /// Of all shards that are done.
    #[serde(flatten)]
    pub sampled: Sampled,
    /// Shards that are done.
    pub complete: u32,
    /// Shards in all.
    pub shards: u32,
    /// Whether this shard was done before.
    #[serde(skip)]
    pub was_there: bool,
    /// What lies beside the archives and is not read.
    #[serde(skip)]
    pub aside: Vec<String>,
}

/// What a sample is made with; `learn` reads it.
pub(super) const BUCKETS: &str = "--buckets";
pub(super) const PAGES: &str = "--pages";

impl Sampling {
    /// Takes the sample of a shard into a folder; `find` tells which files the sources hold, if nobody has looked yet.
    ///
    /// # Errors
    /// When a file cannot be read, the folder cannot be written, or it was begun with other settings.
    pub fn take(
        &self,
        out: &Path,
        mut settings: Settings,
        shard: Shard,
        progress: &BatchProgress,
        find: impl FnOnce() -> Result<Archives, CrawlError>,
    ) -> Result<SampleStanding, CrawlError> {
        let far = ObjectAddress::of(out)?;
        let mirror = far.map(|address| Mirror::open(&address, manifest::is_of_manifest)).transpose()?;
        let manifest = Manifest::open_by_file(mirror.as_ref().map_or(out, Mirror::folder))?;
        settings.insert(BUCKETS.to_owned(), self.buckets.to_string());
        settings.insert(PAGES.to_owned(), self.pages.to_string());
        settings.insert("shards".to_owned(), shard.of.to_string());
        let plan = FilePlan::open(&manifest, &settings, find)?;
        let _lock = manifest.lock_shard(shard)?;
        let was_there = is_there(&manifest, mirror.as_ref(), shard)?;
        if !was_there {
            let sampled = self.pass(&manifest, &plan, shard, progress)?;
            let written = written(&manifest, &plan, self.buckets, shard);
            let mark = Mark::of_written(manifest.out(), sampled, &written)?;
            manifest.write(&manifest.mark_path(&name(shard)), &mark, shard)?;
            if let Some(mirror) = &mirror {
                mirror.send(&[manifest.files_path()])?;
                mirror.send(&written)?;
                mirror.send(&[manifest.mark_path(&name(shard))])?;
            }
        }
        if let Some(mirror) = &mirror {
            mirror.fetch(manifest::is_of_manifest)?;
        }
        let mut standing =
            SampleStanding { sampled: Sampled::default(), complete: 0, shards: shard.of, was_there, aside: plan.aside };
        for number in 1..=shard.of {
            if let Some(mark) = Mark::of(&manifest, Shard { number, of: shard.of })? {
                standing.complete += 1;
                standing.sampled.add(mark.sampled);
            }
        }
        Ok(standing)
    }

    fn pass(
        &self,
        manifest: &Manifest,
        plan: &FilePlan,
        shard: Shard,
        progress: &BatchProgress,
    ) -> Result<Sampled, CrawlError> {
        let of_buckets = format!("a sample of {} buckets", self.buckets);
        Descriptors::raise_for_files(&of_buckets, self.buckets as usize)?;
        let captures = manifest.out().join("captures");
        std::fs::create_dir_all(&captures).map_err(disk("create", &captures))?;
        let spill = |bucket: u32| {
            let path = manifest.draft(&format!("bucket-{bucket:05}"), shard);
            Spill::create(&path, self.pages, self.buckets).map(Mutex::new).map_err(disk("create", &path))
        };
        let spills: Vec<Mutex<Spill>> = (0..self.buckets).map(spill).collect::<Result<_, ManifestError>>()?;
        let archive_stats = Mutex::new(ArchiveStats::default());
        let files = plan.share(shard).into_iter().enumerate().collect();
        side_by_side(files, rayon::current_num_threads(), |(number, file)| {
            let of_file = self.file(number as u32, file, &captures, &spills, progress)?;
            archive_stats.lock().unwrap_or_else(PoisonError::into_inner).add(of_file);
            Ok(())
        })?;
        let mut archive_stats = archive_stats.into_inner().unwrap_or_else(PoisonError::into_inner);
        // Whoever was first: told in the order of the files.
        archive_stats.faults.sort_unstable();
        let mut sampled = Sampled { archive_stats, ..Sampled::default() };
        for (bucket, spill) in spills.into_iter().enumerate() {
            let spill = spill.into_inner().unwrap_or_else(PoisonError::into_inner);
            publish(manifest, bucket as u32, spill, shard, &mut sampled)?;
        }
        Ok(sampled)
    }

    fn file(
        &self,
        number: u32,
        file: &PlannedFile,
        captures: &Path,
        spills: &[Mutex<Spill>],
        progress: &BatchProgress,
    ) -> Result<ArchiveStats, CrawlError> {
        file.check()?;
        let index_path = captures_path(captures, file);
        let unwritable = || disk("write", &index_path);
        let mut index = CaptureIndex::create(&index_path).map_err(unwritable())?;
        let mut archive_stats = ArchiveStats { files: 1, ..ArchiveStats::default() };
        let near = file.near()?;
        let mut reader = CopyingReader::open(near.path())?;
        let name = file.path.to_string_lossy();
        while let Some(stated) = reader.next() {
            let Stated { entry, digest, has_place, .. } = stated?;
            let (position, record) = match entry {
                Entry::Record { position, record } => (position, record),
                Entry::Fault(fault) => {
                    archive_stats.fault(fault.to_string());
                    continue;
                }
            };
            archive_stats.records += 1;
            archive_stats.no_answer(&record);
            let place = has_place.then_some(&position);
            let capture = match record {
                Record::Response(capture) => capture,
                Record::Revisit(revisit) => {
                    let row = SampleRow::of(&revisit.capture, true, &name, place, digest);
                    index.add(row).map_err(unwritable())?;
                    continue;
                }
                Record::Other(_) => continue,
            };
            index.add(SampleRow::of(&capture, false, &name, place, digest)).map_err(unwritable())?;
            if !holds_page(&capture) {
                archive_stats.other(why_not(&capture));
                continue;
            }
            archive_stats.pages += 1;
            archive_stats.page_bytes += capture.body.len() as u64;
            progress.pages.fetch_add(1, Ordering::Relaxed);
            progress.page_bytes.fetch_add(capture.body.len() as u64, Ordering::Relaxed);
            let (domain, site) = (capture.url.domain(), capture.url.site());
            let candidate = Candidate::of(&capture, &site, (number, position.offset));
            let spill = &spills[bucket_of(&domain, self.buckets) as usize];
            let mut spill = spill.lock().unwrap_or_else(PoisonError::into_inner);
            if spill.may_choose(&candidate)
                && let Some(member) = reader.copy(&position)
            {
                spill.add(&candidate, &member).map_err(disk("spill candidates below", captures))?;
            }
        }
        index.finish().map_err(unwritable())?;
        Ok(archive_stats)
    }
}

/// The files of a shard's sample.
fn written(manifest: &Manifest, plan: &FilePlan, buckets: u32, shard: Shard) -> Vec<PathBuf> {
    let buckets = (0..buckets).map(|bucket| bucket_path(manifest.out(), bucket, shard));
    let captures = plan.share(shard).into_iter().map(|file| captures_path(&manifest.out().join("captures"), file));
    captures.chain(buckets).filter(|path| path.exists()).collect()
}

/// The index of a file's captures.
fn captures_path(captures: &Path, file: &PlannedFile) -> PathBuf {
    captures.join(format!("{}.parquet", file.name))
}

/// Whether the sample of a shard is taken, and its files are as they were written; what is not is told.
fn is_there(manifest: &Manifest, mirror: Option<&Mirror>, shard: Shard) -> Result<bool, ManifestError> {
    let Some(mark) = Mark::of(manifest, shard)? else { return Ok(false) };
    let lost = mark.lost(manifest.out(), mirror)?;
    if let Some(what) = &lost {
        tracing::warn!("{what}: the sample of shard {shard} is taken again");
    }
    Ok(lost.is_none())
}

/// Writes the chosen records of a bucket as a WARC file; none where none is chosen.
fn publish(
    manifest: &Manifest,
    bucket: u32,
    spill: Spill,
    shard: Shard,
    sampled: &mut Sampled,
) -> Result<(), ManifestError> {
    let (folder, path) = (bucket_folder(manifest.out(), bucket), bucket_path(manifest.out(), bucket, shard));
    let draft = manifest.draft(&format!("bucket-{bucket:05}.warc.gz"), shard);
    let mut chosen = 0;
    let write = || {
        let mut file = BufWriter::with_capacity(256 << 10, File::create(&draft)?);
        spill.finish(|member| {
            chosen += 1;
            sampled.sampled_bytes += member.len() as u64;
            file.write_all(member)
        })?;
        file.flush()
    };
    write().map_err(disk("write", &draft))?;
    if chosen == 0 {
        // One that was lost may have left another behind.
        manifest::remove(&path)?;
        return manifest::remove(&draft);
    }
    sampled.sampled += chosen;
    std::fs::create_dir_all(&folder).map_err(disk("create", &folder))?;
    durable::publish(&draft, &path).map_err(disk("rename a file to", &path))
}
