//! Removes duplicates across the files of an output of `extract --stream` (`goldminer dedup`). Of equal documents of a
//! domain, the first in the archive is kept. A near-duplicate is flagged with the id of the earlier document. An
//! extraction of whole domains removes the same duplicates.
//!
//! Only hashes of the documents are compared, of a part of the domains at a time. Then the kept lines are copied.

use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Write};
use std::path::Path;
use std::sync::atomic::Ordering;

use data_encoding::HEXLOWER;
use goldminer_core::extract::domain::{Fingerprint, MemorySeen, PageDecision, PageOutcome, Seen};
use goldminer_crawl::CrawlError;
use goldminer_warc::objects::ObjectAddress;
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};

use super::digests::DigestRow;
use super::extraction::digests_path;
use crate::lines::{self, copy_lines, unreadable};
use crate::output::{DIGEST, Output, OutputKind, OutputPlan, STREAM, Settings, disk, is_of_manifest, refused, remove};
use crate::plan::{FilePlan, PlannedFile};
use crate::shard::Shard;
use crate::stored_pages::BatchProgress;
use crate::units::{StreamSummary, Unit, UnitResult};

/// The most documents that are compared in one pass: at most 200 MB of memory, unless a single domain has more.
const PART_DOCUMENTS: u64 = 500_000;

/// Counts of kept and removed documents.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, derive_more::AddAssign)]
pub struct Deduplicated {
    /// Number of documents read.
    pub read: u64,
    /// Number of documents written.
    pub written: u64,
    /// Number of documents with the same text, or the same running text, as an earlier one.
    pub duplicates: u64,
    /// Number of near-duplicates of earlier documents. They are flagged, or left out if the caller asks for it.
    pub near_duplicates: u64,
}

/// The hashes of a document, with the numbers of its file and line.
type PlacedRow = (DigestRow, u32, u32);

/// The decision on a document. The type is small, because memory holds a decision for each document.
#[derive(Clone, Copy, PartialEq, Eq)]
enum DedupDecision {
    Keep,
    Duplicate,
    Near,
}

#[derive(Default)]
struct FileDecisions {
    lines: Vec<DedupDecision>,
    /// The lines of near-duplicates, each with the id of the earlier document.
    near: Vec<(u32, u128)>,
}

/// Writes the documents of an output of `extract --stream` into another folder, without the duplicates of each
/// domain. Near-duplicates are flagged, or left out with `drops_near`. A run that was killed is continued, if `corpus` is
/// the same path.
///
/// # Errors
/// When the output is incomplete, or a disk fails.
pub fn dedup(
    corpus: &Path,
    out: &Path,
    drops_near: bool,
    progress: &BatchProgress,
) -> Result<Deduplicated, CrawlError> {
    let (input, plan) = complete(corpus)?;
    let output = Output::open(out, OutputKind::Unique)?;
    // The digest is a setting of the output, so that it is not continued with other documents at the same path.
    let made_of = format!("{}{DIGEST}{}", corpus.display(), digest(&input, &plan)?);
    let mut settings = Settings::from([("corpus".to_owned(), made_of)]);
    if drops_near {
        settings.insert("--no-near-duplicates".to_owned(), String::new());
    }
    output.plan(&settings, |_| Ok(true), |_| Ok(plan.clone()))?;
    let shard = Shard::default();
    let _lock = output.lock_shard(shard)?;
    let decisions = decisions(&input, &plan, &output)?;
    let unit = |(file, decisions): (_, _)| PlannedFile::unit(file, "it is made again".to_owned(), (file, decisions));
    let units: Vec<Unit<(&PlannedFile, FileDecisions)>> = plan.files.iter().zip(decisions).map(unit).collect();
    let has_new = output.make(shard, &units, rayon::current_num_threads(), |(file, decisions)| {
        let made = copy(&input, &output, file, decisions, drops_near)?;
        progress.documents.fetch_add(made.summary.written, Ordering::Relaxed);
        progress.pages.fetch_add(made.summary.read, Ordering::Relaxed);
        Ok(made)
    })?;
    if has_new || !output.has_card() {
        output.leave_card(plan.units(), Vec::new(), None)?;
    }
    Ok(output.overview(plan.units(), has_new)?.summary)
}

/// Opens an output of `extract --stream`, and checks that it is complete.
fn complete(corpus: &Path) -> Result<(Output, FilePlan), CrawlError> {
    if !ObjectAddress::is_in(corpus) && !corpus.exists() {
        return Err(refused(corpus, "is not there: check the path and your current directory"));
    }
    let is_wanted = |name: &str| is_of_manifest(name) || name.starts_with("manifest/digests/");
    let output = Output::existing(corpus, OutputKind::Files, is_wanted)?;
    let planned = if corpus.is_file() { None } else { output.planned::<FilePlan>()? };
    let Some(OutputPlan { plan, .. }) = planned.filter(|planned| planned.settings.contains_key(STREAM)) else {
        let what = "is not an output of `goldminer extract --stream`; for another corpus, use `goldminer convert \
                    --unique`";
        return Err(refused(corpus, what));
    };
    for file in &plan.files {
        let lost = match output.mark::<IgnoredAny>(&file.unit_name(), "")? {
            Some(mark) => output.lost(&mark, |_| true)?,
            None => Some(format!("{} is not extracted", file.file.path.display())),
        };
        if let Some(lost) = lost {
            let what = format!("is not complete: {lost}; run `goldminer extract --stream` into it again");
            return Err(refused(corpus, &what));
        }
    }
    Ok((output, plan))
}

