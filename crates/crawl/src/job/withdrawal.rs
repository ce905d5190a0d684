//! Permanently removes a page or a host from a job: from its archive, its databases, its corpus, and the files made
//! from them in the job directory. The page or host is never requested again.
//!
//! 1. If other pages repeat a removed body, this body is stored again for them.
//! 2. The databases and the corpus are rebuilt without the page or host. If other documents would be lost, because the
//!    archive lacks their pages, the removal ends here unless the caller accepts losses.
//! 3. The configuration is saved, so that nothing of the page or host is requested again.
//! 4. Its records are removed from the archive, and the rebuilt parts replace the old ones.
//!
//! After an interruption, the same call completes the rest. The removal is logged in `withdrawn.jsonl`.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::ops::Bound;
use std::path::{Path, PathBuf};

use goldminer_html::CrawlUrl;
use goldminer_warc as archive;
use goldminer_warc::durable;
use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;
use walkdir::{DirEntry, WalkDir};

use super::renewal::{Losses, Rebuilt, RebuiltParts};
use super::replacement::remove_file;
use super::settings::{ARCHIVE_PREFIX, warc_info};
use crate::frontier::Withdrawals;
use crate::store::frontier::{HostRow, RowKey};
use crate::{Clock, CrawlError, Job, JobDir, JobError, Store, StoreError};

/// A removal, as logged.
#[derive(Debug, Serialize)]
pub struct Withdrawal {
    /// When the URL or host was removed.
    pub at: Timestamp,
    /// The URL or host that was removed.
    pub withdrawn: String,
    /// Number of records that were removed from the archive: responses and their requests.
    pub records: u64,
    /// The size of these records in bytes.
    pub bytes: u64,
    /// Number of documents in the corpus afterwards.
    pub documents: u64,
    /// Damaged parts of the archive, whose contents are unknown.
    pub faults: Vec<String>,
}

/// Removes `what`, a URL or the name of a host, from a job.
///
/// # Errors
/// When the job does not know `what`, other documents would be lost, or the job cannot be read or written. In the last
/// case, repeat the call.
pub fn withdraw(job: &mut Job, what: &str, losses: Losses) -> Result<Withdrawal, CrawlError> {
    let now = Clock::start().now();
    let meant = Withdrawals::of(&[what.to_owned()]);
    if !job.config.withdrawn.iter().any(|known| known == what) {
        if !is_known(job, &meant)? {
            return Err(JobError::Unknown { path: job.dir.root().to_owned(), what: what.to_owned() }.into());
        }
        job.config.withdrawn.push(what.to_owned());
    }
    let (archive, info) = (job.dir.archive(), warc_info(&job.config));
    archive::keep_repeated(&archive, |url| meant.hold(url), || archive::Writer::open(&archive, ARCHIVE_PREFIX, info))?;
    let draft = RebuiltParts::make(job, losses)?;
    job.config.write(job.dir.root())?;
    let taken = archive::withdraw(&archive, |url| meant.hold(url), now)?;
    let Rebuilt { documents, aside, faults, .. } = draft.take_place(job)?;
    remove_traces(&job.dir, what, &aside)?;
    let done = Withdrawal {
        at: now,
        withdrawn: what.to_owned(),
        records: taken.records,
        bytes: taken.bytes,
        documents,
        faults: taken.faults.iter().map(ToString::to_string).chain(faults).collect(),
    };
    note(job, &done)?;
    Ok(done)
}

/// Whether the database or else the archive has a URL or host that is to be removed.
fn is_known(job: &Job, meant: &Withdrawals) -> Result<bool, CrawlError> {
    if let Ok(store) = Store::open(&job.dir.frontier()) {
        let tables = store.frontier();
        let has_row = |url: &CrawlUrl| tables.urls.get(&RowKey::of(url).0).is_ok_and(|row| row.is_some());
        let is_of_host =
            |host: Result<HostRow, StoreError>| host.is_ok_and(|host| meant.hold_host(host.host.root().host_name()));
        let hosts = || tables.hosts.scan(&[], Bound::Unbounded).map(|entry| Ok(entry?.1));
        if meant.urls().any(|url| has_row(&url)) || hosts().any(is_of_host) {
            return Ok(true);
        }
    }
    Ok(archive::holds(&job.dir.archive(), |url| meant.hold(url))?)
}

fn note(job: &Job, done: &Withdrawal) -> Result<(), CrawlError> {
    let path = job.dir.root().join("withdrawn.jsonl");
    let line = serde_json::to_string(done).map_err(|e| CrawlError::Defect(e.to_string()))?;
    let write = || {
        let mut log = OpenOptions::new().append(true).create(true).open(&path)?;
        writeln!(log, "{line}")?;
        log.sync_all()
    };
    Ok(write().map_err(|cause| JobError::Unwritable { path: path.clone(), cause })?)
}

/// Removes the other files and lines of the job directory that mention a page or host: reports, the checkpoint,
/// lines of logs, and entries of `outcome.json` and `suspects.json`. `what` is the URL or host as typed. `aside` are
/// old databases, which still contain it and are deleted.
fn remove_traces(job: &JobDir, what: &str, aside: &[PathBuf]) -> Result<(), CrawlError> {
    each(aside.to_vec(), |path| fs::remove_dir_all(path))?;
    // Reports can be made again by their command. A checkpoint is written again at the end of the next run.
    each(files(&job.reports()).into_iter().chain([job.checkpoint()]), remove_file)?;
    each(files(&job.log()), |path| keep_lines_without(path, what))?;
    each([job.outcome(), job.suspects()], |path| keep_items_without(path, what))
}

fn each(paths: impl IntoIterator<Item = PathBuf>, change: impl Fn(&Path) -> io::Result<()>) -> Result<(), CrawlError> {
    let changed = |path: PathBuf| change(&path).map_err(|cause| JobError::Unwritable { path, cause });
    Ok(paths.into_iter().try_for_each(changed)?)
}

fn keep_lines_without(path: &Path, what: &str) -> io::Result<()> {
    let text = fs::read(path)?;
    let lines = text.split_inclusive(|byte| *byte == b'\n');
    let kept: Vec<&[u8]> = lines.filter(|line| memchr::memmem::find(line, what.as_bytes()).is_none()).collect();
    let kept = kept.concat();
    if kept.len() == text.len() { Ok(()) } else { durable::write(path, kept) }
}

/// Removes the items that name the URL or host from a JSON file that is a list or contains lists.
fn keep_items_without(path: &Path, what: &str) -> io::Result<()> {
    let Ok(text) = fs::read(path) else { return Ok(()) };
    let Ok(mut value) = serde_json::from_slice::<Value>(&text) else { return remove_file(path) };
    let keep = |list: &mut Vec<Value>| list.retain(|item| !item.to_string().contains(what));
    match &mut value {
        Value::Array(list) => keep(list),
        Value::Object(fields) => fields.values_mut().filter_map(Value::as_array_mut).for_each(keep),
        _ => {}
    }
    durable::write(path, serde_json::to_vec_pretty(&value)?)
}

/// The files in a folder and its subfolders; empty if the folder does not exist.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = WalkDir::new(folder).into_iter().flatten().filter(|entry| !entry.file_type().is_dir());
    entries.map(DirEntry::into_path).collect()
}
