//! Hostile pages in a real browser, through the console: nothing in them runs, and no request, not even a DNS lookup,
//! goes anywhere but to the console. Skipped, with a message, if no browser is installed.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::console_client::ConsoleClient;
use crate::crawl_world::{LONG, pause, run};
use crate::hostile::pages::{ELSEWHERE, PAGES, hostile};
use crate::small_web::{SmallWeb, links};
use crate::webdriver::Browser;

/// A server that notes all requests to the hosts that pages link to.
struct Canary {
    port: u16,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Canary {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let notes = Arc::clone(&asked);
        // It ends with the tests.
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let mut line = String::new();
                let _ = BufReader::new(&stream).read_line(&mut line);
                notes.lock().unwrap().push(line);
                let page = "<script>window.pwned=1</script>";
                let head = "HTTP/1.1 200 x\r\nContent-Type: text/html\r\nConnection: close\r\n";
                let _ = write!(&stream, "{head}Content-Length: {}\r\n\r\n{page}", page.len());
            }
        });
        Self { port, asked }
    }

    fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

/// A portal of hostile pages, crawled into `jobs/job`.
fn crawled() -> SmallWeb {
    let web = SmallWeb::raw(|_, path| {
        let number = path.trim_start_matches('/').strip_suffix(".html").and_then(|n| n.parse::<usize>().ok());
        match number {
            None if path == "/" => {
                let all: Vec<String> = (0..PAGES).map(|number| format!("/{number}.html")).collect();
                let (_, kind, page) = links(&all.iter().map(String::as_str).collect::<Vec<_>>());
                Some((kind, page.into_bytes()))
            }
            None => None,
            Some(number) => Some(hostile(number)),
        }
    });
    let seeds = web.seeds(&["portal.example"]);
    let ran = run(web.command(&["crawl", "-q"]).arg(seeds).arg("--dir").arg(web.path("jobs/job")), LONG);
    assert!(matches!(ran.code(), Some(0 | 4)), "{ran:?}");
    web
}

/// Parts that must not be in a stored page as it is shown.
const FORBIDDEN: &str = "script,link,base,meta[http-equiv],object,embed,iframe,frame,form,input,svg,math,img,video,audio,\
    template,body style,[href],[src],[style],[srcset],[ping],[background],[onclick],[onerror],[onload]";

#[test]
fn no_hostile_page_runs_scripts_or_sends_requests() {
    let (canary, folder) = (Canary::start(), tempfile::tempdir().unwrap());
    let net_log = folder.path().join("net.json");
    let rules =
        format!("--host-resolver-rules=MAP {ELSEWHERE} 127.0.0.1:{0}, MAP *.{ELSEWHERE} 127.0.0.1:{0}", canary.port);
    let browser = match Browser::start_with(&[&rules, &format!("--log-net-log={}", net_log.display())]) {
        Ok(browser) => browser,
        Err(why) => {
            println!("skipped: {why}; install chromium and chromium-driver to run this test");
            return;
        }
    };
    let web = crawled();
    let console = ConsoleClient::open(&web.path("jobs"));
    let own = format!("http://{}/", console.host);
    browser.visit(&console.address);
    let page =
        |what: &str, number: usize| format!("{own}job/job/{what}?url=http%3A%2F%2Fportal.example%2F{number}.html");
    #[allow(clippy::disallowed_methods)] // the duration is printed
    let began = Instant::now();
    for number in 0..PAGES {
        browser.visit(&page("url", number));
        let look = "document.querySelector('main iframe')?.setAttribute('loading', 'eager'); \
            return [window.pwned ?? null, document.title.endsWith('GoldMiner'), document.scripts.length, \
            document.querySelectorAll('main script, main link, main base, main meta, main object, main embed, main img, main [onerror]').length, \
            document.querySelectorAll('main iframe').length <= 1]";
        assert_eq!(browser.script(look), json!([null, true, 1, 0, true]), "the page of {number}: {}", body(&browser));
        let stored = stored(&browser, &page("stored", number));
        assert_eq!(stored, json!([true, null, "-", 0]), "the stored page {number}: {}", body(&browser));
    }
    let list = ["portal?name=portal.example", "portals"];
    let edited = (0..PAGES).step_by(20).map(|number| page("edit", number));
    for address in list.iter().map(|what| format!("{own}job/job/{what}")).chain(edited) {
        browser.visit(&address);
        let look = "return [window.pwned ?? null, document.scripts.length, location.href.startsWith(arguments[0])]";
        let seen = browser.script(&look.replace("arguments[0]", &json!(own).to_string()));
        assert_eq!(seen, json!([null, 1, true]), "{address}: {}", body(&browser));
    }
    println!("{PAGES} pages, each alone and beside its blocks: {:.1} s", began.elapsed().as_secs_f64());

    let refused: Vec<String> = browser.console().into_iter().filter(|said| !said.contains("favicon")).collect();
    assert!(refused.is_empty(), "the policy refused requests that should not have been made: {refused:?}");
    assert_eq!(canary.asked(), Vec::<String>::new());
    let asked = browser.requests();
    let foreign: Vec<&String> = asked
        .iter()
        .filter(|url| !url.starts_with(&own) && !url.starts_with("data:") && !url.starts_with("chrome:"))
        .collect();
    assert!(asked.len() > PAGES && foreign.is_empty(), "{foreign:?}");
    // The log is complete when the browser has ended.
    drop(browser);
    let names = names_of(&net_log);
    assert!(names.contains(&console.host) && !names.contains(ELSEWHERE), "a name was looked up");

    // A control test: all of this would have been noticed.
    let browser = Browser::start_with(&[&rules, &format!("--log-net-log={}", net_log.display())]).unwrap();
    browser.visit(&format!("http://control.{ELSEWHERE}/"));
    assert_eq!((canary.asked().is_empty(), browser.script("return window.pwned ?? null")), (false, json!(1)));
    drop(browser);
    assert!(names_of(&net_log).contains(ELSEWHERE));
}

/// The state of a stored page: whether it is loaded, whether its scripts ran, its title, and the number of forbidden
/// elements. The console shows the page in a frame beside the page's blocks; without a frame, it is opened alone.
fn stored(browser: &Browser, address: &str) -> Value {
    let look = format!(
        "return [document.readyState === 'complete' && location.pathname.endsWith('/stored'), window.pwned ?? null, \
        document.title, document.querySelectorAll({FORBIDDEN:?}).length]"
    );
    for _ in 0..500 {
        match browser.script_in("main iframe", &look) {
            Some(seen) if seen[0] == true => return seen,
            Some(_) => pause(Duration::from_millis(10)),
            None => {
                browser.visit(address);
                return browser.script(&look);
            }
        }
    }
    Value::Null
}

/// Returns the network events in the browser's log. The name of a stored page's host may occur there only in addresses
/// of the console.
fn names_of(log: &Path) -> String {
    let log = String::from_utf8_lossy(&std::fs::read(log).unwrap_or_default()).into_owned();
    // The log begins with the browser's own command line.
    log.split_once("\"events\"").map_or_else(String::new, |(_, events)| events.to_owned())
}

fn body(browser: &Browser) -> Value {
    browser.script("return document.documentElement.outerHTML.slice(0, 6000)")
}
