//! Defines [`Domain`]: the name of a registrable domain or of a site.

use std::fmt;
use std::net::IpAddr;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

/// The name of a group of pages that share one learned profile (the knowledge of where their articles start and end).
/// Mostly it is a registrable domain by the public suffix list: `blog.example.co.uk` belongs to `example.co.uk`
/// ([`Domain::of_host_name`]). It can also be a site, which is a host name without `www.` ([`Domain::of_site`]), an IP
/// address, or the name of a folder of stored pages.
///
/// ```
/// use goldminer_html::address::Domain;
///
/// assert_eq!(Domain::of_host_name("blog.portal.co.uk").as_str(), "portal.co.uk");
/// assert_eq!(Domain::of_host_name("127.0.0.1").as_str(), "127.0.0.1");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Domain(String);

impl Domain {
    /// The registrable domain of a host name (lower-case ASCII, without port).
    pub fn of_host_name(host_name: &str) -> Self {
        let bare = host_name.trim_matches(['[', ']']);
        if bare.parse::<IpAddr>().is_ok() {
            return Self(bare.to_owned());
        }
        Self(psl::domain_str(bare).unwrap_or(bare).to_owned())
    }

    /// The site of a host name: the name without `www.`, or the IP address.
    pub fn of_site(host_name: &str) -> Self {
        let bare = host_name.trim_matches(['[', ']']);
        // `www.co.uk` keeps its `www.`, because a public suffix such as `co.uk` is not a site.
        let named = bare.strip_prefix("www.").filter(|rest| psl::domain_str(rest).is_some());
        Self(named.unwrap_or(bare).to_owned())
    }

    /// The registrable domain of a site or of any other host name. A name without dots is its own domain.
    pub fn registrable(&self) -> Self {
        Self::of_host_name(&self.0)
    }

    /// Whether a host name ends in an entry of the public suffix list. If not, it is no real host name.
    ///
    /// ```
    /// use goldminer_html::address::Domain;
    ///
    /// assert!(Domain::has_known_suffix("blog.portal.co.uk"));
    /// assert!(!Domain::has_known_suffix("articles.2024"));
    /// ```
    pub fn has_known_suffix(host_name: &str) -> bool {
        psl::domain(host_name.as_bytes()).is_some_and(|domain| domain.suffix().is_known())
    }

    /// Creates a domain with any name, such as that of a folder of stored pages.
    pub fn named(name: &str) -> Self {
        Self(name.to_owned())
    }

    /// The name, such as `portal.example`.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The hash that is the domain's key in databases.
    pub fn key(&self) -> [u8; 8] {
        xxh3_64(self.0.as_bytes()).to_be_bytes()
    }
}

impl fmt::Display for Domain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_site_is_a_host_without_www() {
        for (host, site) in [
            ("www.portal.example", "portal.example"),
            ("portal.example", "portal.example"),
            ("www.anna.portal.example", "anna.portal.example"),
            ("anna.blog.hu", "anna.blog.hu"),
            ("www.co.uk", "www.co.uk"),
            ("127.0.0.1", "127.0.0.1"),
            ("[::1]", "::1"),
            ("localhost", "localhost"),
        ] {
            assert_eq!(Domain::of_site(host).as_str(), site, "{host}");
            assert_eq!(Domain::of_site(host).registrable(), Domain::of_host_name(host), "{host}");
        }
    }
}
