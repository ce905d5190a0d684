//! The console in a real browser, from a person's view: a hostile portal is viewed and its profile corrected by
//! clicking, and the browser sends requests only to the console. Skipped, with a message, if no browser is installed.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::console_client::ConsoleClient;
use crate::crawl_world::{LONG, pause, run};
use crate::small_web::{SmallWeb, article};
use crate::webdriver::Browser;

/// Elements and attributes that could run, load or lead elsewhere.
const ATTACK: &str = "<script>window.pwned=1;top.pwned=1</script><img src=http://127.0.0.1:9/x onerror=\"top.pwned=1\">\
    <iframe src=http://127.0.0.1:9/y></iframe><object data=http://127.0.0.1:9/o></object><svg onload=\"top.pwned=1\"/>\
    <meta http-equiv=refresh content=\"0;url=http://127.0.0.1:9/\"><link rel=stylesheet href=http://127.0.0.1:9/l>\
    <style>@import url(http://127.0.0.1:9/s);body{background:url(http://127.0.0.1:9/b)}</style>\
    <p style=\"background:url(http://127.0.0.1:9/z)\" onclick=\"top.pwned=1\">&lt;script>top.pwned=1&lt;/script></p>\
    <form action=http://127.0.0.1:9/f><input autofocus onfocus=\"top.pwned=1\"></form><base href=http://127.0.0.1:9/>\
    <video src=http://127.0.0.1:9/v autoplay></video><a href=\"javascript:top.pwned=1\">here</a>\
    <div class='promo \"><script>top.pwned=1</script>'><p>Read what others have read about the bridge that was to be built, \
    because it is the best that we have written of it in all the years.</p></div>";

fn hostile() -> SmallWeb {
    let web = SmallWeb::new(|_, path| match path {
        "/" => Some(article(0, &["/1.html", "/2.html", "/3.html", "/4.html", "/5.html", "/6.html", "/7.html"])),
        path if path.ends_with(".html") => {
            let (status, kind, page) = article(usize::from(path.as_bytes()[1]), &[]);
            Some((status, kind, page.replace("</article>", &format!("{ATTACK}</article>"))))
        }
        _ => None,
    });
    let seeds = web.seeds(&["portal.example"]);
    let ran = run(web.command(&["crawl", "-q"]).arg(seeds).arg("--dir").arg(web.path("jobs/job")), LONG);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    web
}

#[test]
fn a_hostile_portal_can_be_viewed_and_runs_nothing() {
    let browser = match Browser::start() {
        Ok(browser) => browser,
        Err(why) => {
            println!("skipped: {why}; install chromium and chromium-driver to run this test");
            return;
        }
    };
    let web = hostile();
    let console = ConsoleClient::open(&web.path("jobs"));
    let text = |selector: &str| {
        let script = format!("return document.querySelector({selector:?})?.textContent ?? ''");
        let text = browser.script_while_loading(&script);
        text.as_ref().and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    // A click returns before its target page is there.
    let shows = |selector: &str, words: &str| {
        let until = Instant::now() + LONG;
        while !text(selector).contains(words) {
            assert!(Instant::now() < until, "{selector} lacks {words:?}: {}", text("main"));
            pause(Duration::from_millis(20));
        }
    };
    browser.visit(&console.address);
    assert!(
        !browser.script("return location.href").to_string().contains("token"),
        "the token does not stay in the address"
    );
    assert_eq!(text("header h1").split_whitespace().next(), Some("job"));
    // Parts that take longer appear by themselves.
    shows("#portals h2", "Portals");

    let picture =
        |name: &str| browser.picture(&Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("console-{name}.png")));
    picture("first");
    browser.click("#portals tbody a");
    shows("h1", "portal.example");
    browser.click("button[value=pause]");
    shows(".said", "is paused until it is resumed");
    browser.click("button[value=resume]");
    shows(".said", "gets requests again");

    for width in [1280, 390] {
        browser.resize(width);
        browser.visit(&format!("http://{}/job/job/url?url=http%3A%2F%2Fportal.example%2F3.html", console.host));
        let widths = browser.script("return [document.documentElement.scrollWidth, innerWidth]");
        assert!(widths[0].as_u64() <= widths[1].as_u64(), "it overflows at {width}: {widths}");
        browser.script("document.querySelector('iframe').scrollIntoView()");
        assert_eq!(
            browser.script("return document.querySelector('iframe').contentDocument"),
            Value::Null,
            "another origin"
        );
        assert_eq!(browser.script("return window.pwned ?? null"), Value::Null);
        assert_eq!(browser.script("return document.scripts.length"), 1, "only our own");
    }
    browser.visit(&format!("http://{}/job/job/stored?url=http%3A%2F%2Fportal.example%2F3.html", console.host));
    assert!(text("body").contains("The council met"), "{}", text("body"));
    assert_eq!(browser.script("return document.querySelectorAll('[href], [src], [style], script, form').length"), 0);

    browser.visit(&format!("http://{}/job/job/edit?url=http%3A%2F%2Fportal.example%2F3.html", console.host));
    browser.click("a[data-action]");
    shows("#proposals h2", ":");
    picture("editor");
    assert_eq!(browser.script("return window.pwned ?? null"), Value::Null);

    let asked: Vec<String> =
        browser.requests().into_iter().filter(|url| !url.starts_with("data:") && !url.starts_with("chrome:")).collect();
    let own = format!("http://{}/", console.host);
    assert!(!asked.is_empty() && asked.iter().all(|url| url.starts_with(&own)), "{asked:?}");
}
