//! What the log says of requests that brought nothing: the host, the URL, the cause, the next try, and what helps.
//!
//! A host's first failure is a warning, and so is the first with another cause; the repetitions are details. What follows
//! from failures is the frontier's.

use jiff::Timestamp;

use crate::address::Host;
use crate::failure::{Cause, Failure};
use crate::frontier::{Finished, HostStatus, Later, Outcome, RobotsAnswer, Work, name_of};

/// A failure with what it was asked for.
#[derive(Debug)]
pub(super) struct Failed {
    pub(super) host: Host,
    pub(super) failure: Failure,
    url: String,
    is_robots: bool,
}

impl Failed {
    /// The failure of a lease that has come back; none if it brought something, or its host merely asks for patience.
    pub(super) fn of(finished: &Finished) -> Option<Self> {
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
    pub(super) fn log(&self, status: &HostStatus, before: Option<Cause>, now: Timestamp) {
        let Self { host, failure, url, is_robots } = self;
        let (cause, name) = (failure.cause, name_of(&failure.cause));
        let count = status.trouble.as_ref().map_or(0, |trouble| trouble.count);
        // A page's own trouble is no host's.
        if count == 0 || before == Some(cause) {
            tracing::debug!(%host, %url, cause = name, count, "{url}: {failure}");
            return;
        }
        let what = if *is_robots { format!("{host}: its robots.txt could not be had") } else { url.clone() };
        let next = match status.next_due {
            Some(at) if at > now => format!("; next try at {at:.0}"),
            _ => String::new(),
        };
        let hint = cause.hint().map_or_else(String::new, |hint| format!("; {hint}"));
        tracing::warn!(%host, %url, cause = name, count, "{what}: {failure}{next}{hint}");
    }
}
