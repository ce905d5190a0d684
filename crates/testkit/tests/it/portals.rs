//! Portals of ordinary size, with profiles learned from their first hundred article-like pages, as in a crawl. All
//! articles are complete, also those with rare layouts.

use goldminer_core::address::{CrawlUrl, Domain};
use goldminer_core::extract::{Extractor, SourcePage};
use goldminer_core::goldminer::learner::Learner;
use goldminer_core::goldminer::profile::DomainProfile;
use goldminer_lab::eval::{Board, Scorer};
use goldminer_testkit::portals::{Portal, Portals, Size};

const ARTICLES: usize = 200;
/// The number of pages to learn from.
const SAMPLE: usize = 100;
/// Every n-th article is scored.
const STEP: usize = 7;

fn url(portal: &Portal, path: &str) -> CrawlUrl {
    CrawlUrl::parse(&format!("http://{}{path}", portal.host)).unwrap()
}

/// Learns from a portal's pages in this order, until the sample is complete.
fn learn(portal: &Portal, paths: impl IntoIterator<Item = String>) -> Option<DomainProfile> {
    let domain = Domain::named(&portal.host);
    let mut learner = Learner::of(domain.clone());
    for path in paths {
        if learner.article_pages() >= SAMPLE {
            break;
        }
        let reply = portal.reply(&path, false);
        let source = SourcePage::new(&reply.body, &domain).with_content_type(reply.content_type.as_str());
        if let Some(page) = Extractor::read(&source) {
            learner.add_page(&page, Some(&url(portal, &path)));
        }
    }
    learner.learn().ok()
}

/// The micro F over a part of the articles, in hundredths.
fn f(portal: &Portal, profile: Option<&DomainProfile>) -> f64 {
    let (domain, mut board) = (Domain::named(&portal.host), Board::default());
    for (path, gold) in portal.gold().step_by(STEP) {
        let (reply, url) = (portal.reply(&path, false), url(portal, &path));
        let source =
            SourcePage::new(&reply.body, &domain).with_url(&url).with_content_type(reply.content_type.as_str());
        let text = match Extractor::default().extract(&source, profile) {
            Ok(document) => document.text,
            Err(_) => String::new(),
        };
        board.add(path, Scorer::fair().score(text.as_bytes(), gold.text().as_bytes()));
    }
    100.0 * board.summary().micro.f
}

#[test]
fn articles_of_rare_layouts_are_complete() {
    let portals = Portals::many(5, ARTICLES, &Size { traps: false, ..Size::default() });
    // The last two portals have several layouts: for articles, columns, tickers and long reads; and tables from
    // before a redesign.
    for portal in portals.iter().skip(3) {
        let newest = (0..60).chain(ARTICLES / 2..ARTICLES).map(|n| portal.article_path(n));
        let profile = learn(&portal, portal.non_articles().into_iter().chain(newest)).expect("a profile");
        let templates: Vec<String> = profile.templates.iter().map(|template| template.bounds()).collect();
        let f = f(&portal, Some(&profile));
        println!("{} {f:.2} {templates:?}", portal.host);
        assert!(f >= 99.4, "{}: F {f:.2} with {templates:?}", portal.host);
    }
}
