//! Rights statements of pages: obeyed as configured, counted by reason, and reported.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use goldminer_core::rights::{Restriction, RightsSource};
use tokio::io::AsyncWriteExt;
use tokio::runtime::Runtime;

use crate::crawl::lists::{article, html, response};
use crate::crawl_world::{LONG, assert_accounts, documents, goldminer, run, status};
use crate::raw_server::RawServer;

fn portal() -> BTreeMap<&'static str, Vec<u8>> {
    let paths = ["/free", "/noindex", "/noai", "/tdm", "/paid", "/ours", "/others", "/signal"];
    let links: String = paths.iter().map(|path| format!("<a href='{path}'>x</a> ")).collect();
    let paid = r#"<script type="application/ld+json">{"@type":"NewsArticle","headline":"Story","isAccessibleForFree":false}</script>"#;
    let tdm = "Content-Type: text/html\r\nTDM-Reservation: 1";
    BTreeMap::from([
        ("/", html(&format!("<html><body>{links}</body></html>"))),
        ("/free", html(&article(0, "<link rel=license href=https://creativecommons.org/licenses/by/4.0/>", "x"))),
        ("/noindex", html(&article(1, "<meta name=robots content=noindex>", "x"))),
        ("/noai", html(&article(2, "<meta name=robots content='index, noai'>", "x"))),
        ("/tdm", response(tdm, article(3, "", "x").as_bytes())),
        ("/paid", html(&article(4, paid, "x"))),
        ("/ours", html(&article(5, "<meta name=it content=noai>", "x"))),
        ("/signal", html(&article(7, "", "x"))),
        ("/robots.txt", response("Content-Type: text/plain", b"User-agent: *\nContent-Usage: /signal train-ai=n\n")),
        ("/others", html(&article(6, "<meta name=googlebot content=noindex>", "x"))),
    ])
}

/// The later rights statements of the portal.
fn opt_outs() -> BTreeMap<&'static str, Vec<u8>> {
    let robots = b"User-agent: *\nDisallow: /ours\nContent-Usage: /others train-ai=n\n";
    let tdmrep = br#"[{"location": "/free", "tdm-reservation": 1}, {"location": "/paid", "tdm-reservation": 0}]"#;
    BTreeMap::from([
        ("/robots.txt", response("Content-Type: text/plain", robots)),
        ("/.well-known/tdmrep.json", response("Content-Type: application/json", tdmrep)),
    ])
}

/// A server of the portal. It ends when this is dropped.
pub(crate) struct Portal {
    server: RawServer,
    has_changed: Arc<AtomicBool>,
    _runtime: Runtime,
}

impl Portal {
    pub(crate) fn start() -> Self {
        Self::with(BTreeMap::new())
    }

    /// Starts the portal with more pages.
    pub(crate) fn with(more: BTreeMap<&'static str, Vec<u8>>) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let has_changed = Arc::new(AtomicBool::new(false));
        let (pages, later) = (
            Arc::new((portal().into_iter().chain(more).collect::<BTreeMap<_, _>>(), opt_outs())),
            Arc::clone(&has_changed),
        );
        let server = runtime.block_on(RawServer::start(move |head, mut stream| {
            let (pages, has_changed) = (Arc::clone(&pages), later.load(Ordering::SeqCst));
            async move {
                let path = head.split(' ').nth(1).unwrap_or_default();
                let missing = b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".to_vec();
                let now = pages.1.get(path).filter(|_| has_changed).or(pages.0.get(path));
                let _ = stream.write_all(now.unwrap_or(&missing)).await;
                let _ = stream.shutdown().await;
                None
            }
        }));
        Self { server, has_changed, _runtime: runtime }
    }

    /// Makes the portal opt out from now on.
    fn opts_out(&self) {
        self.has_changed.store(true, Ordering::SeqCst);
    }

