//! The host of a URL: scheme and authority.

use std::fmt;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::{AddressError, CrawlUrl, Domain};

/// Scheme and authority, such as `https://www.portal.example:8443`: the unit of politeness and of robots.txt (RFC
/// 9309, section 2.3).
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
    /// The host of the URL, which is its unit of politeness.
    pub fn host(&self) -> Host {
        Host(self.origin().to_owned())
    }
}

impl Host {
    /// The host as text, such as `https://www.portal.example`: the beginning of each of its URLs.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The key of the host in databases and queues.
    pub fn key(&self) -> HostKey {
        HostKey(xxh3_64(self.0.as_bytes()).to_be_bytes())
    }

    /// The URL of the host's front page.
    pub fn root(&self) -> CrawlUrl {
        CrawlUrl::parse(&self.0).expect("a host is the beginning of a canonical URL")
    }

    /// The registrable domain of the host.
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

/// A [`Host`] as a database key: xxh3-64 of its text.
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
