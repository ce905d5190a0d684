//! Limits over all hosts: the pause between two requests to one IP address (many hosts may share a server), and the
//! total requests a second.
//!
//! The delay of a *host* is kept by the frontier, because it counts from the end of a response and must outlive the
//! process. Processes on several machines may share these limits ([`RateLimits::share`]); each then uses its part of
//! them. The crate `governor` counts each pause from the previous permit. Every check returns immediately; nothing
//! sleeps here.

use std::collections::HashMap;
use std::net::IpAddr;
use std::num::NonZeroU32;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use goldminer_html::HostKey;
use governor::clock::{Clock, DefaultClock};
use governor::middleware::NoOpMiddleware;
use governor::state::keyed::DashMapStateStore;
use governor::state::{InMemoryState, NotKeyed};
use governor::{NotUntil, Quota, RateLimiter};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::share::lock;

/// An IP address that several hosts share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SharedAddress {
    /// The IP address.
    pub address: IpAddr,
    /// Number of hosts with this address that had requests lately.
    pub hosts: usize,
}

/// The most addresses whose hosts are remembered: several times those of a large crawl.
const MAX_ADDRESSES: usize = 50_000;

/// Number of permits after which IP addresses without recent requests are removed. The crate `governor` never does so
/// by itself.
const PERMITS_BETWEEN_SWEEPS: u32 = 4_096;

type PerAddress<C> = RateLimiter<IpAddr, DashMapStateStore<IpAddr>, C, NoOpMiddleware<<C as Clock>::Instant>>;
type InAll<C> = RateLimiter<NotKeyed, InMemoryState, C, NoOpMiddleware<<C as Clock>::Instant>>;

/// The pauses of all IP addresses and the total limit of requests. The clock is a parameter for tests.
pub struct RateLimits<C: Clock = DefaultClock> {
    clock: C,
    requests: Mutex<Option<InAll<C>>>,
    /// The configured limit for one process.
    requests_per_second: Option<NonZeroU32>,
    pause: Duration,
    shared: Mutex<Shared<C>>,
    /// Number of permits that were taken from the total limit but not used, because the limit of the IP address made
    /// the request wait. The next requests use these permits first.
    spare_requests: AtomicU32,
    permits: AtomicU32,
    /// The hosts of each address that had requests lately.
    hosts: Mutex<FxHashMap<IpAddr, FxHashSet<HostKey>>>,
}

/// How many processes share the limits.
struct Shared<C: Clock> {
    processes: u32,
    /// How many processes send requests to each address; an address that is missing here counts as shared by all.
    sharers: HashMap<IpAddr, u32>,
    /// The pauses of shared addresses, by the number of processes n: n times the pause of an unshared address.
    pauses: HashMap<u32, PerAddress<C>>,
}

impl<C: Clock> Shared<C> {
    fn sharers_of(&self, address: IpAddr) -> u32 {
        self.sharers.get(&address).copied().unwrap_or(self.processes).max(1)
    }
}

impl RateLimits {
    /// The configured limits. A zero pause or no number of requests means no limit.
    pub(super) fn new(pause: Duration, requests: Option<NonZeroU32>) -> Self {
        Self::with_clock(pause, requests, DefaultClock::default())
    }
}

impl<C: Clock + Clone> RateLimits<C> {
    fn with_clock(pause: Duration, requests: Option<NonZeroU32>, clock: C) -> Self {
        Self {
            requests: Mutex::new(in_all(requests, 1, &clock)),
            requests_per_second: requests,
            pause,
            shared: Mutex::new(Shared { processes: 1, sharers: HashMap::new(), pauses: HashMap::new() }),
            clock,
            spare_requests: AtomicU32::new(0),
            permits: AtomicU32::new(0),
            hosts: Mutex::default(),
        }
    }

    /// Takes a permit for one request to that address.
    ///
    /// # Errors
    /// The time to wait before the next try, and the address to wait for; no address if the total limit is reached.
    /// No permit was taken.
    pub(super) fn take(&self, address: Option<IpAddr>, host: HostKey) -> Result<(), (Duration, Option<SharedAddress>)> {
        if let Some(address) = address {
            self.note(address, host);
        }
        let spare = self.spare_requests.fetch_update(Ordering::AcqRel, Ordering::Acquire, |n| n.checked_sub(1));
        if spare.is_err()
            && let Some(requests) = &*lock(&self.requests)
        {
            requests.check().map_err(|not| (self.wait(&not), None))?;
        }
        if let Some(address) = address
            && let Err(time) = self.take_of(address)
        {
            if self.requests_per_second.is_some() {
                self.spare_requests.fetch_add(1, Ordering::AcqRel);
            }
            let hosts = lock(&self.hosts).get(&address).map_or(1, FxHashSet::len);
            let address = SharedAddress { address, hosts };
            return Err((time, Some(address)));
        }
        self.sweep();
        Ok(())
    }

