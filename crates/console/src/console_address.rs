//! The IP address and port that a console listens on, and the URL that people open. Without a proxy the console listens
//! only on loopback. On other addresses it must be behind a TLS proxy, whose URL the user must give.

use std::net::{Ipv4Addr, SocketAddr};

use url::Url;

use crate::texts;

/// Where a console listens, and under which URL people open it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConsoleAddress {
    /// The IP address and port to listen on.
    pub(super) address: SocketAddr,
    /// The URL of the proxy in front of the console, as people open it: `https://console.uni.hu`. None without a proxy.
    pub(super) behind: Option<String>,
}

impl ConsoleAddress {
    /// Checks the options `--port`, `--listen` and `--behind`. Without `listen`, the console listens on loopback.
    ///
    /// # Errors
    /// A message on why they are not allowed, and what to write instead.
    pub fn checked(port: u16, listen: Option<SocketAddr>, behind: Option<&str>) -> Result<Self, String> {
        let address = listen.unwrap_or_else(|| (Ipv4Addr::LOCALHOST, port).into());
        let behind = behind.map(|typed| origin(typed).ok_or_else(|| texts::not_an_origin(typed))).transpose()?;
        if !address.ip().is_loopback() && behind.is_none() {
            return Err(texts::open_without_tls(address));
        }
        Ok(Self { address, behind })
    }
}

/// The origin in a text such as `https://console.uni.hu`; None if the text is anything else.
fn origin(typed: &str) -> Option<String> {
    let url = Url::parse(typed).ok()?;
    let is_plain = url.path() == "/" && url.query().is_none() && url.fragment().is_none() && url.username().is_empty();
    (url.scheme() == "https" && is_plain).then(|| url.origin().ascii_serialization())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_machines_get_in_only_through_a_tls_proxy() {
        let here = ConsoleAddress::checked(8080, None, None).unwrap();
        assert_eq!((here.address, here.behind), ("127.0.0.1:8080".parse().unwrap(), None));
        let network = Some("0.0.0.0:8080".parse().unwrap());
        let refused = ConsoleAddress::checked(0, network, None).expect_err("it is open to everybody");
        for part in ["0.0.0.0:8080", "--behind https://", "ssh -L"] {
            assert!(refused.contains(part), "{part} is missing in {refused}");
        }
        for typed in ["http://console.uni.hu", "console.uni.hu", "https://uni.hu/console", "https://me@uni.hu"] {
            let refused = ConsoleAddress::checked(0, network, Some(typed)).expect_err(typed);
            assert!(refused.contains(typed) && refused.contains("https://"), "{refused}");
        }
        let behind = ConsoleAddress::checked(0, network, Some("https://Console.uni.hu:8443/")).unwrap();
        assert_eq!(behind.behind.as_deref(), Some("https://console.uni.hu:8443"));
        assert_eq!(ConsoleAddress::checked(0, Some("[::1]:80".parse().unwrap()), None).unwrap().behind, None);
    }
}
