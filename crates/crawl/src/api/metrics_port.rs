//! Where Prometheus asks: a port with few places that answers with a text, whosever figures it has.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use http::header::CONTENT_TYPE;
use http::{Method, Request, Response, StatusCode};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Mutex;
use tokio::task::JoinHandle;

use super::loopback_server;
use super::loopback_server::Trust;

/// A longer request head is no scrape.
const MAX_HEAD: usize = 16 * 1024;
/// A request head that takes longer is no scrape.
const HEAD_TIME: Duration = Duration::from_secs(5);

/// The figures in text format 0.0.4; none when there are none any more.
type Render = Arc<dyn Fn() -> Option<String> + Send + Sync>;

/// A port where nobody is answered yet.
#[derive(Debug)]
pub struct MetricsPort(TcpListener);

impl MetricsPort {
    /// Opens the port.
    ///
    /// # Errors
    /// When it is taken, or the address is none of this machine's.
    pub async fn open(address: SocketAddr) -> io::Result<Self> {
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        tracing::info!("metrics at http://{address}/metrics");
        Ok(Self(listener))
    }

    /// Answers from now on. `render` may take its time.
    pub fn serve(self, render: impl Fn() -> Option<String> + Send + Sync + 'static) -> MetricsServer {
        let render: Render = Arc::new(render);
        // One rendering at a time, also of connections that have gone: a flood of scrapes takes one thread.
        let turn = Arc::new(Mutex::new(()));
        let serve = move |stream, trust| serve(stream, trust, Arc::clone(&render), Arc::clone(&turn));
        let times = (loopback_server::STRANGER_TIME, Some(loopback_server::STRANGER_TIME));
        MetricsServer(tokio::spawn(async move { loopback_server::serve(self.0, times, serve).await }))
    }
}

/// Answers scrapes until it is dropped.
#[derive(Debug)]
pub struct MetricsServer(JoinHandle<()>);

impl Drop for MetricsServer {
    fn drop(&mut self) {
        self.0.abort();
    }
}

async fn serve(stream: TcpStream, trust: Trust, render: Render, turn: Arc<Mutex<()>>) -> io::Result<()> {
    let answer = service_fn(|request: Request<Incoming>| {
        trust.set();
        answer(request, Arc::clone(&render), Arc::clone(&turn))
    });
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(HEAD_TIME).keep_alive(false).max_buf_size(MAX_HEAD);
    http.serve_connection(TokioIo::new(stream), answer).await.map_err(io::Error::other)
}

async fn answer(request: Request<Incoming>, render: Render, turn: Arc<Mutex<()>>) -> http::Result<Response<String>> {
    let response = Response::builder();
    if request.method() != Method::GET || !matches!(request.uri().path(), "/" | "/metrics") {
        return response.status(StatusCode::NOT_FOUND).body("metrics are at /metrics\n".to_owned());
    }
    let turn = turn.lock_owned().await;
    let rendered = tokio::task::spawn_blocking(move || {
        let text = render();
        drop(turn);
        text
    });
    match rendered.await {
        Ok(Some(text)) => response.header(CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8").body(text),
        _ => response.status(StatusCode::SERVICE_UNAVAILABLE).body("the crawl is ending\n".to_owned()),
    }
}
