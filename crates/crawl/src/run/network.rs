//! Whether the network is there at all. When hosts that have answered before fail alike, many at once and none of them
//! answering meanwhile, it is not they who have gone but our own network: their tries are not used up, one request at a
//! time looks whether it is back, and the log says so once.
//!
//! Pure: failures and answers in, a verdict out; the time comes with them.

use std::collections::HashSet;
use std::time::Duration;

use goldminer_fetch::failure::Failure;
use goldminer_html::HostKey;
use jiff::Timestamp;

/// So many hosts must fail, or half of those that have answered where these are fewer.
const HOSTS: usize = 8;
/// With fewer nobody can tell a network from a host.
const LEAST_HOSTS: usize = 3;
/// Failures that lie further back than this are of another time.
const WINDOW: Duration = Duration::from_secs(120);
/// While the network is away, one request leaves in so long.
const PROBE_EVERY: Duration = Duration::from_secs(5);
/// For longer than this it is not the network: failures count again, so that the crawl ends by its own rules.
const PATIENCE: Duration = Duration::from_secs(6 * 3600);

/// Watches answers and failures.
#[derive(Debug, Default)]
pub(crate) struct Network {
    /// Hosts that have answered in this process.
    answered: HashSet<HostKey>,
    /// Of these, the ones that have failed since the last answer of any.
    failing: HashSet<HostKey>,
    /// When the first of these failed.
    since: Option<Timestamp>,
    away: Option<Away>,
    /// It was away for too long.
    is_given_up: bool,
}

#[derive(Debug, Clone, Copy)]
struct Away {
    since: Timestamp,
    probed: Timestamp,
}

impl Network {
    /// A host has answered, whatever it said.
    pub(crate) fn answered(&mut self, host: HostKey, now: Timestamp) {
        self.answered.insert(host);
        self.failing.clear();
        (self.since, self.is_given_up) = (None, false);
        if let Some(away) = self.away.take() {
            let minutes = now.duration_since(away.since).as_secs().div_euclid(60);
            tracing::info!(minutes, "the network is back after {minutes} min: the crawl continues");
        }
    }

    /// A request has failed: true while that is the network's fault and not the host's.
    pub(crate) fn failed(&mut self, host: HostKey, failure: &Failure, now: Timestamp) -> bool {
        if !failure.cause.may_be_the_network() || self.is_given_up {
            return false;
        }
        if let Some(away) = self.away {
            if now.duration_since(away.since).unsigned_abs() < PATIENCE {
                return true;
            }
            tracing::warn!(
                "the network has been down for hours: from now on, hosts that do not answer count as unreachable, as usual"
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
        self.away = Some(Away { since: now, probed: now });
        true
    }

    /// Since when it has been away.
    pub(crate) fn away_since(&self) -> Option<Timestamp> {
        self.away.map(|away| away.since)
    }

    /// How many requests may leave now, of so many: while the network is away, one from time to time.
    pub(crate) fn allowed(&mut self, most: usize, in_flight: usize, now: Timestamp) -> usize {
        let Some(away) = &mut self.away else { return most };
        if in_flight > 0 || now.duration_since(away.probed).unsigned_abs() < PROBE_EVERY {
            return 0;
        }
        away.probed = now;
        most.min(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use goldminer_fetch::failure::Cause;

    fn host(number: u8) -> HostKey {
        HostKey([number; 8])
    }

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(1_800_000_000 + second).unwrap()
    }

    fn silent() -> Failure {
        Failure::new(Cause::ConnectTimeout, "")
    }

    /// Twenty hosts have answered.
    fn crawling() -> Network {
        let mut network = Network::default();
        (0..20).for_each(|number| network.answered(host(number), at(0)));
        network
    }

    #[test]
    fn many_hosts_that_fail_at_once_are_a_network_that_is_away_and_the_first_answer_brings_it_back() {
        let mut network = crawling();
        let blamed: Vec<bool> = (0..10).map(|number| network.failed(host(number), &silent(), at(1))).collect();
        assert_eq!(blamed, [false, false, false, false, false, false, false, true, true, true]);
        assert!(network.failed(host(99), &silent(), at(2)), "nor is anything counted against one never heard of");
        assert_eq!(network.allowed(256, 0, at(2)), 0);
        assert_eq!((network.allowed(256, 0, at(7)), network.allowed(256, 0, at(8))), (1, 0), "one looks");
        network.answered(host(3), at(60));
        assert_eq!(network.allowed(256, 0, at(60)), 256);
        assert!(!network.failed(host(4), &silent(), at(61)));
    }

    #[test]
    fn hosts_that_never_answered_that_fail_now_and_then_or_beside_others_that_answer_are_to_blame_themselves() {
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
            "somebody refuses: there is a network"
        );
    }

    #[test]
    fn a_network_that_stays_away_for_hours_is_given_up_so_that_the_crawl_can_end() {
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
