//! Shares a number of places fairly between groups. Places are held for a while and cannot be taken back, such as
//! requests in flight, places in a queue, and connections. A group may be a registrable domain.
//!
//! A group may always hold an equal part of all places. Beyond that it may hold as many places as are still free, times
//! a weight (dynamic thresholds: Choudhury and Hahne, IEEE/ACM Transactions on Networking 6(2), 1998). So a single
//! group may hold all places, and when there are others, a part always stays free for them.

use std::collections::hash_map::Entry;
use std::hash::Hash;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustc_hash::FxHashMap;

/// Number of all places, and of free ones.
#[derive(Debug, Clone, Copy)]
pub struct Capacity {
    /// Number of all places.
    pub most: usize,
    /// Number of free places.
    pub free: usize,
}

/// Lowers the count of a group by one; a group without any is removed.
pub fn one_less<K: Eq + Hash>(counts: &mut FxHashMap<K, usize>, key: K) {
    if let Entry::Occupied(mut count) = counts.entry(key) {
        *count.get_mut() -= 1;
        if *count.get() == 0 {
            count.remove();
        }
    }
}

impl Capacity {
    /// `most` places, of which `taken` are taken.
    pub fn of(most: usize, taken: usize) -> Self {
        Self { most, free: most.saturating_sub(taken) }
    }

    /// Whether a group that holds `taken` places, one of `groups` groups, may take another one.
    pub fn has_room(self, taken: usize, groups: usize, weight: usize) -> bool {
        taken < (self.most / groups.max(1)).max(self.free.saturating_mul(weight))
    }
}

/// Number of places that each group holds.
#[derive(Debug, Default)]
pub struct PlacesByGroup(FxHashMap<[u8; 8], usize>);

impl PlacesByGroup {
    /// Takes one of `most` places for a group. Returns false if no place is free or the group holds its share already.
    /// `to_come` is the number of groups that hold nothing yet and for which a share is kept free.
    pub fn take(&mut self, group: [u8; 8], most: usize, to_come: usize) -> bool {
        let of_group = self.0.get(&group).copied().unwrap_or(0);
        let groups = self.0.len() + usize::from(of_group == 0) + to_come;
        let places = Capacity::of(most, self.0.values().sum());
        let has_room = places.free > 0 && places.has_room(of_group, groups, 1);
        if has_room {
            self.0.insert(group, of_group + 1);
        }
        has_room
    }

    /// Frees a place of a group.
    pub fn give_back(&mut self, group: [u8; 8]) {
        one_less(&mut self.0, group);
    }

    #[cfg(test)]
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Locks a mutex, even a poisoned one, because a panic cannot leave these values half changed.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
