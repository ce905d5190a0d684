//! Stores the files of a partition's job as pieces in the store, and restores them. Files of the archive and the corpus
//! only grow, so each commit publishes what was added since the last one. The databases are published whole, as a
//! checkpoint. The archive is the source of everything else: if another file in the store is damaged, everything but
//! the archive is rebuilt from it.
//!
//! Profiles that a partition has learned are committed with its documents, and a new partition starts with the known
//! profiles of its domains. The database numbers the versions of a profile.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::Path;

use goldminer_crawl::job::renewal::Losses;
use goldminer_crawl::job::{checkpoint, rebuild};
use goldminer_crawl::{Config, CrawlError, Job, JobDir};
use goldminer_warc::Stub;
use jiff::Timestamp;

use crate::commands::CommandResults;
use crate::db::database::Database;
use crate::db::schema;
use crate::error::ClusterError;
use crate::store::{Contents, Published, SegmentStore, UploadedFile};

/// The beginning of the names of archive files.
const ARCHIVE: &str = "archive/";

/// A part of a file of the job, stored as one file in the store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Piece {
    /// The path in the job directory: `archive/…`, `corpus/…`.
    pub(crate) file: String,
    /// The position of the piece in the file.
    pub(crate) start: u64,
    pub(crate) published: Published,
    /// Whether the piece (a part of an archive file) was given up (deleted on purpose), because it was kept as long as
    /// configured. It cannot be read any more.
    pub(crate) is_retired: bool,
}

/// The results that a commit makes visible.
#[derive(Debug, Clone)]
pub(crate) struct Changes {
    pub(crate) checkpoint: Published,
    pub(crate) new: Vec<Piece>,
    /// Files whose old pieces are dropped: files with retracted documents, and rebuilt files.
    pub(crate) gone: Vec<String>,
    pub(crate) new_profiles: Vec<NewProfile>,
    /// The results of commands since the last commit.
    pub(crate) results: CommandResults,
}

/// Publishes what is new in a stopped job, under keys with a prefix that is used only once. Rebuilt files are published
/// whole.
pub(crate) fn publish(
    store: &SegmentStore,
    job: &JobDir,
    known: &[Piece],
    remade: &BTreeSet<String>,
    (checkpoint, new_profiles, results): (&Path, Vec<NewProfile>, CommandResults),
    prefix: &str,
) -> Result<Changes, ClusterError> {
    let mut lengths: BTreeMap<&str, u64> = BTreeMap::new();
    for piece in known.iter().filter(|piece| !remade.contains(&piece.file)) {
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
            new.push(Piece { file: file.clone(), start, published, is_retired: false });
        }
    }
    let end = fs::metadata(checkpoint).map_err(ClusterError::store(checkpoint))?.len();
    let checkpoint = store.publish(checkpoint, 0, end, format!("{prefix}/checkpoint.zst"))?;
    let mut gone: BTreeSet<String> =
        lengths.into_keys().filter(|file| !files.contains_key(*file)).map(str::to_owned).collect();
    gone.extend(remade.iter().cloned());
    Ok(Changes { checkpoint, new, gone: gone.into_iter().collect(), new_profiles, results })
}

/// Restores the job of a partition into an empty folder. The archive stays in the store and is read there. If another
/// file is damaged, the rest is rebuilt from the archive, and the names of the rebuilt files are returned.
///
/// # Errors
/// When the store is unavailable, the archive in it is damaged, or the disk fails.
pub(crate) fn restore(
    store: &SegmentStore,
    folder: &Path,
    config: &Config,
    partition: i32,
    there: &Contents,
    checkpoint: Option<&Published>,
    pieces: &[Piece],
) -> Result<BTreeSet<String>, ClusterError> {
    let job = &JobDir::new(folder);
    job.create().map_err(CrawlError::from)?;
    let of_archive = |piece: &&Piece| piece.file.starts_with(ARCHIVE);
    let (archive, beside): (Vec<&Piece>, Vec<&Piece>) = pieces.iter().partition(of_archive);
    for of_file in archive.chunk_by(|one, next| one.file == next.file) {
        let Some(first) = of_file.first() else { continue };
        let path = job.root().join(&first.file);
        // The new worker writes archive files with other names, so these are only read.
        if first.is_retired {
            retire(&path, of_file.iter().map(|piece| piece.published.bytes).sum())?;
        } else if of_file.len() == 1 {
            store.link(&first.published, &path, there)?;
        } else {
            join(store, of_file.iter().copied(), &path)?;
        }
    }
    match restore_beside_archive(store, job, checkpoint, &beside) {
        Ok(()) => Ok(BTreeSet::new()),
        // The job can be rebuilt only from a whole archive: one without files that were given up.
        Err(ClusterError::Damaged { key }) if !archive.is_empty() && !archive.iter().any(|piece| piece.is_retired) => {
            // A file of one piece was linked, and only its length was compared. The others were verified when joined.
            for of_file in archive.chunk_by(|one, next| one.file == next.file) {
                if let [linked] = of_file {
                    store.append(&linked.published, &mut io::sink())?;
                }
            }
            for piece in &beside {
                let _ = fs::remove_file(job.root().join(&piece.file));
            }
            tracing::warn!(
                partition,
                key,
                "partition {partition}: {key} in the store differs from what was committed. The rest of the job is \
                 rebuilt from its archive, so nothing is fetched twice"
            );
            // The archive is complete, as was checked above, so losses can be accepted: no other source has more.
            rebuild(&Job::open(folder, config.clone())?, Losses::Accepted)?;
            Ok(beside.into_iter().map(|piece| piece.file.clone()).collect())
        }
        Err(error) => Err(error),
    }
}

