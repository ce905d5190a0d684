//! Takes a sample in one pass over the archive files of a shard. The sample of a shard is written completely or not at
//! all.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use goldminer_corpus::figures::counted;
use goldminer_crawl::CrawlError;
use goldminer_crawl::limits::descriptors::Descriptors;
use goldminer_warc::durable::DraftFile;
use goldminer_warc::{Entry, Record};
use serde::{Deserialize, Serialize};

use super::candidate::{Candidate, Spill, bucket_of};
use crate::output::{BUCKETS, Output, OutputKind, Settings, disk, remove};
use crate::plan::{FilePlan, PlannedFile};
use crate::shard::Shard;
use crate::sources::{ArchiveFile, ArchivePass, ArchiveStats, SourceError};
use crate::stored_pages::BatchProgress;
use crate::units::{Overview, Unit, UnitResult, log_faults, side_by_side};

/// Options of sampling.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sampling {
    /// The most pages of each domain and month.
    pub pages: usize,
    /// Number of buckets over which the domains are spread.
    pub buckets: u32,
}

/// The counts of a sample, for one shard or all finished shards.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, derive_more::AddAssign)]
pub struct Sampled {
    /// The counts of the records that were read.
    #[serde(flatten)]
    pub archive_stats: ArchiveStats,
    /// Number of pages in the sample.
    pub sampled: u64,
    /// The compressed bytes of these pages' records.
    pub sampled_bytes: u64,
}

/// The names of the other settings of a sample that `learn` needs.
pub(super) const PAGES: &str = "--pages";
pub(super) const SHARD: &str = "--shard";

impl Sampling {
    /// Writes the sample of a shard into a folder.
    ///
    /// # Errors
    /// When a file cannot be read, the folder cannot be written, the sample was started with other settings, or files
    /// of the sources were added or changed since then.
    pub fn take(
        &self,
        out: &Path,
        mut settings: Settings,
        shard: Shard,
        progress: &BatchProgress,
        sources: &[PathBuf],
    ) -> Result<Overview<Sampled>, CrawlError> {
        let output = Output::open(out, OutputKind::Sample)?;
        settings.insert(BUCKETS.to_owned(), self.buckets.to_string());
        settings.insert(PAGES.to_owned(), self.pages.to_string());
        if shard.of > 1 {
            settings.insert(SHARD.to_owned(), format!("I/{}", shard.of));
        }
        let plan = FilePlan::open(&output, &settings, sources, |new, changed| refuse_other_files(out, new, changed))?;
        plan.aside.iter().for_each(|aside| tracing::warn!("{aside}"));
        let _lock = output.lock_shard(shard)?;
        let unit = |number| {
            let shard = Shard { number, of: shard.of };
            let again = format!("sampling shard {shard} again");
            Unit { name: unit_name(shard), inputs: String::new(), weight: 1, again, what: shard }
        };
        let units: Vec<Unit<Shard>> = (1..=shard.of).map(unit).collect();
        let has_new = output.make(shard, &units, 1, |shard| self.pass(&output, &plan, *shard, progress))?;
        let units = units.into_iter().map(|unit| (unit.name, unit.inputs));
        let mut overview: Overview<Sampled> = output.overview(units, has_new)?;
        log_faults(&mut overview.summary.archive_stats.faults, &plan.aside);
        Ok(overview)
    }

    fn pass(
        &self,
        output: &Output,
        plan: &FilePlan,
        shard: Shard,
        progress: &BatchProgress,
    ) -> Result<UnitResult<Sampled>, CrawlError> {
        let of_buckets = format!("a sample of {}", counted(self.buckets.into(), "bucket", "buckets"));
        Descriptors::raise_for_files(&of_buckets, self.buckets as usize)?;
        let spill = |bucket: u32| {
            let path = output.draft(&format!("bucket-{bucket:05}"), shard);
            Spill::create(&path, self.pages, self.buckets).map(Mutex::new).map_err(disk("create", &path))
        };
        let spills: Vec<Mutex<Spill>> = (0..self.buckets).map(spill).collect::<Result<_, CrawlError>>()?;
        let done = Mutex::new(ArchiveStats::default());
        let files = plan.share(shard).into_iter().enumerate().collect();
        side_by_side(files, rayon::current_num_threads(), |(number, file)| {
            let of_file = self.file(number as u32, file, &spills, progress)?;
            *done.lock().unwrap_or_else(PoisonError::into_inner) += of_file;
            Ok(())
        })?;
        let (mut archive_stats, mut files) = (done.into_inner().unwrap_or_else(PoisonError::into_inner), Vec::new());
        // Threads finish in any order; sorting makes the result the same in each run.
        archive_stats.faults.sort_unstable();
        let mut summary = Sampled { archive_stats, ..Sampled::default() };
        for (bucket, spill) in spills.into_iter().enumerate() {
            let spill = spill.into_inner().unwrap_or_else(PoisonError::into_inner);
            let path = bucket_path(&output.folder, bucket as u32, shard);
            match write_chosen(&path, spill, &mut summary).map_err(disk("write", &path))? {
                true => files.push(path),
                // An earlier run may have left the file.
                false => remove(&path)?,
            }
        }
        Ok(UnitResult { summary, held: Vec::new(), files })
    }

