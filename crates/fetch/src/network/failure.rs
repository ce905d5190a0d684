//! Finds the [`Cause`] of an error of the HTTP client.
//!
//! Such an error is a chain of boxed errors, and their types show the cause. The message is searched only where a
//! library has no type for the error.

use std::error::Error;
use std::io;

use super::guard::GuardRefusal;
use super::resolver::is_out_of_descriptors;
use crate::failure::{Cause, Failure};
use crate::lease_deadline::LeaseEnded;

impl From<GuardRefusal> for Failure {
    fn from(refusal: GuardRefusal) -> Self {
        Self::new(Cause::PrivateAddress, refusal.to_string())
    }
}

/// The failure of a request without response. With a proxy, most connection errors are the proxy's.
pub(super) fn of(error: &reqwest::Error, is_proxied: bool) -> Failure {
    match find::<Failure>(error) {
        Some(of_name) if !is_proxied || of_name.cause == Cause::PrivateAddress => of_name.clone(),
        _ => match cause(error) {
            cause if is_proxied && error.is_connect() && !is_of_portal(cause) => {
                Failure::new(Cause::Proxy, messages(error))
            }
            // The library's message would only repeat the cause.
            Cause::ConnectionRefused => Failure::new(Cause::ConnectionRefused, ""),
            cause => Failure::new(cause, messages(error)),
        },
    }
}

/// Whether an error through a proxy is not the proxy's: TLS errors come after the tunnel was opened, so they are the
/// portal's. A lack of descriptors and the end of the lease are this process's.
fn is_of_portal(cause: Cause) -> bool {
    matches!(
        cause,
        Cause::CertificateExpired
            | Cause::CertificateForeign
            | Cause::CertificateUntrusted
            | Cause::Tls
            | Cause::NoDescriptors
            | Cause::LeaseEnded
    )
}

/// Whether the server closed the connection, rather than sent invalid data.
pub(crate) fn is_disconnect(error: &(dyn Error + 'static)) -> bool {
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

fn cause(error: &reqwest::Error) -> Cause {
    // hyper has `is_parse_too_large` only for servers.
    let too_large = |e: &hyper::Error| e.is_parse() && e.to_string().contains("too large");
    let io = find::<io::Error>(error);
    if find::<LeaseEnded>(error).is_some() {
        Cause::LeaseEnded
    } else if io.is_some_and(is_out_of_descriptors) {
        Cause::NoDescriptors
    } else if error.is_timeout() {
        if error.is_connect() { Cause::ConnectTimeout } else { Cause::Timeout }
    } else if error.is_dns() {
        Cause::UnknownName
    } else if let Some(tls) = find::<rustls::Error>(error) {
        of_tls(tls)
    } else if error.is_connect() {
        io.map_or(Cause::NoConnection, |io| of_connect(io.kind()))
    } else if find::<hyper::Error>(error).is_some_and(too_large) {
        Cause::TooManyHeaders
    } else if is_disconnect(error) {
        Cause::Reset
    } else {
        Cause::NoHttp
    }
}

fn of_connect(kind: io::ErrorKind) -> Cause {
    match kind {
        io::ErrorKind::ConnectionRefused => Cause::ConnectionRefused,
        io::ErrorKind::HostUnreachable | io::ErrorKind::NetworkUnreachable | io::ErrorKind::NetworkDown => {
            Cause::NoRoute
        }
        io::ErrorKind::TimedOut => Cause::ConnectTimeout,
        // TLS that ends during its handshake also counts as a closed connection.
        io::ErrorKind::ConnectionReset | io::ErrorKind::UnexpectedEof => Cause::Reset,
        _ => Cause::NoConnection,
    }
}

fn of_tls(error: &rustls::Error) -> Cause {
    use rustls::CertificateError as Bad;
    let rustls::Error::InvalidCertificate(bad) = error else { return Cause::Tls };
    match bad {
        Bad::Expired | Bad::ExpiredContext { .. } | Bad::NotValidYet | Bad::NotValidYetContext { .. } => {
            Cause::CertificateExpired
        }
        Bad::NotValidForName | Bad::NotValidForNameContext { .. } => Cause::CertificateForeign,
        Bad::UnknownIssuer => Cause::CertificateUntrusted,
        // webpki reports a certificate that is its own authority in this way.
        Bad::Other(other) if other.to_string().contains("CaUsedAsEndEntity") => Cause::CertificateUntrusted,
        _ => Cause::Tls,
    }
}

/// The first error of this type in the chain. An `io::Error` hides its own cause one level deeper.
fn find<'a, E: Error + 'static>(error: &'a (dyn Error + 'static)) -> Option<&'a E> {
    let inside = |cause: &&'a (dyn Error + 'static)| -> Option<&'a (dyn Error + 'static)> {
        match cause.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
            Some(inner) => Some(inner),
            None => (*cause).source(),
        }
    };
    std::iter::successors(Some(error), inside).find_map(|cause| cause.downcast_ref())
}

/// The messages of all errors of the chain in one line, the deepest last.
fn messages(error: &reqwest::Error) -> String {
    let chain = std::iter::successors(error.source(), |cause| (*cause).source());
    let mut causes: Vec<String> = chain.map(ToString::to_string).collect();
    causes.dedup();
    if causes.is_empty() { error.to_string() } else { causes.join(": ") }
}
