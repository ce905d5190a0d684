//! The console from a person's view, in a real browser: a portal is paused and resumed; a box is cut by clicking; the
//! effects on other pages are viewed, saved, extracted again and undone. Skipped, with a message, if no browser is
//! installed. With `GOLDMINER_PICTURES=docs/src/guide` this test and `journey` make the book's pictures of the console.

use std::path::Path;
use std::time::{Duration, Instant};

use crate::console::editor::{TOWNS, crawled};
use crate::console_client::ConsoleClient;
use crate::crawl_world::{LONG, goldminer, pause, run, texts};
use crate::webdriver::Browser;

struct Person {
    browser: Browser,
}

impl Person {
    fn text(&self, selector: &str) -> String {
        let script = format!("return document.querySelector({selector:?})?.textContent ?? ''");
        self.browser.script(&script).as_str().unwrap_or_default().to_owned()
    }

    /// Waits for a text: a click returns before its target page is there.
    fn sees(&self, selector: &str, words: &str) {
        let until = Instant::now() + LONG;
        while !self.text(selector).contains(words) {
            assert!(Instant::now() < until, "{selector} lacks {words:?}: {}", self.text("main"));
            pause(Duration::from_millis(20));
        }
    }

    /// Clicks a link or a button of the block with these words.
    fn clicks_in_block(&self, words: &str, what: &str) {
        let script = format!(
            "document.querySelectorAll('#pointed').forEach(e => e.removeAttribute('id')); \
             [...document.querySelectorAll('.block')].find(e => e.textContent.includes({words:?})).id = 'pointed'"
        );
        self.browser.script(&script);
        self.browser.click(&format!("#pointed {what}"));
    }
}

#[test]
fn a_person_corrects_a_portal_by_clicking() {
    let browser = match Browser::start() {
        Ok(browser) => browser,
        Err(why) => {
            println!("skipped: {why}; install chromium and chromium-driver to run this test");
            return;
        }
    };
    let person = Person { browser };
    let browser = &person.browser;
    browser.resize(1100);
    let world = crawled();
    let out = world.path("out");
    let before = texts(&world.path("jobs/job/corpus"));
    let has_box = |corpus: &Path| texts(corpus).values().filter(|text| text.contains("Whoever comes to")).count();
    let console = ConsoleClient::open(&world.path("jobs"));

    browser.visit(&console.address);
    // Parts that take longer appear by themselves.
    person.sees("#portals h2", "Portals");
    browser.click("#portals tbody a");
    person.sees("h1", "portal.example");
    browser.click("button[value=pause]");
    person.sees(".result", "is paused until it is resumed");
    browser.click("button[value=resume]");
    person.sees(".result", "gets requests again");

    browser.click("main a[href*='3%2Ehtml']");
    person.sees("h1.url", "/3.html");
    browser.click("a[href*='/edit?']");
    person.sees("p.kind", "Correct the profile");
    person.clicks_in_block("Whoever comes to", "a[data-action=cut]");
    person.sees("#proposals h2", "Cut it");
    browser.click("#proposals details summary");
    browser.script("document.querySelector('#proposals').scrollIntoView()");
    browser.picture_for_the_book("editor");
    person.sees("#proposals details[open]", "Whoever comes to");
    browser.click("button[value=save]");
    person.sees(".result", "Saved as version");

    assert!(person.text(".result + .result").contains("goldminer extract"), "{}", person.text("main"));
    let extract = || {
        let ran = run(goldminer(&["extract", "-q", "--changed"]).arg(world.path("jobs/job")).arg("-o").arg(&out), LONG);
        assert_eq!(ran.code(), Some(0), "{ran:?}");
    };
    extract();
    assert_eq!((has_box(&world.path("jobs/job/corpus")), has_box(&out)), (TOWNS.len(), 0));

    browser.visit(&format!("http://{}/job/job/edit?url=http%3A%2F%2Fportal.example%2F3.html", console.host));
    browser.click("header form button");
    person.sees(".result", "Saved as version");
    extract();
    assert_eq!(texts(&out), before, "the undo reaches what is extracted again");
}
