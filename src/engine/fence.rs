//! Until when a process may ask the web. A process whose jobs another machine may take over holds a lease on them; a web
//! server cannot check a token, so requests are fenced by time: none leaves later than the lease surely lasts.
//!
//! The time is that since the machine's start, which no clock that is set changes and which runs on while the machine
//! sleeps or the process is stopped. Without a lease there is no fence.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// Says whether a request may leave.
#[derive(Debug)]
pub struct Fence {
    /// Milliseconds since the machine's start.
    closes: AtomicU64,
    /// What is in flight when it closes may take so much longer.
    grace: Duration,
}

impl Fence {
    /// A fence that is closed; once it has closed again, what is in flight is cut off after `grace`.
    #[must_use]
    pub fn closed(grace: Duration) -> Self {
        Self { closes: AtomicU64::new(0), grace }
    }

    /// Opens it until a time since the machine's start ([`since_start`]).
    pub fn open_until(&self, closes: Duration) {
        self.closes.store(millis(closes), Ordering::Release);
    }

    /// Closes it now.
    pub fn close(&self) {
        self.closes.store(0, Ordering::Release);
    }

    /// Whether a request may leave now.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.is_open_at(since_start())
    }

    /// How long a request that leaves now may take.
    #[must_use]
    pub fn patience(&self) -> Duration {
        let closes = Duration::from_millis(self.closes.load(Ordering::Acquire));
        (closes + self.grace).saturating_sub(since_start())
    }

    fn is_open_at(&self, now: Duration) -> bool {
        millis(now) < self.closes.load(Ordering::Acquire)
    }
}

/// The time since the machine's start, time in suspend included where the system counts it.
#[must_use]
pub fn since_start() -> Duration {
    #[cfg(any(target_os = "linux", target_os = "android"))]
    let clock = ClockId::Boottime;
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    let clock = ClockId::Monotonic;
    Duration::try_from(clock_gettime(clock)).unwrap_or_default()
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_closed_until_a_lease_opens_it_and_closes_by_itself() {
        let fence = Fence::closed(Duration::from_secs(5));
        assert!(!fence.is_open(), "before the first heartbeat");
        let now = since_start();
        fence.open_until(now + Duration::from_secs(60));
        assert!(fence.is_open() && fence.patience() > Duration::from_secs(60));
        assert!(fence.is_open_at(now + Duration::from_secs(59)));
        assert!(!fence.is_open_at(now + Duration::from_secs(60)), "nobody said anything for a minute");
        fence.close();
        assert!(!fence.is_open() && fence.patience().is_zero());
    }
}
