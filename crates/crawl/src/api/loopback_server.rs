//! The HTTP server of the crawl's API and of the console. It limits the number of connections, because any local user
//! can connect, and must neither use up the process's file descriptors nor lock its operator out.
//!
//! A connection is a *stranger* until its request has shown the token (or, if no token is needed, a whole request
//! head was received). Each stranger is closed after a short time. At most `STRANGERS` are open: a new one closes the
//! oldest, never a connection that has shown the token.

use std::future::Future;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::{sleep, timeout};
use tower_service::Service as _;

/// The most strangers (connections that have not shown the token) at a time. A client sends its request within a
/// millisecond after it connects. With this number, it is not closed before that, even if 100,000 connections come in a
/// second.
const STRANGERS: usize = 128;
/// The most connections with the token at a time.
const TRUSTED: usize = 256;
/// The longest time from connecting to the end of the answer for a connection that has not shown the token.
pub const STRANGER_TIME: Duration = Duration::from_secs(10);
/// The pause after a failure to accept: no file descriptors are left, or the client has gone.
const AFTER_FAILURE: Duration = Duration::from_millis(100);
/// The longest time to receive the head of a request. The pause between two requests may be longer.
const HEAD_TIME: Duration = Duration::from_secs(30);
/// The most bytes of a request head.
const MAX_HEAD: usize = 64 * 1024;

/// Whether a connection is trusted: it has shown the token, or needs none. A request's handler finds this value in
/// the request's extensions and sets it.
#[derive(Debug, Clone)]
pub struct Trust {
    is_set: Arc<AtomicBool>,
    is_local: bool,
}

impl Trust {
    /// A new connection, which is not trusted yet.
    pub(super) fn new(is_local: bool) -> Self {
        Self { is_set: Arc::default(), is_local }
    }

    /// Marks the connection as trusted, so that it is served to its end.
    pub fn set(&self) {
        self.is_set.store(true, Ordering::Release);
    }

    /// Whether the connection comes from this machine.
    pub(crate) fn is_local(&self) -> bool {
        self.is_local
    }

    pub(super) fn is_set(&self) -> bool {
        self.is_set.load(Ordering::Acquire)
    }
}

/// Open connections, the oldest first.
#[derive(Default)]
struct Connections(Vec<(Trust, JoinHandle<()>)>);

impl Connections {
    /// Makes room for one more connection. If there are too many strangers (connections that have not shown the token),
    /// the oldest is closed. Returns false if all places are taken by trusted connections.
    fn make_room(&mut self) -> bool {
        self.0.retain(|(_, task)| !task.is_finished());
        let strangers = self.0.iter().filter(|(trust, _)| !trust.is_set()).count();
        if strangers >= STRANGERS
            && let Some(oldest) = self.0.iter().position(|(trust, _)| !trust.is_set())
        {
            self.0.remove(oldest).1.abort();
        }
        self.0.len() < STRANGERS + TRUSTED
    }
}

impl Drop for Connections {
    fn drop(&mut self) {
        self.0.iter().for_each(|(_, task)| task.abort());
    }
}

/// Serves a router until the returned value is dropped. A connection is trusted if it has shown the token or needs none.
/// Others are closed after [`STRANGER_TIME`]. With a `trusted_time`, a trusted connection is closed after one request, or
/// after this time if it is earlier. Without one, it stays open for many requests.
pub fn serve(listener: TcpListener, trusted_time: Option<Duration>, router: Router) -> JoinSet<()> {
    let mut server = JoinSet::new();
    let answer = move |stream, trust| answer(stream, trust, router.clone(), trusted_time.is_none());
    server.spawn(async move { accept(listener, (STRANGER_TIME, trusted_time), answer).await });
    server
}

async fn answer(stream: TcpStream, trust: Trust, router: Router, keeps_alive: bool) -> io::Result<()> {
    let service = service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(trust.clone());
        router.clone().call(request)
    });
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(HEAD_TIME).max_buf_size(MAX_HEAD).keep_alive(keeps_alive);
    http.serve_connection(TokioIo::new(stream), service).await.map_err(io::Error::other)
}

