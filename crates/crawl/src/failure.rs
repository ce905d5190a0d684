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
    #[must_use]
    pub fn new(cause: Cause, detail: impl Into<String>) -> Self {
        let mut detail = detail.into();
        if let Some((end, _)) = detail.char_indices().nth(MAX_DETAIL_CHARS) {
            detail.truncate(end);
        }
        Self { cause, detail }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.detail.is_empty() { write!(f, "{}", self.cause) } else { write!(f, "{}: {}", self.cause, self.detail) }
    }
}

/// Why a request brought nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cause {
    /// The guard refuses every address that it has. Trying again will not help.
    PrivateAddress,
    /// The name server knows no address for the name.
    UnknownName,
    /// No name server gave an answer.
    NameServer,
    /// Nobody listens on the port.
    ConnectionRefused,
    /// The network or the host cannot be reached from here.
    NoRoute,
    /// Nobody answered the attempt to connect.
    ConnectTimeout,
    /// No connection, for another reason.
    NoConnection,
    /// The certificate's time is over or has not begun.
    CertificateExpired,
    /// The certificate is for other names.
    CertificateForeign,
    /// The certificate leads to no authority that is trusted: self-signed, or signed by an authority of one's own.
    CertificateUntrusted,
    /// Any other trouble with TLS.
    Tls,
    /// The headers did not come in time.
    Timeout,
    /// The other side ended the connection before the headers were whole.
    Reset,
    /// More headers than are taken.
    TooManyHeaders,
    /// What came is no HTTP.
    NoHttp,
    /// The body ended before its protocol said that it was whole.
    BrokeOff,
    /// The body's content coding is broken or unknown.
    BrokenCoding,
    /// Status 429 or 503.
    Busy,
    /// Another status that means trouble on the server's side.
    ServerError,
    /// The proxy cannot be reached, or refuses.
    Proxy,
    /// This process has no file descriptors left: never the host's failure.
    NoDescriptors,
    /// This process may not ask any more, for others may have its jobs: never the host's failure.
    LeaseEnded,
}

impl Cause {
    /// In words, as a sentence about the host.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::PrivateAddress => "its address is not public",
            Self::UnknownName => "no such host name",
            Self::NameServer => "no name server answers",
            Self::ConnectionRefused => "its port is closed",
            Self::NoRoute => "no route to it",
            Self::ConnectTimeout => "no connection in time",
            Self::NoConnection => "no connection",
            Self::CertificateExpired => "its certificate is not valid now",
            Self::CertificateForeign => "its certificate is for another name",
            Self::CertificateUntrusted => "its certificate is not trusted",
            Self::Tls => "TLS fails",
            Self::Timeout => "no answer in time",
            Self::Reset => "it hung up without an answer",
            Self::TooManyHeaders => "too many headers",
            Self::NoHttp => "what it answers is no HTTP",
            Self::BrokeOff => "its answer broke off",
            Self::BrokenCoding => "its answer's content coding is broken",
            Self::Busy => "it says that it is busy",
            Self::ServerError => "it answers with an error",
            Self::Proxy => "the proxy",
            Self::NoDescriptors => "no file descriptors left here",
            Self::LeaseEnded => "the lease is too old for a request",
        }
    }

    /// What the operator can do about it, if there is something.
    #[must_use]
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
    #[must_use]
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
    #[must_use]
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
    #[must_use]
    pub fn is_lasting(self) -> bool {
        self == Self::PrivateAddress
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
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
