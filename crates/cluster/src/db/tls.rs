//! TLS to PostgreSQL: rustls with the web's roots, or those of a file, and always with the server's name checked.

use std::future::Future;
use std::io;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, InvalidDnsNameError, ServerName};
use rustls::{ClientConfig, RootCertStore};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_postgres::tls::{ChannelBinding, MakeTlsConnect, TlsConnect, TlsStream};
use tokio_rustls::TlsConnector;

use crate::error::ClusterError;

/// Makes connections secret.
#[derive(Clone)]
pub(crate) struct Tls(TlsConnector);

/// A connection on its way.
pub(crate) struct Connecting(TlsConnector, ServerName<'static>);

/// A connection that nobody else can read.
pub(crate) struct Secret<S>(tokio_rustls::client::TlsStream<S>);

impl Tls {
    /// With the roots of a PEM file, else those of the web.
    pub(crate) fn new(roots: Option<&Path>) -> Result<Self, ClusterError> {
        let mut trusted = RootCertStore::empty();
        match roots {
            None => drop(trusted.add_parsable_certificates(webpki_root_certs::TLS_SERVER_ROOT_CERTS.iter().cloned())),
            Some(path) => {
                let unreadable = |reason: String| ClusterError::Store { place: path.display().to_string(), reason };
                for root in CertificateDer::pem_file_iter(path).map_err(|e| unreadable(e.to_string()))? {
                    let root = root.map_err(|e| unreadable(e.to_string()))?;
                    trusted.add(root).map_err(|e| unreadable(e.to_string()))?;
                }
            }
        }
        let ring = Arc::new(rustls::crypto::ring::default_provider());
        let config = ClientConfig::builder_with_provider(ring)
            .with_safe_default_protocol_versions()
            .map_err(|e| ClusterError::Address(e.to_string()))?
            .with_root_certificates(trusted)
            .with_no_client_auth();
        Ok(Self(TlsConnector::from(Arc::new(config))))
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin + Send + 'static> MakeTlsConnect<S> for Tls {
    type Stream = Secret<S>;
    type TlsConnect = Connecting;
    type Error = InvalidDnsNameError;

    fn make_tls_connect(&mut self, host: &str) -> Result<Connecting, InvalidDnsNameError> {
        Ok(Connecting(self.0.clone(), ServerName::try_from(host.to_owned())?))
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin + Send + 'static> TlsConnect<S> for Connecting {
    type Stream = Secret<S>;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<Secret<S>>> + Send>>;

    fn connect(self, stream: S) -> Self::Future {
        Box::pin(async move { self.0.connect(self.1, stream).await.map(Secret) })
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> TlsStream for Secret<S> {
    fn channel_binding(&self) -> ChannelBinding {
        ChannelBinding::none()
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for Secret<S> {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, into)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Secret<S> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }
}
