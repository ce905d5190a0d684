//! Any bytes are read as a list, a feed or a sitemap, within their limits.
#![no_main]

use goldminer_crawl::fetch::list::{self, List};
use goldminer_html::address::CrawlUrl;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let location = CrawlUrl::parse("https://www.portal.example/sitemap.xml").expect("an address");
    match list::read(bytes, None, &location) {
        Ok(List::Sitemap(map)) => assert!(map.urls.len() <= 50_000),
        Ok(List::Feed(feed)) => {
            let links: usize = feed.items.iter().map(|item| item.url.as_str().len()).sum();
            assert!(links < 5 << 20, "short links and long bases must not multiply");
        }
        Err(_) => {}
    }
});
