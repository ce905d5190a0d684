//! Which portal belongs to which partition. Portals that may ask the same registrable domain belong together, whatever
//! they are called: a host is asked by one partition alone.

use std::collections::{BTreeMap, HashMap};

use goldminer_crawl::{Config, Portal};
use goldminer_html::Domain;

use crate::error::ClusterError;

/// The portals of each partition that has some, in their order in the seeds.
pub(super) fn divide(portals: &[Portal], partitions: u32) -> BTreeMap<u32, Vec<Portal>> {
    let mut group_of: HashMap<Domain, usize> = HashMap::new();
    // Where a group has gone that was joined to another.
    let mut joined: Vec<usize> = Vec::new();
    let mut least: Vec<Option<Domain>> = Vec::new();
    let mut group_of_portal = Vec::with_capacity(portals.len());
    for portal in portals {
        let own = joined.len();
        joined.push(own);
        least.push(None);
        for domain in domains(portal) {
            let group = *group_of.entry(domain.clone()).or_insert(own);
            let (root, here) = (root(&joined, group), self::root(&joined, own));
            let (from, to) = (root.max(here), root.min(here));
            joined[from] = to;
            let smaller = [least[from].take(), least[to].take(), Some(domain)].into_iter().flatten();
            least[to] = smaller.min_by(|a, b| a.as_str().cmp(b.as_str()));
        }
        group_of_portal.push(own);
    }
    let mut divided: BTreeMap<u32, Vec<Portal>> = BTreeMap::new();
    for (portal, group) in portals.iter().zip(group_of_portal) {
        let domain = least[root(&joined, group)].as_ref();
        let hash = domain.map_or(0, |domain| u64::from_be_bytes(domain.key()));
        let partition = u32::try_from(hash % u64::from(partitions.max(1))).unwrap_or(0);
        divided.entry(partition).or_default().push(portal.clone());
    }
    divided
}

/// The partition that has a portal of a domain.
pub(super) fn with(jobs: &[(i32, Vec<Portal>)], domain: &Domain) -> Option<i32> {
    let has = |(_, portals): &&(i32, Vec<Portal>)| portals.iter().any(|portal| domains(portal).contains(domain));
    jobs.iter().find(has).map(|(id, _)| *id)
}

/// The partition for a domain that none has: the same one, whoever asks.
pub(super) fn for_new(jobs: &[(i32, Vec<Portal>)], domain: &Domain) -> Option<i32> {
    let place = u64::from_be_bytes(domain.key()).checked_rem(jobs.len() as u64)?;
    jobs.get(usize::try_from(place).ok()?).map(|(id, _)| *id)
}

/// The configuration of one partition's job, as the database has it.
pub(super) fn read(job: &str) -> Result<Config, ClusterError> {
    toml::from_str(job).map_err(|error| ClusterError::Refused(error.message().to_owned()))
}

/// A configuration for the database.
pub(super) fn written(job: &Config) -> Result<String, ClusterError> {
    toml::to_string(job).map_err(|error| ClusterError::Refused(error.to_string()))
}

/// The domains that a portal's seeds name: its scope keeps links inside of them.
fn domains(portal: &Portal) -> Vec<Domain> {
    portal.start.iter().chain(&portal.feeds).chain(&portal.sitemaps).map(|url| url.domain()).collect()
}

fn root(joined: &[usize], mut group: usize) -> usize {
    while joined[group] != group {
        group = joined[group];
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
    fn portals_of_one_domain_stay_together_and_so_do_those_that_a_third_one_joins() {
        let portals = [
            portal(&["https://www.alpha.example/"]),
            portal(&["https://blog.alpha.example/"]),
            portal(&["https://beta.example/"]),
            portal(&["https://gamma.example/", "https://beta.example/x"]),
            portal(&["https://delta.example/", "https://alpha.example/y", "https://gamma.example/z"]),
        ];
        let divided = divide(&portals, 1 << 20);
        assert_eq!(divided.len(), 1, "all of them may ask each other's hosts: {divided:?}");
        let divided = divide(&portals[..4], 1 << 20);
        assert_eq!(divided.values().map(Vec::len).collect::<Vec<_>>().iter().sum::<usize>(), 4);
        assert_eq!(divided.len(), 2, "alpha, and beta with gamma: {divided:?}");
    }

    #[test]
    fn many_portals_are_spread_and_the_same_ones_always_alike() {
        let portals: Vec<Portal> = (0..640).map(|n| portal(&[&format!("https://portal-{n}.example/")])).collect();
        let divided = divide(&portals, 64);
        let sizes: Vec<usize> = divided.values().map(Vec::len).collect();
        assert_eq!(sizes.iter().sum::<usize>(), 640);
        assert!(sizes.len() > 60 && sizes.iter().all(|size| *size < 30), "{sizes:?}");
        assert_eq!(divided, divide(&portals, 64));
    }
}
