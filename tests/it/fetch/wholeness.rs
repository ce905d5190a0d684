//! Tests that a body counts as complete only if it ended as its protocol requires. All others are marked as truncated,
//! and requested again.

use std::time::Duration;

use bytes::Bytes;
use goldminer_fetch::{Accept, Fetcher, Request};
use goldminer_html::capture::{Capture, Truncation};
use h2::Reason;
use h2::server::SendResponse;
use http::Response;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};
use tokio_rustls::server::TlsStream;

use crate::raw_server::{RawServer, SOME_DAY, config, page, response, url};
use crate::tls_server::{Authority, Kind, TlsServer};

const HALF: &str = "<!DOCTYPE html><p>The first half of an article";
const REST: &str = ", and the second half of it.";

/// How a body over HTTP/2 ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    Whole,
    Trailers,
    Reset(Reason),
    GoAway,
    Hangup,
    TooShort,
    TooLong,
    EmptyFrames,
}

impl End {
    pub(crate) const BROKEN: [Self; 8] = [
        Self::Reset(Reason::NO_ERROR),
        Self::Reset(Reason::CANCEL),
        Self::Reset(Reason::INTERNAL_ERROR),
        Self::GoAway,
        Self::Hangup,
        Self::TooShort,
        Self::TooLong,
        Self::EmptyFrames,
    ];
}

/// Answers requests on an HTTP/2 connection. `end` is how the responses end.
async fn answer(stream: TlsStream<TcpStream>, end: End) {
    let mut connection = h2::server::handshake(stream).await.unwrap();
    while let Some(Ok((_, respond))) = connection.accept().await {
        if matches!(end, End::GoAway | End::Hangup) {
            half(respond, end);
            // The data must be sent before the connection closes.
            let _ = timeout(Duration::from_millis(300), connection.accept()).await;
            if end == End::GoAway {
                connection.abrupt_shutdown(Reason::NO_ERROR);
                let _ = timeout(Duration::from_millis(300), connection.accept()).await;
            }
            return;
        }
        tokio::spawn(async move { half(respond, end) });
    }
}

fn half(mut respond: SendResponse<Bytes>, end: End) {
    let head = Response::builder().header("content-type", "text/html");
    let length = HALF.len() + REST.len();
    let head = match end {
        End::TooShort => head.header("content-length", length),
        End::TooLong => head.header("content-length", HALF.len() + 3),
        _ => head,
    };
    let mut body = respond.send_response(head.body(()).unwrap(), false).unwrap();
    let _ = body.send_data(HALF.into(), false);
    match end {
        End::Whole | End::TooLong => drop(body.send_data(REST.into(), true)),
        End::Trailers => {
            let _ = body.send_data(REST.into(), false);
            let _ = body.send_trailers([("x-end".parse().unwrap(), "1".parse().unwrap())].into_iter().collect());
        }
        End::TooShort => drop(body.send_data(Bytes::new(), true)),
        End::Reset(reason) => {
            // A short wait, so that the data are not discarded with the stream.
            tokio::spawn(async move {
                sleep(Duration::from_millis(200)).await;
                body.send_reset(reason);
            });
        }
        End::GoAway | End::Hangup => {
            tokio::spawn(async move {
                sleep(Duration::from_secs(5)).await;
                drop(body);
            });
        }
        End::EmptyFrames => {
            tokio::spawn(async move {
                while body.send_data(Bytes::new(), false).is_ok() {
                    sleep(Duration::from_micros(200)).await;
                }
            });
        }
    }
}

/// Requests a page over TLS.
async fn get(authority: &Authority, server: &TlsServer) -> Capture {
    let mut config = config();
    config.trusted = vec![authority.der()];
    config.resolve = vec![format!("*:443:{}", server.address).parse().unwrap()];
    config.limits.speed_window = Duration::from_millis(600);
    config.limits.least_bytes_per_window = 1_000;
    let fetcher = Fetcher::new(config).unwrap();
    let request = Request::new(url("https://portal.example/"), Accept::Page);
    let fetched = timeout(Duration::from_secs(30), fetcher.fetch(&request, SOME_DAY)).await.expect("endless");
    response(fetched)
}

#[tokio::test]
async fn only_ended_http_2_streams_are_complete() {
    let authority = Authority::new();
    let serve = async |end| {
        let identity = authority.issue(&["portal.example"], Kind::Good);
        let server = TlsServer::start(identity, &["h2"], move |stream| answer(stream, end)).await;
        get(&authority, &server).await
    };
    for end in [End::Whole, End::Trailers] {
        let capture = serve(end).await;
        assert_eq!((capture.truncated, capture.body.len()), (None, HALF.len() + REST.len()), "{end:?}");
        assert_eq!(capture.protocols, ["h2", "tls/1.3"], "{end:?}");
    }
    for end in End::BROKEN {
        let capture = serve(end).await;
        assert!(
            matches!(capture.truncated, Some(cut) if cut != Truncation::Length),
            "{end:?}: {:?}",
            capture.truncated
        );
        assert!(capture.body.len() <= HALF.len() + 3, "{end:?}");
    }
}

#[tokio::test]
async fn a_corrupted_tls_record_truncates_the_body() {
    let authority = Authority::new();
    let identity = authority.issue(&["portal.example"], Kind::Good);
    let server = TlsServer::start(identity, &["http/1.1"], |mut stream| async move {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n";
        stream.write_all(format!("{head}{HALF}").as_bytes()).await.unwrap();
        stream.flush().await.unwrap();
        sleep(Duration::from_millis(200)).await;
        // A record of application data that was not encrypted with the right key.
        let (socket, _) = stream.get_mut();
        socket.write_all(b"\x17\x03\x03\x00\x18not what was sealed here").await.unwrap();
        sleep(Duration::from_millis(200)).await;
    })
    .await;
    let capture = get(&authority, &server).await;
    assert_eq!(capture.body, HALF.as_bytes());
    assert!(capture.truncated.is_some(), "half an article counts as whole");
}

#[tokio::test]
async fn a_zstd_body_of_few_bytes_is_truncated_or_an_error() {
    let coded = zstd::bulk::compress(format!("{HALF}{REST}").repeat(500).as_bytes(), 3).unwrap();
    for (length, sent) in [(coded.len(), 20), (20, 20), (3, 3)] {
        let head = format!(
            "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: zstd\r\nContent-Length: {length}\r\n\r\n"
        );
        let server = RawServer::saying([head.as_bytes(), &coded[..sent]].concat()).await;
        let capture = response(crate::raw_server::get(&server.fetcher(), "/").await);
        let decoded = capture.decoded_body(Default::default());
        assert!(capture.truncated.is_some() || decoded.is_err(), "{sent} of {length} bytes: {decoded:?}");
    }
}

#[tokio::test]
async fn idle_connections_are_kept_up_to_the_limit() {
    let server = RawServer::start(|_, mut stream| async move {
        stream.write_all(&page("<p>")).await.unwrap();
        Some(stream)
    })
    .await;
    let fetcher = server.fetcher_with(|config| config.max_idle_connections = 2);
    for host in ["a", "b", "c", "a", "b", "c", "a", "c"] {
        let request = Request::new(url(&format!("http://{host}.example/")), Accept::Page);
        response(fetcher.fetch(&request, SOME_DAY).await);
    }
    assert_eq!(server.connections(), 2 + 3, "c gets a new one each time");
}
