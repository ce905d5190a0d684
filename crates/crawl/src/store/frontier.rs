//! The typed tables of the frontier.
//!
//! | table | key | value |
//! |---|---|---|
//! | urls | [`RowKey`] | [`UrlRow`] |
//! | queue | [`QueuePosition`] | [`QueuedUrl`]: a copy of the URL's row |
//! | hosts, robots, tdmrep, verdicts | host | [`HostRow`], [`RobotsCopy`], [`RobotsCopy`], [`PrefixState`]s |
//! | prefixes | host, digest of the prefix | [`PrefixRow`] |
//! | pages | domain, number | [`PageEntry`] |
//! | domains | domain | [`DomainRow`] |
//! | articles | domain | [`ArticlesRow`] |
//! | payloads | digest | [`PayloadSeen`] |
//! | repeats | [`RowKey`] of the first URL with the payload | [`RepeatRow`] |
//! | portals, rules, files | number | [`PortalRow`], a hash, a file's name |
//! | counters, withheld, archive | empty: one row | [`CountersRow`], numbers, the last [`ArchivePosition`] |
//!
//! All data of a domain is found by keys: its pages directly, its URLs through its hosts.

mod account;
mod host;
mod page;
mod url;

use std::ops::Bound;
use std::path::Path;

use goldminer_html::{ArchivePosition, Domain, HostKey};

use super::StoreError;
use super::table::{Batch, Spaces, Table};

pub use account::{Account, CountersRow, Done, Rejection, name_of};
pub use host::{Hold, HostClock, HostError, HostRow, LaneRow, PackedBody, RobotsCopy, RobotsState, RobotsStatus};
pub use page::{
    ArticlesRow, DomainRow, NO_PREFIX, PageEntry, PayloadSeen, PrefixRow, PrefixState, RepeatRow, StoredPosition,
    Window,
};
pub use url::{
    Area, LaneKey, PortalId, PortalRow, QueuePosition, QueuedUrl, Rank, RowKey, Source, UrlKind, UrlRow, Validators,
    Visit,
};

/// The key of the only row, in tables with one row.
pub const ONLY: &[u8] = b"";

/// The tables of the frontier. Clones are handles to the same tables.
#[derive(Clone)]
pub struct FrontierTables {
    spaces: Spaces,
    /// URLs by [`RowKey`].
    pub urls: Table<UrlRow>,
    /// Queued URLs, by [`QueuePosition`].
    pub queue: Table<QueuedUrl>,
    /// The state of each host, by the host's key.
    pub hosts: Table<HostRow>,
    /// The last good robots.txt of each host.
    pub robots: Table<RobotsCopy>,
    /// The last response for each host's tdmrep.json, with a body if there was one.
    pub tdmrep: Table<RobotsCopy>,
    /// The path prefixes and patterns of each host whose URLs are requested last, or not at all.
    pub verdicts: Table<Vec<PrefixState>>,
    /// How much text the pages under each path prefix gave.
    pub prefixes: Table<PrefixRow>,
    /// The page indexes: the archived pages of each domain, in order.
    pub pages: Table<PageEntry>,
    /// The page counts of each domain, by the domain's key.
    pub domains: Table<DomainRow>,
    /// The counts of known articles of each domain.
    pub articles: Table<ArticlesRow>,
    /// Archived payloads (response bodies) by digest.
    pub payloads: Table<PayloadSeen>,
    /// How many URLs repeat the page of another URL of their host, by the URL that had the page first.
    pub repeats: Table<RepeatRow>,
    /// Portals by number.
    pub portals: Table<PortalRow>,
    /// A hash of the rules that last decided on the URLs of each portal, by its number.
    pub rules: Table<u64>,
    /// Names of archive files by number.
    pub files: Table<String>,
    /// Counts of URLs, requests and bytes.
    pub counters: Table<CountersRow>,
    /// Number of pages that ask not to be used, by restriction.
    pub withheld: Table<Vec<u64>>,
    /// The last archived record whose outcome is in the tables.
    pub archive: Table<ArchivePosition>,
}

impl FrontierTables {
    pub(super) fn open(spaces: &Spaces) -> Result<Self, StoreError> {
        Ok(Self {
            spaces: spaces.clone(),
            urls: spaces.table("urls", 24)?,
            queue: spaces.table("queue", 12)?,
            pages: spaces.table("pages", 8)?,
            payloads: spaces.table("payloads", 8)?,
            hosts: spaces.small("hosts", b'h'),
            robots: spaces.small("robots", b'r'),
            tdmrep: spaces.small("tdmrep", b'm'),
            verdicts: spaces.small("verdicts", b'v'),
            prefixes: spaces.small("prefixes", b'x'),
            domains: spaces.small("domains", b'd'),
            articles: spaces.small("articles", b'y'),
            repeats: spaces.small("repeats", b'e'),
            portals: spaces.small("portals", b'p'),
            rules: spaces.small("rules", b'u'),
            files: spaces.small("files", b'f'),
            counters: spaces.small("counters", b'c'),
            withheld: spaces.small("withheld", b'k'),
            archive: spaces.small("archive", b'a'),
        })
    }

    /// An empty batch.
    pub fn batch(&self) -> Batch {
        self.spaces.batch()
    }

    /// The pages of a domain from number `from`, in order.
    pub fn pages_from(
        &self,
        domain: &Domain,
        from: u64,
    ) -> impl Iterator<Item = Result<PageEntry, StoreError>> + use<'_> {
        let key = page_key(domain, from);
        self.pages.scan(&domain.key(), Bound::Included(&key)).map(|entry| {
            let (key, page) = entry?;
            let seq = key.last_chunk::<8>().map_or(0, |number| u64::from_be_bytes(*number));
            Ok(PageEntry { seq, ..page })
        })
    }

    /// The page counts of a domain; None if it has no archived pages.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn domain(&self, domain: &Domain) -> Result<Option<DomainRow>, StoreError> {
        self.domains.get(&domain.key())
    }

    /// The page counts of all domains with archived pages.
    pub fn all_domains(&self) -> impl Iterator<Item = Result<DomainRow, StoreError>> + use<'_> {
        self.domains.scan(&[], Bound::Unbounded).map(|entry| Ok(entry?.1))
    }

    /// The database's folder.
    pub fn path(&self) -> &Path {
        &self.spaces.path
    }
}

/// The key of a page in its domain's index.
pub fn page_key(domain: &Domain, seq: u64) -> [u8; 16] {
    RowKey::join(HostKey(domain.key()), seq.to_be_bytes()).0
}
