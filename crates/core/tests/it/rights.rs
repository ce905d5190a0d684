//! What pages and responses say about rights: cases from the specifications, each named after its specification and
//! section. TDMRep is the final report of 10 May 2024; AI Preferences are draft-ietf-aipref-attach-05 and -vocab-08;
//! RSL is RSL-SPEC-1.0; Google's rules are in "Robots meta tag, data-nosnippet, and X-Robots-Tag specifications".

use goldminer_core::address::{CrawlUrl, Domain};
use goldminer_core::capture::Headers;
use goldminer_core::extract::Extractor;
use goldminer_core::extract::domain::{PageRead, ProfileSet, StoredPage};
use goldminer_core::metadata::rights_of_page;
use goldminer_core::page::Page;
use goldminer_core::rights::{Restriction, Rights, RightsSource, Signal};

use crate::rights_licences::{ACCESS, CONTRADICTIONS, LICENSES};
use crate::rights_opt_outs::{ROBOTS_HEADER, ROBOTS_META, TDMREP, USAGE};

/// The header fields and the page, and the expected result: the restrictions separated by commas, `!` before each
/// subject of contradicting signals, and the licence.
pub(crate) type Case =
    (&'static str, &'static [(&'static str, &'static str)], &'static str, &'static str, Option<&'static str>);

#[test]
fn signals_mean_what_their_specifications_say() {
    let tables = [ROBOTS_HEADER, ROBOTS_META, TDMREP, USAGE, LICENSES, ACCESS, CONTRADICTIONS];
    let mut names: Vec<&str> = tables.iter().flat_map(|cases| cases.iter().map(|case| case.0)).collect();
    assert!(names.len() >= 120, "{} cases", names.len());
    names.sort_unstable();
    assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "two cases have one name");
    let mut wrong = Vec::new();
    for (name, fields, html, expected, license) in tables.into_iter().flatten() {
        let mut signals = Signal::of_headers(&Headers::from_iter(fields.iter().copied()));
        signals.append(&mut rights_of_page(&Page::parse((*html).to_owned())));
        let rights = Rights::of(signals);
        let restricted = rights.restrictions.iter().map(|restriction| restriction.as_str().to_owned());
        let contradicted = rights.contradictions.iter().map(|what| format!("!{what}"));
        let found = restricted.chain(contradicted).collect::<Vec<_>>().join(",");
        if (found.as_str(), rights.license.as_deref()) != (*expected, *license) {
            wrong.push(format!("{name}: {found:?} {:?} instead of {expected:?} {license:?}", rights.license));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn signals_for_one_crawler_are_kept_with_its_name() {
    let page = Page::parse("<meta name=GoogleBot content='noindex, noarchive'>".to_owned());
    let rights = Rights::of(rights_of_page(&page));
    let signals: Vec<_> = rights.signals.iter().map(|s| (s.agent.as_deref(), s.value.as_str())).collect();
    assert_eq!(signals, [(Some("googlebot"), "noindex"), (Some("googlebot"), "noarchive")]);
    assert!(rights.restrictions.is_empty());
}

#[test]
fn notices_and_holders_are_kept_unchanged() {
    let html = r#"<meta name="DC.Rights" content="© 2026 The &amp; Portal"><script type="application/ld+json">
        {"@type":"NewsArticle","headline":"A","copyrightHolder":{"@type":"Organization","name":"The Portal Ltd."},
        "copyrightNotice":"All rights reserved."}</script>"#;
    let rights = Rights::of(rights_of_page(&Page::parse(html.to_owned())));
    let signals: Vec<_> = rights.signals.iter().map(|s| (s.source, s.name.as_str(), s.value.as_str())).collect();
    assert_eq!(
        signals,
        [
            (RightsSource::JsonLd, "copyrightholder", "The Portal Ltd."),
            (RightsSource::JsonLd, "copyrightnotice", "All rights reserved."),
            (RightsSource::Meta, "dc.rights", "© 2026 The & Portal"),
        ]
    );
}

#[test]
fn open_licences_differ_from_those_that_reserve_rights() {
    for (license, is_creative_commons, is_open) in [
        ("https://creativecommons.org/licenses/by/4.0/", true, true),
        ("http://creativecommons.org/licenses/by-sa/3.0/deed.hu", true, true),
        ("https://creativecommons.org/publicdomain/zero/1.0/", true, true),
        ("https://creativecommons.org/publicdomain/mark/1.0/", true, true),
        ("https://creativecommons.org/licenses/by-nc/4.0/", true, false),
        ("https://creativecommons.org/licenses/by-nd-nc/1.0/", true, false),
        ("CC BY-SA 4.0", true, true),
        ("CC-BY-NC-ND-4.0", true, false),
        ("CC0 1.0", true, true),
        ("https://creativecommons.org/", false, false),
        ("https://portal.example/terms", false, false),
        ("All rights reserved", false, false),
    ] {
        let rights = Rights::of(vec![Signal::new(RightsSource::Link, "license", license)]);
        assert_eq!((rights.is_creative_commons(), rights.is_open()), (is_creative_commons, is_open), "{license}");
    }
}

#[test]
fn a_relative_licence_url_is_resolved_on_the_page_s_site() {
    let text = "<p>It rained in Rome for a week, and then the sun came out over all of the old houses.</p>".repeat(5);
    for (href, expected) in [
        ("/terms", "https://portal.example/terms"),
        ("../terms", "https://portal.example/terms"),
        ("//creativecommons.org/licenses/by/4.0/", "https://creativecommons.org/licenses/by/4.0/"),
        ("CC BY 4.0", "CC BY 4.0"),
    ] {
        let html = format!("<link rel=license href='{href}'>{text}").into_bytes();
        let url = CrawlUrl::parse("https://portal.example/a/1").unwrap();
        let mut page = StoredPage::new(url.domain(), html);
        page.url = Some(url);
        let read = PageRead::of(&Extractor::default(), &ProfileSet::default(), &page, false);
        assert_eq!(read.result.unwrap().rights.license.as_deref(), Some(expected), "{href}");
    }
}

#[test]
fn a_page_is_noindex_after_its_unavailable_after_date() {
    let text = "<p>It rained in Rome for a week, and then the sun came out over all of the old houses.</p>".repeat(5);
    let rights = |rule: &str, in_header: bool, fetched: &str| {
        let meta = format!("<meta name=robots content='{rule}'>");
        let mut page = StoredPage::new(
            Domain::named("portal.example"),
            format!("{}{text}", if in_header { "" } else { &meta }).into_bytes(),
        );
        if in_header {
            page.signals = Signal::of_headers(&Headers::from_iter([("x-robots-tag", rule)]));
        }
        page.fetched = Some(fetched.parse().unwrap());
        PageRead::of(&Extractor::default(), &ProfileSet::default(), &page, false).result.unwrap().rights
    };
    let rule = "unavailable_after: Fri, 25 Jun 2010 15:00:00 GMT, noarchive";
    for in_header in [true, false] {
        let before = rights(rule, in_header, "2010-06-25T14:59:59Z");
        assert_eq!(before.restrictions, [Restriction::Noarchive]);
        assert_eq!(before.signals[0].value, "unavailable_after: 2010-06-25T15:00:00Z", "it is recorded in any case");
        let after = rights(rule, in_header, "2010-06-25T15:00:00Z");
        assert_eq!(after.restrictions, [Restriction::Noindex, Restriction::Noarchive]);
    }
    let of_another = rights("otherbot: unavailable_after: 2010-06-25", true, "2026-01-01T00:00:00Z");
    assert!(of_another.restrictions.is_empty() && of_another.signals.len() == 1);
    assert!(rights("unavailable_after: soon", true, "2026-01-01T00:00:00Z").is_empty());
}

#[test]
fn rights_come_back_from_json_as_they_were() {
    let mut signals =
        Signal::of_headers(&Headers::from_iter([("tdm-reservation", "1"), ("Link", "</t>; rel=license")]));
    signals[0].fetched = Some("2026-11-20T09:15:00Z".parse().unwrap());
    let rights = Rights::of(signals);
    let json = serde_json::to_string(&rights).unwrap();
    assert!(json.contains("\"fetched\":\"2026-11-20T09:15:00.000000000Z\""), "{json}");
    assert_eq!(serde_json::from_str::<Rights>(&json).unwrap(), rights);
}

#[test]
fn a_page_that_repeats_a_signal_has_rights_of_limited_size() {
    let html = (0..2_000).map(|n| format!("<a rel=license href=/{n}{}>x</a>", "l".repeat(3_000))).collect::<String>();
    let rights = Rights::of(rights_of_page(&Page::parse(html)));
    assert!(rights.signals.len() <= 64 && rights.signals.iter().all(|signal| signal.value.len() <= 1_000));
}

#[test]
fn rules_for_other_crawlers_do_not_hide_the_page_s_noai() {
    let agents = (0..100).map(|n| format!("bot{n}: noindex")).collect::<Vec<_>>().join(", ");
    let mut signals = Signal::of_headers(&Headers::from_iter([("X-Robots-Tag", &*agents)]));
    signals.extend(rights_of_page(&Page::parse("<meta name=robots content=noai>".to_owned())));
    assert_eq!(Rights::of(signals).restrictions, [Restriction::Noai]);
}
