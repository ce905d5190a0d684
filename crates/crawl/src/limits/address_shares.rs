//! Shares the requests fairly between IP addresses (called addresses here). The address of a host is known only after
//! its name was looked up, so this is checked after a lease (the right to make one request) was given out. A lease that
//! gets no place is returned and tried again later.
//!
//! There are two kinds of places. The places for requests in flight are shared between addresses, so that no address
//! gets all, however many portals it has. If an address had a request just now, or a limit over all hosts is reached,
//! leases wait in a short queue. The places of a queue are shared between domains, so that no domain gets all. Leases
//! leave a queue in the order of arrival; otherwise the newest could win each time.

use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use goldminer_fetch::share::{Capacity, lock, one_less};
use rustc_hash::FxHashMap;
use tokio::sync::OwnedMutexGuard;
use tokio::time::Instant;

use super::clock;

/// The weight of an IP address when places are shared ([`Capacity::has_room`]): an address may hold this many places for
/// each place that is free. Portals have weight 1, domains weight 2.
const ADDRESS_WEIGHT: usize = 3;
/// The longest wait in a queue, which limits the length of the queue. A lease (the right to make one request) that
/// would wait longer is given back, and tried again later.
pub(crate) const SHORT_WAIT: Duration = Duration::from_secs(3);
/// A domain has a share of a queue's places if it has asked for a place within this time.
const WANTED_LATELY: Duration = Duration::from_secs(10);
/// Empty queues are removed when there are this many queues.
const MOST_QUEUES: usize = 1_000;

/// Counts the leases at each IP address, and keeps the queues of leases that wait.
#[derive(Default)]
pub(crate) struct AddressShares(Mutex<State>);

#[derive(Default)]
struct State {
    /// The most leases in flight, over all addresses.
    most: usize,
    /// Number of leases at all addresses.
    present: usize,
    at: FxHashMap<IpAddr, usize>,
    queues: FxHashMap<Option<IpAddr>, Queue>,
}

#[derive(Default)]
struct Queue {
    waiting: usize,
    of_domains: FxHashMap<[u8; 8], DomainWaits>,
    /// Held by the first lease in the queue; tokio's mutex passes it on in the order of arrival.
    turn: TurnLock,
}

type TurnLock = Arc<tokio::sync::Mutex<()>>;

struct DomainWaits {
    waiting: usize,
    wanted: Instant,
}

/// A place at an IP address. Dropping the value frees the place.
pub(crate) struct Present<'a>(&'a AddressShares, IpAddr);

/// A place in a queue. Dropping the value frees the place.
pub(crate) struct Queued<'a>(&'a AddressShares, Option<IpAddr>, [u8; 8], TurnLock);

impl Queued<'_> {
    /// Waits until all earlier places have left the queue. Later ones wait until the returned guard is dropped.
    pub(crate) async fn wait_until_first(&self) -> OwnedMutexGuard<()> {
        Arc::clone(&self.3).lock_owned().await
    }
}

impl AddressShares {
    pub(crate) fn set_most(&self, most: usize) {
        self.state().most = most;
    }

    /// Takes a place for a request to an IP address. `known` is the number of addresses that share the places. Returns
    /// None if the address has used its share.
    pub(crate) fn enter(&self, address: IpAddr, known: usize) -> Option<Present<'_>> {
        let mut state = self.state();
        let taken = state.at.get(&address).copied().unwrap_or(0);
        let groups = known.max(state.at.len() + usize::from(taken == 0));
        if !Capacity::of(state.most.max(1), state.present).has_room(taken, groups, ADDRESS_WEIGHT) && taken > 0 {
            return None;
        }
        state.present += 1;
        *state.at.entry(address).or_default() += 1;
        Some(Present(self, address))
    }

    /// Takes a place for a domain in the queue of an IP address or, without an address, in the queue of the limit over
    /// all hosts. `pause` is the time between two requests of the queue, which limits its length. Returns None if the
    /// queue is full or the domain has used its share.
    pub(crate) fn wait(&self, address: Option<IpAddr>, domain: [u8; 8], pause: Duration) -> Option<Queued<'_>> {
        let now = clock::instant();
        let most = SHORT_WAIT.as_micros().checked_div(pause.as_micros()).unwrap_or(u128::MAX);
        let most = usize::try_from(most).unwrap_or(usize::MAX).max(1);
        let mut state = self.state();
        if state.queues.len() >= MOST_QUEUES {
            state.queues.retain(|_, queue| queue.waiting > 0);
        }
        let queue = state.queues.entry(address).or_default();
        queue.of_domains.retain(|_, of| of.waiting > 0 || now.duration_since(of.wanted) < WANTED_LATELY);
        let domains = queue.of_domains.len() + usize::from(!queue.of_domains.contains_key(&domain));
        let of_domain = queue.of_domains.entry(domain).or_insert(DomainWaits { waiting: 0, wanted: now });
        of_domain.wanted = now;
        let places = Capacity::of(most, queue.waiting);
        if places.free == 0 || !places.has_room(of_domain.waiting, domains, 1) {
            return None;
        }
        of_domain.waiting += 1;
        queue.waiting += 1;
        Some(Queued(self, address, domain, Arc::clone(&queue.turn)))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.0)
    }
}

