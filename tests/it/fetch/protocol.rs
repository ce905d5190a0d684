//! Servers with broken HTTP, and our requests as a server sees them.

use goldminer_fetch::failure::{Cause, Failure};
use goldminer_fetch::{Accept, Fetched, Fetcher, MediaKind, Request};
use goldminer_html::capture::Truncation;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpListener;

use crate::raw_server::{RawServer, SOME_DAY, config, get, page, response, url};

fn kind(fetched: &Fetched) -> Option<Cause> {
    match fetched {
        Fetched::Failed(Failure { cause, .. }) => Some(*cause),
        _ => None,
    }
}

#[tokio::test]
async fn the_recorded_request_is_the_request_that_the_server_saw() {
    let server = RawServer::saying(page("<p>")).await;
    let request = Request::new(url("http://portal.example/a?b=1"), Accept::Page)
        .with(http::header::IF_NONE_MATCH, Some("\"v1\""))
        .with(http::header::IF_MODIFIED_SINCE, Some("Fri, 20 Nov 2026 10:00:00 GMT"));
    let capture = response(server.fetcher().fetch(&request, SOME_DAY).await);
    let seen = server.heads().remove(0);
    assert_eq!(String::from_utf8(capture.request_head).unwrap(), seen);
    assert!(seen.starts_with("GET /a?b=1 HTTP/1.1\r\n"), "{seen}");
    for field in [
        "user-agent: goldbot/1.0 (+https://example.org/bot; bot@example.org)\r\n",
        "from: bot@example.org\r\n",
        "host: portal.example\r\n",
        "accept-encoding: gzip, deflate, br, zstd\r\n",
        "if-none-match: \"v1\"\r\n",
        "if-modified-since: Fri, 20 Nov 2026 10:00:00 GMT\r\n",
    ] {
        assert!(seen.contains(field), "no {field:?} in {seen}");
    }
    assert_eq!((capture.peer, capture.fetched), (Some(server.address.ip()), SOME_DAY));
}

#[tokio::test]
async fn an_unchanged_page_is_a_response_without_a_body() {
    let server = RawServer::saying("HTTP/1.1 304 Not Modified\r\nETag: \"v1\"\r\n\r\n").await;
    let capture = response(get(&server.fetcher(), "/").await);
    assert_eq!((capture.status, capture.body.len(), capture.truncated), (304, 0, None));
    assert_eq!(capture.headers.get("etag"), Some("\"v1\""));
}

#[tokio::test]
async fn the_fetcher_follows_no_redirect() {
    let server = RawServer::saying("HTTP/1.1 302 Found\r\nLocation: /\r\nContent-Length: 0\r\n\r\n").await;
    let capture = response(get(&server.fetcher(), "/").await);
    assert_eq!((capture.status, capture.reason.as_str()), (302, "Found"));
    assert_eq!(capture.headers.get("location"), Some("/"));
    assert_eq!(server.heads().len(), 1, "the fetcher followed it");
}

#[tokio::test]
async fn cookies_are_neither_kept_nor_sent() {
    let cookie =
        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nSet-Cookie: id=7; Path=/\r\nContent-Length: 3\r\n\r\n<p>";
    let server = RawServer::saying(cookie).await;
    let fetcher = server.fetcher();
    for path in ["/a", "/b"] {
        assert_eq!(response(get(&fetcher, path).await).headers.get("set-cookie"), Some("id=7; Path=/"));
    }
    assert!(server.heads().iter().all(|head| !head.to_lowercase().contains("\ncookie:")), "{:?}", server.heads());
}

#[tokio::test]
async fn a_body_shorter_than_its_length_is_kept_and_marked() {
    let server =
        RawServer::saying("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 100\r\n\r\n<p>cut").await;
    let capture = response(get(&server.fetcher(), "/").await);
    assert_eq!((capture.body.as_slice(), capture.truncated), (&b"<p>cut"[..], Some(Truncation::Disconnect)));
}

#[tokio::test]
async fn a_body_longer_than_its_length_is_cut() {
    let server =
        RawServer::saying("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 3\r\n\r\n<p>more").await;
    let capture = response(get(&server.fetcher(), "/").await);
    assert_eq!((capture.body.as_slice(), capture.truncated), (&b"<p>"[..], None));
}

