//! The stored data of a URL, the types that describe it, and the keys of the queue.
//!
//! Rows are encoded with postcard, which is not self-describing, so a new field needs a new schema version.

use std::time::Duration;

use goldminer_html::{CrawlUrl, HostKey};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{Account, StoredPosition};

/// The key of a URL: the 8 bytes of its host's key, then 8 bytes of a hash of the URL. The URLs of a host are
/// neighbours on disk, so links within a site are looked up in few blocks, and all data of a host is found by its
/// key. Two of ten million URLs of one host collide with probability 3e-6.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct RowKey(pub [u8; 16]);

impl RowKey {
    /// The key of a URL.
    pub fn of(url: &CrawlUrl) -> Self {
        let mut half = [0; 8];
        half.copy_from_slice(&url.key().0[..8]);
        Self::join(url.host().key(), half)
    }

    /// The key with these two halves.
    pub fn join(host: HostKey, url: [u8; 8]) -> Self {
        let mut key = [0; 16];
        key[..8].copy_from_slice(&host.0);
        key[8..].copy_from_slice(&url);
        Self(key)
    }

    /// The second half: a hash of the URL.
    pub fn url(&self) -> [u8; 8] {
        let mut half = [0; 8];
        half.copy_from_slice(&self.0[8..]);
        half
    }

    /// The first half: the key of the host.
    pub fn host(&self) -> HostKey {
        let mut key = [0; 8];
        key.copy_from_slice(&self.0[..8]);
        HostKey(key)
    }
}

/// The expected kind of content of a URL. Start pages and feeds are requested before the other URLs of their host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum UrlKind {
    /// A start page of a portal; visited again.
    Start,
    /// RSS, Atom or JSON feed; visited again.
    Feed,
    /// A sitemap with the news extension; visited again.
    NewsSitemap,
    /// A sitemap or an index of sitemaps; visited again.
    Sitemap,
    /// Anything else; visited once.
    Page,
}

impl UrlKind {
    /// Whether URLs of the kind are visited again.
    pub fn is_revisited(self) -> bool {
        self != Self::Page
    }
}

/// How a URL was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Source {
    /// Named in the seeds, or added by the operator. Always in scope.
    Seed,
    /// An item of a feed, or a feed named by a page.
    Feed,
    /// An entry of a news sitemap.
    NewsSitemap,
    /// An entry of a sitemap, or a sitemap named by robots.txt.
    Sitemap,
    /// A link on a page.
    Link,
    /// The target of a redirect.
    Redirect,
    /// The canonical URL that a page names.
    Canonical,
    /// The target of a meta refresh.
    Refresh,
}

/// The permanent number of a portal.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct PortalId(pub u32);

/// The validators (`ETag`, `Last-Modified`) for a conditional request (RFC 9110, section 13).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Validators {
    /// The value of `ETag`.
    pub etag: Option<String>,
    /// The value of `Last-Modified`.
    pub last_modified: Option<String>,
}

impl Validators {
    /// Whether there is no validator.
    pub fn is_empty(&self) -> bool {
        self.etag.is_none() && self.last_modified.is_none()
    }
}

/// The stored state of a URL.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UrlRow {
    /// The path and query of the URL. In the table of URLs it is empty while the URL is pending, because the queue has
    /// it, and for most rejected URLs. Rejected URLs keep it if they may be accepted later: by other rules in the
    /// seeds, or because their prefix is opened again.
    pub path: String,
    /// The expected kind of content.
    pub kind: UrlKind,
    /// How the URL was first found.
    pub source: Source,
    /// The URL where it was first found.
    pub via: Option<RowKey>,
    /// Number of links from a start page.
    pub depth: u16,
    /// Number of redirects that led to this URL.
    pub hops: u8,
    /// The portal for which it was found.
    pub portal: PortalId,
    /// When it was first found.
    #[serde(with = "jiff::fmt::serde::timestamp::second::required")]
    pub found: Timestamp,
    /// Its place in the order of its host: lower ranks are requested sooner.
    pub rank: Rank,
    /// Number of attempts so far without a final outcome.
    pub attempts: u8,
    /// The state of the URL.
    pub account: Account,
    /// The last response.
    pub visit: Option<Box<Visit>>,
}

