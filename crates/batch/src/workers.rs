//! Units of work done side by side, each by a thread that may wait for the disk; the first error ends all.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use goldminer_crawl::run::CrawlError;

/// Does units in their order, `threads` of them at a time. They are no threads of rayon's: who waits in one of those for
/// its turn could be handed another unit that waits for the same turn.
pub(super) fn side_by_side<U: Send>(
    units: Vec<U>,
    threads: usize,
    work: impl Fn(U) -> Result<(), CrawlError> + Sync,
) -> Result<(), CrawlError> {
    let threads = units.len().min(threads);
    let queue = Mutex::new(VecDeque::from(units));
    let is_over = AtomicBool::new(false);
    let worker = || {
        while !is_over.load(Ordering::Relaxed) {
            let unit = queue.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
            let Some(unit) = unit else { break };
            if let Err(error) = work(unit) {
                is_over.store(true, Ordering::Relaxed);
                return Err(error);
            }
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let running: Vec<_> = (0..threads).map(|_| scope.spawn(worker)).collect();
        let ended = running.into_iter().map(|worker| {
            worker.join().unwrap_or_else(|_| Err(CrawlError::Defect("a unit of the extraction panicked".to_owned())))
        });
        ended.collect::<Vec<_>>().into_iter().collect()
    })
}
