//! The results that are given back to the frontier, as data.
//!
//! No result is an error: a server that lies, hangs or refuses leads to an [`Outcome`], which is counted. `run` makes
//! outcomes from captures and failures; the frontier turns them into accounts, delays and retries.

use std::time::Duration;

use goldminer_core::Restriction;
use goldminer_fetch::failure::Failure;
use goldminer_html::{ArchivePosition, CrawlUrl};
use jiff::Timestamp;

use super::work::{Discovery, Lease};
use crate::store::frontier::{PackedBody, Validators};

/// A finished lease, with everything that one transaction must make durable.
#[derive(Debug)]
pub struct Finished {
    /// The lease that ends with this outcome.
    pub lease: Lease,
    /// The result of the request.
    pub outcome: Outcome,
    /// The request that was made; none if no request left (robots.txt forbids it, an address is refused). A request
    /// costs a delay.
    pub exchange: Option<Exchange>,
    /// The position of the answer in the archive, where it is durable.
    pub position: Option<ArchivePosition>,
    /// Digest of the payload, if the record contains all of it: later equal payloads become revisit records.
    pub payload: Option<Vec<u8>>,
    /// The URL in the same domain that had the same payload before, if there is one.
    pub original: Option<CrawlUrl>,
    /// What was found, in page order.
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
    /// When the last byte arrived, or the attempt was given up: the delay counts from here.
    pub ended: Timestamp,
    /// The time from sending the request to `ended`; the adaptive delay depends on it.
    pub elapsed: Duration,
    /// Bytes received on the wire.
    pub bytes: u64,
    /// The status code; none when there was no HTTP response.
    pub status: Option<u16>,
}

/// The result of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// 2xx, archived.
    Fetched(Fetched),
    /// 304.
    NotModified,
    /// 3xx with a target, or without a usable one.
    Redirect {
        /// The target, to be discovered through scope like any other URL.
        to: Option<CrawlUrl>,
    },
    /// robots.txt forbids it; no request was made.
    Disallowed {
        /// The rule, as it stands in robots.txt.
        rule: Option<String>,
    },
    /// 404, 410 and every 4xx without a variant of its own.
    Gone,
    /// 403, or a CAPTCHA: three in a row pause the host.
    Refused {
        /// Whether the page was a CAPTCHA (its status may be 200).
        captcha: bool,
    },
    /// Temporary: the URL stays queued, up to a number of attempts.
    Later(Later),
    /// Permanent: no attempt can succeed (an address that the guard refuses, a wrong media type, a broken coding).
    Failed {
        /// The reason, for people.
        reason: String,
    },
    /// The answer to a robots lease; no other lease accepts it.
    Robots(RobotsAnswer),
    /// The answer to a robots lease that asks for tdmrep.json: its body, if there is one.
    Tdmrep(Option<PackedBody>),
}

/// A response that was kept.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Fetched {
    /// For the next conditional request.
    pub validators: Validators,
    /// Its facts, if it is a page for the extractor, which is added to its domain's page index.
    pub page: Option<PageFacts>,
    /// The restriction in the page that the operator obeys, so that it is not extracted.
    pub withheld: Option<Restriction>,
    /// Fingerprint of the content (content coding removed): with the same one, a later visit found no change.
    pub content: Option<u64>,
    /// Digest of its words without numbers; none if there are hardly any words.
    pub text: Option<u64>,
}

/// Data for the page index.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PageFacts {
    /// Whether it is article-like (`goldminer_core::goldminer::teaches`).
    pub teaches: bool,
    /// Whether this was determined: pages of domains that have learned are judged only by the extraction.
    pub judged: bool,
    /// Whether readers see neither an article nor a list on it.
    pub thin: bool,
}

/// Why an attempt had no result yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Later {
    /// 429 or 503: the host asks for fewer requests. The whole host waits.
    Busy {
        /// `Retry-After`, already as a duration from the end of the response.
        retry_after: Option<Duration>,
    },
    /// Another 5xx, or a broken or cut response: a failure of this URL only.
    ServerError(Failure),
    /// No connection, no name, no TLS, no answer in time. Several in a row make the whole host wait.
    Unreachable(Failure),
}

/// The result of requesting robots.txt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RobotsAnswer {
    /// 2xx: rules to parse.
    Rules {
        /// The decoded body, cut to the part that is parsed.
        body: PackedBody,
        /// Its Crawl-delay for us.
        crawl_delay: Option<Duration>,
    },
    /// 4xx except 429: everything is allowed (RFC 9309, section 2.3.1.3).
    AllowAll,
    /// A redirect to follow, with the delay of the target host. After five redirects, everything is allowed (section
    /// 2.3.1.2).
    MovedTo(CrawlUrl),
    /// 429, 5xx, network errors: everything is disallowed (section 2.3.1.4), or the last good copy applies. It is
    /// requested again after 1 minute, doubling to 24 hours.
    Unavailable {
        /// `Retry-After`, as a duration from the end of the response.
        retry_after: Option<Duration>,
        /// The reason.
        failure: Failure,
    },
}

/// The yield of one page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageYield {
    /// The page.
    pub url: CrawlUrl,
    /// Its bytes on the wire.
    pub bytes: u64,
    /// Bytes of clean text that no earlier page had; zero for pages that are empty or duplicates.
    pub clean_bytes: u64,
    /// As in its [`PageEntry`](crate::frontier::PageEntry); [`NO_PREFIX`](crate::frontier::NO_PREFIX) for duplicates,
    /// because their originals led to the same links before.
    pub leads_from: u8,
}
