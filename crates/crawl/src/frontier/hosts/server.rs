//! Lets two hosts on one server share their delays and take turns. `http://h` and `https://h` on their default ports
//! are two hosts with a robots.txt each (RFC 9309, section 2.3), but one machine. They share the delay, Retry-After,
//! the pause after refusals, and the limit of one request in flight. A host on another port counts as another server.
//!
//! A port that does not answer affects only its own scheme: requests to port 443 do not wait for a closed port 80.
//! Each host has its own row on disk; what concerns the server is written into both rows.

use std::time::Duration;

use goldminer_html::{Host, HostKey};
use jiff::Timestamp;

use super::host::HostState;
use super::politeness::{HostSignal, later};
use crate::frontier::Frontier;
use crate::frontier::accounts::changes::Changes;
use crate::frontier::queue::outcome::Exchange;
use crate::store::frontier::{Hold, PortalId};

impl Frontier {
    /// The host of the same server over the other scheme, if it exists.
    pub(crate) fn sibling(&self, key: HostKey) -> Option<HostKey> {
        self.hosts.get(&key)?.sibling.filter(|sibling| self.hosts.contains_key(sibling))
    }

    /// Whether a request to the server is in flight, over either scheme.
    pub(crate) fn is_asked(&self, key: HostKey) -> bool {
        let Some(host) = self.hosts.get(&key) else { return false };
        host.is_asked() || self.sibling_of(host).is_some_and(HostState::is_asked)
    }

    /// The shortest delay of the host over the other scheme, which applies to this host, too.
    pub(crate) fn least_of_sibling(&self, key: HostKey) -> Duration {
        let sibling = self.hosts.get(&key).and_then(|host| self.sibling_of(host));
        sibling.map_or(Duration::ZERO, |sibling| self.config.politeness.least(&sibling.row.clock))
    }

    pub(crate) fn sibling_of(&self, host: &HostState) -> Option<&HostState> {
        self.hosts.get(&host.sibling?)
    }

    /// Creates a host that has never had a request, with the delays of its server.
    pub(crate) fn new_host_from_sibling(&self, host: Host, portal: Option<PortalId>, now: Timestamp) -> HostState {
        let politeness = &self.config.politeness;
        let delay = portal.and_then(|portal| self.portals.delay_of(portal, politeness.delay));
        let mut born = HostState::new(host, politeness.first(now));
        born.row.clock.delay = delay;
        if let Some(sibling) = self.sibling_of(&born) {
            let known = &sibling.row;
            let clock = &mut born.row.clock;
            clock.delay = delay.max(known.clock.delay);
            clock.next_allowed = sibling.next_free.max(now);
            clock.wait = known.clock.wait;
            born.next_free = sibling.next_free;
            born.row.hold = known.hold.filter(|hold| *hold != Hold::GivenUp);
        }
        born
    }

    /// Adds a host that is not known yet, with the delays of its server.
    pub(crate) fn ensure_host(&mut self, host: Host, portal: Option<PortalId>, now: Timestamp) {
        let key = host.key();
        if !self.hosts.contains_key(&key) {
            let born = self.new_host_from_sibling(host, portal, now);
            self.insert_host(key, born);
        }
    }

    /// Applies a response to the same server's host of the other scheme (`http` or `https`). `hold` is the stop of
    /// requests that the response has put on the first host.
    pub(crate) fn share(
        &mut self,
        changes: &mut Changes,
        key: HostKey,
        exchange: &Exchange,
        signal: HostSignal,
        hold: Option<Hold>,
    ) {
        let floor = self.least_of_sibling(key);
        let politeness = &self.config.politeness;
        let Some(host) = self.hosts.get_mut(&key) else { return };
        host.next_free = match signal {
            HostSignal::Silence => politeness.after(&host.row.clock, key, exchange.ended, floor),
            HostSignal::Well | HostSignal::Refusal | HostSignal::Busy(_) | HostSignal::Repeated => {
                host.row.clock.next_allowed
            }
        };
        let (next_free, own) = (host.next_free, host.row.clock.clone());
        let Some(sibling) = host.sibling else { return };
        let Some(other) = self.hosts.get_mut(&sibling) else { return };
        other.next_free = other.next_free.max(next_free);
        let clock = &mut other.row.clock;
        clock.next_allowed = clock.next_allowed.max(next_free);
        if let HostSignal::Busy(_) = signal {
            clock.doublings = clock.doublings.max(own.doublings);
            clock.trouble_over = clock.trouble_over.max(own.trouble_over);
            clock.wait = clock.wait.max(own.wait);
            clock.waits = clock.waits.max(1);
        }
        if let Some(Hold::Refusals { .. }) = hold
            && matches!(other.row.hold, None | Some(Hold::Refusals { .. }))
        {
            other.row.hold = hold;
        }
        changes.hosts.insert(sibling);
        if let Some(host) = self.hosts.get_mut(&key) {
            // If both are due, the other host goes first.
            host.row.clock.next_allowed = later(host.row.clock.next_allowed, Duration::from_nanos(1));
        }
    }

    /// Synchronises the clocks of a server's hosts that were loaded from disk. A request over either scheme may have
    /// ended just now, so the later time applies.
    pub(crate) fn sync_sibling_clock(&mut self, key: HostKey) {
        let Some(host) = self.hosts.get(&key) else { return };
        let (own, next_free) = (host.sibling, host.next_free);
        let Some(other) = own.and_then(|sibling| self.hosts.get_mut(&sibling)) else { return };
        other.row.clock.next_allowed = other.row.clock.next_allowed.max(next_free);
    }

    /// The longest delay or wait of a server's hosts. The next request to the server is no further ahead than this.
    pub(crate) fn explained(&self, key: HostKey) -> Duration {
        let of = |host: &HostState| self.config.politeness.delay(&host.row.clock).max(host.row.clock.wait);
        let Some(host) = self.hosts.get(&key) else { return Duration::ZERO };
        of(host).max(self.sibling_of(host).map_or(Duration::ZERO, of))
    }
}

#[cfg(test)]
mod tests {
    use crate::frontier::hosts::host::over_other_scheme;
    use goldminer_html::address::CrawlUrl;

    #[test]
    fn only_default_ports_of_one_name_are_one_server() {
        let host = |url: &str| CrawlUrl::parse(url).unwrap().host();
        let other = |url: &str| over_other_scheme(&host(url));
        assert_eq!(other("http://p.example/"), Some(host("https://p.example/").key()));
        assert_eq!(other("https://p.example:443/"), Some(host("http://p.example/").key()));
        assert_eq!(other("https://[::1]/"), Some(host("http://[::1]/").key()));
        assert_eq!(other("http://p.example:8080/"), None);
        assert_eq!(other("http://p.example:443/"), None);
    }
}
