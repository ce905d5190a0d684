//! Parses rules that point a host name at an IP address, like curl's `--resolve`. They are useful in tests, for a host
//! behind a tunnel, and for a copy of a portal on a local server.

use std::net::{IpAddr, SocketAddr};
use std::str::FromStr;

/// A rule `HOST:PORT:ADDR[:PORT]`: requests to that host and port go to that IP address, and to its port if one is
/// given. `*` stands for any host name; IPv6 addresses are in brackets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResolveRule {
    /// The host name in lower-case ASCII; None for any host.
    pub(crate) host: Option<String>,
    pub(crate) port: u16,
    /// Where the requests go.
    pub(crate) target: SocketAddr,
}

/// The text is not a rule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{text:?} is not HOST:PORT:ADDR: {reason}; write for example portal.example:443:127.0.0.1, *:80:127.0.0.1:8080 or \
     portal.example:80:[::1]"
)]
pub struct ResolveRuleError {
    text: String,
    reason: &'static str,
}

impl FromStr for ResolveRule {
    type Err = ResolveRuleError;
    fn from_str(text: &str) -> Result<Self, ResolveRuleError> {
        let fault = |reason| ResolveRuleError { text: text.to_owned(), reason };
        let (host, rest) = text.trim().split_once(':').ok_or_else(|| fault("no port"))?;
        let (port, address) = rest.split_once(':').ok_or_else(|| fault("no address"))?;
        let port = port.parse().map_err(|_| fault("the port is not a number up to 65535"))?;
        let host = match url::Host::parse(host) {
            _ if host == "*" => None,
            Ok(url::Host::Domain(name)) => Some(name),
            _ => return Err(fault("the host is not a valid name")),
        };
        let target = address_and_port(address, port).ok_or_else(|| fault("the address is not an IP address"))?;
        Ok(Self { host, port, target })
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
    fn a_rule_applies_to_one_host_and_port() {
        let one = rule("Portal.Example:443:127.0.0.1");
        assert_eq!((one.host.as_deref(), one.port), (Some("portal.example"), 443));
        assert_eq!(one.target, "127.0.0.1:443".parse().unwrap());
    }

    #[test]
    fn a_star_applies_to_any_host() {
        let any = rule("*:80:127.0.0.1:8080");
        assert_eq!((any.host.as_deref(), any.port), (None, 80));
        assert_eq!(any.target, "127.0.0.1:8080".parse().unwrap());
    }

    #[test]
    fn ipv6_addresses_are_in_brackets() {
        assert_eq!(rule("a.example:80:[::1]").target, "[::1]:80".parse().unwrap());
        assert_eq!(rule("a.example:80:[::1]:8080").target, "[::1]:8080".parse().unwrap());
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
