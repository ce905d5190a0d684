//! From a person's view, in a real browser: the console is opened on an empty folder, the demo is started from its
//! first page, watched while it runs, and viewed after its end. Skipped, with a message, if no browser is installed.

use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

use crate::console_client::ConsoleClient;
use crate::crawl_world::{LONG, pause};
use crate::webdriver::Browser;

/// A browser at a console, and the folder of its jobs.
pub(crate) struct Journey {
    pub browser: Browser,
    pub _console: ConsoleClient,
    pub dir: TempDir,
}

impl Journey {
    /// A console of an empty folder, open in a browser; `None` if there is no browser.
    pub(crate) fn begin() -> Option<Self> {
        let browser = match Browser::start() {
            Ok(browser) => browser,
            Err(why) => {
                println!("skipped: {why}; install chromium and chromium-driver to run this test");
                return None;
            }
        };
        let dir = tempfile::Builder::new().prefix("crawls-").tempdir().unwrap();
        let console = ConsoleClient::open(dir.path());
        browser.visit(&console.address);
        Some(Self { browser, _console: console, dir })
    }

    /// The text of the first element that a selector selects; empty if there is none.
    pub(crate) fn text(&self, selector: &str) -> String {
        let script = format!("return document.querySelector({selector:?})?.textContent ?? ''");
        let text = self.browser.script_while_loading(&script);
        text.as_ref().and_then(Value::as_str).unwrap_or_default().to_owned()
    }

    /// Waits until a text appears: a click returns before its target page is there.
    pub(crate) fn shows(&self, selector: &str, words: &str) {
        let until = Instant::now() + LONG;
        while !self.text(selector).contains(words) {
            assert!(Instant::now() < until, "{selector} lacks {words:?}: {}", self.text("main"));
            pause(Duration::from_millis(20));
        }
    }

    /// Starts the demo from the first page, and watches it until it has ended.
    pub(crate) fn crawl_the_demo(&self) {
        self.shows("h1", "GoldMiner");
        let folder = std::fs::canonicalize(self.dir.path()).unwrap().display().to_string();
        assert!(self.text("#start").contains(&folder), "the folder of new jobs is missing: {}", self.text("#start"));
        self.browser.click("#start button.main");
        self.shows("[data-job=demo][data-running=true] h1", "running");

        // The numbers are updated without reloading the page.
        let script = "window.isTheSame ??= document.querySelector('[data-live=pages]')?.textContent; \
            return [window.isTheSame ?? '', document.querySelector('[data-live=pages]')?.textContent ?? '', \
            document.querySelector('[data-job]')?.dataset.running ?? '']";
        let until = Instant::now() + LONG;
        loop {
            let seen = self.browser.script_while_loading(script).unwrap_or_default();
            if seen[2] == "true" && seen[0] != seen[1] {
                break;
            }
            assert!(Instant::now() < until && seen[2] != "false", "no number has changed: {seen}");
            pause(Duration::from_millis(100));
        }
        self.watch_to_the_end();
    }

    /// Waits until the demo has finished, as long as its numbers change.
    fn watch_to_the_end(&self) {
        let (mut seen, mut since) = (String::new(), Instant::now());
        while !self.text("[data-job=demo][data-running=false] h1").contains("finished") {
            let now = self.text("main");
            if now != seen {
                (seen, since) = (now, Instant::now());
            }
            assert!(since.elapsed() < LONG, "nothing goes on: {seen}");
            pause(Duration::from_millis(200));
        }
    }
}

#[test]
fn the_demo_is_started_and_watched_in_the_console() {
    let Some(journey) = Journey::begin() else { return };
    journey.crawl_the_demo();
    // Its process ends after its crawl; the console says so, and asks to reload the page.
    let until = Instant::now() + LONG;
    while !journey.text("main").contains("demo: done") {
        assert!(Instant::now() < until, "{}", journey.text("main"));
        journey.browser.script_while_loading("location.reload()");
        pause(Duration::from_millis(500));
    }
    journey.shows("header .lead", "finished: no URLs left");
    let browser = &journey.browser;
    browser.resize(1000);
    browser.picture_for_the_book("first");
    assert_eq!(browser.script("return document.querySelectorAll('#portals tbody tr').length"), 5);
    let documents = journey.text("[data-live=documents]");
    assert!(documents.parse::<u32>().is_ok_and(|documents| documents > 100), "{documents} documents");
    for section in ["#attention h2", "#timeline svg", "#accounts li", "#portals h2"] {
        assert_ne!(browser.script(&format!("return document.querySelector({section:?})")), Value::Null, "{section}");
    }
    browser.click("#portals tbody a");
    journey.shows("h1", ".example");
    browser.click("main a[href*='%2F2026%2F']");
    journey.shows("h1.url", "/2026/");
    journey.shows("main", "Stored page");
    browser.picture_for_the_book("url");
    // The README shows what is kept of a page beside the page itself.
    browser.resize(1280);
    browser.script("document.querySelector('iframe').closest('section').scrollIntoView()");
    browser.picture_for_the_book("blocks");
    // Everything is where the page says, and a terminal shows the same.
    let job = journey.dir.path().join("demo");
    assert!(job.join("corpus").is_dir() && job.join("report/index.html").is_file());
    assert_eq!(crate::crawl_world::status(&job)["running"], false);
}
