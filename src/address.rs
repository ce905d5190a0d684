//! Addresses: a [`CrawlUrl`] is canonical or does not exist, a [`Host`] is the unit of politeness,
//! a [`Domain`] is the unit of learning.
//!
//! Every module speaks of pages through these types, so that one page has one name everywhere. Nothing here
//! decides whether a URL is wanted: that is `frontier::scope` and `frontier::traps`.

use std::fmt;
use std::net::IpAddr;

use serde::{Deserialize, Serialize};
use url::Url;
use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

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

/// Query parameters that name a visitor or a campaign, never a page. Compared without regard to case.
const TRACKERS: &[&str] = &[
    "fbclid",
    "gclid",
    "gclsrc",
    "dclid",
    "gbraid",
    "wbraid",
    "msclkid",
    "yclid",
    "twclid",
    "ttclid",
    "igshid",
    "igsh",
    "mc_cid",
    "mc_eid",
    "mkt_tok",
    "vero_id",
    "oly_anon_id",
    "oly_enc_id",
    "_ga",
    "_gl",
    "_hsenc",
    "_hsmi",
    "wickedid",
    "phpsessid",
    "jsessionid",
    "aspsessionid",
    "cfid",
    "cftoken",
    "xtor",
    "at_medium",
    "at_campaign",
];

/// Prefixes of such parameters.
const TRACKER_PREFIXES: &[&str] = &["utm_", "pk_", "mtm_", "piwik_", "matomo_", "aspsessionid"];

/// Names that are session ids only when the value looks like one (`sid=3` may well be a story).
const SESSION_NAMES: &[&str] = &["sid", "s", "session", "sessionid", "session_id", "zenid", "osid"];

/// An `http` or `https` URL in canonical form: WHATWG parse, no user info, no fragment, no default port, no tracking or
/// session parameters, percent-escapes in upper case and only where needed (RFC 3986, section 6.2.2). The order of the
/// query stays as it is, because some sites depend on it.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct CrawlUrl(Url);

impl CrawlUrl {
    /// Parses an absolute URL and makes it canonical.
    ///
    /// # Errors
    /// When it is no URL, not of the web, or has no host.
    pub fn parse(url: &str) -> Result<Self, AddressError> {
        let parsed = Url::parse(url.trim())
            .map_err(|e| AddressError::NotAUrl { url: url.chars().take(200).collect(), reason: e.to_string() })?;
        Self::from_url(parsed)
    }

    /// Resolves a reference found on the page `self` (or its `<base href>`, which may be any URL).
    ///
    /// # Errors
    /// As [`CrawlUrl::parse`].
    pub fn join(&self, reference: &str) -> Result<Self, AddressError> {
        let joined = self
            .0
            .join(reference.trim())
            .map_err(|e| AddressError::NotAUrl { url: reference.chars().take(200).collect(), reason: e.to_string() })?;
        Self::from_url(joined)
    }

    /// Makes a parsed URL canonical.
    ///
    /// # Errors
    /// When it is not of the web or has no host.
    pub fn from_url(mut url: Url) -> Result<Self, AddressError> {
        if !matches!(url.scheme(), "http" | "https") {
            return Err(AddressError::Scheme(url.as_str().chars().take(200).collect()));
        }
        let Some(host) = url.host_str() else {
            return Err(AddressError::NoHost(url.into()));
        };
        if let Some(bare) = host.strip_suffix('.').map(str::to_owned)
            && url.set_host(Some(&bare)).is_err()
        {
            return Err(AddressError::NoHost(url.into()));
        }
        url.set_fragment(None);
        if !url.username().is_empty() || url.password().is_some() {
            // Neither call can fail on a URL of the web with a host.
            let _ = url.set_username("");
            let _ = url.set_password(None);
        }
        if memchr::memchr2(b'%', b';', url.path().as_bytes()).is_some() {
            let path = canonical_escapes(&without_path_session(url.path()));
            if path != url.path() {
                url.set_path(&path);
            }
        }
        if let Some(query) = url.query() {
            let kept: Vec<&str> = query.split('&').filter(|pair| !is_tracker(pair)).collect();
            let canonical = canonical_escapes(&kept.join("&"));
            if canonical.is_empty() {
                url.set_query(None);
            } else if Some(canonical.as_str()) != url.query() {
                url.set_query(Some(&canonical));
            }
        }
        Ok(Self(url))
    }

    /// The canonical text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// The parsed URL.
    #[must_use]
    pub fn url(&self) -> &Url {
        &self.0
    }

    /// Path and query, as robots rules see them (always begins with `/`).
    #[must_use]
    pub fn path_and_query(&self) -> &str {
        &self.0.as_str()[self.0[..url::Position::BeforePath].len()..]
    }

