//! Decides when a crawl is over: a limit is reached, no URL is left, or the remaining URLs are not worth waiting for.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use tokio::time::Instant;

use super::{Ended, Limit};
use crate::frontier::{Frontier, HostError, HostStatus, RobotsStatus, WaitsFor};
use crate::limits::descriptors::DescriptorGuard;
use crate::limits::disk::{DiskGuard, Space};

/// Shorter waits are always waited for.
const WORTH_WAITING: SignedDuration = SignedDuration::from_secs(2);

/// If all that is left waits for hosts in trouble, the next try must be due within this time.
const PATIENCE: SignedDuration = SignedDuration::from_hours(1);

/// The number of tries of a host that never answered, before the crawl ends without it.
const TRIES: u32 = 3;

/// The conditions for stopping.
#[derive(Debug)]
pub(crate) struct Limits {
    /// The limit on requests in flight, which may be lower than configured if descriptors are short.
    pub descriptors: DescriptorGuard,
    pub max_pages: Option<u64>,
    pub deadline: Option<Instant>,
    /// The disk of the job, and the space that must stay free on it.
    pub disk: DiskGuard,
    /// The time without discoveries after which there is an alarm.
    pub alarm_after: Option<Duration>,
}

impl Limits {
    /// The limit that was reached, if there is one.
    pub(crate) fn reached(&self, frontier: &Frontier, space: Space, now: Instant) -> Option<Ended> {
        if self.max_pages.is_some_and(|most| frontier.fetched() >= most) {
            return Some(Ended::Limit(Limit::Pages));
        }
        if self.deadline.is_some_and(|deadline| now >= deadline) {
            return Some(Ended::Limit(Limit::Time));
        }
        match space {
            Space::Exhausted(free_bytes) => Some(Ended::Limit(Limit::Disk { free_bytes })),
            Space::Ample | Space::Short(_) => None,
        }
    }
}

/// How the crawl ends when nothing is in flight; none if something is worth waiting for. `follows`: it lasts until its
/// time is over.
pub(crate) fn idle_end(frontier: &Frontier, wakeup: Option<Timestamp>, follows: bool, now: Timestamp) -> Option<Ended> {
    let Some(wakeup) = wakeup else { return end_of_schedule(frontier, now) };
    if follows {
        return None;
    }
    let waiting = frontier.hosts(now);
    let waiting: Vec<&HostStatus> = waiting.iter().filter(|host| host.next_due.is_some()).collect();
    // A host that has answered before is waited for. One that never did gets some tries, unless its failure leaves no
    // doubt: thousands of these are due all the time, and would keep the crawl running for hours.
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
        Ended::Limit(Limit::Patience { hosts, urls })
    } else {
        Ended::Unreached { hosts, urls }
    })
}

/// How the crawl ends if no host is scheduled. It waits for a paused host, which its operator may resume.
fn end_of_schedule(frontier: &Frontier, now: Timestamp) -> Option<Ended> {
    let hosts = frontier.hosts(now);
    let waits = |host: &&HostStatus, kinds: &[WaitsFor]| host.queued > 0 && kinds.contains(&host.waits_for);
    if hosts.iter().any(|host| waits(&host, &[WaitsFor::Paused])) {
        return None;
    }
    let in_trouble = |host: &&HostStatus| waits(host, &[WaitsFor::GivenUp, WaitsFor::Refusals, WaitsFor::CrawlDelay]);
    let (mut names, mut urls) = (Vec::new(), 0);
    for host in hosts.iter().filter(in_trouble) {
        names.push(host.host.clone());
        urls += host.queued;
    }
    Some(if urls > 0 { Ended::Limit(Limit::Patience { hosts: names, urls }) } else { Ended::Finished })
}

/// Whether a host has never answered and is not likely to at the next try.
fn is_hopeless(host: &HostStatus) -> bool {
    let is_lost = |trouble: &HostError| trouble.count >= TRIES || trouble.cause.is_definite();
    !has_answered(host) && host.trouble.as_ref().is_some_and(is_lost)
}

fn has_answered(host: &HostStatus) -> bool {
    host.bytes > 0 || matches!(host.robots, RobotsStatus::Rules | RobotsStatus::AllowAll)
}