#[tokio::test]
async fn contradictory_lengths_are_not_http() {
    let lies = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 3\r\nContent-Length: 30\r\n\r\n<p>more";
    let fetched = get(&RawServer::saying(lies).await.fetcher(), "/").await;
    assert_eq!(kind(&fetched), Some(Cause::NoHttp), "{fetched:?}");
}

#[tokio::test]
async fn broken_chunks_keep_the_earlier_ones() {
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n4\r\n<p>a\r\n";
    for (rest, expected) in [
        ("zz\r\nnonsense", Truncation::Unspecified),
        ("ffffffffffffffffff\r\n", Truncation::Unspecified),
        ("5\r\n<p>", Truncation::Disconnect),
        ("", Truncation::Disconnect),
    ] {
        let server = RawServer::saying(format!("{head}{rest}")).await;
        let capture = response(get(&server.fetcher(), "/").await);
        assert!(capture.body.starts_with(b"<p>a"), "{rest:?}: {:?}", capture.body);
        assert_eq!(capture.truncated, Some(expected), "{rest:?}");
        assert_eq!(capture.headers.get("transfer-encoding"), None, "the coding is undone");
    }
}

#[tokio::test]
async fn a_reset_keeps_the_beginning_of_the_body() {
    let server = RawServer::start(|_, mut stream| async move {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 1000\r\n\r\n<p>half";
        stream.write_all(head.as_bytes()).await.unwrap();
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
        reset(stream);
        None
    })
    .await;
    let capture = response(get(&server.fetcher(), "/").await);
    assert_eq!((capture.body.as_slice(), capture.truncated), (&b"<p>half"[..], Some(Truncation::Disconnect)));
}

#[tokio::test]
async fn a_server_that_closes_at_once_gets_one_request() {
    let server = RawServer::start(|head, mut stream| async move {
        if head.starts_with("GET /first ") {
            stream.write_all(&page("<p>")).await.unwrap();
            return Some(stream);
        }
        reset(stream);
        None
    })
    .await;
    let fetcher = server.fetcher();
    response(get(&fetcher, "/first").await);
    let fetched = get(&fetcher, "/second").await;
    assert_eq!(kind(&fetched), Some(Cause::Reset), "{fetched:?}");
    assert_eq!((server.heads().len(), server.connections()), (2, 1), "a kept connection, and nothing sent twice");
}

#[tokio::test]
async fn http_1_0_without_a_length_ends_with_the_connection() {
    let server = RawServer::saying("HTTP/1.0 200 Fine by me\r\nContent-Type: text/html\r\n\r\n<p>old but whole").await;
    let capture = response(get(&server.fetcher(), "/").await);
    assert_eq!((capture.body.as_slice(), capture.truncated), (&b"<p>old but whole"[..], None));
    assert_eq!(capture.reason, "Fine by me");
}

#[tokio::test]
async fn responses_that_are_not_http_are_a_failure() {
    for garbage in [
        "<html>HTTP/0.9 had no headers</html>",
        "SSH-2.0-OpenSSH_9.6\r\n",
        "\0\x01\x02\x03",
        "HTTP/1.1 999999 X\r\n\r\n",
    ] {
        let fetched = get(&RawServer::saying(garbage).await.fetcher(), "/").await;
        assert_eq!(kind(&fetched), Some(Cause::NoHttp), "{garbage:?}: {fetched:?}");
    }
    let fetched = get(&RawServer::saying("").await.fetcher(), "/").await;
    assert_eq!(kind(&fetched), Some(Cause::Reset), "{fetched:?}");
}

#[tokio::test]
async fn a_page_with_malformed_headers_is_kept() {
    let sloppy = b"HTTP/1.1 200 OK\r\nContent-Type : text/html\r\nBad Header: x\r\nX-Latin: \xE9\r\n\
        X-Long: a\r\n  b\r\nContent-Length: 3\r\n\r\n<p>";
    let capture = response(get(&RawServer::saying(*sloppy).await.fetcher(), "/").await);
    assert_eq!((capture.body.as_slice(), capture.content_type()), (&b"<p>"[..], Some("text/html")));
    let latin = capture.headers.iter().find(|(name, _)| *name == "x-latin").map(|(_, value)| value.to_vec());
    assert_eq!(latin, Some(vec![0xE9]), "values are bytes");
}

