//! Commands before the first crawl: try a page, write a seeds file, check what a crawl of its portals would do.

use std::path::Path;

use serde_json::Value;

use crate::crawl_world::{LONG, goldminer, pause, run};
use crate::small_web::{Answer, SmallWeb, article, links, robots, text_of};

const AGENT: &str = "it/1.0 (+https://uni.hu/it)";

/// One good portal, and others from which a crawl would get nothing, each for a different reason.
fn web() -> SmallWeb {
    SmallWeb::new(|host, path| -> Option<Answer> {
        match (host, path) {
            ("good.example", "/robots.txt") => Some(robots("User-agent: *\nDisallow: /private/\nCrawl-delay: 0.2\n")),
            ("good.example", "/") => {
                let html = "<html lang=en><link rel=alternate type='application/rss+xml' href='/rss'>\
                            <a href='/a/1'>one</a> <a href='/a/2'>two</a> <a href='http://other.example/'>away</a></html>";
                Some((200, "text/html", html.to_owned()))
            }
            ("good.example", "/rss") => {
                let item = "<item><link>http://good.example/a/1</link></item>";
                Some((200, "application/rss+xml", format!("<rss version='2.0'><channel>{item}</channel></rss>")))
            }
            ("good.example", "/a/1") => Some(article(1, &["/a/2"])),
            ("good.example", "/moved") => Some((301, "text/html", "/a/1".to_owned())),
            ("closed.example", "/robots.txt") => Some(robots("User-agent: *\nDisallow: /\n")),
            ("broken.example", "/robots.txt") => Some((503, "text/plain", String::new())),
            ("elsewhere.example", "/") => Some((301, "text/html", "http://good.example/a/1".to_owned())),
            ("there.example", "/") => Some((302, "text/html", "http://back.example/".to_owned())),
            ("back.example", "/") => Some((302, "text/html", "http://there.example/home".to_owned())),
            ("there.example", "/home") => Some(links(&["/1"])),
            ("empty.example", "/") => Some((200, "text/html", "<html><script src=app.js></script></html>".to_owned())),
            ("outside.example", "/") => Some(links(&["http://good.example/"])),
            _ => None,
        }
    })
}

#[test]
fn try_asks_robots_txt_first_and_leaves_nothing_behind() {
    let web = web();
    let ran = run(web.command(&["try", "http://good.example/moved"]).args(["--user-agent", AGENT]), LONG);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    for part in [
        "redirect  301 to http://good.example/a/1",
        "robots    allowed",
        "0.2 s between",
        "status 200",
        "an article",
        "title     Meeting 1",
        "The council met for the 1th time",
    ] {
        assert!(ran.stdout.contains(part), "{part:?} is missing:\n{}", ran.stdout);
    }
    let requests: Vec<String> = web.requests().into_iter().map(|(_, path)| path).collect();
    assert_eq!(requests, ["/robots.txt", "/moved", "/a/1"], "robots.txt first, and once");
    assert_eq!(std::fs::read_dir(web.dir.path()).unwrap().count(), 0, "no job is left behind");
}

#[test]
fn a_page_without_text_fails_with_the_reason() {
    let web = web();
    let cases: [(&str, &str, &[&str]); 6] = [
        ("http://good.example/private/1", "robots.txt forbids it (Disallow: /private/)", &["/robots.txt"]),
        ("http://broken.example/a", "robots.txt is unreachable", &["/robots.txt"]),
        ("http://good.example/gone", "the server answers 404", &["/robots.txt", "/gone"]),
        ("http://outside.example/", "no article: no paragraph looks like article text", &["/robots.txt", "/"]),
        ("http://good.example/rss", "a feed or a sitemap, not a page", &["/robots.txt", "/rss"]),
        ("http://127.0.0.1:1/", "nothing:", &[]),
    ];
    for (url, reason, expected) in cases {
        let before = web.requests().len();
        let ran = run(web.command(&["try", url]).args(["--user-agent", AGENT]), LONG);
        assert_eq!(ran.code(), Some(1), "{url}: {ran:?}");
        assert!(ran.stdout.contains(reason), "{url}: {reason:?} is missing:\n{}", ran.stdout);
        let requests: Vec<String> = web.requests().into_iter().skip(before).map(|(_, path)| path).collect();
        assert_eq!(requests, expected, "{url}");
    }
    let as_json =
        run(web.command(&["try", "http://good.example/private/1", "--json"]).args(["--user-agent", AGENT]), LONG);
    let value: Value = serde_json::from_str(&as_json.stdout).unwrap();
    assert_eq!(value["document"], Value::Null, "{value:#}");
    assert!(value["outcome"].as_str().unwrap().contains("robots.txt forbids it"), "{value:#}");
}

