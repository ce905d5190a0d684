//! The accounts: the state of each discovered URL, and the counts that are saved in every transaction.

use serde::{Deserialize, Serialize};
use strum::VariantArray;

/// The outcome of a URL that is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, VariantArray)]
#[serde(rename_all = "kebab-case")]
pub enum Done {
    /// Received and archived.
    Fetched,
    /// Not modified since the last visit (304).
    NotModified,
    /// Redirected to another URL.
    Redirected,
    /// Forbidden by robots.txt, so never requested.
    Disallowed,
    /// 404, 410 and every other 4xx that is neither a refusal nor tried again.
    Gone,
    /// 403, or a CAPTCHA in place of the page.
    Refused,
    /// Given up, after too many attempts or a permanent error.
    Failed,
    /// The URL gave the same page, byte for byte, as several other URLs of its host: an error page with status 200, for
    /// example.
    Repeated,
    /// The host has no sitemap at the usual place, which was tried because robots.txt names none.
    NoSitemap,
}

impl Done {
    /// All variants, in the order of [`Done::index`].
    pub const ALL: &'static [Self] = Self::VARIANTS;

    /// The position in [`Done::ALL`].
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
    /// More links from a start page than the portal allows.
    TooDeep,
    /// The link has `rel=nofollow`, or its page has `nofollow`.
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
    /// A date that no page can have, as in an endless calendar.
    EndlessCalendar,
    /// The path prefix was closed, because it gave hardly any text.
    ClosedPrefix,
    /// The target of the eleventh redirect in a row.
    RedirectChain,
    /// One more date of a calendar whose dates led only to more dates.
    DateWalk,
    /// The URL differs from another one only in a parameter that changes nothing. The other one is used instead.
    SessionParameter,
    /// One more combination of parameters, where combinations led only to more combinations.
    Facets,
    /// A path with repeated segments, on a host where such paths gave nothing.
    RelativeLoop,
    /// The URL matches a pattern whose pages are known under other URLs.
    SamePage,
    /// A sitemap too many steps from the one that robots.txt or the seeds name.
    SitemapTooDeep,
    /// A page of a site with two host names. The other name is used instead.
    HostAlias,
    /// The URL would add a host to a domain that has too many already.
    TooManyHosts,
    /// Permanently removed from the job with `goldminer drop`.
    Withdrawn,
}

impl Rejection {
    /// All variants, in the order of [`Rejection::index`].
    pub const ALL: &'static [Self] = Self::VARIANTS;

    /// Whether a setting of the portal in the seeds file rejects the URL.
    pub fn is_of_seeds(self) -> bool {
        matches!(self, Self::OutOfScope | Self::NotIncluded | Self::Excluded | Self::TooDeep)
    }

    /// The position in [`Rejection::ALL`].
    pub fn index(self) -> usize {
        self as usize
    }
}

/// The state of a URL. Every discovered URL has exactly one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Account {
    /// Queued or in flight. There is no difference on disk, so that URLs in flight are queued again after a crash.
    Pending,
    /// Processed, with this outcome.
    Done(Done),
    /// Not requested, because of this rule.
    Rejected(Rejection),
}

/// Counts of URLs, requests and bytes, saved in every transaction that changes them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CountersRow {
    /// Number of URLs found.
    pub discovered: u64,
    /// Number of URLs queued or in flight for a first visit.
    pub pending: u64,
    /// Number of done URLs, by [`Done::index`].
    pub done: Vec<u64>,
    /// Number of rejected URLs, by [`Rejection::index`].
    pub rejected: Vec<u64>,
    /// The number of the next URL to be queued, which becomes a part of its rank.
    pub next_rank: u64,
    /// Number of responses to second and later visits.
    pub revisits: u64,
    /// Number of responses to requests for robots.txt.
    pub robots: u64,
    /// Number of times that a URL was queued for another attempt.
    pub retries: u64,
    /// Bytes received, before decoding.
    pub bytes: u64,
    /// Number of pages in all page indexes.
    pub pages: u64,
}

/// The name of an outcome, a reason or a kind, as in JSON. All output takes the name from here.
pub fn name_of<T: Serialize>(value: &T) -> String {
    let json = serde_json::to_value(value).ok();
    json.and_then(|json| json.as_str().map(str::to_owned)).unwrap_or_default()
}
