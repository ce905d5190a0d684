//! Servers that try to use up our time or memory: a fetch always ends soon, is small, and keeps what it has received.

use std::io::Write;
use std::time::{Duration, Instant};

use goldminer_fetch::failure::{Cause, Failure};
use goldminer_fetch::{Accept, FetchConfig, Fetched, Request};
use goldminer_html::capture::Truncation;
use goldminer_html::capture::coding::{CodingFault, CodingLimits};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tokio::time::sleep;

use crate::raw_server::{RawServer, SOME_DAY, get, page, response, url};

/// Long enough for any machine, far below what the server would take.
const SOON: Duration = Duration::from_secs(8);

const HTML_HEAD: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n";

/// Limits that a test can wait for.
fn impatient(config: &mut FetchConfig) {
    config.limits.connect = Duration::from_millis(500);
    config.limits.first_byte = Duration::from_millis(500);
    config.limits.speed_window = Duration::from_millis(400);
    config.limits.least_bytes_per_window = 400;
}

/// Starts a server that sends `head` at once, then `piece` repeatedly until the client closes the connection. The
/// receiver gets a message when that happens.
async fn dripping(head: &'static [u8], piece: Vec<u8>, every: Duration) -> (RawServer, mpsc::UnboundedReceiver<()>) {
    let (gone, when_gone) = mpsc::unbounded_channel();
    let server = RawServer::start(move |_, mut stream: TcpStream| {
        let (piece, gone) = (piece.clone(), gone.clone());
        async move {
            let mut result = stream.write_all(head).await;
            while result.is_ok() {
                sleep(every).await;
                result = stream.write_all(&piece).await;
            }
            let _ = gone.send(());
            None
        }
    })
    .await;
    (server, when_gone)
}

#[tokio::test]
async fn an_endless_body_is_cut_and_its_connection_closed() {
    let (server, mut when_gone) = dripping(HTML_HEAD, b"<p>more ".repeat(1_000), Duration::ZERO).await;
    let fetcher = server.fetcher_with(|config| config.limits.body_bytes = 100_000);
    let capture = response(get(&fetcher, "/").await);
    assert_eq!((capture.body.len(), capture.truncated), (100_000, Some(Truncation::Length)));
    tokio::time::timeout(SOON, when_gone.recv()).await.expect("the server still sends").expect("a server");
}

#[tokio::test]
async fn a_body_of_exactly_the_limit_is_complete() {
    let server = RawServer::saying(page(&"x".repeat(10_000))).await;
    let fetcher = server.fetcher_with(|config| config.limits.body_bytes = 10_000);
    let capture = response(get(&fetcher, "/").await);
    assert_eq!((capture.body.len(), capture.truncated), (10_000, None));
}

#[tokio::test]
async fn slow_headers_are_a_timeout() {
    let (server, _gone) = dripping(b"HTTP/1.1 200 OK\r\n", b"X-A: b\r\n".to_vec(), Duration::from_millis(50)).await;
    let started = Instant::now();
    let fetched = get(&server.fetcher_with(impatient), "/").await;
    assert!(matches!(fetched, Fetched::Failed(Failure { cause: Cause::Timeout, .. })), "{fetched:?}");
    assert!(started.elapsed() < SOON);
}

#[tokio::test]
async fn a_server_that_never_answers_is_a_timeout() {
    let server = RawServer::start(|_, stream| async move {
        sleep(Duration::from_secs(60)).await;
        Some(stream)
    })
    .await;
    let started = Instant::now();
    let fetched = get(&server.fetcher_with(impatient), "/").await;
    assert!(matches!(fetched, Fetched::Failed(Failure { cause: Cause::Timeout, .. })), "{fetched:?}");
    assert!(started.elapsed() < SOON);
}

#[tokio::test]
async fn a_slow_body_is_abandoned_and_its_beginning_kept() {
    let (server, _gone) = dripping(HTML_HEAD, b"<p>drop".to_vec(), Duration::from_millis(50)).await;
    let started = Instant::now();
    let capture = response(get(&server.fetcher_with(impatient), "/").await);
    assert_eq!(capture.truncated, Some(Truncation::Time));
    assert!(capture.body.starts_with(b"<p>drop") && capture.body.len() < 400, "{} bytes", capture.body.len());
    assert!(started.elapsed() < SOON);
}