    /// The name or address of the host, in lower-case ASCII; IPv6 in brackets.
    #[must_use]
    pub fn host_name(&self) -> &str {
        self.0.host_str().unwrap_or_default()
    }

    /// The port, given or of the scheme.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.0.port_or_known_default().unwrap_or(80)
    }

    /// The unit of politeness that the URL belongs to.
    #[must_use]
    pub fn host(&self) -> Host {
        Host(self.0[..url::Position::BeforePath].to_owned())
    }

    /// The unit of learning that the URL belongs to.
    #[must_use]
    pub fn domain(&self) -> Domain {
        Domain::of_host_name(self.host_name())
    }

    /// The key of the URL in databases.
    #[must_use]
    pub fn key(&self) -> UrlKey {
        UrlKey(xxh3_128(self.as_str().as_bytes()).to_be_bytes())
    }

    /// The `robots.txt` of the URL's host.
    #[must_use]
    pub fn robots_txt(&self) -> Self {
        let mut url = self.0.clone();
        url.set_path("/robots.txt");
        url.set_query(None);
        Self(url)
    }
}

impl fmt::Display for CrawlUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for CrawlUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CrawlUrl({})", self.as_str())
    }
}

impl TryFrom<String> for CrawlUrl {
    type Error = AddressError;
    fn try_from(url: String) -> Result<Self, AddressError> {
        Self::parse(&url)
    }
}

impl From<CrawlUrl> for String {
    fn from(url: CrawlUrl) -> Self {
        url.0.into()
    }
}

impl std::str::FromStr for CrawlUrl {
    type Err = AddressError;
    fn from_str(url: &str) -> Result<Self, AddressError> {
        Self::parse(url)
    }
}

/// A [`CrawlUrl`] as a database key: xxh3-128 of its text. Ten million URLs collide with probability 1e-25.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct UrlKey(pub [u8; 16]);

impl fmt::Display for UrlKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|b| write!(f, "{b:02x}"))
    }
}

/// Scheme and authority, as in `https://www.portal.example:8443`: the unit of politeness and of robots.txt (RFC 9309,
/// section 2.3).
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Host(String);

impl Host {
    /// The text, which is also the beginning of each of its URLs.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The key of the host in databases and queues.
    #[must_use]
    pub fn key(&self) -> HostKey {
        HostKey(xxh3_64(self.0.as_bytes()).to_be_bytes())
    }

    /// Its front page.
    #[must_use]
    pub fn root(&self) -> CrawlUrl {
        CrawlUrl::parse(&self.0).expect("a host is the beginning of a canonical URL")
    }

