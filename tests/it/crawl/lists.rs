//! A portal whose feeds, sitemaps and pages are made to fill a crawler's memory, or have unexpected forms: the crawl
//! ends by itself, in little memory, with every article, and requests nothing that was forbidden.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::sync::Arc;

use tokio::io::AsyncWriteExt;

use crate::crawl_world::{LONG, assert_accounts, documents, goldminer, run, status};
use crate::raw_server::RawServer;

/// A sentence from a word list and a number; no two pages have one in common.
fn story(number: usize) -> String {
    let words = [
        "the",
        "of",
        "a",
        "in",
        "and",
        "was",
        "to",
        "bridge",
        "minister",
        "town",
        "river",
        "council",
        "yesterday",
        "money",
        "road",
        "people",
        "said",
        "winter",
        "school",
        "they",
        "with",
        "for",
        "old",
        "market",
        "again",
        "before",
        "would",
    ];
    let mut state = number as u64 * 7_919 + 1;
    let mut sentence = || {
        let mut sentence = String::from("It");
        for _ in 0..14 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let _ = write!(sentence, " {}", words[(state >> 33) as usize % words.len()]);
        }
        sentence + ". "
    };
    (0..4).map(|_| format!("<p>{}{}{}{}</p>", sentence(), sentence(), sentence(), sentence())).collect()
}

pub(crate) fn article(number: usize, head: &str, words: &str) -> String {
    format!(
        "<!DOCTYPE html><html lang=en><head><title>Story {number}</title>{head}</head><body><ul><li><a href=/>Home</a></ul>\
         <div class=story><h1>Story number {number}</h1>{}<p>{words}</p></div><div class=footer>All rights</div></body></html>",
        story(number)
    )
}

/// A response with these header lines.
pub(crate) fn response(headers: &str, body: &[u8]) -> Vec<u8> {
    let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n{headers}\r\n\r\n", body.len());
    [head.as_bytes(), body].concat()
}

pub(crate) fn html(body: &str) -> Vec<u8> {
    response("Content-Type: text/html", body.as_bytes())
}

fn xml(body: &str) -> Vec<u8> {
    response("Content-Type: application/rss+xml", body.as_bytes())
}

fn gzip(body: &[u8]) -> Vec<u8> {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gzip.write_all(body).unwrap();
    gzip.finish().unwrap()
}

fn portal() -> BTreeMap<&'static str, Vec<u8>> {
    let feeds = ["/nested.xml", "/base.xml", "/bases.xml", "/comment.xml", "/utf16.xml"];
    let announced: String =
        feeds.iter().map(|feed| format!("<link rel=alternate type='application/rss+xml' href={feed}>")).collect();
    let linked = [
        "/base.html",
        "/bomb.html",
        "/utf16.html",
        "/hidden.html",
        "/ours.html",
        "/old.html",
        "/path/foo-$",
        "/path/a-*.html",
    ];
    let links: String = (0..12)
        .map(|n| format!("/story/{n}"))
        .chain(linked.map(str::to_owned))
        .map(|path| format!("<a href='{path}'>x</a> "))
        .collect();
    let utf16 = |text: &str| -> Vec<u8> { text.encode_utf16().flat_map(u16::to_le_bytes).collect() };
    let item = |path: &str| {
        format!("<rss version='2.0'><channel><item><link>http://portal.example{path}</link></item></channel></rss>")
    };
    let bomb = format!("<html lang=en><body><div class=story><h1>Story</h1><p>{}</p></div>", "a".repeat(4_500_000));
    let mut pages = BTreeMap::from([
        ("/", html(&format!("<html><head>{announced}</head><body>{links}</body></html>"))),
        ("/robots.txt", response("Content-Type: text/plain", b"User-agent: *\nDisallow: /path/foo-%24\nDisallow: /path/a-%2A.html\nSitemap: http://portal.example/map.xml\n")),
        ("/map.xml", xml("<!-- made by a plug-in -->\n<urlset><url><loc>http://portal.example/listed.html</loc></url></urlset>")),
        ("/nested.xml", xml(&format!("<rss version='2.0'><channel><item>{}", "<media:group>".repeat(300_000)))),
        ("/base.xml", xml(&format!("<feed xml:base='/{}/'>{}</feed>", "b".repeat(1_000_000), "<entry><link href='a'/></entry>".repeat(10_000)))),
        ("/bases.xml", xml(&format!("<feed>{}", "<entry xml:base='a/'>".repeat(100_000)))),
        // The content type of servers for unknown files.
        ("/comment.xml", html(&format!("<!-- generated -->\n{}", item("/from-comment.html")))),
        ("/utf16.xml", xml("")),
        ("/base.html", html(&format!("<base href='/{}/'>{}", "b".repeat(2_000_000), (0..600).map(|n| format!("<a href={n}>x</a>")).collect::<String>()))),
        ("/bomb.html", response("Content-Type: text/html\r\nContent-Encoding: gzip", &gzip(bomb.as_bytes()))),
        ("/utf16.html", response("Content-Type: text/html", &utf16(&article(20, "", "Árvíztűrő tükörfúrógép")))),
        ("/hidden.html", response("Content-Type: text/html\r\nX-Robots-Tag: max-snippet:50, noindex", article(21, "", "x").as_bytes())),
        ("/ours.html", html(&article(22, "<meta name=IT content=noindex>", "x"))),
        ("/old.html", html(&article(23, "<meta name=robots content='unavailable_after: 25 Jun 2010 15:00:00 GMT'>", "x"))),
        ("/listed.html", html(&article(24, "", "x"))),
        ("/from-comment.html", html(&article(25, "", "x"))),
        ("/from-utf16.html", html(&article(26, "", "x"))),
        ("/path/foo-$", html(&article(27, "", "x"))),
        ("/path/a-*.html", html(&article(28, "", "x"))),
    ]);
    pages.insert("/utf16.xml", response("Content-Type: application/rss+xml", &utf16(&item("/from-utf16.html"))));
    for (n, path) in [
        "/story/0",
        "/story/1",
        "/story/2",
        "/story/3",
        "/story/4",
        "/story/5",
        "/story/6",
        "/story/7",
        "/story/8",
        "/story/9",
        "/story/10",
        "/story/11",
    ]
    .into_iter()
    .enumerate()
    {
        pages.insert(path, html(&article(n, "", "x")));
    }
    pages
}