    /// Crawls the portal with these settings; returns the job.
    pub(crate) fn crawl(&self, dir: &Path, settings: &str) -> PathBuf {
        let (seeds, job) = (dir.join("seeds.toml"), dir.join("job"));
        let user_agent = "user_agent = \"it/1.0 (+https://crawler.example/; it@crawler.example)\"\nip_spacing = \"0s\"";
        let text = format!("[crawl]\n{user_agent}\n{settings}\n\n[[portal]]\nstart = [\"http://portal.example/\"]\n");
        std::fs::write(&seeds, text).unwrap();
        let mut crawl = goldminer(&["crawl", "-q", "--delay", "0s", "--allow-private", "--resolve"]);
        crawl.arg(format!("*:80:{}", self.server.address)).arg(&seeds).arg("--dir").arg(&job);
        let ran = run(&mut crawl, LONG);
        assert_eq!(ran.code(), Some(0), "{ran:?}");
        job
    }

    /// The number of requests for a path.
    pub(crate) fn asked(&self, path: &str) -> usize {
        self.server.heads().iter().filter(|head| head.split(' ').nth(1) == Some(path)).count()
    }
}

pub(crate) fn paths(job: &Path) -> Vec<String> {
    let urls = documents(&job.join("corpus")).into_keys();
    urls.map(|url| url.trim_start_matches("http://portal.example").to_owned()).collect()
}

#[test]
fn noindex_pages_are_not_used_and_counted_with_the_reason() {
    let dir = tempfile::tempdir().unwrap();
    let job = Portal::start().crawl(dir.path(), "");
    assert_eq!(paths(&job), ["/free", "/noai", "/others", "/ours", "/paid", "/signal", "/tdm"]);
    let report = status(&job);
    assert_accounts(&report);
    assert_eq!(report["counts"]["withheld"], serde_json::json!({"noindex": 1}));
    let why = run(goldminer(&["why"]).arg(&job).arg("http://portal.example/noindex"), LONG);
    assert!(why.stdout.contains("fetched; not used, because it says noindex"), "{}", why.stdout);
    let status = run(goldminer(&["status"]).arg(&job), LONG);
    assert!(status.stdout.contains("1 page not used because of rights statements: 1 noindex"), "{}", status.stdout);

    let documents = documents(&job.join("corpus"));
    let signal = &documents["http://portal.example/signal"].rights;
    assert_eq!(signal.restrictions, [Restriction::Noai]);
    let record = signal.signals[0].warc.as_ref().expect("the record that says so");
    let robots = goldminer_warc::read_at(&job.join("archive"), record).unwrap();
    assert_eq!((robots.url.path(), Some(robots.fetched)), ("/robots.txt", signal.signals[0].fetched));
    assert_eq!(documents["http://portal.example/free"].rights.restrictions, []);
    let out = dir.path().join("again");
    let again = run(goldminer(&["extract"]).arg(&job).arg("-o").arg(&out), LONG);
    assert_eq!(again.code(), Some(0), "{again:?}");
    for (url, document) in crate::crawl_world::documents(&out) {
        assert_eq!(document.rights, documents[&url].rights, "{url}");
    }
    // A pass over the archive reads robots.txt before the pages.
    let streamed = dir.path().join("streamed");
    let pass = run(goldminer(&["extract", "--stream"]).arg(job.join("archive")).arg("-o").arg(&streamed), LONG);
    assert_eq!(pass.code(), Some(0), "{pass:?}");
    for (url, document) in crate::crawl_world::documents(&streamed) {
        let Some(crawled) = documents.get(&url) else { continue };
        assert_eq!(document.rights, crawled.rights, "{url}");
    }
    assert!(documents["http://portal.example/free"].rights.is_open());
    let tdm = &documents["http://portal.example/tdm"].rights;
    assert_eq!(tdm.restrictions, [Restriction::Tdm]);
    assert!(documents["http://portal.example/others"].rights.restrictions.is_empty());
}

