//! Fetching: from a URL to a [`Capture`](crate::capture::Capture), politely and within limits, and the formats that a
//! crawler finds its way with.
//!
//! - [`Fetcher`] (`client`): one request, one hop; `request` and `body` are its two halves, `failure` reads what went wrong;
//! - [`guard`], [`resolve`], `resolver`: which addresses may be connected to, and by which names;
//! - `spacing`: pauses by address and ceilings over all hosts;
//! - [`UserAgent`]: who we say we are;
//! - [`robots`], [`sitemap`], [`feed`]: what we may ask for, and where news are announced;
//! - [`retry_after()`], [`is_challenge`], [`MediaKind`]: what a response says beside its text.
//!
//! Which URL is next, and when its host may be asked again, is the frontier's. Nothing here writes to disk.

mod body;
mod challenge;
mod client;
mod config;
mod date;
mod failure;
pub mod feed;
pub mod guard;
mod kind;
mod request;
pub mod resolve;
mod resolver;
mod retry_after;
pub mod robots;
pub mod sitemap;
mod spacing;
#[cfg(test)]
mod testing;
mod user_agent;

pub use challenge::is_challenge;
pub use client::{Admission, FetchError, Fetched, Fetcher};
pub use config::{FetchConfig, Limits, Lookup, LookupFn};
pub use guard::{GuardRefusal, Network, PrivateAccess};
pub use kind::MediaKind;
pub use request::{Accept, Request, Validators};
pub use resolve::ResolveRule;
pub use retry_after::{MAX_RETRY_AFTER, retry_after};
pub use user_agent::{UserAgent, UserAgentError};
