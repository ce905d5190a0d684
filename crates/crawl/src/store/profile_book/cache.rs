//! Domains that were asked for lately.
//!
//! Two generations instead of a list in the order of use: what was asked for since the younger one began is in it, and
//! when that is full the older one goes. Nothing that is in use is forgotten, and nothing has to be moved.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::entry::Spans;

/// Bytes of JSON in a generation. In memory profiles take about three times as much.
const GENERATION_BYTES: usize = 8 << 20;
/// What a domain takes that has no profiles.
const NOTHING_BYTES: usize = 100;

type Known = Option<Arc<Spans>>;

#[derive(Default)]
pub(super) struct Cache {
    young: FxHashMap<Box<str>, (Known, usize)>,
    old: FxHashMap<Box<str>, (Known, usize)>,
    young_bytes: usize,
}

impl Cache {
    /// What is known of a domain; nothing if nobody asked lately.
    pub(super) fn get(&mut self, domain: &str) -> Option<Known> {
        if let Some((known, _)) = self.young.get(domain) {
            return Some(known.clone());
        }
        let (name, (known, bytes)) = self.old.remove_entry(domain)?;
        self.insert(name, known.clone(), bytes);
        Some(known)
    }

    /// Remembers a domain, whose profiles are so long.
    pub(super) fn remember(&mut self, domain: &str, known: Known, bytes: usize) {
        self.insert(domain.into(), known, bytes + NOTHING_BYTES);
    }

    fn insert(&mut self, domain: Box<str>, known: Known, bytes: usize) {
        if self.young_bytes + bytes > GENERATION_BYTES {
            self.old = std::mem::take(&mut self.young);
            self.young_bytes = 0;
        }
        self.young_bytes += bytes;
        self.young.insert(domain, (known, bytes));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_for_stays_and_what_is_not_goes() {
        let mut cache = Cache::default();
        cache.remember("loved", None, 1 << 20);
        for n in 0..64 {
            assert!(cache.get("loved").is_some(), "forgotten after {n} others");
            cache.remember(&n.to_string(), None, 1 << 20);
        }
        assert!(cache.get("0").is_none());
        assert!(cache.young.len() + cache.old.len() <= 16);
    }
}