#[test]
fn a_selector_is_tried_on_a_page_of_the_web_or_of_a_file() {
    let web = web();
    let ran = run(
        web.command(&["try", "http://good.example/a/1", "--select", "p", "--json"]).args(["--user-agent", AGENT]),
        LONG,
    );
    let found: Value = serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{ran:?}"));
    assert!(found["count"].as_u64() > Some(0), "{found:#}");
    let file = web.path("page.html");
    let html = "<body><article id=a class='x y'><p>It rained.</p><p class=ad>Buy <b>rain</b></p></article>";
    std::fs::write(&file, format!("{html}{}", "<p>More.</p>".repeat(40))).unwrap();
    let select = |css: &str| run(goldminer(&["try", "--select", css]).arg(&file), LONG);
    let ran = select("article > p:not(.no)");
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    for line in ["2 elements", "body > article#a.x.y > p.ad\n", "    Buy rain"] {
        assert!(ran.stdout.contains(line), "{line}: {}", ran.stdout);
    }
    assert!(select("p").stdout.contains("42 elements") && select("p").stdout.contains("and 22 more"));
    let none = select("aside");
    assert_eq!((none.code(), none.stdout.contains("0 elements")), (Some(1), true), "{none:?}");
    for (css, why) in [("p..ad", "column 2: "), ("p:hover", "column 2: "), (&*"a".repeat(60_000), "60000 bytes")] {
        let wrong = select(css);
        assert_eq!(wrong.code(), Some(2), "{wrong:?}");
        assert!(wrong.stderr.contains("--select") && wrong.stderr.contains(why), "{}", wrong.stderr);
    }
    std::fs::write(&file, "<div>".repeat(400) + &"<p>".repeat(200_000)).unwrap();
    let large = select("p");
    assert!(large.code() == Some(1) && large.stderr.contains("too large"), "{large:?}");
}

#[test]
fn a_file_is_tried_with_the_given_profile_or_by_its_url() {
    let web = web();
    ["pages", "profiles"].iter().for_each(|name| std::fs::create_dir(web.path(name)).unwrap());
    let page = web.file("pages/page.html", &article(1, &[]).2.replace("<p>", "<h4>Box</h4><p>"));
    let profile = |name: &str| format!("key = \"{name}\"\n[manual]\nexclude = [\"h4\"]\n");
    let file = web.file("profiles/good.example.toml", &profile("good.example/news"));
    web.file("profiles/other.example.toml", &profile("other.example"));
    let folder = file.parent().unwrap();
    let try_it = |args: &[&str]| run(goldminer(&["try"]).arg(&page).args(args), LONG);
    let (file, folder) = (file.to_str().unwrap(), folder.to_str().unwrap());
    let alone = try_it(&[]);
    assert!(alone.stdout.contains("there is no profile for the page") && alone.stdout.contains("Box"), "{alone:?}");
    for args in [&["--profiles", file][..], &["--profiles", folder, "--url", "https://other.example/1"]] {
        let ran = try_it(args);
        assert_eq!(ran.code(), Some(0), "{ran:?}");
        assert!(ran.stdout.contains("no template matches") && !ran.stdout.contains("Box"), "{args:?}: {}", ran.stdout);
    }
    let unknown = try_it(&["--profiles", folder]);
    assert_eq!(unknown.code(), Some(2), "{unknown:?}");
    assert!(unknown.stderr.contains("has no URL") && unknown.stderr.contains("give its URL with --url"), "{unknown:?}");
}