#[test]
fn a_corpus_is_filtered_by_past_and_present_rights() {
    let dir = tempfile::tempdir().unwrap();
    let job = Portal::start().crawl(dir.path(), "");
    let robots = dir.path().join("robots.txt");
    std::fs::write(&robots, "User-agent: *\nDisallow: /ours\nContent-Usage: /others train-ai=n\n").unwrap();
    let now = format!("--robots-now=portal.example={}", robots.display());
    let reserved = dir.path().join("tdmrep.json");
    std::fs::write(&reserved, r#"[{"location": "/o", "tdm-reservation": 1}]"#).unwrap();
    let reserved = format!("--robots-now=portal.example={}", reserved.display());
    for (name, args, expected) in [
        ("reserved", vec![&reserved, "--rights", "tdm"], &["/others", "/ours", "/tdm"][..]),
        ("open", vec!["--rights", "open"], &["/free"]),
        ("without", vec!["--rights", "not:noai,not:tdm,not:paywall"], &["/free", "/others", "/ours"]),
        ("paid", vec!["--rights", "paywall"], &["/paid"]),
        ("now", vec![&now, "--rights", "unrestricted"], &["/free"]),
    ] {
        let out = dir.path().join(name);
        let ran = run(goldminer(&["convert"]).arg(&job).arg("-o").arg(&out).args(&args), LONG);
        assert_eq!(ran.code(), Some(0), "{ran:?}");
        let urls = documents(&out).into_keys();
        let paths: Vec<String> = urls.map(|url| url.replace("http://portal.example", "")).collect();
        assert_eq!(paths, expected, "{args:?}");
        assert_eq!(ran.stdout.contains("1 forbidden by robots.txt now"), name == "now", "{}", ran.stdout);
    }
    for (name, body) in [("page", &b"<html>User-agent not found"[..]), ("gzip", b"\x1f\x8b\0\0"), ("torn.json", b"[{")]
    {
        let file = dir.path().join(name);
        std::fs::write(&file, body).unwrap();
        let (now, out) = (format!("--robots-now=portal.example={}", file.display()), dir.path().join("refused"));
        let refused = run(goldminer(&["convert", &now]).arg(&job).arg("-o").arg(&out), LONG);
        let is_explained = refused.stderr.contains(name) && refused.stderr.contains("neither a robots.txt");
        assert!(refused.code() == Some(1) && is_explained && !out.exists(), "{refused:?}");
    }
    std::fs::write(&robots, "User-agent: mybot\nContent-Usage: /free train-ai=n\n").unwrap();
    let out = dir.path().join("as");
    let whole = "--robots-as=mybot/1.0 (+https://it.example/bot)";
    let ran = run(goldminer(&["convert", &now, whole, "--rights", "not:noai"]).arg(&job).arg("-o").arg(&out), LONG);
    assert!(ran.code() == Some(0) && !documents(&out).contains_key("http://portal.example/free"), "{ran:?}");
    let wrong = run(&mut goldminer(&["convert", "x", "-o", "y", "--rights", "tmd"]), LONG);
    assert!(wrong.code() == Some(2) && wrong.stderr.contains("is not a rights condition"), "{wrong:?}");
}

#[test]
fn an_empty_present_robots_txt_allows_everything() {
    let dir = tempfile::tempdir().unwrap();
    let job = Portal::start().crawl(dir.path(), "");
    let robots = dir.path().join("robots.txt");
    for (number, body) in ["", "\u{feff}", " \r\n\t\n", "# nothing is forbidden\n\n# at all\n"].iter().enumerate() {
        std::fs::write(&robots, body).unwrap();
        let now = format!("--robots-now=portal.example={}", robots.display());
        let out = dir.path().join(format!("out-{number}"));
        let ran = run(goldminer(&["convert", &now]).arg(&job).arg("-o").arg(&out), LONG);
        assert_eq!(ran.code(), Some(0), "{body:?}: {ran:?}");
        assert_eq!(documents(&out).len(), documents(&job.join("corpus")).len(), "{body:?}");
    }
}

#[test]
fn rights_files_are_requested_once_before_the_pages() {
    let dir = tempfile::tempdir().unwrap();
    let portal = Portal::start();
    portal.opts_out();
    let job = portal.crawl(dir.path(), "respect = [\"noindex\", \"tdm\"]");
    let expected = ["/noai", "/others", "/paid", "/signal"];
    assert_eq!(paths(&job), expected);
    assert_eq!(portal.asked("/.well-known/tdmrep.json"), 1);
    let report = status(&job);
    assert_accounts(&report);
    assert_eq!(report["counts"]["withheld"], serde_json::json!({"noindex": 1, "tdm": 2}));
    assert!(!report.to_string().contains("tdmrep.json"), "it is no page: {report}");
    let why = run(goldminer(&["why"]).arg(&job).arg("http://portal.example/free"), LONG);
    assert!(why.stdout.contains("not used, because it says tdm"), "{}", why.stdout);

    let rights = documents(&job.join("corpus")).remove("http://portal.example/paid").unwrap().rights;
    let signal = rights.signals.iter().find(|signal| signal.source == RightsSource::Tdmrep).unwrap();
    let record = goldminer_warc::read_at(&job.join("archive"), signal.warc.as_ref().unwrap()).unwrap();
    assert_eq!((record.url.path(), Some(record.fetched)), ("/.well-known/tdmrep.json", signal.fetched));
    let out = dir.path().join("again");
    assert_eq!(run(goldminer(&["extract"]).arg(&job).arg("-o").arg(&out), LONG).code(), Some(0));
    assert_eq!(documents(&out)["http://portal.example/paid"].rights, rights);

    let rebuilt = run(goldminer(&["rebuild"]).arg(&job), LONG);
    assert_eq!(rebuilt.code(), Some(0), "{rebuilt:?}");
    assert_eq!(paths(&job), expected);
    assert_eq!(documents(&job.join("corpus"))["http://portal.example/paid"].rights, rights);
    assert_eq!(portal.asked("/.well-known/tdmrep.json"), 1);

    // If no restrictions are respected, the files about rights are not requested.
    let other = tempfile::tempdir().unwrap();
    portal.crawl(other.path(), "");
    assert_eq!(portal.asked("/.well-known/tdmrep.json"), 1);
}

#[test]
fn crawl_and_rebuild_obey_the_configured_restrictions() {
    let dir = tempfile::tempdir().unwrap();
    let job = Portal::start().crawl(dir.path(), "respect = [\"noai\", \"tdm\", \"paywall\"]");
    assert_eq!(paths(&job), ["/free", "/noindex", "/others"]);
    let withheld = serde_json::json!({"noai": 3, "tdm": 1, "paywall": 1});
    assert_eq!(status(&job)["counts"]["withheld"], withheld);
    let settings = std::fs::read_to_string(job.join("job.toml")).unwrap();
    assert!(settings.contains("respect = [\"noai\", \"tdm\", \"paywall\"]"), "{settings}");
    let rebuilt = run(goldminer(&["rebuild"]).arg(&job), LONG);
    assert_eq!(rebuilt.code(), Some(0), "{rebuilt:?}");
    assert_eq!(paths(&job), ["/free", "/noindex", "/others"]);
    assert_eq!(status(&job)["counts"]["withheld"], withheld);
}

#[test]
fn an_unknown_restriction_is_refused_with_the_known_ones() {
    let dir = tempfile::tempdir().unwrap();
    let seeds = dir.path().join("seeds.toml");
    let text = "[crawl]\nuser_agent = \"it/1.0 (+https://crawler.example/; it@crawler.example)\"\nrespect = [\"noindx\"]\n\n\
                [[portal]]\nstart = [\"http://portal.example/\"]\n";
    std::fs::write(&seeds, text).unwrap();
    let ran = run(goldminer(&["crawl"]).arg(&seeds).arg("--dir").arg(dir.path().join("job")), LONG);
    assert_eq!(ran.code(), Some(2), "{ran:?}");
    assert!(ran.stderr.contains("line 3") && ran.stderr.contains("\"noindx\" is not a restriction"), "{}", ran.stderr);
    assert!(ran.stderr.contains("write one of noindex, noarchive"), "{}", ran.stderr);
}
