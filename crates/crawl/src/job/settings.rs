//! Converts a job's configuration to the settings of each stage.

use std::num::NonZeroU32;
use std::path::Path;

use goldminer_core::Restriction;
use goldminer_core::extract::domain::Rules;
use goldminer_core::goldminer::PROGRAM;
use goldminer_fetch::{FetchConfig, Fetcher};
use goldminer_warc::WarcInfo;

use crate::frontier::{Attempts, FrontierConfig, Politeness, RevisitIntervals, SitemapLimits, Withdrawals};
use crate::limits::descriptors::{self, Descriptors, SocketShares};
use crate::{Config, CrawlError, Live};

pub(crate) fn frontier_config(config: &Config) -> FrontierConfig {
    FrontierConfig {
        politeness: Politeness {
            delay: config.crawl.delay.0,
            backoff: config.crawl.backoff.0,
            ..Politeness::default()
        },
        attempts: Attempts { wait: config.crawl.retry_wait.0, ..Attempts::default() },
        // With a time limit, the crawl revisits its portals until then.
        revisit: config.crawl.max_time.is_some(),
        intervals: RevisitIntervals {
            shortest: config.crawl.shortest_revisit.0,
            longest: config.crawl.longest_revisit.0.max(config.crawl.shortest_revisit.0),
            ..RevisitIntervals::default()
        },
        sitemaps: SitemapLimits::default(),
        portals: config.portals.clone(),
        // This is one more request per host, for a file that hardly any host has, so it is only sent if the operator
        // respects the file.
        asks_tdmrep: config.crawl.respect.contains(&Restriction::Tdm),
        withdrawn: Withdrawals::of(&config.withdrawn),
        ..FrontierConfig::default()
    }
}

pub(crate) fn learning_rules(config: &Config) -> Rules {
    let mut rules = Rules::default();
    rules.learning_pages = config.crawl.learning_pages as u64;
    rules.withdraws = true;
    rules
}

/// The bytes that must stay free on the job's disk: as configured, or else 1 GiB, or a hundredth of the disk if that
/// is less.
pub(crate) fn reserve_bytes(config: &Config, root: &Path) -> u64 {
    let hundredth = || fs4::total_space(root).map_or(u64::MAX, |bytes| bytes / 100);
    config.crawl.min_free.map_or_else(|| hundredth().min(1 << 30), |bytes| bytes.0)
}

/// Whether the disk of a folder has the free space that a crawl must leave. False if the disk cannot be queried,
/// because nothing can be written to such a disk.
pub fn has_room(config: &Config, folder: &Path) -> bool {
    fs4::available_space(folder).is_ok_and(|free| free >= reserve_bytes(config, folder))
}

/// Divides the file descriptors that sockets may use. Logs a warning if there are few.
pub(crate) fn shares(descriptors: Descriptors, config: &Config, live: &Live) -> Result<SocketShares, CrawlError> {
    live.count(|counters| counters.descriptors_limit = descriptors.limit());
    descriptors.need("a crawl", descriptors::LEAST)?;
    let shares = descriptors.shares(config.crawl.max_in_flight);
    if shares.in_flight < config.crawl.max_in_flight {
        tracing::warn!(
            limit = descriptors.limit(),
            "only {} file descriptors are allowed: at most {} requests are in flight instead of {}. Raise the limit \
             before the crawl (ulimit -n)",
            descriptors.limit(),
            shares.in_flight,
            config.crawl.max_in_flight
        );
    }
    Ok(shares)
}

pub(crate) fn fetcher(config: &Config, max_idle_connections: usize) -> Result<Fetcher, CrawlError> {
    Ok(Fetcher::new(fetch_config(config, max_idle_connections)?)?)
}

pub(crate) fn fetch_config(config: &Config, max_idle_connections: usize) -> Result<FetchConfig, CrawlError> {
    Ok(FetchConfig {
        proxy: config.proxy()?,
        max_idle_connections,
        resolve: config.resolve_rules()?,
        private: config.private_access()?,
        ip_spacing: config.crawl.ip_spacing(),
        max_requests_per_second: config.crawl.max_requests_per_second.and_then(NonZeroU32::new),
        ..FetchConfig::new(config.user_agent()?)
    })
}

/// The beginning of the names of archive files.
pub(crate) const ARCHIVE_PREFIX: &str = "goldminer";

pub(crate) fn warc_info(config: &Config) -> WarcInfo {
    let portals = config.portals.iter().map(|portal| portal.name.as_str()).collect::<Vec<_>>().join(", ");
    WarcInfo {
        software: PROGRAM.to_owned(),
        user_agent: Some(config.crawl.user_agent.clone()),
        operator: None,
        description: Some(format!("news portals: {portals}")),
    }
}
