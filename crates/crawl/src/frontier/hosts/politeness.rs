//! Computes when a host is due again, from its [`HostClock`] and `now`, without clock, disk or network.
//!
//! The delay counts from the end of the last response. What the host asks for (Crawl-delay, Retry-After, 429, 503) can
//! only slow the crawler down; no delay is shorter than the one that the configuration or the operator sets.

use std::time::Duration;

use goldminer_html::HostKey;
use jiff::Timestamp;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::frontier::config::Politeness;
use crate::frontier::queue::outcome::Exchange;
use crate::store::frontier::{Hold, HostClock, RowKey};

/// What a response, or its absence, says about the host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HostSignal {
    /// The host answers, even with a 404, or with a server error that concerns a single URL.
    Well,
    /// 403, or a CAPTCHA.
    Refusal,
    /// 429 or 503, with its Retry-After.
    Busy(Option<Duration>),
    /// No connection, no answer, or a server error that may concern the whole host.
    Silence,
    /// Another server error of the same URL, which says nothing new about the host.
    Repeated,
}

impl Politeness {
    /// The clock of a host that has never had a request.
    pub fn first(&self, now: Timestamp) -> HostClock {
        HostClock { next_allowed: now, trouble_over: now, ..HostClock::default() }
    }

    /// The time from the end of a response to the next request, before jitter. It is the longest of three: the delay
    /// that the configuration or the operator sets, the Crawl-delay, and a multiple of the last response time (up to
    /// its cap).
    pub fn delay(&self, clock: &HostClock) -> Duration {
        let configured = clock.delay.unwrap_or(self.delay);
        let adaptive = if configured.is_zero() {
            Duration::ZERO
        } else {
            scaled(clock.last_response, self.response_times).min(self.adaptive_cap)
        };
        configured.max(adaptive).max(self.crawl_delay(clock))
    }

    /// [`Politeness::delay`] without the response time.
    pub fn least(&self, clock: &HostClock) -> Duration {
        clock.delay.unwrap_or(self.delay).max(self.crawl_delay(clock))
    }

    /// The delay that robots.txt asks for, limited to the longest one. A host that asks for more is not crawled, but
    /// its robots.txt, which may change, is requested at the longest delay.
    fn crawl_delay(&self, clock: &HostClock) -> Duration {
        clock.crawl_delay.unwrap_or_default().min(self.longest_crawl_delay)
    }

    /// Whether robots.txt asks for too long a delay to crawl the host.
    pub(crate) fn sets_aside(&self, clock: &HostClock) -> bool {
        clock.crawl_delay.is_some_and(|asked| asked > self.longest_crawl_delay)
    }

    /// Sets the time of the earliest next request, in case a request leaves now. The time is saved to disk before the
    /// lease is given out. `floor` is the least delay of the same server over the other scheme.
    pub(crate) fn on_lease(&self, clock: &mut HostClock, host: HostKey, floor: Duration, now: Timestamp) {
        clock.requests += 1;
        clock.next_allowed = self.after(clock, host, now, floor);
    }

    /// When the delay after a response that ended at `ended` is over.
    pub(crate) fn after(&self, clock: &HostClock, host: HostKey, ended: Timestamp, floor: Duration) -> Timestamp {
        later(ended, self.jittered(self.delay(clock).max(floor), clock, host))
    }

    /// Updates a host's clock after a response or failure. Returns a hold if the host gets no more requests for a
    /// while, or for good.
    pub(crate) fn on_exchange(
        &self,
        clock: &mut HostClock,
        host: HostKey,
        exchange: &Exchange,
        signal: HostSignal,
        floor: Duration,
    ) -> Option<Hold> {
        clock.last_response = exchange.elapsed;
        clock.next_allowed = self.after(clock, host, exchange.ended, floor);
        match signal {
            HostSignal::Well => {
                (clock.troubles, clock.waits, clock.refusals) = (0, 0, 0);
                clock.wait = Duration::ZERO;
                if clock.requests.is_multiple_of(self.answers_forgive) {
                    clock.doublings = clock.doublings.saturating_sub(1);
                }
                None
            }
            HostSignal::Refusal => {
                (clock.troubles, clock.waits) = (0, 0);
                clock.wait = Duration::ZERO;
                clock.refusals = clock.refusals.saturating_add(1);
                self.pause(clock, exchange.ended)
            }
            HostSignal::Busy(retry_after) => {
                clock.troubles = clock.troubles.saturating_add(1);
                // A Retry-After of zero, or with a date in the past, is ignored, because the host is still busy.
                self.wait(clock, host, exchange.ended, retry_after.filter(|asked| !asked.is_zero()))
            }
            HostSignal::Repeated => None,
            HostSignal::Silence => {
                clock.troubles = clock.troubles.saturating_add(1);
                if clock.troubles < self.unreachable {
                    return None;
                }
                self.wait(clock, host, exchange.ended, None)
            }
        }
    }

