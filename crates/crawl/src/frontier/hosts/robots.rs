//! Decides when a host's robots.txt is requested: before anything else, daily, and with growing waits while it is
//! unreachable (RFC 9309, sections 2.3.1 and 2.4). `run::host_rules` parses it.

use std::time::Duration;

use jiff::Timestamp;

use super::politeness::later;
use crate::frontier::config::Politeness;
use crate::frontier::queue::outcome::RobotsAnswer;
use crate::store::frontier::{Hold, RobotsState, RobotsStatus};

/// The most redirects of robots.txt that are followed (RFC 9309, section 2.3.1.2).
const MAX_HOPS: u8 = 5;

impl Politeness {
    /// Updates the state after an answer; returns a hold if the host gets no more requests.
    pub(crate) fn on_robots(&self, state: &mut RobotsState, answer: &RobotsAnswer, ended: Timestamp) -> Option<Hold> {
        match answer {
            RobotsAnswer::MovedTo(target) if state.hops < MAX_HOPS => {
                state.hops += 1;
                state.moved_to = Some(target.clone());
                return None;
            }
            RobotsAnswer::Rules { .. } => self.settle(state, RobotsStatus::Rules, ended),
            RobotsAnswer::AllowAll | RobotsAnswer::MovedTo(_) => self.settle(state, RobotsStatus::AllowAll, ended),
            RobotsAnswer::Unavailable { retry_after, .. } => {
                // With a valid copy, pages can be requested, so robots.txt waits twice as long as the host itself waits
                // after a 503. If both waits ended together, robots.txt would always be requested before any page.
                let doublings = state.failures.saturating_add(u8::from(state.has_copy));
                let wait = self.doubled(doublings).max(retry_after.unwrap_or(Duration::ZERO));
                state.status = RobotsStatus::Unavailable;
                state.failures = state.failures.saturating_add(1);
                state.ask_at = later(ended, wait.min(self.longest_wait));
            }
        }
        (state.moved_to, state.hops) = (None, 0);
        (state.failures >= self.give_up && !state.has_copy).then_some(Hold::GivenUp)
    }

    fn settle(&self, state: &mut RobotsState, status: RobotsStatus, ended: Timestamp) {
        state.status = status;
        state.has_copy = true;
        state.failures = 0;
        state.ask_at = later(ended, self.robots_lifetime);
    }
}

impl RobotsState {
    /// Whether robots.txt must be requested next.
    pub(crate) fn is_due(&self, now: Timestamp) -> bool {
        self.moved_to.is_some() || self.status == RobotsStatus::Unknown || self.ask_at <= now
    }

    /// The earliest time at which anything but robots.txt may be requested.
    pub(crate) fn open_at(&self) -> Timestamp {
        if self.has_copy || self.moved_to.is_some() || self.status == RobotsStatus::Unknown {
            Timestamp::MIN
        } else {
            self.ask_at
        }
    }

    /// Limits how far ahead the next request for robots.txt is, in case the system clock was set back.
    pub(crate) fn clamp(&mut self, politeness: &Politeness, now: Timestamp) {
        let longest = politeness.robots_lifetime.max(politeness.longest_wait);
        self.ask_at = self.ask_at.min(later(now, longest));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::frontier::PackedBody;
    use goldminer_fetch::failure::{Cause, Failure};
    use goldminer_html::address::CrawlUrl;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(1_800_000_000 + second).unwrap()
    }

    fn unavailable() -> RobotsAnswer {
        RobotsAnswer::Unavailable { retry_after: None, failure: Failure::new(Cause::Busy, "503") }
    }

    #[test]
    fn an_unreachable_robots_txt_is_retried_after_doubling_waits() {
        let politeness = Politeness::default();
        let mut state = RobotsState::default();
        assert!(state.is_due(at(0)));
        politeness.on_robots(&mut state, &unavailable(), at(0));
        assert!(!state.has_copy && !state.is_due(at(59)) && state.is_due(at(60)));
        politeness.on_robots(&mut state, &unavailable(), at(60));
        assert_eq!(state.open_at(), at(180));
    }

    #[test]
    fn the_last_copy_applies_while_robots_txt_is_unreachable() {
        let politeness = Politeness::default();
        let mut state = RobotsState::default();
        let rules = RobotsAnswer::Rules { body: PackedBody::of(b""), crawl_delay: None };
        politeness.on_robots(&mut state, &rules, at(0));
        assert!(state.has_copy && !state.is_due(at(24 * 3600 - 1)) && state.is_due(at(24 * 3600)));
        politeness.on_robots(&mut state, &unavailable(), at(24 * 3600));
        assert!(state.has_copy && !state.is_due(at(24 * 3600 + 119)) && state.is_due(at(24 * 3600 + 120)));
    }

    #[test]
    fn the_sixth_redirect_means_that_there_is_no_robots_txt() {
        let politeness = Politeness::default();
        let mut state = RobotsState::default();
        let moved = RobotsAnswer::MovedTo(CrawlUrl::parse("https://x.example/robots.txt").unwrap());
        for _ in 0..5 {
            politeness.on_robots(&mut state, &moved, at(0));
            assert!(state.moved_to.is_some());
        }
        politeness.on_robots(&mut state, &moved, at(0));
        assert_eq!((state.status, &state.moved_to), (RobotsStatus::AllowAll, &None));
    }
}
