//! Tells the time of a crawl, which never jumps: neither within a process nor between two runs of a job.
//!
//! The job's time is the system time at the start plus the monotonic clock. So delays, which are
//! computed from this time, stay correct if the system clock is set back or forward. A run reads times that earlier
//! runs wrote. If the system clock was set between two runs without a restart of the machine, the job continues with
//! its own time. Only dates for people and servers follow the system clock, also if it is set during a run or if the
//! machine is suspended. Nothing else reads the system clock.

use std::path::Path;
use std::time::{Duration, Instant};

use goldminer_fetch::since_start;
use goldminer_warc::durable;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

/// The file with the last state of a job's clock.
const FILE: &str = "clock.json";
/// A larger difference between the system clock and the job's time means that somebody has set the system clock.
const TOLERANCE: SignedDuration = SignedDuration::from_secs(2);

/// A clock that shows the system time at its start plus the time that has passed since.
#[derive(Debug, Clone, Copy)]
pub struct Clock {
    wall: Timestamp,
    start: Instant,
    /// How far the system clock was ahead of the job's time at the start.
    ahead: SignedDuration,
    /// Whether [`Clock::dated`] follows the system clock.
    follows_system: bool,
}

/// The time of a job's clock, and the time since the machine's start, which cannot be set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct ClockState {
    /// The id of the machine's start from which the time is counted.
    boot: String,
    since_boot: Duration,
    time: Timestamp,
}

impl ClockState {
    /// The job's time at `since_boot`, if the machine has not been restarted.
    fn time_at(&self, boot: &str, since_boot: Duration) -> Option<Timestamp> {
        let passed = SignedDuration::try_from(since_boot.checked_sub(self.since_boot)?).ok()?;
        (self.boot == boot).then(|| self.time.saturating_add(passed).unwrap_or(self.time))
    }
}

impl Clock {
    /// Reads the system clock.
    #[allow(clippy::disallowed_methods, reason = "all code asks for the time here")]
    pub fn start() -> Self {
        Self { wall: Timestamp::now(), start: Instant::now(), ahead: SignedDuration::ZERO, follows_system: true }
    }

    /// A clock that shows this time now, independent of the system clock.
    pub fn showing(wall: Timestamp) -> Self {
        Self { wall, follows_system: false, ..Self::start() }
    }

    /// The clock of a job: the system clock or, if that was set since the job's last run, the job's own time.
    pub fn of_job(job: &Path) -> Self {
        Self::going_on(job).0
    }

    /// The clock of a job for a new run, and whether the time since its last run is known.
    pub(crate) fn of_run(job: &Path) -> std::io::Result<(Self, bool)> {
        let (clock, is_known) = Self::going_on(job);
        if !clock.ahead.is_zero() {
            tracing::warn!(
                seconds = clock.ahead.as_secs(),
                "the system clock was changed by {} s since this job's last run: delays use the time that has really \
                 passed",
                clock.ahead.as_secs()
            );
        }
        if let Some(boot) = boot() {
            let reading = ClockState { boot, since_boot: since_start(), time: clock.now() };
            durable::write(&job.join(FILE), serde_json::to_string(&reading)?)?;
        }
        Ok((clock, is_known))
    }

    fn going_on(job: &Path) -> (Self, bool) {
        let (system, Some(boot)) = (Self::start(), boot()) else { return (Self::start(), true) };
        let last = std::fs::read(job.join(FILE)).ok().and_then(|text| serde_json::from_slice::<ClockState>(&text).ok());
        match last.and_then(|last| last.time_at(&boot, since_start())) {
            Some(time) => {
                let ahead = system.wall.duration_since(time);
                let is_set = ahead.abs() > TOLERANCE;
                (if is_set { Self { wall: time, ahead, ..system } } else { system }, true)
            }
            None => (system, false),
        }
    }

    /// The current time of the job.
    pub fn now(&self) -> Timestamp {
        let elapsed = SignedDuration::try_from(self.start.elapsed()).unwrap_or(SignedDuration::MAX);
        self.wall.saturating_add(elapsed).unwrap_or(Timestamp::MAX)
    }

