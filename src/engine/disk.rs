//! Free space: a crawl stops in time, not when the disk is full.

use std::path::PathBuf;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// How often the system is asked.
const INTERVAL: Duration = Duration::from_secs(5);

/// Watches the disk that a folder lies on.
#[derive(Debug)]
pub(super) struct DiskGuard {
    folder: PathBuf,
    reserve_bytes: u64,
    last: Mutex<Option<(Instant, u64)>>,
}

impl Clone for DiskGuard {
    fn clone(&self) -> Self {
        Self::new(self.folder.clone(), self.reserve_bytes)
    }
}

impl DiskGuard {
    /// So many bytes must stay free on the disk of `folder`, or a hundredth of it where that is less.
    pub(super) fn new(folder: PathBuf, reserve_bytes: u64) -> Self {
        let hundredth = fs4::total_space(&folder).map_or(u64::MAX, |bytes| bytes / 100);
        let reserve_bytes = reserve_bytes.min(hundredth);
        Self { folder, reserve_bytes, last: Mutex::new(None) }
    }

    /// The free bytes, if they are fewer than they must be.
    pub(super) fn is_short(&self) -> Option<u64> {
        let mut last = self.last.lock().ok()?;
        let free = match *last {
            Some((when, free)) if when.elapsed() < INTERVAL => free,
            _ => {
                // A disk that cannot be asked will speak for itself when it is written.
                let free = fs4::available_space(&self.folder).unwrap_or(u64::MAX);
                *last = Some((Instant::now(), free));
                free
            }
        };
        (free < self.reserve_bytes).then_some(free)
    }
}
