//! A server on loopback that sends whatever a test wants, byte by byte, and remembers the requests.

use std::future::Future;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use goldminer_fetch::{Accept, FetchConfig, Fetched, Fetcher, PrivateAccess, Request, UserAgent};
use goldminer_html::address::CrawlUrl;
use goldminer_html::capture::Capture;
use jiff::Timestamp;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// The time of every request in the tests.
pub(crate) const SOME_DAY: Timestamp = Timestamp::constant(1_795_000_000, 0);

/// Runs until it is dropped.
pub(crate) struct RawServer {
    pub address: SocketAddr,
    heads: Arc<Mutex<Vec<String>>>,
    connections: Arc<AtomicUsize>,
    task: JoinHandle<()>,
}

impl RawServer {
    /// Starts a server that answers each request head with `answer`. If `answer` gives the connection back, it is kept
    /// open, for any number of requests.
    pub(crate) async fn start<A, F>(answer: A) -> Self
    where
        A: Fn(String, TcpStream) -> F + Send + Sync + 'static,
        F: Future<Output = Option<TcpStream>> + Send + 'static,
    {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        Self::on(listener, answer)
    }

    pub(crate) fn on<A, F>(listener: TcpListener, answer: A) -> Self
    where
        A: Fn(String, TcpStream) -> F + Send + Sync + 'static,
        F: Future<Output = Option<TcpStream>> + Send + 'static,
    {
        let address = listener.local_addr().expect("a bound listener");
        let (heads, connections, answer) =
            (Arc::new(Mutex::new(Vec::new())), Arc::new(AtomicUsize::new(0)), Arc::new(answer));
        let (seen, counted) = (Arc::clone(&heads), Arc::clone(&connections));
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                counted.fetch_add(1, Ordering::SeqCst);
                let (seen, answer) = (Arc::clone(&seen), Arc::clone(&answer));
                tokio::spawn(async move {
                    let mut open = Some(stream);
                    while let Some(mut stream) = open.take() {
                        let Some(head) = read_head(&mut stream).await else { return };
                        seen.lock().unwrap().push(head.clone());
                        open = answer(head, stream).await;
                    }
                });
            }
        });
        Self { address, heads, connections, task }
    }

    /// Answers every request with the same bytes, and closes the connection.
    pub(crate) async fn saying(bytes: impl Into<Vec<u8>>) -> Self {
        let bytes: Arc<[u8]> = bytes.into().into();
        Self::start(move |_, mut stream| {
            let bytes = Arc::clone(&bytes);
            async move {
                // The client may have gone away early, which is what some tests are about.
                let _ = stream.write_all(&bytes).await;
                let _ = stream.shutdown().await;
                None
            }
        })
        .await
    }

    /// Sends these bytes before any request, as servers of other protocols do, and closes the connection.
    pub(crate) async fn greeting(bytes: impl Into<Vec<u8>>) -> Self {
        let bytes: Arc<[u8]> = bytes.into().into();
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("a bound listener");
        let task = tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let _ = stream.write_all(&bytes).await;
                // The request is read, so that closing the connection is not a reset.
                let _ = stream.read(&mut [0; 4096]).await;
            }
        });
        Self { address, heads: Arc::default(), connections: Arc::default(), task }
    }

    /// The request heads so far.
    pub(crate) fn heads(&self) -> Vec<String> {
        self.heads.lock().unwrap().clone()
    }

    /// The connections so far.
    pub(crate) fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }

    /// A fetcher for which every host name's port 80 is this server.
    pub(crate) fn fetcher(&self) -> Fetcher {
        self.fetcher_with(|_| {})
    }

    /// Such a fetcher with a changed configuration.
    pub(crate) fn fetcher_with(&self, change: impl FnOnce(&mut FetchConfig)) -> Fetcher {
        let mut config = config();
        config.resolve = vec![format!("*:80:{}", self.address).parse().expect("a rule")];
        change(&mut config);
        Fetcher::new(config).expect("a fetcher")
    }
}

impl Drop for RawServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// A configuration that allows loopback addresses, and has no spacing.
pub(crate) fn config() -> FetchConfig {
    let user_agent = UserAgent::new("goldbot/1.0 (+https://example.org/bot; bot@example.org)").expect("a user agent");
    let mut config = FetchConfig::new(user_agent);
    config.private = PrivateAccess { loopback: true, ..PrivateAccess::NONE };
    config.ip_spacing = std::time::Duration::ZERO;
    config
}

pub(crate) fn url(text: &str) -> CrawlUrl {
    CrawlUrl::parse(text).expect("a URL")
}

/// Requests a page of `portal.example`.
pub(crate) async fn get(fetcher: &Fetcher, path: &str) -> Fetched {
    fetcher.fetch(&Request::new(url(&format!("http://portal.example{path}")), Accept::Page), SOME_DAY).await
}

/// The response. Fails if there is none.
pub(crate) fn response(fetched: Fetched) -> Capture {
    match fetched {
        Fetched::Response(capture) => *capture,
        other => panic!("no response: {other:?}"),
    }
}

/// An HTML response with this body and its length.
pub(crate) fn page(body: &str) -> Vec<u8> {
    format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
}

async fn read_head(stream: &mut TcpStream) -> Option<String> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.ok()?);
    }
    Some(String::from_utf8_lossy(&head).into_owned())
}
