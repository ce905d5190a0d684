//! Orders hosts by the time of their next lease (the right to make one request). Adding, moving and taking a host is
//! O(log hosts).
//!
//! Portals take turns: of the portals with a due host, the one served longest ago comes first, and of its hosts the
//! one that is due first. As long as every due host is served immediately, this is the order of due times. When more
//! hosts are due than requests are possible, it keeps a portal with fifty thousand due hosts from blocking the others.

use std::collections::BTreeSet;
use std::ops::Bound;

use goldminer_html::HostKey;
use jiff::Timestamp;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::store::frontier::PortalId;

/// Hosts with something to request, by portal and due time.
#[derive(Debug, Default)]
pub(crate) struct Schedule {
    portals: FxHashMap<PortalId, Hosts>,
    /// All portals with scheduled hosts, by the due time of the first host.
    by_due: BTreeSet<(Timestamp, PortalId)>,
    /// Portals with a host that was due at the time `now`, in the order of the portals' last turns. If that host has
    /// been moved since, the portal is removed when its turn comes.
    ready: BTreeSet<(u64, PortalId)>,
    /// Portals that have used their share of the requests in flight. They get no lease until one of these requests is
    /// finished.
    waiting: FxHashSet<PortalId>,
    /// The last time that was passed in.
    now: Option<Timestamp>,
    last_turn: u64,
}

#[derive(Debug, Default)]
struct Hosts {
    by_due: BTreeSet<(Timestamp, HostKey)>,
    last_turn: u64,
    is_ready: bool,
}

impl Schedule {
    /// Moves a host of a portal from one due time to another; none means not scheduled.
    pub(crate) fn shift(&mut self, portal: PortalId, host: HostKey, from: Option<Timestamp>, to: Option<Timestamp>) {
        if from == to {
            return;
        }
        let hosts = self.portals.entry(portal).or_default();
        let first_before = hosts.first();
        if let Some(from) = from {
            hosts.by_due.remove(&(from, host));
        }
        if let Some(to) = to {
            hosts.by_due.insert((to, host));
        }
        let first = hosts.first();
        if first != first_before {
            if let Some(before) = first_before {
                self.by_due.remove(&(before, portal));
            }
            if let Some(first) = first {
                self.by_due.insert((first, portal));
            }
        }
        if first.is_some_and(|first| self.now.is_some_and(|now| first <= now)) {
            self.make_ready(portal);
        }
    }

    /// Number of hosts that are due, counted up to `most`.
    pub(crate) fn due(&self, now: Timestamp, most: usize) -> usize {
        let portals = self.by_due.iter().take_while(|(due, _)| *due <= now).filter_map(|(_, id)| self.portals.get(id));
        portals.flat_map(|hosts| hosts.by_due.iter().take_while(|(due, _)| *due <= now)).take(most).count()
    }

    /// When the first host is due, leaving out the portals that have used their share of the requests in flight.
    pub(crate) fn first_due(&self) -> Option<Timestamp> {
        self.by_due.iter().find(|(_, portal)| !self.waiting.contains(portal)).map(|(due, _)| *due)
    }

    /// Number of portals with a host in the schedule.
    pub(crate) fn portals(&self) -> usize {
        self.by_due.len()
    }

    /// Readmits the portals that had used their share of the requests in flight.
    pub(crate) fn end_waits(&mut self) {
        for portal in std::mem::take(&mut self.waiting) {
            self.make_ready(portal);
        }
    }

    /// The host whose turn it is, if one is due. It stays in the schedule until it is moved. A portal that is not
    /// `admitted` is left out until [`Schedule::end_waits`].
    pub(crate) fn next(&mut self, now: Timestamp, admitted: impl Fn(PortalId) -> bool) -> Option<HostKey> {
        self.advance_to(now);
        while let Some((_, portal)) = self.ready.pop_first() {
            let Some(hosts) = self.portals.get_mut(&portal) else { continue };
            hosts.is_ready = false;
            let Some((_, host)) = hosts.by_due.first().copied().filter(|(due, _)| *due <= now) else { continue };
            if !admitted(portal) {
                self.waiting.insert(portal);
                continue;
            }
            self.last_turn += 1;
            hosts.last_turn = self.last_turn;
            self.make_ready(portal);
            return Some(host);
        }
        None
    }

