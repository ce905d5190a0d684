//! Limits the number of idle connections over all hosts. The HTTP client's pool has only a limit per host, so a crawl
//! of thousands of hosts would keep thousands of file descriptors open.
//!
//! Each connection that may be kept needs one of a limited number of places. A host has a place from the start of its
//! request until the pool has closed its idle connection. A registrable domain gets at most its share of the places,
//! however many hosts it has. A request without a place uses a connection that is closed after its response. A request
//! for robots.txt gets no place while more than 64 hosts have one.

use std::sync::Mutex;
use std::time::Duration;

use goldminer_html::HostKey;
use rustc_hash::FxHashMap;
use tokio::time::Instant;

use crate::request::Accept;
use crate::share::{PlacesByGroup, lock};

/// The most connections, active or idle, at which a robots.txt request may keep its connection. Its read buffer grows
/// to up to 400 kB with the response and keeps that size while idle, and reqwest has no option to limit it.
const MAX_KEPT_FOR_ROBOTS: usize = 64;

/// The least time between two searches for expired idle connections.
const SWEEP_EVERY: Duration = Duration::from_millis(500);

/// Decides which hosts may keep their connection, so that the number of kept connections is limited.
pub(crate) struct IdleBudget {
    most: usize,
    lifetime: Duration,
    places: Mutex<IdleConnections>,
}

#[derive(Default)]
struct IdleConnections {
    of_hosts: FxHashMap<HostKey, IdleConnection>,
    of_domains: PlacesByGroup,
    swept: Option<Instant>,
}

struct IdleConnection {
    domain: [u8; 8],
    /// When the pool has certainly closed the connection; None while it is in use.
    until: Option<Instant>,
}

impl IdleConnections {
    /// Frees the places of connections that the pool has closed, at most every [`SWEEP_EVERY`]. Returns false if it is
    /// too early.
    fn sweep(&mut self, now: Instant) -> bool {
        if self.swept.is_some_and(|swept| now.duration_since(swept) < SWEEP_EVERY) {
            return false;
        }
        self.swept = Some(now);
        let expired = self.of_hosts.extract_if(|_, place| place.until.is_some_and(|until| until <= now));
        expired.for_each(|(_, place)| self.of_domains.give_back(place.domain));
        true
    }
}

impl IdleBudget {
    /// Creates a budget of `most` kept connections. A connection counts for twice `idle_timeout` after its use, because
    /// the pool may take so long to close it.
    pub(crate) fn new(most: usize, idle_timeout: Duration) -> Self {
        Self { most, lifetime: 2 * idle_timeout, places: Mutex::default() }
    }

    /// Whether a request that leaves now may keep its connection to the host. When the request has ended,
    /// [`IdleBudget::release`] must be called.
    pub(crate) fn take(&self, host: HostKey, domain: [u8; 8], accept: Accept, now: Instant) -> bool {
        let mut places = lock(&self.places);
        if accept == Accept::Robots && places.of_hosts.len() > MAX_KEPT_FOR_ROBOTS {
            places.sweep(now);
            if places.of_hosts.len() > MAX_KEPT_FOR_ROBOTS {
                return false;
            }
        }
        if let Some(place) = places.of_hosts.get_mut(&host) {
            place.until = None;
            return true;
        }
        let has_room = places.of_domains.take(domain, self.most, 0)
            || places.sweep(now) && places.of_domains.take(domain, self.most, 0);
        if has_room {
            places.of_hosts.insert(host, IdleConnection { domain, until: None });
        }
        has_room
    }

    /// Notes that the request has ended: its connection is idle from now on.
    pub(crate) fn release(&self, host: HostKey, now: Instant) {
        let mut places = lock(&self.places);
        if let Some(place) = places.of_hosts.get_mut(&host) {
            place.until = Some(now + self.lifetime);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock;

    #[test]
    fn kept_connections_are_limited_and_expired_ones_free_places() {
        let budget = IdleBudget::new(2, Duration::from_secs(15));
        let host = |number: u8| HostKey([number; 8]);
        let take = |number, now| budget.take(host(number), [9; 8], Accept::Page, now);
        let start = clock::now();
        assert!(take(1, start) && take(2, start));
        assert!(!take(3, start), "both places are in use");
        budget.release(host(1), start);
        let later = |seconds| start + Duration::from_secs(seconds);
        assert!(!take(3, later(29)), "its connection may still be there");
        assert!(take(3, later(31)), "the pool has closed it");
        assert!(take(2, later(1_000)), "one in use keeps its place however long it takes");
        assert!(!take(1, later(1_000)));
    }

    #[test]
    fn a_domain_of_many_hosts_leaves_places_to_others() {
        let budget = IdleBudget::new(100, Duration::from_secs(15));
        let start = clock::now();
        let host = |number: u8, domain: u8| budget.take(HostKey([number; 8]), [domain; 8], Accept::Page, start);
        assert!(host(0, 2), "another domain is there");
        let kept = (1..=200).filter(|number| host(*number, 1)).count();
        assert_eq!(kept, 50);
        assert!((201..=220).all(|number| host(number, number)), "each of twenty others finds a place");
    }

    #[test]
    fn with_many_hosts_robots_txt_requests_keep_no_connections() {
        let budget = IdleBudget::new(1_024, Duration::from_secs(15));
        let start = clock::now();
        let take =
            |number: usize, accept| budget.take(HostKey(number.to_be_bytes()), number.to_be_bytes(), accept, start);
        let kept = (0..600).filter(|number| take(*number, Accept::Robots)).count();
        assert_eq!(kept, MAX_KEPT_FOR_ROBOTS + 1);
        assert!((0..600).all(|number| take(number, Accept::Page)), "their pages keep theirs");
        (0..600_usize).for_each(|number| budget.release(HostKey(number.to_be_bytes()), start));
        let later = start + Duration::from_secs(31);
        assert!(budget.take(HostKey([9; 8]), [9; 8], Accept::Robots, later), "the pool has closed all of them");
    }
}
