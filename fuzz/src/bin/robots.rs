//! Checks with random input that any robots.txt is read in a short time, and gives an answer for any URL.
#![no_main]

use goldminer_fetch::robots::Robots;
use goldminer_html::address::CrawlUrl;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (&str, &[u8])| {
    let (path, body) = input;
    let robots = Robots::parse(body, "goldminer");
    if let Ok(url) = CrawlUrl::parse(&format!("http://portal.example/{path}")) {
        let _ = robots.verdict(&url);
    }
    let _ = (robots.crawl_delay(), robots.sitemaps().len());
});
