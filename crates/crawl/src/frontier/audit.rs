//! The books checked against the shelves: every row and queue entry on disk is counted anew. O(URLs): for tests, and for
//! whoever doubts.

use std::collections::BTreeMap;
use std::ops::Bound;

use goldminer_html::address::HostKey;

use super::Frontier;
use crate::store::StoreError;
use crate::store::frontier::{Account, Area, CountersRow, LaneRow, PortalId, QueuePosition, RowKey, UrlRow};

impl Frontier {
    /// What does not add up; nothing when all is well.
    ///
    /// # Errors
    /// When our own disk fails.
    pub fn audit(&self) -> Result<Vec<String>, StoreError> {
        let mut faults = Vec::new();
        if let Err(discrepancy) = self.counts().check() {
            faults.push(discrepancy.to_string());
        }
        self.audit_accounts(&mut faults)?;
        self.audit_queue(&mut faults)?;
        Ok(faults)
    }

    fn audit_accounts(&self, faults: &mut Vec<String>) -> Result<(), StoreError> {
        let none = |counts: &[u64]| vec![0; counts.len()];
        let mut counted = CountersRow {
            discovered: 0,
            pending: 0,
            done: none(&self.counters.done),
            rejected: none(&self.counters.rejected),
            ..self.counters.clone()
        };
        for entry in self.tables.urls.scan(&[], Bound::Unbounded) {
            let (_, row) = entry?;
            counted.discovered += 1;
            match row.account {
                Account::Pending => counted.pending += 1,
                Account::Done(done) => counted.done[done.index()] += 1,
                Account::Rejected(reason) => counted.rejected[reason.index()] += 1,
            }
        }
        if counted != self.counters {
            faults.push(format!("the accounts say {:?}, the rows {counted:?}", self.counters));
        }
        Ok(())
    }

    fn audit_queue(&self, faults: &mut Vec<String>) -> Result<(), StoreError> {
        let mut lanes: BTreeMap<(HostKey, PortalId), LaneRow> = BTreeMap::new();
        for entry in self.tables.queue.scan(&[], Bound::Unbounded) {
            let (key, waiting) = entry?;
            let Some((lane, place)) = QueuePosition::read(&key) else {
                faults.push(format!("the queue has an unreadable key {key:?}"));
                continue;
            };
            let empty = LaneRow { portal: lane.portal, ..LaneRow::default() };
            let counts = lanes.entry((lane.host, lane.portal)).or_insert(empty);
            match place.area() {
                Area::Ready => counts.ready += 1,
                Area::Retries => counts.retries += 1,
                Area::Revisits => counts.revisits += 1,
            }
            let row = self.tables.urls.get(&RowKey::join(lane.host, waiting.url).0)?;
            let fits = row.is_some_and(|row| {
                let waits_for_first = matches!(place.area(), Area::Ready | Area::Retries);
                let path = if waits_for_first { String::new() } else { waiting.row.path.clone() };
                row == UrlRow { path, ..waiting.row }
                    && row.rank == place.rank()
                    && (row.account == Account::Pending) == waits_for_first
            });
            if !fits {
                faults.push(format!("the queue entry {place:?} of {lane:?} has no row that fits"));
            }
        }
        for (key, host) in &self.hosts {
            for lane in &host.row.lanes {
                let counted = lanes.remove(&(*key, lane.portal)).unwrap_or_default();
                let waiting = |lane: &LaneRow| (lane.ready, lane.retries, lane.revisits);
                if waiting(&counted) != waiting(lane) {
                    faults.push(format!("{} counts {lane:?}, its queue has {counted:?}", host.row.host));
                }
            }
        }
        faults.extend(lanes.into_iter().map(|(lane, counts)| format!("{lane:?} has {counts:?} and no host")));
        Ok(())
    }
}