#[tokio::test]
async fn a_stalled_body_is_abandoned_too() {
    let (server, _gone) = dripping(HTML_HEAD, Vec::new(), Duration::from_millis(50)).await;
    let capture = response(get(&server.fetcher_with(impatient), "/").await);
    assert_eq!((capture.body.len(), capture.truncated), (0, Some(Truncation::Time)));
}

#[tokio::test]
async fn a_body_that_is_fast_enough_ends_with_the_total_time() {
    let (server, _gone) = dripping(HTML_HEAD, b"<p>drop".repeat(100), Duration::from_millis(20)).await;
    let fetcher = server.fetcher_with(|config| {
        impatient(config);
        config.limits.total = Duration::from_millis(1_500);
    });
    let started = Instant::now();
    let capture = response(get(&fetcher, "/").await);
    assert_eq!(capture.truncated, Some(Truncation::Time));
    assert!(capture.body.len() > 7_000, "{} bytes", capture.body.len());
    assert!(started.elapsed() >= Duration::from_millis(1_400) && started.elapsed() < SOON);
}

#[tokio::test]
async fn compression_bombs_are_kept_compressed() {
    let zeros = vec![b' '; 64 << 20];
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    gzip.write_all(&zeros).unwrap();
    let mut br = Vec::new();
    let params = brotli::enc::BrotliEncoderParams { quality: 2, ..Default::default() };
    brotli::BrotliCompress(&mut zeros.as_slice(), &mut br, &params).unwrap();
    let zstd = zstd::bulk::compress(&zeros, 3).unwrap();
    for (coding, coded) in [("gzip", gzip.finish().unwrap()), ("br", br), ("zstd", zstd)] {
        let head = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: {coding}\r\n\r\n");
        let server = RawServer::saying([head.as_bytes(), &coded].concat()).await;
        let capture = response(get(&server.fetcher(), "/").await);
        assert_eq!((capture.body.len(), capture.truncated), (coded.len(), None), "{coding}: the body is as received");
        let error = capture.decoded_body(CodingLimits::default()).expect_err(coding);
        assert!(matches!(error.fault, CodingFault::Ratio { .. } | CodingFault::Length { .. }), "{coding}: {error}");
        assert!(error.decoded.len() <= 5 << 20, "{coding}: {} bytes decoded", error.decoded.len());
    }
}

#[tokio::test]
async fn ten_thousand_headers_are_refused_and_three_hundred_are_not() {
    let with = |count: usize, value: &str| {
        let fields: String = (0..count).map(|i| format!("X-{i}: {value}\r\n")).collect();
        format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n{fields}Content-Length: 3\r\n\r\n<p>")
    };
    let server = RawServer::saying(with(300, "v")).await;
    assert_eq!(response(get(&server.fetcher(), "/").await).headers.len(), 302);
    for (count, value) in [(10_000, "v".to_owned()), (1, "v".repeat(70_000)), (1, "v".repeat(3_000_000))] {
        let server = RawServer::saying(with(count, &value)).await;
        let fetched = get(&server.fetcher(), "/").await;
        assert!(
            matches!(fetched, Fetched::Failed(Failure { cause: Cause::TooManyHeaders, .. })),
            "{count}: {fetched:?}"
        );
    }
}

#[tokio::test]
async fn a_robots_txt_is_cut_at_its_own_limit() {
    let (server, _gone) = dripping(b"HTTP/1.1 200 OK\r\n\r\n", b"Disallow: /a\n".repeat(1_000), Duration::ZERO).await;
    let request = Request::new(url("http://portal.example/robots.txt"), Accept::Robots);
    let capture = response(server.fetcher().fetch(&request, SOME_DAY).await);
    assert_eq!((capture.body.len(), capture.truncated), (512 << 10, Some(Truncation::Length)));
}

#[tokio::test]
async fn a_film_with_any_content_type_is_not_downloaded() {
    let film = [&b"\0\0\0\x18ftypmp42"[..], &[7; 20_000]].concat();
    let (server, mut when_gone) = dripping(HTML_HEAD, film, Duration::ZERO).await;
    let fetched = get(&server.fetcher(), "/film.html").await;
    let Fetched::Unwanted(capture, _) = fetched else { panic!("{fetched:?}") };
    assert_eq!((capture.status, capture.body.len()), (200, 0));
    assert_eq!(capture.content_type(), Some("text/html"), "the headers are kept");
    tokio::time::timeout(SOON, when_gone.recv()).await.expect("the server still sends").expect("a server");
}
