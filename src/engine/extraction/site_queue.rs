//! Sites that wait for the extractor. Registrable domains take turns, so that one with thousands of hosts keeps no other
//! waiting for longer than a site takes.

use std::collections::BTreeMap;
use std::ops::Bound;

use crate::address::Domain;

/// Sites, and whether nothing of each is left to be asked for.
#[derive(Debug, Default)]
pub(super) struct SiteQueue {
    /// By registrable domain.
    domains: BTreeMap<Domain, BTreeMap<Domain, bool>>,
    /// Whose turn it was last.
    last: Option<Domain>,
}

impl SiteQueue {
    /// A site waits. What is said last of its queue holds.
    pub(super) fn add(&mut self, site: Domain, queue_is_empty: bool) {
        self.domains.entry(site.registrable()).or_default().insert(site, queue_is_empty);
    }

    /// Whether no site waits.
    pub(super) fn is_empty(&self) -> bool {
        self.domains.is_empty()
    }

    /// Takes up to `most` sites, one of each domain in turn.
    pub(super) fn take(&mut self, most: usize) -> Vec<(Domain, bool)> {
        std::iter::from_fn(|| self.next()).take(most).collect()
    }

    fn next(&mut self) -> Option<(Domain, bool)> {
        let behind = self.last.take().map_or(Bound::Unbounded, Bound::Excluded);
        let next = self.domains.range((behind, Bound::Unbounded)).next().or_else(|| self.domains.first_key_value());
        let domain = next?.0.clone();
        let sites = self.domains.get_mut(&domain)?;
        let site = sites.pop_first();
        if sites.is_empty() {
            self.domains.remove(&domain);
        }
        self.last = Some(domain);
        site
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
}