    /// The unit of learning that the host belongs to.
    #[must_use]
    pub fn domain(&self) -> Domain {
        self.root().domain()
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct HostKey(pub [u8; 8]);

/// A registrable domain by the public suffix list (`index.hu`, `blog.example.co.uk` → `example.co.uk`), an IP address,
/// or the name of a folder of stored pages: what a profile is learned for.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Domain(String);

impl Domain {
    /// The domain of a host name (lower-case ASCII, without port).
    #[must_use]
    pub fn of_host_name(host_name: &str) -> Self {
        let bare = host_name.trim_start_matches('[').trim_end_matches(']');
        if bare.parse::<IpAddr>().is_ok() {
            return Self(bare.to_owned());
        }
        Self(psl::domain_str(bare).unwrap_or(bare).to_owned())
    }

    /// A learning unit by its name, as for a folder of stored pages.
    #[must_use]
    pub fn named(name: &str) -> Self {
        Self(name.to_owned())
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The key of the domain in databases.
    #[must_use]
    pub fn key(&self) -> [u8; 8] {
        xxh3_64(self.0.as_bytes()).to_be_bytes()
    }
}

impl fmt::Display for Domain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn is_tracker(pair: &str) -> bool {
    let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
    let name = name.to_ascii_lowercase();
    TRACKERS.contains(&name.as_str())
        || TRACKER_PREFIXES.iter().any(|p| name.starts_with(p))
        || (SESSION_NAMES.contains(&name.as_str()) && looks_like_session(value))
}

/// At least 24 hexadecimal or alphanumeric characters with digits among them.
fn looks_like_session(value: &str) -> bool {
    value.len() >= 24
        && value.bytes().all(|b| b.is_ascii_alphanumeric())
        && value.bytes().filter(u8::is_ascii_digit).count() >= 4
}

/// Drops `;jsessionid=…` and its like from the path.
fn without_path_session(path: &str) -> String {
    if !path.contains(';') {
        return path.to_owned();
    }
    path.split('/')
        .map(|segment| {
            let mut parts = segment.split(';');
            let mut kept = parts.next().unwrap_or_default().to_owned();
            for part in parts.filter(|part| !is_tracker(part)) {
                kept.push(';');
                kept.push_str(part);
            }
            kept
        })
        .collect::<Vec<_>>()
        .join("/")
}

/// Upper-case escapes; unreserved characters unescaped (RFC 3986, sections 6.2.2.1 and 6.2.2.2).
fn canonical_escapes(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = String::with_capacity(text.len());
    let mut copied = 0;
    let mut at = 0;
    while let Some(found) = memchr::memchr(b'%', &bytes[at..]) {
        let i = at + found;
        at = i + 1;
        let hex = |b: Option<&u8>| b.and_then(|b| (*b as char).to_digit(16));
        if let (Some(high), Some(low)) = (hex(bytes.get(i + 1)), hex(bytes.get(i + 2))) {
            let byte = (high * 16 + low) as u8;
            out.push_str(&text[copied..i]);
            // A dot is left escaped: unescaping could make a `..` that the parser has already passed over.
            // After a stray `%` it stays too: `%%341` must not become the escape `%41`.
            let after_stray_percent = out.as_bytes().iter().rev().take(2).any(|b| *b == b'%');
            if !after_stray_percent && (byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'~')) {
                out.push(byte as char);
            } else {
                out.push('%');
                out.push_str(&text[i + 1..i + 3].to_ascii_uppercase());
            }
            copied = i + 3;
            at = copied;
        }
    }
    out.push_str(&text[copied..]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn canonical(url: &str) -> String {
        CrawlUrl::parse(url).map(String::from).unwrap_or_else(|e| e.to_string())
    }

    #[test]
    fn one_page_has_one_name() {
        for (given, expected) in [
            ("HTTP://User:Pw@Portal.Example.:80/a/../b?x=1#top", "http://portal.example/b?x=1"),
            ("https://portal.example:443", "https://portal.example/"),
            ("http://:@p.example/", "http://p.example/"),
            ("http://@p.example/", "http://p.example/"),
            ("http://name@p.example/", "http://p.example/"),
            ("http://:word@p.example/", "http://p.example/"),
            ("https://p.example/a?utm_source=x&id=7&fbclid=y", "https://p.example/a?id=7"),
            ("https://p.example/a?b=2&a=1", "https://p.example/a?b=2&a=1"),
            ("https://p.example/a?utm_source=x", "https://p.example/a"),
            ("https://p.example/a;jsessionid=12AB?x", "https://p.example/a?x"),
            ("https://p.example/%7euser/%c3%a9", "https://p.example/~user/%C3%A9"),
            ("https://p.example/é", "https://p.example/%C3%A9"),
            ("https://p.example/?sid=3", "https://p.example/?sid=3"),
            ("https://p.example/?sid=0123456789abcdef0123456789abcdef", "https://p.example/"),
            ("https://bücher.example/", "https://xn--bcher-kva.example/"),
        ] {
            assert_eq!(canonical(given), expected, "for {given}");
        }
    }

    #[test]
    fn what_is_not_of_the_web_is_refused() {
        for url in ["mailto:a@b.example", "ftp://p.example/", "javascript:void(0)", "/relative", "http://"] {
            assert!(CrawlUrl::parse(url).is_err(), "{url} was taken");
        }
    }

    #[test]
    fn hosts_and_domains() {
        let url = CrawlUrl::parse("https://www.blog.example.co.uk:8443/a?b").expect("a URL");
        assert_eq!(url.host().as_str(), "https://www.blog.example.co.uk:8443");
        assert_eq!(url.domain().as_str(), "example.co.uk");
        assert_eq!(url.path_and_query(), "/a?b");
        assert_eq!(url.robots_txt().as_str(), "https://www.blog.example.co.uk:8443/robots.txt");
        assert_eq!(CrawlUrl::parse("http://127.0.0.1:8080/").expect("a URL").domain().as_str(), "127.0.0.1");
        assert_eq!(CrawlUrl::parse("http://[::1]/").expect("a URL").domain().as_str(), "::1");
    }

    proptest! {
        #[test]
        fn canonical_is_a_fixed_point(path in "[a-zA-Z0-9/%.;=_~-]{0,40}", query in "[a-zA-Z0-9&%=_;+-]{0,40}") {
            if let Ok(once) = CrawlUrl::parse(&format!("http://p.example/{path}?{query}")) {
                let twice = CrawlUrl::parse(once.as_str()).expect("canonical is a URL");
                prop_assert_eq!(once.as_str(), twice.as_str());
            }
        }

        #[test]
        fn any_text_gives_an_answer(text in "\\PC{0,80}") {
            let _ = CrawlUrl::parse(&text);
            let _ = CrawlUrl::parse("http://p.example/a/b").expect("a URL").join(&text);
        }
    }
}
