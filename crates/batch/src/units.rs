//! The units of an output: its domains, files or shards. A unit that is not complete, or whose files have changed, is
//! made again. Units are made in parallel, each by a thread that may wait for the disk. Their counts are added up.

use std::collections::{BTreeMap, VecDeque};
use std::ops::AddAssign;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::{fs, io};

use goldminer_core::Tally;
use goldminer_corpus::{CARD_FILES, Card, Format, HeldFile, is_own_card};
use goldminer_crawl::CrawlError;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde::{Deserialize, Serialize};

use super::output::{Output, disk, is_of_manifest, read, remove, write};
use super::shard::Shard;
use crate::sources::{ArchiveStats, MAX_FAULTS};

/// A part of an output that is either complete or made again.
pub(super) struct Unit<T> {
    /// The path of the file that marks the unit as complete, below `manifest/` and without `.json`.
    pub name: String,
    /// A hash of everything that determines the unit's content, besides the settings.
    pub inputs: String,
    /// The amount of work, relative to other units.
    pub weight: u64,
    /// The end of the warning if files of the unit are missing or changed.
    pub again: String,
    pub what: T,
}

pub(super) struct UnitResult<S> {
    pub summary: S,
    /// The unit's files of documents, which are in the output.
    pub held: Vec<HeldFile>,
    /// The unit's other files.
    pub files: Vec<PathBuf>,
}

/// The content of the file that marks a unit as complete.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Mark<S> {
    pub inputs: String,
    pub summary: S,
    /// The unit's files, relative to the output, with their lengths in bytes.
    pub files: BTreeMap<String, u64>,
}

/// The state of an output: counts, and how many units are complete.
#[derive(Debug, Clone)]
pub struct Overview<S> {
    /// The sum over all complete units of all processes.
    pub summary: S,
    /// Number of complete units.
    pub complete: usize,
    /// Number of all units.
    pub planned: usize,
    /// Whether everything was complete before this run.
    pub was_complete: bool,
}

