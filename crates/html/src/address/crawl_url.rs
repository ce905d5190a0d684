//! Defines [`CrawlUrl`], the canonical URL of a page that all parts of the program use.

use std::fmt;
use std::net::IpAddr;

use serde::{Deserialize, Serialize};
use url::{Position, Url};
use xxhash_rust::xxh3::xxh3_128;

use super::canonical::canonical;
use super::{AddressError, Domain, MAX_URL_BYTES, plain};

/// An `http` or `https` URL in canonical form. It is parsed by the WHATWG URL standard, and has no user info, fragment,
/// default port, tracking or session parameters. Percent-escapes are in upper case and only where needed (RFC 3986,
/// section 6.2.2). Query parameters keep their order, because some sites depend on it.
///
/// ```
/// use goldminer_html::address::CrawlUrl;
///
/// let page = CrawlUrl::parse("HTTP://Portal.example:80/a/../news?utm_source=feed&id=7#top")?;
/// assert_eq!(page.as_str(), "http://portal.example/news?id=7");
/// assert_eq!(page.join("../b")?.as_str(), "http://portal.example/b");
/// # Ok::<(), goldminer_html::address::AddressError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct CrawlUrl {
    text: String,
    /// The byte offset in `text` at which the path begins.
    path: u32,
}

impl CrawlUrl {
    /// Parses an absolute URL and makes it canonical.
    ///
    /// # Errors
    /// Fails if it is not a URL, not `http` or `https`, has no host, or is longer than [`MAX_URL_BYTES`].
    pub fn parse(url: &str) -> Result<Self, AddressError> {
        let url = url.trim();
        refuse_too_long(url)?;
        Self::of_parsed(Url::parse(url), url)
    }

    /// Resolves a reference, such as the `href` of a link, against this base URL. The base URL is that of the page with
    /// the link, or the page's `<base href>`.
    ///
    /// # Errors
    /// Fails if [`CrawlUrl::parse`] would fail for the resolved URL.
    pub fn join(&self, reference: &str) -> Result<Self, AddressError> {
        let reference = reference.trim();
        self.join_with(reference, |base| base.to_url().join(reference))
    }

    /// Resolves a trimmed reference against this base URL. `join` is called only for relative references that need a
    /// URL parser (see [`plain`]); it must return the resolved URL.
    pub(super) fn join_with(
        &self,
        reference: &str,
        join: impl FnOnce(&Self) -> Result<Url, url::ParseError>,
    ) -> Result<Self, AddressError> {
        refuse_too_long(reference)?;
        if let Some(text) = plain::join(self.origin(), self.path(), reference) {
            return refuse_too_long(&text).map(|()| Self::from_parts(text, self.path as usize));
        }
        let is_absolute = reference.starts_with("http://") || reference.starts_with("https://");
        Self::of_parsed(if is_absolute { Url::parse(reference) } else { join(self) }, reference)
    }

    /// Creates a URL from a text that is canonical, and the offset of its path.
    pub(super) fn from_parts(text: String, path: usize) -> Self {
        Self { text, path: path as u32 }
    }

    fn of_parsed(parsed: Result<Url, url::ParseError>, text: &str) -> Result<Self, AddressError> {
        let refused =
            |e: url::ParseError| AddressError::NotAUrl { url: text.chars().take(200).collect(), reason: e.to_string() };
        let url = canonical(parsed.map_err(refused)?)?;
        refuse_too_long(url.as_str())?;
        let path = url[..Position::BeforePath].len();
        Ok(Self::from_parts(url.into(), path))
    }

    /// The URL as text, in canonical form.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Converts the URL to the type of the crate `url`, which has more methods.
    pub fn to_url(&self) -> Url {
        Url::parse(&self.text).expect("a canonical text is a URL")
    }

    /// The scheme and authority: everything before the path.
    pub(super) fn origin(&self) -> &str {
        &self.text[..self.path as usize]
    }

    /// The path, beginning with `/`.
    pub fn path(&self) -> &str {
        let rest = self.path_and_query();
        &rest[..memchr::memchr(b'?', rest.as_bytes()).unwrap_or(rest.len())]
    }

