//! The encodings of real pages, as people found them (column `charset` in the lab's `meta.tsv`).

use encoding_rs::Encoding;
use goldminer_core::address::CrawlUrl;
use goldminer_core::metadata::of_page;
use goldminer_core::page::Page;
use goldminer_core::page::encoding::decode;

use crate::lab;

#[test]
#[ignore = "needs sets of pages: GOLDMINER_LAB"]
fn real_pages_are_decoded_as_people_read_them() {
    let folder = lab::folder();
    for set in ["big9-2009", "cleaneval-final", "cleanportaleval", "daniel-zh-ru-el", "hu-portals", "l3s-gn1"] {
        let (mut equal, mut all) = (0, 0);
        for page in lab::pages(&folder.join(set)).into_iter().step_by(lab::every()) {
            let label = match page.columns["charset"].as_str() {
                "utf-8-sig" => "utf-8",
                "cp949" => "euc-kr",
                label => label,
            };
            let Some(encoding) = Encoding::for_label(label.as_bytes()) else { continue };
            let decoded = decode(&page.bytes, None);
            all += 1;
            if decoded.text == encoding.decode(&page.bytes).0 {
                equal += 1;
            } else {
                eprintln!("{}: {label}, but {}", page.path, decoded.encoding);
            }
        }
        eprintln!("{set}: {equal} of {all} pages");
        assert!(all > 0, "{set} is not in the lab");
        assert!(equal * 100 >= all * 95, "{set}: more than five pages in a hundred are decoded differently");
    }
}

#[test]
fn a_canonical_address_is_read_in_the_encoding_of_the_page() {
    let html = "<link rel=canonical href='?q=ü'>";
    let address = CrawlUrl::parse("http://p.example/").expect("a URL");
    for (encoding, escape) in [("windows-1252", "%FC"), ("UTF-8", "%C3%BC"), ("UTF-16LE", "%C3%BC"), ("none", "%C3%BC")]
    {
        let page = Page::parse(html.to_owned()).in_encoding(encoding);
        let canonical = of_page(&page, Some(&address)).canonical;
        assert_eq!(canonical, Some(format!("http://p.example/?q={escape}")), "{encoding}");
    }
}
