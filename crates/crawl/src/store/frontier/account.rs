//! The accounts: the states of a discovered URL, and the counts that are written with every batch.

use serde::{Deserialize, Serialize};
use strum::VariantArray;

/// How the account of a URL was closed by an answer of the web.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, VariantArray)]
#[serde(rename_all = "kebab-case")]
pub enum Done {
    /// Received and archived.
    Fetched,
    /// Unchanged since the last visit.
    NotModified,
    /// Redirected to another URL.
    Redirected,
    /// Forbidden by robots.txt; never requested.
    Disallowed,
    /// 404, 410 and the other 4xx.
    Gone,
    /// 403, or a CAPTCHA in place of the page.
    Refused,
    /// Given up: too many attempts, or an error that no attempt can correct.
    Failed,
}

impl Done {
    /// Every way, in the order of [`Done::index`].
    pub const ALL: &'static [Self] = Self::VARIANTS;

    /// Its place in [`Done::ALL`].
    pub fn index(self) -> usize {
        self as usize
    }
}

/// Why a URL was never queued, or was removed from the queue without a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, VariantArray)]
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
    /// One more date of a walk through time that led only to more dates.
    DateWalk,
    /// It differs from another URL only in a parameter that changes nothing; the other one is used instead.
    SessionParameter,
    /// One more combination of parameters that led only to more combinations.
    Facets,
    /// A path with repeated segments on a host where such paths gave nothing.
    RelativeLoop,
    /// One more address of a known page.
    SamePage,
    /// A sitemap too far from the one that robots.txt or the seeds name.
    SitemapTooDeep,
    /// The same page of a site with two names; the other name is used instead.
    HostAlias,
    /// On one more host of a domain that has too many hosts.
    TooManyHosts,
    /// Permanently removed from the job with `goldminer drop`.
    Withdrawn,
}

impl Rejection {
    /// Every reason, in the order of [`Rejection::index`].
    pub const ALL: &'static [Self] = Self::VARIANTS;

    /// Its place in [`Rejection::ALL`].
    pub fn index(self) -> usize {
        self as usize
    }
}

/// The state of a URL. Every discovered URL has exactly one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Account {
    /// Queued or in flight: on disk there is no difference, so that URLs in flight are queued again after a crash.
    Pending,
    /// Closed by an answer of the web.
    Done(Done),
    /// Closed by one of our rules.
    Rejected(Rejection),
}

/// The accounts and other counts, written with every batch.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CountersRow {
    /// URLs found.
    pub discovered: u64,
    /// Queued or in flight for a first visit.
    pub pending: u64,
    /// By [`Done::index`].
    pub done: Vec<u64>,
    /// By [`Rejection::index`].
    pub rejected: Vec<u64>,
    /// The number of the next discovery, for its rank.
    pub next_rank: u64,
    /// Answers to second and later visits.
    pub revisits: u64,
    /// Answers to requests for robots.txt.
    pub robots: u64,
    /// Attempts without an outcome.
    pub retries: u64,
    /// Bytes received on the wire.
    pub bytes: u64,
    /// Entries in all page indexes.
    pub pages: u64,
}

/// The name of an outcome, a reason or a kind in JSON. These names are defined only here.
pub fn name_of<T: Serialize>(value: &T) -> String {
    let json = serde_json::to_value(value).ok();
    json.and_then(|json| json.as_str().map(str::to_owned)).unwrap_or_default()
}
