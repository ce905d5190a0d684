//! Makes one polite request: from a URL to a [`Capture`](goldminer_html::capture::Capture), within limits. Also parses
//! the formats that a crawler needs besides pages: robots.txt, feeds and sitemaps.
//!
//! ```
//! use goldminer_fetch::robots::Robots;
//! use goldminer_html::address::CrawlUrl;
//!
//! let robots = Robots::parse(b"User-agent: *\nDisallow: /private/", "my-corpus");
//! assert!(robots.verdict(&CrawlUrl::parse("https://portal.example/news/1")?).allowed);
//! assert!(!robots.verdict(&CrawlUrl::parse("https://portal.example/private/1")?).allowed);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! - [`Fetcher`] (`network::client`): one request, without following redirects; `request` builds it, `response::body`
//!   receives the body, `network::failure` classifies errors;
//! - `network`: allowed addresses, name resolution, and connection pools;
//! - `rate_limits`: the pause between requests to one IP address, and limits over all hosts;
//! - [`LeaseDeadline`]: the time until which a process with a lease may send requests;
//! - [`UserAgent`]: how the crawler identifies itself;
//! - [`robots`]: robots.txt; [`list`]: feeds and sitemaps;
//! - [`retry_after()`], [`location()`], [`refresh`], [`is_challenge`], [`MediaKind`]: what headers and first bytes of
//!   a response say;
//! - [`failure`]: reasons why a request failed; [`share`]: fair shares of resources.
//!
//! The frontier decides which URL is next, and when. Nothing here writes to disk.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::disallowed_methods))]

mod clock;
mod config;
pub mod failure;
mod lease_deadline;
pub mod list;
pub mod network;
mod rate_limits;
mod request;
mod response;
pub mod robots;
pub mod share;
#[cfg(test)]
mod testing;
mod user_agent;

pub use config::{FetchConfig, IP_SPACING, Limits, Lookup, LookupFn};
pub use lease_deadline::{LeaseDeadline, Recall, since_start};
pub use network::client::{Admission, FetchError, Fetched, Fetcher};
pub use network::guard::{GuardRefusal, Network, PrivateAccess};
pub use network::proxy::{ProxyChoice, ProxyError};
pub use network::resolve::ResolveRule;
pub use rate_limits::{RateLimits, SharedAddress};
pub use request::{Accept, Request};
pub use response::challenge::{is_challenge, shows_challenge};
pub use response::kind::MediaKind;
pub use response::location::{location, refresh};
pub use response::retry_after::{MAX_RETRY_AFTER, http_date, retry_after};
pub use user_agent::{UserAgent, UserAgentError};
