//! Detects whether the crawler's network is available. If many hosts that have answered before fail, and no host
//! answers meanwhile, the crawler's network is the cause. Then failures are not counted against the hosts, one request
//! at a time tests whether the network is back, and the log reports this once.
//!
//! [`Network`] does no I/O: failures, answers and times are passed in. Every failed request passes through here
//! ([`without_network`]) before the frontier counts it and it is logged ([`Failed::log`]). The frontier decides what
//! follows from failures.

use std::collections::HashSet;
use std::time::Duration;

use goldminer_fetch::failure::{Cause, Failure};
use goldminer_html::{Host, HostKey};
use jiff::Timestamp;

use crate::frontier::{Finished, Frontier, Later, Outcome, RobotsAnswer, Work};
use crate::{CrawlError, HostStatus, Live, name_of};

/// The network counts as unavailable when this many hosts fail, or half of those that have answered, if that is less.
const HOSTS: usize = 8;
/// If fewer hosts than this fail, the hosts themselves may be the cause, so the network counts as available.
const LEAST_HOSTS: usize = 3;
/// Only failures within this time are counted together.
const WINDOW: Duration = Duration::from_secs(120);
/// While the network is unavailable, one test request is sent each time this has passed.
const PROBE_EVERY: Duration = Duration::from_secs(5);
/// After this time without a network, failures count again, so that the crawl ends by its usual rules.
const PATIENCE: Duration = Duration::from_secs(6 * 3600);

#[derive(Debug, Default)]
pub(crate) struct Network {
    /// Hosts that have answered in this process.
    answered: HashSet<HostKey>,
    /// The hosts in `answered` that have failed since the last answer of any host.
    failing: HashSet<HostKey>,
    /// When the first of the failing hosts failed.
    since: Option<Timestamp>,
    away: Option<Outage>,
    /// Whether the network was unavailable for longer than [`PATIENCE`].
    is_given_up: bool,
}

#[derive(Debug, Clone, Copy)]
struct Outage {
    since: Timestamp,
    probed: Timestamp,
}

impl Network {
    /// Notes that a host has answered, with any status.
    pub(crate) fn answered(&mut self, host: HostKey, now: Timestamp) {
        self.answered.insert(host);
        self.failing.clear();
        (self.since, self.is_given_up) = (None, false);
        if let Some(away) = self.away.take() {
            let minutes = now.duration_since(away.since).as_secs().div_euclid(60);
            tracing::info!(minutes, "the network is back after {minutes} min: the crawl continues");
        }
    }

    /// Notes a failed request. Returns true if the network is the cause, not the host.
    pub(crate) fn failed(&mut self, host: HostKey, failure: &Failure, now: Timestamp) -> bool {
        if !failure.cause.may_be_the_network() || self.is_given_up {
            return false;
        }
        if let Some(away) = self.away {
            if now.duration_since(away.since).unsigned_abs() < PATIENCE {
                return true;
            }
            tracing::warn!(
                "the network has been down for hours. From now on, a host that does not answer counts as \
                 unreachable and waits before its next request; check this machine's network connection"
            );
            (self.away, self.is_given_up) = (None, true);
            return false;
        }
        if !self.answered.contains(&host) {
            return false;
        }
        if self.since.is_none_or(|since| now.duration_since(since).unsigned_abs() > WINDOW) {
            self.failing.clear();
            self.since = Some(now);
        }
        self.failing.insert(host);
        let enough = HOSTS.min(self.answered.len().div_ceil(2)).max(LEAST_HOSTS);
        if self.failing.len() < enough {
            return false;
        }
        let hosts = self.failing.len();
        tracing::warn!(
            hosts,
            "the network seems to be down: {hosts} hosts that answered before no longer do (the last: {failure}). \
             This is not counted as their failure; one request every {} s checks whether it is back",
            PROBE_EVERY.as_secs()
        );
        self.away = Some(Outage { since: now, probed: now });
        true
    }

    /// Since when the network has been unavailable.
    pub(crate) fn away_since(&self) -> Option<Timestamp> {
        self.away.map(|away| away.since)
    }

    /// Returns how many requests may be in flight now: `most` or, while the network is unavailable, one from time to
    /// time.
    pub(crate) fn allowed(&mut self, most: usize, in_flight: usize, now: Timestamp) -> usize {
        let Some(away) = &mut self.away else { return most };
        if in_flight > 0 || now.duration_since(away.probed).unsigned_abs() < PROBE_EVERY {
            return 0;
        }
        away.probed = now;
        most.min(1)
    }
}

/// How long a host waits if no file descriptor was left for it.
pub(crate) const STARVED_WAIT: Duration = Duration::from_secs(1);

/// A failed request: its host, URL and cause.
#[derive(Debug)]
pub(crate) struct Failed {
    pub(crate) host: Host,
    pub(crate) failure: Failure,
    url: String,
    is_robots: bool,
}

impl Failed {
    /// The failure of a finished lease; None if the lease had a result, or if its host only asked the crawler to wait.
    pub(crate) fn of(finished: &Finished) -> Option<Self> {
        let failure = match &finished.outcome {
            Outcome::Robots(RobotsAnswer::Unavailable { failure, .. }) => failure,
            Outcome::Later(Later::Unreachable(failure) | Later::ServerError(failure)) => failure,
            _ => return None,
        };
        Some(Self {
            host: finished.lease.host.clone(),
            failure: failure.clone(),
            url: finished.lease.work.url().to_string(),
            is_robots: matches!(finished.lease.work, Work::Robots { .. }),
        })
    }

