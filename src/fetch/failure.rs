//! Why a fetch gave no response: an event of the web, not an error of ours.

use std::error::Error;
use std::fmt;
use std::io;

use super::guard::GuardRefusal;

/// No response came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// What kind of reason.
    pub kind: FailureKind,
    /// The reason, for people.
    pub detail: String,
}

/// Kinds of reasons, as far as a crawler treats them differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FailureKind {
    /// The guard forbids the address. Trying again will not help.
    Forbidden,
    /// The name has no address.
    Unresolved,
    /// Nobody answers at that address and port.
    Connect,
    /// The certificate or the handshake is bad.
    Tls,
    /// Too slow to connect or to send headers.
    Timeout,
    /// The server went away before the headers were whole.
    Disconnected,
    /// More headers than we take.
    Headers,
    /// What came is not HTTP.
    Protocol,
}

impl FailureKind {
    /// A word for counters and logs.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Forbidden => "forbidden address",
            Self::Unresolved => "no address",
            Self::Connect => "no connection",
            Self::Tls => "bad TLS",
            Self::Timeout => "timeout",
            Self::Disconnected => "disconnected",
            Self::Headers => "too many headers",
            Self::Protocol => "no HTTP",
        }
    }
}

impl fmt::Display for FailureKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind, self.detail)
    }
}

impl Failure {
    pub(super) fn new(kind: FailureKind, detail: impl Into<String>) -> Self {
        Self { kind, detail: detail.into() }
    }

    pub(super) fn forbidden(refusal: GuardRefusal) -> Self {
        Self::new(FailureKind::Forbidden, refusal.to_string())
    }

    /// Reads what reqwest says, cause by cause.
    pub(super) fn of(error: &reqwest::Error) -> Self {
        if let Some(refusal) = find::<GuardRefusal>(error) {
            return Self::forbidden(*refusal);
        }
        Self::new(kind(error), told(error))
    }
}

/// Whether the other side ended the connection, as opposed to sending nonsense.
pub(super) fn is_disconnect(error: &reqwest::Error) -> bool {
    let broken_pipe = find::<io::Error>(error).is_some_and(|e| {
        matches!(
            e.kind(),
            io::ErrorKind::ConnectionReset
                | io::ErrorKind::ConnectionAborted
                | io::ErrorKind::BrokenPipe
                | io::ErrorKind::UnexpectedEof
        )
    });
    let by_hyper =
        find::<hyper::Error>(error).is_some_and(|e| e.is_incomplete_message() || e.is_closed() || e.is_canceled());
    broken_pipe || by_hyper
}

fn kind(error: &reqwest::Error) -> FailureKind {
    // hyper has a method for it on servers only.
    let too_large = |e: &hyper::Error| e.is_parse() && e.to_string().contains("too large");
    if error.is_timeout() {
        FailureKind::Timeout
    } else if error.is_dns() {
        FailureKind::Unresolved
    } else if find::<rustls::Error>(error).is_some() {
        FailureKind::Tls
    } else if error.is_connect() {
        FailureKind::Connect
    } else if find::<hyper::Error>(error).is_some_and(too_large) {
        FailureKind::Headers
    } else if is_disconnect(error) {
        FailureKind::Disconnected
    } else {
        FailureKind::Protocol
    }
}

/// The first cause of that type; an `io::Error` hides its own cause one level deeper.
fn find<'a, E: Error + 'static>(error: &'a (dyn Error + 'static)) -> Option<&'a E> {
    let mut next = Some(error);
    while let Some(cause) = next {
        if let Some(found) = cause.downcast_ref::<E>() {
            return Some(found);
        }
        let inside = cause.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        next = match inside {
            Some(inner) => Some(inner as &(dyn Error + 'static)),
            None => cause.source(),
        };
    }
    None
}

/// The causes in one line, the last one first told being the deepest.
fn told(error: &reqwest::Error) -> String {
    let mut causes: Vec<String> = Vec::new();
    let mut next = error.source();
    while let Some(cause) = next {
        let text = cause.to_string();
        if causes.last() != Some(&text) {
            causes.push(text);
        }
        next = cause.source();
    }
    if causes.is_empty() { error.to_string() } else { causes.join(": ") }
}
