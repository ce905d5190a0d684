//! What every request sees.

use std::path::PathBuf;
use std::sync::Arc;

use axum::extract::FromRef;

use super::guard::Guard;
use super::jobs::Jobs;
use super::starts::Starts;
use crate::engine::Clock;

/// What every request sees.
pub(super) struct Shared {
    pub jobs: Jobs,
    pub guard: Guard,
    pub starts: Starts,
    pub clock: Clock,
}

impl Shared {
    /// Of a console at this port, for the job or the folder of jobs in `root`.
    pub(super) fn new(root: PathBuf, port: u16) -> Self {
        let jobs = Jobs::below(root);
        let starts = Starts::into(jobs.folder().to_owned());
        Self { jobs, guard: Guard::new(port), starts, clock: Clock::start() }
    }
}

impl FromRef<Arc<Shared>> for Guard {
    fn from_ref(shared: &Arc<Shared>) -> Self {
        shared.guard.clone()
    }
}
