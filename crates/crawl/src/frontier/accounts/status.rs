//! The accounts (every discovered URL is queued, in flight, done or rejected, at any moment), and the state of a host, as
//! `status` and the crawl look at them.

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
    /// When the next lease may be given out; none when there is nothing to ask for, or the host is held.
    pub next_due: Option<Timestamp>,
    /// Why not now.
    pub waits_for: WaitsFor,
    /// The address that it waits for, if it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<AddressWait>,
    /// From the end of a response to the next request, before jitter.
    pub delay: Duration,
    /// The delay that is set for this host alone, by an order or for its portal in the seeds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub own_delay: Option<Duration>,
    /// The least that it may be: what is configured or, if more, what robots.txt asks for. Slow answers only add to it.
    pub least_delay: Duration,
    /// What robots.txt asks for.
    pub crawl_delay: Option<Duration>,
    /// What is known of robots.txt.
    pub robots: RobotsStatus,
    /// Requests made.
    pub requests: u64,
    /// Failed connections, 429 and 503 in a row.
    pub troubles: u8,
    /// Why it gives nothing at present, since it last answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trouble: Option<HostError>,
    /// Refusals (403, CAPTCHA) in a row.
    pub refusals: u8,
    /// Bytes received on the wire.
    pub bytes: u64,
    /// Bytes of clean text that came out of them.
    pub clean_bytes: u64,
    /// Path prefixes that are closed because they gave hardly any text.
    pub closed_prefixes: Vec<String>,
    /// The canonical name of its site, when it is another one: its pages are asked for there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alias_of: Option<Host>,
    /// Everything that is closed, prefixes among it, with the rule.
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

/// An address that a host waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct AddressWait {
    /// The address.
    pub address: IpAddr,
    /// How many hosts it was asked for lately.
    pub hosts: usize,
}

/// Why a host is not asked now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WaitsFor {
    /// Nothing: it is due.
    Nothing,
    /// A request is in flight.
    Answer,
    /// Its delay.
    Delay,
    /// The pause of its address, which was asked for another host just now.
    Address,
    /// Nothing but its robots.txt: that asks for a delay at which nothing can be crawled.
    CrawlDelay,
    /// It said 429 or 503, or could not be reached.
    Backoff,
    /// robots.txt could not be had; asked again on schedule.
    Robots,
    /// The time of a retry or of the next visit.
    Schedule,
    /// Its queue is empty.
    Links,
    /// The budget of its portal is spent.
    Budget,
    /// It refused several times in a row: a pause, then one more try.
    Refusals,
    /// It could not be reached for long: the next start, or an operator.
    GivenUp,
    /// Paused by the operator.
    Paused,
    /// Blocked by the operator.
    Blocked,
}

/// The URL counts of the crawl. It is finished only if [`Counts::check`] holds.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// URLs found, each counted once however often it was found.
    pub discovered: u64,
    /// Waiting for their first visit.
    pub queued: u64,
    /// Given out for their first visit.
    pub in_flight: u64,
    /// Closed by what the web did.
    pub done: BTreeMap<Done, u64>,
    /// Closed by a rule of ours.
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
    /// Pages that are in none of them, since they ask for that and the operator obeys, by what they say.
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
