//! Checks whether the crawl still finds new URLs. Raises an alarm if it has found none for a long time, and updates
//! the values of the progress line.

use std::collections::{HashMap, HashSet};
use std::sync::RwLock;
use std::time::{Duration, Instant};

use goldminer_corpus::figures::duration;
use goldminer_html::Domain;
use jiff::{SignedDuration, Timestamp, Unit};

use crate::frontier::Frontier;
use crate::limits::clock;
use crate::{Learner, Live};

/// The interval between two checks.
const INTERVAL: Duration = Duration::from_millis(500);

/// Due hosts are counted up to this number.
const DUE_COUNTED: usize = 10_000;

/// Remembers when new URLs were last found.
#[derive(Debug)]
pub(crate) struct DiscoveryWatchdog {
    checked: Option<Instant>,
    discovered: u64,
    since: Instant,
    is_logged: bool,
    /// Portals that were reported as dry (no new URLs for much longer than usual), with the time of their last
    /// discovery.
    dry: HashMap<String, Timestamp>,
}

/// The data that show which domains are still learning.
pub(crate) struct Learning<'a> {
    /// Domains that need no more pages to learn from.
    pub learned: &'a RwLock<HashSet<Domain>>,
    /// Number of article-like pages that a domain needs.
    pub pages: u64,
}

impl Learning<'_> {
    /// The domain with the most article-like pages, of those that are still learning (they have no profile yet) and had
    /// pages in this process.
    fn furthest(&self, frontier: &Frontier) -> Option<Learner> {
        let learned = self.learned.read().ok()?;
        let mut learning = 0;
        let furthest = frontier
            .article_like_by_domain()
            .filter(|(domain, _)| !learned.contains(*domain))
            .inspect(|_| learning += 1)
            .max_by(|a, b| a.1.cmp(&b.1).then_with(|| b.0.cmp(a.0)));
        let (domain, pages) = furthest?;
        Some(Learner { domain: domain.to_string(), pages, of: self.pages, others: learning - 1 })
    }
}

impl DiscoveryWatchdog {
    pub(crate) fn new() -> Self {
        Self { checked: None, discovered: 0, since: clock::instant().into_std(), is_logged: false, dry: HashMap::new() }
    }

    /// Makes the checks, if the interval has passed.
    pub(crate) fn check(
        &mut self,
        frontier: &Frontier,
        alarm_after: Option<Duration>,
        live: &Live,
        now: Timestamp,
        learning: &Learning<'_>,
    ) {
        let instant = clock::instant().into_std();
        if self.checked.is_some_and(|checked| instant.duration_since(checked) < INTERVAL) {
            return;
        }
        self.checked = Some(instant);
        let (due, queued) = (frontier.hosts_due(now, DUE_COUNTED), frontier.counts().queued);
        live.set_learner(learning.furthest(frontier));
        let quiet = self.note(frontier.discovered(), instant);
        live.count(|counters| {
            (counters.hosts_due, counters.queued, counters.seconds_without_news) = (due, queued, quiet.as_secs());
        });
        self.log_dry(frontier.dry_portals(now));
        if self.is_alarming(quiet, alarm_after) {
            tracing::warn!("{}", alarm(quiet));
        }
    }

    /// Reports each portal once when it becomes dry.
    fn log_dry(&mut self, portals: Vec<(&str, Timestamp, Duration)>) {
        for (portal, last, habit) in portals {
            if self.dry.insert(portal.to_owned(), last) == Some(last) {
                continue;
            }
            let habit = SignedDuration::try_from(habit).unwrap_or(SignedDuration::MAX).round(Unit::Second);
            let habit = habit.unwrap_or_default();
            tracing::warn!(
                portal, since = %last,
                "portal {portal}: no new URL since {last:.0}, but one every {habit:#} before that. Its start pages, \
                 feeds and sitemaps are still visited"
            );
        }
    }

    /// Updates the time of the last discovery. Returns the time since then.
    fn note(&mut self, discovered: u64, now: Instant) -> Duration {
        if discovered != self.discovered {
            (self.discovered, self.since, self.is_logged) = (discovered, now, false);
        }
        now.duration_since(self.since)
    }

    /// Whether to raise the alarm; true only once until something is found.
    fn is_alarming(&mut self, quiet: Duration, alarm_after: Option<Duration>) -> bool {
        let is_long = alarm_after.is_some_and(|after| quiet >= after);
        is_long && !std::mem::replace(&mut self.is_logged, true)
    }
}

fn alarm(quiet: Duration) -> String {
    // The time is rounded to whole seconds, because checks are rare.
    let length = duration(SignedDuration::from_secs(quiet.as_secs().try_into().unwrap_or(i64::MAX)));
    format!("no new URL was discovered for {length}; `goldminer status` shows what each host waits for")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_alarm_names_times_of_any_length() {
        for (ms, length) in
            [(0, "0s"), (9_700, "9s"), (30_400, "30s"), (90_000, "1m 30s"), (7_200_000, "2h"), (172_800_000, "2d")]
        {
            let message = alarm(Duration::from_millis(ms));
            assert!(message.starts_with(&format!("no new URL was discovered for {length}; ")), "{message}");
        }
    }

    #[test]
    fn the_alarm_comes_once_and_again_after_something_was_found() {
        let mut watchdog = DiscoveryWatchdog::new();
        let start = watchdog.since;
        let after = Some(Duration::from_secs(60));
        let mut alarm = |discovered, second| {
            let quiet = watchdog.note(discovered, start + Duration::from_secs(second));
            watchdog.is_alarming(quiet, after)
        };
        assert!(!alarm(5, 0) && !alarm(5, 59), "too early");
        assert!(alarm(5, 60) && !alarm(5, 61), "once");
        assert!(!alarm(6, 62) && alarm(6, 122), "and again");
        let quiet = watchdog.note(6, start + Duration::from_secs(10_000));
        assert!(!watchdog.is_alarming(quiet, None), "no alarm is configured");
    }
}
