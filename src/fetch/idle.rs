//! How many connections lie idle in all: the HTTP client's pool is bounded for each host and not over all of them, and
//! a crawl of thousands of hosts would keep thousands of descriptors open for the next request of each.
//!
//! A host has a place here from its request until its connection has been idle for so long that the pool has closed it.
//! Whoever finds no place asks over a connection that is closed after its answer.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use rustc_hash::FxHashMap;
use tokio::time::Instant;

use crate::address::HostKey;

/// Places are looked through for old ones no more often than this.
const SWEEP_EVERY: Duration = Duration::from_millis(500);

/// Places for connections that are kept.
pub(super) struct IdleBudget {
    most: usize,
    lifetime: Duration,
    places: Mutex<Places>,
}

#[derive(Default)]
struct Places {
    /// Until when the connection may lie in the pool; none while it is in use.
    until: FxHashMap<HostKey, Option<Instant>>,
    swept: Option<Instant>,
}

impl IdleBudget {
    /// So many connections at most; the pool closes one after `idle_timeout`, give or take as much.
    pub(super) fn new(most: usize, idle_timeout: Duration) -> Self {
        Self { most, lifetime: 2 * idle_timeout, places: Mutex::default() }
    }

    /// Whether a connection to the host may be kept after a request that leaves now; [`IdleBudget::release`] ends its use.
    pub(super) fn take(&self, host: HostKey, now: Instant) -> bool {
        let mut places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(place) = places.until.get_mut(&host) {
            *place = None;
            return true;
        }
        let is_old = places.swept.is_none_or(|swept| now.duration_since(swept) >= SWEEP_EVERY);
        if places.until.len() >= self.most && is_old {
            places.swept = Some(now);
            places.until.retain(|_, until| until.is_none_or(|until| until > now));
        }
        if places.until.len() >= self.most {
            return false;
        }
        places.until.insert(host, None);
        true
    }

    /// The request is over: from now on its connection may lie idle.
    pub(super) fn release(&self, host: HostKey, now: Instant) {
        let mut places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(place) = places.until.get_mut(&host) {
            *place = Some(now + self.lifetime);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fetch::clock;

    #[test]
    fn no_more_connections_are_kept_than_there_are_places_and_an_old_one_makes_room() {
        let budget = IdleBudget::new(2, Duration::from_secs(15));
        let host = |number: u8| HostKey([number; 8]);
        let start = clock::now();
        assert!(budget.take(host(1), start) && budget.take(host(2), start));
        assert!(!budget.take(host(3), start), "both places are in use");
        budget.release(host(1), start);
        let later = |seconds| start + Duration::from_secs(seconds);
        assert!(!budget.take(host(3), later(29)), "its connection may still be there");
        assert!(budget.take(host(3), later(31)), "the pool has closed it");
        assert!(budget.take(host(2), later(1_000)), "one in use keeps its place however long it takes");
        assert!(!budget.take(host(1), later(1_000)));
    }
}