#[test]
fn try_needs_a_user_agent_and_obeys_the_address_guard() {
    let web = web();
    let ran = run(&mut web.command(&["try", "http://good.example/a/1"]), LONG);
    assert_eq!(ran.code(), Some(2), "{ran:?}");
    assert!(ran.stderr.contains("no user agent") && ran.stderr.contains("--user-agent \""), "{}", ran.stderr);
    let by_variable = run(web.command(&["try", "http://good.example/a/1"]).env("GOLDMINER_USER_AGENT", AGENT), LONG);
    assert_eq!(by_variable.code(), Some(0), "{by_variable:?}");
    let before = web.requests().len();
    let mut guarded = goldminer(&["try", "http://good.example/a/1", "--delay", "1s", "--user-agent", AGENT]);
    let ran = run(guarded.args(["--resolve", &web.resolve_rule()]), LONG);
    assert_eq!(ran.code(), Some(1), "{ran:?}");
    assert!(ran.stdout.contains("--allow-private"), "{}", ran.stdout);
    let ran = run(goldminer(&["try", "https://uni.hu/", "--delay", "10ms", "--user-agent", AGENT]).arg("-q"), LONG);
    assert_eq!(ran.code(), Some(2), "an impolite delay: {ran:?}");
    assert_eq!(web.requests().len(), before, "nothing was asked");
}

#[test]
fn init_writes_a_usable_seeds_file_and_overwrites_none() {
    let web = web();
    let init = |args: &[&str]| run(goldminer(&["init"]).args(args).current_dir(web.dir.path()), LONG);
    let ran = init(&["good.example", "http://closed.example/news/"]);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    assert!(ran.stdout.contains("good.example.toml") && ran.stdout.contains("goldminer check"), "{}", ran.stdout);
    assert!(ran.stdout.contains("https:// was added to host names"), "{}", ran.stdout);
    assert!(web.requests().is_empty(), "nothing was asked of anybody");
    let file = web.path("good.example.toml");
    let written = text_of(&file);
    assert!(written.contains("start = [\"https://good.example/\"]"), "{written}");
    assert!(written.contains("start = [\"http://closed.example/news/\"]"), "{written}");

    let again = init(&["good.example"]);
    assert_eq!(again.code(), Some(2), "{again:?}");
    assert!(again.stderr.contains("already exists and was not changed"), "{}", again.stderr);
    assert_eq!(text_of(&file), written);

    let unnamed = run(goldminer(&["crawl"]).arg(&file).env_remove("GOLDMINER_USER_AGENT"), LONG);
    assert_eq!(unnamed.code(), Some(2), "{unnamed:?}");
    assert!(
        unnamed.stderr.contains("no user agent") && unnamed.stderr.contains("line 9, `user_agent`"),
        "{}",
        unnamed.stderr
    );

    let ran = run(
        web.command(&["init", "http://good.example/", "--ask", "-o", "asked.toml"]).args(["--user-agent", AGENT]),
        LONG,
    );
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    let text = text_of(&web.path("asked.toml"));
    assert!(text.contains("feeds = [\"http://good.example/rss\"]") && text.contains(AGENT), "{text}");
    let closed = run(
        web.command(&["init", "http://closed.example/", "--ask", "-o", "closed.toml"]).args(["--user-agent", AGENT]),
        LONG,
    );
    assert_eq!(closed.code(), Some(0), "{closed:?}");
    assert!(closed.stderr.contains("http://closed.example/: a crawl would get no pages: robots.txt"), "{closed:?}");
    let plain =
        run(web.command(&["init", "good.example", "--ask", "-o", "plain.toml"]).args(["--user-agent", AGENT]), LONG);
    assert!(
        plain.stderr.contains("robots.txt of https://good.example/ is unreachable, so http://good.example/ is used"),
        "{plain:?}"
    );
    assert!(text_of(&web.path("plain.toml")).contains("start = [\"http://good.example/\"]"), "{plain:?}");
    let wrong = init(&["not a portal"]);
    assert_eq!(wrong.code(), Some(2), "{wrong:?}");
}

