//! Answers that break off in the middle: whatever broke, a part is never used as the whole. Pages, feeds and sitemaps
//! are requested again, and only complete ones are in the corpus.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::io::AsyncWriteExt;
use tokio::runtime::Runtime;
use tokio::sync::Notify;
use tokio::time::timeout;

use crate::crawl_world::{LONG, goldminer, run, texts};
use crate::raw_server::RawServer;

const LAST: &str = "This is the last sentence of the article, and it must be in the corpus as well.";

fn article(number: usize) -> String {
    let body: String = (0..8)
        .map(|p| {
            format!(
                "<p>Paragraph {p} of article {number} says what happened in the town of number {number} on that day, and \
                 that there were {} people who had been there to see it for themselves before the evening came.</p>\n",
                number * 17 + p
            )
        })
        .collect();
    format!(
        "<!DOCTYPE html><html lang=en><title>Article {number}</title><body><h1>Article {number}</h1>\n{body}<p>{LAST}</p>"
    )
}

/// Returns a response that breaks off over HTTP/1.1, in one of six ways. `kind` is its content type, and `body` what
/// the complete response would contain.
fn broken(way: usize, kind: &str, body: &str) -> Vec<u8> {
    let half = body.len() * 2 / 3;
    let (body, half) = (body.as_bytes(), half);
    let head = |more: &str| {
        format!("HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nConnection: close\r\n{more}\r\n\r\n").into_bytes()
    };
    let chunk = |bytes: &[u8]| [format!("{:x}\r\n", bytes.len()).as_bytes(), bytes, b"\r\n"].concat();
    let zstd = zstd::bulk::compress(body, 3).unwrap();
    match way {
        // A broken chunk size.
        0 => [head("Transfer-Encoding: chunked"), chunk(&body[..half]), b"zz\r\n".to_vec()].concat(),
        // An end within a chunk.
        1 => [head("Transfer-Encoding: chunked"), b"fffff\r\n".to_vec(), body[..half].to_vec()].concat(),
        // A chunk that is longer than it said.
        2 => [head("Transfer-Encoding: chunked"), b"5\r\n".to_vec(), body[..half].to_vec()].concat(),
        // Less than was announced.
        3 => [head(&format!("Content-Length: {}", body.len())), body[..half].to_vec()].concat(),
        // zstd cut short, though the length is right.
        4 => {
            let cut = &zstd[..zstd.len() - 40];
            [head(&format!("Content-Encoding: zstd\r\nContent-Length: {}", cut.len())), cut.to_vec()].concat()
        }
        // Only the first bytes of zstd.
        5 => [head("Content-Encoding: zstd\r\nContent-Length: 12"), zstd[..12].to_vec()].concat(),
        _ => unreachable!("six ways"),
    }
}