    /// The time by the system clock, for dates that people or servers see. A clock made by [`Clock::showing`] returns
    /// its own time.
    #[allow(clippy::disallowed_methods, reason = "all code asks for the time here")]
    pub fn dated(&self) -> Timestamp {
        if self.follows_system { Timestamp::now() } else { self.now() }
    }

    /// How long the process has been running.
    pub fn uptime(&self) -> Duration {
        self.start.elapsed()
    }
}

/// An identifier of this start of the machine, if the system has one.
fn boot() -> Option<String> {
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    Some(boot.trim().to_owned())
}

/// The runtime's clock, for deadlines and pauses within the process. Tests can pause and advance it.
#[allow(clippy::disallowed_methods, reason = "all code asks for the time here")]
pub(crate) fn instant() -> tokio::time::Instant {
    tokio::time::Instant::now()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_set_between_two_runs_does_not_move_the_jobs_time() {
        let Some(boot) = boot() else { return };
        for hours in [-24, -1, 1, 24 * 365] {
            let dir = tempfile::tempdir().unwrap();
            let (first, is_known) = Clock::of_run(dir.path()).unwrap();
            assert!(!is_known && first.ahead.is_zero(), "a new job");
            // The system clock was set by this many hours since the last run.
            let set = SignedDuration::from_hours(hours);
            let time = first.now().checked_sub(set).unwrap();
            let reading = ClockState { boot: boot.clone(), since_boot: since_start(), time };
            std::fs::write(dir.path().join(FILE), serde_json::to_string(&reading).unwrap()).unwrap();
            for _ in 0..3 {
                let (clock, is_known) = Clock::of_run(dir.path()).unwrap();
                let (passed, off) = (clock.now().duration_since(time), clock.dated().duration_since(first.now()));
                assert!(is_known && passed.abs() < SignedDuration::from_secs(60), "{hours} h: {passed}");
                assert!(off.abs() < SignedDuration::from_secs(60), "{hours} h: dates follow the system: {off}");
            }
        }
    }

    #[test]
    fn dates_follow_the_system_clock_after_a_suspension() {
        // While a machine is suspended, only the system clock goes on.
        let started = Clock::start();
        let slept = Clock { wall: started.wall - SignedDuration::from_hours(1), ..started };
        assert!(slept.now() < started.wall);
        assert!(slept.dated() >= started.wall, "{} is not after {}", slept.dated(), started.wall);
        let shown = Clock::showing("2026-11-20T12:00:00Z".parse().unwrap());
        assert!(shown.dated().duration_since(shown.wall) < SignedDuration::from_hours(1), "it shows a given time");
    }

    #[test]
    fn after_a_restart_of_the_machine_the_passed_time_is_unknown() {
        let reading =
            ClockState { boot: "a".to_owned(), since_boot: Duration::from_secs(50), time: Timestamp::UNIX_EPOCH };
        assert_eq!(reading.time_at("b", Duration::from_secs(60)), None);
        assert_eq!(reading.time_at("a", Duration::from_secs(40)), None);
        assert_eq!(reading.time_at("a", Duration::from_secs(60)), Some(Timestamp::from_second(10).unwrap()));
    }

    #[test]
    fn small_corrections_of_the_system_clock_are_followed() {
        let Some(boot) = boot() else { return };
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join(FILE), "{torn").unwrap();
        let (first, is_known) = Clock::of_run(dir.path()).unwrap();
        assert!(!is_known, "a damaged file is ignored");
        // Time services correct a clock by a second; people set it by more.
        let time = first.now() - SignedDuration::from_secs(1);
        let reading = ClockState { boot: boot.clone(), since_boot: since_start(), time };
        std::fs::write(dir.path().join(FILE), serde_json::to_string(&reading).unwrap()).unwrap();
        assert!(Clock::of_job(dir.path()).ahead.is_zero());
    }
}