/// Accepts connections until the task is aborted. A connection that has not shown the token is closed after
/// `stranger_time`. A trusted connection is closed after `trusted_time`, or never if that is None.
async fn accept<F>(
    listener: TcpListener,
    (stranger_time, trusted_time): (Duration, Option<Duration>),
    answer: impl Fn(TcpStream, Trust) -> F,
) -> !
where
    F: Future<Output = io::Result<()>> + Send + 'static,
{
    let mut connections = Connections::default();
    loop {
        let Ok((stream, peer)) = listener.accept().await else {
            sleep(AFTER_FAILURE).await;
            continue;
        };
        if !connections.make_room() {
            continue;
        }
        let trust = Trust::new(peer.ip().to_canonical().is_loopback());
        let (served, is_trusted) = (answer(stream, trust.clone()), trust.clone());
        let task = tokio::spawn(async move {
            let mut served = std::pin::pin!(served);
            if timeout(stranger_time, &mut served).await.is_err() && is_trusted.is_set() {
                match trusted_time {
                    Some(time) => drop(timeout(time.saturating_sub(stranger_time), served).await),
                    None => drop(served.await),
                }
            }
        });
        connections.0.push((trust, task));
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;

    /// Trusts a client that sends a byte, and echoes each byte together with the next one.
    async fn echo(mut stream: TcpStream, trust: Trust) -> std::io::Result<()> {
        loop {
            let word = stream.read_u8().await?;
            trust.set();
            stream.write_u8(word).await?;
        }
    }

    async fn open() -> (std::net::SocketAddr, JoinHandle<()>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        (address, tokio::spawn(async move { accept(listener, (STRANGER_TIME, None), echo).await }))
    }

    async fn ask(guest: &mut TcpStream, word: u8) -> u8 {
        guest.write_u8(word).await.unwrap();
        timeout(Duration::from_secs(20), guest.read_u8()).await.expect("no answer in time").unwrap()
    }

    #[tokio::test]
    async fn silent_connections_do_not_lock_out_a_client() {
        let (address, served) = open().await;
        let mut strangers = Vec::new();
        for _ in 0..300 {
            strangers.push(TcpStream::connect(address).await.unwrap());
        }
        let mut guest = TcpStream::connect(address).await.unwrap();
        assert_eq!(ask(&mut guest, 7).await, 7);
        let mut still_open = 0;
        for stranger in &mut strangers {
            let mut byte = [0];
            still_open += usize::from(timeout(Duration::from_millis(1), stranger.read(&mut byte)).await.is_err());
        }
        assert!(still_open <= STRANGERS, "{still_open} silent connections are held");
        served.abort();
    }

    #[tokio::test]
    async fn a_flood_of_strangers_does_not_close_a_trusted_connection() {
        let (address, served) = open().await;
        let mut guest = TcpStream::connect(address).await.unwrap();
        assert_eq!(ask(&mut guest, 1).await, 1);
        let mut strangers = Vec::new();
        for round in 0..4 {
            for _ in 0..200 {
                strangers.push(TcpStream::connect(address).await.unwrap());
            }
            assert_eq!(ask(&mut guest, round).await, round, "still served");
            strangers.clear();
        }
        served.abort();
    }

    #[tokio::test]
    async fn a_stranger_that_sends_its_request_slowly_is_closed_in_time() {
        async fn never(mut stream: TcpStream, _: Trust) -> std::io::Result<()> {
            stream.write_u8(1).await?;
            std::future::pending().await
        }
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let served = tokio::spawn(async move { accept(listener, (Duration::from_millis(50), None), never).await });
        let mut stranger = TcpStream::connect(address).await.unwrap();
        assert_eq!(stranger.read_u8().await.unwrap(), 1, "it is connected");
        assert!(timeout(Duration::from_secs(20), stranger.read_u8()).await.expect("it is closed by then").is_err());
        served.abort();
    }
}
