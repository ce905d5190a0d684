//! Keys of the queue: where a URL waits.
//!
//! `host (8) · portal (4) · area (1) · [due (8)] · class (1) · discovery (8)`, big-endian, so that the order of keys is
//! the order of asking: one portal's URLs on one host (a lane) stand together, sorted by due time and rank.

use goldminer_html::address::HostKey;
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

/// Where a URL waits in its lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QueuePosition {
    /// Due as soon as the host is.
    Ready(Rank),
    /// Due for another attempt (milliseconds since the epoch).
    Retry(i64, Rank),
    /// Due for another visit.
    Revisit(i64, Rank),
}

impl QueuePosition {
    /// A time as places hold it: never before `at`.
    #[must_use]
    pub fn due(at: Timestamp) -> i64 {
        at.as_millisecond().saturating_add(1).max(0)
    }

    /// When it is due, in milliseconds since the epoch; ready URLs always are.
    #[must_use]
    pub fn due_ms(&self) -> i64 {
        match self {
            Self::Ready(_) => i64::MIN,
            Self::Retry(due, _) | Self::Revisit(due, _) => *due,
        }
    }

    /// The part of the lane.
    #[must_use]
    pub fn area(&self) -> Area {
        match self {
            Self::Ready(_) => Area::Ready,
            Self::Retry(..) => Area::Retries,
            Self::Revisit(..) => Area::Revisits,
        }
    }

    /// The order within the host.
    #[must_use]
    pub fn rank(&self) -> Rank {
        match self {
            Self::Ready(rank) | Self::Retry(_, rank) | Self::Revisit(_, rank) => *rank,
        }
    }

    /// The key in the queue.
    #[must_use]
    pub fn key(&self, lane: LaneKey) -> Vec<u8> {
        let mut key = Vec::with_capacity(30);
        key.extend_from_slice(&lane.prefix(self.area()));
        if let Self::Retry(due, _) | Self::Revisit(due, _) = self {
            key.extend_from_slice(&due.to_be_bytes());
        }
        key.push(self.rank().class);
        key.extend_from_slice(&self.rank().discovery.to_be_bytes());
        key
    }

    /// Reads a key of the queue; none when it has another form.
    #[must_use]
    pub fn read(key: &[u8]) -> Option<(LaneKey, Self)> {
        let (host, rest) = key.split_first_chunk::<8>()?;
        let (portal, rest) = rest.split_first_chunk::<4>()?;
        let (area, rest) = rest.split_first()?;
        let lane = LaneKey { host: HostKey(*host), portal: PortalId(u32::from_be_bytes(*portal)) };
        let place = match area {
            0 => Self::Ready(read_rank(rest)?),
            1 | 2 => {
                let (due, rest) = rest.split_first_chunk::<8>()?;
                let (due, rank) = (i64::from_be_bytes(*due), read_rank(rest)?);
                if *area == 1 { Self::Retry(due, rank) } else { Self::Revisit(due, rank) }
            }
            _ => return None,
        };
        Some((lane, place))
    }
}

impl LaneKey {
    /// What the keys of a part begin with.
    #[must_use]
    pub fn prefix(&self, area: Area) -> [u8; 13] {
        let mut prefix = [0; 13];
        prefix[..8].copy_from_slice(&self.host.0);
        prefix[8..12].copy_from_slice(&self.portal.0.to_be_bytes());
        prefix[12] = area as u8;
        prefix
    }
}

fn read_rank(bytes: &[u8]) -> Option<Rank> {
    let (class, discovery) = bytes.split_first()?;
    Some(Rank { class: *class, discovery: u64::from_be_bytes(discovery.try_into().ok()?) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_tells_its_place_and_sorts_as_it() {
        let lane = LaneKey { host: HostKey([7; 8]), portal: PortalId(3) };
        let rank = |class, discovery| Rank { class, discovery };
        let places = [
            QueuePosition::Ready(rank(0, 900)),
            QueuePosition::Ready(rank(16, 2)),
            QueuePosition::Ready(rank(16, 300)),
            QueuePosition::Retry(5, rank(16, 1)),
            QueuePosition::Retry(1_000, rank(0, 1)),
            QueuePosition::Revisit(4, rank(0, 9)),
        ];
        let keys: Vec<_> = places.iter().map(|place| place.key(lane)).collect();
        assert!(keys.is_sorted(), "{keys:?}");
        for (place, key) in places.iter().zip(&keys) {
            assert_eq!(QueuePosition::read(key), Some((lane, *place)));
        }
        assert_eq!(QueuePosition::read(&keys[0][..12]), None);
    }
}
