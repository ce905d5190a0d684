//! The rows of the frontier's tables: what is remembered of a URL, a host, a page.
//!
//! Plain data in postcard, which is not self-describing: a new field is a new schema version. Which row is written when
//! is decided in `frontier`.

use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::address::{CrawlUrl, Host, HostKey, UrlKey};
use crate::capture::ArchivePosition;

/// A URL as a key: the host's 8 bytes, then the first 8 of the URL's. The URLs of a host stand together, so that links
/// within a site are looked up in few blocks and everything of a host is found by its key. Ten million URLs of one host
/// collide with probability 3e-6.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct RowKey(pub [u8; 16]);

impl RowKey {
    /// The key of a URL.
    #[must_use]
    pub fn of(url: &CrawlUrl) -> Self {
        Self::new(url.host().key(), url.key())
    }

    /// The key from its halves.
    #[must_use]
    pub fn new(host: HostKey, url: UrlKey) -> Self {
        let mut key = [0; 16];
        key[..8].copy_from_slice(&host.0);
        key[8..].copy_from_slice(&url.0[..8]);
        Self(key)
    }

    /// The host's half.
    #[must_use]
    pub fn host(&self) -> HostKey {
        let mut key = [0; 8];
        key.copy_from_slice(&self.0[..8]);
        HostKey(key)
    }
}

/// What a URL is expected to be. The order is the order in which a host's URLs are asked for.
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
    #[must_use]
    pub fn is_revisited(self) -> bool {
        self != Self::Page
    }
}

/// How a URL was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Source {
    /// Named in the seeds, or added by the operator; always in scope.
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
    /// Named as canonical by a page.
    Canonical,
    /// The target of a meta refresh.
    Refresh,
}

/// A portal of the seeds file, by the durable number that the frontier gave its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct PortalId(pub u16);

/// What a conditional request needs (RFC 9110, section 13).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Validators {
    /// The value of `ETag`.
    pub etag: Option<String>,
    /// The value of `Last-Modified`.
    pub last_modified: Option<String>,
}

impl Validators {
    /// Whether there is nothing to make a request conditional with.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.etag.is_none() && self.last_modified.is_none()
    }
}

/// How the account of a URL was closed by what the web did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Done {
    /// Received and archived.
    Fetched,
    /// Unchanged since the last visit.
    NotModified,
    /// Points elsewhere.
    Redirected,
    /// Forbidden by robots.txt; never asked for.
    Disallowed,
    /// 404, 410 and the other 4xx.
    Gone,
    /// 403, or a CAPTCHA in place of the page.
    Refused,
    /// Given up: too many attempts, or something that no attempt can mend.
    Failed,
}

impl Done {
    /// Every way, in the order of [`Done::index`].
    pub const ALL: [Self; 7] =
        [Self::Fetched, Self::NotModified, Self::Redirected, Self::Disallowed, Self::Gone, Self::Refused, Self::Failed];

    /// Its place in [`Done::ALL`].
    #[must_use]
    pub fn index(self) -> usize {
        self as usize
    }
}

/// Why a URL was never queued, or was taken from the queue without being asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rejection {
    /// Outside the portal's hosts, domain or prefixes.
    OutOfScope,
    /// No include rule matches.
    NotIncluded,
    /// An exclude rule matches.
    Excluded,
    /// Deeper than the portal's limit.
    TooDeep,
    /// rel=nofollow, or nofollow of the page.
    Nofollow,
    /// More than 2,048 characters.
    TooLong,
    /// More than 20 path segments.
    TooManySegments,
    /// A path segment occurs more than three times.
    RepeatedSegment,
    /// A path segment that looks like a host name.
    HostLikeSegment,
    /// Too many or repeated query parameters.
    ExplodingParameters,
    /// A date that no page can have: a calendar without end.
    EndlessCalendar,
    /// Its path prefix was closed, because it gave hardly any text.
    ClosedPrefix,
    /// The eleventh URL of a chain of redirects.
    RedirectChain,
}

