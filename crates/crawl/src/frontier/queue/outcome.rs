//! The results of requests that are passed to the frontier, as data.
//!
//! No result is an error: a server that lies, hangs or refuses gives an [`Outcome`], which is counted. `run` makes
//! outcomes from captures and failures; the frontier turns them into states of URLs, delays and retries.

use std::time::Duration;

use goldminer_core::Restriction;
use goldminer_fetch::failure::Failure;
use goldminer_html::{ArchivePosition, CrawlUrl};
use jiff::Timestamp;

use super::work::{Discovery, Lease};
use crate::store::frontier::{PackedBody, Validators};

/// A finished lease, with all data that one transaction saves.
#[derive(Debug)]
pub struct Finished {
    /// The lease that ends with this outcome.
    pub lease: Lease,
    /// The result of the request.
    pub outcome: Outcome,
    /// The request that was sent, and when it ended: the host's delay counts from that time. None if no request left
    /// (robots.txt forbids it, an IP address is refused).
    pub exchange: Option<Exchange>,
    /// The position of the response in the archive. The record must be on disk already.
    pub position: Option<ArchivePosition>,
    /// The digest of the payload (the response's body) and the date of its archive record, if the record contains all
    /// of it. Later responses with the same payload become revisit records, which name this date.
    pub payload: Option<(Vec<u8>, Timestamp)>,
    /// The URL of the same domain that had the same payload before, if there is one.
    pub original: Option<CrawlUrl>,
    /// The URLs that were found, in the order of the page.
    pub discoveries: Vec<Discovery>,
}

impl Finished {
    /// A lease with its outcome; the other fields are set by the caller.
    pub fn new(lease: Lease, outcome: Outcome) -> Self {
        Self { lease, outcome, exchange: None, position: None, payload: None, original: None, discoveries: Vec::new() }
    }
}

/// A request that was sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exchange {
    /// When the last byte arrived or the attempt was given up. The delay counts from here.
    pub ended: Timestamp,
    /// The time from sending the request to `ended`; the adaptive delay depends on it.
    pub elapsed: Duration,
    /// Bytes received, before decoding.
    pub bytes: u64,
    /// The status code; None if there was no HTTP response.
    pub status: Option<u16>,
}

/// The result of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// 2xx: the response is in the archive.
    Fetched(Fetched),
    /// 304: the content has not changed.
    NotModified,
    /// 3xx with a target, or without a usable one.
    Redirect {
        /// The target, which is added like any other URL; None if there is no usable one.
        to: Option<CrawlUrl>,
    },
    /// robots.txt forbids the URL; no request was made.
    Disallowed {
        /// The rule, as written in robots.txt.
        rule: Option<String>,
    },
    /// 404, 410 and every other 4xx that is neither a refusal nor tried again.
    Gone,
    /// 403, or a CAPTCHA: three in a row pause the host.
    Refused {
        /// Whether the page was a CAPTCHA (its status may be 200).
        captcha: bool,
    },
    /// A temporary failure: the URL stays queued, up to a number of attempts.
    Later(Later),
    /// The response is the same page as for several other URLs of the host. This is treated like a temporary failure.
    /// The frontier makes this outcome from a fetched page.
    Repeated {
        /// Number of URLs with a copy.
        copies: u32,
        /// Whether the URL is not tried again.
        is_final: bool,
    },
    /// A permanent failure: no attempt can succeed (an IP address that the guard refuses, a wrong media type, a broken
    /// content coding).
    Failed {
        /// A message with the reason.
        reason: String,
    },
    /// The answer to a lease of robots.txt; no other lease accepts it.
    Robots(RobotsAnswer),
    /// The answer to a lease of tdmrep.json: its body, if there is one.
    Tdmrep(Option<PackedBody>),
}

/// A response that was kept.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Fetched {
    /// The validators for the next conditional request.
    pub validators: Validators,
    /// Data for the page index of its domain; None if the response is not a page for the extractor.
    pub page: Option<PageFacts>,
    /// The restriction for which the page is not extracted: the page states it, and the setting `respect` names it.
    pub withheld: Option<Restriction>,
    /// A hash of the content (without content coding). If a later visit has the same one, nothing has changed.
    pub content: Option<u64>,
    /// A hash of the page's words without numbers; None if there are hardly any words.
    pub text: Option<u64>,
}

/// Data for the page index.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PageFacts {
    /// Whether it is article-like (`goldminer_core::goldminer::is_article_like`).
    pub is_article_like: bool,
    /// Whether `is_article_like` was determined. False for domains that have learned already.
    pub assessed: bool,
    /// Whether the page shows neither an article nor a list.
    pub thin: bool,
}

/// Why an attempt has no result yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Later {
    /// 429 or 503: the host asks for fewer requests, so the whole host waits.
    Busy {
        /// `Retry-After`, as a duration from the end of the response.
        retry_after: Option<Duration>,
    },
    /// Another 5xx, or a broken or truncated response: a failure of this URL, unless the host answers 5xx to several
    /// URLs in a row.
    ServerError(Failure),
    /// The host gives the same answer to all announced pages, which says nothing about this URL.
    SameAnswer(Failure),
    /// The look-up of the host name, the connection or TLS failed, or no answer came in time. After several such
    /// failures in a row the whole host waits.
    Unreachable(Failure),
}

/// The result of requesting robots.txt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RobotsAnswer {
    /// 2xx: rules to parse.
    Rules {
        /// The decoded body, cut to the part that is parsed.
        body: PackedBody,
        /// The Crawl-delay for this crawler.
        crawl_delay: Option<Duration>,
    },
    /// 4xx except 429: everything is allowed (RFC 9309, section 2.3.1.3).
    AllowAll,
    /// A redirect, which is followed with the delay of the target host. After five redirects, everything is allowed
    /// (RFC 9309, section 2.3.1.2).
    MovedTo(CrawlUrl),
    /// 429, 5xx, network errors: everything is disallowed (RFC 9309, section 2.3.1.4), or the last good copy applies.
    /// robots.txt is requested again after 1 minute, doubling to 24 hours.
    Unavailable {
        /// `Retry-After`, as a duration from the end of the response.
        retry_after: Option<Duration>,
        /// Why it is unreachable.
        failure: Failure,
    },
}

/// The yield of one page: how much new text its extraction gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageYield {
    /// The page.
    pub url: CrawlUrl,
    /// Bytes received, before decoding.
    pub bytes: u64,
    /// Bytes of clean text that no earlier page had; zero for empty pages and duplicates.
    pub clean_bytes: u64,
    /// The value of `leads_from` in the page's [`PageEntry`](crate::frontier::PageEntry). For duplicates, it is
    /// [`NO_PREFIX`](crate::frontier::NO_PREFIX), because their originals led to the same links before.
    pub leads_from: u8,
}
