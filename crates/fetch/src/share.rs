//! Fair shares of places that are held for a while and cannot be taken back: requests in flight, queues, connections.
//!
//! A group may always have an equal part of all places. Beyond that it may have as many as are still free, times a
//! weight (dynamic thresholds: Choudhury and Hahne, IEEE/ACM Transactions on Networking 6(2), 1998). So a single group
//! gets all places while nobody else wants any, and with others around a part always stays free for them.

use std::collections::hash_map::Entry;
use std::hash::Hash;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustc_hash::FxHashMap;

/// Places, and how many of them are free.
#[derive(Debug, Clone, Copy)]
pub struct Places {
    /// In all.
    pub most: usize,
    /// Not taken.
    pub free: usize,
}

/// One fewer of a group; a group of nobody is forgotten.
pub fn one_less<K: Eq + Hash>(counts: &mut FxHashMap<K, usize>, key: K) {
    if let Entry::Occupied(mut count) = counts.entry(key) {
        *count.get_mut() -= 1;
        if *count.get() == 0 {
            count.remove();
        }
    }
}

impl Places {
    /// This many, of which some are taken.
    pub fn of(most: usize, taken: usize) -> Self {
        Self { most, free: most.saturating_sub(taken) }
    }

    /// Whether one of this many groups, which has `taken` places, may take another one.
    pub fn has_room(self, taken: usize, groups: usize, weight: usize) -> bool {
        taken < (self.most / groups.max(1)).max(self.free.saturating_mul(weight))
    }
}

/// Places that are held, group by group.
#[derive(Debug, Default)]
pub struct Held(FxHashMap<[u8; 8], usize>);

impl Held {
    /// Takes one of `most` places for a group; false where it has its part. `to_come` is the number of groups that have
    /// not come yet and get a part as well.
    pub fn take(&mut self, group: [u8; 8], most: usize, to_come: usize) -> bool {
        let of_group = self.0.get(&group).copied().unwrap_or(0);
        let groups = self.0.len() + usize::from(of_group == 0) + to_come;
        let places = Places::of(most, self.0.values().sum());
        let has_room = places.free > 0 && places.has_room(of_group, groups, 1);
        if has_room {
            self.0.insert(group, of_group + 1);
        }
        has_room
    }

    /// A place of a group is free again.
    pub fn give_back(&mut self, group: [u8; 8]) {
        one_less(&mut self.0, group);
    }

    #[cfg(test)]
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Locks what no panic leaves half changed.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