#[test]
fn huge_and_odd_lists_hide_no_article() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let pages = Arc::new(portal());
    let server = runtime.block_on(RawServer::start(move |head, mut stream| {
        let pages = Arc::clone(&pages);
        async move {
            let path = head.split(' ').nth(1).unwrap_or_default();
            let missing = b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".to_vec();
            let _ = stream.write_all(pages.get(path).unwrap_or(&missing)).await;
            let _ = stream.shutdown().await;
            None
        }
    }));
    let dir = tempfile::tempdir().unwrap();
    let (seeds, job) = (dir.path().join("seeds.toml"), dir.path().join("job"));
    let settings = "user_agent = \"it/1.0 (+https://crawler.example/; it@crawler.example)\"\nlearning_pages = 8\nip_spacing = \"0s\"";
    std::fs::write(&seeds, format!("[crawl]\n{settings}\n\n[[portal]]\nstart = [\"http://portal.example/\"]\n"))
        .unwrap();
    let mut crawl = goldminer(&["crawl", "-q", "--delay", "0s", "--allow-private", "--resolve"]);
    crawl.arg(format!("*:80:{}", server.address)).arg(&seeds).arg("--dir").arg(&job);
    let ran = run(&mut crawl, LONG);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    assert!(ran.usage.peak_rss_bytes < 300_000_000, "{} MB", ran.usage.peak_rss_bytes / 1_000_000);
    let report = status(&job);
    assert_accounts(&report);

    let asked: Vec<String> =
        server.heads().iter().filter_map(|head| head.split(' ').nth(1).map(str::to_owned)).collect();
    let times = |path: &str| asked.iter().filter(|asked| *asked == path).count();
    for path in [
        "/listed.html",
        "/from-comment.html",
        "/from-utf16.html",
        "/utf16.html",
        "/nested.xml",
        "/base.xml",
        "/bases.xml",
        "/story/11",
    ] {
        assert_eq!(times(path), 1, "{path}");
    }
    for path in ["/path/foo-$", "/path/a-*.html"] {
        assert_eq!(times(path), 0, "{path} is forbidden");
    }
    let found = documents(&job.join("corpus"));
    let has = |path: &str| found.get(&format!("http://portal.example{path}"));
    for path in ["/story/0", "/story/11", "/listed.html", "/from-comment.html", "/from-utf16.html"] {
        assert!(has(path).is_some(), "no document of {path}: {:?}", found.keys());
    }
    let utf16 = has("/utf16.html").expect("a document of the page in UTF-16");
    assert!(utf16.text.contains("It ") && !utf16.text.contains('<') && !utf16.text.contains('\0'), "{}", utf16.text);
    for path in ["/bomb.html", "/hidden.html", "/ours.html", "/old.html"] {
        assert!(has(path).is_none(), "a document of {path}");
    }
    // Answers without a result are counted.
    let tally = report["domains"][0]["tally"].as_object().unwrap();
    let nothing: u64 = tally.iter().filter(|(name, _)| *name != "document").filter_map(|(_, n)| n.as_u64()).sum();
    assert!(nothing >= 3, "{tally:?}");
}
