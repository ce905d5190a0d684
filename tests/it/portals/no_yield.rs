//! Portals without documents: the end of a crawl names each, says why, and is not a success.

use serde_json::Value;

use crate::crawl_world::{LONG, Ran, goldminer, run};
use crate::small_web::{Answer, SmallWeb, article, links, robots, text_of};

/// One portal with articles; the others have none, each for a reason of its own.
fn web() -> SmallWeb {
    SmallWeb::new(|host, path| -> Option<Answer> {
        let number = path.strip_prefix("/a/").and_then(|number| number.parse::<usize>().ok());
        match (host, path, number) {
            ("good.example" | "one.shared.example", "/", _) => Some(links(&["/a/1", "/a/2", "/a/3"])),
            // Its articles are linked only from some lists, so that those of the other one are fetched first.
            ("two.shared.example", "/", _) => Some(links(&["/l/1"])),
            ("two.shared.example", "/l/12", _) => Some(links(&["/a/1", "/a/2", "/a/3"])),
            ("two.shared.example", list, _) if list.starts_with("/l/") => {
                let number: usize = list[3..].parse().unwrap_or(0);
                Some(links(&[&format!("/l/{}", number + 1)]))
            }
            ("good.example", _, Some(number)) => Some(article(number, &["/"])),
            // The same articles on two hosts of one domain.
            ("one.shared.example" | "two.shared.example", _, Some(number)) => Some(article(100 + number, &["/"])),
            ("closed.example", "/robots.txt", _) => Some(robots("User-agent: *\nDisallow: /\n")),
            ("broken.example", "/robots.txt", _) => Some((503, "text/plain", String::new())),
            ("elsewhere.example", "/", _) => Some((301, "text/html", "http://good.example/a/1".to_owned())),
            ("lists.example", "/", _) => Some(links(&["/b/1"])),
            ("lists.example", "/b/1", _) => Some(links(&["/"])),
            ("refuses.example", "/", _) => Some((403, "text/html", "no".to_owned())),
            _ => None,
        }
    })
}

fn crawl(web: &SmallWeb, hosts: &[&str], more: &[&str]) -> Ran {
    let seeds = web.seeds(hosts);
    run(web.command(&["crawl"]).args(more).arg(&seeds), LONG)
}

#[test]
fn portals_without_documents_are_named_with_the_reason() {
    let web = web();
    let hosts =
        ["good.example", "closed.example", "gone.example", "elsewhere.example", "lists.example", "refuses.example"];
    let ran = crawl(&web, &hosts, &[]);
    assert_eq!(ran.code(), Some(4), "{ran:?}");
    for part in [
        "3 documents from 1 of 6 portals",
        "good.example                             3",
        "closed.example                        none  robots.txt forbids it (Disallow: /)",
        "gone.example                          none  its start page does not exist (status 404)",
        "elsewhere.example                     none  its start page redirects to http://good.example/a/1",
        "lists.example                         none  2 pages, none of them an article",
        "refuses.example                       none  it refuses (status 403 for one URL)",
    ] {
        assert!(ran.stdout.contains(part), "{part:?} is missing:\n{}", ran.stdout);
    }
    // The reasons are kept for later commands.
    let outcome: Value = serde_json::from_str(&text_of(&web.path("crawls/seeds/outcome.json"))).unwrap();
    assert_eq!(outcome["ended"], "finished", "{outcome:#}");
    let portals = outcome["portals"].as_array().unwrap();
    let why: Vec<&str> = portals.iter().filter_map(|portal| portal["nothing"]["why"].as_str()).collect();
    assert_eq!(why, ["disallowed", "gone", "leads-elsewhere", "no-articles", "refused"], "{outcome:#}");
    let status = run(goldminer(&["status", "crawls/seeds"]).current_dir(web.dir.path()), LONG);
    assert!(
        status.stdout.contains("closed.example                        none  robots.txt forbids it"),
        "{}",
        status.stdout
    );
    let report = run(goldminer(&["report", "crawls/seeds"]).current_dir(web.dir.path()), LONG);
    assert_eq!(report.code(), Some(0), "{report:?}");
    let html = text_of(&web.path("crawls/seeds/report/crawl.html"));
    assert!(html.contains("5 of 6 portals gave no document"), "{html}");
    // With `--quiet`: the same in short, among the errors.
    let again = crawl(&web, &hosts, &["-q"]);
    assert_eq!((again.code(), again.stdout.as_str()), (Some(4), ""), "{again:?}");
    assert!(again.stderr.contains("closed.example"), "{}", again.stderr);
}

/// Portals with pages that cannot be read, each with the text of the reason.
const OBSTRUCTED: &[(&str, &str)] = &[
    ("scripted.example", "its text is made by scripts, which GoldMiner does not run (seen on 1 of 1 pages"),
    ("login.example", "it requires a login (seen on 2 of 2 pages"),
    ("consent.example", "it shows a consent dialog instead of text (seen on 2 of 2 pages"),
    ("captcha.example", "it shows a CAPTCHA (seen on 2 of 2 pages"),
    ("paid.example", "its pages declare that they are not free (seen on 2 of 2 pages"),
    ("noindex.example", "2 of its 3 pages are not used, because they say noindex"),
    ("unauthorized.example", "it refuses (status 401 for one URL)"),
    ("guarded.example", "it refuses (a CAPTCHA for one URL)"),
];

