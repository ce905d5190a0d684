//! The accounts (every discovered URL is queued, in flight, done or rejected at any moment), and the state of a host as
//! `status` and the crawl see it.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::time::Duration;

use goldminer_core::Restriction;
use goldminer_html::Host;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::frontier::traps::patterns::TrapRule;
use crate::store::frontier::{Done, HostError, Rejection, RobotsStatus};

/// The state of a host.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HostStatus {
    /// The host.
    pub host: Host,
    /// URLs that wait for their first visit.
    pub queued: u64,
    /// Whether a lease is out.
    pub in_flight: bool,
    /// When the next lease may be given out; none if there is nothing to request, or the host is held.
    pub next_due: Option<Timestamp>,
    /// The reason why it gets no request now.
    pub waits_for: WaitsFor,
    /// The address that it waits for, if it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<AddressWait>,
    /// From the end of a response to the next request, before jitter.
    pub delay: Duration,
    /// The delay that is set for this host alone, by a command or for its portal in the seeds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub own_delay: Option<Duration>,
    /// The shortest possible delay: the configured one or, if longer, the one in robots.txt. Slow answers only add to
    /// it.
    pub least_delay: Duration,
    /// The delay that robots.txt asks for.
    pub crawl_delay: Option<Duration>,
    /// The state of its robots.txt.
    pub robots: RobotsStatus,
    /// Requests made.
    pub requests: u64,
    /// Failed connections, 429 and 503 in a row.
    pub troubles: u8,
    /// Its failures since it last answered, if there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trouble: Option<HostError>,
    /// Refusals (403, CAPTCHA) in a row.
    pub refusals: u8,
    /// Bytes received on the wire.
    pub bytes: u64,
    /// Bytes of clean text extracted from its pages.
    pub clean_bytes: u64,
    /// Path prefixes that are closed because they gave hardly any text.
    pub closed_prefixes: Vec<String>,
    /// The canonical name of its site, if that is another one: its pages are requested there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alias_of: Option<Host>,
    /// All closed parts with their rules, prefixes included.
    pub closed: Vec<ClosedTrap>,
}

/// A part of a host that is closed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClosedTrap {
    /// A prefix of paths, or a pattern: `/calendar/<date>`, `?sid=<any>`.
    pub pattern: String,
    /// The rule that closed it.
    pub rule: TrapRule,
}

/// The address that a host waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct AddressWait {
    /// The address.
    pub address: IpAddr,
    /// The number of hosts at this address that had requests lately.
    pub hosts: usize,
}

/// The reason why a host gets no request now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WaitsFor {
    /// None: it is due.
    Nothing,
    /// A request is in flight.
    Answer,
    /// Its delay has not passed.
    Delay,
    /// The pause of its address has not passed: another host there just had a request.
    Address,
    /// Its robots.txt asks for a delay at which nothing can be crawled; only robots.txt itself is requested.
    CrawlDelay,
    /// It answered 429 or 503, or could not be reached.
    Backoff,
    /// Its robots.txt is unavailable, and is requested again on schedule.
    Robots,
    /// The next retry or visit is not due.
    Schedule,
    /// Its queue is empty.
    Links,
    /// The budget of its portal is spent.
    Budget,
    /// It refused several times in a row: one more try follows after a pause.
    Refusals,
    /// It could not be reached for a long time: tried again at the next start, or by an operator.
    GivenUp,
    /// Paused by the operator.
    Paused,
    /// Blocked by the operator.
    Blocked,
}

/// The URL counts of the crawl. It is finished only if [`Counts::check`] holds.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// URLs found; each is counted once, however often it is found.
    pub discovered: u64,
    /// Waiting for their first visit.
    pub queued: u64,
    /// Given out for their first visit.
    pub in_flight: u64,
    /// Closed by an answer of the web.
    pub done: BTreeMap<Done, u64>,
    /// Closed by one of our rules.
    pub rejected: BTreeMap<Rejection, u64>,
    /// Answers to second and later visits.
    pub revisits: u64,
    /// Answers to requests for robots.txt.
    pub robots: u64,
    /// Attempts that gave no outcome.
    pub retries: u64,
    /// Hosts with URLs.
    pub hosts: u64,
    /// Bytes received on the wire.
    pub bytes: u64,
    /// Entries in all page indexes.
    pub pages: u64,
    /// Pages that are left out of the indexes because they ask for it and the operator obeys, by restriction.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub withheld: BTreeMap<Restriction, u64>,
}

impl Counts {
    /// The accounting identity: discovered = queued + in flight + done + rejected.
    ///
    /// # Errors
    /// The difference, when it does not hold.
    pub fn check(&self) -> Result<(), Discrepancy> {
        let closed = self.done.values().sum::<u64>() + self.rejected.values().sum::<u64>();
        let accounted = self.queued + self.in_flight + closed;
        if accounted == self.discovered { Ok(()) } else { Err(Discrepancy { discovered: self.discovered, accounted }) }
    }
}

/// The accounts do not add up: URLs were lost or counted twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{discovered} URLs were discovered, but {accounted} are counted by state; this is a bug, please report it")]
pub struct Discrepancy {
    /// URLs found.
    pub discovered: u64,
    /// URLs in one of the accounts.
    pub accounted: u64,
}
