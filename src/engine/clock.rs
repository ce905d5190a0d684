//! The engine's clock: wall time that never jumps while the process runs.
//!
//! It is read once at the start; from then on the monotonic clock carries it. So politeness, which is arithmetic over
//! `now`, is safe from clocks that are set back or forth. The only place that asks the system for the time.

use std::time::Instant;

use jiff::Timestamp;

/// Wall time at the start plus monotonic time since.
#[derive(Debug, Clone, Copy)]
pub struct Clock {
    wall: Timestamp,
    start: Instant,
}

impl Clock {
    /// Reads the system's clock.
    #[must_use]
    #[allow(clippy::disallowed_methods)]
    pub fn start() -> Self {
        Self { wall: Timestamp::now(), start: Instant::now() }
    }

    /// A clock that shows this time now, whatever the system's shows.
    #[must_use]
    pub fn showing(wall: Timestamp) -> Self {
        Self { wall, ..Self::start() }
    }

    /// Now.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        let elapsed = jiff::SignedDuration::try_from(self.start.elapsed()).unwrap_or(jiff::SignedDuration::MAX);
        self.wall.saturating_add(elapsed).unwrap_or(Timestamp::MAX)
    }

    /// How long the process has been running.
    #[must_use]
    pub fn uptime(&self) -> std::time::Duration {
        self.start.elapsed()
    }
}

/// The runtime's clock, for deadlines and pauses within the process; tests can stop and move it.
#[allow(clippy::disallowed_methods)]
pub(super) fn instant() -> tokio::time::Instant {
    tokio::time::Instant::now()
}