    /// Corrects the clock of a host that was loaded from disk. If a request was in flight, it may have ended just now,
    /// so the delay counts from now. If the system clock was set back, the next request is no further ahead than the
    /// delay or the last wait.
    pub(crate) fn on_open(
        &self,
        clock: &mut HostClock,
        host: HostKey,
        was_in_flight: bool,
        (floor, explained): (Duration, Duration),
        now: Timestamp,
    ) {
        if was_in_flight {
            let after = self.after(clock, host, now, floor);
            clock.next_allowed = clock.next_allowed.max(after);
        }
        self.clamp(clock, explained, now);
    }

    /// Limits how far ahead the host's next request may be. The limit is the longest of its delay, its last wait after
    /// a busy or silent response, and `explained`, the longest delay or wait of all hosts on the server.
    pub(crate) fn clamp(&self, clock: &mut HostClock, explained: Duration, now: Timestamp) {
        let longest = scaled(self.delay(clock).max(clock.wait).max(explained), 1.0 + self.jitter);
        clock.next_allowed = clock.next_allowed.min(later(now, longest));
        clock.trouble_over = clock.trouble_over.min(clock.next_allowed.max(now));
    }

    /// The wait after this number of failures: 1 minute, 2, 4, … up to the longest.
    pub(crate) fn doubled(&self, times: u8) -> Duration {
        self.backoff.saturating_mul(1_u32.checked_shl(times.into()).unwrap_or(u32::MAX)).min(self.longest_wait)
    }

    fn wait(&self, clock: &mut HostClock, host: HostKey, ended: Timestamp, asked: Option<Duration>) -> Option<Hold> {
        if ended > later(clock.trouble_over, self.forgiven_after) {
            clock.doublings = 0;
        }
        // A wait that the host asks for is used as it is; only estimated waits grow.
        let wait = match asked {
            Some(asked) => asked.min(self.longest_wait),
            None => {
                let wait = self.doubled(clock.doublings);
                clock.doublings = clock.doublings.saturating_add(1);
                wait
            }
        };
        clock.waits = clock.waits.saturating_add(1);
        clock.wait = wait;
        let over = later(ended, self.jittered(wait, clock, host));
        clock.next_allowed = clock.next_allowed.max(over);
        clock.trouble_over = clock.next_allowed;
        (clock.waits >= self.give_up).then_some(Hold::GivenUp)
    }

    /// The hold (stop of requests) after several refusals in a row: a pause, or a pause without end if the first
    /// request after the pause is refused too.
    fn pause(&self, clock: &HostClock, ended: Timestamp) -> Option<Hold> {
        match clock.refusals {
            n if n < self.refusals => None,
            n if n == self.refusals => Some(Hold::Refusals { until: Some(later(ended, self.longest_wait)) }),
            _ => Some(Hold::Refusals { until: None }),
        }
    }

    /// Lengthens a duration by up to the share of jitter. The result is the same for the same host and request.
    fn jittered(&self, duration: Duration, clock: &HostClock, host: HostKey) -> Duration {
        let what = RowKey::join(host, clock.requests.to_be_bytes());
        let share = (xxh3_64_with_seed(&what.0, self.jitter_seed) >> 11) as f64 / (1_u64 << 53) as f64;
        scaled(duration, 1.0 + self.jitter * share).max(duration)
    }
}

/// A later time, at most the largest possible one.
pub(crate) fn later(from: Timestamp, by: Duration) -> Timestamp {
    from.saturating_add(by).unwrap_or(Timestamp::MAX)
}

