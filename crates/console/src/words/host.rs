//! Describes the state of a host.

use std::time::Duration;

use goldminer_corpus::figures::{counted, duration, thousands};
use goldminer_crawl::frontier::{AddressWait, HostError, HostStatus, WaitsFor};
use jiff::{SignedDuration, Timestamp};

/// When the host's next request is due: `in 3s`, `now` or `none`.
pub fn next_due(host: &HostStatus, now: Timestamp) -> String {
    match host.next_due {
        Some(at) if at > now => {
            let wait = at.duration_since(now);
            // Milliseconds matter only if there is nothing else.
            let whole = SignedDuration::from_secs(wait.as_secs());
            format!("in {}", duration(if whole.is_zero() { wait } else { whole }))
        }
        Some(_) => "now".to_owned(),
        None => "none".to_owned(),
    }
}

/// Why a host gets no request now, and its failures since it last answered.
pub fn reason(host: &HostStatus, now: Timestamp) -> String {
    let waits = match &host.address {
        Some(AddressWait { address, hosts: 0 | 1 }) => format!("waiting between requests to the IP address {address}"),
        Some(AddressWait { address, hosts }) => {
            let others = counted(*hosts as u64 - 1, "other host shares", "other hosts share");
            format!("waiting between requests to the IP address {address}, which {others}")
        }
        None => waits(host).to_owned(),
    };
    match &host.trouble {
        Some(trouble) => format!("{waits}: {}", in_a_row(trouble, now)),
        None => waits,
    }
}

/// The failures of a host since it last answered, as in `its port is closed (3 times in a row, last 2m ago)`.
pub(crate) fn in_a_row(trouble: &HostError, now: Timestamp) -> String {
    let ago = duration(now.duration_since(trouble.last).max(SignedDuration::ZERO));
    match trouble.count {
        0 | 1 => format!("{} (once, {ago} ago)", trouble.cause),
        count => format!("{} ({} times in a row, last {ago} ago)", trouble.cause, thousands(count.into())),
    }
}

fn waits(host: &HostStatus) -> &'static str {
    match host.waits_for {
        WaitsFor::Nothing => "a request is due",
        WaitsFor::Answer => "a request is in flight",
        WaitsFor::Delay => "waiting for the delay",
        WaitsFor::Address => "waiting between requests to its IP address",
        WaitsFor::Backoff if host.trouble.is_some() => "waiting for the next attempt",
        WaitsFor::Backoff => "waiting: it answered 429 or 503",
        WaitsFor::CrawlDelay => "skipped: the Crawl-delay in its robots.txt is too long to crawl it",
        WaitsFor::Robots => "waiting: its robots.txt is unreachable",
        WaitsFor::Schedule => "waiting for the next retry of a URL, or the next visit of a known page",
        WaitsFor::Links => "nothing is queued",
        WaitsFor::Budget => "page or byte limit reached",
        WaitsFor::Seeds => "its portal is not in the seeds file any more, or has max_pages = 0 there",
        WaitsFor::Refusals => "waiting: it refused several requests in a row",
        WaitsFor::GivenUp => "unreachable for a long time; the crawl tries again at its next start",
        WaitsFor::Paused => "paused by a command",
        WaitsFor::Blocked => "blocked by a command",
    }
}

/// A duration as text, in the format of delays: `1m 30s`.
pub fn span(length: Duration) -> String {
    duration(SignedDuration::try_from(length).unwrap_or(SignedDuration::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn milliseconds_are_left_out_from_a_second_on() {
        let mut host = crate::testing::host("https://a.example", 1, "delay");
        let mut due = |at: &str| {
            host["next_due"] = at.into();
            let host: HostStatus = serde_json::from_value(host.clone()).unwrap();
            next_due(&host, "2026-11-20T12:00:00Z".parse().unwrap())
        };
        assert_eq!(due("2026-11-20T12:00:03.052Z"), "in 3s");
        assert_eq!(due("2026-11-20T12:00:00.2Z"), "in 200ms");
        assert_eq!(due("2026-11-20T11:00:00Z"), "now");
    }
}
