//! Fair shares of the requests in flight, so that a portal or registrable domain that answers slowly, or never, uses
//! up only its own share. A request can take two minutes and cannot be cancelled, so the share is checked before a
//! lease. IP addresses are not known before a name is looked up; their shares are in `limits::address_shares`.

use std::time::Duration;

use goldminer_fetch::share::{Capacity, one_less};
use goldminer_html::HostKey;
use jiff::Timestamp;
use rustc_hash::FxHashMap;

use super::politeness::later;
use crate::frontier::Frontier;
use crate::frontier::queue::work::Lease;
use crate::store::frontier::PortalId;

/// A portal may have up to this many leases for each place that is still free.
const PORTAL_WEIGHT: usize = 1;
/// A registrable domain may have up to this many leases for each place that is still free. This is more than for a
/// portal, because a domain may have several portals.
const DOMAIN_WEIGHT: usize = 2;
/// The pause before a host is checked again after its domain has used its share.
const LOOK_AGAIN: Duration = Duration::from_secs(1);

/// Number of leases in flight, by portal and by domain.
#[derive(Debug, Default)]
pub(crate) struct Shares {
    portals: FxHashMap<PortalId, usize>,
    domains: FxHashMap<[u8; 8], usize>,
    in_flight: usize,
}

/// The portal and the domain that a lease counts for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LeaseOwner {
    portal: Option<PortalId>,
    domain: [u8; 8],
}

impl Shares {
    /// Number of all places for leases, if `free` more leases may be given out.
    pub(crate) fn slots(&self, free: usize) -> Capacity {
        Capacity { most: self.in_flight.saturating_add(free), free }
    }

    /// Whether a portal may have one more lease (the right to make one request). `portals` is the number of portals
    /// with something to request.
    pub(crate) fn admit_portal(&self, portal: PortalId, slots: Capacity, portals: usize) -> bool {
        let taken = self.portals.get(&portal).copied().unwrap_or(0);
        slots.has_room(taken, portals.max(self.portals.len()), PORTAL_WEIGHT)
    }

    fn admit_domain(&self, domain: [u8; 8], slots: Capacity, domains: usize) -> bool {
        let taken = self.domains.get(&domain).copied().unwrap_or(0);
        slots.has_room(taken, domains, DOMAIN_WEIGHT)
    }

    /// Counts a lease that is given out.
    pub(crate) fn take(&mut self, owner: LeaseOwner) {
        self.in_flight += 1;
        *self.domains.entry(owner.domain).or_default() += 1;
        if let Some(portal) = owner.portal {
            *self.portals.entry(portal).or_default() += 1;
        }
    }

    /// Counts a lease that is finished.
    pub(crate) fn give_back(&mut self, owner: LeaseOwner) {
        self.in_flight = self.in_flight.saturating_sub(1);
        one_less(&mut self.domains, owner.domain);
        if let Some(portal) = owner.portal {
            one_less(&mut self.portals, portal);
        }
    }
}

impl Frontier {
    /// Counts a new lease for its portal and its domain.
    pub(crate) fn charge(&mut self, lease: &Lease) {
        let Some(host) = self.hosts.get_mut(&lease.host.key()) else { return };
        let owner = LeaseOwner { portal: host.row.lanes.first().map(|lane| lane.portal), domain: host.domain };
        if let Some(open) = &mut host.open_lease {
            open.owner = Some(owner);
            self.shares.take(owner);
        }
    }

    /// Whether the domain of a host may have one more lease (the right to make one request). If not, the host is
    /// postponed for a moment.
    pub(crate) fn admit_domain_of(&mut self, key: HostKey, slots: Capacity, now: Timestamp) -> bool {
        let Some(host) = self.hosts.get_mut(&key) else { return true };
        let is_admitted = self.shares.admit_domain(host.domain, slots, self.hosts_of_domain.len());
        if !is_admitted {
            host.postponed = host.postponed.max(later(now, LOOK_AGAIN));
        }
        is_admitted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owner(portal: u32, domain: u8) -> LeaseOwner {
        LeaseOwner { portal: Some(PortalId(portal)), domain: [domain; 8] }
    }

    /// How many of 256 places a portal gets if it always wants one more, and other portals already have those in
    /// `shares`.
    fn filled(shares: &mut Shares, portal: u32, portals: usize) -> usize {
        let mut taken = 0;
        while shares.in_flight < 256
            && shares.admit_portal(PortalId(portal), shares.slots(256 - shares.in_flight), portals)
        {
            shares.take(owner(portal, 0));
            taken += 1;
        }
        taken
    }

    #[test]
    fn one_portal_gets_all_slots_and_several_share_them() {
        assert_eq!(filled(&mut Shares::default(), 1, 1), 256);
        assert_eq!(filled(&mut Shares::default(), 1, 11), 128);
        let mut two = Shares::default();
        assert_eq!((filled(&mut two, 1, 2), filled(&mut two, 2, 2)), (128, 128), "two share all that there is");
        let mut many = Shares::default();
        let taken: Vec<usize> = (0..8).map(|portal| filled(&mut many, portal, 5_000)).collect();
        assert!(taken.iter().all(|taken| *taken > 0) && many.in_flight < 256, "{taken:?}");
    }

    #[test]
    fn portals_of_one_domain_leave_room_for_other_domains() {
        let mut shares = Shares::default();
        let mut portals = 0;
        while shares.admit_domain([7; 8], shares.slots(256 - shares.in_flight), 20) {
            shares.take(owner(portals, 7));
            portals += 1;
        }
        assert!((160..180).contains(&portals), "{portals} of 256");
        assert!(shares.admit_domain([8; 8], shares.slots(256 - shares.in_flight), 20));
        (0..portals).for_each(|portal| shares.give_back(owner(portal, 7)));
        assert!(shares.in_flight == 0 && shares.domains.is_empty() && shares.portals.is_empty());
    }
}
