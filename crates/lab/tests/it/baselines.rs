//! The other published systems on arbitrary pages: each of them ends, in time proportional to the size of the page.
//!
//! The sizes are small here, and the bound is generous, for slow machines. To measure pages of realistic size:
//!
//! ```text
//! HOSTILE_MB=10 cargo test --profile fast --test it baselines -- --nocapture --test-threads 1
//! ```

use std::sync::Arc;
use std::time::Duration;

use goldminer_core::address::Domain;
use goldminer_core::extract::{Algorithm, Extractor, PageSystem, SourcePage};
use goldminer_core::justext::Thresholds;
use goldminer_core::page::Page;
use goldminer_core::page::encoding::decode;
use goldminer_lab::boilerpipe::{DecisionTree, Filter};
use goldminer_lab::ncleaner::{Model, Parameters, Trainer};
use goldminer_lab::onion::{Onion, OnionConfig};
use goldminer_lab::{AllText, Boilerpipe, Bte, TreeFilter};
use proptest::prelude::*;
use rayon::prelude::*;

/// The most time for a megabyte of any page. A method exceeds it only if its time is not linear.
const BOUND_FOR_EACH_MB: Duration = Duration::from_secs(10);

fn model(parameters: Parameters) -> Arc<Model> {
    let mut trainer = Trainer::new(parameters);
    trainer.add(&Page::parse("<ul><li>Home<li>Login</ul><p>The council met.".to_owned()), "<p>The council met.\n");
    Arc::new(trainer.train())
}

fn every_method() -> Vec<(&'static str, Algorithm)> {
    fn other(system: impl PageSystem + 'static) -> Algorithm {
        Algorithm::Other(Arc::new(system))
    }
    let density = Boilerpipe { classifier: DecisionTree::TextDensity, filter: Filter::None };
    let largest = Boilerpipe { filter: Filter::LargestContent, ..Boilerpipe::default() };
    vec![
        ("all-text", other(AllText)),
        ("justext", Algorithm::Justext(Box::default())),
        ("justext-inside", Algorithm::Justext(Box::new(Thresholds::inside()))),
        ("bte", other(Bte)),
        ("boilerpipe", other(Boilerpipe::default())),
        ("boilerpipe-density", other(density)),
        ("boilerpipe-largest", other(largest)),
        ("boilerpipe-tree", other(TreeFilter { ancestor: 5, ..TreeFilter::default() })),
        ("ncleaner", Algorithm::Other(model(Parameters::standard()))),
        ("ncleaner-simplified", Algorithm::Other(model(Parameters::simplified()))),
    ]
}

fn extract(method: &Algorithm, text: &str) -> Vec<String> {
    let domain = Domain::named("portal.example");
    let source = SourcePage::new(text.as_bytes(), &domain).with_content_type("text/html; charset=utf-8");
    let source = SourcePage { declared_language: Some("en"), ..source };
    let document = Extractor::default().with_algorithm(method.clone()).extract(&source, None);
    document.map(|document| document.paragraphs.into_iter().map(|part| part.text).collect()).unwrap_or_default()
}

/// The CPU time of this thread. Other programs on the machine do not affect it.
fn cpu_time() -> Duration {
    Duration::try_from(rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime)).unwrap()
}