    fn file(
        &self,
        number: u32,
        planned: &PlannedFile,
        spills: &[Mutex<Spill>],
        progress: &BatchProgress,
    ) -> Result<ArchiveStats, CrawlError> {
        let local = planned.file.local_file()?;
        let mut pass = ArchivePass::named(local.path(), &planned.file.name)?;
        while let Some(stated) = pass.next() {
            let stated = stated?;
            let (position, mut capture) = match stated.entry {
                Entry::Record { position, record: Record::Response(capture) } => (position, capture),
                Entry::Record { .. } => continue,
                Entry::Fault(fault) => {
                    pass.fault(&fault);
                    continue;
                }
            };
            if !pass.takes(&mut capture) {
                continue;
            }
            progress.page(capture.body.len() as u64);
            let (domain, site) = (capture.url.domain(), capture.url.site());
            let candidate = Candidate::of(&capture, &site, (number, position.offset));
            let spill = &spills[bucket_of(&domain, self.buckets) as usize];
            let mut spill = spill.lock().unwrap_or_else(PoisonError::into_inner);
            if spill.may_choose(&candidate)
                && let Some(member) = pass.copy(&position)
            {
                spill.add(&candidate, &member).map_err(disk("write the candidates of", &planned.file.path))?;
            }
        }
        Ok(pass.stats)
    }
}

/// Refuses files that were added to the sources of a sample, or have changed. A finished shard would not match them.
fn refuse_other_files(out: &Path, new: &[&ArchiveFile], changed: &[&PlannedFile]) -> Result<(), CrawlError> {
    if let Some(file) = changed.first() {
        let since = format!("the sample {} was begun", out.display());
        return Err(file.changed(&since, "name another -o for a new sample"));
    }
    if new.is_empty() {
        return Ok(());
    }
    let names: Vec<String> = new.iter().take(3).map(|file| file.path.display().to_string()).collect();
    let more = if new.len() > 3 { format!(" and {} more", new.len() - 3) } else { String::new() };
    let files = counted(new.len() as u64, "file that is", "files that are");
    let (out, names) = (out.display(), names.join(", "));
    let what = format!(
        "the sources have {files} not in the sample {out}: {names}{more}. Sample them into another folder, and give both \
         folders to `goldminer learn`; or name another -o for a sample of all files"
    );
    Err(SourceError::Refused(what).into())
}

/// The name of a shard's sample among the units of an output.
pub(super) fn unit_name(shard: Shard) -> String {
    format!("done/shard-{:05}-of-{:05}", shard.number, shard.of)
}

pub(super) fn bucket_folder(out: &Path, bucket: u32) -> PathBuf {
    out.join(format!("bucket-{bucket:05}"))
}

/// The file with the pages of a bucket and a shard.
pub(super) fn bucket_path(out: &Path, bucket: u32, shard: Shard) -> PathBuf {
    bucket_folder(out, bucket).join(format!("shard-{:05}-of-{:05}.warc.gz", shard.number, shard.of))
}

/// Writes the chosen records of a bucket (a share of the domains) as a WARC file. Returns false, and writes no file, if
/// none is chosen.
fn write_chosen(path: &Path, spill: Spill, sampled: &mut Sampled) -> std::io::Result<bool> {
    let mut file = None;
    spill.finish(|member| {
        let file = match &mut file {
            Some(file) => file,
            none => {
                path.parent().map_or(Ok(()), std::fs::create_dir_all)?;
                none.insert(DraftFile::of(path)?)
            }
        };
        sampled.sampled += 1;
        sampled.sampled_bytes += member.len() as u64;
        file.write_all(member)
    })?;
    let is_there = file.is_some();
    file.map_or(Ok(()), DraftFile::publish)?;
    Ok(is_there)
}
