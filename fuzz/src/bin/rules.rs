//! Checks with random input that any rules for crawlers can be read, in headers and in the markup of a page.

#![no_main]

use goldminer_core::page::Page;
use goldminer_core::rights::RobotsRules;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let mut rules = RobotsRules::default();
    rules.add_header(text, "goldminer");
    let page = Page::parse(format!("<meta name=robots content='{text}'>"));
    let _ = RobotsRules::of_page(&page, "goldminer");
});
