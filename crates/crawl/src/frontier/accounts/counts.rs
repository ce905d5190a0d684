//! The accounts: every discovered URL is queued, in flight, done or rejected, at any moment.

use std::collections::BTreeMap;

use goldminer_core::rights::Restriction;
use serde::{Deserialize, Serialize};

use crate::store::frontier::{Done, Rejection};

/// How the crawl stands. "Finished" may be said only if [`Counts::check`] holds.
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
#[error("{discovered} URLs were discovered, but {accounted} are accounted for; this is a defect, please report it")]
pub struct Discrepancy {
    /// URLs found.
    pub discovered: u64,
    /// URLs in one of the accounts.
    pub accounted: u64,
}