impl Drop for Present<'_> {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.present -= 1;
        one_less(&mut state.at, self.1);
    }
}

impl Drop for Queued<'_> {
    fn drop(&mut self) {
        let mut state = self.0.state();
        let Some(queue) = state.queues.get_mut(&self.1) else { return };
        queue.waiting -= 1;
        if let Some(of_domain) = queue.of_domains.get_mut(&self.2) {
            of_domain.waiting -= 1;
        }
        if queue.waiting == 0 && queue.of_domains.len() <= 1 {
            state.queues.remove(&self.1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SLOW: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(10, 0, 0, 1));
    const WELL: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(10, 0, 0, 2));

    #[test]
    fn an_address_with_countless_hosts_leaves_places_for_others() {
        let shares = AddressShares::default();
        shares.set_most(256);
        let slow: Vec<_> = std::iter::from_fn(|| shares.enter(SLOW, 10)).collect();
        assert_eq!(slow.len(), 192);
        let well: Vec<_> = (0..20).filter_map(|_| shares.enter(WELL, 10)).collect();
        assert_eq!(well.len(), 20);
        drop((slow, well));
        assert_eq!(std::iter::from_fn(|| shares.enter(WELL, 1)).take(300).collect::<Vec<_>>().len(), 256, "alone");
    }

    #[test]
    fn a_domain_of_many_hosts_does_not_fill_the_queue() {
        let (shares, pause) = (AddressShares::default(), Duration::from_millis(250));
        let wait = |domain: u8| shares.wait(Some(SLOW), [domain; 8], pause);
        let alone: Vec<_> = std::iter::from_fn(|| wait(1)).collect();
        assert_eq!(alone.len(), 12, "three seconds of waiting");
        assert!(wait(2).is_none(), "all places are taken");
        drop(alone);
        let again: Vec<_> = std::iter::from_fn(|| wait(1)).collect();
        assert_eq!(again.len(), 6, "another one wanted a place");
        let other: Vec<_> = std::iter::from_fn(|| wait(2)).collect();
        assert_eq!(other.len(), 6);
        drop((again, other));
        for of_domain in shares.state().queues.values_mut().flat_map(|queue| queue.of_domains.values_mut()) {
            of_domain.wanted -= WANTED_LATELY;
        }
        let later: Vec<_> = std::iter::from_fn(|| wait(1)).collect();
        assert_eq!(later.len(), 12, "the other one has not come back");
        assert!(shares.wait(None, [1; 8], Duration::ZERO).is_some(), "a limit without a pause has no queue limit");
    }

    #[tokio::test]
    async fn leases_leave_a_queue_in_the_order_of_arrival() {
        let shares = AddressShares::default();
        let served = Mutex::new(Vec::new());
        let serve = async |domain: u8| {
            let place = shares.wait(Some(SLOW), [domain; 8], Duration::from_millis(250)).unwrap();
            let _turn = place.wait_until_first().await;
            // Without turns, the newest lease would be the first here.
            for _ in 0..10 - domain {
                tokio::task::yield_now().await;
            }
            served.lock().unwrap().push(domain);
        };
        tokio::join!(serve(1), serve(2), serve(3), serve(4));
        assert_eq!(served.into_inner().unwrap(), [1, 2, 3, 4]);
    }
}
