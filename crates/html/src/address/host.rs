//! Defines [`Host`]: the scheme and authority of a URL.

use std::fmt;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::{AddressError, CrawlUrl, Domain};

/// The scheme and authority of a URL, such as `https://www.portal.example:8443`. Each host has its own robots.txt (RFC
/// 9309, section 2.3) and its own delay between requests.
///
/// ```
/// use goldminer_html::address::CrawlUrl;
///
/// let host = CrawlUrl::parse("https://www.portal.example:8443/news")?.host();
/// assert_eq!(host.as_str(), "https://www.portal.example:8443");
/// assert_eq!(host.root().path(), "/");
/// # Ok::<(), goldminer_html::address::AddressError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Host(pub(super) String);

impl CrawlUrl {
    /// The host of the URL: its scheme and authority.
    pub fn host(&self) -> Host {
        Host(self.origin().to_owned())
    }
}

impl Host {
    /// The host as text, such as `https://www.portal.example`. All its URLs begin with it.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The hash that is the host's key in databases and queues.
    pub fn key(&self) -> HostKey {
        HostKey(xxh3_64(self.0.as_bytes()).to_be_bytes())
    }

    /// The URL of the host's front page.
    pub fn root(&self) -> CrawlUrl {
        CrawlUrl::parse(&self.0).expect("a host is the beginning of a canonical URL")
    }

    /// The registrable domain of the host, as for [`CrawlUrl::domain`].
    pub fn domain(&self) -> Domain {
        self.root().domain()
    }

    /// The site of the host, as for [`CrawlUrl::site`].
    pub fn site(&self) -> Domain {
        self.root().site()
    }
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<String> for Host {
    type Error = AddressError;
    fn try_from(host: String) -> Result<Self, AddressError> {
        Ok(CrawlUrl::parse(&host)?.host())
    }
}

impl From<Host> for String {
    fn from(host: Host) -> Self {
        host.0
    }
}

/// The hash of a [`Host`] that is its key in databases: xxh3-64 of its text.
///
/// ```
/// use goldminer_html::address::CrawlUrl;
///
/// let [http, https] = ["http://portal.example/", "https://portal.example/"].map(CrawlUrl::parse);
/// assert_ne!(http?.host().key(), https?.host().key());
/// # Ok::<(), goldminer_html::address::AddressError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[allow(clippy::exhaustive_structs, reason = "a database key is its bytes")]
pub struct HostKey(pub [u8; 8]);
