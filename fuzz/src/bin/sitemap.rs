//! Any bytes are read as a sitemap and as a feed, within their limits.
#![no_main]

use goldminer::address::CrawlUrl;
use goldminer::fetch::{feed, sitemap};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let location = CrawlUrl::parse("https://www.portal.example/sitemap.xml").expect("an address");
    let found = sitemap::parse(bytes, &location);
    assert!(found.urls.len() <= 50_000);
    let _ = feed::parse(bytes, &location);
});
