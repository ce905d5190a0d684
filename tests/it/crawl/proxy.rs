//! A crawl through a proxy: the proxy in the environment or in the seeds is used for all requests, as politely as ever,
//! and private addresses that the crawler can see are still refused.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional};
use tokio::net::TcpStream;
use tokio::runtime::Runtime;

use crate::crawl_world::{LONG, goldminer, run};
use crate::raw_server::{RawServer, page};
use crate::tls_server::{Authority, Kind, TlsServer};

/// The requests to a proxy, with their times.
type Asked = Arc<Mutex<Vec<(Instant, String)>>>;

/// A proxy that answers plain requests itself, and connects tunnels to `tls`.
fn proxy(runtime: &Runtime, tls: Option<std::net::SocketAddr>) -> (RawServer, Asked) {
    let asked = Asked::default();
    let seen = Arc::clone(&asked);
    let server = runtime.block_on(RawServer::start(move |head, mut stream| {
        let seen = Arc::clone(&seen);
        async move {
            let line = head.lines().next().unwrap_or_default().to_owned();
            seen.lock().unwrap().push((Instant::now(), line.clone()));
            if let (true, Some(tls)) = (line.starts_with("CONNECT "), tls) {
                stream.write_all(b"HTTP/1.1 200 Connected\r\n\r\n").await.ok()?;
                let mut there = TcpStream::connect(tls).await.ok()?;
                let _ = copy_bidirectional(&mut stream, &mut there).await;
                return None;
            }
            let body = if line.contains("robots.txt") {
                ""
            } else {
                "<p>Hello.<a href=/a>a</a><a href=http://10.0.0.1/>b</a>"
            };
            stream.write_all(&page(body)).await.ok()?;
            Some(stream)
        }
    }));
    (server, asked)
}

fn crawl(dir: &std::path::Path, settings: &str, starts: &[&str]) -> std::process::Command {
    let portals = starts.iter().map(|start| format!("[[portal]]\nstart = [\"{start}\"]\n"));
    let agent = "user_agent = \"it/1.0 (+https://crawler.example/; it@crawler.example)\"";
    let seeds = dir.join("seeds.toml");
    std::fs::write(&seeds, format!("[crawl]\n{agent}\n{settings}\n{}", portals.collect::<String>())).unwrap();
    let mut command = goldminer(&["crawl"]);
    command.arg(&seeds).arg("--dir").arg(dir.join("job")).args(["--allow-private", "--delay", "300ms"]);
    for name in ["http_proxy", "https_proxy", "all_proxy", "no_proxy"] {
        command.env_remove(name).env_remove(name.to_uppercase());
    }
    command
}

fn lines(asked: &Asked) -> Vec<String> {
    asked.lock().unwrap().iter().map(|(_, line)| line.clone()).collect()
}

#[test]
fn the_proxy_of_the_environment_gets_all_requests_politely() {
    let runtime = Runtime::new().unwrap();
    let dir = tempfile::tempdir().unwrap();
    let authority = Authority::new();
    let ca = dir.path().join("ca.pem");
    authority.write(&ca);
    let identity = authority.issue(&["safe.invalid"], Kind::Good);
    let tls = runtime.block_on(TlsServer::start(identity, &["http/1.1"], |mut stream| async move {
        let mut some = [0; 4096];
        let _ = stream.read(&mut some).await;
        let _ = stream.write_all(&page("<p>Hello.")).await;
        let _ = stream.shutdown().await;
    }));
    let (server, asked) = proxy(&runtime, Some(tls.address));
    let mut command =
        crawl(dir.path(), "", &["http://portal.invalid/", "https://safe.invalid/", "http://192.168.7.7/"]);
    let address = format!("http://{}", server.address);
    let ran = run(command.env("HTTP_PROXY", &address).env("https_proxy", &address).env("SSL_CERT_FILE", &ca), LONG);
    let lines = lines(&asked);
    assert!(lines.contains(&"GET http://portal.invalid/a HTTP/1.1".to_owned()), "{lines:?} {ran:?}");
    assert!(lines.contains(&"CONNECT safe.invalid:443 HTTP/1.1".to_owned()), "{lines:?}");
    assert!(lines.iter().all(|line| !line.contains("192.168.") && !line.contains("10.0.0.1")), "{lines:?}");
    assert!(ran.stdout.contains("5 fetched"), "{ran:?}");
    // The delay holds as without a proxy, and robots.txt comes first.
    let asked = asked.lock().unwrap();
    let of_portal: Vec<_> = asked.iter().filter(|(_, line)| line.contains("//portal.invalid/")).collect();
    assert!(of_portal[0].1.contains("/robots.txt"), "{of_portal:?}");
    let gaps = of_portal.windows(2).map(|two| two[1].0 - two[0].0);
    assert!(gaps.min() >= Some(Duration::from_millis(300)), "{of_portal:?}");
    let why = run(goldminer(&["why"]).arg(dir.path().join("job")).arg("http://192.168.7.7/"), LONG);
    assert!(why.stdout.contains("its address is not allowed"), "{why:?}");
}

#[test]
fn seeds_set_or_disable_the_proxy_and_a_dead_one_is_named() {
    let runtime = Runtime::new().unwrap();
    let dir = tempfile::tempdir().unwrap();
    let (server, asked) = proxy(&runtime, None);
    let settings = format!("proxy = \"http://{}\"", server.address);
    let ran = run(&mut crawl(dir.path(), &settings, &["http://portal.invalid/"]), LONG);
    assert!(ran.stdout.contains("3 fetched"), "{ran:?}");
    assert!(lines(&asked).iter().all(|line| line.contains(" http://portal.invalid/")), "{asked:?}");

    let other = tempfile::tempdir().unwrap();
    let before = lines(&asked).len();
    let direct = RawServer::saying(page("<p>Hello."));
    let direct = runtime.block_on(direct);
    let mut command = crawl(other.path(), "proxy = \"none\"", &["http://portal.invalid/"]);
    command.env("HTTP_PROXY", format!("http://{}", server.address));
    let ran = run(command.args(["--resolve", &format!("*:80:{}", direct.address)]), LONG);
    assert!(ran.stdout.contains("2 fetched"), "{ran:?}");
    assert_eq!(lines(&asked).len(), before);

    let third = tempfile::tempdir().unwrap();
    let settings = "proxy = \"http://127.0.0.1:9\"\nbackoff = \"20ms\"";
    let ran = run(&mut crawl(third.path(), settings, &["http://portal.invalid/"]), LONG);
    assert_eq!(ran.code(), Some(1), "{ran:?}");
    assert!(ran.stderr.contains("the proxy: ") && ran.stderr.contains("HTTP_PROXY"), "{ran:?}");
}

#[test]
fn an_invalid_proxy_is_refused_before_any_request() {
    let dir = tempfile::tempdir().unwrap();
    let ran = run(&mut crawl(dir.path(), "proxy = \"socks5://proxy.example:1080\"", &["http://portal.invalid/"]), LONG);
    assert_eq!(ran.code(), Some(2), "{ran:?}");
    assert!(ran.stderr.contains("http://proxy.example:3128") && ran.stderr.contains("SOCKS"), "{}", ran.stderr);
}