impl Rejection {
    /// Every reason, in the order of [`Rejection::index`].
    pub const ALL: [Self; 13] = [
        Self::OutOfScope,
        Self::NotIncluded,
        Self::Excluded,
        Self::TooDeep,
        Self::Nofollow,
        Self::TooLong,
        Self::TooManySegments,
        Self::RepeatedSegment,
        Self::HostLikeSegment,
        Self::ExplodingParameters,
        Self::EndlessCalendar,
        Self::ClosedPrefix,
        Self::RedirectChain,
    ];

    /// Its place in [`Rejection::ALL`].
    #[must_use]
    pub fn index(self) -> usize {
        self as usize
    }
}

/// What is remembered of a URL.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UrlRow {
    /// Path and query; empty while the URL is rejected (who asks about it brings its text).
    pub path: String,
    /// What it is expected to be.
    pub kind: UrlKind,
    /// How it was found first.
    pub source: Source,
    /// The URL that it was found on first.
    pub via: Option<RowKey>,
    /// Links from a start page.
    pub depth: u16,
    /// Redirects that led here.
    pub hops: u8,
    /// The portal that it was found for.
    pub portal: PortalId,
    /// When it was found first.
    #[serde(with = "jiff::fmt::serde::timestamp::second::required")]
    pub found: Timestamp,
    /// Its place in the order of its host: the lower the sooner.
    pub rank: Rank,
    /// Attempts that gave no outcome.
    pub attempts: u8,
    /// Where it stands in the accounts.
    pub account: Account,
    /// The last answer.
    pub visit: Option<Visit>,
}

/// A URL's place in the order of its host: class first, then the order of discovery.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Rank {
    /// Lower classes are asked for first.
    pub class: u8,
    /// Counts discoveries over the whole crawl.
    pub discovery: u64,
}

/// Every discovered URL stands in exactly one account.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Account {
    /// Queued or in flight: on disk there is no difference, so that a crash returns what was in flight.
    Pending,
    /// Closed by what the web did.
    Done(Done),
    /// Closed by a rule of ours.
    Rejected(Rejection),
}

/// The last answer to a URL.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Visit {
    /// When the answer was complete.
    #[serde(with = "jiff::fmt::serde::timestamp::second::required")]
    pub ended: Timestamp,
    /// The status code; none when there was no HTTP response.
    pub status: Option<u16>,
    /// Where the answer is archived.
    pub position: Option<StoredPosition>,
    /// For conditional requests; kept only for URLs that are visited again.
    pub validators: Validators,
    /// The present interval between visits, for URLs that are visited again.
    pub interval: Option<Duration>,
    /// The robots rule, the failure, the redirect's target: what `why` tells.
    pub note: Option<String>,
}

/// An [`ArchivePosition`] with the file as a number of the `files` table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredPosition {
    /// The file's number.
    pub file: u32,
    /// Bytes from the file's beginning.
    pub offset: u64,
    /// Bytes of the record.
    pub length: u64,
}

/// An archived page of a domain, in the order of archiving: what the extractor reads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageEntry {
    /// Counts the domain's pages from 0 without gaps.
    #[serde(skip)]
    pub seq: u64,
    /// The page.
    pub url: CrawlUrl,
    /// The record that holds it.
    pub position: ArchivePosition,
    /// When it was fetched.
    #[serde(with = "jiff::fmt::serde::timestamp::millisecond::required")]
    pub fetched: Timestamp,
    /// Whether it is article-like, so that it can teach.
    pub teaches: bool,
}

/// What is counted per domain in the frontier's own transactions.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DomainRow {
    /// The domain's name.
    pub name: String,
    /// Entries in its page index; also the next entry's number.
    pub pages: u64,
    /// Those that can teach.
    pub teaching: u64,
}

/// A payload that was archived before, for WARC revisit records.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PayloadSeen {
    /// The URL that gave it.
    pub url: CrawlUrl,
    /// When.
    #[serde(with = "jiff::fmt::serde::timestamp::nanosecond::required")]
    pub fetched: Timestamp,
    /// The record that holds it.
    pub position: ArchivePosition,
}
