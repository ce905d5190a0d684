//! Rebuilds the databases and the corpus of a job from its archive, for `goldminer rebuild` and `goldminer drop`.
//!
//! The new parts are built beside the old ones (`replacement`), and replace these when they are complete and every old
//! document is accounted for (`accounting`). So a rebuild that is interrupted or refused changes nothing. Learned
//! profiles are copied. If they are lost, domains learn from their archived pages, and keep the manual edits of their
//! profiles.

use std::fs;
use std::path::{Path, PathBuf};

use goldminer_corpus as corpus;

use super::rebuild::{Replay, Replayed, extract};
use super::{JobDir, JobError, card, has, page_list, replacement};
use crate::frontier::Withdrawals;
use crate::run::accounting::unaccounted;
use crate::store::profiles::ProfileStore;
use crate::{Clock, Counts, CrawlError, Job, Store};

/// The result of a rebuild.
#[derive(Debug)]
pub struct Rebuilt {
    /// Responses in the archive.
    pub answers: u64,
    /// The URL counts of the new database.
    pub counts: Counts,
    /// Documents in the new corpus.
    pub documents: u64,
    /// Messages about records that could not be read, or had no effect.
    pub faults: Vec<String>,
    /// The databases that were moved aside.
    pub aside: Vec<PathBuf>,
}

/// What to do about old documents that the archive no longer gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Losses {
    /// The rebuild is refused, and nothing is changed.
    Refused,
    /// The documents are lost, and the rebuild continues.
    Accepted,
}

/// Rebuilds the databases and the corpus of a job.
///
/// # Errors
/// When the archive cannot be read or does not account for the corpus, or the disk fails. Nothing is changed then.
pub fn rebuild(job: &Job, losses: Losses) -> Result<Rebuilt, CrawlError> {
    RebuiltParts::make(job, losses)?.take_place(job)
}

/// Rebuilt databases and corpus that are not in use yet.
pub(crate) struct RebuiltParts {
    replayed: Replayed,
    counts: Counts,
    documents: u64,
    has_lost_profiles: bool,
}

impl RebuiltParts {
    /// Builds the parts, without what the job's configuration withdraws.
    pub(crate) fn make(job: &Job, losses: Losses) -> Result<Self, CrawlError> {
        let (dir, clock) = (&job.dir, Clock::of_job(job.dir.root()));
        let draft = replacement::begin(dir.root()).map_err(unwritable(dir.root()))?;
        let draft = JobDir::new(&draft);
        let replayed = Replay::begin(job, &draft.frontier(), clock)?.replay_all()?;
        let profiles = ProfileStore::open(&draft.profiles())?;
        let has_lost_profiles = !take_over_profiles(job, &profiles, &replayed)?;
        if has_lost_profiles {
            profiles.bring_back(&job.manual_profiles, &Store::open(&draft.frontier())?.frontier())?;
        }
        let (counts, documents) = extract(job, &draft, profiles, has_lost_profiles, clock)?;
        if losses == Losses::Refused
            && let Some(lost) = unaccounted(job, &draft, &replayed.faults)?
        {
            replacement::settle(dir.root()).map_err(unwritable(dir.root()))?;
            return Err(lost.into());
        }
        keep_beside(&dir.corpus(), &draft.corpus())?;
        Ok(Self { replayed, counts, documents, has_lost_profiles })
    }

    /// Replaces the old parts with the new ones.
    pub(crate) fn take_place(self, job: &Job) -> Result<Rebuilt, CrawlError> {
        let Self { replayed, counts, documents, has_lost_profiles } = self;
        let dir = &job.dir;
        let mut aside = Vec::new();
        let replace = |aside: &mut Vec<PathBuf>| {
            replacement::accept(dir.root())?;
            if has_lost_profiles {
                aside.extend(replacement::put_aside(&dir.profiles())?);
            }
            aside.extend(replacement::settle(dir.root())?);
            // This file is an index of the old database.
            replacement::remove_file(&dir.pages())
        };
        replace(&mut aside).map_err(unwritable(dir.root()))?;
        let store = Store::open(&dir.frontier())?;
        page_list::leave(dir, &store.frontier());
        card::leave_crawl_card(dir, &store.extraction(), &counts)?;
        Ok(Rebuilt { answers: replayed.answers, counts, documents, faults: replayed.faults, aside })
    }
}

/// Copies the learned profiles, without what was withdrawn. Returns false if they are lost.
fn take_over_profiles(job: &Job, new: &ProfileStore, replayed: &Replayed) -> Result<bool, CrawlError> {
    let profiles = job.dir.profiles();
    let has_documents = has(&job.dir.corpus(), |name| name.ends_with(".jsonl.zst"));
    let lost = |why: &str| tracing::warn!("{} {why}: domains are learned again from the archive", profiles.display());
    let old = match profiles.exists().then(|| ProfileStore::open(&profiles)).transpose() {
        Ok(old) => old,
        Err(damage) => {
            lost(&format!("cannot be read ({damage})"));
            return Ok(false);
        }
    };
    if has_documents && old.as_ref().map_or(Ok(true), ProfileStore::is_empty)? {
        lost("is missing");
        return Ok(false);
    }
    if let Some(old) = old {
        let withdrawn = Withdrawals::of(&job.config.withdrawn);
        old.copy_to(new, |name| withdrawn.hold_host(name), |page| replayed.withdrawn.contains(page))?;
    }
    Ok(true)
}

/// Copies the files beside the documents in the corpus folder, such as a description of the corpus (card) that somebody
/// has edited.
fn keep_beside(old: &Path, new: &Path) -> Result<(), CrawlError> {
    let copy = || -> std::io::Result<()> {
        for entry in fs::read_dir(old)? {
            let path = entry?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if path.is_file() && !name.ends_with(".jsonl.zst") && !name.starts_with('.') && !corpus::is_own_card(&path)
            {
                fs::copy(&path, new.join(&name))?;
                fs::File::open(new.join(&name))?.sync_all()?;
            }
        }
        Ok(())
    };
    if old.is_dir() { copy().map_err(unwritable(new)) } else { Ok(()) }
}

fn unwritable(path: &Path) -> impl FnOnce(std::io::Error) -> CrawlError {
    move |cause| JobError::Unwritable { path: path.to_owned(), cause }.into()
}
