//! Why a request brought nothing: one name for each cause, the same in code, JSON, logs, `status`, `why` and reports.
//!
//! `fetch` finds the cause, the frontier keeps it beside the host, whoever shows it takes the words from here. Nothing
//! here decides what follows from a cause: the frontier and the scheduler do.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Longest detail that is kept: servers have a say in it.
const MAX_DETAIL_CHARS: usize = 300;

/// A cause with its particulars.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// The cause.
    pub cause: Cause,
    /// What was said by the system, the library or the server, for people; may be empty.
    pub detail: String,
}

impl Failure {
    /// A cause with its particulars, of which no more is kept than a person reads.
    pub fn new(cause: Cause, detail: impl Into<String>) -> Self {
        let mut detail = detail.into();
        if let Some((end, _)) = detail.char_indices().nth(MAX_DETAIL_CHARS) {
            detail.truncate(end);
        }
        Self { cause, detail }
    }
}

impl std::error::Error for Failure {}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.detail.is_empty() { write!(f, "{}", self.cause) } else { write!(f, "{}: {}", self.cause, self.detail) }
    }
}

/// Why a request brought nothing, with the words for it: a sentence about the host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "kebab-case")]
pub enum Cause {
    /// The guard refuses every address that it has. Trying again will not help.
    #[error("its address is not public")]
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
    /// The network or the host cannot be reached from here.
    #[error("no route to it")]
    NoRoute,
    /// Nobody answered the attempt to connect.
    #[error("no connection in time")]
    ConnectTimeout,
    /// No connection, for another reason.
    #[error("no connection")]
    NoConnection,
    /// The certificate's time is over or has not begun.
    #[error("its certificate is not valid now")]
    CertificateExpired,
    /// The certificate is for other names.
    #[error("its certificate is for another name")]
    CertificateForeign,
    /// The certificate leads to no authority that is trusted: self-signed, or signed by an authority of one's own.
    #[error("its certificate is not trusted")]
    CertificateUntrusted,
    /// Any other trouble with TLS.
    #[error("TLS fails")]
    Tls,
    /// The headers did not come in time.
    #[error("no answer in time")]
    Timeout,
    /// The other side ended the connection before the headers were whole.
    #[error("it closed the connection without a response")]
    Reset,
    /// More headers than are taken.
    #[error("too many headers")]
    TooManyHeaders,
    /// What came is no HTTP.
    #[error("its response is not HTTP")]
    NoHttp,
    /// The body ended before its protocol said that it was whole.
    #[error("its response was incomplete")]
    BrokeOff,
    /// The body's content coding is broken or unknown.
    #[error("the content coding of its response is broken")]
    BrokenCoding,
    /// Status 429 or 503.
    #[error("it is busy (429 or 503)")]
    Busy,
    /// Another status that means trouble on the server's side.
    #[error("it returns a server error")]
    ServerError,
    /// The proxy cannot be reached, or refuses.
    #[error("the proxy")]
    Proxy,
    /// This process has no file descriptors left: never the host's failure.
    #[error("no file descriptors left here")]
    NoDescriptors,
    /// This process may not ask any more, for others may have its jobs: never the host's failure.
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

    /// Whether a network that is away looks like this.
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

    /// Whether an attempt a minute later would meet the same, as far as anybody can tell: somebody or something has
    /// answered, and the answer was no.
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

    /// Whether no later attempt can do better, unless the operator changes something.
    pub fn is_lasting(self) -> bool {
        self == Self::PrivateAddress
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_reads_as_a_sentence_and_a_server_cannot_make_it_endless() {
        let failure = Failure::new(Cause::ConnectionRefused, "é".repeat(10_000));
        assert!(failure.to_string().starts_with("its port is closed: éé"));
        assert_eq!(failure.detail.chars().count(), MAX_DETAIL_CHARS);
        assert_eq!(Failure::new(Cause::Timeout, "").to_string(), "no answer in time");
    }

    #[test]
    fn a_cause_has_one_name_in_json() {
        assert_eq!(serde_json::to_value(Cause::CertificateUntrusted).unwrap(), "certificate-untrusted");
    }
}
