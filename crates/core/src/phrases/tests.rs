//! Tests of the table: its rows, its rules, and an invented language.

use goldminer_html::Page;
use proptest::prelude::*;

use super::*;
use crate::metadata::of_page;
use crate::{Learner, ProfileSet};

const HEADLINE: &str = "Gromel snavit trenk";

#[test]
fn phrases_have_the_form_in_which_they_are_searched() {
    for (name, at) in categories().zip(0..) {
        assert_eq!(category(name), 1 << at, "{name}");
        assert!(PHRASES.list(1 << at).next().is_some(), "{name}");
        for phrase in PHRASES.list(1 << at) {
            let is_lower = phrase.text.chars().flat_map(char::to_lowercase).eq(phrase.text.chars());
            assert!(is_lower || name == "person/organisation", "{name}: {}", phrase.text);
            assert!(PHRASES.is(&phrase.text, 1 << at), "{name}: {}", phrase.text);
            assert!(!phrase.text.starts_with(',') && phrase.text.trim() != "", "{name}");
        }
    }
}

#[test]
fn phrases_are_found_by_their_rule() {
    const SHARING: Categories = category("title/sharing");
    const PUBLISHED: Categories = category("date/published");
    const ORGANISATION: Categories = category("person/organisation");
    const REPLY: Categories = category("comments/reply");
    for text in ["Please SHARE THIS", "查看分享"] {
        assert!(PHRASES.are_in(text, SHARING), "{text}");
    }
    assert!(!PHRASES.are_in("Shar", SHARING) && !PHRASES.are_in("", SHARING));
    let labels = |text: &str| PHRASES.find(text, PUBLISHED).map(|(.., at)| at).collect::<Vec<_>>();
    assert_eq!(labels("first published, 发布: republished"), [6..11, 17..23]);
    let is_organised = |text: &str| PHRASES.find(text, ORGANISATION).next().is_some();
    assert!(is_organised("The Ministry of Rain") && !is_organised("a ministry"));
    let rest = |text: &'static str| PHRASES.at_start(text, REPLY).map(|(_, rest)| rest).collect::<Vec<_>>();
    assert_eq!(rest("ОТВЕТИТЬ Anna"), [" Anna"]);
    assert_eq!(rest("回复"), [""]);
    assert!(rest("No reply").is_empty());
}

#[test]
fn a_new_language_needs_only_rows_of_the_table() {
    let text = "<p>Glom frandel orvik, tamsel dronk, porvalen grint. </p>".repeat(9);
    let lines =
        "<p>Parzu Anna Nagy zund Béla Kis, redzakt</p><p>Publzik 20 zun november 2026 zvor</p><p>Zmodif: 1.12.2026</p>";
    let page = format!("<html lang=qaa><title>{HEADLINE}</title><h1>{HEADLINE}</h1>{lines}{text}");
    let found = of_page(&Page::parse(page.clone()), None);
    assert_eq!(found.authors, ["Anna Nagy", "Béla Kis"]);
    assert_eq!((found.published.as_deref(), found.modified.as_deref()), (Some("2026-11-20"), Some("2026-12-01")));
    let other = page.replace("Parzu", "Porzu").replace(" zun ", " zan ");
    let unknown = of_page(&Page::parse(other), None);
    assert_eq!((unknown.authors.is_empty(), unknown.published), (true, None), "words that are not in the table");
    assert!(names_comments("zurblimar") && names_comments("zurblim-list") && !names_comments("zurblim-page"));
}

#[test]
fn a_new_language_s_titles_above_comments_are_known() {
    let words = |n: u32, salt: u32| {
        let word =
            |at: u32| format!("{}{}", ["grom", "tavel", "snark", "oder"][(at % 4) as usize], n * 97 + salt * 7 + at);
        format!("<p>{}.</p>", (0..30).map(word).collect::<Vec<_>>().join(" "))
    };
    let page = |n: u32, title: &str| {
        let comments: String = (10..14).map(|salt| words(n, salt)).collect();
        let article: String = (0..5).map(|salt| words(n, salt)).collect();
        format!(
            "<title>Trenk {n}</title><ul><li><a href=/>Hom</a></ul><div><h1>Trenk {n}</h1>{article}<h3>{title}</h3>{comments}</div>"
        )
    };
    let kept = |title: &str| {
        let url = |n: u32| format!("https://paper.example/trenk/{n}");
        let mut learner = Learner::new("paper.example").unwrap();
        for n in 1..=20 {
            learner.add(page(n, title), &url(n)).unwrap();
        }
        let document = ProfileSet::from(learner.learn().unwrap()).extract(page(7, title), &url(7)).unwrap();
        document.text.split("\n\n").count()
    };
    assert_eq!((kept("Zurblimar (3)"), kept("Qwarkimar (3)")), (6, 10));
}

proptest! {
    #[test]
    fn no_phrase_is_lost(before in ".{0,9}", which in 0..4_usize, behind in ".{0,9}") {
        let phrase = ["SHARE THIS", "оделиться", "分享", "Tweet"][which];
        let text = format!("{before}{phrase}{behind}");
        prop_assert!(PHRASES.are_in(&text, category("title/sharing")), "{}", text);
    }
}
