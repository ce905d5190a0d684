//! Fair shares of places that are held for a while and cannot be taken back: requests in flight, queues, connections.
//!
//! A group may always have an equal part of all places. Beyond that it may have as many as are still free, times a
//! weight (dynamic thresholds: Choudhury and Hahne, IEEE/ACM Transactions on Networking 6(2), 1998). So a single group
//! gets all places while nobody else wants any, and with others around a part always stays free for them.

use std::collections::hash_map::Entry;
use std::hash::Hash;

use rustc_hash::FxHashMap;

/// Places, and how many of them are free.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Places {
    /// In all.
    pub(crate) most: usize,
    /// Not taken.
    pub(crate) free: usize,
}

/// One fewer of a group; a group of nobody is forgotten.
pub(crate) fn one_less<K: Eq + Hash>(counts: &mut FxHashMap<K, usize>, key: K) {
    if let Entry::Occupied(mut count) = counts.entry(key) {
        *count.get_mut() -= 1;
        if *count.get() == 0 {
            count.remove();
        }
    }
}

impl Places {
    /// So many, of which some are taken.
    pub(crate) fn of(most: usize, taken: usize) -> Self {
        Self { most, free: most.saturating_sub(taken) }
    }

    /// Whether one of so many groups, which has `taken` places, may take another one.
    pub(crate) fn has_room(self, taken: usize, groups: usize, weight: usize) -> bool {
        taken < (self.most / groups.max(1)).max(self.free.saturating_mul(weight))
    }
}
