//! Defines the table `[crawl]` of a seeds file. The frontier defines the defaults for delays, retries and revisits.

use std::time::Duration;

use goldminer_core::Restriction;
use goldminer_fetch::IP_SPACING;
use serde::{Deserialize, Serialize};
use smart_default::SmartDefault;

use super::{ByteSize, HumanDuration};
use crate::frontier::{Attempts, Politeness, RevisitIntervals};

/// The settings of a crawl. A missing key has its default.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, SmartDefault)]
#[serde(deny_unknown_fields, default)]
pub struct CrawlSettings {
    /// The user agent as sent: product token and contact.
    pub user_agent: String,
    /// The least time between the end of a response and the next request to the same host.
    #[default(HumanDuration(Politeness::default().delay))]
    pub delay: HumanDuration,
    /// The least time between two requests to one IP address, for all hosts: by default 250 ms, or `delay` if shorter.
    pub ip_spacing: Option<HumanDuration>,
    /// The crawl stops after this many fetched pages. Feeds, sitemaps and later visits do not count.
    pub max_pages: Option<u64>,
    /// The crawl stops after this time.
    pub max_time: Option<HumanDuration>,
    /// The most requests in flight, over all hosts.
    #[default = 256]
    pub max_in_flight: usize,
    /// The most requests a second, over all hosts.
    pub max_requests_per_second: Option<u32>,
    /// Number of article-like pages after which a domain learns its profile (GoldMiner paper: "about 100").
    #[default = 100]
    pub learning_pages: usize,
    /// With a time limit: the first and shortest interval between visits of start pages, feeds and sitemaps.
    #[default(HumanDuration(RevisitIntervals::default().shortest))]
    pub shortest_revisit: HumanDuration,
    /// With a time limit: the longest interval between these visits, for pages that never change.
    #[default(HumanDuration(RevisitIntervals::default().longest))]
    pub longest_revisit: HumanDuration,
    /// If no new URL was found for this time, a warning is logged.
    pub alarm_after: Option<HumanDuration>,
    /// The crawl pauses while fewer bytes are free on its disk; by default 1 GiB, or a hundredth of the disk if less.
    pub min_free: Option<ByteSize>,
    /// The crawl ends after this time with too little free space.
    #[default(HumanDuration(Duration::from_secs(300)))]
    pub disk_patience: HumanDuration,
    /// How long a host first gets no requests after a 429 or 503 without Retry-After, or if its robots.txt is
    /// unreachable. The wait doubles each time.
    #[default(HumanDuration(Politeness::default().backoff))]
    pub backoff: HumanDuration,
    /// How long a URL first waits after an error that concerns only this URL. The wait is four times as long each time.
    #[default(HumanDuration(Attempts::default().wait))]
    pub retry_wait: HumanDuration,
    /// The proxy for all requests: its URL, or `none`. By default, the proxy of the environment variables is used.
    pub proxy: Option<String>,
    /// Restrictions that pages ask for and the crawl respects, besides robots.txt. A restricted page gives no text, but
    /// its links are followed.
    #[default(vec![Restriction::Noindex])]
    pub respect: Vec<Restriction>,
}

impl CrawlSettings {
    /// The least time between two requests to the same IP address. By default it is not longer than `delay`: with a
    /// shorter `delay`, hosts that share an IP address should get requests as quickly.
    pub(crate) fn ip_spacing(&self) -> Duration {
        self.ip_spacing.map_or(IP_SPACING.min(self.delay.0), |spacing| spacing.0)
    }
}