    /// Takes a permit for one request to an IP address. If n processes share the address, n times the pause applies in
    /// addition to the pause. The error is the time to wait.
    fn take_of(&self, address: IpAddr) -> Result<(), Duration> {
        let mut shared = lock(&self.shared);
        let sharers = shared.sharers_of(address);
        for of in [sharers, 1].into_iter().skip(usize::from(sharers == 1)) {
            let Some(quota) = Quota::with_period(self.pause.saturating_mul(of)) else { return Ok(()) };
            let new = || RateLimiter::new(quota, DashMapStateStore::default(), self.clock.clone());
            let pauses = shared.pauses.entry(of).or_insert_with(new);
            pauses.check_key(&address).map_err(|not| self.wait(&not))?;
        }
        Ok(())
    }

    /// The addresses that had requests lately.
    pub fn addresses(&self) -> Vec<IpAddr> {
        lock(&self.hosts).keys().copied().collect()
    }

    /// Number of addresses that had requests lately.
    pub fn known_addresses(&self) -> usize {
        lock(&self.hosts).len()
    }

    /// The pause between two requests to an address or, without an address, between any two requests.
    pub fn pause(&self, address: Option<IpAddr>) -> Duration {
        let shared = lock(&self.shared);
        match address {
            Some(address) => self.pause.saturating_mul(shared.sharers_of(address)),
            None => {
                let second = Duration::from_secs(1).saturating_mul(shared.processes);
                self.requests_per_second.map_or(Duration::ZERO, |requests| second / requests.get())
            }
        }
    }

    /// Sets the number of processes that share the limits from now on. `sharers` says how many of them send requests to
    /// each address; an address that is missing there counts as shared by all.
    pub fn share(&self, processes: u32, sharers: HashMap<IpAddr, u32>) {
        let mut shared = lock(&self.shared);
        if shared.processes != processes {
            *lock(&self.requests) = in_all(self.requests_per_second, processes.max(1), &self.clock);
            shared.pauses.retain(|of, _| *of <= processes.max(1));
        }
        shared.processes = processes.max(1);
        shared.sharers = sharers;
    }

    /// Remembers which hosts share an address.
    fn note(&self, address: IpAddr, host: HostKey) {
        let mut hosts = lock(&self.hosts);
        if hosts.len() >= MAX_ADDRESSES {
            hosts.clear();
        }
        hosts.entry(address).or_default().insert(host);
    }

    fn wait(&self, not: &NotUntil<C::Instant>) -> Duration {
        not.wait_time_from(self.clock.now()).max(Duration::from_millis(1))
    }

    fn sweep(&self) {
        if self.permits.fetch_add(1, Ordering::Relaxed) % PERMITS_BETWEEN_SWEEPS == PERMITS_BETWEEN_SWEEPS - 1 {
            for limiter in lock(&self.shared).pauses.values() {
                limiter.retain_recent();
                limiter.shrink_to_fit();
            }
        }
    }
}

