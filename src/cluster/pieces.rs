//! The files of a partition's job as pieces in the store. Files of archive and corpus only grow, so that each commit
//! publishes what has come behind the pieces that are there; the databases are published whole, as a checkpoint.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;

use super::error::ClusterError;
use super::store::{Published, SegmentStore};
use crate::engine::job::JobDir;
use crate::engine::{EngineError, checkpoint};

/// A part of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Piece {
    /// Within the job directory: `archive/…`, `corpus/…`.
    pub(super) file: String,
    /// Where in the file it begins.
    pub(super) start: u64,
    pub(super) published: Published,
}

/// What a commit makes visible.
#[derive(Debug, Clone)]
pub(super) struct Changes {
    pub(super) checkpoint: Published,
    pub(super) new: Vec<Piece>,
    /// Files that are no more: documents that were taken back.
    pub(super) gone: Vec<String>,
}

/// Publishes what is new in a job at rest, under a prefix that is used once.
pub(super) fn publish(
    store: &SegmentStore,
    job: &JobDir,
    known: &[Piece],
    prefix: &str,
) -> Result<Changes, ClusterError> {
    let checkpoint_file = job.root().join("checkpoint.zst");
    checkpoint::save(job, &checkpoint_file)?;
    let mut lengths: BTreeMap<&str, u64> = BTreeMap::new();
    for piece in known {
        let length = lengths.entry(&piece.file).or_default();
        *length = (*length).max(piece.start + piece.published.bytes);
    }
    let files = files(job)?;
    let mut new = Vec::new();
    for (file, end) in &files {
        let start = lengths.get(file.as_str()).copied().unwrap_or(0);
        if start < *end {
            let key = format!("{prefix}/{file}@{start}");
            let published = store.publish(&job.root().join(file), start, *end, key)?;
            new.push(Piece { file: file.clone(), start, published });
        }
    }
    let end = fs::metadata(&checkpoint_file).map_err(ClusterError::store(&checkpoint_file))?.len();
    let checkpoint = store.publish(&checkpoint_file, 0, end, format!("{prefix}/checkpoint.zst"))?;
    let gone: BTreeSet<String> =
        lengths.into_keys().filter(|file| !files.contains_key(*file)).map(str::to_owned).collect();
    Ok(Changes { checkpoint, new, gone: gone.into_iter().collect() })
}

/// Makes a job directory from what was committed; there must be none yet.
pub(super) fn restore(
    store: &SegmentStore,
    job: &JobDir,
    checkpoint: Option<&Published>,
    pieces: &[Piece],
) -> Result<(), ClusterError> {
    job.create().map_err(EngineError::from)?;
    for of_file in pieces.chunk_by(|one, next| one.file == next.file) {
        let Some(first) = of_file.first() else { continue };
        let path = job.root().join(&first.file);
        // The archive's files are closed and only read.
        if first.file.starts_with("archive/") && of_file.len() == 1 {
            store.link(&first.published, &path)?;
        } else {
            join(store, of_file, &path)?;
        }
    }
    let Some(checkpoint) = checkpoint else { return Ok(()) };
    let path = job.root().join("checkpoint.zst");
    let mut file = File::create(&path).map_err(ClusterError::store(&path))?;
    store.append(checkpoint, &mut file)?;
    Ok(checkpoint::restore(job, &path)?)
}

/// Writes a file from its pieces.
pub(super) fn join(store: &SegmentStore, pieces: &[Piece], path: &Path) -> Result<(), ClusterError> {
    let mut file = File::create(path).map_err(ClusterError::store(path))?;
    let mut end = 0;
    for piece in pieces {
        if piece.start != end {
            return Err(ClusterError::Damaged { key: piece.published.key.clone() });
        }
        store.append(&piece.published, &mut file)?;
        end += piece.published.bytes;
    }
    file.flush().and_then(|()| file.sync_all()).map_err(ClusterError::store(path))
}

/// What of a job at rest is kept beside its databases, with lengths.
fn files(job: &JobDir) -> Result<BTreeMap<String, u64>, ClusterError> {
    let mut files = BTreeMap::new();
    for (name, folder) in [("archive", job.archive()), ("corpus", job.corpus())] {
        for entry in fs::read_dir(&folder).map_err(ClusterError::store(&folder))? {
            let entry = entry.map_err(ClusterError::store(&folder))?;
            let file = entry.file_name().to_string_lossy().into_owned();
            let is_kept = file.ends_with(".warc.gz") || file.ends_with(".cdxj") || file.ends_with(".jsonl.zst");
            if is_kept {
                let path = entry.path();
                let bytes = fs::metadata(&path).map_err(ClusterError::store(&path))?.len();
                files.insert(format!("{name}/{file}"), bytes);
            }
        }
    }
    Ok(files)
}
