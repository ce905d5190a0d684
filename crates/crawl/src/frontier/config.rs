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
    /// Whether start pages, feeds and sitemaps are visited again. The crawl then does not end by itself.
    pub revisit: bool,
    /// The intervals between visits.
    pub intervals: RevisitIntervals,
    /// Limits on sitemaps.
    pub sitemaps: SitemapLimits,
    /// The most hosts of one registrable domain. Hosts in the seeds are added in any case.
    // No publisher has more. A name server that answers for every name would add hosts without end.
    #[default = 5_000]
    pub hosts_of_domain: usize,
    /// Whether each host's tdmrep.json is requested, each time after its robots.txt.
    pub asks_tdmrep: bool,
    /// Withdrawn URLs and hosts, which are never requested again.
    pub withdrawn: Withdrawals,
    /// Number of jobs that share this process's memory: the more jobs, the smaller the caches.
    #[default = 1]
    pub jobs: usize,
    /// The portals. A name keeps its [`PortalId`](crate::store::frontier::PortalId) for the life of the job.
    pub portals: Vec<Portal>,
}

/// Limits on the sitemaps of one portal. They are needed: the sitemaps of one real host list 4.4 million URLs.
#[derive(Debug, Clone, PartialEq, Eq, SmartDefault)]
pub struct SitemapLimits {
    /// The longest chain of sitemaps, counted from the one that robots.txt or the seeds name.
    #[default = 5]
    pub depth: u16,
    /// The most sitemaps taken from other sitemaps.
    #[default = 5_000]
    pub sitemaps: u64,
    /// The most URLs taken from sitemaps; each fetched page allows one more. At the usual delay, a host gets this many
    /// requests in a month.
    #[default = 500_000]
    pub urls: u64,
}

/// The delays and waits of a host.
#[derive(Debug, Clone, PartialEq, SmartDefault)]
pub struct Politeness {
    /// The time from the end of a response to the next request. Zero is only for loopback (the configuration checks
    /// this): then every request is due immediately, and response times have no effect.
    #[default(Duration::from_secs(5))]
    pub delay: Duration,
    /// The delay is at least this many times the last response time (Heritrix's `delayFactor`).
    #[default = 5.0]
    pub response_times: f64,
    /// The longest delay that results from the response time.
    #[default(Duration::from_secs(60))]
    pub adaptive_cap: Duration,
    /// Up to this fraction of the delay is added at random, so that hosts do not synchronise. Nothing is ever
    /// subtracted: the server must not see a gap shorter than the configured delay.
    #[default = 0.1]
    pub jitter: f64,
    /// The seed of the random generator of the jitter.
    pub jitter_seed: u64,
    /// The first wait of a host after a 429 or 503 without Retry-After, or after an unreachable robots.txt. Each
    /// further wait in a row is twice as long.
    #[default(Duration::from_secs(60))]
    pub backoff: Duration,
    /// The longest wait of any kind: Retry-After, backoff, pauses after refusals.
    #[default(Duration::from_secs(24 * 3600))]
    pub longest_wait: Duration,
    /// After this time without failures, the doubling starts again at `backoff`.
    #[default(Duration::from_secs(30 * 60))]
    pub forgiven_after: Duration,
    /// When the number of requests to a host reaches a multiple of this, and the last answer is neither a refusal nor a
    /// failure, the next wait after a failure is halved. Without this, a portal that fails once in a hundred requests
    /// would get ever longer waits, although it is not overloaded: at the usual delay, it is never without a failure
    /// for `forgiven_after`.
    #[default = 20]
    pub answers_forgive: u64,
    /// Refusals (403, CAPTCHA) in a row after which the host is paused.
    #[default = 3]
    pub refusals: u8,
    /// Failed connections in a row after which the whole host waits.
    #[default = 3]
    pub unreachable: u8,
    /// Waits in a row without an answer after which the host is given up until the next start or an operator's
    /// command.
    #[default = 12]
    pub give_up: u8,
    /// A host with a longer Crawl-delay is not crawled.
    #[default(Duration::from_secs(3600))]
    pub longest_crawl_delay: Duration,
    /// The age after which robots.txt is requested again (RFC 9309, section 2.4: at most 24 hours).
    #[default(Duration::from_secs(24 * 3600))]
    pub robots_lifetime: Duration,
}

/// How often a URL is tried before it counts as failed.
#[derive(Debug, Clone, PartialEq, Eq, SmartDefault)]
pub struct Attempts {
    /// The most attempts at a URL with server errors, truncated responses or failed connections.
    #[default = 3]
    pub on_error: u8,
    /// The most attempts at a URL with 429 or 503, which rarely depend on the URL.
    #[default = 10]
    pub when_busy: u8,
    /// The first wait of a URL after an error of its own. It grows fourfold each time.
    #[default(Duration::from_secs(300))]
    pub wait: Duration,
}

/// How often start pages, feeds and sitemaps are visited. The interval adapts to the page (CC-NEWS's adaptive
/// schedule): 1.5 times as long after an unchanged response, a fifth shorter after a changed one.
#[derive(Debug, Clone, PartialEq, SmartDefault)]
pub struct RevisitIntervals {
    /// The shortest interval, which is also the first.
    #[default(Duration::from_secs(90 * 60))]
    pub shortest: Duration,
    /// The longest interval.
    #[default(Duration::from_secs(90 * 24 * 3600))]
    pub longest: Duration,
    /// The factor after an unchanged response.
    #[default = 1.5]
    pub unchanged: f64,
    /// The factor after a changed response.
    #[default = 0.8]
    pub changed: f64,
}

impl RevisitIntervals {
    /// The next interval; `last` is the previous one, none after the first visit.
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