    /// Logs host, URL, cause, next attempt, and a hint. A host's first failure, and the first with another cause, are
    /// warnings; repetitions are debug messages. `status` is the status of the host after the failure was counted,
    /// `before` the cause of its previous failure.
    pub(crate) fn log(&self, status: &HostStatus, before: Option<Cause>, now: Timestamp) {
        let Self { host, failure, url, is_robots } = self;
        let (cause, name) = (failure.cause, name_of(&failure.cause));
        let count = status.trouble.as_ref().map_or(0, |trouble| trouble.count);
        // A failure of a single page is not a failure of its host.
        if count == 0 || before == Some(cause) {
            tracing::debug!(%host, %url, cause = name, count, "{url}: {failure}");
            return;
        }
        let what = if *is_robots { format!("{host}: its robots.txt is unreachable") } else { url.clone() };
        let next = match status.next_due {
            Some(at) if at > now => format!("; next try at {at:.0}"),
            _ => String::new(),
        };
        let hint = cause.hint().map_or_else(String::new, |hint| format!("; {hint}"));
        tracing::warn!(%host, %url, cause = name, count, "{what}: {failure}{next}{hint}");
    }
}

/// Returns the finished leases without those that failed because of the crawler's network. The failed ones are given
/// back to the frontier as if no request had been made.
pub(crate) fn without_network(
    group: Vec<Finished>,
    network: &mut Network,
    frontier: &mut Frontier,
    live: &Live,
    now: Timestamp,
) -> Result<Vec<Finished>, CrawlError> {
    let mut counted = Vec::with_capacity(group.len());
    for finished in group {
        let host = finished.lease.host.key();
        let is_excused = match Failed::of(&finished) {
            Some(failed) => network.failed(host, &failed.failure, now),
            None => false,
        };
        if finished.exchange.is_some_and(|exchange| exchange.status.is_some()) {
            network.answered(host, now);
        }
        if is_excused {
            live.count(|counters| counters.in_flight -= 1);
            let wait = frontier.host(&finished.lease.host, now).map_or(STARVED_WAIT, |host| host.delay);
            frontier.give_back(finished.lease, now, now + wait)?;
        } else {
            counted.push(finished);
        }
    }
    let away = network.away_since().map_or(0, |since| since.as_second());
    live.count(|counters| counters.network_away_since = away);
    Ok(counted)
}

/// The cause of the host's last failure, if its last request failed.
pub(crate) fn cause_before(frontier: &Frontier, host: &Host, now: Timestamp) -> Option<Cause> {
    frontier.host(host, now)?.trouble.map(|trouble| trouble.cause)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(number: u8) -> HostKey {
        HostKey([number; 8])
    }

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(1_800_000_000 + second).unwrap()
    }

    fn silent() -> Failure {
        Failure::new(Cause::ConnectTimeout, "")
    }

    /// A network on which twenty hosts have answered.
    fn crawling() -> Network {
        let mut network = Network::default();
        (0..20).for_each(|number| network.answered(host(number), at(0)));
        network
    }

    #[test]
    fn the_network_is_down_while_many_hosts_fail_and_none_answers() {
        let mut network = crawling();
        let blamed: Vec<bool> = (0..10).map(|number| network.failed(host(number), &silent(), at(1))).collect();
        assert_eq!(blamed, [false, false, false, false, false, false, false, true, true, true]);
        assert!(network.failed(host(99), &silent(), at(2)), "the failure of an unknown host does not count either");
        assert_eq!(network.allowed(256, 0, at(2)), 0);
        assert_eq!((network.allowed(256, 0, at(7)), network.allowed(256, 0, at(8))), (1, 0), "one test");
        network.answered(host(3), at(60));
        assert_eq!(network.allowed(256, 0, at(60)), 256);
        assert!(!network.failed(host(4), &silent(), at(61)));
    }

    #[test]
    fn other_failures_of_hosts_do_not_mean_that_the_network_is_down() {
        let mut network = Network::default();
        assert!((0..50).all(|number| !network.failed(host(number), &silent(), at(1))), "none ever answered");
        let mut network = crawling();
        assert!((0..20).all(|number| !network.failed(host(number), &silent(), at(130 * i64::from(number)))));
        let mut network = crawling();
        for number in 0..20 {
            assert!(!network.failed(host(number), &silent(), at(1)));
            network.answered(host(19), at(1));
        }
        let mut network = crawling();
        let closed = Failure::new(Cause::ConnectionRefused, "");
        assert!(
            (0..20).all(|number| !network.failed(host(number), &closed, at(1))),
            "a refused connection needs a network"
        );
    }

    #[test]
    fn after_hours_without_a_network_failures_count_again() {
        let mut network = crawling();
        for number in 0..8 {
            network.failed(host(number), &silent(), at(0));
        }
        assert!(network.failed(host(1), &silent(), at(6 * 3600 - 1)));
        assert!(!network.failed(host(1), &silent(), at(6 * 3600)));
        assert!(!network.failed(host(2), &silent(), at(6 * 3600)));
        assert_eq!(network.allowed(256, 0, at(6 * 3600)), 256);
    }
}
