//! What `why`, `check` and the log say about the answers of a web server: documents, feeds and sitemaps that were cut
//! off, retries.

use std::collections::HashMap;
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex};

use crate::crawl_world::{LONG, documents, goldminer, run};
use crate::small_web::{Answer, SmallWeb, article, links};

fn settings(web: &SmallWeb, portal: &str) -> std::path::PathBuf {
    web.file(
        "seeds.toml",
        &format!(
            "[crawl]\nuser_agent = \"it/1.0 (+https://uni.hu/it)\"\nretry_wait = \"10ms\"\nip_spacing = \"0s\"\n\
             [[portal]]\nstart = [\"http://portal.example/\"]\n{portal}"
        ),
    )
}

fn crawl(web: &SmallWeb, portal: &str) -> std::path::PathBuf {
    let (seeds, job) = (settings(web, portal), web.path("job"));
    let mut command: Command = web.command(&["crawl"]);
    let ran = run(command.arg(seeds).arg("--dir").arg(&job), LONG);
    assert!(matches!(ran.code(), Some(0 | 4)), "{ran:?}");
    job
}

fn why(job: &Path, path: &str) -> String {
    let ran = run(goldminer(&["why"]).arg(job).arg(format!("http://portal.example{path}")), LONG);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    ran.stdout
}

#[test]
fn responses_408_421_and_425_are_requested_again() {
    let asked = Arc::new(Mutex::new(HashMap::<String, u32>::new()));
    let web = SmallWeb::new(move |_, path| {
        let times = asked.lock().map(|mut asked| {
            let times = asked.entry(path.to_owned()).or_default();
            *times += 1;
            *times
        });
        let is_first = times.is_ok_and(|times| times == 1);
        let status = |status: u16| -> Option<Answer> { Some((status, "text/plain", "later".to_owned())) };
        match path {
            "/" => Some(links(&["/408.html", "/421.html", "/425.html", "/410.html"])),
            "/408.html" if is_first => status(408),
            "/421.html" if is_first => status(421),
            "/425.html" if is_first => status(425),
            "/408.html" => Some(article(1, &[])),
            "/421.html" => Some(article(2, &[])),
            "/425.html" => Some(article(3, &[])),
            "/410.html" => status(410),
            _ => None,
        }
    });
    let job = crawl(&web, "");
    let documents = documents(&job.join("corpus"));
    assert_eq!(documents.len(), 3, "{:?}", documents.keys());
    let times = |path: &str| web.requests().iter().filter(|(_, asked)| asked == path).count();
    assert_eq!([times("/408.html"), times("/421.html"), times("/425.html"), times("/410.html")], [2, 2, 2, 1]);
}

#[test]
fn why_says_whether_a_page_gave_a_document_and_why_not() {
    let web = SmallWeb::new(|_, path| match path {
        "/" => Some(links(&["/1.html", "/2.html", "/same.html", "/copy.html", "/short.html", "/hidden.html"])),
        "/1.html" | "/same.html" => Some(article(1, &[])),
        "/copy.html" => {
            let (status, media, html) = article(1, &[]);
            Some((status, media, html + "<!-- again -->"))
        }
        "/2.html" => Some(article(2, &[])),
        "/short.html" => Some((200, "text/html", "<html><body><p>Nothing.</p></body></html>".to_owned())),
        "/hidden.html" => {
            let (status, media, html) = article(3, &[]);
            Some((status, media, html.replace("<title>", "<meta name=robots content=noindex><title>")))
        }
        _ => None,
    });
    let job = crawl(&web, "");
    let documents = documents(&job.join("corpus"));
    let id = &documents["http://portal.example/1.html"].id;
    assert!(
        why(&job, "/1.html").contains(&format!("document in the corpus, with the id {id}")),
        "{}",
        why(&job, "/1.html")
    );
    let copy = why(&job, "/copy.html");
    assert!(copy.contains(&format!("document none: the document {id} has the same text")), "{copy}");
    let same = why(&job, "/same.html");
    assert!(same.contains("document none: identical to http://portal.example/1.html"), "{same}");
    let short = why(&job, "/short.html");
    assert!(short.contains("document none: ") && short.contains("(no-"), "{short}");
    let hidden = why(&job, "/hidden.html");
    assert!(hidden.contains("document none: ") && hidden.contains("noindex"), "{hidden}");
    assert!(!why(&job, "/never.html").contains("document "), "{}", why(&job, "/never.html"));
}

#[test]
fn a_truncated_list_is_reported_by_log_check_and_why() {
    let whole =
        "<url><loc>http://portal.example/1.html</loc></url><url><loc>http://portal.example/2.html?a=1&b=2</loc></url>";
    let web = SmallWeb::new(move |_, path| match path {
        "/" => Some(links(&["/about.html"])),
        "/1.html" | "/2.html?a=1&b=2" | "/3.html" => Some(article(path.len(), &[])),
        "/map.xml" => Some((200, "application/xml", format!("<urlset>{whole}<url><loc>http://portal.exam"))),
        "/feed.xml" => Some((
            200,
            "text/html",
            "<br />\n<b>Notice</b>: x<br />\n<rss><item><title>A & B</title><link>/3.html</link></item></rss>"
                .to_owned(),
        )),
        _ => None,
    });
    let lists = "sitemaps = [\"http://portal.example/map.xml\"]\nfeeds = [\"http://portal.example/feed.xml\"]\n";
    let job = crawl(&web, lists);
    let asked: Vec<String> = web.requests().into_iter().map(|(_, path)| path).collect();
    for path in ["/1.html", "/2.html?a=1&b=2", "/3.html"] {
        assert!(asked.iter().any(|asked| asked == path), "{path}: {asked:?}");
    }
    let map = why(&job, "/map.xml");
    assert!(
        map.contains("it is a sitemap of 2 URLs, and 1 entry without a usable URL; the XML ends inside <url>"),
        "{map}"
    );
    assert!(why(&job, "/feed.xml").contains("it is a feed of 1 item\n"), "{}", why(&job, "/feed.xml"));
    let files = std::fs::read_dir(job.join("log")).unwrap();
    let log: String = files.map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap()).collect();
    assert!(log.contains("not all of this feed or sitemap was read: the XML ends inside <url>"), "{log}");
    let checked = run(web.command(&["check"]).arg(settings(&web, lists)), LONG);
    assert!(
        checked.stdout.contains("a sitemap of 2 URLs, and 1 entry without a usable URL; the XML ends inside <url>"),
        "{checked:?}"
    );
}
