//! A small HTTP/1.1 server that serves the portals by the field `Host`, with faults if configured, and keeps an access
//! log.
//!
//! It uses hyper, with one task per connection, and answers GET and HEAD. It listens only on loopback addresses
//! (127.0.0.0/8) and has no TLS. `knobs` decides about faults, `request` reads requests, `response` makes responses,
//! and `sending` sends their bodies.

pub mod knobs;
mod request;
mod response;
mod sending;

use std::collections::HashMap;
use std::convert::Infallible;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use encoding_rs::UTF_8;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use jiff::Timestamp;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use xxhash_rust::xxh3::xxh3_64;

use super::access_log::AccessLog;
use super::attacks::{Attack, Scale};
use super::barriers::Barrier;
use super::portals::{Coding, Portal, Portals, Reply};
pub use knobs::{Fault, Knobs, News, Streak};
use request::Request;
use response::{Framing, Response, StayAway};
use sending::{Sending, Visit};

/// The time after which an idle connection is closed.
const IDLE: Duration = Duration::from_secs(60);
/// The most bytes of a request's head, and of a body that are buffered for a slow visitor.
const MAX_HEAD: usize = 64 * 1024;

/// The query parameter that distinguishes the URLs of a redirect loop.
const ROUND: &str = "round=";

/// The configuration of a server.
#[derive(Debug, Clone)]
pub struct WebConfig {
    /// The portals to serve.
    pub portals: Portals,
    /// The faults of the portals.
    pub knobs: Knobs,
    /// The scale of the attacks. With None, there are no hosts of [`Attack`].
    pub attacks: Option<Scale>,
    /// Whether there are also the hosts of [`Barrier`].
    pub barriers: bool,
    /// The number of IP addresses, from 127.0.0.1 on, on which the portals are distributed.
    pub addresses: usize,
    /// A file to which the access log is also written.
    pub log_file: Option<PathBuf>,
    /// The port; 0 for any free port.
    pub port: u16,
}

impl WebConfig {
    /// Creates the configuration of a server with these portals, without faults, on any free port.
    pub fn new(portals: Portals) -> Self {
        Self { portals, knobs: Knobs::default(), attacks: None, barriers: false, addresses: 1, log_file: None, port: 0 }
    }
}

/// A running server. It stops when this is dropped.
#[derive(Debug)]
pub struct Web {
    address: SocketAddr,
    rules: Vec<String>,
    log: Arc<AccessLog>,
    tasks: Vec<JoinHandle<()>>,
}

impl Web {
    /// Starts a server on the current tokio runtime.
    ///
    /// # Errors
    /// Fails if the port is in use or the log file cannot be created.
    pub async fn start(config: WebConfig) -> io::Result<Self> {
        let mut listeners = vec![TcpListener::bind((Ipv4Addr::LOCALHOST, config.port)).await?];
        let address = listeners[0].local_addr()?;
        for n in 1..config.addresses {
            listeners.push(TcpListener::bind((nth_address(n), address.port())).await?);
        }
        let rules = resolve_rules(&config, address.port());
        let log = Arc::new(AccessLog::new(config.log_file.as_deref())?);
        let server = Arc::new(Server { config, log: log.clone(), counts: Mutex::default() });
        let tasks = listeners.into_iter().map(|listener| tokio::spawn(accept(listener, server.clone()))).collect();
        Ok(Self { address, rules, log, tasks })
    }

    /// The IP address and port of the server; with several IP addresses, the first one.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The server's access log.
    pub fn log(&self) -> &AccessLog {
        &self.log
    }

    /// The value for `--resolve` that sends requests for all hosts to this server.
    pub fn resolve_rule(&self) -> String {
        format!("*:80:{}:{}", self.address.ip(), self.address.port())
    }

    /// The values for `--resolve`: one for each portal with its IP address, then one for all other hosts. If the server
    /// has a single IP address, only the last.
    pub fn resolve_rules(&self) -> &[String] {
        &self.rules
    }
}

/// The n-th IP address from 127.0.0.1 on. The first and last address of each block of 256 are left out.
fn nth_address(n: usize) -> Ipv4Addr {
    let (block, own) = (n / 254, n % 254);
    Ipv4Addr::new(127, (block / 256 % 256) as u8, (block % 256) as u8, own as u8 + 1)
}

fn resolve_rules(config: &WebConfig, port: u16) -> Vec<String> {
    let mut rules = Vec::new();
    if config.addresses > 1 {
        let hosts = config.portals.hosts().into_iter().enumerate();
        rules.extend(hosts.map(|(n, host)| format!("{host}:80:{}:{port}", nth_address(n % config.addresses))));
    }
    rules.push(format!("*:80:{}:{port}", Ipv4Addr::LOCALHOST));
    rules
}

impl Drop for Web {
    fn drop(&mut self) {
        self.tasks.iter().for_each(JoinHandle::abort);
    }
}

struct Server {
    config: WebConfig,
    log: Arc<AccessLog>,
    /// The numbers of requests so far: by the hash of the host, and by the hash of host and path.
    counts: Mutex<HashMap<u64, u64>>,
}

