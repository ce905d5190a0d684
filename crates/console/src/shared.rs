//! What all requests share: jobs, started processes, clock, guard.

use std::path::PathBuf;
use std::sync::Arc;

use goldminer_crawl::Clock;
use goldminer_crawl::api::guard::Guard;
use tokio::sync::Semaphore;

use crate::jobs::Jobs;
use crate::starts::Starts;

/// The maximum number of open pages that show live numbers. Further pages keep the numbers with which they were opened.
const WATCHERS: usize = 16;

/// The state of a console, which all requests share.
pub(super) struct ConsoleState {
    pub jobs: Arc<Jobs>,
    pub guard: Guard,
    pub starts: Starts,
    pub clock: Clock,
    /// Has a permit for each further page that may have live numbers.
    pub watchers: Arc<Semaphore>,
}

impl ConsoleState {
    /// The state of a console, for the job or the folder of jobs in `root`.
    pub(super) fn new(root: PathBuf, guard: Guard) -> Self {
        let clock = Clock::start();
        let jobs = Arc::new(Jobs::below(root, clock));
        let starts = Starts::into(jobs.folder().to_owned());
        Self { jobs, guard, starts, clock, watchers: Arc::new(Semaphore::new(WATCHERS)) }
    }
}
