//! URLs: a [`CrawlUrl`] is always canonical, a [`Host`] is the unit of politeness, a [`Domain`] is the unit of
//! learning.
//!
//! Every module uses these types for pages, so that each page has the same URL everywhere. `frontier::scope` and
//! `frontier::traps` decide whether a URL is wanted.

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

/// The most bytes of a URL, and of a reference that is read. Browsers and servers have far lower limits, and the
/// crawler's own is 2,048. Without a limit here, a page with a long `<base href>` and many short links would grow a
/// thousandfold.
///
/// ```
/// use goldminer_html::address::{CrawlUrl, MAX_URL_BYTES};
///
/// assert!(CrawlUrl::parse(&format!("http://portal.example/{}", "a".repeat(MAX_URL_BYTES))).is_err());
/// ```
pub const MAX_URL_BYTES: usize = 8 * 1024;

/// Why a text is not an address that the crawler could request.
///
/// ```
/// use goldminer_html::address::{AddressError, CrawlUrl};
///
/// assert!(matches!(CrawlUrl::parse("mailto:desk@portal.example"), Err(AddressError::Scheme { .. })));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AddressError {
    /// The parser of the WHATWG URL standard rejects it.
    #[error("{url:?} is not a URL ({reason}); write it in full, as in http://portal.example/")]
    NotAUrl {
        /// The text.
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
        /// Its first characters.
        beginning: String,
    },
    /// It has no host.
    #[error("{0:?} has no host")]
    NoHost(String),
}
