//! robots.txt (RFC 9309): the allowed paths of a host, its Crawl-delay, and its sitemaps.
//!
//! Bytes become text (`text`), the crate `robotstxt` reads the lines, a handler gathers the groups that speak to us
//! (`rules`, `usage`), and our own matcher (`pattern`), which takes linear time, answers. [`Answer`] is what a response means, a
//! missing file or a broken server included. Its neighbour `tdmrep.json` is read by `tdmrep`. Nothing here touches the network or the clock.
//!
//! # Where readings differ
//! On Google's conformance suite the verdicts agree with all 378 standard expectations. Of its 22 others, which go
//! beyond the RFC, we follow Google in all as well, because each is either safe or the cautious reading:
//! a colon may be missing (`disallow /` forbids), `User-agent: Foo Bar` speaks to `Foo`, a crawler's name with a space
//! in it matches no group, an empty URL is `/`, and `Allow: /a/index.html` allows `/a/` too, which serves the same page.
//!
//! In one point the suite contradicts the RFC (section 2.2.2, table): whether the rule `/%62%61%7A` means `/baz`.
//! We take whichever reading forbids: `Disallow` matches in any spelling, `Allow` only as it is written.

mod answer;
mod pattern;
mod rule;
mod rules;
mod tdmrep;
mod text;
mod usage;

use std::time::Duration;

use goldminer_core::Signal;
use goldminer_html::CrawlUrl;

use rule::Rules;
use usage::Usage;

pub use answer::{Answer, MAX_REDIRECTS};
pub use tdmrep::{TDMREP_PATH, TdmRules};
pub use text::path_of;

/// Bytes of a file that are read: 500 KiB, the least that RFC 9309 (section 2.5) asks for. Of a longer file the last
/// line is dropped, because half a path may forbid or allow the wrong thing.
pub const MAX_BYTES: usize = 500 * 1024;

/// The rules of a robots.txt for one crawler.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Robots {
    /// Those that speak to us.
    rules: Rules,
    crawl_delay: Option<Duration>,
    sitemaps: Vec<String>,
    usage: Usage,
}

/// Whether a URL may be requested, and which line says so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RobotsDecision {
    /// Whether it may.
    pub allowed: bool,
    /// The rule that decided, as in `Disallow: /archive/`; none where no rule matches.
    pub rule: Option<String>,
}

impl Robots {
    /// Reads a file of any bytes for the crawler of that product token (`goldminer`, not `goldminer/1.0`). Never fails:
    /// what is no directive is passed over. [`Answer`] says which responses have a file to read, and cuts off what came
    /// in part.
    pub fn parse(body: &[u8], product_token: &str) -> Self {
        rules::gather(&text::readable(body), product_token)
    }

    /// Judges a URL of the host. The robots.txt itself is implicitly allowed (RFC 9309, section 2.2.2): whoever fetches
    /// it as such does not ask here. A link to it is judged like any other.
    pub fn verdict(&self, url: &CrawlUrl) -> RobotsDecision {
        self.verdict_on_path(url.path_and_query())
    }

    /// Judges path and query as they would be sent; [`path_of`] cuts them from a URL as typed.
    pub fn verdict_on_path(&self, path_and_query: &str) -> RobotsDecision {
        let path = text::UrlPath::of(path_and_query);
        match self.rules.iter().find(|rule| rule.matches(&path)) {
            Some(rule) => RobotsDecision { allowed: rule.allow, rule: Some(rule.to_string()) },
            None => RobotsDecision { allowed: true, rule: None },
        }
    }

    /// Whether the file says anything of how pages may be used.
    pub fn speaks_of_usage(&self) -> bool {
        self.usage != Usage::default()
    }

    /// What it says of usage, without its rules, for whoever asks for nothing; nothing where it says nothing of it.
    pub fn usage_alone(self) -> Option<Self> {
        self.speaks_of_usage().then(|| Self { usage: self.usage, ..Self::default() })
    }

    /// What the file says of how a URL of the host may be used, beyond whether it may be asked for: `Content-Usage`,
    /// `Content-Signal` and the terms of `License`.
    pub fn signals(&self, url: &CrawlUrl) -> Vec<Signal> {
        self.usage.of(url.path_and_query())
    }

    /// About how many bytes of memory it takes, the allocator's own included.
    pub fn heap_bytes(&self) -> usize {
        let sitemaps: usize =
            self.sitemaps.iter().map(|url| size_of::<String>() + rule::allocated(url.capacity())).sum();
        size_of::<Self>() + self.rules.bytes() + sitemaps + self.usage.bytes()
    }

    /// The pause that the file asks for between two requests: the longest of those that speak to us.
    pub fn crawl_delay(&self) -> Option<Duration> {
        self.crawl_delay
    }

    /// The sitemaps named anywhere in the file, as written (absolute URLs, if the webmaster was careful).
    pub fn sitemaps(&self) -> &[String] {
        &self.sitemaps
    }
}

#[cfg(test)]
mod tests;