#[test]
fn a_resolve_rule_for_another_port_is_named() {
    let web = web();
    let ran = run(&mut web.command(&["try", "https://good.example/a/1", "--user-agent", AGENT]), LONG);
    let said = format!("{}{}", ran.stdout, ran.stderr);
    assert!(said.contains("--resolve has a rule for port 80, but this URL needs port 443"), "{ran:?}");
}

#[test]
fn check_says_what_a_crawl_would_do_with_each_portal() {
    let web = web();
    let hosts =
        ["good.example", "closed.example", "broken.example", "elsewhere.example", "empty.example", "outside.example"];
    let seeds = web.seeds(&hosts);
    let ran = run(web.command(&["check"]).arg(&seeds), LONG);
    assert_eq!(ran.code(), Some(4), "{ran:?}");
    for part in [
        "announces http://good.example/rss",
        "http://good.example/rss: a feed of 1 item",
        "a crawl would send a request every 200ms, and follow 2 of 3 links on the first page",
        "a crawl would get no pages: robots.txt forbids it (Disallow: /)",
        "a crawl would get no pages: robots.txt is unreachable",
        "which is out of the portal's scope; write start = [\"http://good.example/a/1\"]",
        "the first page has no links",
        "none of the 1 link on the first page is in the portal's scope",
        "a crawl would get pages from 1 of 6 portals",
    ] {
        assert!(ran.stdout.contains(part), "{part:?} is missing:\n{}", ran.stdout);
    }
    for host in hosts {
        let requests = web.requests().iter().filter(|(to, _)| to == host).count();
        assert!(requests <= 8, "{host} got {requests} requests");
        let first = web.requests().into_iter().find(|(to, _)| to == host);
        assert_eq!(first.map(|(_, path)| path).as_deref(), Some("/robots.txt"), "{host}");
    }
    // A crawl does not request a redirect's target out of scope, even if that redirects back.
    let seeds = web.seeds(&["good.example", "there.example"]);
    let there = run(web.command(&["check", "--portal", "there.example"]).arg(&seeds), LONG);
    let expected = "redirects to http://back.example/, which is out of the portal's scope; write start = [\"http://there.example/home\"]";
    assert!(there.code() == Some(4) && there.stdout.contains(expected), "{there:?}");
    let one = run(web.command(&["check", "--portal", "good.example", "--json"]).arg(&seeds), LONG);
    assert_eq!(one.code(), Some(0), "{one:?}");
    let value: Value = serde_json::from_str(&one.stdout).unwrap();
    assert_eq!(value.as_array().map(Vec::len), Some(1), "{value:#}");
}

#[test]
fn a_list_of_urls_is_crawled_with_a_given_user_agent() {
    let web = web();
    let list = web.file("urls.txt", "# a list\nhttp://good.example/a/1\n\nhttp://good.example/\n");
    let unnamed = run(web.command(&["crawl", "-q"]).arg(&list), LONG);
    assert_eq!(unnamed.code(), Some(2), "{unnamed:?}");
    assert!(unnamed.stderr.contains("--user-agent"), "{}", unnamed.stderr);
    let ran = run(web.command(&["crawl", "-q", "--user-agent", AGENT]).arg(&list), LONG);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    assert!(web.path("crawls/urls/job.toml").is_file());
    assert!(text_of(&web.path("crawls/urls/job.toml")).contains(AGENT));
    assert!(web.requests().contains(&("good.example".to_owned(), "/a/1".to_owned())));
}

