//! What is given back to the frontier: what the web did, as data.
//!
//! Nothing here is an error: a server that lies, hangs or refuses gives an [`Outcome`], which is counted. `run` makes
//! outcomes from captures and failures; the frontier turns them into accounts, delays and retries.

use std::time::Duration;

use goldminer_core::Restriction;
use goldminer_fetch::failure::Failure;
use goldminer_html::{ArchivePosition, CrawlUrl};
use jiff::Timestamp;

use super::work::{Discovery, Lease};
use crate::store::frontier::{PackedBody, Validators};

/// A lease given back with everything that one transaction must make durable.
#[derive(Debug)]
pub struct Finished {
    /// The lease that ends with this outcome.
    pub lease: Lease,
    /// What the web did.
    pub outcome: Outcome,
    /// The request that was made; none when none left (robots.txt forbids, an address is refused). It costs a delay.
    pub exchange: Option<Exchange>,
    /// Where the answer is archived, durably.
    pub position: Option<ArchivePosition>,
    /// Digest of the payload, when the record holds it whole: later equal ones become revisit records.
    pub payload: Option<Vec<u8>>,
    /// The URL that gave the same payload before, when the domain has given it.
    pub original: Option<CrawlUrl>,
    /// What was found, in page order.
    pub discoveries: Vec<Discovery>,
}

impl Finished {
    /// A lease with its outcome and nothing else; the other fields are set by the caller.
    pub fn new(lease: Lease, outcome: Outcome) -> Self {
        Self { lease, outcome, exchange: None, position: None, payload: None, original: None, discoveries: Vec::new() }
    }
}

/// A request that left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exchange {
    /// When the last byte had come, or the attempt was given up: the delay counts from here.
    pub ended: Timestamp,
    /// From the request's departure until then: what the adaptive delay follows.
    pub elapsed: Duration,
    /// Bytes received on the wire.
    pub bytes: u64,
    /// The status code; none when there was no HTTP response.
    pub status: Option<u16>,
}

/// What the web did.
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
    /// 404, 410 and every 4xx that no variant below takes.
    Gone,
    /// 403, or a CAPTCHA: three in a row pause the host.
    Refused {
        /// Whether the page was a CAPTCHA (its status may be 200).
        captcha: bool,
    },
    /// Not now: the URL stays queued, up to a number of attempts.
    Later(Later),
    /// Never: no attempt can mend it (an address refused by the guard, not a media type of ours, a broken coding).
    Failed {
        /// For people.
        reason: String,
    },
    /// The answer to a robots lease; no other lease takes it.
    Robots(RobotsAnswer),
    /// The answer to a robots lease that asks for tdmrep.json: its body, if there is one.
    Tdmrep(Option<PackedBody>),
}

/// A response that was kept.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Fetched {
    /// For the next conditional request.
    pub validators: Validators,
    /// When it is a page for the extractor: put it into its domain's page index.
    pub page: Option<PageFacts>,
    /// What the page says, and the operator obeys, so that it is none for the extractor.
    pub withheld: Option<Restriction>,
    /// Fingerprint of the content (content coding removed): a revisit that gives the same one found nothing changed.
    pub content: Option<u64>,
    /// Digest of its words, numbers left out; none when there are hardly any.
    pub text: Option<u64>,
}

/// Data for the page index.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PageFacts {
    /// Whether it is article-like (`goldminer_core::goldminer::teaches`).
    pub teaches: bool,
    /// Whether that was asked: pages of learned domains are judged by the extraction alone.
    pub judged: bool,
    /// Whether readers see neither an article on it nor a list.
    pub thin: bool,
}

/// Why an attempt gave nothing yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Later {
    /// 429 or 503: the host wants less. The whole host waits.
    Busy {
        /// `Retry-After`, already as a duration from the end of the response.
        retry_after: Option<Duration>,
    },
    /// Another 5xx, a broken or cut response: the URL's own trouble.
    ServerError(Failure),
    /// No connection, no name, no TLS, no answer in time. Several in a row make the whole host wait.
    Unreachable(Failure),
}

/// The result of requesting robots.txt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RobotsAnswer {
    /// 2xx: rules to parse.
    Rules {
        /// The body, decoded, cut to what is parsed.
        body: PackedBody,
        /// Its Crawl-delay for us.
        crawl_delay: Option<Duration>,
    },
    /// 4xx except 429: everything is allowed (RFC 9309, section 2.3.1.3).
    AllowAll,
    /// A redirect to follow, with the delay of the host that it leads to. After five, everything is allowed (section
    /// 2.3.1.2).
    MovedTo(CrawlUrl),
    /// 429, 5xx, network errors: everything is disallowed (section 2.3.1.4), or the last good copy holds; asked again
    /// after 1 minute doubling to 24 hours.
    Unavailable {
        /// `Retry-After`, as a duration from the end of the response.
        retry_after: Option<Duration>,
        /// Why.
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
    /// As in its [`PageEntry`](crate::frontier::PageEntry); [`NO_PREFIX`](crate::frontier::NO_PREFIX) for duplicates:
    /// where they lead, their originals led before.
    pub leads_from: u8,
}