    /// The query: the part after the question mark; None without a question mark.
    pub fn query(&self) -> Option<&str> {
        self.path_and_query().split_once('?').map(|(_, query)| query)
    }

    /// The path and query, with which robots.txt rules are compared. Always begins with `/`.
    pub fn path_and_query(&self) -> &str {
        &self.text[self.path as usize..]
    }

    /// The host, with the port if it is not the scheme's default. This is the value of the header field `Host`.
    pub fn authority(&self) -> &str {
        let origin = self.origin();
        origin.split_once("://").map_or(origin, |(_, authority)| authority)
    }

    /// The name or IP address of the host, in lower-case ASCII. An IPv6 address is in brackets.
    pub fn host_name(&self) -> &str {
        self.split_authority().0
    }

    /// The host as an IP address; None if it is a name.
    pub fn ip(&self) -> Option<IpAddr> {
        self.host_name().trim_matches(['[', ']']).parse().ok()
    }

    /// The port in the URL, or else the scheme's default: 443 or 80.
    pub fn port(&self) -> u16 {
        self.given_port().unwrap_or(if self.text.starts_with("https:") { 443 } else { 80 })
    }

    /// The port; None if it is the scheme's default.
    pub fn given_port(&self) -> Option<u16> {
        self.split_authority().1
    }

    fn split_authority(&self) -> (&str, Option<u16>) {
        let authority = self.authority();
        match authority.rsplit_once(':') {
            // The colons of an IPv6 address are in brackets.
            Some((name, port)) if !port.ends_with(']') => (name, port.parse().ok()),
            _ => (authority, None),
        }
    }

    /// The registrable domain of the URL's host, such as `portal.example` for `www.portal.example`.
    pub fn domain(&self) -> Domain {
        Domain::of_host_name(self.host_name())
    }

    /// The site of the URL: its host name without `www.`. One domain may have the sites of many publishers.
    ///
    /// ```
    /// use goldminer_html::address::CrawlUrl;
    ///
    /// let url = CrawlUrl::parse("https://www.anna.portal.example/rain")?;
    /// assert_eq!((url.site().as_str(), url.domain().as_str()), ("anna.portal.example", "portal.example"));
    /// # Ok::<(), goldminer_html::address::AddressError>(())
    /// ```
    pub fn site(&self) -> Domain {
        Domain::of_site(self.host_name())
    }

    /// The hash that is the URL's key in databases.
    pub fn key(&self) -> UrlKey {
        UrlKey(xxh3_128(self.as_str().as_bytes()).to_be_bytes())
    }

    /// The URL of the `robots.txt` file of this URL's host.
    pub fn robots_txt(&self) -> Self {
        Self { text: format!("{}/robots.txt", self.origin()), path: self.path }
    }
}

fn refuse_too_long(url: &str) -> Result<(), AddressError> {
    match url.len() > MAX_URL_BYTES {
        true => Err(AddressError::TooLong { beginning: url.chars().take(80).collect() }),
        false => Ok(()),
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
        url.text
    }
}

impl std::str::FromStr for CrawlUrl {
    type Err = AddressError;
    fn from_str(url: &str) -> Result<Self, AddressError> {
        Self::parse(url)
    }
}

/// The hash of a [`CrawlUrl`] that is its key in databases: xxh3-128 of its text. Among ten million URLs, two have the
/// same hash with a probability of 1e-25.
///
/// ```
/// use goldminer_html::address::CrawlUrl;
///
/// let (one, other) = (CrawlUrl::parse("http://portal.example/a#top")?, CrawlUrl::parse("http://portal.example/a")?);
/// assert_eq!(one.key(), other.key());
/// # Ok::<(), goldminer_html::address::AddressError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[allow(clippy::exhaustive_structs, reason = "a database key is its bytes")]
pub struct UrlKey(pub [u8; 16]);

