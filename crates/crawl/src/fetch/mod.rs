//! Fetching: from a URL to a [`Capture`](goldminer_html::capture::Capture), politely and within limits, and the formats that a
//! crawler finds its way with.
//!
//! - [`Fetcher`] (`client`): one request, one hop; `request` and `body` are its two halves, `failure` reads what went wrong;
//! - [`guard`], [`resolve`], `resolver`, `proxy`: which addresses may be connected to, and by which names;
//! - `rate_limits`: pauses by address and ceilings over all hosts; `idle`: how many connections are kept;
//! - [`LeaseDeadline`]: until when a process that has its jobs on a lease may ask;
//! - [`UserAgent`]: who we say we are;
//! - [`robots`], [`list`]: what we may ask for, and where news are announced;
//! - [`retry_after()`], [`location()`], [`refresh`], [`is_challenge`], [`MediaKind`]: what a response says beside its text.
//!
//! Which URL is next, and when its host may be asked again, is the frontier's. Nothing here writes to disk.

mod body;
mod challenge;
mod client;
mod clients;
mod clock;
mod config;
mod date;
mod failure;
pub mod guard;
mod idle;
mod kind;
mod lease_deadline;
pub mod list;
mod location;
mod long_files;
mod proxy;
mod rate_limits;
mod request;
pub mod resolve;
mod resolve_overrides;
mod resolver;
mod retry_after;
pub mod robots;
#[cfg(test)]
mod testing;
mod user_agent;

pub use challenge::{is_challenge, shows_challenge};
pub use client::{Admission, FetchError, Fetched, Fetcher};
pub use config::{FetchConfig, IP_SPACING, Limits, Lookup, LookupFn};
pub use guard::{GuardRefusal, Network, PrivateAccess};
pub use kind::MediaKind;
pub use lease_deadline::{LeaseDeadline, Recall, since_start};
pub use location::{location, refresh};
pub use proxy::{ProxyChoice, ProxyError};
pub use rate_limits::SharedAddress;
pub use request::{Accept, Request};
pub use resolve::ResolveRule;
pub use retry_after::{MAX_RETRY_AFTER, retry_after};
pub use user_agent::{UserAgent, UserAgentError};
