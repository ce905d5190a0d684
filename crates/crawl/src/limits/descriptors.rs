//! Divides the file descriptors before the crawl begins, so that sockets never use those that the archive and the
//! databases need. If the archive or a database could not open a file, the crawl would end.
//!
//! The soft limit is raised to the hard one. Then a part is reserved for files, and the rest is for requests in
//! flight and idle connections. During the crawl the real number is checked, because other code in the process opens
//! files, too. If few are left, the crawl has fewer requests in flight, and logs that.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use goldminer_fetch::share::lock;

use crate::CrawlError;

/// The limit on file descriptors is raised at most to this number. Nothing needs more, and some system calls take
/// longer with a high limit.
const ENOUGH: u64 = 65_536;
/// Number of file descriptors that are reserved for the archive, the databases, logs, users of the API, and files that
/// libraries open.
const RESERVE: usize = 256;
/// The most idle connections, whatever the limit: each holds some 50 kB of buffers.
const MOST_IDLE: usize = 1_024;
/// The fewest descriptors with which a crawl can open its own files.
pub(crate) const LEAST: usize = 128;
/// The interval between two checks.
const INTERVAL: Duration = Duration::from_millis(250);
/// How long only half as many requests may be in flight after one found no descriptor.
const RECOVERY: Duration = Duration::from_secs(30);

/// The limit on open file descriptors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Descriptors {
    limit: usize,
}

/// How the descriptors for sockets are divided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SocketShares {
    /// The most requests in flight.
    pub(crate) in_flight: usize,
    /// The most idle connections.
    pub(crate) idle: usize,
}

impl Descriptors {
    /// Raises the limit as far as the system allows. Systems without such limits have enough.
    pub(crate) fn raise() -> Self {
        let limit = rlimit::increase_nofile_limit(ENOUGH).unwrap_or(ENOUGH);
        Self { limit: usize::try_from(limit).unwrap_or(usize::MAX) }
    }

    /// Returns an error if there are fewer descriptors than `what` needs.
    pub(crate) fn need(self, what: &str, least: usize) -> Result<(), CrawlError> {
        match self.limit < least {
            true => Err(CrawlError::Descriptors { limit: self.limit, what: what.to_owned(), least }),
            false => Ok(()),
        }
    }

    /// Raises the limit for a task that opens this many files at a time, besides those of the program itself.
    pub fn raise_for_files(what: &str, files: usize) -> Result<(), CrawlError> {
        Self::raise().need(what, files + LEAST)
    }

    pub(crate) fn limit(self) -> usize {
        self.limit
    }

    /// Divides the descriptors that are not reserved. A request in flight may open two sockets (IPv6 and IPv4 at
    /// once) and query a name server, but few requests do so at the same time.
    pub(crate) fn shares(self, most_in_flight: usize) -> SocketShares {
        let left = self.limit.saturating_sub(self.reserve());
        let in_flight = most_in_flight.min(left * 2 / 5).max(1);
        SocketShares { in_flight, idle: left.saturating_sub(in_flight + in_flight / 2).min(MOST_IDLE) }
    }

    fn reserve(self) -> usize {
        RESERVE.min(self.limit / 2)
    }
}

/// Watches the number of open descriptors.
#[derive(Debug)]
pub(crate) struct DescriptorGuard {
    descriptors: Descriptors,
    most_in_flight: usize,
    open: usize,
    is_short: bool,
    starved: Option<Instant>,
}

impl DescriptorGuard {
    pub(crate) fn new(descriptors: Descriptors, most_in_flight: usize) -> Self {
        Self { descriptors, most_in_flight, open: 0, is_short: false, starved: None }
    }

    /// Halves the number of requests in flight for a while, because a connection found no free file descriptor.
    pub(crate) fn note_none_left(&mut self, now: Instant) {
        if self.starved.is_none() {
            tracing::warn!(
                limit = self.descriptors.limit,
                "no file descriptors were left for a connection (the limit is {}): half as many requests are in flight for \
                 a while. Raise the limit before the crawl (ulimit -n), or set max_in_flight lower",
                self.descriptors.limit
            );
        }
        self.starved = Some(now);
    }

