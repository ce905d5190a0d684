//! Accessibility of the console: names, structure and order of every page by its HTML; and in a real browser what can
//! be seen and reached, in light and dark, on a desktop and a phone, by keyboard alone.

use serde_json::json;

use crate::console_client::ConsoleClient;
use crate::crawl_world::{LONG, run};
use crate::small_web::{SmallWeb, article};
use crate::webdriver::Browser;

/// Two portals, one of which links only to missing pages, crawled into `jobs/job`.
fn crawled() -> SmallWeb {
    let web = SmallWeb::new(|host, path| match path {
        "/" if host.starts_with("portal") => Some(article(
            0,
            &["/a/1.html", "/a/2.html", "/a/3.html", "/a/4.html", "/a/5.html", "/b/6.html", "/gone.txt"],
        )),
        path if path.ends_with(".html") && host.starts_with("portal") => Some(article(path.len() + 3, &[])),
        _ => None,
    });
    let seeds = web.seeds(&["portal.example", "gone.example"]);
    let ran = run(web.command(&["crawl", "-q"]).arg(seeds).arg("--dir").arg(web.path("jobs/job")), LONG);
    assert!(matches!(ran.code(), Some(0 | 4)), "{ran:?}");
    web
}

const URL: &str = "http%3A%2F%2Fportal.example%2Fa%2F1.html";

/// Every kind of page.
fn addresses() -> Vec<String> {
    let of_job = ["", "/portals", "/portals?q=none", "/portal?name=portal.example", "/portal?name=gone.example"];
    let mut all = vec!["/".to_owned(), "/elsewhere".to_owned()];
    all.extend(of_job.map(|path| format!("/job/job{path}")));
    all.extend([
        format!("/job/job/url?url={URL}"),
        "/job/job/url?url=http%3A%2F%2Fportal.example%2Fgone.txt".to_owned(),
    ]);
    all.push(format!("/job/job/edit?url={URL}"));
    all
}

/// A start tag: its name and attributes.
struct Tag<'a> {
    name: &'a str,
    attributes: &'a str,
    /// The text after it.
    rest: &'a str,
}

impl Tag<'_> {
    fn get(&self, name: &str) -> Option<&str> {
        let (_, rest) = self.attributes.split_once(&format!(" {name}=\""))?;
        rest.split('"').next()
    }

    /// The text up to the end tag, without tags.
    fn text(&self) -> String {
        let inside = self.rest.split(&format!("</{}>", self.name)).next().unwrap_or_default();
        inside
            .split('<')
            .enumerate()
            .map(|(at, part)| if at == 0 { part } else { part.split_once('>').map_or("", |(_, text)| text) })
            .collect()
    }
}

fn tags(html: &str) -> Vec<Tag<'_>> {
    let starts =
        html.match_indices('<').filter(|(at, _)| html[at + 1..].starts_with(|c: char| c.is_ascii_alphabetic()));
    starts
        .map(|(at, _)| {
            let end = at + html[at..].find('>').expect("a tag ends");
            let tag = &html[at + 1..end];
            let name = tag.split([' ', '>']).next().unwrap_or_default();
            Tag { name, attributes: &tag[name.len()..], rest: &html[end + 1..] }
        })
        .collect()
}

#[test]
fn every_page_has_accessible_names_and_order() {
    let web = crawled();
    let console = ConsoleClient::open(&web.path("jobs"));
    for address in addresses() {
        let html = console.get(&address).body;
        let tags = tags(&html);
        let of = |name: &str| tags.iter().filter(|tag| tag.name == name).collect::<Vec<_>>();
        assert_eq!((of("h1").len(), of("main").len()), (1, 1), "{address}: {html}");
        assert!(of("html")[0].get("lang") == Some("en") && !of("title")[0].text().is_empty(), "{address}");
        assert!(of("a")[0].get("href") == Some("#main"), "{address}: the first link leads to the contents");
        assert!(of("nav").iter().all(|nav| nav.get("aria-label").is_some()), "{address}: a nav without a name");
        let levels: Vec<u32> =
            tags.iter().filter_map(|tag| tag.name.strip_prefix('h').and_then(|level| level.parse().ok())).collect();
        assert!(levels.windows(2).all(|pair| pair[1] <= pair[0] + 1), "{address}: headings skip a level: {levels:?}");
        for name in ["input", "select", "textarea"] {
            for field in of(name).into_iter().filter(|field| field.get("type") != Some("hidden")) {
                let at = html.len() - field.rest.len();
                let before = &html[..at];
                let in_label = before.rfind("<label").is_some_and(|label| before[label..].find("</label>").is_none());
                assert!(in_label || field.get("aria-label").is_some(), "{address}: {}", field.attributes);
            }
        }
        for name in ["button", "a", "summary"] {
            for tag in of(name) {
                let named = !tag.text().trim().is_empty() || tag.get("aria-label").is_some();
                assert!(named, "{address}: a {name} without a name: {}", tag.attributes);
                let spoken = tag.text().chars().any(char::is_alphanumeric) || tag.get("aria-label").is_some();
                assert!(spoken, "{address}: a {name} with only a sign: {}", tag.text());
            }
        }
        assert!(of("th").iter().all(|head| head.get("scope").is_some()), "{address}: a head of a table without scope");
        assert!(of("iframe").iter().all(|frame| frame.get("title").is_some()), "{address}");
        assert!(
            of("abbr").iter().all(|word| word.get("title").is_some() && word.get("tabindex") == Some("0")),
            "{address}"
        );
        // A picture has its own name, or that of an element that contains only the picture.
        let named = |tag: &Tag<'_>| tag.get("role") == Some("img") && tag.get("aria-label").is_some();
        let pictures = tags.windows(2).filter(|pair| pair[1].name == "svg");
        assert!(pictures.into_iter().all(|pair| pair.iter().any(named)), "{address}: a picture without words");
        let mut ids: Vec<&str> = tags.iter().filter_map(|tag| tag.get("id")).collect();
        ids.sort_unstable();
        assert!(ids.windows(2).all(|pair| pair[0] != pair[1]), "{address}: two of one id: {ids:?}");
    }
}

