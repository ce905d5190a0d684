//! What hosts say about crawlers: robots.txt and tdmrep.json, compiled, in a cache of so many bytes. The rule set that was
//! used longest ago goes first. What is not in it is read from the job and compiled again, off the crawl's loop.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use goldminer_html::address::{Host, HostKey};

use crate::fetch::robots::{Robots, TdmRules};
use crate::store::StoreError;
use crate::store::frontier::FrontierTables;

/// Bytes of compiled rules that a process keeps: those of some five thousand usual hosts, or of ten with the longest file
/// that is read.
const BUDGET_BYTES: usize = 32 << 20;

/// What a host says about crawlers and the use of its pages, read.
#[derive(Debug, Default)]
pub(crate) struct HostRules {
    pub(crate) robots: Robots,
    pub(crate) tdm: TdmRules,
}

impl HostRules {
    fn heap_bytes(&self) -> usize {
        self.robots.heap_bytes() + self.tdm.heap_bytes()
    }
}

/// The rules of all hosts of a job.
pub(crate) struct RulesCache {
    tables: FrontierTables,
    product_token: String,
    recent: Mutex<Recent>,
}

impl RulesCache {
    /// The rules of a job, one of so many that share the memory of this process.
    pub(crate) fn new(tables: FrontierTables, product_token: String, jobs: usize) -> Self {
        Self { tables, product_token, recent: Mutex::new(Recent::new(BUDGET_BYTES / jobs.max(1))) }
    }

    /// The rules of a host, if they are in memory.
    pub(crate) fn kept(&self, host: &Host) -> Option<Arc<HostRules>> {
        self.recent().get(host.key())
    }

    /// The rules of a host. Reads and compiles them where they are not in memory, which takes some milliseconds.
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
        self.recent().insert(key, Arc::clone(&rules));
        Ok(rules)
    }

    /// A host has new rules.
    pub(crate) fn forget(&self, host: HostKey) {
        self.recent().remove(host);
    }

    fn recent(&self) -> MutexGuard<'_, Recent> {
        self.recent.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Rules by when they were used last.
struct Recent {
    budget_bytes: usize,
    bytes: usize,
    uses: u64,
    of_hosts: HashMap<HostKey, Used>,
    /// Hosts by their last use.
    by_use: BTreeMap<u64, HostKey>,
}

struct Used {
    last: u64,
    bytes: usize,
    rules: Arc<HostRules>,
}

impl Recent {
    fn new(budget_bytes: usize) -> Self {
        Self { budget_bytes, bytes: 0, uses: 0, of_hosts: HashMap::new(), by_use: BTreeMap::new() }
    }

    fn get(&mut self, host: HostKey) -> Option<Arc<HostRules>> {
        let used = self.of_hosts.get_mut(&host)?;
        self.uses += 1;
        self.by_use.remove(&used.last);
        self.by_use.insert(self.uses, host);
        used.last = self.uses;
        Some(Arc::clone(&used.rules))
    }

    /// Keeps rules, and the newest whatever their size.
    fn insert(&mut self, host: HostKey, rules: Arc<HostRules>) {
        self.remove(host);
        self.uses += 1;
        let used = Used { last: self.uses, bytes: rules.heap_bytes(), rules };
        self.bytes += used.bytes;
        self.by_use.insert(used.last, host);
        self.of_hosts.insert(host, used);
        while self.bytes > self.budget_bytes && self.of_hosts.len() > 1 {
            let Some((_, oldest)) = self.by_use.first_key_value() else { return };
            self.remove(*oldest);
        }
    }

    fn remove(&mut self, host: HostKey) {
        let Some(used) = self.of_hosts.remove(&host) else { return };
        self.by_use.remove(&used.last);
        self.bytes -= used.bytes;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(number: u64) -> HostKey {
        HostKey(number.to_be_bytes())
    }

    fn rules(lines: usize) -> Arc<HostRules> {
        let text: String = (0..lines).map(|n| format!("Disallow: /{n:06}/\n")).collect();
        let robots = Robots::parse(format!("User-agent: *\n{text}").as_bytes(), "it");
        Arc::new(HostRules { robots, tdm: TdmRules::default() })
    }

    #[test]
    fn rules_stay_within_their_bytes_and_the_oldest_go_first() {
        let one = rules(1_000).heap_bytes();
        let mut recent = Recent::new(10 * one);
        for number in 0..10 {
            recent.insert(host(number), rules(1_000));
        }
        assert!(recent.get(host(0)).is_some(), "all ten have room");
        recent.insert(host(10), rules(1_000));
        assert!(recent.get(host(1)).is_none(), "it was used longest ago");
        assert!(recent.get(host(0)).is_some() && recent.get(host(2)).is_some());
        for number in 20..2_000 {
            recent.insert(host(number), rules(1_000));
            assert!(recent.bytes <= 10 * one && recent.of_hosts.len() == recent.by_use.len());
        }
        assert_eq!(recent.of_hosts.len(), 10, "never all at once");
    }

    #[test]
    fn rules_larger_than_the_whole_cache_still_hold() {
        let mut recent = Recent::new(1_000);
        recent.insert(host(1), rules(10));
        recent.insert(host(2), rules(5_000));
        assert!(recent.get(host(2)).is_some() && recent.get(host(1)).is_none());
        recent.insert(host(3), rules(10));
        assert_eq!(recent.of_hosts.len(), 1, "the large one makes room");
        recent.remove(host(3));
        assert_eq!((recent.bytes, recent.by_use.len()), (0, 0));
    }

    #[test]
    fn the_size_of_rules_is_about_what_their_lines_take() {
        let bytes = rules(10_000).heap_bytes();
        assert!((400_000..1_500_000).contains(&bytes), "{bytes} for 10,000 lines of 8 characters");
    }
}
