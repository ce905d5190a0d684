//! Addresses: a [`CrawlUrl`] is canonical or does not exist, a [`Host`] is the unit of politeness,
//! a [`Domain`] is the unit of learning.
//!
//! Every module speaks of pages through these types, so that one page has one name everywhere. Nothing here
//! decides whether a URL is wanted: that is `frontier::scope` and `frontier::traps`.

mod canonical;
mod crawl_url;
mod domain;
mod host;
mod joiner;
mod plain;

pub use crawl_url::{CrawlUrl, UrlKey};
pub use domain::Domain;
pub use host::{Host, HostKey};
pub use joiner::Joiner;

/// Why a string is no address that a crawler could ask for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    /// The WHATWG parser refused it.
    #[error("{url:?} is not a URL: {reason}")]
    NotAUrl {
        /// What was given.
        url: String,
        /// The parser's reason.
        reason: String,
    },
    /// A scheme other than `http` and `https`.
    #[error("{0:?} is not an http or https URL")]
    Scheme(String),
    /// No host name.
    #[error("{0:?} has no host")]
    NoHost(String),
}
