//! Keys of the queue: where a URL waits.
//!
//! `host (8) · portal (4) · area (1) · due (8) · class (1) · discovery (8)`, big-endian, so that the order of keys is
//! the order of asking: one portal's URLs on one host (a lane) stand together, sorted by due time and rank.

use goldminer_html::HostKey;
use jiff::Timestamp;

use super::{PortalId, Rank};

/// One portal's URLs on one host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LaneKey {
    /// The host.
    pub host: HostKey,
    /// The portal.
    pub portal: PortalId,
}

/// The parts of a lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Area {
    /// Due as soon as the host is.
    Ready,
    /// Due for another attempt at a time.
    Retries,
    /// Done, and due for another visit at a time.
    Revisits,
}

/// The position of a URL in its queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueuePosition {
    /// The part of the lane.
    pub area: Area,
    /// When it is due, in milliseconds since the epoch; 0 for ready URLs.
    pub due: i64,
    /// The order within the host.
    pub rank: Rank,
}

impl QueuePosition {
    /// Due as soon as the host is.
    pub fn ready(rank: Rank) -> Self {
        Self { area: Area::Ready, due: 0, rank }
    }

    /// Due for another attempt or visit, never before `at`.
    pub fn at(area: Area, at: Timestamp, rank: Rank) -> Self {
        Self { area, due: at.as_millisecond().saturating_add(1).max(0), rank }
    }

    /// The key in the queue.
    pub fn key(&self, lane: LaneKey) -> Vec<u8> {
        let Rank { class, discovery } = self.rank;
        [&lane.prefix(self.area)[..], &self.due.to_be_bytes(), &[class], &discovery.to_be_bytes()].concat()
    }

    /// Reads a key of the queue; none when it has another form.
    pub fn read(key: &[u8]) -> Option<(LaneKey, Self)> {
        let (host, rest) = key.split_first_chunk::<8>()?;
        let (portal, rest) = rest.split_first_chunk::<4>()?;
        let (area, rest) = rest.split_first()?;
        let (due, rest) = rest.split_first_chunk::<8>()?;
        let (class, discovery) = rest.split_first()?;
        let area = [Area::Ready, Area::Retries, Area::Revisits].into_iter().find(|known| *known as u8 == *area)?;
        let rank = Rank { class: *class, discovery: u64::from_be_bytes(discovery.try_into().ok()?) };
        let lane = LaneKey { host: HostKey(*host), portal: PortalId(u32::from_be_bytes(*portal)) };
        Some((lane, Self { area, due: i64::from_be_bytes(*due), rank }))
    }
}

impl LaneKey {
    /// What the keys of a part begin with.
    pub fn prefix(&self, area: Area) -> [u8; 13] {
        let mut prefix = [0; 13];
        prefix[..8].copy_from_slice(&self.host.0);
        prefix[8..12].copy_from_slice(&self.portal.0.to_be_bytes());
        prefix[12] = area as u8;
        prefix
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_tells_its_place_and_sorts_as_it() {
        let lane = LaneKey { host: HostKey([7; 8]), portal: PortalId(3) };
        let rank = |class, discovery| Rank { class, discovery };
        let at = |area, due, rank| QueuePosition { area, due, rank };
        let places = [
            QueuePosition::ready(rank(0, 900)),
            QueuePosition::ready(rank(16, 2)),
            QueuePosition::ready(rank(16, 300)),
            at(Area::Retries, 5, rank(16, 1)),
            at(Area::Retries, 1_000, rank(0, 1)),
            at(Area::Revisits, 4, rank(0, 9)),
        ];
        let keys: Vec<_> = places.iter().map(|place| place.key(lane)).collect();
        assert!(keys.is_sorted(), "{keys:?}");
        for (place, key) in places.iter().zip(&keys) {
            assert_eq!(QueuePosition::read(key), Some((lane, *place)));
        }
        assert_eq!(QueuePosition::read(&keys[0][..12]), None);
    }
}
