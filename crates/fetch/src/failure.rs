//! The reasons why a request failed. Each cause has one name, the same in code, JSON, logs, `status`, `why` and
//! reports.
//!
//! `fetch` finds the cause, the frontier stores it with the host, and all output takes the wording from here. The
//! frontier and the scheduler decide how to react to a cause.

use serde::{Deserialize, Serialize};

/// The most characters of a detail that are kept, because servers influence its text.
const MAX_DETAIL_CHARS: usize = 300;

/// A cause with its details.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{cause}{}{detail}", if .detail.is_empty() { "" } else { ": " })]
pub struct Failure {
    /// The cause.
    pub cause: Cause,
    /// The message of the system, the library or the server, for people; may be empty.
    pub detail: String,
}

impl Failure {
    /// A cause with its details, cut to 300 characters.
    pub fn new(cause: Cause, detail: impl Into<String>) -> Self {
        let mut detail = detail.into();
        if let Some((end, _)) = detail.char_indices().nth(MAX_DETAIL_CHARS) {
            detail.truncate(end);
        }
        Self { cause, detail }
    }
}

/// Why a request failed. The message is a statement about the host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "kebab-case")]
pub enum Cause {
    /// The guard refuses every address of the host. Another attempt does not help.
    #[error("its address is not allowed")]
    PrivateAddress,
    /// The name server knows no address for the name.
    #[error("no such host name")]
    UnknownName,
    /// No name server gave an answer.
    #[error("no name server answers")]
    NameServer,
    /// Nobody listens on the port.
    #[error("its port is closed")]
    ConnectionRefused,
    /// There is no route to the network or the host.
    #[error("no route to it")]
    NoRoute,
    /// The host did not answer the attempt to connect in time.
    #[error("no connection in time")]
    ConnectTimeout,
    /// The connection failed for another reason.
    #[error("no connection")]
    NoConnection,
    /// The certificate has expired, or is not valid yet.
    #[error("its certificate is not valid now")]
    CertificateExpired,
    /// The certificate is for other names.
    #[error("its certificate is for another name")]
    CertificateForeign,
    /// The certificate is not signed by a trusted authority: it is self-signed, or signed by a private authority.
    #[error("its certificate is not trusted")]
    CertificateUntrusted,
    /// Any other TLS error.
    #[error("TLS fails")]
    Tls,
    /// The headers did not come in time.
    #[error("no answer in time")]
    Timeout,
    /// The server closed the connection before the headers were complete.
    #[error("it closed the connection without a response")]
    Reset,
    /// The response has more header fields, or longer ones, than [`Limits`](crate::Limits) allows.
    #[error("too many headers")]
    TooManyHeaders,
    /// The response is not HTTP.
    #[error("its response is not HTTP")]
    NoHttp,
    /// The body ended before it was complete by its `Content-Length` or framing.
    #[error("its response was incomplete")]
    BrokeOff,
    /// The body's content coding is broken or unknown.
    #[error("the content coding of its response is broken")]
    BrokenCoding,
    /// Status 429 or 503.
    #[error("it is busy (429 or 503)")]
    Busy,
    /// Another answer that the crawl treats as a temporary error of the server: status 5xx, 408, 421 or 425, or an
    /// unusable redirect of robots.txt.
    #[error("it returns an error")]
    ServerError,
    /// The proxy cannot be reached, or refuses.
    #[error("the proxy")]
    Proxy,
    /// This process has no file descriptors left. This says nothing about the host.
    #[error("no file descriptors left here")]
    NoDescriptors,
    /// The lease of this process on its jobs (in a cluster) has ended, so another process may crawl them now. This says
    /// nothing about the host.
    #[error("the lease has expired")]
    LeaseEnded,
}

impl Cause {
    /// Advice for the operator, if there is any.
    pub fn hint(self) -> Option<&'static str> {
        Some(match self {
            Self::PrivateAddress => {
                "if it is yours, open it with --allow-private (loopback) or --allow-private NETWORK, as in 10.0.0.0/8"
            }
            Self::UnknownName => "check the spelling in the seeds file",
            Self::NameServer => "check this machine's network and name servers",
            Self::CertificateUntrusted => {
                "if your own authority signed it, name a file with its certificate in the environment: SSL_CERT_FILE=ca.pem"
            }
            Self::CertificateExpired => "check this machine's clock; otherwise only the portal can renew it",
            Self::CertificateForeign => "check the host name in the seeds file: the portal may have moved",
            Self::Proxy => "check [crawl] proxy, HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and NO_PROXY",
            Self::NoDescriptors => "raise the limit before the crawl: ulimit -n 65536",
            _ => return None,
        })
    }

    /// Whether the cause may be a failure of the crawler's own network.
    pub fn may_be_the_network(self) -> bool {
        matches!(
            self,
            Self::UnknownName
                | Self::NameServer
                | Self::NoRoute
                | Self::ConnectTimeout
                | Self::NoConnection
                | Self::Timeout
                | Self::Proxy
        )
    }

    /// Whether an attempt a minute later would most likely fail in the same way, because the host or name server
    /// refused explicitly.
    pub fn is_definite(self) -> bool {
        matches!(
            self,
            Self::PrivateAddress
                | Self::UnknownName
                | Self::ConnectionRefused
                | Self::CertificateExpired
                | Self::CertificateForeign
                | Self::CertificateUntrusted
        )
    }

    /// Whether the failure came before a request was sent. Such hosts are tried at once when the crawl is started
    /// again.
    pub fn is_before_a_request(self) -> bool {
        matches!(self, Self::PrivateAddress | Self::UnknownName | Self::NameServer)
    }

    /// Whether every later attempt fails too, unless the operator changes a setting.
    pub fn is_lasting(self) -> bool {
        self == Self::PrivateAddress
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_reads_as_a_sentence_of_limited_length() {
        let failure = Failure::new(Cause::ConnectionRefused, "é".repeat(10_000));
        assert!(failure.to_string().starts_with("its port is closed: éé"));
        assert_eq!(failure.detail.chars().count(), MAX_DETAIL_CHARS);
        assert_eq!(Failure::new(Cause::Timeout, "").to_string(), "no answer in time");
    }

    #[test]
    fn a_status_below_500_is_not_called_a_server_error() {
        let message = |status: &str| Failure::new(Cause::ServerError, status).to_string();
        assert_eq!(message("status 421"), "it returns an error: status 421");
        assert_eq!(message("status 500"), "it returns an error: status 500");
    }

    #[test]
    fn a_cause_has_one_name_in_json() {
        assert_eq!(serde_json::to_value(Cause::CertificateUntrusted).unwrap(), "certificate-untrusted");
    }
}
