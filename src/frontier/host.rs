//! A host in memory: its row, the fronts of its lanes, and what is out.

use jiff::Timestamp;

use super::front::Front;
use crate::address::Host;
use crate::store::frontier::{Hold, HostRow, LaneRow, Pace, PortalId, RobotsState, RowKey, Trouble, Verdict};

/// A host with URLs, or one that a robots.txt redirected to.
#[derive(Debug)]
pub(super) struct HostState {
    /// As it is on disk after the next commit.
    pub(super) row: HostRow,
    /// One for each of `row.lanes`.
    pub(super) fronts: Vec<Front>,
    /// Judged path prefixes.
    pub(super) verdicts: Vec<Verdict>,
    /// Why it gives nothing at present.
    pub(super) trouble: Option<Trouble>,
    /// Its lease.
    pub(super) out: Option<Out>,
    /// A lease of another host, whose robots.txt redirects here, is being asked of this one.
    pub(super) lent: bool,
    /// Nothing is asked for earlier, for reasons that need not survive the process.
    pub(super) postponed: Timestamp,
    /// Its time in the schedule.
    pub(super) due: Option<Timestamp>,
}

/// A lease that is out.
#[derive(Debug, Clone, Copy)]
pub(super) struct Out {
    pub(super) lease: u64,
    /// The number of the promises that its call made; none when no request leaves.
    pub(super) promise: Option<u64>,
    /// When the host might have been asked if no request leaves after all.
    pub(super) was_allowed: Timestamp,
    /// The lane, when its ready URLs are one fewer than on disk.
    pub(super) taken_from: Option<usize>,
    /// Whether a first visit is out: then it is in flight in the accounts.
    pub(super) first_visit: bool,
    /// The URL; none for robots.txt.
    pub(super) url: Option<RowKey>,
}

impl HostState {
    /// A host that was never asked.
    pub(super) fn new(host: Host, pace: Pace, robots: RobotsState) -> Self {
        Self::loaded(HostRow { host, pace, hold: None, robots, lanes: Vec::new(), bytes: 0, clean_bytes: 0 })
    }

    /// A host from its row.
    pub(super) fn loaded(row: HostRow) -> Self {
        let fronts = row.lanes.iter().map(|_| Front::unread()).collect();
        Self {
            row,
            fronts,
            verdicts: Vec::new(),
            trouble: None,
            out: None,
            lent: false,
            postponed: Timestamp::MIN,
            due: None,
        }
    }

    /// The lane of a portal, made if need be.
    pub(super) fn lane(&mut self, portal: PortalId) -> usize {
        if let Some(lane) = self.row.lanes.iter().position(|lane| lane.portal == portal) {
            return lane;
        }
        self.row.lanes.push(LaneRow { portal, ..LaneRow::default() });
        self.fronts.push(Front::unread());
        self.row.lanes.len() - 1
    }

    /// Ready URLs of a lane that are not out.
    pub(super) fn ready(&self, lane: usize) -> u64 {
        let out = self.out.is_some_and(|out| out.taken_from == Some(lane));
        self.row.lanes[lane].ready - u64::from(out)
    }

    /// URLs that wait for their first visit, without the one that is out.
    pub(super) fn queued(&self) -> u64 {
        let on_disk: u64 = self.row.lanes.iter().map(|lane| lane.ready + lane.retries).sum();
        on_disk - u64::from(self.out.is_some_and(|out| out.first_visit))
    }

    /// When the next lease may be given out, if there is anything to ask for; `is_open` tells whether a portal's budget
    /// allows it.
    pub(super) fn next_due(&self, revisit: bool, is_open: impl Fn(PortalId) -> bool) -> Option<Timestamp> {
        if self.out.is_some() || self.lent {
            return None;
        }
        let held_until = match self.row.hold {
            None => Timestamp::MIN,
            Some(Hold::Refusals { until: Some(until) }) => until,
            Some(_) => return None,
        };
        let work = (0..self.fronts.len())
            .filter(|lane| is_open(self.row.lanes[*lane].portal))
            .filter_map(|lane| self.lane_due(lane, revisit))
            .min()?;
        let robots = self.row.robots.open_at();
        Some(work.max(robots).max(held_until).max(self.row.pace.next_allowed).max(self.postponed))
    }

    /// When a lane has something to ask for.
    fn lane_due(&self, lane: usize, revisit: bool) -> Option<Timestamp> {
        if self.ready(lane) > 0 {
            return Some(Timestamp::MIN);
        }
        let front = &self.fronts[lane];
        let visits = if revisit { front.first_revisit } else { i64::MAX };
        let due = front.first_retry.min(visits);
        (due != i64::MAX).then(|| Timestamp::from_millisecond(due).unwrap_or(Timestamp::MAX))
    }
}
