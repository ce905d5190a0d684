//! One polite request: from a URL to a [`Capture`](goldminer_html::capture::Capture) within limits, and the formats that a
//! crawler finds its way with.
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
//! - [`Fetcher`] (`network::client`): one request, one hop; `request` and `response::body` are its two halves,
//!   `network::failure` reads what went wrong;
//! - `network`: which addresses may be connected to, by which names, and how many connections are kept;
//! - `rate_limits`: pauses by address and ceilings over all hosts;
//! - [`LeaseDeadline`]: until when a process that has its jobs on a lease may ask;
//! - [`UserAgent`]: who we say we are;
//! - [`robots`], [`list`]: what we may ask for, and where news are announced;
//! - [`retry_after()`], [`location()`], [`refresh`], [`is_challenge`], [`MediaKind`]: what a response says beside its text;
//! - [`failure`]: why a request brought nothing; [`share`]: fair shares of what requests take.
//!
//! Which URL is next, and when its host may be asked again, is the frontier's. Nothing here writes to disk.

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
pub use response::kind::{MediaKind, binary_format};
pub use response::location::{location, refresh};
pub use response::retry_after::{MAX_RETRY_AFTER, retry_after};
pub use user_agent::{UserAgent, UserAgentError};