#[tokio::test]
async fn without_a_content_type_the_bytes_decide() {
    for (body, expected) in
        [("<!DOCTYPE html><p>", None), ("%PDF-1.7 ...", Some(MediaKind::Other)), ("just text", Some(MediaKind::Text))]
    {
        let server = RawServer::saying(format!("HTTP/1.1 200 OK\r\n\r\n{body}")).await;
        match (get(&server.fetcher(), "/").await, expected) {
            (Fetched::Response(capture), None) => assert_eq!(capture.body, body.as_bytes()),
            (Fetched::Unwanted(capture, found), Some(expected)) => {
                assert_eq!((found, capture.body.len()), (expected, 0))
            }
            (other, _) => panic!("{body}: {other:?}"),
        }
    }
}

#[tokio::test]
async fn wrong_content_types_are_recognised() {
    let html_called_binary = "HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\n\r\n<!doctype html><p>";
    assert_eq!(response(get(&RawServer::saying(html_called_binary).await.fetcher(), "/").await).status, 200);
    let picture_called_html = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n\x89PNG\r\n\x1a\n";
    let fetched = get(&RawServer::saying(*picture_called_html).await.fetcher(), "/").await;
    assert!(matches!(fetched, Fetched::Unwanted(_, MediaKind::Other)), "{fetched:?}");
}

#[tokio::test]
async fn an_error_with_any_body_is_a_response() {
    let server = RawServer::saying("HTTP/1.1 404 Not Found\r\nContent-Type: image/gif\r\n\r\nGIF89a").await;
    let capture = response(get(&server.fetcher(), "/").await);
    assert_eq!((capture.status, capture.body.len()), (404, 0));
}

#[tokio::test]
async fn feeds_and_sitemaps_are_kept_if_they_are_requested() {
    let gzip_file = b"HTTP/1.1 200 OK\r\nContent-Type: application/x-gzip\r\n\r\n\x1f\x8b\x08\0\0\0\0\0";
    let server = RawServer::saying(*gzip_file).await;
    let sitemap =
        server.fetcher().fetch(&Request::new(url("http://portal.example/s.xml.gz"), Accept::Sitemap), SOME_DAY).await;
    assert!(matches!(sitemap, Fetched::Response(_)), "{sitemap:?}");
    let page = get(&server.fetcher(), "/s.xml.gz").await;
    assert!(matches!(page, Fetched::Unwanted(_, MediaKind::Gzip)), "{page:?}");
}

#[tokio::test]
async fn the_body_keeps_its_content_coding() {
    let coded = zstd::bulk::compress(b"<p>Hello</p>", 3).unwrap();
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: zstd\r\n\r\n";
    let server = RawServer::saying([head.as_bytes(), &coded].concat()).await;
    let capture = response(get(&server.fetcher(), "/").await);
    assert_eq!(capture.body, coded);
    assert_eq!(capture.decoded_body(Default::default()).unwrap().as_ref(), b"<p>Hello</p>");
}

#[tokio::test]
async fn a_host_name_with_accents_is_sent_in_ascii() {
    let server = RawServer::saying(page("<p>")).await;
    let request = Request::new(url("http://könyv.example/é"), Accept::Page);
    assert_eq!(response(server.fetcher().fetch(&request, SOME_DAY).await).status, 200);
    let seen = server.heads().remove(0);
    assert!(seen.starts_with("GET /%C3%A9 ") && seen.contains("host: xn--knyv-5qa.example\r\n"), "{seen}");
}

#[tokio::test]
async fn an_ipv6_address_can_be_a_host() {
    let Ok(listener) = TcpListener::bind("[::1]:0").await else {
        eprintln!("skipped: this machine has no IPv6");
        return;
    };
    let server = RawServer::on(listener, |_, mut stream| async move {
        stream.write_all(&page("<p>six")).await.unwrap();
        Some(stream)
    });
    let port = server.address.port();
    let fetcher = Fetcher::new(config()).unwrap();
    let capture =
        response(fetcher.fetch(&Request::new(url(&format!("http://[::1]:{port}/")), Accept::Page), SOME_DAY).await);
    assert_eq!(capture.body, b"<p>six");
    assert_eq!(capture.peer, Some(server.address.ip()));
    assert!(server.heads()[0].contains(&format!("host: [::1]:{port}\r\n")), "{:?}", server.heads());
}

/// Ends a connection with RST instead of FIN.
fn reset(stream: tokio::net::TcpStream) {
    let _ = stream.set_zero_linger();
}
