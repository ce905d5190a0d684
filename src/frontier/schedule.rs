//! Hosts by the time of their next lease: O(log hosts) to add, move and take.

use std::collections::BTreeSet;

use jiff::Timestamp;

use crate::address::HostKey;

/// Hosts that have something to ask for, by due time.
#[derive(Debug, Default)]
pub(super) struct Schedule(BTreeSet<(Timestamp, HostKey)>);

impl Schedule {
    /// Moves a host from one due time to another; none stands for not being scheduled.
    pub(super) fn shift(&mut self, host: HostKey, from: Option<Timestamp>, to: Option<Timestamp>) {
        if from == to {
            return;
        }
        if let Some(from) = from {
            self.0.remove(&(from, host));
        }
        if let Some(to) = to {
            self.0.insert((to, host));
        }
    }

    /// The hosts that are due, the first first.
    pub(super) fn due(&self, now: Timestamp) -> impl Iterator<Item = HostKey> {
        self.0.iter().take_while(move |(due, _)| *due <= now).map(|(_, host)| *host)
    }

    /// The host that is due first.
    pub(super) fn first(&self) -> Option<(Timestamp, HostKey)> {
        self.0.first().copied()
    }
}
