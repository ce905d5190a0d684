//! The types for URLs. A [`CrawlUrl`] is the canonical URL of a page. A [`Host`] is its scheme and authority; the delay
//! between requests is per host. A [`Domain`] is the name of a group of pages that share one learned profile.
//!
//! Every module uses these types, so each page has the same URL everywhere. `frontier::scope` and `frontier::traps`
//! decide whether the crawler fetches a URL.

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

/// The length limit of URLs, and of references before they are resolved, in bytes. The crawler itself fetches only URLs
/// of at most 2,048 bytes. Without a limit here, the resolved links of a page with a long `<base href>` could take a
/// thousand times its size.
///
/// ```
/// use goldminer_html::address::{CrawlUrl, MAX_URL_BYTES};
///
/// assert!(CrawlUrl::parse(&format!("http://portal.example/{}", "a".repeat(MAX_URL_BYTES))).is_err());
/// ```
pub const MAX_URL_BYTES: usize = 8 * 1024;

/// Whether a URL is that of a picture, by its ending.
///
/// ```
/// assert!(goldminer_html::address::is_picture("/pictures/Bridge.JPG?width=800"));
/// ```
#[must_use]
pub fn is_picture(url: &str) -> bool {
    let path = url.split(['?', '#']).next().unwrap_or_default();
    let end = path.rsplit_once('.').map(|(_, end)| end.to_ascii_lowercase()).unwrap_or_default();
    matches!(end.as_str(), "jpg" | "jpeg" | "png" | "gif" | "webp" | "avif" | "svg")
}

/// Why a string is not a URL that the crawler can request.
///
/// ```
/// use goldminer_html::address::{AddressError, CrawlUrl};
///
/// assert!(matches!(CrawlUrl::parse("mailto:desk@portal.example"), Err(AddressError::Scheme { .. })));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AddressError {
    /// The text is not a URL by the WHATWG URL standard.
    #[error("{url:?} is not a URL ({reason}); write it in full, as in http://portal.example/")]
    NotAUrl {
        /// The text, at most 200 characters of it.
        url: String,
        /// The URL parser's reason.
        reason: String,
    },
    /// The URL's scheme is neither `http` nor `https`.
    #[error("{0:?} is not an http or https URL")]
    Scheme(String),
    /// The URL is longer than [`MAX_URL_BYTES`].
    #[error("{beginning:?}… is longer than {MAX_URL_BYTES} bytes, the limit for a URL")]
    TooLong {
        /// The first characters of the URL.
        beginning: String,
    },
    /// The URL has no host.
    #[error("{0:?} has no host")]
    NoHost(String),
}
