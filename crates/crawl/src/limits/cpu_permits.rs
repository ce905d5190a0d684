//! What a process computes at a time, whatever number of jobs it runs side by side: pages are read on as many threads as it
//! has cores, and one domain's text is extracted at a time (its pages on all cores). More at once would be no quicker, and
//! each holds pages, or a domain's sample, in memory.

use std::num::NonZeroUsize;
use std::sync::{Mutex, MutexGuard};

use goldminer_fetch::share::lock;
use tokio::sync::{Semaphore, SemaphorePermit};

/// The cores of this process, shared out by turns.
#[derive(Debug)]
pub struct CpuPermits {
    readers: Semaphore,
    extraction: Mutex<()>,
}

impl Default for CpuPermits {
    /// As many as the machine has.
    fn default() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        Self { readers: Semaphore::new(cores), extraction: Mutex::default() }
    }
}

impl CpuPermits {
    /// A turn to read a page that came.
    pub(crate) async fn reader(&self) -> Option<SemaphorePermit<'_>> {
        // Nobody closes it.
        self.readers.acquire().await.ok()
    }

    /// A turn to extract a domain's text; blocks.
    pub(crate) fn extraction(&self) -> MutexGuard<'_, ()> {
        lock(&self.extraction)
    }
}
