//! One folder per behaviour: `tests/pages/<behaviour>/source.html`, and the expected results in `metadata.txt`,
//! `paragraphs.txt`, `links.txt`, `probabilities.txt` or `document.txt`. For a page that is read wrongly, add a folder;
//! no code is needed.
//!
//! The page's address is in a comment on its first line. `UPDATE_EXPECT=1` writes the results into the files that
//! exist (create an empty one to begin); check the differences before you commit them.

use std::fmt::Write;
use std::path::Path;

use goldminer_core::address::{CrawlUrl, Domain};
use goldminer_core::classifier::{Classification, Classifier, Convention};
use goldminer_core::extract::{Extractor, SourcePage};
use goldminer_core::justext::{Thresholds, classify, language};
use goldminer_core::metadata::of_page;
use goldminer_core::page::Page;
use goldminer_core::rights::RobotsRules;

/// What is made from a page, as text.
type Reading = fn(&Page, Option<&CrawlUrl>) -> String;

#[test]
fn pages_are_read_as_expected() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pages");
    let mut behaviours: Vec<_> =
        std::fs::read_dir(folder).expect("tests/pages").map(|entry| entry.expect("an entry").path()).collect();
    behaviours.sort();
    let mut wrong = String::new();
    for behaviour in behaviours.iter().filter(|path| path.is_dir()) {
        let source = std::fs::read_to_string(behaviour.join("source.html")).expect("source.html");
        let address = source.lines().next().and_then(|line| line.strip_prefix("<!-- http")?.split(' ').next());
        let address = address.map(|rest| CrawlUrl::parse(&format!("http{rest}")).expect("an address"));
        let page = Page::parse(source);
        let readings: [(&str, Reading); 5] = [
            ("metadata.txt", metadata),
            ("paragraphs.txt", paragraphs),
            ("links.txt", links),
            ("probabilities.txt", probabilities),
            ("document.txt", document),
        ];
        for (file, reading) in readings {
            let Ok(expected) = std::fs::read_to_string(behaviour.join(file)) else { continue };
            let read = reading(&page, address.as_ref());
            if std::env::var_os("UPDATE_EXPECT").is_some() {
                std::fs::write(behaviour.join(file), read).expect("the expectation can be written");
            } else if read != expected {
                let _ = writeln!(wrong, "{}/{file}\nread:\n{read}\nexpected:\n{expected}", behaviour.display());
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

fn metadata(page: &Page, address: Option<&CrawlUrl>) -> String {
    let found = of_page(page, address);
    let mut lines = String::new();
    for (name, value) in [
        ("title", found.title),
        ("authors", Some(found.authors.join(" | ")).filter(|authors| !authors.is_empty())),
        ("published", found.published),
        ("modified", found.modified),
        ("site name", found.site_name),
        ("section", found.section),
        ("canonical", found.canonical),
        ("declared language", page.declared_language()),
    ] {
        let _ = writeln!(lines, "{name}: {}", value.as_deref().unwrap_or("-"));
    }
    lines
}

/// The page's document without a profile, as paragraphs with their kinds; or the reason why there is none.
fn document(page: &Page, address: Option<&CrawlUrl>) -> String {
    let domain = address.map_or_else(|| Domain::named("pages"), CrawlUrl::domain);
    let source = SourcePage::new(page.text().as_bytes(), &domain).with_url(address);
    match Extractor::default().extract(&source, None) {
        Ok(document) => {
            document.paragraphs.iter().map(|part| format!("{}: {}\n", part.kind.as_str(), part.text)).collect()
        }
        Err(reason) => format!("no article: {reason}\n"),
    }
}

fn paragraphs(page: &Page, _: Option<&CrawlUrl>) -> String {
    let declared = page.declared_language();
    let found = language(page.paragraphs(), &declared.iter().map(String::as_str).collect::<Vec<_>>());
    let classes = classify(page.paragraphs(), found.stoplist, &Thresholds::default());
    let mut lines = format!("stoplist {}\n", found.stoplist.name());
    for (paragraph, class) in page.paragraphs().iter().zip(classes) {
        let path = paragraph.element.map_or_else(|| "-".to_owned(), |id| page.path(id));
        let _ = writeln!(lines, "{class:?} {path}: {}", paragraph.text);
    }
    lines
}

/// The classifier's probabilities. They are equal on every platform, to the last digit.
fn probabilities(page: &Page, _: Option<&CrawlUrl>) -> String {
    let classifications =
        [Convention::Article, Convention::Page].map(|convention| Classifier::of(convention).classify(page));
    let [article, all] = &classifications;
    let mut lines = format!("score {} as an article, {} as a page\n", article.score, all.score);
    for (at, paragraph) in page.paragraphs().iter().enumerate() {
        let mark = |classification: &Classification, mark| if classification.text.contains(&at) { mark } else { '-' };
        let (a, p) = (mark(article, 'a'), mark(all, 'p'));
        let text: String = paragraph.text.chars().take(60).collect();
        let _ = writeln!(lines, "{a}{p} {:4} {:4} {text}", article.probabilities[at], all.probabilities[at]);
    }
    lines
}

fn links(page: &Page, address: Option<&CrawlUrl>) -> String {
    let found = page.links(address.expect("a page with links has an address"));
    let mut lines = String::new();
    for link in found.links {
        let _ = writeln!(lines, "link: {}{}", link.url, if link.nofollow { " nofollow" } else { "" });
    }
    for feed in found.feeds {
        let _ = writeln!(lines, "feed: {feed}");
    }
    let _ = writeln!(lines, "canonical: {}", found.canonical.map_or_else(|| "-".to_owned(), String::from));
    let _ = writeln!(lines, "refresh: {}", found.refresh.map_or_else(|| "-".to_owned(), String::from));
    let rules = RobotsRules::of_page(page, "goldminer");
    let _ = writeln!(lines, "noindex: {}, nofollow: {}", rules.noindex, rules.nofollow);
    lines
}
