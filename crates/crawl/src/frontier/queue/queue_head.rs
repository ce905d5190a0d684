//! The heads of the queue of a lane (one portal's URLs on one host): the next few URLs with their rows, kept in memory
//! so that a lease need not read the disk. Sitemaps have their own head, because they take turns with all other URLs.
//!
//! Invariant: every URL in a head precedes every URL that is only on disk and belongs to the same head. Those on disk
//! are at or after `scan_from`, so that scans do not read the tombstones (marks of deleted rows) before it.

use std::collections::VecDeque;
use std::ops::{Bound, RangeInclusive};

use crate::StoreError;
use crate::store::frontier::{Area, FrontierTables, LaneKey, QueuePosition, QueuedUrl, Rank};

/// The classes of sitemaps in the order of a host's URLs. The classes of start pages and feeds are before them, those
/// of pages after.
pub(crate) const SITEMAP_CLASSES: RangeInclusive<u8> = 2..=3;

/// The most URLs in a head (the next URLs of a queue, kept in memory), with some 250 bytes each. The blocks of a queue
/// on disk are read once for this many leases.
pub(crate) const CAPACITY: usize = 16;

/// The heads of a lane, and the times of its first retry and revisit.
#[derive(Debug)]
pub(crate) struct QueueHeads {
    /// The head of start pages, feeds and pages.
    pub(crate) others: QueueHead,
    pub(crate) sitemaps: QueueHead,
    /// When the first retry is due, in milliseconds since the epoch.
    pub(crate) first_retry: i64,
    /// No revisit is due before this time, in milliseconds since the epoch.
    pub(crate) first_revisit: i64,
}

impl QueueHeads {
    /// Creates the empty heads of a lane (the queue of one portal's URLs on one host). `has_urls` says whether the lane
    /// may have URLs on disk; a new lane has none.
    pub(crate) fn of(has_urls: bool) -> Self {
        let (others, sitemaps) = (QueueHead::of(has_urls), QueueHead::of(has_urls));
        Self { others, sitemaps, first_retry: i64::MAX, first_revisit: i64::MAX }
    }

    /// The head that URLs of this rank belong to.
    pub(crate) fn of_rank(&mut self, rank: Rank) -> &mut QueueHead {
        self.part(SITEMAP_CLASSES.contains(&rank.class))
    }

    /// Adds a URL at its place, or puts it back.
    pub(crate) fn put(&mut self, waiting: QueuedUrl, place: QueuePosition) {
        match place.area {
            Area::Ready => self.of_rank(place.rank).push(waiting),
            area => *self.first_due(area) = place.due.min(*self.first_due(area)),
        }
    }

    /// The time before which nothing is due in this area: retries or revisits.
    pub(crate) fn first_due(&mut self, area: Area) -> &mut i64 {
        if area == Area::Retries { &mut self.first_retry } else { &mut self.first_revisit }
    }

    /// The head of sitemaps, or of all other URLs.
    pub(crate) fn part(&mut self, sitemaps: bool) -> &mut QueueHead {
        if sitemaps { &mut self.sitemaps } else { &mut self.others }
    }
}

/// The next URLs of a part of a lane.
#[derive(Debug)]
pub(crate) struct QueueHead {
    entries: VecDeque<QueuedUrl>,
    scan_from: Rank,
    /// Whether this head has all URLs of its part, apart from a leased one.
    is_whole: bool,
}

impl QueueHead {
    /// The head of a part; `has_urls` says whether it may have URLs on disk.
    pub(crate) fn of(has_urls: bool) -> Self {
        Self { entries: VecDeque::new(), scan_from: Rank { class: 0, discovery: 0 }, is_whole: !has_urls }
    }

    /// Whether the part certainly has no waiting URL; false if there may be some on disk.
    pub(crate) fn is_empty(&self) -> bool {
        self.is_whole && self.entries.is_empty()
    }

    /// The rank of the next URL; None if the head is empty.
    pub(crate) fn peek(&self) -> Option<Rank> {
        self.entries.front().map(|next| next.row.rank)
    }

    /// Takes the next URL.
    pub(crate) fn pop(&mut self) -> Option<QueuedUrl> {
        self.entries.pop_front()
    }

