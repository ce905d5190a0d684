//! Which domains, and which portals, have nothing left to be asked for.

use rustc_hash::FxHashSet;

use super::Frontier;
use crate::address::Domain;
use crate::store::frontier::PortalId;

impl Frontier {
    /// Those of the domains of which no URL waits for its first visit and no request is out.
    #[must_use]
    pub fn idle<'d>(&self, among: impl IntoIterator<Item = &'d Domain>) -> Vec<Domain> {
        let is_busy = |host: &&super::host::HostState| host.out.is_some() || host.queued() > 0;
        let busy: FxHashSet<Domain> = self.hosts.values().filter(is_busy).map(|host| host.row.host.domain()).collect();
        among.into_iter().filter(|domain| !busy.contains(*domain)).cloned().collect()
    }

    /// The portals of which a URL waits for its first visit, or that share a host of which a request is out. O(hosts).
    #[must_use]
    pub fn busy_portals(&self) -> FxHashSet<PortalId> {
        let hosts = self.hosts.values();
        let lanes = hosts.flat_map(|host| host.row.lanes.iter().map(move |lane| (host.out.is_some(), lane)));
        lanes.filter(|(is_out, lane)| *is_out || lane.ready + lane.retries > 0).map(|(_, lane)| lane.portal).collect()
    }
}
