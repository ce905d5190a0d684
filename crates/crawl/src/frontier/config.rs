//! Settings of the frontier: delays, retries, portals. All their defaults are here.

use std::time::Duration;

use smart_default::SmartDefault;

use super::scope::Withdrawals;
use crate::Portal;

/// The frontier's settings.
#[derive(Debug, Clone, SmartDefault)]
pub struct FrontierConfig {
    /// Delays between requests to a host.
    pub politeness: Politeness,
    /// How often a URL is tried.
    pub attempts: Attempts,
    /// Visit start pages, feeds and sitemaps again: the crawl then follows its portals and does not end by itself.
    pub revisit: bool,
    /// Intervals between visits.
    pub intervals: RevisitIntervals,
    /// Limits on sitemaps.
    pub sitemaps: SitemapLimits,
    /// The most hosts of one registrable domain, besides those in the seeds.
    // More than any publisher has. A name server that answers for every name would add hosts without end.
    #[default = 5_000]
    pub hosts_of_domain: usize,
    /// Request each host's tdmrep.json, after its robots.txt and as often.
    pub asks_tdmrep: bool,
    /// What was taken out of the job and is never requested again.
    pub withdrawn: Withdrawals,
    /// The number of jobs that share the memory of this process: the more there are, the smaller the caches.
    #[default = 1]
    pub jobs: usize,
    /// The portals; a name keeps its [`PortalId`](crate::store::frontier::PortalId) for the life of the job.
    pub portals: Vec<Portal>,
}

/// Limits on the sitemaps of one portal: a single host has listed 4.4 million URLs.
#[derive(Debug, Clone, PartialEq, Eq, SmartDefault)]
pub struct SitemapLimits {
    /// The longest chain of sitemaps, counted from the one that robots.txt or the seeds name.
    #[default = 5]
    pub depth: u16,
    /// The most sitemaps that are named in other sitemaps.
    #[default = 5_000]
    pub sitemaps: u64,
    /// The most URLs, in addition to as many as were fetched: at the usual delay, a month's work.
    #[default = 500_000]
    pub urls: u64,
}

/// Politeness settings of a host.
#[derive(Debug, Clone, PartialEq, SmartDefault)]
pub struct Politeness {
    /// The time from the end of a response to the next request. Zero is only for loopback (the configuration enforces
    /// this): then everything is due at once, and the adaptive delay is off.
    #[default(Duration::from_secs(5))]
    pub delay: Duration,
    /// The delay is at least this many times the last response time (Heritrix's `delayFactor`).
    #[default = 5.0]
    pub response_times: f64,
    /// The longest delay that follows from the response time.
    #[default(Duration::from_secs(60))]
    pub adaptive_cap: Duration,
    /// Up to this share is added at random, so that hosts do not fall into step. It is never subtracted: the server's
    /// log must not show a gap below the configured delay.
    #[default = 0.1]
    pub jitter: f64,
    /// Seed of the jitter.
    pub jitter_seed: u64,
    /// The first wait after a 429 or 503 without Retry-After, or an unavailable robots.txt; it doubles.
    #[default(Duration::from_secs(60))]
    pub backoff: Duration,
    /// The longest wait of any kind: Retry-After, backoff, pauses after refusals.
    #[default(Duration::from_secs(24 * 3600))]
    pub longest_wait: Duration,
    /// After this time without trouble the doubling starts again.
    #[default(Duration::from_secs(30 * 60))]
    pub forgiven_after: Duration,
    /// One request in this many takes back one doubling, if it is answered. A portal that fails once in a hundred
    /// requests is not overloaded, and at the usual delay it would never be without trouble for that long.
    #[default = 20]
    pub answers_forgive: u64,
    /// This many refusals (403, CAPTCHA) in a row pause the host.
    #[default = 3]
    pub refusals: u8,
    /// This many failed connections in a row make the whole host back off.
    #[default = 3]
    pub unreachable: u8,
    /// After this many back-offs in a row without an answer, the host is held until the next start or an operator's
    /// command.
    #[default = 12]
    pub give_up: u8,
    /// A host with a longer Crawl-delay is set aside.
    #[default(Duration::from_secs(3600))]
    pub longest_crawl_delay: Duration,
    /// A robots.txt older than this is requested again (RFC 9309, section 2.4: at most 24 hours).
    #[default(Duration::from_secs(24 * 3600))]
    pub robots_lifetime: Duration,
}

/// How often a URL is tried before its account is closed as failed.
#[derive(Debug, Clone, PartialEq, Eq, SmartDefault)]
pub struct Attempts {
    /// After server errors, cut responses and failed connections.
    #[default = 3]
    pub on_error: u8,
    /// After 429 and 503, which are rarely the URL's fault.
    #[default = 10]
    pub when_busy: u8,
    /// The first wait of a URL after an error of its own; it grows fourfold each time.
    #[default(Duration::from_secs(300))]
    pub wait: Duration,
}

/// How often start pages, feeds and sitemaps are visited: the interval adapts to the page (CC-NEWS's adaptive schedule:
/// half as long again after an unchanged answer, a fifth shorter after a changed one).
#[derive(Debug, Clone, PartialEq, SmartDefault)]
pub struct RevisitIntervals {
    /// The shortest interval, which is also the first.
    #[default(Duration::from_secs(90 * 60))]
    pub shortest: Duration,
    /// The longest.
    #[default(Duration::from_secs(90 * 24 * 3600))]
    pub longest: Duration,
    /// Factor after an unchanged answer.
    #[default = 1.5]
    pub unchanged: f64,
    /// Factor after a changed answer.
    #[default = 0.8]
    pub changed: f64,
}

impl RevisitIntervals {
    /// The interval after an answer; `last` is the previous one, none after the first visit.
    pub fn after(&self, last: Option<Duration>, changed: bool) -> Duration {
        let Some(last) = last else { return self.shortest };
        let factor = if changed { self.changed } else { self.unchanged };
        last.mul_f64(factor).clamp(self.shortest, self.longest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_grow_while_nothing_changes_and_stay_within_bounds() {
        let intervals = RevisitIntervals::default();
        let minutes = |m: u64| Duration::from_secs(m * 60);
        assert_eq!(intervals.after(None, true), minutes(90));
        assert_eq!(intervals.after(Some(minutes(90)), false), minutes(135));
        assert_eq!(intervals.after(Some(minutes(135)), true), minutes(108));
        assert_eq!(intervals.after(Some(minutes(90)), true), minutes(90), "never sooner");
        assert_eq!(intervals.after(Some(intervals.longest), false), intervals.longest, "never later");
    }
}
