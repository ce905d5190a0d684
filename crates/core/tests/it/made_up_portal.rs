//! An invented portal for tests: its articles have enough unique words to learn from.

use std::fmt::Write as _;

use goldminer_core::address::{CrawlUrl, Domain};
use goldminer_core::document::Document;
use goldminer_core::extract::{Extractor, SourcePage};
use goldminer_core::goldminer::learner::Learner;
use goldminer_core::goldminer::profile::DomainProfile;
use goldminer_core::page::Page;

/// A unique sentence for each number.
pub(crate) fn sentence(seed: usize) -> String {
    let nouns = ["river", "council", "teacher", "bridge", "harvest", "engine", "letter", "garden", "station", "winter"];
    let verbs = ["reached", "closed", "praised", "repaired", "counted", "followed", "painted", "forgot", "opened"];
    let pick = |words: &[&'static str], salt: usize| words[(seed * 7 + salt * 13 + seed / 10) % words.len()];
    format!(
        "On the morning of day {seed} the {} of the old {} {} what the {} had said about it, and there was a {} in \
         it that nobody of us {} before the {} of number {seed} was over.",
        pick(&nouns, 1),
        pick(&nouns, 2),
        pick(&verbs, 3),
        pick(&nouns, 4),
        pick(&nouns, 5),
        pick(&verbs, 6),
        pick(&nouns, 7),
    )
}

/// A number in words: to the learner, texts that differ only in digits are the same.
pub(crate) fn word(number: usize) -> String {
    number
        .to_string()
        .bytes()
        .map(|digit| ["ba", "ce", "di", "fo", "gu", "ha", "je", "ki", "lo", "mu"][(digit - b'0') as usize])
        .collect()
}

pub(crate) fn paragraph(article: usize, number: usize) -> String {
    let name = format!("Mr {} {}", word(article), word(number));
    format!(
        "{name} told us so. {} {} So said {name}.",
        sentence(article * 31 + number),
        sentence(article * 17 + number + 5)
    )
}

pub(crate) fn paragraphs(article: usize) -> String {
    (0..5).fold(String::new(), |mut html, number| {
        writeln!(html, "<p>{}</p>", paragraph(article, number)).unwrap();
        html
    })
}

pub(crate) fn comment(article: usize, number: usize) -> String {
    let name = word(article * 100 + number + 7);
    format!(
        "I think that {name} is right about this, and I have seen it with my own eyes when I was in the town of \
         {name}. {}",
        sentence(article * 53 + number)
    )
}

pub(crate) fn title(article: usize) -> String {
    format!("What the town of {} did not know", word(article))
}

const MENU: &str =
    "<ul class=menu><li><a href=/>Home</a><li><a href=/sport>Sport</a><li><a href=/culture>Culture</a></ul>";
pub(crate) const FOOTER: &str = "<div class=footer><p>All rights are reserved by the publisher of this newspaper and by its authors. \
    Nothing of it may be copied, stored or shown in any way without our permission, which you can ask for.</p></div>";

/// A page of the portal, with `main` as its own part.
pub(crate) fn page(n: usize, main: &str) -> String {
    format!("<html><head><title>{} - The Paper</title></head><body>{MENU}{main}{FOOTER}</body></html>", title(n))
}

/// A page of the portal with an article: its title, and `text` below it.
pub(crate) fn story(n: usize, text: &str) -> String {
    page(n, &format!("<div class=story><h1>{}</h1>{text}</div>", title(n)))
}

pub(crate) fn url(path: &str) -> CrawlUrl {
    CrawlUrl::parse(&format!("http://paper.example/{path}")).unwrap()
}

pub(crate) fn domain() -> Domain {
    Domain::named("paper.example")
}

pub(crate) fn learn(pages: impl IntoIterator<Item = (String, String)>) -> DomainProfile {
    let mut learner = Learner::of(domain());
    for (path, html) in pages {
        learner.add_page(&Page::parse(html), Some(&url(&path)));
    }
    learner.learn().expect("a profile")
}

pub(crate) fn articles(count: usize, article: impl Fn(usize) -> String) -> Vec<(String, String)> {
    (1..=count).map(|n| (format!("articles/{n}"), article(n))).collect()
}

pub(crate) fn extract(html: &str, profile: &DomainProfile) -> Option<Document> {
    let (url, domain) = (url("articles/1"), domain());
    let source = SourcePage::new(html.as_bytes(), &domain).with_url(&url).with_content_type("text/html; charset=utf-8");
    match Extractor::default().extract(&source, Some(profile)) {
        Ok(document) => Some(*document),
        Err(_) => None,
    }
}

/// The expected text of an article: headline and paragraphs.
pub(crate) fn whole(n: usize) -> Vec<String> {
    std::iter::once(title(n)).chain((0..5).map(|number| paragraph(n, number))).collect()
}

pub(crate) fn text(html: &str, profile: &DomainProfile) -> Vec<String> {
    let document = extract(html, profile).expect("a document");
    document.paragraphs.into_iter().map(|paragraph| paragraph.text).collect()
}
