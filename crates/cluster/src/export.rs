//! `cluster export` writes the committed documents of all partitions into one folder. `cluster jobs` writes a job
//! directory for each partition, for all commands that need one. Neither includes uncommitted data.

use std::fs;
use std::path::{Path, PathBuf};

use goldminer_crawl::Config;

use crate::db::database::Database;
use crate::db::{lease, schema};
use crate::error::{ClusterError, blocking};
use crate::partitions;
use crate::store::{Published, SegmentStore};
use crate::work::pieces::{self, Piece};

/// The counts of an export.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ExportCounts {
    /// Number of files of documents.
    pub files: u64,
    /// The size of these files in bytes.
    pub bytes: u64,
}

/// Writes the committed documents into a folder without documents, as `pNNN-part-….jsonl.zst`. Each stored piece of a
/// file is verified by its digest.
///
/// # Errors
/// When the folder contains documents already, the database or the store fails, or a piece is damaged.
pub async fn export(db: &Database, store: Option<&str>, to: &Path) -> Result<ExportCounts, ClusterError> {
    schema::check(db).await?;
    let crawl = lease::crawl(db).await?;
    let store = SegmentStore::at(store.unwrap_or(&crawl.store))?;
    fs::create_dir_all(to).map_err(ClusterError::store(to))?;
    let mut entries = fs::read_dir(to).map_err(ClusterError::store(to))?;
    let is_corpus = |entry: fs::DirEntry| entry.file_name().to_string_lossy().ends_with(".jsonl.zst");
    if entries.any(|entry| entry.is_ok_and(is_corpus)) {
        let reason = "it has documents already; give another folder".to_owned();
        return Err(ClusterError::Store { place: to.display().to_string(), reason });
    }
    let mut parts = Vec::new();
    for row in db.query("reading the partitions", "SELECT id FROM partition ORDER BY id", &[]).await? {
        let partition: i32 = row.get(0);
        parts.push((partition, lease::pieces(db, partition).await?));
    }
    let to = to.to_owned();
    blocking(move || join(&store, &parts, &to)).await
}

fn join(store: &SegmentStore, parts: &[(i32, Vec<Piece>)], to: &Path) -> Result<ExportCounts, ClusterError> {
    let mut exported = ExportCounts::default();
    for (partition, all) in parts {
        for of_file in all.chunk_by(|one, next| one.file == next.file) {
            let Some(name) = of_file.first().and_then(|piece| piece.file.strip_prefix("corpus/")) else { continue };
            pieces::join(store, of_file, &to.join(format!("p{partition:03}-{name}")))?;
            exported.files += 1;
            exported.bytes += of_file.iter().map(|piece| piece.published.bytes).sum::<u64>();
        }
    }
    Ok(exported)
}

/// The name of a file in an exported job directory. The file contains the store's key of the exported checkpoint (the
/// copy of the databases).
const MARK: &str = "commit";

/// The most times that a partition is read: reading is repeated if its worker commits meanwhile.
const TRIES: u32 = 5;

/// The counts of `cluster jobs`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct JobExportCounts {
    /// Number of job directories written.
    pub made: u64,
    /// Number of job directories that were up to date.
    pub kept: u64,
    /// Number of partitions without a commit.
    pub empty: u64,
}

struct LastCommit {
    partition: i32,
    config: Config,
    checkpoint: Published,
    pieces: Vec<Piece>,
}

/// Writes each partition into a folder, as a job directory `pNNN`. Existing ones are updated.
///
/// # Errors
/// When such a folder was not written by this command, the database or store fails, or an archive is damaged.
pub async fn jobs(db: &Database, store: Option<&str>, to: &Path) -> Result<JobExportCounts, ClusterError> {
    schema::check(db).await?;
    let crawl = lease::crawl(db).await?;
    let store = SegmentStore::at(store.unwrap_or(&crawl.store))?;
    fs::create_dir_all(to).map_err(ClusterError::store(to))?;
    let mut jobs = JobExportCounts::default();
    for row in db.query("reading the partitions", "SELECT id FROM partition ORDER BY id", &[]).await? {
        let Some(committed) = committed(db, row.get(0)).await? else {
            jobs.empty += 1;
            continue;
        };
        let (store, folder) = (store.clone(), to.join(format!("p{:03}", committed.partition)));
        let made = blocking(move || make(&store, &folder, &committed)).await?;
        jobs.made += u64::from(made);
        jobs.kept += u64::from(!made);
    }
    Ok(jobs)
}

/// Reads what belongs to a partition's last commit: the checkpoint (a copy of the databases) and the pieces (parts of
/// files). None if there is no commit. The key of the checkpoint is read before and after the pieces: if it has not
/// changed, both belong to one commit.
async fn committed(db: &Database, partition: i32) -> Result<Option<LastCommit>, ClusterError> {
    let statement = "SELECT job, checkpoint, bytes, blake3 FROM partition WHERE id = $1 AND checkpoint IS NOT NULL";
    let mut before: Option<String> = None;
    let mut pieces = Vec::new();
    for _ in 0..TRIES {
        let Some(row) = db.row("reading a partition", statement, &[&partition]).await? else { return Ok(None) };
        let (job, key): (&str, String) = (row.get(0), row.get(1));
        if before.as_ref() == Some(&key) {
            let config = partitions::from_toml(job)?;
            let (bytes, blake3) = (row.get::<_, i64>(2).unsigned_abs(), row.get(3));
            return Ok(Some(LastCommit { partition, config, checkpoint: Published { key, bytes, blake3 }, pieces }));
        }
        pieces = lease::pieces(db, partition).await?;
        before = Some(key);
    }
    let reason = format!("partition {partition} was committed during each of {TRIES} readings; try again");
    Err(ClusterError::Refused(reason))
}

/// Writes a job directory. Returns false if it has this commit already.
fn make(store: &SegmentStore, folder: &Path, committed: &LastCommit) -> Result<bool, ClusterError> {
    let mark: PathBuf = folder.join(MARK);
    if fs::read_to_string(&mark).is_ok_and(|key| key == committed.checkpoint.key) {
        return Ok(false);
    }
    let begun = folder.with_extension("begun");
    for earlier in [folder, &begun] {
        if !earlier.exists() {
            continue;
        }
        if earlier == folder && !mark.is_file() {
            let reason = "this folder was not made by `cluster jobs`; give another one".to_owned();
            return Err(ClusterError::Store { place: folder.display().to_string(), reason });
        }
        fs::remove_dir_all(earlier).map_err(ClusterError::store(earlier))?;
    }
    let LastCommit { partition, config, checkpoint, pieces } = committed;
    let there = store.contents(&pieces::folder_of(*partition))?;
    pieces::restore(store, &begun, config, *partition, &there, Some(checkpoint), pieces)?;
    config.write(&begun)?;
    fs::write(begun.join(MARK), &checkpoint.key).map_err(ClusterError::store(&begun))?;
    fs::rename(&begun, folder).map_err(ClusterError::store(folder))?;
    Ok(true)
}