#[test]
fn the_urls_of_a_job_are_listed_by_state_with_reasons() {
    let web = web();
    let seeds = web.seeds(&["good.example", "closed.example"]);
    let ran = run(web.command(&["crawl", "-q"]).arg(&seeds), LONG);
    assert!(ran.code().is_some(), "{ran:?}");
    let list =
        |place: &str| run(goldminer(&["status", "crawls/seeds", "--urls", place]).current_dir(web.dir.path()), LONG);
    let fetched = list("fetched");
    assert_eq!(fetched.code(), Some(0), "{fetched:?}");
    assert!(fetched.stdout.contains("fetched\thttp://good.example/a/1\tstatus 200\n"), "{}", fetched.stdout);
    let gone = list("gone");
    assert!(gone.stdout.contains("gone\thttp://good.example/a/2\tstatus 404\n"), "{}", gone.stdout);
    let disallowed = list("disallowed");
    assert!(disallowed.stdout.contains("disallowed\thttp://closed.example/\tDisallow: /\n"), "{}", disallowed.stdout);
    let rejected = list("rejected");
    assert_eq!(rejected.stdout, "rejected\t(a link of http://good.example/)\tout-of-scope\n");
    assert_eq!(list("out-of-scope").stdout, rejected.stdout);
    let none = list("queued");
    assert_eq!((none.stdout.as_str(), none.stderr.as_str()), ("", "no URL is in the state queued\n"), "nothing waits");
    assert_eq!(list("no-document").stdout, "no-document\thttp://good.example/\tstatus 200\n", "the front page");
    let all: Value = serde_json::from_str(
        &run(goldminer(&["status", "crawls/seeds", "--json"]).current_dir(web.dir.path()), LONG).stdout,
    )
    .unwrap();
    let done: u64 = all["counts"]["done"].as_object().unwrap().values().map(|n| n.as_u64().unwrap()).sum();
    assert_eq!(list("done").stdout.lines().count() as u64, done);
    let wrong = list("broken");
    assert_eq!(wrong.code(), Some(2), "{wrong:?}");
    assert!(
        wrong.stderr.contains("--urls: \"broken\"") && wrong.stderr.contains("queued, retried"),
        "{}",
        wrong.stderr
    );
}

#[test]
fn a_running_crawl_lists_its_urls_too() {
    let web = SmallWeb::new(|_, path| match path {
        "/robots.txt" => Some(robots("")),
        _ => {
            let number: usize = path.trim_start_matches("/a/").parse().unwrap_or(0);
            Some(article(number, &[&format!("/a/{}", number + 1), &format!("/a/{}", number + 2)]))
        }
    });
    let seeds = web.seeds(&["long.example"]);
    let mut command = goldminer(&["crawl", "-q", "--allow-private", "--delay", "50ms", "--max-pages", "400"]);
    command.args(["--resolve", &web.resolve_rule()]).arg(&seeds).current_dir(web.dir.path());
    let mut running = crate::crawl_world::start(&mut command);
    while web.requests().len() < 5 {
        assert!(running.is_running());
        pause(std::time::Duration::from_millis(20));
    }
    let ran = run(goldminer(&["status", "crawls/seeds", "--urls", "queued"]).current_dir(web.dir.path()), LONG);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    assert!(ran.stdout.starts_with("queued\thttp://long.example/a/"), "{}", ran.stdout);
    assert!(running.is_running(), "listing does not stop the crawl");
    running.kill();
}

