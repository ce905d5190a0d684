//! Checks with random input that any bytes can be read as a list, a feed or a sitemap, within the limits.
#![no_main]

use goldminer_fetch::list::{self, ListKind};
use goldminer_html::address::CrawlUrl;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let location = CrawlUrl::parse("https://www.portal.example/sitemap.xml").expect("an address");
    if let Ok(read) = list::read(bytes, None, &location) {
        assert!(read.entries.len() <= 50_000);
        let links: usize = read.entries.iter().map(|entry| entry.url.as_str().len()).sum();
        assert!(read.kind == ListKind::Sitemap || links < 5 << 20, "short links and long bases must not multiply");
    }
});