/// A hash of an output's planned files and marks. It changes when the documents change.
fn digest(input: &Output, plan: &FilePlan) -> Result<String, CrawlError> {
    let mut hasher = blake3::Hasher::new();
    for file in &plan.files {
        let path = input.mark_path(&file.unit_name());
        for bytes in [file.name.as_bytes(), &fs::read(&path).map_err(disk("read", &path))?] {
            hasher.update(&(bytes.len() as u64).to_le_bytes());
            hasher.update(bytes);
        }
    }
    Ok(HEXLOWER.encode(&hasher.finalize().as_bytes()[..8]))
}

/// Decides which documents of all files are kept.
fn decisions(input: &Output, plan: &FilePlan, output: &Output) -> Result<Vec<FileDecisions>, CrawlError> {
    let documents = input.overview::<StreamSummary>(plan.units(), false)?.summary.documents;
    let mut parts = Vec::new();
    for part in 0..documents / PART_DOCUMENTS + 1 {
        let path = output.draft(&format!("part-{part:05}"), Shard::default());
        let file = File::create(&path).map_err(disk("create", &path))?;
        parts.push((BufWriter::new(file), path));
    }
    let mut decisions = Vec::new();
    for (number, file) in plan.files.iter().enumerate() {
        let path = digests_path(input, file);
        let mut rows = BufReader::new(File::open(&path).map_err(disk("read", &path))?);
        let mut of_file = FileDecisions::default();
        while let Some(row) = lines::take::<DigestRow>(&mut rows).map_err(unreadable(&path))? {
            let count = parts.len() as u64;
            let (part, path) = &mut parts[(row.domain % count) as usize];
            let placed: PlacedRow = (row, number as u32, of_file.lines.len() as u32);
            lines::put(part, &placed).map_err(disk("write", path))?;
            of_file.lines.push(DedupDecision::Keep);
        }
        decisions.push(of_file);
    }
    for (mut part, path) in parts {
        part.flush().map_err(disk("write", &path))?;
        decide(placed(&path).map_err(disk("read", &path))?, &mut decisions);
        remove(&path)?;
    }
    decisions.iter_mut().for_each(|decisions| decisions.near.sort_unstable());
    Ok(decisions)
}

/// Reads the rows of one part of the domains.
fn placed(part: &Path) -> io::Result<Vec<PlacedRow>> {
    let mut file = BufReader::new(File::open(part)?);
    std::iter::from_fn(|| lines::take(&mut file).transpose()).collect()
}

/// Decides which documents of some domains are kept, comparing the documents of a domain in the order of the archive.
fn decide(mut placed: Vec<PlacedRow>, decisions: &mut [FileDecisions]) {
    placed.sort_unstable_by_key(|(row, file, line)| (row.domain, *file, *line));
    for domain in placed.chunk_by(|(one, ..), (other, ..)| one.domain == other.domain) {
        let mut seen = MemorySeen::default();
        for (row, file, line) in domain {
            let of_file = &mut decisions[*file as usize];
            of_file.lines[*line as usize] = match decision(row, &mut seen) {
                PageDecision::Drop(_) => DedupDecision::Duplicate,
                PageDecision::Emit { near_duplicate_of: None } => DedupDecision::Keep,
                PageDecision::Emit { near_duplicate_of: Some(id) } => {
                    of_file.near.push((*line, u128::from_str_radix(&id, 16).unwrap_or_default()));
                    DedupDecision::Near
                }
            };
        }
    }
}

/// Decides whether a document is kept, by comparing it with the earlier documents of its domain.
fn decision(row: &DigestRow, seen: &mut MemorySeen) -> PageDecision {
    let mut fingerprint = Fingerprint::new(id(row.id), format!("{:016x}", row.text), row.simhash);
    fingerprint.body_digest = (row.body != 0).then(|| format!("{:016x}", row.body));
    let Ok(is_known) = fingerprint.digests().map(|digest| seen.has_text(digest)).collect::<Result<Vec<_>, _>>();
    if is_known.contains(&true) {
        return PageDecision::Drop(PageOutcome::Duplicate);
    }
    let Ok(near_duplicate_of) = seen.near_duplicate_of(row.simhash);
    let Ok(()) = seen.remember(&fingerprint, 0, near_duplicate_of.is_some());
    PageDecision::Emit { near_duplicate_of }
}

fn id(number: u128) -> String {
    format!("{number:032x}")
}

/// Copies the lines of a file that are kept.
fn copy(
    input: &Output,
    output: &Output,
    file: &PlannedFile,
    decisions: &FileDecisions,
    drops_near: bool,
) -> Result<UnitResult<Deduplicated>, CrawlError> {
    let name = file.documents();
    if let Some(mirror) = &input.mirror {
        mirror.fetch_file(&name)?;
    }
    let from = input.folder.join(&name);
    let mut near = decisions.near.iter();
    let of_pages = decisions.lines.iter().map(|decision| match decision {
        DedupDecision::Keep => PageDecision::Emit { near_duplicate_of: None },
        DedupDecision::Near if !drops_near => {
            PageDecision::Emit { near_duplicate_of: near.next().map(|(_, of)| id(*of)) }
        }
        DedupDecision::Near | DedupDecision::Duplicate => PageDecision::Drop(PageOutcome::Duplicate),
    });
    let mut out = output.documents(&name, Shard::default())?;
    copy_lines(&from, &mut out, of_pages)?;
    if input.mirror.is_some() {
        remove(&from)?;
    }
    let held = out.finish()?;
    let count = |wanted| decisions.lines.iter().filter(|decision| **decision == wanted).count() as u64;
    let (read, written) = (decisions.lines.len() as u64, held.holdings.documents);
    let (duplicates, near_duplicates) = (count(DedupDecision::Duplicate), count(DedupDecision::Near));
    let summary = Deduplicated { read, written, duplicates, near_duplicates };
    Ok(UnitResult { summary, held: vec![held], files: Vec::new() })
}
