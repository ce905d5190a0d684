//! The URL counts by state (at any moment, every discovered URL is queued, in flight, done or rejected), and the state
//! of a host.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::time::Duration;

use goldminer_core::Restriction;
use goldminer_html::Host;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::store::frontier::{Done, HostError, Rejection, RobotsStatus};

/// The state of a host.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HostStatus {
    /// The host.
    pub host: Host,
    /// URLs that wait for their first visit.
    pub queued: u64,
    /// Whether the host has a lease now.
    pub in_flight: bool,
    /// When the next request to the host is due; None while a request to its server is in flight, if there is nothing
    /// to request, or if the host is paused without an end, blocked or given up.
    pub next_due: Option<Timestamp>,
    /// Why the host gets no request now.
    pub waits_for: WaitsFor,
    /// The shared IP address at which the host waits for its turn, if it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<AddressWait>,
    /// The time from the end of a response to the next request, before jitter.
    pub delay: Duration,
    /// The delay set for this host, by a command or in the seeds file for its portal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub own_delay: Option<Duration>,
    /// The shortest possible delay: the configured one or, if longer, the one in robots.txt. Slow responses only add
    /// to it.
    pub least_delay: Duration,
    /// The delay that robots.txt asks for.
    pub crawl_delay: Option<Duration>,
    /// The state of its robots.txt.
    pub robots: RobotsStatus,
    /// Requests made.
    pub requests: u64,
    /// The failures since the host last answered, if there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trouble: Option<HostError>,
    /// Refusals (403, CAPTCHA) in a row.
    pub refusals: u8,
    /// Bytes received, before decoding.
    pub bytes: u64,
    /// Bytes of clean text extracted from its pages.
    pub clean_bytes: u64,
    /// The canonical host of the site, if this is another name of it. Pages are requested there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alias_of: Option<Host>,
    /// All path prefixes and URL patterns of the host whose URLs are no longer requested, with the rules.
    pub closed: Vec<ClosedTrap>,
}

/// A path prefix or URL pattern of a host whose URLs are no longer requested.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClosedTrap {
    /// The path prefix, or the pattern, such as `/calendar/<date>` or `?sid=<any>`.
    pub pattern: String,
    /// The rule that decided this.
    pub rule: Rejection,
}

/// The IP address at which a host waits for its turn: between the requests to one address there is a pause.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct AddressWait {
    /// The IP address.
    pub address: IpAddr,
    /// Number of hosts at this address that had requests lately.
    pub hosts: usize,
}

/// Why a host gets no request now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WaitsFor {
    /// A request is due.
    Nothing,
    /// A request is in flight.
    Answer,
    /// Its delay has not passed.
    Delay,
    /// The pause of its IP address has not passed: another host at the address had a request just now.
    Address,
    /// robots.txt asks for too long a delay; only robots.txt itself is requested.
    CrawlDelay,
    /// The host answered 429 or 503, or could not be reached.
    Backoff,
    /// robots.txt is unreachable; it is requested again on schedule.
    Robots,
    /// The next retry or visit is not due.
    Schedule,
    /// Its queue is empty.
    Links,
    /// The budget of its portal (pages or bytes) is spent.
    Budget,
    /// Its portal is no longer in the seeds file, or has `max_pages = 0` there.
    Seeds,
    /// The host refused several times in a row; one more attempt follows after a pause.
    Refusals,
    /// The host was not reached for a long time. It is tried again at the next start, or when it is resumed.
    GivenUp,
    /// Paused by the operator.
    Paused,
    /// Blocked by the operator.
    Blocked,
}

/// The URL counts. A crawl is complete only if [`Counts::check`] holds.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// URLs found, each counted once.
    pub discovered: u64,
    /// URLs that wait for their first visit.
    pub queued: u64,
    /// URLs leased for their first visit.
    pub in_flight: u64,
    /// URLs that are done, by outcome.
    pub done: BTreeMap<Done, u64>,
    /// URLs that a rule of the crawler has rejected, by rule.
    pub rejected: BTreeMap<Rejection, u64>,
    /// Responses to second and later visits.
    pub revisits: u64,
    /// Responses to requests for robots.txt.
    pub robots: u64,
    /// Number of times that a URL was queued for another attempt.
    pub retries: u64,
    /// Hosts with URLs.
    pub hosts: u64,
    /// Bytes received, before decoding.
    pub bytes: u64,
    /// Pages in all page indexes.
    pub pages: u64,
    /// Pages left out of the indexes because they ask for it and the operator respects that, by restriction.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub withheld: BTreeMap<Restriction, u64>,
}

impl Counts {
    /// Checks the accounting identity: discovered = queued + in flight + done + rejected.
    ///
    /// # Errors
    /// The difference, when it does not hold.
    pub fn check(&self) -> Result<(), Discrepancy> {
        let closed = self.done.values().sum::<u64>() + self.rejected.values().sum::<u64>();
        let accounted = self.queued + self.in_flight + closed;
        if accounted == self.discovered { Ok(()) } else { Err(Discrepancy { discovered: self.discovered, accounted }) }
    }
}

/// The counts do not add up: URLs were lost or counted twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{discovered} URLs were discovered, but {accounted} are counted by state; this is a bug, please report it")]
pub struct Discrepancy {
    /// URLs found.
    pub discovered: u64,
    /// URLs in all states together.
    pub accounted: u64,
}