impl fmt::Display for UrlKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|b| write!(f, "{b:02x}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    impl CrawlUrl {
        pub(in crate::address) fn join_any(&self, reference: &str) -> Result<Self, AddressError> {
            refuse_too_long(reference)?;
            Self::of_parsed(self.to_url().join(reference), reference)
        }
    }

    fn canonical(url: &str) -> String {
        CrawlUrl::parse(url).map(String::from).unwrap_or_else(|e| e.to_string())
    }

    #[test]
    fn each_page_has_one_canonical_url() {
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
    fn urls_that_no_crawler_can_request_are_refused() {
        for url in ["mailto:a@b.example", "ftp://p.example/", "javascript:void(0)", "/relative", "http://"] {
            assert!(CrawlUrl::parse(url).is_err(), "{url} was taken");
        }
    }

    #[test]
    fn too_long_urls_are_refused_when_parsed_and_when_joined() {
        let path = "a/".repeat(MAX_URL_BYTES / 2);
        assert!(matches!(CrawlUrl::parse(&format!("http://p.example/{path}")), Err(AddressError::TooLong { .. })));
        let long = CrawlUrl::parse(&format!("http://p.example/{}", &path[..MAX_URL_BYTES - 100])).expect("a URL");
        for reference in ["b".repeat(200), "é".repeat(40), format!("/{path}"), format!("?{path}")] {
            assert!(matches!(long.join(&reference), Err(AddressError::TooLong { .. })), "{}", reference.len());
        }
        assert!(long.join("b").is_ok() && long.join("/b").is_ok());
        let padded = format!("{}http://p.example/", " ".repeat(MAX_URL_BYTES));
        assert!(CrawlUrl::parse(&padded).is_ok(), "white space does not count");
        let message = CrawlUrl::parse(&format!("http://p.example/{path}")).unwrap_err().to_string();
        assert!(message.len() < 200, "{message}");
    }

    #[test]
    fn hosts_and_domains() {
        let url = CrawlUrl::parse("https://www.blog.example.co.uk:8443/a?b").expect("a URL");
        assert_eq!(url.host().as_str(), "https://www.blog.example.co.uk:8443");
        assert_eq!(url.domain().as_str(), "example.co.uk");
        assert_eq!((url.path_and_query(), url.path(), url.query()), ("/a?b", "/a", Some("b")));
        assert_eq!((url.host_name(), url.given_port()), ("www.blog.example.co.uk", Some(8443)));
        assert_eq!(url.robots_txt().as_str(), "https://www.blog.example.co.uk:8443/robots.txt");
        assert_eq!(CrawlUrl::parse("http://127.0.0.1:8080/").expect("a URL").domain().as_str(), "127.0.0.1");
        let local = CrawlUrl::parse("http://[::1]/").expect("a URL");
        assert_eq!((local.domain().as_str(), local.host_name(), local.port()), ("::1", "[::1]", 80));
        assert_eq!(local.ip(), Some(std::net::Ipv6Addr::LOCALHOST.into()));
    }

    proptest! {
        #[test]
        fn canonical_is_a_fixed_point(path in "[a-zA-Z0-9/%.;=_~-]{0,40}", query in "[a-zA-Z0-9&%=_;+-]{0,40}") {
            if let Ok(once) = CrawlUrl::parse(&format!("http://p.example/{path}?{query}")) {
                let twice = CrawlUrl::parse(once.as_str()).expect("canonical is a URL");
                prop_assert_eq!(String::from(once.to_url()), twice.as_str());
            }
        }

        #[test]
        fn plain_references_resolve_as_by_the_url_parser(
            base in "(/[a-z.]{0,4}){0,3}([?][a-z/=&]{0,6})?",
            reference in "(https://p[.]example(:80)?)?[a-zA-Z0-9/._?&=:%;#~',+ \\\\-]{0,24}(utm_id=[a-z]|[|]|é)?",
        ) {
            let base = CrawlUrl::parse(&format!("https://p.example{base}")).expect("a URL");
            prop_assert_eq!(base.join(&reference), base.join_any(reference.trim()));
        }

        #[test]
        fn joining_any_text_does_not_panic(text in "\\PC{0,80}") {
            let _ = CrawlUrl::parse(&text).map(|url| url.to_url());
            let _ = CrawlUrl::parse("http://p.example/a/b").expect("a URL").join(&text).map(|url| url.to_url());
        }
    }
}
