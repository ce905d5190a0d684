//! GoldMiner's results on portals with layouts that are difficult for extractors: with a profile learned from all
//! pages of the portal, and without a profile.

use std::collections::{BTreeMap, HashMap};

use goldminer_core::address::{CrawlUrl, Domain};
use goldminer_core::extract::{Extractor, SourcePage};
use goldminer_core::goldminer::learner::Learner;
use goldminer_core::goldminer::profile::DomainProfile;
use goldminer_testkit::portals::place::Kind;
use goldminer_testkit::portals::{Portal, Portals, Size};

/// The least score of the articles with any habit: F of three-word sequences, in hundredths.
const FLOOR: f64 = 97.0;
/// Sequences in texts, in gold texts, and in both.
#[derive(Default)]
struct Shared {
    found: usize,
    wanted: usize,
    both: usize,
    /// Articles without a document.
    missing: usize,
}

impl Shared {
    fn add(&mut self, text: &str, gold: &str) {
        let mut left = sequences(gold);
        self.wanted += left.values().sum::<usize>();
        for (sequence, times) in sequences(text) {
            self.found += times;
            if let Some(there) = left.get_mut(&sequence) {
                self.both += times.min(*there);
            }
        }
        self.missing += usize::from(text.is_empty());
    }

    fn f(&self) -> f64 {
        200.0 * self.both as f64 / (self.found + self.wanted).max(1) as f64
    }
}

fn sequences(text: &str) -> HashMap<Vec<&str>, usize> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let mut sequences = HashMap::new();
    words.windows(3).for_each(|three| *sequences.entry(three.to_vec()).or_default() += 1);
    sequences
}

fn measured(portal: &Portal, profile: Option<&DomainProfile>) -> Shared {
    let (extractor, domain) = (Extractor::default(), Domain::named(&portal.host));
    let mut shared = Shared::default();
    for (path, article) in portal.gold() {
        let (reply, url) = (portal.reply(&path, false), url(portal, &path));
        let source =
            SourcePage::new(&reply.body, &domain).with_url(&url).with_content_type(reply.content_type.as_str());
        let text = match extractor.extract(&source, profile) {
            Ok(document) => document.text,
            Err(_) => String::new(),
        };
        shared.add(&text, &article.text());
    }
    shared
}

fn learn(portal: &Portal) -> Option<DomainProfile> {
    let domain = Domain::named(&portal.host);
    let mut learner = Learner::of(domain.clone());
    let lists = portal.non_articles();
    for path in portal.gold().map(|(path, _)| path).chain(lists) {
        let reply = portal.reply(&path, false);
        let url = url(portal, &path);
        let source = SourcePage::new(&reply.body, &domain).with_content_type(reply.content_type.as_str());
        if let Some(page) = Extractor::read(&source) {
            learner.add_page(&page, Some(&url));
        }
    }
    learner.learn().ok()
}

fn url(portal: &Portal, path: &str) -> CrawlUrl {
    CrawlUrl::parse(&format!("http://{}{path}", portal.host)).unwrap()
}

#[test]
fn articles_are_found_in_every_layout() {
    // In debug builds, a quarter of the articles must be enough.
    let scale = if cfg!(debug_assertions) { 0.25 } else { 1.0 };
    let mut below = Vec::new();
    println!("{:20} {:>8} {:>8} {:>8} {:>8}", "layout", "learned", "missing", "alone", "missing");
    for portal in Portals::odd(&Size { scale, ..Size::default() }).iter() {
        let profile = learn(&portal);
        let (learned, alone) = (measured(&portal, profile.as_ref()), measured(&portal, None));
        let (name, articles) = (&portal.host, portal.newsroom.articles);
        println!("{name:20} {:8.1} {:8} {:8.1} {:8}", learned.f(), learned.missing, alone.f(), alone.missing);
        if learned.f() < FLOOR || 100 * learned.missing >= articles {
            below.push(format!("{name}: F {:.1}, {} of {articles} without a document", learned.f(), learned.missing));
        }
    }
    assert!(below.is_empty(), "{}", below.join("\n"));
}

#[test]
fn comments_without_names_have_their_texts() {
    let portals = Portals::odd(&Size { scale: 0.25, ..Size::default() });
    let portal = portals.iter().find(|portal| portal.host == "nameless-comments.example").unwrap();
    let pages = portal.gold().map(|(path, _)| portal.reply(&path, false).body);
    let html: String = pages.map(|page| String::from_utf8_lossy(&page).into_owned()).collect();
    let (comments, texts) =
        (html.matches("<a href=\"#r\">").count(), html.matches("<div class=\"c2d867b\"><p>").count());
    assert!(comments > 0 && texts == comments, "{texts} of {comments}");
}

#[test]
fn lists_and_galleries_are_rejected_as_such() {
    let mut reasons: BTreeMap<&str, BTreeMap<String, usize>> = BTreeMap::new();
    for portal in Portals::demo(&Size { scale: 0.4, ..Size::default() }).iter() {
        let (profile, domain) = (learn(&portal), Domain::named(&portal.host));
        for path in portal.non_articles() {
            let kind = match portal.place(&path).unwrap().kind {
                Kind::Front | Kind::Section | Kind::Tag => "list",
                Kind::Tags => "index",
                Kind::Gallery => "gallery",
                _ => continue,
            };
            let (reply, url) = (portal.reply(&path, false), url(&portal, &path));
            let source =
                SourcePage::new(&reply.body, &domain).with_url(&url).with_content_type(reply.content_type.as_str());
            let reason = match Extractor::default().extract(&source, profile.as_ref()) {
                Ok(_) => "document".to_owned(),
                Err(why) => format!("{why:?}"),
            };
            *reasons.entry(kind).or_default().entry(reason).or_default() += 1;
        }
    }
    println!("{reasons:?}");
    let share = |kind: &str, reason: &str| {
        let all: usize = reasons[kind].values().sum();
        100 * reasons[kind].get(reason).copied().unwrap_or(0) / all
    };
    // Lists of three teasers, on a portal of 36 articles, are still extracted as articles.
    assert!(share("list", "List") >= 75 && share("list", "document") <= 16, "{reasons:?}");
    assert!(share("gallery", "Gallery") >= 95 && share("gallery", "document") == 0, "{reasons:?}");
}
