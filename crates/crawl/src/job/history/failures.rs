//! Requests that brought nothing, before the frontier hears of them: those that our own network is to blame for go back
//! uncounted; of the others the log names host, URL, cause, next try, and what helps.
//!
//! A host's first failure is a warning, and so is the first with another cause; the repetitions are details. What follows
//! from failures is the frontier's.

use std::time::Duration;

use goldminer_fetch::failure::{Cause, Failure};
use goldminer_html::Host;
use jiff::Timestamp;

use crate::frontier::{Finished, Frontier, Later, Outcome, RobotsAnswer, Work};
use crate::run::network::Network;
use crate::{CrawlError, HostStatus, Live, name_of};

/// A host for which no file descriptor was left is asked after so long.
pub(crate) const STARVED_WAIT: Duration = Duration::from_secs(1);

/// A failure with what it was asked for.
#[derive(Debug)]
pub(crate) struct Failed {
    pub(crate) host: Host,
    pub(crate) failure: Failure,
    url: String,
    is_robots: bool,
}

impl Failed {
    /// The failure of a lease that has come back; none if it brought something, or its host merely asks for patience.
    pub(crate) fn of(finished: &Finished) -> Option<Self> {
        let failure = match &finished.outcome {
            Outcome::Robots(RobotsAnswer::Unavailable { failure, .. }) => failure,
            Outcome::Later(Later::Unreachable(failure) | Later::ServerError(failure)) => failure,
            _ => return None,
        };
        Some(Self {
            host: finished.lease.host.clone(),
            failure: failure.clone(),
            url: finished.lease.work.url().to_string(),
            is_robots: matches!(finished.lease.work, Work::Robots { .. }),
        })
    }

    /// Says so; `status` is the host's after the failure was counted, `before` the cause of the one before.
    pub(crate) fn log(&self, status: &HostStatus, before: Option<Cause>, now: Timestamp) {
        let Self { host, failure, url, is_robots } = self;
        let (cause, name) = (failure.cause, name_of(&failure.cause));
        let count = status.trouble.as_ref().map_or(0, |trouble| trouble.count);
        // A page's own trouble is no host's.
        if count == 0 || before == Some(cause) {
            tracing::debug!(%host, %url, cause = name, count, "{url}: {failure}");
            return;
        }
        let what = if *is_robots { format!("{host}: its robots.txt is unavailable") } else { url.clone() };
        let next = match status.next_due {
            Some(at) if at > now => format!("; next try at {at:.0}"),
            _ => String::new(),
        };
        let hint = cause.hint().map_or_else(String::new, |hint| format!("; {hint}"));
        tracing::warn!(%host, %url, cause = name, count, "{what}: {failure}{next}{hint}");
    }
}

/// Takes out what failed because our network is away: such leases go back as if nothing had been asked.
pub(crate) fn without_network(
    group: Vec<Finished>,
    network: &mut Network,
    frontier: &mut Frontier,
    live: &Live,
    now: Timestamp,
) -> Result<Vec<Finished>, CrawlError> {
    let mut counted = Vec::with_capacity(group.len());
    for finished in group {
        let host = finished.lease.host.key();
        let is_excused = match Failed::of(&finished) {
            Some(failed) => network.failed(host, &failed.failure, now),
            None => false,
        };
        if finished.exchange.is_some_and(|exchange| exchange.status.is_some()) {
            network.answered(host, now);
        }
        if is_excused {
            live.count(|counters| counters.in_flight -= 1);
            let wait = frontier.host(&finished.lease.host, now).map_or(STARVED_WAIT, |host| host.delay);
            frontier.give_back(finished.lease, now, now + wait)?;
        } else {
            counted.push(finished);
        }
    }
    let away = network.away_since().map_or(0, |since| since.as_second());
    live.count(|counters| counters.network_away_since = away);
    Ok(counted)
}

/// Why a host's last request failed, if it did.
pub(crate) fn cause_before(frontier: &Frontier, host: &Host, now: Timestamp) -> Option<Cause> {
    frontier.host(host, now)?.trouble.map(|trouble| trouble.cause)
}
