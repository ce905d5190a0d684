//! A cache of known URLs, because most links of a page are in its menu, which every page of the site repeats. It is
//! set-associative, like the cache of a processor: a hash selects a set of [`WAYS`] slots, and a new entry displaces
//! the oldest one of its set.

use crate::store::frontier::RowKey;

/// Number of fingerprints, with 8 bytes each: 16 MiB in all, enough for the menus of ten thousand hosts.
const SLOTS: usize = 1 << 21;
/// The fewest slots of a job when many jobs share the memory.
const LEAST_SLOTS: usize = 1 << 15;
/// Number of slots of a set. They are next to each other in memory.
const WAYS: usize = 4;

/// A table of fingerprints (short hashes) of known URLs. A known URL may be missing, because later ones have displaced
/// it. An unknown URL is found by mistake once in 2^61 lookups, which is rarer than two URLs with the same key.
pub(crate) struct SeenCache(Box<[u64]>);

impl SeenCache {
    pub(crate) fn new(jobs: usize) -> Self {
        Self::shared(SLOTS, jobs)
    }

    /// Creates the table of one of `jobs` jobs in this process. Each job crawls an equal part of the hosts, so its
    /// table gets an equal part of `slots`.
    pub(crate) fn shared(slots: usize, jobs: usize) -> Self {
        Self::with_slots((slots / jobs.max(1)).max(slots.min(LEAST_SLOTS)))
    }

    /// A table with this number of slots.
    pub(crate) fn with_slots(slots: usize) -> Self {
        Self(vec![0; slots].into_boxed_slice())
    }

    pub(crate) fn contains(&self, key: RowKey) -> bool {
        let (first, print) = self.place(key);
        self.0[first..first + WAYS].contains(&print)
    }

    /// Inserts a key into its set, and drops the oldest key of the set if the set is full. Returns true if the key was
    /// not there before.
    pub(crate) fn insert(&mut self, key: RowKey) -> bool {
        let (first, print) = self.place(key);
        let ways = &mut self.0[first..first + WAYS];
        let is_new = !ways.contains(&print);
        if is_new {
            ways.rotate_right(1);
            ways[0] = print;
        }
        is_new
    }

    /// Removes a key.
    pub(crate) fn forget(&mut self, key: RowKey) {
        let (first, print) = self.place(key);
        self.0[first..first + WAYS].iter_mut().filter(|way| **way == print).for_each(|way| *way = 0);
    }

    /// The first slot of a key's set, and the key's fingerprint. Both halves of a key are hashes already. A fingerprint
    /// is never zero, because zero marks an empty slot.
    fn place(&self, key: RowKey) -> (usize, u64) {
        let (host, url) = (u64::from_be_bytes(key.host().0), u64::from_be_bytes(key.url()));
        let set = (host.rotate_left(32) ^ url) as usize % (self.0.len() / WAYS);
        (set * WAYS, (host ^ url.rotate_left(17)) | 1)
    }
}

#[cfg(test)]
mod tests {
    use goldminer_html::address::HostKey;
    use xxhash_rust::xxh3::xxh3_64;

    use super::*;

    fn key(n: u64) -> RowKey {
        RowKey::join(HostKey([7; 8]), xxh3_64(&n.to_be_bytes()).to_be_bytes())
    }

    #[test]
    fn only_inserted_urls_are_known() {
        let mut seen = SeenCache::new(1);
        for n in 0..10_000 {
            seen.insert(key(n));
        }
        assert!((10_000..200_000).all(|n| !seen.contains(key(n))));
        assert!(!seen.contains(RowKey([0; 16])));
    }

    #[test]
    fn the_menus_of_ten_thousand_hosts_are_remembered() {
        let mut seen = SeenCache::new(1);
        for n in 0..800_000 {
            seen.insert(key(n));
        }
        let known = (0..800_000).filter(|n| seen.contains(key(*n))).count();
        assert!(known > 760_000, "only {known} of 800,000");
    }

    #[test]
    fn the_caches_of_many_jobs_take_hardly_more_than_one_cache() {
        let slots = |jobs| SeenCache::new(jobs).0.len();
        assert_eq!(slots(1), SLOTS);
        assert!(64 * slots(64) <= SLOTS && slots(10_000) == LEAST_SLOTS);
        let mut seen = SeenCache::new(59);
        for n in 0..5_000 {
            seen.insert(key(n));
        }
        assert!((0..5_000).filter(|n| seen.contains(key(*n))).count() > 4_900);
    }
}
