//! The reports in a real browser, on a desktop and on a phone: nothing is loaded, nothing overflows, and all promised
//! parts are visible and usable. Skipped, with a message, if no browser is installed.

use std::path::{Path, PathBuf};

use goldminer_testkit::portals::{Portals, Size};
use goldminer_testkit::web::Knobs;
use serde_json::Value;

use crate::crawl_world::{LONG, World, goldminer, run};
use crate::webdriver::Browser;

const WIDTHS: [u32; 2] = [1280, 390];

/// The reports of a small crawl.
fn reports(world: &World) -> PathBuf {
    let job = world.crawled("job");
    for command in [&["report"][..], &["profile", "report"]] {
        let ran = run(goldminer(command).arg(&job), LONG);
        assert_eq!(ran.code(), Some(0), "{ran:?}");
        assert!(ran.stdout.contains("Report: "), "{ran:?}");
    }
    job.join("report")
}

fn open(browser: &Browser, page: &Path, width: u32) {
    browser.resize(width);
    browser.open(page);
    let widths = browser.script("return [document.documentElement.scrollWidth, innerWidth]");
    assert!(widths[0].as_u64() <= widths[1].as_u64(), "{} overflows at {width}: {widths}", page.display());
}

fn assert_quiet(browser: &Browser, page: &Path) {
    let messages = browser.console();
    assert!(messages.is_empty(), "{}: {messages:?}", page.display());
    let requests: Vec<String> = browser.requests().into_iter().filter(|url| !url.starts_with("data:")).collect();
    assert!(
        requests.iter().all(|url| url.starts_with("file:") && url.ends_with(".html")),
        "{}: {requests:?}",
        page.display()
    );
    assert!(!requests.is_empty(), "{}: the browser does not report its requests", page.display());
}

/// Red, green and blue of a visible element's property.
fn colour(browser: &Browser, selector: &str, property: &str) -> [u64; 3] {
    let script = format!(
        "const found = [...document.querySelectorAll('{selector}')].find((element) => \
         element.getClientRects().length > 0); \
        return found ? getComputedStyle(found)['{property}'].match(/\\d+/g).slice(0, 3).map(Number) : null"
    );
    let found = browser.script(&script);
    let part = |at: usize| found[at].as_u64().unwrap_or_else(|| panic!("no {selector} to be seen: {found}"));
    [part(0), part(1), part(2)]
}

/// The numbers of a sorted column, from the top.
fn column(browser: &Browser, number: usize) -> Vec<f64> {
    let script = format!(
        "return [...document.querySelector('table.sortable').tBodies[0].rows].map((row) => \
         Number(row.cells[{number}].dataset.value))"
    );
    browser.script(&script).as_array().unwrap().iter().filter_map(Value::as_f64).collect()
}

