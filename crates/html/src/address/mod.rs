//! URLs: a [`CrawlUrl`] is always canonical, a [`Host`] is the unit of politeness, a [`Domain`] is the unit of
//! learning.
//!
//! Every module uses these types for pages, so that one page has one name everywhere. Nothing here decides whether a
//! URL is wanted: `frontier::scope` and `frontier::traps` do.

mod canonical;
mod crawl_url;
mod domain;
mod host;
mod joiner;
mod plain;
mod target;

pub use crawl_url::{CrawlUrl, UrlKey};
pub use domain::Domain;
pub use host::{Host, HostKey};
pub use joiner::Joiner;
pub use target::Targets;

/// The longest URL that is one, and the longest reference that is looked at. Browsers and servers stop far earlier (the
/// crawl's own limit is 2,048); without a limit here, a page with a long `<base href>` and many short links would make
/// itself some thousand times as large.
///
/// ```
/// use goldminer_html::address::{CrawlUrl, MAX_URL_BYTES};
///
/// assert!(CrawlUrl::parse(&format!("http://portal.example/{}", "a".repeat(MAX_URL_BYTES))).is_err());
/// ```
pub const MAX_URL_BYTES: usize = 8 * 1024;

/// Why a string is not an address that a crawler could request.
///
/// ```
/// use goldminer_html::address::{AddressError, CrawlUrl};
///
/// assert!(matches!(CrawlUrl::parse("mailto:desk@portal.example"), Err(AddressError::Scheme { .. })));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AddressError {
    /// The parser of the WHATWG's URL standard refuses it.
    #[error("{url:?} is not a URL ({reason}); write it in full, as in http://portal.example/")]
    NotAUrl {
        /// What was given.
        url: String,
        /// The parser's reason.
        reason: String,
    },
    /// Its scheme is neither `http` nor `https`.
    #[error("{0:?} is not an http or https URL")]
    Scheme(String),
    /// It is longer than [`MAX_URL_BYTES`].
    #[error("{beginning:?}… is longer than {MAX_URL_BYTES} bytes, the limit for a URL")]
    TooLong {
        /// The first characters of it.
        beginning: String,
    },
    /// It has no host.
    #[error("{0:?} has no host")]
    NoHost(String),
}
