//! A server on loopback with TLS, and with HTTP/2 whose frames the test decides. Its certificates, good and bad ones of
//! every kind, are signed by an authority of the test.

use std::future::Future;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;

use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair, date_time_ymd};
use rustls::ServerConfig;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

/// Signs certificates.
pub(crate) struct Authority {
    issuer: Issuer<'static, KeyPair>,
    pem: String,
    der: Vec<u8>,
}

/// The kinds of certificates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Good,
    Expired,
    SelfSigned,
}

/// A certificate with its key.
pub(crate) struct Identity {
    chain: Vec<CertificateDer<'static>>,
    key: PrivateKeyDer<'static>,
}

/// Runs until it is dropped.
pub(crate) struct TlsServer {
    pub address: SocketAddr,
    task: JoinHandle<()>,
}

impl Authority {
    pub(crate) fn new() -> Self {
        let mut params = CertificateParams::default();
        params.distinguished_name.push(DnType::CommonName, "an authority of the tests");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().unwrap();
        let certificate = params.self_signed(&key).unwrap();
        let (pem, der) = (certificate.pem(), certificate.der().to_vec());
        Self { issuer: Issuer::new(params, key), pem, der }
    }

    /// Its certificate, for `SSL_CERT_FILE`.
    pub(crate) fn write(&self, path: &Path) {
        std::fs::write(path, &self.pem).unwrap();
    }

    /// Its certificate, for a fetcher of this process.
    pub(crate) fn der(&self) -> Vec<u8> {
        self.der.clone()
    }

    pub(crate) fn issue(&self, names: &[&str], kind: Kind) -> Identity {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let mut params = CertificateParams::new(names).unwrap();
        if kind == Kind::Expired {
            (params.not_before, params.not_after) = (date_time_ymd(2001, 1, 1), date_time_ymd(2002, 1, 1));
        }
        let key = KeyPair::generate().unwrap();
        let certificate = match kind {
            Kind::SelfSigned => params.self_signed(&key),
            Kind::Good | Kind::Expired => params.signed_by(&key, &self.issuer),
        };
        let chain = vec![certificate.unwrap().der().clone()];
        Identity { chain, key: PrivateKeyDer::try_from(key.serialize_der()).unwrap() }
    }
}

impl TlsServer {
    /// Serves each connection with `serve`, which is told whether HTTP/2 was agreed on.
    pub(crate) async fn start<S, F>(identity: Identity, protocols: &[&str], serve: S) -> Self
    where
        S: Fn(TlsStream<TcpStream>) -> F + Send + Sync + 'static,
        F: Future<Output = ()> + Send + 'static,
    {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut config =
            ServerConfig::builder().with_no_client_auth().with_single_cert(identity.chain, identity.key).unwrap();
        config.alpn_protocols = protocols.iter().map(|protocol| protocol.as_bytes().to_vec()).collect();
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().unwrap();
        let serve = Arc::new(serve);
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (acceptor, serve) = (acceptor.clone(), Arc::clone(&serve));
                tokio::spawn(async move {
                    if let Ok(stream) = acceptor.accept(stream).await {
                        serve(stream).await;
                    }
                });
            }
        });
        Self { address, task }
    }
}

impl Drop for TlsServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}