/// A URL in its host's queue, with a copy of its row. So a lease only reads the queue, which is in order on disk, and
/// not the URL table, whose rows are scattered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueuedUrl {
    /// The second half of the URL's key.
    pub url: [u8; 8],
    /// The row of the URL.
    pub row: UrlRow,
}

/// A URL's place in the order of its host: by class, then by discovery.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Rank {
    /// Lower classes are requested first.
    pub class: u8,
    /// The number of the discovery, counted over the whole crawl.
    pub discovery: u64,
}

/// The last response to a URL.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Visit {
    /// When the response was complete.
    #[serde(with = "jiff::fmt::serde::timestamp::second::required")]
    pub ended: Timestamp,
    /// The status code; None if there was no HTTP response.
    pub status: Option<u16>,
    /// The archive position of the response.
    pub position: Option<StoredPosition>,
    /// The validators for conditional requests; kept only for URLs that are visited again.
    pub validators: Validators,
    /// The current interval between visits, for URLs that are visited again.
    pub interval: Option<Duration>,
    /// A hash of the content, for URLs that are visited again.
    pub content: Option<u64>,
    /// The robots.txt rule, the failure, or the target of a redirect, for `why`.
    pub note: Option<String>,
}

/// The stored state of a portal. Its key is the portal's number.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct PortalRow {
    /// Its name.
    pub name: String,
    /// Number of sitemaps taken from other sitemaps.
    pub sitemaps: u64,
    /// Number of URLs taken from sitemaps.
    pub sitemap_urls: u64,
    /// Number of URLs and sitemaps in its sitemaps that were left out because of the limits.
    pub left_out: u64,
    /// Number of discoveries: later visits on which a start page, feed or sitemap had new URLs.
    pub news: u32,
    /// The time of the last discovery.
    pub last_news: Option<Timestamp>,
    /// The usual time between two discoveries.
    pub habit: Duration,
    /// Where a start page has moved to, if not within the portal.
    pub moved_to: Option<String>,
}

/// The key of a lane: one portal's URLs on one host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LaneKey {
    /// The host.
    pub host: HostKey,
    /// The portal.
    pub portal: PortalId,
}

/// The areas of a lane: ready URLs, retries and revisits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Area {
    /// URLs due as soon as the host is.
    Ready,
    /// URLs due for another attempt at a certain time.
    Retries,
    /// Done URLs due for another visit at a certain time.
    Revisits,
}

/// The position of a URL in its queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueuePosition {
    /// The area of the lane.
    pub area: Area,
    /// When the URL is due, in milliseconds since the epoch; 0 for ready URLs.
    pub due: i64,
    /// The order within the area.
    pub rank: Rank,
}

impl QueuePosition {
    /// The position of a URL that is due as soon as its host is.
    pub fn ready(rank: Rank) -> Self {
        Self { area: Area::Ready, due: 0, rank }
    }

    /// The position of a URL that is due for another attempt or visit, never before `at`.
    pub fn at(area: Area, at: Timestamp, rank: Rank) -> Self {
        Self { area, due: at.as_millisecond().saturating_add(1).max(0), rank }
    }

    /// The key of a URL in the queue: `host (8) · portal (4) · area (1) · due (8) · class (1) · discovery (8)`,
    /// big-endian, so that the order of keys is the order of requests. The URLs of a lane (one portal's URLs on one
    /// host) are together, sorted by area (ready, retries, revisits), due time and rank (class, then discovery).
    pub fn key(&self, lane: LaneKey) -> Vec<u8> {
        let Rank { class, discovery } = self.rank;
        [&lane.prefix(self.area)[..], &self.due.to_be_bytes(), &[class], &discovery.to_be_bytes()].concat()
    }

    /// Parses a key of the queue; None if it has another form.
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
    /// The beginning of all queue keys of an area.
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
    fn queue_keys_can_be_parsed_and_sort_by_position() {
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