    /// Adds a URL that was written to disk, or that is put back.
    pub(crate) fn push(&mut self, url: QueuedUrl) {
        let rank = url.row.rank;
        let comes_before_last = self.entries.back().is_some_and(|last| rank < last.row.rank);
        if !self.is_whole && !comes_before_last {
            self.scan_from = self.scan_from.min(rank);
            return;
        }
        let at = self.entries.partition_point(|other| other.row.rank < rank);
        self.entries.insert(at, url);
        if self.entries.len() > CAPACITY
            && let Some(left) = self.entries.pop_back()
        {
            // Until now the head had all URLs, so no earlier URL is on disk.
            self.scan_from = if self.is_whole { left.row.rank } else { self.scan_from.min(left.row.rank) };
            self.is_whole = false;
        }
    }

    /// Removes a URL at any position; false if it is not in the head.
    pub(crate) fn forget(&mut self, rank: Rank) -> bool {
        let at = self.entries.iter().position(|other| other.row.rank == rank);
        at.is_some_and(|at| self.entries.remove(at).is_some())
    }

    /// Where to read on disk if the head is empty and its part is not.
    pub(crate) fn scan_from(&self) -> Rank {
        self.scan_from
    }

    /// Adds the next URLs of the queue, which were read from disk from `scan_from` on, in order. If they are fewer than
    /// [`CAPACITY`], no more are on disk.
    pub(crate) fn refill(&mut self, entries: impl IntoIterator<Item = QueuedUrl>) {
        self.entries.extend(entries);
        self.is_whole = self.entries.len() < CAPACITY;
        if let Some(QueuedUrl { row, .. }) = self.entries.back() {
            self.scan_from = Rank { class: row.rank.class, discovery: row.rank.discovery + 1 };
        }
    }
}

/// The first URLs on disk of an area of a lane, from the key `from` on, with their positions.
pub(crate) fn read_places(
    tables: &FrontierTables,
    key: LaneKey,
    area: Area,
    from: &[u8],
    limit: usize,
) -> Result<Vec<(QueuePosition, QueuedUrl)>, StoreError> {
    let entries = tables.queue.scan(&key.prefix(area), Bound::Included(from)).take(limit);
    let places = entries.filter_map(|entry| match entry {
        Ok((key, waiting)) => QueuePosition::read(&key).map(|(_, place)| Ok((place, waiting))),
        Err(e) => Some(Err(e)),
    });
    places.collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use jiff::Timestamp;
    use proptest::prelude::*;

    use super::*;
    use crate::store::frontier::{Account, PortalId, Source, UrlKind, UrlRow};

    /// A lane on a simulated disk.
    struct Lane {
        head: QueueHead,
        disk: BTreeSet<Rank>,
    }

    impl Lane {
        fn push(&mut self, rank: Rank) {
            self.disk.insert(rank);
            self.head.push(waiting(rank));
        }

        fn pop(&mut self) -> Option<Rank> {
            if self.head.peek().is_none() {
                let read: Vec<_> = self.disk.range(self.head.scan_from()..).take(CAPACITY).copied().collect();
                self.head.refill(read.into_iter().map(waiting));
            }
            assert_eq!(self.head.is_empty(), self.disk.is_empty());
            let rank = self.head.pop()?.row.rank;
            self.disk.remove(&rank);
            Some(rank)
        }
    }

    fn waiting(rank: Rank) -> QueuedUrl {
        let row = UrlRow {
            path: "/".to_owned(),
            kind: UrlKind::Page,
            source: Source::Link,
            via: None,
            depth: 1,
            hops: 0,
            portal: PortalId(0),
            found: Timestamp::UNIX_EPOCH,
            rank,
            attempts: 0,
            account: Account::Pending,
            visit: None,
        };
        QueuedUrl { url: [0; 8], row }
    }

    proptest! {
        #[test]
        fn urls_come_in_the_order_of_rank_however_they_were_added(
            steps in proptest::collection::vec((0..3_u8, 0..4_u8), 0..400),
        ) {
            let mut lane = Lane { head: QueueHead::of(false), disk: BTreeSet::new() };
            for (discovery, (step, class)) in steps.into_iter().enumerate() {
                if step < 2 {
                    // Two thirds of the steps add a URL, so that the queue outgrows the head.
                    lane.push(Rank { class, discovery: discovery as u64 });
                } else {
                    let expected = lane.disk.first().copied();
                    prop_assert_eq!(lane.pop(), expected);
                }
            }
            while let Some(expected) = lane.disk.first().copied() {
                prop_assert_eq!(lane.pop(), Some(expected));
            }
        }
    }
}
