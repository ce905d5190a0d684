//! Decides when a crawl is over: a limit is reached, no URL is left, or the remaining URLs are not worth waiting for.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use tokio::time::Instant;

use super::{Ended, Limit};
use crate::frontier::{Frontier, HostError, HostStatus, RobotsStatus, WaitsFor};
use crate::limits::descriptors::DescriptorGuard;
use crate::limits::disk::{DiskGuard, DiskState};

/// If a request is due sooner than this, the crawl waits for it, unless only hosts are left that never answered and are
/// not likely to.
const WORTH_WAITING: SignedDuration = SignedDuration::from_secs(2);

/// If only failing hosts are left, the next attempt must be due within this time.
const PATIENCE: SignedDuration = SignedDuration::from_hours(1);

/// Number of attempts at a host that never answered, before the crawl ends without it.
const TRIES: u32 = 3;

/// The limits at which a crawl stops or slows down.
#[derive(Debug)]
pub(crate) struct Limits {
    /// The limit on requests in flight, which is lower than configured if file descriptors are short.
    pub descriptors: DescriptorGuard,
    pub max_pages: Option<u64>,
    pub deadline: Option<Instant>,
    /// The disk of the job, and the space that must stay free on it.
    pub disk: DiskGuard,
    /// The time without discoveries after which an alarm is logged.
    pub alarm_after: Option<Duration>,
}

impl Limits {
    /// The limit that was reached, if there is one.
    pub(crate) fn reached(&self, frontier: &Frontier, space: DiskState, now: Instant) -> Option<Ended> {
        if self.max_pages.is_some_and(|most| frontier.fetched_pages() >= most) {
            return Some(Ended::Limit(Limit::Pages));
        }
        if self.deadline.is_some_and(|deadline| now >= deadline) {
            return Some(Ended::Limit(Limit::Time));
        }
        match space {
            DiskState::Exhausted(free_bytes) => Some(Ended::Limit(Limit::Disk { free_bytes })),
            DiskState::Ample | DiskState::Short(_) => None,
        }
    }
}

/// Corrects the reason for which a crawl ends, when nothing is in flight. If no URL is queued, a page limit has stopped
/// nothing, and the crawl is finished. A crawl that `follows` its portals would have waited for new articles, so it
/// keeps the limit.
pub(crate) fn limit_end(ended: Ended, frontier: &Frontier, follows: bool) -> Ended {
    let has_stopped = follows || frontier.counts().queued > 0;
    if ended == Ended::Limit(Limit::Pages) && !has_stopped { Ended::Finished } else { ended }
}

/// Returns how the crawl ends when nothing is in flight; None if the next request, due at `wakeup`, is worth waiting
/// for. `follows` says that the crawl has a time limit. It then waits for every request until that limit.
pub(crate) fn idle_end(frontier: &Frontier, wakeup: Option<Timestamp>, follows: bool, now: Timestamp) -> Option<Ended> {
    let Some(wakeup) = wakeup else { return end_of_schedule(frontier, now) };
    if follows {
        return None;
    }
    let waiting = frontier.hosts(now);
    let waiting: Vec<&HostStatus> = waiting.iter().filter(|host| host.next_due.is_some()).collect();
    // The crawl waits for a host that has answered before. A host that never answered gets some attempts, or only one
    // if its failure is definite. Otherwise thousands of such hosts, of which one is always due, would keep the crawl
    // running for hours.
    let is_near = wakeup.duration_since(now) < WORTH_WAITING;
    if is_near && !waiting.iter().all(|host| is_hopeless(host)) {
        return None;
    }
    let worthwhile = waiting.iter().any(|host| match host.waits_for {
        WaitsFor::Answer | WaitsFor::Delay | WaitsFor::Address => true,
        WaitsFor::Nothing => !is_hopeless(host),
        _ => {
            let is_soon = host.next_due.is_some_and(|due| due.duration_since(now) < PATIENCE);
            is_soon && !is_hopeless(host)
        }
    });
    if worthwhile {
        return None;
    }
    let hosts = waiting.iter().map(|host| host.host.clone()).collect();
    let urls = waiting.iter().map(|host| host.queued).sum();
    Some(if waiting.iter().any(|host| has_answered(host)) {
        let refuse = waiting.iter().all(|host| host.waits_for == WaitsFor::Refusals);
        Ended::Limit(Limit::Patience { hosts, urls, refuse })
    } else {
        Ended::Unreached { hosts, urls }
    })
}

/// Returns how the crawl ends if no host has a next request. Returns None while a paused host has queued URLs,
/// because the operator may resume it.
fn end_of_schedule(frontier: &Frontier, now: Timestamp) -> Option<Ended> {
    let hosts = frontier.hosts(now);
    let waits = |host: &&HostStatus, kinds: &[WaitsFor]| host.queued > 0 && kinds.contains(&host.waits_for);
    if !paused_hosts(&hosts).is_empty() {
        return None;
    }
    let in_trouble = |host: &&HostStatus| waits(host, &[WaitsFor::GivenUp, WaitsFor::Refusals, WaitsFor::CrawlDelay]);
    let (mut names, mut urls, mut refuse) = (Vec::new(), 0, true);
    for host in hosts.iter().filter(in_trouble) {
        refuse &= host.waits_for == WaitsFor::Refusals;
        names.push(host.host.clone());
        urls += host.queued;
    }
    let over_budget = frontier.over_budget();
    Some(match (urls, over_budget) {
        (0, 0) => Ended::Finished,
        (0, urls) => Ended::Limit(Limit::Portals { urls }),
        (urls, _) => Ended::Limit(Limit::Patience { hosts: names, urls, refuse }),
    })
}

/// The hosts with queued URLs that an operator has paused.
pub(crate) fn paused_hosts(hosts: &[HostStatus]) -> Vec<&str> {
    let paused = hosts.iter().filter(|host| host.queued > 0 && host.waits_for == WaitsFor::Paused);
    paused.map(|host| host.host.as_str()).collect()
}

/// The hosts with queued URLs that did not answer last time, each with the cause: at most five, then the number of
/// others. Hosts that this program itself refused to request are left out.
pub(crate) fn silent_hosts(hosts: &[HostStatus]) -> Vec<String> {
    let silent = hosts.iter().filter(|host| host.queued > 0 && host.waits_for != WaitsFor::Paused);
    let troubled = silent.filter_map(|host| Some((&host.host, host.trouble.as_ref()?.cause)));
    let of_host = troubled.filter(|(_, cause)| !cause.is_lasting());
    let mut named: Vec<String> = of_host.map(|(host, cause)| format!("{} ({cause})", host.as_str())).collect();
    let further = named.len().saturating_sub(5);
    named.truncate(5);
    named.extend((further > 0).then(|| format!("{further} more")));
    named
}

/// Whether a host has never answered and is not likely to at the next attempt.
fn is_hopeless(host: &HostStatus) -> bool {
    let is_lost = |trouble: &HostError| trouble.count >= TRIES || trouble.cause.is_definite();
    !has_answered(host) && host.trouble.as_ref().is_some_and(is_lost)
}

fn has_answered(host: &HostStatus) -> bool {
    host.bytes > 0 || matches!(host.robots, RobotsStatus::Rules | RobotsStatus::AllowAll)
}
