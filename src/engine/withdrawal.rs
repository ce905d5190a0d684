//! A page or a host taken out of a job for good: out of its archive, its databases and its corpus, and never asked for again.
//!
//! The setting is written first, so that nothing asks for it from then on; then the archive loses its records, and all else
//! is made anew from what is left. Whatever interrupts this, the same call repeated does the rest. What was done is noted in
//! `withdrawn.jsonl`.

use std::fs::{self, OpenOptions};
use std::io::Write;

use jiff::Timestamp;
use serde::Serialize;

use super::clock::Clock;
use super::job::JobError;
use super::rebuild::{Rebuilt, rebuild};
use super::{EngineError, Job};
use crate::archive;
use crate::frontier::Withdrawals;

/// What a withdrawal did, as the log has it.
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
/// When the job can't be read or written; the call is then repeated.
pub fn withdraw(job: &mut Job, what: &str) -> Result<Withdrawal, EngineError> {
    let now = Clock::start().now();
    if !job.config.withdrawn.iter().any(|known| known == what) {
        job.config.withdrawn.push(what.to_owned());
        job.config.write(job.dir.root())?;
    }
    let meant = Withdrawals::of(&[what.to_owned()]);
    let taken = archive::withdraw(&job.dir.archive(), |url| meant.hold(url), now)?;
    let Rebuilt { documents, aside, faults, .. } = rebuild(job)?;
    // The old databases still know it.
    for path in &aside {
        fs::remove_dir_all(path).map_err(|cause| JobError::Unwritable { path: path.clone(), cause })?;
    }
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

fn note(job: &Job, done: &Withdrawal) -> Result<(), EngineError> {
    let path = job.dir.root().join("withdrawn.jsonl");
    let line = serde_json::to_string(done).map_err(|e| EngineError::Defect(e.to_string()))?;
    let write = || {
        let mut log = OpenOptions::new().append(true).create(true).open(&path)?;
        writeln!(log, "{line}")?;
        log.sync_all()
    };
    Ok(write().map_err(|cause| JobError::Unwritable { path: path.clone(), cause })?)
}