/// The total limit; each process uses its part of it. Permits are given one at a time, because `Quota::per_second(n)`
/// would let n requests leave at the same time.
fn in_all<C: Clock + Clone>(requests: Option<NonZeroU32>, processes: u32, clock: &C) -> Option<InAll<C>> {
    let quota = Quota::with_period(Duration::from_secs(1).saturating_mul(processes) / requests?.get())?;
    Some(RateLimiter::direct_with_clock(quota, clock.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use governor::clock::FakeRelativeClock;

    const A: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(10, 0, 0, 1));
    const B: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(10, 0, 0, 2));

    fn spacing(pause_ms: u64, requests: Option<u32>) -> (RateLimits<FakeRelativeClock>, FakeRelativeClock) {
        let clock = FakeRelativeClock::default();
        let pause = Duration::from_millis(pause_ms);
        (RateLimits::with_clock(pause, requests.and_then(NonZeroU32::new), clock.clone()), clock)
    }

    fn take(spacing: &RateLimits<FakeRelativeClock>, address: IpAddr) -> Result<(), Duration> {
        spacing.take(Some(address), HostKey([0; 8])).map_err(|(wait, _)| wait)
    }

    #[test]
    fn a_wait_for_an_address_says_how_many_hosts_share_it() {
        let (spacing, _clock) = spacing(1_000, None);
        let host = |number| HostKey([number; 8]);
        assert_eq!(spacing.take(Some(A), host(1)), Ok(()));
        let refused = |number| spacing.take(Some(A), host(number)).unwrap_err().1;
        assert_eq!(refused(2), Some(SharedAddress { address: A, hosts: 2 }));
        assert_eq!(refused(3).map(|shared| shared.hosts), Some(3));
        assert_eq!((spacing.take(None, host(4)), spacing.take(None, host(5))), (Ok(()), Ok(())));
    }

    #[test]
    fn one_address_waits_and_another_does_not() {
        let (spacing, clock) = spacing(1_000, None);
        assert_eq!(take(&spacing, A), Ok(()));
        assert_eq!(take(&spacing, B), Ok(()));
        let wait = take(&spacing, A).unwrap_err();
        assert!(wait > Duration::from_millis(900) && wait <= Duration::from_secs(1), "{wait:?}");
        clock.advance(Duration::from_millis(999));
        assert!(take(&spacing, A).is_err());
        clock.advance(Duration::from_millis(1));
        assert_eq!(take(&spacing, A), Ok(()));
    }

    #[test]
    fn processes_divide_the_requests_to_a_shared_address() {
        let (spacing, clock) = spacing(1_000, Some(100));
        spacing.share(4, HashMap::from([(A, 3)]));
        let granted = |address, seconds: u64| {
            let mut granted = 0;
            for _ in 0..seconds * 20 {
                granted += usize::from(take(&spacing, address).is_ok());
                clock.advance(Duration::from_millis(50));
            }
            granted
        };
        assert_eq!(granted(A, 12), 4, "one every three seconds");
        assert_eq!(granted(B, 12), 3, "one every four seconds, while it is unknown who uses the address");
        spacing.share(1, HashMap::new());
        assert_eq!(granted(A, 12), 12, "the other processes have ended");
    }

    #[test]
    fn processes_divide_the_total_limit_of_requests() {
        let (spacing, clock) = spacing(0, Some(10));
        spacing.share(5, HashMap::new());
        let mut passed = 0;
        for _ in 0..1_000 {
            clock.advance(Duration::from_millis(10));
            passed += usize::from(take(&spacing, A).is_ok());
        }
        assert!((20..=21).contains(&passed), "{passed} in ten seconds at 10 a second for five");
    }

    #[test]
    fn the_total_limit_allows_no_bursts() {
        let (spacing, clock) = spacing(0, Some(10));
        let passed = (0..100).filter(|_| take(&spacing, A).is_ok()).count();
        assert_eq!(passed, 1);
        let mut passed = 0;
        for _ in 0..100 {
            clock.advance(Duration::from_millis(10));
            passed += usize::from(take(&spacing, A).is_ok());
        }
        assert_eq!(passed, 10, "in one second at 10 a second");
    }

    #[test]
    fn an_address_that_must_wait_uses_up_no_permits_of_others() {
        let (spacing, clock) = spacing(60_000, Some(10));
        assert_eq!(take(&spacing, A), Ok(()));
        clock.advance(Duration::from_millis(100));
        assert!(take(&spacing, A).is_err(), "A was asked just now");
        assert_eq!(take(&spacing, B), Ok(()), "the permit that A could not use");
        assert!(take(&spacing, B).is_err());
    }

    #[test]
    fn quiet_addresses_are_forgotten() {
        let (spacing, clock) = spacing(1_000, None);
        for i in 0..3 * PERMITS_BETWEEN_SWEEPS {
            clock.advance(Duration::from_millis(10));
            assert_eq!(take(&spacing, IpAddr::from(i.to_be_bytes())), Ok(()));
        }
        let known: usize = lock(&spacing.shared).pauses.values().map(RateLimiter::len).sum();
        assert!(known <= PERMITS_BETWEEN_SWEEPS as usize + 200, "{known} addresses are kept");
    }
}
