//! Commands from the console, and a URL's page: a command takes effect in the job, and a hostile page stays text.

use crate::console_client::ConsoleClient;
use crate::crawl_world::{LONG, goldminer, run, status};
use crate::small_web::{SmallWeb, article, robots, text_of};

/// A portal of three articles, one of them hostile, and a missing page, crawled into `jobs/job`.
fn crawled() -> SmallWeb {
    let web = SmallWeb::new(|_, path| match path {
        "/robots.txt" => Some(robots("User-agent: *\nDisallow: /print/")),
        "/" => Some(article(0, &["/a/1.html", "/a/hostile.html", "/b/2.html", "/missing", "/print/1.html"])),
        "/a/hostile.html" => {
            let (status, kind, page) = article(7, &[]);
            let attack = "<script>window.pwned=1</script><img src=http://127.0.0.1:9/x onerror=\"window.pwned=1\">\
                <iframe src=http://127.0.0.1:9/y></iframe><meta http-equiv=refresh content=\"0;url=http://127.0.0.1:9/\">\
                <p onclick=\"window.pwned=1\" style=\"background:url(http://127.0.0.1:9/z)\">&lt;script>window.pwned=1&lt;/script></p>";
            Some((status, kind, page.replace("</body>", &format!("{attack}</body>"))))
        }
        path if path.ends_with(".html") => Some(article(path.len(), &[])),
        _ => None,
    });
    let seeds = web.seeds(&["portal.example"]);
    let ran = run(web.command(&["crawl", "-q"]).arg(seeds).arg("--dir").arg(web.path("jobs/job")), LONG);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    web
}

#[test]
fn a_host_is_paused_and_resumed_from_the_page_of_its_portal() {
    let web = crawled();
    let job = web.path("jobs/job");
    let console = ConsoleClient::open(&web.path("jobs"));
    let page = console.get("/job/job/portal?name=portal.example");
    assert_eq!(page.status, 200, "{page:?}");
    for part in ["http://portal.example", "Yield by path", "Latest pages", "/a/hostile.html", "status 404"] {
        assert!(page.body.contains(part), "{part} is missing in\n{}", page.body);
    }
    let (errors, disallowed) = page.body.split_once("<h2>Disallowed by robots.txt</h2>").expect("a section of its own");
    assert!(disallowed.contains("/print/1.html") && !errors.contains("/print/1.html"), "no error: {errors}");
    let waits = || status(&job)["hosts"][0]["waits_for"].clone();
    let order = |fields: &[(&str, &str)]| {
        let fixed = [("portal", "portal.example"), ("host", "http://portal.example")];
        console.send("/job/job/order", &[&fixed[..], fields].concat()).body
    };
    assert!(order(&[("order", "pause")]).contains("http://portal.example is paused until it is resumed"));
    assert_eq!(waits(), "paused");
    let said = order(&[("order", "resume")]);
    assert!(said.contains("gets requests again") && !said.contains(">Resume<"), "{said}");
    assert_ne!(waits(), "paused");
    assert!(order(&[("order", "delay"), ("delay", "20s")]).contains("has a delay of 20s now"));
    assert_eq!(status(&job)["hosts"][0]["delay"]["secs"], 20);
    assert!(order(&[("order", "delay"), ("delay", "soon")]).contains("write a delay as a number with a unit"));
    assert!(order(&[("order", "add"), ("url", "http://portal.example/new/")]).contains("is queued, in portal.example"));
    let ran = run(goldminer(&["why"]).arg(&job).arg("http://portal.example/new/"), LONG);
    assert!(ran.stdout.contains("queued"), "{ran:?}");
}

#[test]
fn the_page_of_a_url_has_its_history_and_hostile_text() {
    let web = crawled();
    let console = ConsoleClient::open(&web.path("jobs"));
    let page = console.get("/job/job/url?url=http%3A%2F%2Fportal.example%2Fa%2Fhostile.html");
    for part in ["fetched", "by a link at http://portal.example/", "for the 7th time", "Blocks, kept and cut"] {
        assert!(page.body.contains(part), "{part} is missing in\n{}", page.body);
    }
    let scripts = page.body.matches("<script").count();
    assert!(scripts == 1 && page.body.contains("&lt;script&gt;window.pwned=1"), "{}", page.body);
    let stored = console.get("/job/job/stored?url=http%3A%2F%2Fportal.example%2Fa%2Fhostile.html");
    let policy = stored.header("content-security-policy");
    assert!(policy.starts_with("sandbox; default-src 'none'; style-src 'unsafe-inline'"), "{policy}");
    for gone in ["<script", "127.0.0.1:9", "onclick", "<iframe", "refresh"] {
        assert!(!stored.body.contains(gone), "{gone} is in\n{}", stored.body);
    }
    assert!(stored.body.contains("for the 7th time"), "{}", stored.body);
    let never = console.get("/job/job/stored?url=http%3A%2F%2Fportal.example%2Fnever");
    let may_be_framed = never.header("content-security-policy").contains("frame-ancestors 'self'");
    assert!(never.status == 404 && may_be_framed, "its frame shows what is wrong: {never:?}");
    assert!(never.body.contains("No page is stored: this URL has no response yet"), "{}", never.body);
    let mistyped = console.get("/job/job/url?url=ftp%3A%2F%2Fportal.example%2F");
    assert_eq!(mistyped.status, 400, "{mistyped:?}");
}

#[test]
fn a_start_page_that_was_visited_again_is_shown_as_stored() {
    let web = crawled();
    let often = "shortest_revisit = \"1s\"\nlongest_revisit = \"1s\"\n[[portal]]";
    let seeds = web.file("often.toml", &text_of(&web.path("seeds.toml")).replace("[[portal]]", often));
    let mut again = web.command(&["crawl", "-q", "--max-time", "3s"]);
    run(again.arg(seeds).arg("--dir").arg(web.path("jobs/job")), LONG);
    assert!(web.requests().iter().filter(|(_, path)| path == "/").count() > 1, "{:?}", web.requests());
    let console = ConsoleClient::open(&web.path("jobs"));
    let stored = console.get("/job/job/stored?url=http%3A%2F%2Fportal.example%2F");
    assert!(stored.status == 200 && stored.body.contains("for the 0th time"), "{stored:?}");
}
