//! Which sites, and which portals, have nothing left to be asked for.

use std::time::Duration;

use goldminer_html::address::Domain;
use jiff::Timestamp;
use rustc_hash::FxHashSet;

use super::host::HostState;
use crate::frontier::Frontier;
use crate::store::frontier::PortalId;

/// What is to be asked for within this time is waited for.
const SOON: Duration = Duration::from_secs(60);

impl Frontier {
    /// Those of the sites of which no request is out and none is to be made within a minute, but at a host's usual pace:
    /// nothing waits for its first visit, or all that does waits for another attempt, for the end of a pause or for a person.
    #[must_use]
    pub fn idle<'d>(&self, among: impl IntoIterator<Item = &'d Domain>, now: Timestamp) -> Vec<Domain> {
        let soon = now + SOON;
        let is_busy = |host: &&HostState| {
            host.is_asked()
                || host.queued() > 0
                    && !self.is_set_aside(host.row.host.key())
                    && host.first_visit_due(|portal| self.portals.is_open(portal)).is_some_and(|due| due <= soon)
        };
        let busy: FxHashSet<Domain> = self.hosts.values().filter(is_busy).map(|host| host.row.host.site()).collect();
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
