//! robots.txt (RFC 9309): the allowed paths of a host, its Crawl-delay, and its sitemaps.
//!
//! `text` converts the bytes to text. The crate `robotstxt` reads its lines, and a handler collects the groups that
//! apply to this crawler (`rules`, `usage`). Our own matcher (`pattern`) decides, in linear time. [`Answer`] is the
//! meaning of a response, including a missing file or a server error. `tdmrep` reads the related file `tdmrep.json`.
//! Nothing here uses the network or the clock.
//!
//! # Where parsers differ
//! On Google's conformance suite the verdicts agree with all 378 standard expectations. In the 22 others, which go
//! beyond the RFC, this module follows Google too. Each of them either does no harm or is the cautious choice: a colon
//! may be missing (`disallow /` forbids), `User-agent: Foo Bar` applies to `Foo`, a crawler's name with a space in it
//! matches no group, an empty URL is `/`, and `Allow: /a/index.html` allows `/a/` too, which is the same page.
//!
//! On one point the suite contradicts the RFC (section 2.2.2, table): whether the rule `/%62%61%7A` means `/baz`.
//! This module chooses the stricter meaning: `Disallow` matches in any spelling, `Allow` only as it is written.

mod answer;
mod pattern;
mod rule;
mod rules;
mod tdmrep;
mod text;
mod usage;

use std::time::Duration;

use goldminer_html::CrawlUrl;
use goldminer_rights::Signal;

use rule::Rules;
use usage::Usage;

pub use answer::{Answer, MAX_REDIRECTS};
pub use tdmrep::{TDMREP_PATH, TdmRules};
pub use text::path_of;

/// The most bytes of a file that are read: 500 KiB, the minimum that RFC 9309 (section 2.5) requires. The last line
/// of a longer file is dropped, because half a path may forbid or allow the wrong thing.
pub const MAX_BYTES: usize = 500 * 1024;

/// The rules of a robots.txt for one crawler.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Robots {
    /// The rules that apply to this crawler.
    rules: Rules,
    crawl_delay: Option<Duration>,
    sitemaps: Vec<String>,
    usage: Usage,
}

/// Whether a URL may be requested, and the line that decides it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RobotsDecision {
    /// Whether the URL may be requested.
    pub allowed: bool,
    /// The rule that decided, as in `Disallow: /archive/`; None if no rule matches.
    pub rule: Option<String>,
}

impl Robots {
    /// Parses a file of any bytes for the crawler with that product token (`goldminer`, not `goldminer/1.0`). This
    /// never fails: lines that are not directives are skipped. [`Answer`] decides which responses contain a file, and
    /// cuts off incomplete lines.
    pub fn parse(body: &[u8], product_token: &str) -> Self {
        rules::gather(&text::readable(body), product_token)
    }

    /// Decides whether a URL of the host may be requested. The robots.txt itself is always allowed (RFC 9309, section
    /// 2.2.2), so fetching it does not call this. A link to a robots.txt is treated like any other URL.
    pub fn verdict(&self, url: &CrawlUrl) -> RobotsDecision {
        self.verdict_on(url.host_name(), url.path_and_query())
    }

    /// Decides whether a path with its query, as sent, may be requested. [`path_of`] extracts it from a typed URL.
    pub fn verdict_on_path(&self, path_and_query: &str) -> RobotsDecision {
        self.verdict_on("", path_and_query)
    }

    fn verdict_on(&self, host: &str, path_and_query: &str) -> RobotsDecision {
        let path = text::UrlPath { host, ..text::UrlPath::of(path_and_query) };
        match self.rules.iter().find(|rule| rule.matches(&path)) {
            Some(rule) => RobotsDecision { allowed: rule.allow, rule: Some(rule.to_string()) },
            None => RobotsDecision { allowed: true, rule: None },
        }
    }

    /// Whether the file says how pages may be used (text and data mining, AI).
    pub fn has_usage(&self) -> bool {
        self.usage != Usage::default()
    }

    /// Drops the rules of a robots.txt, and keeps its statements on the use of pages, for callers that send no
    /// requests. Returns None if the file has no such statements.
    pub fn into_usage_only(self) -> Option<Self> {
        self.has_usage().then(|| Self { usage: self.usage, ..Self::default() })
    }

    /// How a URL of the host may be used, beyond permission to request it: `Content-Usage`, `Content-Signal` and the
    /// terms of `License`.
    pub fn signals(&self, url: &CrawlUrl) -> Vec<Signal> {
        self.usage.of(url.path_and_query())
    }

    /// Approximate memory in bytes, including the allocator's overhead.
    pub fn heap_bytes(&self) -> usize {
        let sitemaps: usize =
            self.sitemaps.iter().map(|url| size_of::<String>() + rule::allocated(url.capacity())).sum();
        size_of::<Self>() + self.rules.bytes() + sitemaps + self.usage.bytes()
    }

    /// The delay between two requests that the file asks for. It is the longest one in the groups that apply to this
    /// crawler. If they have none, it is the longest one before all groups.
    pub fn crawl_delay(&self) -> Option<Duration> {
        self.crawl_delay
    }

    /// The sitemaps named anywhere in the file, as written. They should be absolute URLs.
    pub fn sitemaps(&self) -> &[String] {
        &self.sitemaps
    }
}

#[cfg(test)]
mod tests;
