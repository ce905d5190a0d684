//! The table `[crawl]` of a seeds file, with the defaults of its keys. Those of politeness and patience are the frontier's.

use std::time::Duration;

use goldminer_core::Restriction;
use goldminer_fetch::IP_SPACING;
use serde::{Deserialize, Serialize};
use smart_default::SmartDefault;

use super::{ByteSize, HumanDuration};
use crate::frontier::{Attempts, Politeness, RevisitIntervals};

/// How a crawl behaves. A key that is not given has its default.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, SmartDefault)]
#[serde(deny_unknown_fields, default)]
pub struct CrawlSettings {
    /// As sent; product token and contact.
    pub user_agent: String,
    /// Least time between the end of a response and the next request to the same host.
    #[default(HumanDuration(Politeness::default().delay))]
    pub delay: HumanDuration,
    /// Least time between two requests to the same address, over all its hosts; by default as short as a short delay.
    pub ip_spacing: Option<HumanDuration>,
    /// Stop after this many pages.
    pub max_pages: Option<u64>,
    /// Stop after this time.
    pub max_time: Option<HumanDuration>,
    /// Requests in flight over all hosts.
    #[default = 256]
    pub max_in_flight: usize,
    /// Requests a second over all hosts.
    pub max_requests_per_second: Option<u32>,
    /// Article-like pages that a domain's learning phase waits for (GoldMiner paper: "about 100").
    #[default = 100]
    pub learning_pages: usize,
    /// With a limit of time: the first and shortest interval between visits of start pages, feeds and sitemaps.
    #[default(HumanDuration(RevisitIntervals::default().shortest))]
    pub shortest_revisit: HumanDuration,
    /// The longest one, for what never changes.
    #[default(HumanDuration(RevisitIntervals::default().longest))]
    pub longest_revisit: HumanDuration,
    /// Say so when nothing new was found for this time.
    pub alarm_after: Option<HumanDuration>,
    /// Pause while fewer bytes are free on the job's disk; by default 1 GiB, or a hundredth of the disk if that is less.
    pub min_free: Option<ByteSize>,
    /// After this time with too little room the crawl ends.
    #[default(HumanDuration(Duration::from_secs(300)))]
    pub disk_patience: HumanDuration,
    /// First wait of a host after a 429 or 503 without Retry-After, or an unavailable robots.txt; doubles.
    #[default(HumanDuration(Politeness::default().backoff))]
    pub backoff: HumanDuration,
    /// First wait of a URL after an error of its own; four times as long each time.
    #[default(HumanDuration(Attempts::default().wait))]
    pub retry_wait: HumanDuration,
    /// The proxy for all requests: its URL, or `none`; by default what the environment says.
    pub proxy: Option<String>,
    /// What pages say that is obeyed beyond robots.txt: such a page gives no text, its links are followed.
    #[default(vec![Restriction::Noindex])]
    pub respect: Vec<Restriction>,
}

impl CrawlSettings {
    /// The least time between two requests to the same address. A shorter delay is meant for all hosts, also for those that
    /// share an address, so by default the spacing is no longer than the delay.
    pub(crate) fn ip_spacing(&self) -> Duration {
        self.ip_spacing.map_or(IP_SPACING.min(self.delay.0), |spacing| spacing.0)
    }
}