fn restore_beside_archive(
    store: &SegmentStore,
    job: &JobDir,
    checkpoint: Option<&Published>,
    pieces: &[&Piece],
) -> Result<(), ClusterError> {
    for of_file in pieces.chunk_by(|one, next| one.file == next.file) {
        let Some(first) = of_file.first() else { continue };
        join(store, of_file.iter().copied(), &job.root().join(&first.file))?;
    }
    let Some(checkpoint) = checkpoint else { return Ok(()) };
    let path = job.checkpoint();
    let mut file = File::create(&path).map_err(ClusterError::store(&path))?;
    store.append(checkpoint, &mut file)?;
    Ok(checkpoint::restore(job, &path)?)
}

/// Replaces a file of the archive by a stub (small file) that says that it was given up (deleted on purpose).
pub(crate) fn retire(path: &Path, bytes: u64) -> Result<(), ClusterError> {
    let stub = Stub { address: None, bytes, blake3: String::new() };
    stub.leave(path).map_err(ClusterError::store(path))
}

/// Removes files that no commit refers to: they were never committed, or a later commit dropped them. Only files of an
/// earlier claim (epoch) of the partition that were written before the given time are removed: they cannot be committed
/// any more. Returns their number. If an export runs meanwhile, it may fail with a missing piece, and can be repeated.
pub(crate) fn collect(
    store: &SegmentStore,
    (epoch, before): (i64, Timestamp),
    there: &Contents,
    checkpoint: Option<&Published>,
    pieces: &[Piece],
) -> usize {
    let of_files = pieces.iter().map(|piece| piece.published.key.as_str());
    let committed: BTreeSet<&str> = of_files.chain(checkpoint.map(|checkpoint| checkpoint.key.as_str())).collect();
    let is_over = |(key, found): &(&String, &UploadedFile)| {
        let of_key = key.split('/').nth(1).and_then(|part| part.strip_prefix('e')?.parse::<i64>().ok());
        of_key.is_some_and(|of_key| of_key < epoch) && found.written.is_none_or(|written| written <= before)
    };
    let over = there.iter().filter(is_over).map(|(key, _)| key);
    let left: Vec<&String> = over.filter(|key| !committed.contains(key.as_str())).collect();
    left.iter().for_each(|key| store.remove(key));
    left.len()
}

/// The folder of a partition's pieces in the store.
pub(crate) fn folder_of(partition: i32) -> String {
    format!("p{partition:03}")
}

/// Writes a file from its pieces.
pub(crate) fn join<'a>(
    store: &SegmentStore,
    pieces: impl IntoIterator<Item = &'a Piece>,
    path: &Path,
) -> Result<(), ClusterError> {
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

/// The files of a stopped job that are published besides its databases, with their lengths.
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

/// A profile as stored in the database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NewProfile {
    pub(crate) key: String,
    pub(crate) blake3: String,
    pub(crate) json: String,
}

/// The last versions of the profiles that a stopped job has learned, without those that were committed already. `known`
/// has the digests of the committed profiles, by profile key.
pub(crate) fn new_profiles(learned: Vec<(String, String)>, known: &BTreeMap<String, String>) -> Vec<NewProfile> {
    let with_digest = |(key, json): (String, String)| {
        let blake3 = blake3::hash(json.as_bytes()).to_hex().to_string();
        NewProfile { key, blake3, json }
    };
    let mut new: Vec<NewProfile> = learned.into_iter().map(with_digest).collect();
    new.retain(|profile| known.get(&profile.key) != Some(&profile.blake3));
    new
}

/// The known profiles of the domains where a configuration's portals start, as JSON.
pub(crate) async fn known_profiles(db: &Database, config: &Config) -> Result<Vec<String>, ClusterError> {
    let starts = config.portals.iter().flat_map(|portal| &portal.start);
    let domains: BTreeSet<String> =
        starts.flat_map(|url| [url.site(), url.domain()]).map(|name| name.as_str().to_owned()).collect();
    let domains: Vec<String> = domains.into_iter().collect();
    let statement = "SELECT DISTINCT ON (key) profile FROM profile WHERE key = ANY ($1) ORDER BY key, version DESC";
    let rows = db.query("reading profiles", statement, &[&domains]).await?;
    Ok(rows.iter().map(|row| row.get(0)).collect())
}

/// Copies the last versions of another crawl's profiles, for domains that have none here. Returns how many were copied.
///
/// # Errors
/// When one of the databases is unavailable, or the other one contains no crawl of this program.
pub async fn learn_from(db: &Database, other: &Database) -> Result<u64, ClusterError> {
    schema::check(other).await?;
    let statement = "SELECT DISTINCT ON (key) key, blake3, profile FROM profile ORDER BY key, version DESC";
    let rows = other.query("reading the other crawl's profiles", statement, &[]).await?;
    let column = |place: usize| rows.iter().map(|row| row.get(place)).collect::<Vec<String>>();
    let statement = "INSERT INTO profile (key, version, blake3, profile)
        SELECT more.key, 1, more.blake3, more.profile FROM unnest($1::text[], $2::text[], $3::text[])
            AS more (key, blake3, profile) ON CONFLICT DO NOTHING RETURNING key";
    let new = db.query("writing profiles", statement, &[&column(0), &column(1), &column(2)]).await?;
    Ok(new.len() as u64)
}
