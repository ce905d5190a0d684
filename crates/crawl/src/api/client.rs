//! How commands reach a job: they ask or tell the crawl that runs there, or open the job themselves.

use std::path::{Path, PathBuf};

use anyhow::bail;
use goldminer_core::goldminer::profile::DomainProfile;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::admin::Command;
use super::control;
use super::query::{JobService, Query};
use crate::config::Config;
use crate::job::at_rest::AtRest;
use crate::job::url_list::{Portion, Which};
use crate::job::{JobDir, JobError};
use crate::limits::clock::Clock;

/// A process works on the job and does not answer.
#[derive(Debug, thiserror::Error, Serialize, Deserialize)]
#[error("{} is in use by {holder}, which does not answer; it may be starting or ending: try again in a moment", dir.display())]
pub struct Busy {
    dir: PathBuf,
    holder: String,
}

/// Asks about the job in `dir`.
///
/// # Errors
/// When it is no job, can't be read, or the question has no answer.
pub fn ask<T: DeserializeOwned>(dir: &Path, query: &Query) -> anyhow::Result<T> {
    let answer =
        reach(dir, |service| Ok(service.answer(query)?), |job| control::ask(job, query).map_err(anyhow::Error::msg))?;
    Ok(serde_json::from_str(answer.get())?)
}

/// Asks for the URLs of the job in `dir` that stand somewhere, and gives them to `take` in portions.
///
/// # Errors
/// When it is no job, can't be read, or `take` fails.
pub fn urls(dir: &Path, which: Which, mut take: impl FnMut(Portion) -> anyhow::Result<()>) -> anyhow::Result<()> {
    let mut all = |ask: &dyn Fn(&Query) -> anyhow::Result<Option<Box<RawValue>>>| -> anyhow::Result<Option<()>> {
        let mut after = None;
        loop {
            let Some(answer) = ask(&Query::Urls { which, after })? else { return Ok(None) };
            let portion: Portion = serde_json::from_str(answer.get())?;
            after = portion.next.clone();
            take(portion)?;
            if after.is_none() {
                return Ok(Some(()));
            }
        }
    };
    // One of the two is called.
    let all = std::cell::RefCell::new(&mut all);
    reach(
        dir,
        |service| (*all.borrow_mut())(&|query| Ok(Some(service.answer(query)?))).map(|_| ()),
        |job| (*all.borrow_mut())(&|query| control::ask(job, query).map_err(anyhow::Error::msg)),
    )
}

/// Gives a command to the job in `dir`; what was done, a line each.
///
/// # Errors
/// When it is no job, can't be opened, or the command makes no sense.
pub fn execute(dir: &Path, command: &Command) -> anyhow::Result<Vec<String>> {
    execute_each(dir, std::slice::from_ref(command))
}

/// Gives commands to the job in `dir`, one after the other; what was done, a line each.
///
/// # Errors
/// As [`execute`]; those before the one that failed are done, and the error names what they did.
pub fn execute_each(dir: &Path, commands: &[Command]) -> anyhow::Result<Vec<String>> {
    // Whoever may not write there gives no admin.
    if let Err(unwritable @ JobError::Unwritable { .. }) = JobDir::existing(dir)?.lock() {
        return Err(unwritable.into());
    }
    reach(
        dir,
        |service| each(commands, |command| Ok(Some(service.execute(command)?))).map(Option::unwrap_or_default),
        |job| each(commands, |command| control::execute(job, command).map_err(anyhow::Error::msg)),
    )
}

fn each(
    commands: &[Command],
    mut execute: impl FnMut(&Command) -> anyhow::Result<Option<Vec<String>>>,
) -> anyhow::Result<Option<Vec<String>>> {
    let mut done = Vec::new();
    for command in commands {
        match execute(command) {
            Ok(Some(lines)) => done.extend(lines),
            Ok(None) if done.is_empty() => return Ok(None),
            Ok(None) => bail!("{}; then the crawl ended", done.join("; ")),
            Err(error) if done.is_empty() => return Err(error),
            Err(error) => return Err(error.context(format!("{}; then it failed", done.join("; ")))),
        }
    }
    Ok(Some(done))
}

/// Saves what a person made of a profile's version in the job in `dir` as the next one; its number.
///
/// # Errors
/// When another version was saved meanwhile, it is no job, or it can't be written.
pub fn save(dir: &Path, profile: &DomainProfile, expected: u32) -> anyhow::Result<u32> {
    if let Err(unwritable @ JobError::Unwritable { .. }) = JobDir::existing(dir)?.lock() {
        return Err(unwritable.into());
    }
    reach(
        dir,
        |service| Ok(service.save(profile, expected)?),
        |job| control::save(job, profile, expected).map_err(anyhow::Error::msg),
    )
}

fn reach<T>(
    dir: &Path,
    still: impl FnOnce(&JobService) -> anyhow::Result<T>,
    running: impl FnOnce(&JobDir) -> anyhow::Result<Option<T>>,
) -> anyhow::Result<T> {
    let job = JobDir::existing(dir)?;
    match AtRest::of(&job) {
        Ok(at_rest) => {
            job.refuse_lost_database()?;
            let config = Config::of_job(dir)?.unwrap_or_default();
            still(&JobService::still(&job, &at_rest, &config, Clock::of_job(job.root()))?)
        }
        Err(JobError::Locked { holder, .. }) => match running(&job)? {
            Some(answer) => Ok(answer),
            None => Err(Busy { dir: dir.to_owned(), holder }.into()),
        },
        Err(other) => Err(other.into()),
    }
}
