//! What the console wants of a job. A running crawl is asked; into a job that lies still a process of its own goes, this program's
//! hidden verb `worker`: the memory of its databases, a hundred megabytes and more of a large crawl, goes with it.

use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::{Command as Process, Stdio};

use anyhow::{Context, bail};
use goldminer_core::goldminer::profile::DomainProfile;
use goldminer_crawl::api::admin::Command;
use goldminer_crawl::api::client::Busy;
use goldminer_crawl::api::query::Query;
use goldminer_crawl::api::{client as job_client, control};
use goldminer_crawl::job::JobDir;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};

use crate::texts;

/// What is wanted.
#[derive(Serialize, Deserialize)]
enum WorkerRequest {
    Ask(Query),
    Execute(Vec<Command>),
    /// A profile as the version after this one.
    Save(Box<DomainProfile>, u32),
}

/// What came of it.
#[derive(Serialize, Deserialize)]
enum Brought {
    Answer(Box<RawValue>),
    Busy(Busy),
    Failed(String),
}

/// Asks about the job in `dir`.
///
/// # Errors
/// As [`job_client::ask`].
pub(super) fn ask<T: DeserializeOwned>(dir: &Path, query: &Query) -> anyhow::Result<T> {
    match control::ask(&JobDir::new(dir), query) {
        Ok(Some(answer)) => Ok(serde_json::from_str(answer.get())?),
        _ => send(dir, &WorkerRequest::Ask(query.clone())),
    }
}

/// Gives commands to the job in `dir`; what was done, a line each.
///
/// # Errors
/// As [`job_client::execute_each`].
pub(super) fn execute(dir: &Path, commands: &[Command]) -> anyhow::Result<Vec<String>> {
    send(dir, &WorkerRequest::Execute(commands.to_vec()))
}

/// Saves a profile in the job in `dir`; its number.
///
/// # Errors
/// As [`job_client::save`].
pub(super) fn save(dir: &Path, profile: &DomainProfile, expected: u32) -> anyhow::Result<u32> {
    send(dir, &WorkerRequest::Save(Box::new(profile.clone()), expected))
}

fn send<T: DeserializeOwned>(dir: &Path, request: &WorkerRequest) -> anyhow::Result<T> {
    let mut process = program()?;
    process.arg("worker").arg(dir).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = process.spawn().context(texts::NO_PROGRAM)?;
    if let Some(mut wanted) = child.stdin.take() {
        // If it does not listen, its end tells.
        let _ = wanted.write_all(&serde_json::to_vec(request)?);
    }
    let mut brought = String::new();
    if let Some(mut answer) = child.stdout.take() {
        answer.read_to_string(&mut brought)?;
    }
    child.wait()?;
    match serde_json::from_str(&brought) {
        Ok(Brought::Answer(answer)) => Ok(serde_json::from_str(answer.get())?),
        Ok(Brought::Busy(busy)) => Err(busy.into()),
        Ok(Brought::Failed(why)) => bail!(why),
        Err(_) => bail!(texts::NO_ANSWER),
    }
}

/// Runs the request that is told on standard input for the job in `dir`; what is to be printed.
///
/// # Errors
/// When nothing can be read there, or it is no request.
pub fn run(dir: &Path) -> anyhow::Result<String> {
    let request: WorkerRequest = serde_json::from_reader(std::io::stdin().lock())?;
    let answer = match request {
        WorkerRequest::Ask(query) => job_client::ask(dir, &query),
        WorkerRequest::Execute(commands) => {
            job_client::execute_each(dir, &commands).and_then(|done| Ok(to_raw_value(&done)?))
        }
        WorkerRequest::Save(profile, expected) => {
            job_client::save(dir, &profile, expected).and_then(|saved| Ok(to_raw_value(&saved)?))
        }
    };
    let brought = match answer {
        Ok(answer) => Brought::Answer(answer),
        Err(error) => match error.downcast::<Busy>() {
            Ok(busy) => Brought::Busy(busy),
            Err(error) => Brought::Failed(format!("{error:#}")),
        },
    };
    Ok(serde_json::to_string(&brought)?)
}

/// This program, for another process of it. In the Python package that is Python with the package.
pub(super) fn program() -> anyhow::Result<Process> {
    let itself = std::env::current_exe().context(texts::NO_PROGRAM)?;
    let is_python = itself.file_stem().is_some_and(|stem| stem.to_string_lossy().starts_with("python"));
    let mut process = Process::new(itself);
    if is_python {
        process.args(["-m", "goldminer"]);
    }
    Ok(process)
}