    /// Adds the portals that have become due to the ready ones.
    fn advance_to(&mut self, now: Timestamp) {
        if self.now.is_some_and(|last| now < last) {
            // The clock was set back: hosts that were due may no longer be due.
            self.ready.clear();
            self.portals.values_mut().for_each(|hosts| hosts.is_ready = false);
            self.now = None;
        }
        let since = self.now.map_or(Bound::Unbounded, |last| Bound::Excluded((last, PortalId(u32::MAX))));
        let new = self.by_due.range((since, Bound::Unbounded)).take_while(|(due, _)| *due <= now);
        let new: Vec<PortalId> = new.map(|(_, portal)| *portal).collect();
        self.now = Some(now);
        new.into_iter().for_each(|portal| self.make_ready(portal));
    }

    fn make_ready(&mut self, portal: PortalId) {
        let Some(hosts) = self.portals.get_mut(&portal).filter(|hosts| !hosts.is_ready) else { return };
        hosts.is_ready = true;
        self.ready.insert((hosts.last_turn, portal));
    }
}

impl Hosts {
    fn first(&self) -> Option<Timestamp> {
        self.by_due.first().map(|(due, _)| *due)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(1_795_000_000 + second).unwrap()
    }

    fn host(number: u64) -> HostKey {
        HostKey(number.to_be_bytes())
    }

    /// Takes each due host once.
    fn taken(
        schedule: &mut Schedule,
        portal_of: impl Fn(HostKey) -> PortalId,
        due: Timestamp,
        now: Timestamp,
    ) -> Vec<u64> {
        let mut order = Vec::new();
        while let Some(key) = schedule.next(now, |_| true) {
            schedule.shift(portal_of(key), key, Some(due), None);
            order.push(u64::from_be_bytes(key.0));
        }
        order
    }

    #[test]
    fn a_portal_of_many_hosts_does_not_delay_another() {
        let portal_of = |key: HostKey| PortalId(if u64::from_be_bytes(key.0) < 100 { 0 } else { 1 });
        let mut schedule = Schedule::default();
        for number in (0..50).chain(100..103) {
            schedule.shift(portal_of(host(number)), host(number), None, Some(at(0)));
        }
        let order = taken(&mut schedule, portal_of, at(0), at(1));
        assert_eq!(order.len(), 53);
        let last_of_small = order.iter().rposition(|number| *number >= 100).unwrap();
        assert!(last_of_small <= 6, "{order:?}");
    }

    #[test]
    fn hosts_of_a_portal_are_taken_in_the_order_of_their_due_times() {
        let mut schedule = Schedule::default();
        for (number, due) in [(1, 30), (2, 10), (3, 20), (4, 90)] {
            schedule.shift(PortalId(0), host(number), None, Some(at(due)));
        }
        assert_eq!((schedule.first_due(), schedule.next(at(9), |_| true)), (Some(at(10)), None));
        for (number, due) in [(2, 10), (3, 20), (1, 30)] {
            assert_eq!(schedule.next(at(40), |_| true), Some(host(number)));
            schedule.shift(PortalId(0), host(number), Some(at(due)), None);
        }
        assert_eq!((schedule.next(at(40), |_| true), schedule.due(at(40), 9), schedule.due(at(90), 9)), (None, 0, 1));
    }

    #[test]
    fn a_portal_that_used_its_share_causes_no_wakeup() {
        let mut schedule = Schedule::default();
        schedule.shift(PortalId(0), host(1), None, Some(at(0)));
        schedule.shift(PortalId(1), host(2), None, Some(at(50)));
        assert_eq!(schedule.next(at(1), |portal| portal != PortalId(0)), None);
        assert_eq!(schedule.first_due(), Some(at(50)), "the other portal's time");
        schedule.end_waits();
        assert_eq!((schedule.first_due(), schedule.next(at(1), |_| true)), (Some(at(0)), Some(host(1))));
    }

    #[test]
    fn setting_the_clock_back_makes_no_host_due_and_loses_none() {
        let mut schedule = Schedule::default();
        schedule.shift(PortalId(0), host(1), None, Some(at(10)));
        schedule.shift(PortalId(1), host(2), None, Some(at(20)));
        assert_eq!(schedule.next(at(30), |_| true), Some(host(1)));
        assert_eq!(schedule.next(at(5), |_| true), None);
        schedule.shift(PortalId(0), host(1), Some(at(10)), None);
        assert_eq!(schedule.next(at(25), |_| true), Some(host(2)));
    }
}
