//! Caches the parsed robots.txt and tdmrep.json of hosts. If a host is not cached, both files are read from the job's
//! database and parsed again, on another thread than the crawl's main loop.

use std::sync::Arc;

use goldminer_core::Signal;
use goldminer_fetch::robots::{Robots, TdmRules};
use goldminer_html::{CrawlUrl, Host, HostKey};
use quick_cache::Weighter;
use quick_cache::sync::Cache;

use crate::StoreError;
use crate::store::frontier::FrontierTables;

/// The bytes of parsed rules that a process caches: the rules of some thousands of usual hosts, or of thirty with the
/// longest robots.txt that is read.
const BUDGET_BYTES: u64 = 16 << 20;

/// How many rule sets of the largest size fit into the cache. The cache library gets this number as the expected number
/// of entries. It is so small that the cache is not divided into parts, so even the largest rule set fits.
const LONGEST: usize = 30;

/// The parsed rules of a host: which URLs may be requested, and how its pages may be used.
#[derive(Debug, Default)]
pub(crate) struct HostRules {
    pub(crate) robots: Robots,
    pub(crate) tdm: TdmRules,
}

impl HostRules {
    /// The statements of the host about the use of a page.
    pub(crate) fn signals(&self, url: &CrawlUrl) -> Vec<Signal> {
        [self.robots.signals(url), self.tdm.signals(url)].concat()
    }

    fn heap_bytes(&self) -> usize {
        self.robots.heap_bytes() + self.tdm.heap_bytes()
    }
}

/// The cache of the parsed rules of a job's hosts.
pub(crate) struct RulesCache {
    tables: FrontierTables,
    product_token: String,
    kept: Cache<HostKey, Arc<HostRules>, BySize>,
}

#[derive(Clone)]
struct BySize;

impl Weighter<HostKey, Arc<HostRules>> for BySize {
    fn weight(&self, _: &HostKey, rules: &Arc<HostRules>) -> u64 {
        rules.heap_bytes() as u64
    }
}

impl RulesCache {
    /// Creates the cache of a job; `jobs` is the number of jobs that share the memory. The largest rule set always
    /// fits, because otherwise it would be parsed again for each request to its host.
    pub(crate) fn new(tables: FrontierTables, product_token: String, jobs: usize) -> Self {
        let bytes = (BUDGET_BYTES / jobs.max(1) as u64).max(BUDGET_BYTES / LONGEST as u64);
        Self { tables, product_token, kept: kept(bytes) }
    }

    /// The rules of a host, if they are cached.
    pub(crate) fn kept(&self, host: &Host) -> Option<Arc<HostRules>> {
        self.kept.get(&host.key())
    }

    /// Returns the rules of a host, from the cache or else from the database, which takes some milliseconds.
    pub(crate) fn read(&self, host: &Host) -> Result<Arc<HostRules>, StoreError> {
        let key = host.key();
        if let Some(rules) = self.kept(host) {
            return Ok(rules);
        }
        let robots = self.tables.robots.get(&key.0)?.and_then(|copy| copy.body);
        let tdm = self.tables.tdmrep.get(&key.0)?.and_then(|copy| copy.body);
        let rules = Arc::new(HostRules {
            robots: robots.map(|body| Robots::parse(&body.unpacked(), &self.product_token)).unwrap_or_default(),
            tdm: tdm.and_then(|body| TdmRules::parse(&body.unpacked())).unwrap_or_default(),
        });
        self.kept.insert(key, Arc::clone(&rules));
        Ok(rules)
    }

    /// Removes the cached rules of a host, after its robots.txt or tdmrep.json was fetched again.
    pub(crate) fn forget(&self, host: HostKey) {
        self.kept.remove(&host);
    }
}

fn kept(bytes: u64) -> Cache<HostKey, Arc<HostRules>, BySize> {
    Cache::with_weighter(LONGEST, bytes, BySize)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Store;

    fn host(number: u64) -> HostKey {
        HostKey(number.to_be_bytes())
    }

    fn rules(lines: usize) -> Arc<HostRules> {
        let text: String = (0..lines).map(|n| format!("Disallow: /{n:06}/\n")).collect();
        let robots = Robots::parse(format!("User-agent: *\n{text}").as_bytes(), "it");
        Arc::new(HostRules { robots, tdm: TdmRules::default() })
    }

    #[test]
    fn cached_rules_stay_within_the_limit_and_used_ones_are_kept() {
        let one = rules(1_000).heap_bytes() as u64;
        let kept = kept(20 * one);
        for number in 0..2_000 {
            kept.insert(host(number), rules(1_000));
            assert!(kept.weight() <= 20 * one, "{} bytes", kept.weight());
            assert!(number < 4 || kept.get(&host(3)).is_some(), "{number}: rules in use were dropped");
        }
        assert!(kept.len() >= 10, "{} of 20", kept.len());
        kept.remove(&host(3));
        assert!(kept.get(&host(3)).is_none());
    }

    #[test]
    fn the_longest_rules_fit_however_many_jobs_share_the_memory() {
        let dir = tempfile::tempdir().unwrap();
        let cache = RulesCache::new(Store::open(dir.path()).unwrap().frontier(), "it".to_owned(), 1_000);
        cache.kept.insert(host(1), rules(20_000));
        assert!(cache.kept.get(&host(1)).is_some());
    }

    #[test]
    fn the_size_of_rules_is_estimated_from_their_lines() {
        let bytes = rules(10_000).heap_bytes();
        assert!((80_000..200_000).contains(&bytes), "{bytes} for 10,000 lines of 8 characters");
    }
}
