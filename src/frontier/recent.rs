//! URLs that are known to be known: most links of a page are its menu, which every page of the site repeats.

use crate::store::frontier::RowKey;

/// Slots of 8 bytes: 8 MiB in all, enough for the menus of ten thousand hosts.
const SLOTS: usize = 1 << 20;

/// A table with one slot a hash, holding fingerprints. A miss means nothing. A hit is wrong once in 2^64 lookups, which
/// is less often than two URLs have one key.
pub(super) struct Recent(Box<[u64]>);

impl Recent {
    pub(super) fn new() -> Self {
        Self(vec![0; SLOTS].into_boxed_slice())
    }

    pub(super) fn contains(&self, key: RowKey) -> bool {
        let (slot, print) = place(key);
        self.0[slot] == print
    }

    pub(super) fn insert(&mut self, key: RowKey) {
        let (slot, print) = place(key);
        self.0[slot] = print;
    }
}

/// Both halves of a key are hashes already; zero marks an empty slot.
fn place(key: RowKey) -> (usize, u64) {
    let half = |at: usize| {
        let mut bytes = [0; 8];
        bytes.copy_from_slice(&key.0[at..at + 8]);
        u64::from_be_bytes(bytes)
    };
    let (host, url) = (half(0), half(8));
    ((host.rotate_left(32) ^ url) as usize % SLOTS, (host ^ url.rotate_left(17)) | 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_inserted_is_known() {
        let key = |n: u8| RowKey([n; 16]);
        let mut recent = Recent::new();
        assert!(!recent.contains(key(0)) && !recent.contains(key(1)));
        recent.insert(key(1));
        assert!(recent.contains(key(1)) && !recent.contains(key(0)));
    }
}
