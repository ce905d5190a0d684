//! Sites that wait for the extractor. Registrable domains take turns, so that one with thousands of hosts keeps no other
//! waiting for longer than a site takes. So do the sites of a domain: one that always has new pages keeps no other waiting.

use std::collections::BTreeMap;
use std::ops::Bound;

use goldminer_html::Domain;

/// Sites by registrable domain, and whether nothing of each is left to be asked for.
#[derive(Debug, Default)]
pub(super) struct SiteQueue(Rotation<Rotation<bool>>);

/// Names that take turns in their order, again and again.
#[derive(Debug, Default)]
struct Rotation<V> {
    waiting: BTreeMap<Domain, V>,
    /// Whose turn it was last.
    last: Option<Domain>,
}

impl<V> Rotation<V> {
    /// Whose turn it is.
    fn next(&mut self) -> Option<Domain> {
        let behind = self.last.take().map_or(Bound::Unbounded, Bound::Excluded);
        let next = self.waiting.range((behind, Bound::Unbounded)).next().or_else(|| self.waiting.first_key_value());
        self.last = next.map(|(name, _)| name.clone());
        self.last.clone()
    }
}

impl SiteQueue {
    /// A site waits. What is said last of its queue holds.
    pub(super) fn add(&mut self, site: Domain, queue_is_empty: bool) {
        self.0.waiting.entry(site.registrable()).or_default().waiting.insert(site, queue_is_empty);
    }

    /// Whether no site waits.
    pub(super) fn is_empty(&self) -> bool {
        self.0.waiting.is_empty()
    }

    /// Takes up to `most` sites, one of each domain in turn.
    pub(super) fn take(&mut self, most: usize) -> Vec<(Domain, bool)> {
        std::iter::from_fn(|| self.next()).take(most).collect()
    }

    fn next(&mut self) -> Option<(Domain, bool)> {
        let domain = self.0.next()?;
        let sites = self.0.waiting.get_mut(&domain)?;
        let site = sites.next()?;
        let taken = sites.waiting.remove_entry(&site);
        if sites.waiting.is_empty() {
            self.0.waiting.remove(&domain);
        }
        taken
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(taken: &[(Domain, bool)]) -> Vec<&str> {
        taken.iter().map(|(site, _)| site.as_str()).collect()
    }

    #[test]
    fn a_domain_with_thousands_of_sites_keeps_no_other_waiting() {
        let mut queue = SiteQueue::default();
        (0..5_000).for_each(|host| queue.add(Domain::named(&format!("h{host:04}.flood.example")), true));
        assert_eq!(names(&queue.take(2)), ["h0000.flood.example", "h0001.flood.example"]);
        queue.add(Domain::named("portal.example"), false);
        queue.add(Domain::named("a.news.example"), true);
        let taken = queue.take(4);
        assert_eq!(names(&taken), ["a.news.example", "portal.example", "h0002.flood.example", "h0003.flood.example"]);
        assert_eq!([taken[0].1, taken[1].1], [true, false]);
        assert_eq!(queue.take(usize::MAX).len(), 4_996);
        assert!(queue.is_empty() && queue.take(1).is_empty());
    }

    #[test]
    fn a_site_that_always_has_new_pages_keeps_no_sibling_waiting() {
        let site = |name: &str| Domain::named(&format!("{name}.platform.example"));
        let mut queue = SiteQueue::default();
        for name in ["anna", "ben", "zoe"] {
            queue.add(site(name), true);
        }
        for name in ["anna", "ben", "zoe", "anna"] {
            assert_eq!(names(&queue.take(1)), [site(name).as_str()]);
            queue.add(site("anna"), false);
        }
    }
}
