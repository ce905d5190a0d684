//! Any bytes are read as a sitemap and as a feed, within their limits.
#![no_main]

use goldminer::address::CrawlUrl;
use goldminer::fetch::{feed, sitemap};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let location = CrawlUrl::parse("https://www.portal.example/sitemap.xml").expect("an address");
    let found = sitemap::parse(bytes, &location);
    assert!(found.urls.len() <= 50_000);
    if let Ok(feed) = feed::parse(bytes, &location) {
        let links: usize = feed.items.iter().map(|item| item.url.as_str().len()).sum();
        assert!(links < 5 << 20, "short links and long bases must not multiply");
    }
});