#[test]
fn one_page_is_extracted_from_standard_input_or_the_web() {
    let web = web();
    let page = web.file("page.html", &article(7, &[]).2);
    let stdin = || std::fs::File::open(&page).unwrap();
    let extract = |args: &[&str], input: std::fs::File| {
        let output = goldminer(&["extract"]).args(args).stdin(input).current_dir(web.dir.path()).output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    let (code, out, err) = extract(&["-", "--url", "https://a.example/7"], stdin());
    assert_eq!(code, Some(0), "{err}");
    let document: Value = serde_json::from_str(&out).expect("one JSON line");
    assert_eq!((&document["url"], out.lines().count()), (&Value::from("https://a.example/7"), 1));
    let (_, out, _) = extract(&["-", "--format", "text"], stdin());
    assert!(out.starts_with("Meeting 7\n") && out.contains("for the 7th time"), "{out}");
    let (code, _, err) = extract(&["-"], std::fs::File::open("/dev/null").unwrap());
    assert_eq!(code, Some(1), "{err}");
    assert!(err.contains("standard input is empty"), "{err}");

    let ran = run(web.command(&["extract", "http://good.example/a/1"]).args(["--user-agent", AGENT]), LONG);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    let document: Value = serde_json::from_str(&ran.stdout).expect("one JSON line");
    assert_eq!(document["metadata"]["title"], "Meeting 1");
    let requests: Vec<String> = web.requests().into_iter().map(|(_, path)| path).collect();
    assert_eq!(requests, ["/robots.txt", "/a/1"]);
    let list = run(web.command(&["extract", "http://outside.example/"]).args(["--user-agent", AGENT]), LONG);
    assert_eq!((list.code(), list.stdout.as_str()), (Some(1), ""), "{list:?}");
    assert!(list.stderr.contains("has no article"), "{}", list.stderr);
    let (code, _, err) = extract(&["page.html", "--url", "https://a.example/7"], stdin());
    assert!(code == Some(2) && err.contains("of a page on standard input"), "{err}");
    let both = run(web.command(&["extract", "http://good.example/a/1", "-"]).args(["--user-agent", AGENT]), LONG);
    assert_eq!(both.code(), Some(2), "{both:?}");
    assert_eq!(std::fs::read_dir(web.dir.path()).unwrap().count(), 1, "no job is left behind");
}

#[test]
fn binary_data_never_becomes_a_document() {
    let dir = tempfile::tempdir().unwrap();
    let text = "<p>It rained all day in the town, and nobody left the house.</p>".repeat(20);
    let read = |input: &Path, args: &[&str]| {
        let input = std::fs::File::open(input).unwrap();
        let output = goldminer(args).stdin(input).current_dir(dir.path()).output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    let utf16: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    for (name, what, bytes) in [
        ("ls", "an executable (ELF)", [b"\x7FELF\x02\x01\0", text.as_bytes()].concat()),
        ("icon", "an icon", [b"\0\0\x01\0", text.as_bytes()].concat()),
        ("image", "an image (PNG)", [b"\x89PNG\r\n", text.as_bytes()].concat()),
        ("font", "binary", [&b"\0\x01\0\0"[..], &[7; 300], text.as_bytes()].concat()),
        ("film", "binary", [&b"\0\0\x01\xBA"[..], &[7; 300], text.as_bytes()].concat()),
        ("utf16", "", utf16),
    ] {
        let page = dir.path().join(format!("{name}.html"));
        std::fs::write(&page, bytes).unwrap();
        let path = page.to_str().unwrap();
        let (piped, tried) = (read(&page, &["extract", "-"]), read(&page, &["try", path]));
        let tested = read(&page, &["profile", "test", path]);
        if what.is_empty() {
            assert!(piped.0 == Some(0) && piped.1.contains("It rained all day"), "{name}: {piped:?}");
            assert!(tried.0 == Some(0) && tested.0 == Some(0), "{name}: {tried:?} {tested:?}");
            continue;
        }
        for (ran, of) in [(piped, "standard input"), (tried, path), (tested, path)] {
            let is_explained = ran.2.contains(&format!("{of} is {what}"));
            assert!(ran.0 == Some(1) && ran.1.is_empty() && is_explained, "{name}: {ran:?}");
        }
        let (folder, out) = (dir.path().join(name), dir.path().join(format!("{name}-out")));
        std::fs::create_dir(&folder).unwrap();
        std::fs::rename(&page, folder.join("x.html")).unwrap();
        let ran = run(goldminer(&["extract"]).arg(&folder).arg("-o").arg(&out), LONG);
        assert!(ran.code() == Some(1) && ran.stderr.contains(&format!("is {what}")), "{name}: {ran:?}");
    }
}
