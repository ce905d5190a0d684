//! URLs that are known to be known: most links of a page are its menu, which every page of the site repeats.

use crate::store::frontier::RowKey;

/// Slots; 1 MiB in all.
const SLOTS: usize = 1 << 16;

/// A table with one slot a hash: a hit is certain, a miss means nothing.
pub(super) struct Recent(Box<[RowKey]>);

impl Recent {
    pub(super) fn new() -> Self {
        Self(vec![RowKey([0; 16]); SLOTS].into_boxed_slice())
    }

    pub(super) fn contains(&self, key: RowKey) -> bool {
        self.0[slot(key)] == key
    }

    pub(super) fn insert(&mut self, key: RowKey) {
        self.0[slot(key)] = key;
    }
}

/// Both halves of a key are hashes already.
fn slot(key: RowKey) -> usize {
    let host = usize::from(u16::from_be_bytes([key.0[0], key.0[1]]));
    let url = usize::from(u16::from_be_bytes([key.0[8], key.0[9]]));
    (host ^ url) % SLOTS
}
