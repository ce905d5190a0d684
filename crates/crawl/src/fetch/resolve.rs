//! Rules that point a name at an address, as curl's `--resolve` does: for tests, for a host behind a tunnel, and for
//! a portal played from a local server.

use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// `HOST:PORT:ADDR[:PORT]`: requests for that host and port go to that address, and to its port if one is given.
/// `*` is any host that is a name; IPv6 addresses stand in brackets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ResolveRule {
    /// In lower-case ASCII; none for any.
    host: Option<String>,
    port: u16,
    to: SocketAddr,
}

/// A text that is no rule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{text:?} is not HOST:PORT:ADDR: {reason}; write for example portal.example:443:127.0.0.1, *:80:127.0.0.1:8080 or \
     portal.example:80:[::1]"
)]
pub struct ResolveRuleError {
    text: String,
    reason: &'static str,
}

impl ResolveRule {
    /// Whether it speaks of that host and port.
    #[must_use]
    pub fn applies_to(&self, host_name: &str, port: u16) -> bool {
        self.port == port && self.host.as_deref().is_none_or(|host| host == host_name)
    }

    /// Whether it speaks of every host; a rule for one host comes before it, wherever it stands.
    #[must_use]
    pub fn is_for_any_host(&self) -> bool {
        self.host.is_none()
    }

    /// The host that it speaks of; none for any.
    pub(super) fn host(&self) -> Option<&str> {
        self.host.as_deref()
    }

    /// The port that it speaks of.
    pub(super) fn port(&self) -> u16 {
        self.port
    }

    /// Where such requests go.
    #[must_use]
    pub fn target(&self) -> SocketAddr {
        self.to
    }
}

impl FromStr for ResolveRule {
    type Err = ResolveRuleError;
    fn from_str(text: &str) -> Result<Self, ResolveRuleError> {
        let fault = |reason| ResolveRuleError { text: text.to_owned(), reason };
        let (host, rest) = text.trim().split_once(':').ok_or_else(|| fault("no port"))?;
        let (port, address) = rest.split_once(':').ok_or_else(|| fault("no address"))?;
        let port = port.parse().map_err(|_| fault("the port is no number up to 65535"))?;
        let host = if host == "*" {
            None
        } else {
            match url::Host::parse(host) {
                Ok(url::Host::Domain(name)) => Some(name),
                _ => return Err(fault("the host is no name")),
            }
        };
        let to = address_and_port(address, port).ok_or_else(|| fault("the address is no IP address"))?;
        Ok(Self { host, port, to })
    }
}

impl fmt::Display for ResolveRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.host.as_deref().unwrap_or("*"), self.port, self.to)
    }
}

impl TryFrom<String> for ResolveRule {
    type Error = ResolveRuleError;
    fn try_from(text: String) -> Result<Self, ResolveRuleError> {
        text.parse()
    }
}

impl From<ResolveRule> for String {
    fn from(rule: ResolveRule) -> Self {
        rule.to_string()
    }
}

fn address_and_port(text: &str, default_port: u16) -> Option<SocketAddr> {
    let bare = text.strip_prefix('[').and_then(|t| t.strip_suffix(']')).unwrap_or(text);
    let alone = bare.parse::<IpAddr>().ok().map(|address| SocketAddr::new(address, default_port));
    alone.or_else(|| text.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(text: &str) -> ResolveRule {
        text.parse().unwrap()
    }

    #[test]
    fn a_rule_speaks_of_one_host_and_port() {
        let one = rule("Portal.Example:443:127.0.0.1");
        assert!(one.applies_to("portal.example", 443));
        assert!(!one.applies_to("portal.example", 80) && !one.applies_to("other.example", 443));
        assert_eq!(one.target(), "127.0.0.1:443".parse().unwrap());
    }

    #[test]
    fn a_star_speaks_of_any_host() {
        let any = rule("*:80:127.0.0.1:8080");
        assert!(any.applies_to("a.example", 80) && any.applies_to("b.example", 80) && !any.applies_to("a.example", 81));
        assert_eq!(any.target(), "127.0.0.1:8080".parse().unwrap());
    }

    #[test]
    fn ipv6_stands_in_brackets() {
        assert_eq!(rule("a.example:80:[::1]").target(), "[::1]:80".parse().unwrap());
        assert_eq!(rule("a.example:80:[::1]:8080").target(), "[::1]:8080".parse().unwrap());
    }

    #[test]
    fn a_rule_is_written_as_it_is_read() {
        for text in ["*:80:127.0.0.1:8080", "bücher.example:80:[::1]:80"] {
            assert_eq!(rule(&rule(text).to_string()), rule(text));
        }
    }

    #[test]
    fn a_broken_rule_says_what_is_wrong() {
        for text in [
            "",
            "a.example",
            "a.example:80",
            "a.example:http:127.0.0.1",
            "a.example:80:b.example",
            "127.0.0.1:80:127.0.0.1",
        ] {
            let error = text.parse::<ResolveRule>().unwrap_err().to_string();
            assert!(error.contains("HOST:PORT:ADDR") && error.contains("for example"), "{text}: {error}");
        }
    }
}
