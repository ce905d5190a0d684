//! Saves the databases of a stopped job as one file, and restores them. Archive and corpus only grow and are stored
//! separately; with them, the checkpoint is the whole job.

use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use goldminer_core::{DomainProfile, ServingProfile};
use goldminer_corpus::files::early::EarlyWriter;
use goldminer_corpus::forms::jsonl::JsonlWriter;
use goldminer_warc::durable::DraftFile;

use super::{JobDir, JobError};
use crate::store::checkpoint;
use crate::store::profiles::ProfileStore;
use crate::{CrawlError, Store};

/// The state that a stopped job leaves for the next process that crawls it.
#[derive(Debug, Clone)]
pub struct Rest {
    /// The checkpoint file in the job directory.
    pub checkpoint: PathBuf,
    /// The last version of each profile, by key, as JSON.
    pub learned: Vec<(String, String)>,
}

/// Saves the databases of a job that is not running. Documents that a killed run wrote to the corpus but did not commit
/// are first cut off, so that the corpus and the databases agree.
///
/// # Errors
/// When the job is in use, or the disk fails.
pub fn save(job: &JobDir) -> Result<Rest, CrawlError> {
    let _lock = job.lock()?;
    let store = Store::open(&job.frontier())?;
    let profiles = ProfileStore::open(&job.profiles())?;
    let (corpus, early) = store.extraction().positions()?;
    JsonlWriter::open(&job.corpus(), corpus)?.close()?;
    drop(EarlyWriter::open(&job.corpus(), early)?);
    of_open(job, &store, &profiles)
}

/// Saves the databases that a run of the job has open, after its corpus was closed.
pub(crate) fn of_open(job: &JobDir, store: &Store, profiles: &ProfileStore) -> Result<Rest, CrawlError> {
    let path = job.checkpoint();
    let unwritable = |cause| JobError::Unwritable { path: path.clone(), cause };
    let mut draft = DraftFile::of(&path).map_err(unwritable)?;
    checkpoint::save(store, profiles, &mut draft)?;
    draft.flush().and_then(|()| draft.publish()).map_err(unwritable)?;
    let mut learned = Vec::new();
    for serving in profiles.all_latest()? {
        let serving = serving?;
        let json = serde_json::to_string(&serving.profile).map_err(|error| CrawlError::Defect(error.to_string()))?;
        learned.push((serving.profile.key, json));
    }
    Ok(Rest { checkpoint: path, learned })
}

/// Restores the databases of a job from a file that [`save`] wrote. The job must not have databases yet.
///
/// # Errors
/// When the checkpoint is damaged or of another version, or the disk fails.
pub fn restore(job: &JobDir, from: &Path) -> Result<(), CrawlError> {
    let file = File::open(from).map_err(|cause| JobError::Unreadable { path: from.to_owned(), cause })?;
    Ok(checkpoint::restore(&job.frontier(), &job.profiles(), file)?)
}

/// Copies the profiles that other jobs have learned ([`Rest::learned`]) into a new job, so that their domains need not
/// learn again. The archive positions from which a profile applies are left out, because they are positions in another
/// archive. A profile that cannot be read is logged, and its domain learns again.
///
/// # Errors
/// When the job is in use, or the disk fails.
pub fn begin_with(job: &JobDir, profiles: &[String]) -> Result<(), CrawlError> {
    if profiles.is_empty() {
        return Ok(());
    }
    let _lock = job.lock()?;
    let store = ProfileStore::open(&job.profiles())?;
    for json in profiles {
        match serde_json::from_str::<DomainProfile>(json) {
            Ok(mut profile) => {
                profile.version = 1;
                let of_site = profile.learned_at.is_some();
                let mut serving = ServingProfile::everywhere(profile);
                serving.of_site = of_site;
                store.import(&serving)?;
            }
            Err(error) => {
                tracing::warn!("the stored profile of a domain cannot be read, so the crawl learns a new one: {error}")
            }
        }
    }
    Ok(())
}