/// A script that returns the texts and form fields on a page with too little contrast to what is around them. Texts
/// need at least 4.5:1 (WCAG 2.2, criterion 1.4.3), large texts and the edges of fields 3:1.
const TOO_FAINT: &str = "
    const parts = (colour) => (colour.match(/[\\d.]+/g) ?? []).map(Number);
    const over = (top, below) => [0, 1, 2].map((at) => top[at] * (top[3] ?? 1) + below[at] * (1 - (top[3] ?? 1)));
    const light = (colour) => colour.slice(0, 3).map((part) => part / 255)
        .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
        .reduce((sum, part, at) => sum + part * [0.2126, 0.7152, 0.0722][at], 0);
    const behind = (element) => {
        if (!element) return [255, 255, 255];
        const own = parts(getComputedStyle(element).backgroundColor);
        return (own[3] ?? 1) === 1 ? own : over(own, behind(element.parentElement));
    };
    const faint = [];
    for (const element of document.querySelectorAll('body *')) {
        const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
        const field = element.matches('input:not([type=hidden]), select');
        if ((!own && !field) || !element.checkVisibility() || element.closest('svg, .skip')) continue;
        const style = getComputedStyle(element);
        const [back, fore] = [behind(element), parts(style.color)];
        const [a, b] = [light(over(fore, back)), light(back)];
        const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
        const size = parseFloat(style.fontSize);
        const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
        if (ratio < (large ? 3 : 4.5)) faint.push([element.className, element.textContent.slice(0, 40), style.color, back, ratio]);
        if (field) {
            const edge = light(over(parts(style.borderTopColor), back));
            const around = light(behind(element.parentElement));
            const shown = (Math.max(edge, around) + 0.05) / (Math.min(edge, around) + 0.05);
            if (shown < 3) faint.push(['the edge of', element.name, style.borderTopColor, shown]);
        }
    }
    return faint;";

/// Elements that can be used but have no outline when they are focused.
const WITHOUT_FOCUS: &str = "
    const usable = [...document.querySelectorAll('a[href], button, input:not([type=hidden]), select, summary, abbr[tabindex]')];
    return usable.filter((element) => element.checkVisibility()).filter((element) => {
        element.focus({ focusVisible: true });
        const style = getComputedStyle(element);
        return document.activeElement !== element || style.outlineStyle === 'none' || parseFloat(style.outlineWidth) < 2;
    }).map((element) => element.outerHTML.slice(0, 80));";

#[test]
fn every_page_is_readable_and_usable_on_all_screens() {
    let browser = match Browser::start() {
        Ok(browser) => browser,
        Err(why) => {
            println!("skipped: {why}; install chromium and chromium-driver to run this test");
            return;
        }
    };
    let web = crawled();
    let console = ConsoleClient::open(&web.path("jobs"));
    browser.visit(&console.address);
    for address in addresses() {
        // A request without the browser comes first, so that the state of the job is read by then.
        console.get(&address);
        for (width, scheme) in [(1280, "light"), (390, "dark")] {
            browser.resize(width);
            browser.prefer(scheme);
            browser.visit(&format!("http://{}{address}", console.host));
            assert_eq!(browser.script(TOO_FAINT), json!([]), "{address} in {scheme}");
            assert_eq!(browser.script(WITHOUT_FOCUS), json!([]), "{address}");
            let widths = browser.script("return [document.documentElement.scrollWidth, innerWidth]");
            assert!(widths[0].as_u64() <= widths[1].as_u64(), "{address} overflows at {width}: {widths}");
        }
    }

    // With the keyboard only: skips to the content, and sorts the table by a column.
    browser.visit(&format!("http://{}/job/job", console.host));
    let now = || browser.script("return document.activeElement.textContent.trim()");
    browser.press("Tab");
    assert_eq!(now(), "Skip to content");
    browser.press("Enter");
    assert_eq!(browser.script("return document.activeElement.id"), "main");
    let mut reached = Vec::new();
    while now() != "documents" || browser.script("return document.activeElement.tagName") != "A" {
        browser.press("Tab");
        reached.push(now());
        assert!(reached.len() < 100, "{reached:?}");
    }
    browser.press("Enter");
    for _ in 0..200 {
        let sorted = browser.script("return document.querySelector('th[aria-sort]')?.textContent ?? null");
        if sorted == "documents" {
            return;
        }
        crate::crawl_world::pause(std::time::Duration::from_millis(20));
    }
    panic!("nothing was sorted: {}", browser.script("return document.body.innerText").as_str().unwrap_or_default());
}

/// A word's explanation is available without a pointer.
#[test]
fn explanations_of_words_appear_on_focus() {
    let Ok(browser) = Browser::start() else { return };
    let web = crawled();
    let console = ConsoleClient::open(&web.path("jobs"));
    console.get("/");
    browser.visit(&console.address);
    let told = "const word = document.querySelector('abbr'); word.focus(); \
        return [word.title.length > 10, ['none', 'normal'].includes(getComputedStyle(word, '::after').content)]";
    assert_eq!(browser.script(told), json!([true, false]));
}
