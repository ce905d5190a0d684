//! A small HTTP/1.1 server that serves the portals by the field `Host`, and keeps an access log.
//!
//! It uses hyper, with one task per connection, and answers GET and HEAD. It listens only on loopback addresses
//! (127.0.0.0/8) and has no TLS. `request` reads requests, `response` makes responses, and `sending` sends their bodies.

pub(crate) mod request;
pub(crate) mod response;
mod sending;

use std::convert::Infallible;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

use super::access_log::AccessLog;
use super::portals::{Coding, Portal, Portals, Reply};
#[cfg(feature = "test-webs")]
pub use crate::kit::knobs::{BlockPeriod, Fault, Knobs, News};
use request::Request;
use response::{Framing, Response};
use sending::{Sending, Visit};

/// The time after which an idle connection is closed.
const IDLE: Duration = Duration::from_secs(60);
/// The most bytes of a request's head, and of a body that are buffered for a slow visitor.
const MAX_HEAD: usize = 64 * 1024;

/// The configuration of a server.
#[derive(Debug, Clone)]
pub struct WebConfig {
    /// The portals to serve.
    pub portals: Portals,
    /// The faults of the portals.
    #[cfg(feature = "test-webs")]
    pub knobs: Knobs,
    /// The scale of the attacks. With None, there are no such hosts.
    #[cfg(feature = "test-webs")]
    pub attacks: Option<crate::attacks::Scale>,
    /// Whether there are also the hosts of [`Barrier`](crate::barriers::Barrier).
    #[cfg(feature = "test-webs")]
    pub barriers: bool,
    /// The number of IP addresses, from 127.0.0.1 on, on which the portals are distributed.
    #[cfg(feature = "test-webs")]
    pub addresses: usize,
    /// A file to which the access log is also written.
    pub log_file: Option<PathBuf>,
    /// The port; 0 for any free port.
    pub port: u16,
}

impl WebConfig {
    /// Creates the configuration of a server with these portals, without faults, on any free port.
    pub fn new(portals: Portals) -> Self {
        Self {
            portals,
            #[cfg(feature = "test-webs")]
            knobs: Knobs::default(),
            #[cfg(feature = "test-webs")]
            attacks: None,
            #[cfg(feature = "test-webs")]
            barriers: false,
            #[cfg(feature = "test-webs")]
            addresses: 1,
            log_file: None,
            port: 0,
        }
    }
}

/// A running server. It stops when this is dropped.
#[derive(Debug)]
pub struct Web {
    address: SocketAddr,
    pub(crate) server: Arc<Server>,
    _tasks: JoinSet<()>,
}

impl Web {
    /// Starts a server on the current tokio runtime.
    ///
    /// # Errors
    /// Fails if the port is in use or the log file cannot be created.
    pub async fn start(config: WebConfig) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, config.port)).await?;
        let address = listener.local_addr()?;
        let log = Arc::new(AccessLog::new(config.log_file.as_deref())?);
        let server = Arc::new(Server {
            config,
            log,
            #[cfg(feature = "test-webs")]
            faults: crate::kit::Faults::default(),
        });
        let mut tasks = JoinSet::new();
        tasks.spawn(accept(listener, server.clone()));
        #[cfg(feature = "test-webs")]
        for listener in crate::kit::more_addresses(&server.config, address.port()).await? {
            tasks.spawn(accept(listener, server.clone()));
        }
        Ok(Self { address, server, _tasks: tasks })
    }

    /// The IP address and port of the server; with several IP addresses, the first one.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The server's access log.
    pub fn log(&self) -> &AccessLog {
        &self.server.log
    }

    /// The value for `--resolve` that sends requests for all hosts to this server.
    pub fn resolve_rule(&self) -> String {
        format!("*:80:{}:{}", self.address.ip(), self.address.port())
    }
}

#[derive(Debug)]
pub(crate) struct Server {
    pub config: WebConfig,
    log: Arc<AccessLog>,
    #[cfg(feature = "test-webs")]
    faults: crate::kit::Faults,
}

async fn accept(listener: TcpListener, server: Arc<Server>) {
    // Connections end with this task, when the server is dropped.
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, peer)) => {
                    connections.spawn(serve(stream, peer, server.clone()));
                }
                // For example, there are no file descriptors left. Other connections will soon be closed.
                Err(_) => tokio::time::sleep(Duration::from_millis(20)).await,
            },
            Some(_) = connections.join_next() => {}
        }
    }
}

/// Serves a connection until it ends. Errors are ignored, because visitors may disconnect at any time.
async fn serve(stream: TcpStream, peer: SocketAddr, server: Arc<Server>) {
    let _ = stream.set_nodelay(true);
    let service = service_fn(|request| {
        let (request, server) = (Request::of(&request), server.clone());
        async move { Ok::<_, Infallible>(server.answer(&request, peer).await) }
    });
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(IDLE).title_case_headers(true).max_buf_size(MAX_HEAD);
    // An error means that the response breaks off on purpose, or that the visitor has disconnected.
    let _ = http.serve_connection(TokioIo::new(stream), service).await;
}

impl Server {
    /// Answers a request. If the visitor disconnects, hyper drops this future and its `visit`, which writes the log
    /// entry when it is dropped.
    async fn answer(&self, request: &Request, peer: SocketAddr) -> hyper::Response<Sending> {
        let mut visit = Visit::new(self.log.clone(), request, peer);
        let response = self.respond(request);
        if !response.pause.is_zero() {
            tokio::time::sleep(response.pause).await;
        }
        visit.begin(response.status, response.retry_after);
        response.send(visit)
    }

    fn respond(&self, request: &Request) -> Response {
        if !matches!(request.method.as_str(), "GET" | "HEAD") {
            return plain(request, 405, "method not allowed\n");
        }
        #[cfg(feature = "test-webs")]
        if let Some(response) = self.faults.respond(&self.config, request) {
            return response;
        }
        match self.config.portals.find(&request.host) {
            Some(portal) => page(request, &portal, false, Framing::Chunked),
            None => plain(request, 421, "no such host here\n"),
        }
    }
}

/// The response without faults. Pages of portals with a content coding are sent in chunks.
pub(crate) fn page(request: &Request, portal: &Portal, redesigned: bool, framing: Framing) -> Response {
    let reply = portal.reply(&request.path, redesigned);
    let html = reply.content_type.starts_with("text/html");
    let coding = if html { portal.coding } else { Coding::Identity };
    let framing = if coding == Coding::Identity && framing == Framing::Chunked { Framing::Length(0) } else { framing };
    Response::new(request, reply, coding, framing)
}

pub(crate) fn plain(request: &Request, status: u16, body: &str) -> Response {
    let reply = Reply::new(status, "text/html; charset=utf-8", body);
    Response::new(request, reply, Coding::Identity, Framing::Length(0))
}
