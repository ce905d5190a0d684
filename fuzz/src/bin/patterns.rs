//! Checks with random input that any text is either a valid pattern or refused with a reason. A valid pattern is
//! written and parsed again without a change, and can be searched for on any page. Profiles are checked in the same
//! way.
#![no_main]

use goldminer_core::goldminer::pattern::ElementPattern;
use goldminer_core::goldminer::profile::DomainProfile;
use goldminer_core::goldminer::sequence::{StartPattern, TagSequence};
use goldminer_core::goldminer::trim;
use goldminer_core::page::Page;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (&str, &str, &str)| {
    let (start, end, page) = input;
    if let Ok(pattern) = start.parse::<ElementPattern>() {
        assert_eq!(pattern.to_string().parse::<ElementPattern>().as_ref(), Ok(&pattern));
    }
    if let Ok(tags) = end.parse::<TagSequence>() {
        assert_eq!(tags.to_string().parse::<TagSequence>().as_ref(), Ok(&tags));
    }
    if let Ok(start) = start.parse::<StartPattern>() {
        assert_eq!(start.to_string().parse::<StartPattern>().as_ref(), Ok(&start));
    }
    let page_of_profile = Page::parse(page.to_owned());
    if let Ok(profile) = DomainProfile::from_toml(page) {
        assert_eq!(DomainProfile::from_toml(&profile.to_toml()).as_ref(), Ok(&profile));
    }
    let quoted = |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"").replace(|c: char| c.is_control(), " ");
    let text = format!("key = \"x\"\n[[template]]\nstart = \"{}\"\nend = \"{}\"\n", quoted(start), quoted(end));
    let alone = format!("key = \"x\"\n[[template]]\nstart = \"{}\"\n", quoted(start));
    for profile in [text, alone].iter().filter_map(|text| DomainProfile::from_toml(text).ok()) {
        if let Ok(trimmed) = trim::trim(&page_of_profile, None, None, &profile) {
            assert!(trimmed.paragraphs.iter().all(|at| *at < page_of_profile.paragraphs().len()));
        }
    }
});