impl Output {
    /// The units of a shard that are not complete, the heaviest first.
    pub(super) fn open_units<'u, T>(&self, shard: Shard, units: &'u [Unit<T>]) -> Result<Vec<&'u Unit<T>>, CrawlError> {
        let weights: Vec<u64> = units.iter().map(|unit| unit.weight).collect();
        let mut open = Vec::new();
        for unit in shard.share(&weights).into_iter().map(|at| &units[at]) {
            if !self.is_complete(&unit.name, &unit.inputs, &unit.again)? {
                open.push(unit);
            }
        }
        Ok(open)
    }

    /// Makes the incomplete units of a shard, `threads` of them at a time. Returns whether there were any. The caller
    /// must hold the lock of the shard.
    pub(super) fn make<T: Sync, S: Serialize>(
        &self,
        shard: Shard,
        units: &[Unit<T>],
        threads: usize,
        work: impl Fn(&T) -> Result<UnitResult<S>, CrawlError> + Sync,
    ) -> Result<bool, CrawlError> {
        let open = self.open_units(shard, units)?;
        let has_new = !open.is_empty();
        side_by_side(open, threads, |unit| self.finish(&unit.name, &unit.inputs, work(&unit.what)?))?;
        Ok(has_new)
    }

    /// The state of the output, given the names and inputs of all units. `has_new` is true if this run made some of
    /// them.
    pub(super) fn overview<S: Default + AddAssign + DeserializeOwned>(
        &self,
        units: impl IntoIterator<Item = (String, String)>,
        has_new: bool,
    ) -> Result<Overview<S>, CrawlError> {
        self.fetch(is_of_manifest)?;
        let mut overview = Overview { summary: S::default(), complete: 0, planned: 0, was_complete: !has_new };
        for (name, inputs) in units {
            overview.planned += 1;
            if let Some(mark) = self.mark::<S>(&name, &inputs)? {
                overview.complete += 1;
                overview.summary += mark.summary;
            }
        }
        Ok(overview)
    }

    /// The mark of a unit, if it is complete with these inputs.
    pub(super) fn mark<S: DeserializeOwned>(&self, unit: &str, inputs: &str) -> Result<Option<Mark<S>>, CrawlError> {
        let mark: Option<Mark<S>> = read(&self.mark_path(unit))?;
        Ok(mark.filter(|mark| mark.inputs == inputs))
    }

    /// Whether a unit (such as a domain) is complete, with unchanged files. If files have changed, logs a warning that
    /// ends with `again`, and removes the mark that the unit is complete.
    pub(super) fn is_complete(&self, unit: &str, inputs: &str, again: &str) -> Result<bool, CrawlError> {
        let Some(mark) = self.mark::<IgnoredAny>(unit, inputs)? else { return Ok(false) };
        let Some(lost) = self.lost(&mark, |_| true)? else { return Ok(true) };
        tracing::warn!("{lost}: {again}");
        remove(&self.mark_path(unit))?;
        Ok(false)
    }

    /// Describes the first file of a unit that is missing or changed; None if there is none. Only files for which
    /// `is_asked` returns true are checked.
    pub(super) fn lost<S>(
        &self,
        mark: &Mark<S>,
        is_asked: impl Fn(&str) -> bool,
    ) -> Result<Option<String>, CrawlError> {
        for (name, written) in mark.files.iter().filter(|(name, _)| is_asked(name)) {
            let path = self.folder.join(name);
            let length = match &self.mirror {
                Some(mirror) => mirror.remote_bytes(name),
                None => length(&path)?,
            };
            match length {
                None => return Ok(Some(format!("{} is gone", path.display()))),
                Some(length) if length != *written => {
                    return Ok(Some(format!("{} has {length} bytes instead of {written}", path.display())));
                }
                Some(_) => {}
            }
        }
        Ok(None)
    }

    /// Marks a unit, whose files must exist, as complete. Files of an earlier extraction are removed.
    pub(super) fn finish<S: Serialize>(&self, unit: &str, inputs: &str, made: UnitResult<S>) -> Result<(), CrawlError> {
        let UnitResult { summary, held, mut files } = made;
        files.extend(held.iter().map(|file| self.folder.join(&file.name)));
        if !held.is_empty() {
            files.push(self.held_path(unit));
            write(&self.held_path(unit), &held)?;
        }
        let mut mark = Mark { inputs: inputs.to_owned(), summary, files: BTreeMap::new() };
        for path in &files {
            let name = path.strip_prefix(&self.folder).unwrap_or(path);
            let name = name.iter().map(|part| part.to_string_lossy()).collect::<Vec<_>>().join("/");
            mark.files.insert(name, length(path)?.unwrap_or_default());
        }
        let before: Option<Mark<IgnoredAny>> = read(&self.mark_path(unit))?;
        let before = before.into_iter().flat_map(|before| before.files.into_keys());
        for gone in before.filter(|name| !mark.files.contains_key(name)) {
            remove(&self.folder.join(gone))?;
        }
        // The counts in the card are no longer true. The card is written again when all units are complete.
        let card = self.folder.join(CARD_FILES[1]);
        if is_own_card(&card) {
            remove(&card)?;
        }
        write(&self.mark_path(unit), &mark)?;
        if self.mirror.is_some() {
            self.send(&files)?;
            self.send(&[self.mark_path(unit)])?;
            files.iter().try_for_each(|file| remove(file))?;
        }
        Ok(())
    }

    /// Removes a unit with its files.
    pub(super) fn forget(&self, unit: &str) -> Result<(), CrawlError> {
        let mark: Option<Mark<IgnoredAny>> = read(&self.mark_path(unit))?;
        for name in mark.into_iter().flat_map(|mark| mark.files.into_keys()) {
            remove(&self.folder.join(name))?;
        }
        remove(&self.mark_path(unit))
    }

    /// Writes the card of an output (its description), from the statistics of one unit after the other; `limits` and
    /// `classifier` are as in [`Card`].
    pub(super) fn leave_card(
        &self,
        units: impl IntoIterator<Item = (String, String)>,
        limits: Vec<String>,
        classifier: Option<String>,
    ) -> Result<(), CrawlError> {
        let _lock = self.lock()?;
        self.fetch(|name| name.starts_with("manifest/held/"))?;
        let mut card = Card { limits, classifier, ..Card::of(&self.name, Format::Jsonl) };
        for (unit, _) in units {
            let held: Option<Vec<HeldFile>> = read(&self.held_path(&unit))?;
            held.into_iter().flatten().for_each(|file| card.add(file));
        }
        card.write(&self.folder)?;
        self.send(&Card::paths(&self.folder))
    }

    pub(super) fn mark_path(&self, unit: &str) -> PathBuf {
        self.manifest(&format!("{unit}.json"))
    }

    fn held_path(&self, unit: &str) -> PathBuf {
        self.manifest(&format!("held/{}.json", unit.rsplit('/').next().unwrap_or_default()))
    }
}