#[test]
fn no_page_takes_any_method_more_than_linear_time() {
    let megabytes = std::env::var("HOSTILE_MB").ok().and_then(|mb| mb.parse().ok()).unwrap_or(1);
    let size = megabytes * 1_000_000;
    let repeated = |piece: &str| piece.repeat(size / piece.len());
    let pages = [
        ("<div>", repeated("<div>")),
        ("<div>x", repeated("<div>x")),
        ("<", repeated("<")),
        ("words", repeated("word and ")),
        ("one word", repeated("a")),
        ("Han", repeated("新华社北京")),
        ("short paragraphs", repeated("<p>x")),
        ("headings that are the title", format!("<title>a b c d</title>{}", repeated("<h1>a b c d</h1>"))),
        ("a title of parts", format!("<title>{}</title><p>x", repeated("a b c d - "))),
        ("comments", repeated("<p>12 comments")),
        ("links in links", repeated("<a href=x>x ")),
        ("unclosed objects", repeated("<object><p>x")),
        ("unclosed options", repeated("<option>x")),
        ("deep items", format!("{}{}", "<ul><li>".repeat(300), repeated("<div>x</div>"))),
        ("objects beyond the deepest", format!("{}{}", "<div>".repeat(600), repeated("<object>x</object>"))),
        ("line breaks", repeated("x<br>")),
        ("scripts", repeated("<script>x</script>")),
    ];
    let check = |(name, text): &(&str, String)| {
        for (method_name, method) in every_method() {
            let began = cpu_time();
            let paragraphs = extract(&method, text);
            let texts: Vec<&str> = paragraphs.iter().map(String::as_str).collect();
            let kept = Onion::new(OnionConfig::default()).keep(&texts);
            let took = cpu_time() - began;
            eprintln!("{method_name} on {megabytes} MB of {name}: {} ms", took.as_millis());
            assert_eq!(kept.len(), texts.len());
            assert!(took < BOUND_FOR_EACH_MB * megabytes as u32, "{method_name} on {name}: {took:?}");
        }
    };
    pages.par_iter().for_each(check);
}

#[test]
fn every_method_finds_the_article_on_a_plain_news_page() {
    let menu = "<ul>".to_owned() + &"<li><a href=/s>Section</a>".repeat(12) + "</ul>";
    let paragraph = "<p>The council met on Monday to discuss the new bridge, and after four hours of debate the members \
        agreed that they would ask the citizens, who are going to vote in May on what they think about the plan, which \
        is said to cost more than any other in the history of the town.</p>";
    let html = format!(
        "<title>A new bridge for the town | Example</title>{menu}<div id=main><h1>A new bridge for the town</h1>\
         {}</div>{menu}",
        paragraph.repeat(4)
    );
    for (name, method) in every_method() {
        let texts = extract(&method, &html);
        assert_eq!(texts.iter().filter(|text| text.starts_with("The council met")).count(), 4, "{name}: {texts:?}");
        let has_menu = texts.iter().any(|text| text == "Section");
        // A model trained on one page need not recognise menus.
        assert!(name == "all-text" || name.starts_with("ncleaner") || !has_menu, "{name}: {texts:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_bytes_can_be_extracted_from(bytes in prop::collection::vec(any::<u8>(), 0..2_000)) {
        let text = decode(&bytes, None).text.into_owned();
        for (_, method) in every_method() {
            prop_assert!(extract(&method, &text).iter().all(|text| !text.is_empty()));
        }
    }

    #[test]
    fn text_from_any_tag_soup_keeps_the_page_s_order(
        pieces in prop::collection::vec(prop::sample::select(vec![
            "<div>", "</div>", "<p>", "</p>", "<li>", "<a href=x>", "</a>", "<b>", "</b>", "<br>", "<h1>", "</h1>",
            "<table><tr><td>", "</table>", "<script>", "</script>", "<object>", "<svg>", "</svg>", "<title>", "<!--", "-->",
            "one", " ", "two three four five six seven eight nine ten eleven twelve", "新华社", "&amp;", "Comments ",
        ]), 0..120)
    ) {
        let html = pieces.concat();
        let letters = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).collect::<String>();
        for (name, method) in every_method() {
            let mut rest = letters(&html);
            for text in extract(&method, &html) {
                // The letters of each paragraph occur on the page, after those of the previous one.
                for letter in letters(&text).chars() {
                    let at = rest.find(letter);
                    prop_assert!(at.is_some(), "{name}: {text:?} is not in {html:?}");
                    rest = rest.split_off(at.unwrap_or_default() + letter.len_utf8());
                }
            }
        }
    }
}
