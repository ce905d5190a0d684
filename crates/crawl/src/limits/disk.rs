//! Free space: a crawl pauses in time, not when the disk is full; it goes on when there is room again, and ends cleanly
//! when there is none for long.

use std::path::PathBuf;
use std::time::{Duration, Instant};

/// How often the system is asked.
const INTERVAL: Duration = Duration::from_secs(5);

/// Watches the disk that a folder lies on.
#[derive(Debug)]
pub(crate) struct DiskGuard {
    folder: PathBuf,
    reserve_bytes: u64,
    patience: Duration,
    asked: Option<Instant>,
    shortage: Shortage,
}

/// What to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Space {
    /// Go on.
    Ample,
    /// Ask for nothing more until there is room. The bytes that are free.
    Short(u64),
    /// It was short for too long: end.
    Exhausted(u64),
}

impl DiskGuard {
    /// So many bytes must stay free on the disk of `folder`; it may be short for so long before the crawl ends.
    pub(crate) fn new(folder: PathBuf, reserve_bytes: u64, patience: Duration) -> Self {
        Self { folder, reserve_bytes, patience, asked: None, shortage: Shortage::default() }
    }

    /// Whether it was short at the last look.
    pub(crate) fn is_short(&self) -> bool {
        self.shortage.0.is_some()
    }

    /// Looks, from time to time. Changes are said in the log.
    pub(crate) fn look(&mut self, now: Instant) -> Space {
        if self.asked.is_none_or(|asked| now.duration_since(asked) >= INTERVAL) {
            self.asked = Some(now);
            // A disk that cannot be asked will speak for itself when it is written.
            let free = fs4::available_space(&self.folder).unwrap_or(u64::MAX);
            self.shortage.note(free, self.reserve_bytes, self.patience, now);
        }
        self.shortage.space(self.patience, now)
    }
}

/// Since when the disk is short, and of what is left.
#[derive(Debug, Default)]
struct Shortage(Option<(Instant, u64)>);

impl Shortage {
    fn note(&mut self, free_bytes: u64, reserve_bytes: u64, patience: Duration, now: Instant) {
        let (free, reserve) = (free_bytes / 1_000_000, reserve_bytes / 1_000_000);
        match (self.0, free_bytes < reserve_bytes) {
            (None, true) => {
                tracing::warn!(
                    "only {free} MB are free on the job's disk, fewer than the {reserve} MB that must stay: the crawl \
                     pauses. It goes on when there is room, and ends after {} seconds without",
                    patience.as_secs()
                );
                self.0 = Some((now, free_bytes));
            }
            (Some((since, _)), true) => self.0 = Some((since, free_bytes)),
            (Some(_), false) => {
                tracing::info!("{free} MB are free on the job's disk again: the crawl goes on");
                self.0 = None;
            }
            (None, false) => {}
        }
    }

    fn space(&self, patience: Duration, now: Instant) -> Space {
        match self.0 {
            None => Space::Ample,
            Some((since, free)) if now.duration_since(since) >= patience => Space::Exhausted(free),
            Some((_, free)) => Space::Short(free),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_disk_pauses_the_crawl_and_ends_it_after_a_while_unless_room_is_made() {
        let patience = Duration::from_secs(300);
        let start = Instant::now();
        let at = |second| start + Duration::from_secs(second);
        let mut shortage = Shortage::default();
        shortage.note(999, 1_000, patience, at(0));
        assert_eq!(shortage.space(patience, at(0)), Space::Short(999));
        shortage.note(500, 1_000, patience, at(200));
        assert_eq!(shortage.space(patience, at(299)), Space::Short(500));
        shortage.note(1_000, 1_000, patience, at(299));
        assert_eq!(shortage.space(patience, at(300)), Space::Ample, "there was room in time");
        shortage.note(10, 1_000, patience, at(400));
        assert_eq!(shortage.space(patience, at(699)), Space::Short(10), "the five minutes begin anew");
        assert_eq!(shortage.space(patience, at(700)), Space::Exhausted(10));
    }
}