fn obstructed(host: &str, path: &str) -> Option<Answer> {
    let page = |body: &str| {
        let html =
            format!("<!doctype html><html lang=en><title>{host}</title>{body}<a href=/a/1>More of {path}</a></html>");
        Some((200, "text/html; charset=utf-8", html))
    };
    match (host, path) {
        (_, "/robots.txt") => None,
        ("scripted.example", "/") => Some((
            200,
            "text/html",
            "<!doctype html><title>News</title><div id=root></div><script src=/main.js></script>\
             <script type=application/json>{\"stories\":[1,2,3,4,5,6,7,8,9]}</script>"
                .to_owned(),
        )),
        ("login.example", "/" | "/a/1") => page("<form><input type=password name=p><button>Log in</button></form>"),
        ("consent.example", "/" | "/a/1") => page("<p>We and our partners use cookies.</p><button>Accept</button>"),
        ("captcha.example", "/" | "/a/1") => page("<p>Are you human?</p><script>ask()</script>"),
        ("paid.example", "/" | "/a/1") => page(
            "<script type=application/ld+json>{\"@context\":\"https://schema.org\",\"@type\":\"NewsArticle\",\
             \"isAccessibleForFree\":false}</script><p>Subscribe to read on.</p>",
        ),
        ("noindex.example", "/") => Some(links(&["/a/1", "/a/2"])),
        ("noindex.example", "/a/1" | "/a/2") => {
            let (status, media, html) = article(path.len(), &["/"]);
            let html = html.replace("<head>", "<head><meta name=robots content=noindex>");
            Some((status, media, html.replace("Meeting", path)))
        }
        ("unauthorized.example", "/") => Some((401, "text/html", "<p>Authorization required".to_owned())),
        ("guarded.example", "/") => Some((403, "text/html", "<div class=captcha></div>".to_owned())),
        _ => None,
    }
}

#[test]
fn obstacles_before_the_text_are_reported_with_evidence() {
    let web = SmallWeb::new(|host, path| {
        let is_good = host == "good.example";
        match (is_good, path) {
            (true, "/") => Some(links(&["/a/1"])),
            (true, "/a/1") => Some(article(1, &["/"])),
            _ => obstructed(host, path),
        }
    });
    let hosts: Vec<&str> = std::iter::once("good.example").chain(OBSTRUCTED.iter().map(|(host, _)| *host)).collect();
    let ran = crawl(&web, &hosts, &[]);
    assert_eq!(ran.code(), Some(4), "{ran:?}");
    assert!(ran.stdout.contains("1 document from 1 of 9 portals"), "{}", ran.stdout);
    for (host, why) in OBSTRUCTED {
        let line = format!("{host:<32} {:>9}  {why}", "none");
        assert!(ran.stdout.contains(&line), "{line:?} is missing:\n{}", ran.stdout);
    }
    let status = run(goldminer(&["status", "crawls/seeds"]).current_dir(web.dir.path()), LONG);
    assert!(OBSTRUCTED.iter().all(|(_, why)| status.stdout.contains(why)), "what was kept is read: {}", status.stdout);
}

#[test]
fn portals_that_all_have_documents_are_a_success() {
    let web = web();
    let ran = crawl(&web, &["good.example"], &["-q"]);
    assert_eq!((ran.code(), ran.stdout.as_str(), ran.stderr.as_str()), (Some(0), "", ""), "{ran:?}");
}

#[test]
fn portals_of_one_domain_are_reported_separately() {
    let web = web();
    let ran = crawl(&web, &["one.shared.example", "two.shared.example"], &[]);
    assert_eq!(ran.code(), Some(4), "{ran:?}");
    assert!(ran.stdout.contains("3 documents from 1 of 2 portals"), "{}", ran.stdout);
    assert!(ran.stdout.contains("repeat other articles"), "{}", ran.stdout);
}

#[test]
fn a_limit_has_code_3_and_a_crawl_without_pages_code_1() {
    let web = web();
    let ran = crawl(&web, &["good.example", "closed.example"], &["--max-pages", "2"]);
    assert_eq!(ran.code(), Some(3), "what is missing may still come: {ran:?}");
    assert!(ran.stdout.contains("robots.txt forbids it"), "it is told all the same: {}", ran.stdout);

    let silent = SmallWeb::new(|_, _| Some((503, "text/plain", String::new())));
    let seeds = silent.seeds(&["broken.example"]);
    let impatient = text_of(&seeds).replace("[crawl]", "[crawl]\nbackoff = \"100ms\"");
    let ran = run(silent.command(&["crawl"]).arg(silent.file("seeds.toml", &impatient)), LONG);
    assert_eq!(ran.code(), Some(1), "{ran:?}");
    assert!(ran.stdout.contains("broken.example") && ran.stdout.contains("robots.txt"), "{}", ran.stdout);
}
