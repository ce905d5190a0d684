//! Watches the free space on a job's disk. A crawl pauses before the disk is full, continues when there is space
//! again, and ends cleanly if there is none for a long time.

use std::path::PathBuf;
use std::time::{Duration, Instant};

/// The interval between two checks.
const INTERVAL: Duration = Duration::from_secs(5);

/// Watches the disk of a folder.
#[derive(Debug)]
pub(crate) struct DiskGuard {
    folder: PathBuf,
    reserve_bytes: u64,
    patience: Duration,
    asked: Option<Instant>,
    /// When space became short, and how many bytes are free.
    shortage: Option<(Instant, u64)>,
}

/// The state of the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DiskState {
    /// There is enough space.
    Ample,
    /// Too few bytes are free: send no requests until there are more.
    Short(u64),
    /// Space was short for too long, with this many bytes free: end the crawl.
    Exhausted(u64),
}

impl DiskGuard {
    /// Keeps `reserve_bytes` free on the disk of `folder`. The crawl ends when space was short for `patience`.
    pub(crate) fn new(folder: PathBuf, reserve_bytes: u64, patience: Duration) -> Self {
        Self { folder, reserve_bytes, patience, asked: None, shortage: None }
    }

    /// Whether space was short at the last check.
    pub(crate) fn is_short(&self) -> bool {
        self.shortage.is_some()
    }

    /// Checks the disk from time to time. Changes are logged.
    pub(crate) fn check(&mut self, now: Instant) -> DiskState {
        if self.asked.is_none_or(|asked| now.duration_since(asked) >= INTERVAL) {
            self.asked = Some(now);
            // If the disk cannot be queried, errors will show when it is written to.
            let free = fs4::available_space(&self.folder).unwrap_or(u64::MAX);
            self.note(free, now);
        }
        self.space(now)
    }

    fn note(&mut self, free_bytes: u64, now: Instant) {
        let (free, reserve) = (free_bytes / 1_000_000, self.reserve_bytes / 1_000_000);
        match (self.shortage, free_bytes < self.reserve_bytes) {
            (None, true) => {
                tracing::warn!(
                    "only {free} MB are free on the job's disk, less than the {reserve} MB that must stay free: the \
                     crawl pauses. It continues when enough space is free, and stops if too little is free after {} seconds",
                    self.patience.as_secs()
                );
                self.shortage = Some((now, free_bytes));
            }
            (Some((since, _)), true) => self.shortage = Some((since, free_bytes)),
            (Some(_), false) => {
                tracing::info!("{free} MB are free on the job's disk again: the crawl continues");
                self.shortage = None;
            }
            (None, false) => {}
        }
    }

    fn space(&self, now: Instant) -> DiskState {
        match self.shortage {
            None => DiskState::Ample,
            Some((since, free)) if now.duration_since(since) >= self.patience => DiskState::Exhausted(free),
            Some((_, free)) => DiskState::Short(free),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_first_pauses_and_then_ends_the_crawl() {
        let patience = Duration::from_secs(300);
        let start = Instant::now();
        let at = |second| start + Duration::from_secs(second);
        let mut disk = DiskGuard::new(PathBuf::new(), 1_000, patience);
        disk.note(999, at(0));
        assert_eq!(disk.space(at(0)), DiskState::Short(999));
        disk.note(500, at(200));
        assert_eq!(disk.space(at(299)), DiskState::Short(500));
        disk.note(1_000, at(299));
        assert_eq!(disk.space(at(300)), DiskState::Ample, "there was room in time");
        disk.note(10, at(400));
        assert_eq!(disk.space(at(699)), DiskState::Short(10), "the five minutes begin anew");
        assert_eq!(disk.space(at(700)), DiskState::Exhausted(10));
    }
}
