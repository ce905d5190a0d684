//! Which domains have nothing left to be asked for.

use rustc_hash::FxHashSet;

use super::Frontier;
use crate::address::Domain;

impl Frontier {
    /// Those of the domains of which no URL waits for its first visit and no request is out.
    #[must_use]
    pub fn idle<'d>(&self, among: impl IntoIterator<Item = &'d Domain>) -> Vec<Domain> {
        let is_busy = |host: &&super::host::HostState| host.out.is_some() || host.queued() > 0;
        let busy: FxHashSet<Domain> = self.hosts.values().filter(is_busy).map(|host| host.row.host.domain()).collect();
        among.into_iter().filter(|domain| !busy.contains(*domain)).cloned().collect()
    }
}