/// A multiple of a duration, at most the largest one: a Crawl-delay can be any number.
fn scaled(duration: Duration, by: f64) -> Duration {
    Duration::try_from_secs_f64(duration.as_secs_f64() * by).unwrap_or(Duration::MAX)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const HOST: HostKey = HostKey([1; 8]);
    /// The delays of a host whose server has no host over the other scheme.
    const NONE: (Duration, Duration) = (Duration::ZERO, Duration::ZERO);

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(1_800_000_000 + second).unwrap()
    }

    fn secs(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    fn exchange(ended: Timestamp, elapsed: Duration) -> Exchange {
        Exchange { ended, elapsed, bytes: 1, status: Some(200) }
    }

    fn waits_after(signs: &[HostSignal]) -> Vec<i64> {
        let politeness = Politeness { jitter: 0.0, ..Politeness::default() };
        let mut clock = politeness.first(at(0));
        let mut now = at(0);
        let mut waits = Vec::new();
        for signal in signs {
            politeness.on_lease(&mut clock, HOST, Duration::ZERO, now);
            politeness.on_exchange(&mut clock, HOST, &exchange(now, secs(0)), *signal, Duration::ZERO);
            waits.push(clock.next_allowed.duration_since(now).as_secs());
            now = clock.next_allowed;
        }
        waits
    }

    #[test]
    fn the_longest_of_set_delay_crawl_delay_and_response_time_wins() {
        let politeness = Politeness::default();
        let mut clock = politeness.first(at(0));
        assert_eq!(politeness.delay(&clock), secs(5));
        clock.last_response = secs(2);
        assert_eq!(politeness.delay(&clock), secs(10));
        clock.last_response = secs(100);
        assert_eq!(politeness.delay(&clock), secs(60), "the response time asks for a minute at most");
        clock.crawl_delay = Some(secs(300));
        assert_eq!(politeness.delay(&clock), secs(300), "a Crawl-delay is never cut");
        let eager = Politeness { delay: Duration::ZERO, ..politeness };
        clock.crawl_delay = None;
        assert_eq!(eager.delay(&clock), Duration::ZERO, "without a delay everything is due at once");
    }

    #[test]
    fn a_busy_host_waits_a_minute_doubling_to_a_day() {
        let waits = waits_after(&[HostSignal::Busy(None); 13]);
        assert_eq!(waits[..4], [60, 120, 240, 480]);
        assert_eq!(waits[12], 24 * 3600);
    }

    #[test]
    fn retry_after_is_obeyed_up_to_a_day() {
        let busy = |seconds| HostSignal::Busy(Some(secs(seconds)));
        assert_eq!(waits_after(&[busy(600), busy(1), busy(1_000_000)]), [600, 5, 24 * 3600]);
    }

    #[test]
    fn retry_after_zero_is_ignored() {
        assert_eq!(waits_after(&[HostSignal::Busy(Some(Duration::ZERO)), HostSignal::Busy(None)]), [60, 120]);
    }

    #[test]
    fn thirty_minutes_without_failures_reset_the_wait() {
        let mut signs = vec![HostSignal::Busy(None), HostSignal::Well, HostSignal::Busy(None)];
        assert_eq!(waits_after(&signs), [60, 5, 120]);
        signs = vec![HostSignal::Busy(None); 2];
        signs.extend([HostSignal::Well; 361]); // 5 s each: 30 min and 5 s
        signs.push(HostSignal::Busy(None));
        assert_eq!(waits_after(&signs).last(), Some(&60));
    }

    #[test]
    fn waits_that_a_host_asks_for_do_not_double_later_waits() {
        let mut signs = vec![HostSignal::Busy(Some(secs(2))); 8];
        signs.push(HostSignal::Busy(None));
        assert_eq!(waits_after(&signs), [5, 5, 5, 5, 5, 5, 5, 5, 60]);
    }

    #[test]
    fn rare_failures_do_not_lead_to_long_waits() {
        let once_in_fifty = [&[HostSignal::Well; 49][..], &[HostSignal::Busy(None)]].concat().repeat(40);
        let waits = waits_after(&once_in_fifty);
        assert!(waits.iter().all(|wait| *wait <= 120), "{:?}", waits.iter().max());
        let every_second = [HostSignal::Well, HostSignal::Busy(None)].repeat(12);
        assert!(waits_after(&every_second).iter().any(|wait| *wait > 3600), "overload must slow us down");
    }

    #[test]
    fn a_host_waits_only_after_three_failed_connections_in_a_row() {
        assert_eq!(waits_after(&[HostSignal::Silence; 4]), [5, 5, 60, 120]);
        assert_eq!(
            waits_after(&[HostSignal::Silence, HostSignal::Silence, HostSignal::Well, HostSignal::Silence]),
            [5, 5, 5, 5]
        );
    }

    #[test]
    fn the_third_refusal_pauses_a_host_and_the_fourth_stops_it() {
        let politeness = Politeness::default();
        let mut clock = politeness.first(at(0));
        let mut refuse =
            || politeness.on_exchange(&mut clock, HOST, &exchange(at(0), secs(0)), HostSignal::Refusal, Duration::ZERO);
        assert_eq!(refuse(), None);
        assert_eq!(refuse(), None);
        assert_eq!(refuse(), Some(Hold::Refusals { until: Some(at(24 * 3600)) }));
        assert_eq!(refuse(), Some(Hold::Refusals { until: None }));
    }

    #[test]
    fn a_host_without_answer_for_long_is_given_up() {
        let politeness = Politeness::default();
        let mut clock = politeness.first(at(0));
        let mut holds = (0..13).map(|_| {
            politeness.on_exchange(&mut clock, HOST, &exchange(at(0), secs(1)), HostSignal::Busy(None), Duration::ZERO)
        });
        assert_eq!(holds.position(|hold| hold == Some(Hold::GivenUp)), Some(11));
    }

    #[test]
    fn a_clock_that_was_set_back_costs_at_most_one_delay() {
        let politeness = Politeness::default();
        let mut clock = politeness.first(at(0));
        politeness.on_lease(&mut clock, HOST, Duration::ZERO, at(1_000_000));
        politeness.on_open(&mut clock, HOST, false, NONE, at(0));
        assert!(clock.next_allowed >= at(5) && clock.next_allowed <= at(6), "{:?}", clock.next_allowed);
    }

    #[test]
    fn after_a_crash_the_delay_of_a_request_in_flight_starts_anew() {
        let politeness = Politeness::default();
        let mut clock = politeness.first(at(0));
        politeness.on_lease(&mut clock, HOST, Duration::ZERO, at(0));
        politeness.on_open(&mut clock, HOST, true, NONE, at(1_000));
        assert!(clock.next_allowed >= at(1_005));
    }

    proptest! {
        #[test]
        fn no_gap_is_below_the_delay(
            signs in proptest::collection::vec(0..5_u8, 1..40),
            elapsed in 0..200_u64,
            crawl_delay in proptest::option::of(0..1000_u64),
            seed: u64,
        ) {
            let politeness = Politeness { jitter_seed: seed, ..Politeness::default() };
            let mut clock = politeness.first(at(0));
            clock.crawl_delay = crawl_delay.map(secs);
            let mut now = at(0);
            for signal in signs {
                let signal = match signal {
                    0 => HostSignal::Busy(None),
                    1 => HostSignal::Busy(Some(secs(elapsed * 7))),
                    2 => HostSignal::Silence,
                    3 => HostSignal::Refusal,
                    _ => HostSignal::Well,
                };
                politeness.on_exchange(&mut clock, HOST, &exchange(now, secs(elapsed)), signal, Duration::ZERO);
                let gap = Duration::try_from(clock.next_allowed.duration_since(now)).unwrap();
                prop_assert!(gap >= politeness.delay(&clock));
                if let HostSignal::Busy(Some(asked)) = signal {
                    prop_assert!(gap >= asked.min(politeness.longest_wait));
                }
                let mut clamped = clock.clone();
                politeness.clamp(&mut clamped, Duration::ZERO, now);
                prop_assert_eq!(&clamped, &clock, "a correct time was changed");
                now = clock.next_allowed;
            }
        }
    }
}