/// Logs the faults that the run found, and puts those of the sources (`aside`) before them. These are logged already.
pub(super) fn log_faults(faults: &mut Vec<String>, aside: &[String]) {
    faults.iter().for_each(|fault| tracing::warn!("{fault}"));
    faults.splice(0..0, aside.iter().cloned());
}

/// The length of a file, if it exists.
fn length(path: &Path) -> Result<Option<u64>, CrawlError> {
    match fs::metadata(path) {
        Ok(file) => Ok(Some(file.len())),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(e) => Err(disk("read", path)(e)),
    }
}

/// Processes units in their order, in `threads` new threads. Threads of rayon could deadlock: a thread that waits
/// within a unit may be given another unit, which waits for the same thing.
pub(super) fn side_by_side<U: Send>(
    units: Vec<U>,
    threads: usize,
    work: impl Fn(U) -> Result<(), CrawlError> + Sync,
) -> Result<(), CrawlError> {
    let threads = units.len().min(threads);
    let queue = Mutex::new(VecDeque::from(units));
    let is_over = AtomicBool::new(false);
    let worker = || {
        while !is_over.load(Ordering::Relaxed) {
            let unit = queue.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
            let Some(unit) = unit else { break };
            if let Err(error) = work(unit) {
                is_over.store(true, Ordering::Relaxed);
                return Err(error);
            }
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let running: Vec<_> = (0..threads).map(|_| scope.spawn(worker)).collect();
        let ended = running.into_iter().map(|worker| {
            worker.join().unwrap_or_else(|_| Err(CrawlError::Defect("a unit of the extraction panicked".to_owned())))
        });
        ended.collect::<Vec<_>>().into_iter().collect()
    })
}

/// The summary of an extraction by domain.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    /// Number of pages read.
    pub pages: u64,
    /// The bytes of the HTML of these pages.
    pub page_bytes: u64,
    /// Number of documents written.
    pub documents: u64,
    /// The bytes of the texts of these documents, in UTF-8.
    pub text_bytes: u64,
    /// Number of documents that were extracted with a profile.
    #[serde(default)]
    pub by_profile: u64,
    /// Number of pages with each outcome.
    pub tally: Tally,
    /// Number of pages of which only the beginning was read.
    #[serde(default)]
    pub truncated: u64,
    /// Number of domains whose profile was learned in this run.
    pub learned: u64,
    /// Number of domains with a profile that existed before.
    pub profiled: u64,
    /// Number of domains without a profile.
    pub unprofiled: u64,
    /// Number of responses that are not pages, by reason.
    pub others: BTreeMap<String, u64>,
    /// Messages about pages and files that could not be read.
    pub faults: Vec<String>,
}

/// The summary of an extraction file by file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, derive_more::AddAssign)]
pub struct StreamSummary {
    /// The counts of the records in the files.
    #[serde(flatten)]
    pub archive_stats: ArchiveStats,
    /// Number of documents written.
    pub documents: u64,
    /// The bytes of the texts of these documents, in UTF-8.
    pub text_bytes: u64,
    /// Number of documents that were extracted with a profile.
    pub by_profile: u64,
    /// Number of pages with each outcome.
    pub tally: Tally,
    /// Number of pages of which only the beginning was read.
    #[serde(default)]
    pub truncated: u64,
}

impl AddAssign for Summary {
    fn add_assign(&mut self, other: Self) {
        self.pages += other.pages;
        self.page_bytes += other.page_bytes;
        self.documents += other.documents;
        self.text_bytes += other.text_bytes;
        self.by_profile += other.by_profile;
        self.tally += other.tally;
        self.truncated += other.truncated;
        self.learned += other.learned;
        self.profiled += other.profiled;
        self.unprofiled += other.unprofiled;
        other.others.into_iter().for_each(|(why, answers)| *self.others.entry(why).or_default() += answers);
        other.faults.into_iter().for_each(|fault| self.fault(fault));
    }
}

impl Summary {
    /// Adds a message about something that could not be read.
    pub(super) fn fault(&mut self, fault: String) {
        match self.faults.len() {
            n if n < MAX_FAULTS => self.faults.push(fault),
            MAX_FAULTS => self.faults.push("and more, which are not listed".to_owned()),
            _ => {}
        }
    }
}