fn whole(kind: &str, body: &str) -> Vec<u8> {
    format!("HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
}

/// Counts a request for a path. Returns the number of requests for it so far.
fn count(seen: &Mutex<HashMap<String, usize>>, path: &str) -> usize {
    let mut seen = seen.lock().unwrap();
    let times = seen.entry(path.to_owned()).or_default();
    *times += 1;
    *times
}

#[test]
fn incomplete_responses_are_requested_again_and_not_used() {
    let runtime = Runtime::new().unwrap();
    let dir = tempfile::tempdir().unwrap();
    let asked: Arc<Mutex<HashMap<String, usize>>> = Arc::default();
    let seen = Arc::clone(&asked);
    let server = runtime.block_on(RawServer::start(move |head, mut stream| {
        let seen = Arc::clone(&seen);
        async move {
            let path = head.split(' ').nth(1).unwrap().to_owned();
            let times = count(&seen, &path);
            let number = path.trim_start_matches("/a").parse::<usize>().ok();
            let item = |n: usize| format!("<item><title>x</title><link>http://news.example/a{n}</link></item>\n");
            let entry = |n: usize| format!("<url><loc>http://news.example/a{n}</loc></url>\n");
            let (kind, body) = match path.as_str() {
                "/" => ("text/html", "<!DOCTYPE html><title>News</title><a href=/a0>0</a>".to_owned()),
                // The last link is in the part that is missing at first.
                "/feed" => {
                    let items: String = (1..4).map(item).collect();
                    (
                        "application/rss+xml",
                        format!("<rss version='2.0'><channel><title>N</title>{items}</channel></rss>"),
                    )
                }
                "/sitemap.xml" => {
                    let entries: String = (3..6).map(entry).collect();
                    let schema = "http://www.sitemaps.org/schemas/sitemap/0.9";
                    ("application/xml", format!("<?xml version='1.0'?><urlset xmlns='{schema}'>{entries}</urlset>"))
                }
                _ => match number {
                    Some(number) => ("text/html", article(number)),
                    None => {
                        let _ = stream.write_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n").await;
                        return Some(stream);
                    }
                },
            };
            let way = match path.as_str() {
                "/feed" => Some(0),
                "/sitemap.xml" => Some(2),
                _ => number,
            };
            if let Some(way) = way.filter(|_| times == 1) {
                let _ = stream.write_all(&broken(way, kind, &body)).await;
                let _ = stream.shutdown().await;
                return None;
            }
            let _ = stream.write_all(&whole(kind, &body)).await;
            Some(stream)
        }
    }));
    let job = crawled(dir.path(), &server, "feeds = [\"http://news.example/feed\"]");
    let asked = asked.lock().unwrap().clone();
    let texts = texts(&job.join("corpus"));
    for number in 0..6 {
        assert_eq!(asked.get(&format!("/a{number}")), Some(&2), "{asked:?}");
        let text = texts.get(&format!("http://news.example/a{number}"));
        assert!(text.is_some_and(|text| text.contains(LAST)), "article {number}: {text:?}");
    }
    assert_eq!((asked["/feed"], asked["/sitemap.xml"]), (2, 2), "{asked:?}");
}

#[test]
fn odd_redirects_are_followed_and_a_304_is_requested_again() {
    let runtime = Runtime::new().unwrap();
    let dir = tempfile::tempdir().unwrap();
    let asked: Arc<Mutex<HashMap<String, usize>>> = Arc::default();
    let seen = Arc::clone(&asked);
    let server = runtime.block_on(RawServer::start(move |head, mut stream| {
        let seen = Arc::clone(&seen);
        async move {
            let path = head.split(' ').nth(1).unwrap().to_owned();
            let times = count(&seen, &path);
            let answer = match path.as_str() {
                "/" => whole("text/html", "<!DOCTYPE html><a href=/r>1</a><a href=/e>2</a><a href=/l>3</a><a href=/n>4</a>"),
                "/r" => b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nRefresh: 0; url=/a1\r\nContent-Length: 5\r\n\r\nmoved".to_vec(),
                "/e" => b"HTTP/1.1 200 OK\r\nRefresh: 0;URL='/a2'\r\nContent-Length: 0\r\n\r\n".to_vec(),
                "/l" => b"HTTP/1.1 302 Found\r\nLocation: /caf\xE9\r\nContent-Length: 0\r\n\r\n".to_vec(),
                "/caf%E9" => whole("text/html", &article(3)),
                "/n" if times == 1 => b"HTTP/1.1 304 Not Modified\r\n\r\n".to_vec(),
                "/n" => whole("text/html", &article(4)),
                "/a1" => whole("text/html", &article(1)),
                "/a2" => whole("text/html", &article(2)),
                _ => b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n".to_vec(),
            };
            let _ = stream.write_all(&answer).await;
            Some(stream)
        }
    }));
    let job = crawled(dir.path(), &server, "");
    let texts = texts(&job.join("corpus"));
    for path in ["/a1", "/a2", "/caf%E9", "/n"] {
        assert!(texts.contains_key(&format!("http://news.example{path}")), "{path}: {:?} {:?}", texts.keys(), asked);
    }
    assert_eq!(asked.lock().unwrap()["/n"], 2);
}

#[test]
fn pages_that_two_hosts_send_at_once_come_once() {
    let runtime = Runtime::new().unwrap();
    let waiting: Arc<Mutex<HashMap<String, Arc<Notify>>>> = Arc::default();
    let met = Arc::new(AtomicUsize::new(0));
    let meetings = Arc::clone(&met);
    let server = runtime.block_on(RawServer::start(move |head, mut stream| {
        let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
        let number: Option<usize> = path.strip_prefix("/story-").and_then(|number| number.parse().ok());
        let (waiting, meetings) = (Arc::clone(&waiting), Arc::clone(&meetings));
        async move {
            if number.is_some_and(|number| number > 2) {
                // The other pages come from `www.` first. So the hosts have too little in common to be known as one
                // site.
                let is_second = head.to_ascii_lowercase().contains("host: m.");
                tokio::time::sleep(Duration::from_millis(if is_second { 60 } else { 0 })).await;
            } else if number.is_some() {
                let first = waiting.lock().unwrap().remove(&path);
                if let Some(first) = first {
                    first.notify_one();
                    meetings.fetch_add(1, Ordering::Relaxed);
                } else {
                    // Answered when the other host is asked for the same page.
                    let both = Arc::new(Notify::new());
                    waiting.lock().unwrap().insert(path.clone(), Arc::clone(&both));
                    let _ = timeout(Duration::from_millis(300), both.notified()).await;
                    waiting.lock().unwrap().remove(&path);
                }
            }
            let links = (1..22).map(|number| format!("<li><a href=/story-{number}>{number}</a>"));
            let both = "<a href=http://m.news.example/>M</a> <a href=http://www.news.example/>W</a>";
            let body = match number {
                Some(number) => article(number),
                None => format!("<title>Front</title>{both}<ul>{}</ul>", links.collect::<String>()),
            };
            let reply = if path == "/robots.txt" { whole("text/plain", "") } else { whole("text/html", &body) };
            let _ = stream.write_all(&reply).await;
            None
        }
    }));
    let dir = tempfile::tempdir().unwrap();
    let job = crawled(dir.path(), &server, "scope = \"domain\"");
    assert!(met.load(Ordering::Relaxed) > 0, "the hosts were not asked at once, so nothing is tested");
    let texts = texts(&job.join("corpus"));
    let different: std::collections::BTreeSet<&String> = texts.values().collect();
    assert_eq!((texts.len(), different.len()), (21, 21), "{:?}", texts.keys().collect::<Vec<_>>());
}

/// A complete crawl of `news.example` at the server.
fn crawled(dir: &std::path::Path, server: &RawServer, portal: &str) -> std::path::PathBuf {
    let seeds = dir.join("seeds.toml");
    std::fs::write(
        &seeds,
        format!(
            "[crawl]\nuser_agent = \"it/1.0 (+https://crawler.example/; it@crawler.example)\"\nretry_wait = \"50ms\"\n\
             backoff = \"50ms\"\n[[portal]]\nstart = [\"http://news.example/\"]\n{portal}\n"
        ),
    )
    .unwrap();
    let job = dir.join("job");
    let mut command = goldminer(&["crawl"]);
    command.arg(&seeds).arg("--dir").arg(&job).args(["--allow-private", "--delay", "0s"]);
    let ran = run(command.args(["--resolve", &format!("*:80:{}", server.address)]), LONG);
    assert!(matches!(ran.code(), Some(0 | 4)), "{ran:?}");
    job
}