#[test]
fn reports_work_on_a_desktop_and_on_a_phone() {
    let browser = match Browser::start() {
        Ok(browser) => browser,
        Err(why) => {
            println!("skipped: {why}; install chromium and chromium-driver to run this test");
            return;
        }
    };
    let portals = Portals::demo(&Size { scale: 0.15, ..Size::default() });
    let world = World::new(portals, Knobs::default())
        .hosts(&["courier.example", "rundschau.example", "hirnok.example"])
        .settings("learning_pages = 8\nip_spacing = \"0s\"");
    let folder = reports(&world);
    for width in WIDTHS {
        let index = folder.join("index.html");
        open(&browser, &index, width);
        for order in ["descending", "ascending"] {
            browser.click("th:nth-child(2) button");
            let mut sorted = column(&browser, 1);
            if order == "ascending" {
                sorted.reverse();
            }
            assert!(sorted.len() == 3 && sorted.is_sorted_by(|a, b| a >= b), "{order} at {width}: {sorted:?}");
        }
        assert_quiet(&browser, &index);

        let domain = folder.join("courier.example.html");
        open(&browser, &domain, width);
        assert_eq!(browser.script("return document.querySelectorAll('.plot svg').length"), 1, "pages over time");
        let [red, green, _] = colour(&browser, ".sample[open] .block.kept", "borderLeftColor");
        assert!(green > red, "what is kept is green");
        let [red, green, _] = colour(&browser, ".sample[open] .block.repeated", "borderLeftColor");
        assert!(red > green, "what repeats is red");
        let [red, _, blue] = colour(&browser, ".sample[open] div.edge", "borderTopColor");
        assert!(blue > red, "the cut is blue");
        let shown = "const numbers = document.querySelector('.sample[open] .block.kept .numbers'); \
            return numbers.checkVisibility() ? numbers.textContent : ''";
        assert_eq!(browser.script(shown), "", "numbers are hidden until they are opened");
        browser.click(".sample[open] .block.kept summary");
        let numbers = browser.script(shown);
        for part in ["characters", "links", "stopwords", "jusText: ", "pages"] {
            assert!(numbers.as_str().is_some_and(|numbers| numbers.contains(part)), "{part} is missing in {numbers}");
        }
        browser.click("button.unfold");
        assert_eq!(browser.script("return document.querySelectorAll('details.sample:not([open])').length"), 0);
        let widths = browser.script("return [document.documentElement.scrollWidth, innerWidth]");
        assert!(widths[0].as_u64() <= widths[1].as_u64(), "unfolded, it overflows at {width}: {widths}");
        assert_quiet(&browser, &domain);

        let crawl = folder.join("crawl.html");
        open(&browser, &crawl, width);
        assert!(browser.script("return document.querySelectorAll('.plot svg rect').length").as_u64() > Some(2));
        assert_quiet(&browser, &crawl);
    }
}

#[test]
fn a_hostile_portal_runs_nothing_in_its_report() {
    let browser = match Browser::start() {
        Ok(browser) => browser,
        Err(why) => {
            println!("skipped: {why}; install chromium and chromium-driver to run this test");
            return;
        }
    };
    let dir = tempfile::tempdir().unwrap();
    let (pages, profiles, out) = (dir.path().join("pages"), dir.path().join("profiles"), dir.path().join("out"));
    let folder = pages.join("hostile.example");
    std::fs::create_dir_all(&folder).unwrap();
    let attack = "&lt;script>window.pwned = 1&lt;/script>&lt;img src=http://127.0.0.1:9/x onerror='window.pwned = 1'>";
    for (number, town) in ["Rome", "Oslo", "Bern", "Riga", "Kyiv", "Graz", "Lyon", "Bonn"].iter().enumerate() {
        let story: String = ["old", "young", "tall", "short", "wise", "silly"]
            .iter()
            .map(|who| {
                format!(
                    "<p>In {town} there was a story that nobody could tell in the way that the {who} people of the \
                     houses in {town} did, because they were there when it was told for the first time, and they have \
                     not forgotten what the others of {town} said. {attack}</p>"
                )
            })
            .collect();
        let page = format!(
            "<title>{town} {attack}</title><body><div class=menu><a href=/>Home {attack}</a></div>\
            <div class='story &lt;/code>&lt;script>window.pwned=1&lt;/script>'><h1>{town} {attack}</h1>{story}</div>\
            <p>Subscribe to our letter and we will send you the news of the day as soon as it is there. {attack}</p>"
        );
        std::fs::write(folder.join(format!("{number}.html")), page).unwrap();
    }
    let ran = run(goldminer(&["learn"]).arg(&pages).arg("-o").arg(&profiles), LONG);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    let ran =
        run(goldminer(&["profile", "report"]).arg(&profiles).arg("--pages").arg(&pages).arg("-o").arg(&out), LONG);
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    for name in ["index.html", "hostile.example.html"] {
        let page = out.join(name);
        open(&browser, &page, 390);
        assert_eq!(browser.script("return window.pwned ?? null"), Value::Null, "{name}");
        assert_eq!(browser.script("return document.scripts.length"), 1, "{name}: only our own");
        assert_quiet(&browser, &page);
    }
    let inject = "const script = document.createElement('script'); script.textContent = 'window.pwned = 2'; \
        document.body.append(script); return window.pwned ?? null";
    assert_eq!(browser.script(inject), Value::Null, "not even a script that got into the page runs");
    let text = browser.script("return document.body.textContent");
    assert!(text.as_str().unwrap().contains("<script>window.pwned = 1</script>"), "it is shown as what it is: text");
}