async fn accept(listener: TcpListener, server: Arc<Server>) {
    // Connections end with this task, when the server is dropped.
    let mut connections = tokio::task::JoinSet::new();
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
        visit.begin(response.status, response.stay_away);
        response.send(visit)
    }

    fn respond(&self, request: &Request) -> Response {
        if !matches!(request.method.as_str(), "GET" | "HEAD") {
            return plain(request, 405, "method not allowed\n");
        }
        let Some(portal) = self.config.portals.find(&request.host) else {
            if let Some(barrier) = Barrier::of(&request.host).filter(|_| self.config.barriers) {
                return Response::new(request, barrier.reply(&request.path), Coding::Identity, Framing::Length(0));
            }
            let attack = Attack::of(&request.host);
            let Some((attack, scale)) = attack.zip(self.config.attacks) else {
                return plain(request, 421, "no such host here\n");
            };
            let reply = attack.reply(&request.host, &request.path, &scale);
            return Response::new(request, reply, Coding::Identity, Framing::Length(0));
        };
        let visit = self.count(xxh3_64(request.host.as_bytes()));
        let attempt = self.count(xxh3_64(format!("{} {}", request.host, request.path).as_bytes()));
        let knobs = &self.config.knobs;
        let redesigned = knobs.redesign_after.is_some_and(|after| visit >= after);
        let portal = match knobs.news {
            Some(news) => Arc::new(portal.earlier(news.unpublished(visit))),
            None => portal,
        };
        // All URLs of a redirect loop have the same fault as the page without the loop's parameter.
        let page_path = request.path.split(ROUND).next().unwrap_or_default().trim_end_matches(['?', '&']);
        match knobs.fault(&request.host, page_path, attempt, visit) {
            Fault::None => page(request, &portal, redesigned, Framing::Chunked),
            Fault::Status(status) => plain(request, status, "<html><body><h1>Error</h1></body></html>\n"),
            Fault::RetryAfter { status, as_date } => stay_away(request, status, as_date, knobs.retry_after),
            Fault::RedirectLoop => {
                let turn = if request.path.ends_with("round=1") { 2 } else { 1 };
                let mark = if page_path.contains('?') { '&' } else { '?' };
                let location = format!("{page_path}{mark}{ROUND}{turn}");
                let reply = Reply::new(302, "text/html", "").field("Location", location);
                Response::new(request, reply, Coding::Identity, Framing::Length(0))
            }
            Fault::Slow => Response { pause: knobs.slow_by, ..page(request, &portal, redesigned, Framing::Chunked) },
            Fault::Dropped => {
                let response = page(request, &portal, redesigned, Framing::Chunked);
                Response { break_after: Some(response.body.len() / 2), ..response }
            }
            Fault::WrongLength => {
                let response = page(request, &portal, redesigned, Framing::Length(1000));
                Response { break_after: Some(response.body.len()), ..response }
            }
            Fault::LyingType(content_type) => lie(request, &portal, redesigned, content_type.to_owned()),
            Fault::LyingCharset => {
                let label = if portal.charset.encoding == UTF_8 { "iso-8859-2" } else { "utf-8" };
                lie(request, &portal, redesigned, format!("text/html; charset={label}"))
            }
            Fault::Captcha => plain(
                request,
                200,
                "<html><head><title>Just a moment...</title></head><body><h1>Are you human?</h1>\
                 <form class=\"captcha\">\
                 <p>Please solve the CAPTCHA below to continue.</p><input name=\"captcha\"></form></body></html>\n",
            ),
        }
    }

    /// Adds one to a count. Returns the count before.
    fn count(&self, key: u64) -> u64 {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        let count = counts.entry(key).or_insert(0);
        *count += 1;
        *count - 1
    }
}

/// The response without faults. Pages of portals with a content coding are sent in chunks.
fn page(request: &Request, portal: &Portal, redesigned: bool, framing: Framing) -> Response {
    let reply = portal.reply(&request.path, redesigned);
    let html = reply.content_type.starts_with("text/html");
    let coding = if html { portal.coding } else { Coding::Identity };
    let framing = if coding == Coding::Identity && framing == Framing::Chunked { Framing::Length(0) } else { framing };
    Response::new(request, reply, coding, framing)
}

fn lie(request: &Request, portal: &Portal, redesigned: bool, content_type: String) -> Response {
    let mut reply = portal.reply(&request.path, redesigned);
    if reply.status == 200 && reply.content_type.starts_with("text/html") {
        reply.content_type = content_type;
    }
    Response::new(request, reply, Coding::Identity, Framing::Length(0))
}

fn plain(request: &Request, status: u16, body: &str) -> Response {
    let reply = Reply::new(status, "text/html; charset=utf-8", body);
    Response::new(request, reply, Coding::Identity, Framing::Length(0))
}

/// A response with `Retry-After`. A date is rounded down to whole seconds, so the visitor may have to wait a little
/// less than `asked`.
fn stay_away(request: &Request, status: u16, as_date: bool, asked: Duration) -> Response {
    let now = wall_clock();
    let (value, stay_away) = if as_date {
        let until = now.as_second().saturating_add_unsigned(asked.as_secs());
        let date = Timestamp::from_second(until).unwrap_or(now);
        let away = Duration::try_from(date.duration_since(now)).unwrap_or_default();
        (date.strftime("%a, %d %b %Y %H:%M:%S GMT").to_string(), StayAway::Until(away))
    } else {
        (asked.as_secs().to_string(), StayAway::After(Duration::from_secs(asked.as_secs())))
    };
    let reply = Reply::new(status, "text/html", "<html><body><h1>Slow down</h1></body></html>\n");
    let response = Response::new(request, reply.field("Retry-After", value), Coding::Identity, Framing::Length(0));
    Response { stay_away: Some(stay_away), ..response }
}

/// The current time by the system clock, for dates in `Retry-After`.
#[allow(clippy::disallowed_methods, reason = "servers have their own clock")]
fn wall_clock() -> Timestamp {
    Timestamp::now()
}
