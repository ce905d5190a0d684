//! Checks with random input that any page is split into tags and text that do not overlap, and that its elements and
//! paragraphs lie within it.
#![no_main]

use goldminer_core::address::CrawlUrl;
use goldminer_core::page::{Page, Reading, Tokens};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes).into_owned();
    let mut end = 0;
    for token in Tokens::new(&text) {
        assert!(token.span.start >= end && token.span.end >= token.span.start, "tokens overlap");
        assert!(text.get(token.span.range()).is_some(), "a token cuts a character");
        end = token.span.end;
    }
    assert!(end as usize <= text.len());
    let address = CrawlUrl::parse("https://www.portal.example/news/").expect("an address");
    for reading in [Reading::Article, Reading::Justext] {
        let page = Page::parse_as(text.clone(), reading);
        for element in page.elements() {
            assert!(
                element.start <= element.content && element.content <= element.close && element.close <= element.end
            );
        }
        for paragraph in page.paragraphs() {
            assert!(!paragraph.text.is_empty() && text.get(paragraph.span.range()).is_some());
        }
        let _ = (page.links(&address), goldminer_core::metadata::of_page(&page, Some(&address)));
    }
});