    /// The most requests that may be in flight now. Counts open descriptors from time to time; changes are logged.
    pub(crate) fn most_in_flight(&mut self, now: Instant) -> usize {
        self.note(open_descriptors(now));
        self.allowed(now)
    }

    /// Number of open descriptors at the last check, and whether fewer requests are in flight because few are left.
    pub(crate) fn state(&self) -> (usize, bool) {
        (self.open, self.is_short || self.starved.is_some())
    }

    fn note(&mut self, open: usize) {
        self.open = open;
        let Descriptors { limit } = self.descriptors;
        let reserve = self.descriptors.reserve();
        let free = limit.saturating_sub(open);
        match (self.is_short, free < reserve / 2) {
            (false, true) => {
                self.is_short = true;
                tracing::warn!(
                    open,
                    limit,
                    "{open} of {limit} file descriptors are open: no new requests until there are fewer. Raise the \
                     limit before the crawl (ulimit -n)"
                );
            }
            (true, _) if free >= reserve * 3 / 4 => {
                self.is_short = false;
                tracing::info!(
                    open,
                    limit,
                    "{open} of {limit} file descriptors are open: the crawl continues at full speed"
                );
            }
            _ => {}
        }
    }

    fn allowed(&mut self, now: Instant) -> usize {
        if self.starved.is_some_and(|starved| now.duration_since(starved) >= RECOVERY) {
            self.starved = None;
        }
        match (self.is_short, self.starved) {
            (true, _) => 0,
            (false, Some(_)) => (self.most_in_flight / 2).max(1),
            (false, None) => self.most_in_flight,
        }
    }
}

/// Number of open descriptors of the process at the last check; 0 if the system does not report it. All crawls of
/// the process share one check, because each check visits all open descriptors.
fn open_descriptors(now: Instant) -> usize {
    static LAST_CHECK: Mutex<Option<(Instant, usize)>> = Mutex::new(None);
    let mut last = lock(&LAST_CHECK);
    match *last {
        Some((when, open)) if now.saturating_duration_since(when) < INTERVAL => open,
        _ => {
            let open = std::fs::read_dir("/dev/fd").map_or(0, Iterator::count);
            *last = Some((now, open));
            open
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptors_for_files_are_reserved_before_those_for_sockets() {
        for limit in [128, 256, 1_024, 20_000, 65_536] {
            let shares = Descriptors { limit }.shares(256);
            let most = shares.in_flight + shares.in_flight / 2 + shares.idle;
            assert!(most + RESERVE.min(limit / 2) <= limit, "{limit}: {shares:?}");
            assert!(shares.in_flight >= limit.min(640) * 2 / 5 / 2, "{limit}: {shares:?}");
        }
        assert_eq!(Descriptors { limit: 1_024 }.shares(256), SocketShares { in_flight: 256, idle: 384 });
        assert_eq!(Descriptors { limit: 65_536 }.shares(256), SocketShares { in_flight: 256, idle: MOST_IDLE });
    }

    #[test]
    fn no_requests_are_sent_while_few_descriptors_are_left() {
        let start = Instant::now();
        let mut guard = DescriptorGuard::new(Descriptors { limit: 1_024 }, 256);
        let mut allowed = |open| {
            guard.note(open);
            guard.allowed(start)
        };
        assert_eq!((allowed(700), allowed(890), allowed(897)), (256, 256, 0));
        assert_eq!((allowed(860), allowed(830)), (0, 256), "one closed descriptor is not enough");
    }

    #[test]
    fn after_a_lack_of_descriptors_half_as_many_requests_are_sent() {
        let start = Instant::now();
        let mut guard = DescriptorGuard::new(Descriptors { limit: 1_024 }, 256);
        guard.note_none_left(start);
        assert_eq!((guard.allowed(start), guard.state().1), (128, true));
        assert_eq!(guard.allowed(start + RECOVERY), 256);
        assert_eq!(guard.state(), (0, false));
    }
}
