//! How commands look at a job without changing it: they ask the crawl that runs there, or open the job themselves.

use std::path::Path;

use anyhow::bail;
use serde::de::DeserializeOwned;

use crate::config::Config;
use crate::engine::job::{JobDir, JobError};
use crate::engine::{Ask, Desk, control};

/// Asks about the job in `dir`.
///
/// # Errors
/// When it is no job, can't be read, or the question has no answer.
pub fn ask<T: DeserializeOwned>(dir: &Path, question: &Ask) -> anyhow::Result<T> {
    let job = JobDir::existing(dir)?;
    let answer = match job.lock() {
        Ok(lock) => {
            let config = Config::of_job(dir)?.unwrap_or_default();
            let answer = Desk::still(&job, &config)?.answer(question)?;
            drop(lock);
            answer
        }
        Err(JobError::Locked { holder, .. }) => match control::ask(&job, question) {
            Ok(Some(answer)) => answer,
            Ok(None) => bail!(
                "{} is in use by {holder}, which does not answer; it may be starting or ending: try again in a moment",
                dir.display()
            ),
            Err(why) => bail!("{why}"),
        },
        Err(other) => return Err(other.into()),
    };
    Ok(serde_json::from_value(answer)?)
}
