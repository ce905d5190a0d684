//! Assigns portals to partitions. Portals whose URLs share a registrable domain are put into the same partition, so
//! that no host gets requests from two partitions.

use std::collections::{BTreeMap, HashMap};

use goldminer_crawl::{Config, Portal};
use goldminer_html::Domain;

use crate::error::ClusterError;

/// The portals of each partition, in the order of the seeds. Partitions without portals are left out.
pub(super) fn divide(portals: &[Portal], partitions: u32) -> BTreeMap<u32, Vec<Portal>> {
    let mut group_of: HashMap<Domain, usize> = HashMap::new();
    // A union-find forest: for each group its parent, or itself if it is a root.
    let mut parent: Vec<usize> = Vec::new();
    let mut smallest_domain: Vec<Option<Domain>> = Vec::new();
    let mut group_of_portal = Vec::with_capacity(portals.len());
    for portal in portals {
        let own = parent.len();
        parent.push(own);
        smallest_domain.push(None);
        for domain in domains(portal) {
            let group = *group_of.entry(domain.clone()).or_insert(own);
            let (known, here) = (root(&parent, group), root(&parent, own));
            let (from, to) = (known.max(here), known.min(here));
            parent[from] = to;
            let smaller =
                [smallest_domain[from].take(), smallest_domain[to].take(), Some(domain)].into_iter().flatten();
            smallest_domain[to] = smaller.min_by(|a, b| a.as_str().cmp(b.as_str()));
        }
        group_of_portal.push(own);
    }
    let mut divided: BTreeMap<u32, Vec<Portal>> = BTreeMap::new();
    for (portal, group) in portals.iter().zip(group_of_portal) {
        let domain = smallest_domain[root(&parent, group)].as_ref();
        let hash = domain.map_or(0, |domain| u64::from_be_bytes(domain.key()));
        let partition = u32::try_from(hash % u64::from(partitions.max(1))).unwrap_or(0);
        divided.entry(partition).or_default().push(portal.clone());
    }
    divided
}

/// The partition that has a portal of this domain, if there is one.
pub(super) fn partition_of(portals_of: &[(i32, Vec<Portal>)], domain: &Domain) -> Option<i32> {
    let has = |(_, portals): &&(i32, Vec<Portal>)| portals.iter().any(|portal| domains(portal).contains(domain));
    portals_of.iter().find(has).map(|(id, _)| *id)
}

/// The partition for a domain that no partition has, the same on each machine. None if there are no partitions.
pub(super) fn partition_for_new_domain(portals_of: &[(i32, Vec<Portal>)], domain: &Domain) -> Option<i32> {
    let place = u64::from_be_bytes(domain.key()).checked_rem(portals_of.len() as u64)?;
    portals_of.get(usize::try_from(place).ok()?).map(|(id, _)| *id)
}

/// Parses the configuration of a partition's job from the database.
pub(super) fn from_toml(job: &str) -> Result<Config, ClusterError> {
    toml::from_str(job).map_err(|error| ClusterError::Refused(error.message().to_owned()))
}

/// The configuration as text for the database.
pub(super) fn to_toml(job: &Config) -> Result<String, ClusterError> {
    toml::to_string(job).map_err(|error| ClusterError::Refused(error.to_string()))
}

/// The registrable domains of a portal's start pages, feeds and sitemaps. The portal has no URLs on other domains.
fn domains(portal: &Portal) -> Vec<Domain> {
    portal.start.iter().chain(&portal.feeds).chain(&portal.sitemaps).map(|url| url.domain()).collect()
}

/// The root of a group's tree.
fn root(parent: &[usize], mut group: usize) -> usize {
    while parent[group] != group {
        group = parent[group];
    }
    group
}

#[cfg(test)]
mod tests {
    use super::*;
    use goldminer_html::address::CrawlUrl;

    fn portal(start: &[&str]) -> Portal {
        let urls: Vec<CrawlUrl> = start.iter().map(|url| CrawlUrl::parse(url).unwrap()).collect();
        let mut portal = Portal::around(start[0].to_owned(), urls[0].clone());
        portal.start = urls;
        portal
    }

    #[test]
    fn portals_that_share_domains_are_put_into_one_partition() {
        let portals = [
            portal(&["https://www.alpha.example/"]),
            portal(&["https://blog.alpha.example/"]),
            portal(&["https://beta.example/"]),
            portal(&["https://gamma.example/", "https://beta.example/x"]),
            portal(&["https://delta.example/", "https://alpha.example/y", "https://gamma.example/z"]),
        ];
        let divided = divide(&portals, 1 << 20);
        assert_eq!(divided.len(), 1, "each shares a domain with another one: {divided:?}");
        let divided = divide(&portals[..4], 1 << 20);
        assert_eq!(divided.values().map(Vec::len).collect::<Vec<_>>().iter().sum::<usize>(), 4);
        assert_eq!(divided.len(), 2, "alpha, and beta with gamma: {divided:?}");
    }

    #[test]
    fn many_portals_are_spread_evenly_and_repeatably() {
        let portals: Vec<Portal> = (0..640).map(|n| portal(&[&format!("https://portal-{n}.example/")])).collect();
        let divided = divide(&portals, 64);
        let sizes: Vec<usize> = divided.values().map(Vec::len).collect();
        assert_eq!(sizes.iter().sum::<usize>(), 640);
        assert!(sizes.len() > 60 && sizes.iter().all(|size| *size < 30), "{sizes:?}");
        assert_eq!(divided, divide(&portals, 64));
    }
}
