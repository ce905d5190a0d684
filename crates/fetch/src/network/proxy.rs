//! Decides which requests go through a proxy. The operator's setting takes precedence over the environment variables
//! that other programs use, too (`HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY`, `NO_PROXY`, in upper or lower case).
//!
//! With a proxy the address guard checks less: the proxy resolves the names, so only the proxy can refuse their
//! addresses. The guard still checks IP addresses in URLs, and `localhost` names. It does not check the proxy's own
//! address, which the operator chose. Requests to loopback never go through a proxy, and `--resolve` rules precede
//! proxies.

use std::net::IpAddr;

use goldminer_html::CrawlUrl;
use hyper_util::client::proxy::matcher::{Intercept, Matcher};

use super::guard::{self, GuardRefusal, PrivateAccess};

/// The configured proxy.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum ProxyChoice {
    /// The proxies that the environment names.
    #[default]
    Environment,
    /// This proxy, for all hosts except those of `NO_PROXY`.
    All(String),
    /// No proxy, even if the environment names one.
    None,
}

/// The text is not the address of a supported proxy.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{shown} is not a proxy: write http://proxy.example:3128 (or https://…, with user:password@ if needed), or \
     \"none\"; SOCKS is not supported"
)]
pub struct ProxyError {
    shown: String,
}

impl std::str::FromStr for ProxyChoice {
    type Err = ProxyError;
    fn from_str(text: &str) -> Result<Self, ProxyError> {
        match text.trim() {
            "" | "environment" => Ok(Self::Environment),
            "none" => Ok(Self::None),
            address if is_proxy(address) => Ok(Self::All(address.to_owned())),
            other => Err(ProxyError { shown: without_password(other) }),
        }
    }
}

/// Chooses the proxy for each URL.
pub(crate) struct Proxies(Option<Matcher>);

impl Proxies {
    pub(crate) fn new(choice: &ProxyChoice) -> Self {
        let no_proxy = || ["NO_PROXY", "no_proxy"].into_iter().find_map(|name| std::env::var(name).ok());
        Self(match choice {
            ProxyChoice::None => None,
            ProxyChoice::Environment => Some(Matcher::from_env()),
            ProxyChoice::All(address) => {
                Some(Matcher::builder().all(address.as_str()).no(no_proxy().unwrap_or_default()).build())
            }
        })
    }

    /// All proxies, one per scheme.
    pub(crate) fn all(&self) -> Vec<Intercept> {
        let schemes = ["http", "https"].into_iter();
        let proxy = |scheme| self.0.as_ref()?.intercept(&format!("{scheme}://portal.invalid/").parse().ok()?);
        let mut proxies: Vec<Intercept> = schemes.filter_map(proxy).collect();
        proxies.dedup_by(|a, b| a.uri() == b.uri());
        proxies
    }

    /// The proxy for a URL; None if the request is sent without a proxy.
    pub(crate) fn of(&self, url: &CrawlUrl) -> Option<Intercept> {
        let is_here = url.ip().map_or_else(|| is_localhost(url.host_name()), |address| address.is_loopback());
        if is_here {
            return None;
        }
        self.0.as_ref()?.intercept(&url.as_str().parse().ok()?)
    }
}

/// The proxy in the HTTP client's own type.
pub(crate) fn for_client(proxy: &Intercept) -> Result<reqwest::Proxy, reqwest::Error> {
    let client = reqwest::Proxy::all(proxy.uri().to_string())?;
    Ok(match proxy.basic_auth() {
        Some(auth) => client.custom_http_auth(auth.clone()),
        None => client,
    })
}

/// Checks a URL whose name a proxy will resolve.
///
/// # Errors
/// When the guard refuses the URL.
pub(crate) fn check(url: &CrawlUrl, access: PrivateAccess) -> Result<(), GuardRefusal> {
    url.ip().map_or(Ok(()), |address: IpAddr| guard::check(address, access))
}

/// Whether this is the address of a proxy with a supported protocol.
fn is_proxy(address: &str) -> bool {
    url::Url::parse(address).is_ok_and(|url| matches!(url.scheme(), "http" | "https") && url.has_host())
}

/// A proxy's address without its password, for messages and logs.
pub(crate) fn without_password(address: &str) -> String {
    match address.rsplit_once('@') {
        Some((before, host)) => {
            let scheme = before.split_once("://").map_or("", |(scheme, _)| scheme);
            format!("{scheme}://…@{host}")
        }
        None => address.to_owned(),
    }
}

/// Whether the name is `localhost` or below it, which means this machine (RFC 6761, section 6.3).
fn is_localhost(name: &str) -> bool {
    let name = name.trim_end_matches('.');
    name == "localhost" || name.ends_with(".localhost")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> CrawlUrl {
        CrawlUrl::parse(text).unwrap()
    }

    #[test]
    fn the_operators_proxy_serves_everything_but_this_machine() {
        let proxies = Proxies::new(&"http://proxy.example:3128".parse().unwrap());
        for through in ["http://portal.example/a", "https://portal.example/", "http://192.168.1.1/"] {
            let proxy = proxies.of(&url(through)).map(|proxy| proxy.uri().to_string());
            assert_eq!(proxy.as_deref(), Some("http://proxy.example:3128/"), "{through}");
        }
        for direct in ["http://127.0.0.1:8080/", "http://localhost/", "http://a.localhost/", "http://[::1]/"] {
            assert!(proxies.of(&url(direct)).is_none(), "{direct}");
        }
    }

    #[test]
    fn ip_addresses_in_urls_are_checked_with_a_proxy_too() {
        for private in ["http://192.168.1.1/", "http://169.254.169.254/latest", "http://[::ffff:10.0.0.1]/"] {
            assert!(check(&url(private), PrivateAccess::NONE).is_err(), "{private}");
        }
        assert!(check(&url("http://93.184.216.34/"), PrivateAccess::NONE).is_ok());
        assert!(check(&url("http://intranet.example/"), PrivateAccess::NONE).is_ok(), "the proxy resolves it");
    }

    #[test]
    fn errors_about_a_proxy_do_not_contain_its_password() {
        for wrong in ["proxy.example:3128", "socks5://user:secret@proxy.example:1080", "ftp://x"] {
            let message = wrong.parse::<ProxyChoice>().unwrap_err().to_string();
            assert!(message.contains("http://proxy.example:3128") && !message.contains("secret"), "{message}");
        }
        assert_eq!("none".parse(), Ok(ProxyChoice::None));
        assert_eq!("".parse(), Ok(ProxyChoice::Environment));
    }
}
