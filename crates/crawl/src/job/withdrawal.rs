//! A page or a host taken out of a job for good: out of its archive, its databases, its corpus and whatever was made of
//! them in the job directory, and never asked for again.
//!
//! Databases and corpus are made anew first, without it; where the archive does not account for the rest of the corpus,
//! nothing is changed. Then the setting is written, so that nothing asks for it any more, the archive loses its records, and
//! what was made anew takes its place. Whatever interrupts this, the same call repeated does the rest. What was done is noted
//! in `withdrawn.jsonl`.

use std::fs::OpenOptions;
use std::io::Write;
use std::ops::Bound;

use goldminer_html::CrawlUrl;
use goldminer_warc as archive;
use jiff::Timestamp;
use serde::Serialize;

use super::JobError;
use super::history::traces;
use super::renewal::{DraftFile, Losses, Rebuilt};
use crate::frontier::Withdrawals;
use crate::store::frontier::{HostRow, RowKey};
use crate::{Clock, CrawlError, Job, Store, StoreError};

/// A withdrawal, as logged.
#[derive(Debug, Serialize)]
pub struct Withdrawal {
    /// When.
    pub at: Timestamp,
    /// The URL or the host.
    pub withdrawn: String,
    /// Records taken out of the archive: answers, and the requests that led to them.
    pub records: u64,
    /// Bytes of them.
    pub bytes: u64,
    /// Documents that the corpus has now.
    pub documents: u64,
    /// Damage in the archive that was met; what lies in it could not be told.
    pub faults: Vec<String>,
}

/// Takes `what`, a URL or the name of a host, out of a job.
///
/// # Errors
/// When the job knows nothing of it, its archive does not account for its other documents, or it can't be read or written;
/// the call is then repeated.
pub fn withdraw(job: &mut Job, what: &str, losses: Losses) -> Result<Withdrawal, CrawlError> {
    let now = Clock::start().now();
    let meant = Withdrawals::of(&[what.to_owned()]);
    if !job.config.withdrawn.iter().any(|known| known == what) {
        if !is_known(job, &meant)? {
            return Err(JobError::Unknown { path: job.dir.root().to_owned(), what: what.to_owned() }.into());
        }
        job.config.withdrawn.push(what.to_owned());
    }
    let draft = DraftFile::make(job, losses)?;
    job.config.write(job.dir.root())?;
    let taken = archive::withdraw(&job.dir.archive(), |url| meant.hold(url), now)?;
    let Rebuilt { documents, aside, faults, .. } = draft.take_place(job)?;
    traces::remove(&job.dir, what, &meant, &aside)?;
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

/// Whether the job has met what is meant: in its database, or in its archive where that is lost or knows nothing.
fn is_known(job: &Job, meant: &Withdrawals) -> Result<bool, CrawlError> {
    if let Ok(store) = Store::open(&job.dir.frontier()) {
        let tables = store.frontier();
        let has_row = |url: &CrawlUrl| tables.urls.get(&RowKey::of(url).0).is_ok_and(|row| row.is_some());
        let is_of_host = |host: Result<HostRow, StoreError>| host.is_ok_and(|host| meant.hold_host(host.host.as_str()));
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
