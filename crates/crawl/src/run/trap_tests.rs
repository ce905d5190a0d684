//! Crawls a portal of the demo with common crawler traps, using `visit` and the frontier with a test clock. The tests
//! check which traps are closed by the patterns of their URLs, and which only after extraction.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use goldminer_html::{ArchivePosition, Capture, CrawlUrl};
use goldminer_testkit::access_log::Entry;
use goldminer_testkit::portals::{Portal, Portals, Size};
use goldminer_testkit::traps::{Trap, visits, without_visit};
use jiff::Timestamp;

use super::visit::{ParseOptions, visit};
use crate::frontier::{
    Discovery, Exchange, Fetched, Finished, Frontier, FrontierConfig, Lease, NO_PREFIX, Outcome, PageYield,
    RobotsAnswer, Work,
};
use crate::{Store, UrlKind, seeds};

/// The domain learns after this many pages without a new article.
const QUIET: usize = 200;

struct World {
    portal: Arc<Portal>,
    frontier: Frontier,
    now: Timestamp,
    parse_options: ParseOptions,
    asked: Vec<String>,
    payloads: HashMap<Vec<u8>, CrawlUrl>,
    /// The yields of pages, in order, and how many of them were reported to the frontier.
    yields: Vec<PageYield>,
    reported: usize,
    texts: HashSet<u64>,
    last_article: usize,
    _dir: tempfile::TempDir,
}

impl World {
    fn new(traps: &[Trap]) -> Self {
        let size = Size { traps: false, ..Size::default() };
        let portals = Portals::many(1, 30, &size).trapped(1, traps);
        let portal = portals.iter().next().unwrap();
        let start = CrawlUrl::parse(&format!("http://{}/", portal.host)).unwrap();
        let mut config = FrontierConfig {
            portals: vec![seeds::Portal::around("p".to_owned(), start.clone())],
            ..FrontierConfig::default()
        };
        config.politeness.delay = Duration::ZERO;
        let dir = tempfile::tempdir().unwrap();
        let now: Timestamp = "2026-11-20T12:00:00Z".parse().unwrap();
        let mut frontier = Frontier::open(Store::open(dir.path()).unwrap().frontier(), config, now).unwrap();
        let id = frontier.portal("p").unwrap();
        frontier.add(&[Discovery::seed(start, UrlKind::Start, id)], now).unwrap();
        let parse_options = ParseOptions { product_token: "it".to_owned(), respect: Arc::new([]), assess: true };
        Self {
            portal,
            frontier,
            now,
            parse_options,
            asked: Vec::new(),
            payloads: HashMap::new(),
            yields: Vec::new(),
            reported: 0,
            texts: HashSet::new(),
            last_article: 0,
            _dir: dir,
        }
    }

    /// Crawls until nothing is left.
    fn crawl(&mut self, most: usize) {
        while let Some(wakeup) = self.frontier.next_wakeup() {
            self.now = self.now.max(wakeup);
            let Some(lease) = self.frontier.lease(1, usize::MAX, self.now).unwrap().pop() else { continue };
            self.now += Duration::from_millis(1);
            self.answer(lease);
            self.extract();
            assert!(self.asked.len() < most, "no end: {:#?}", self.counted());
        }
        self.frontier.counts().check().unwrap();
    }

    fn answer(&mut self, lease: Lease) {
        let exchange = Exchange { ended: self.now, elapsed: Duration::ZERO, bytes: 1_000, status: Some(200) };
        let Work::Page(work) = lease.work.clone() else {
            let done = Finished::new(lease, Outcome::Robots(RobotsAnswer::AllowAll));
            return self.frontier.finish(vec![Finished { exchange: Some(exchange), ..done }], self.now).unwrap();
        };
        let path = work.url.path_and_query().to_owned();
        let reply = self.portal.reply(&path, false);
        let mut headers = vec![("content-type".to_owned(), reply.content_type.clone())];
        headers.extend(reply.fields.iter().map(|(name, value)| ((*name).to_lowercase(), value.clone())));
        let mut capture = Capture::new(work.url.clone(), self.now, reply.status);
        capture.headers = headers.into_iter().collect();
        capture.body = reply.body.clone();
        let mut read = visit(&work, &capture, &self.parse_options, self.now);
        let original = self.payloads.get(&reply.body).cloned();
        self.payloads.entry(reply.body).or_insert_with(|| work.url.clone());
        let mut gave = None;
        if let Outcome::Fetched(Fetched { page, text, .. }) = &mut read.outcome {
            let is_article = page.is_some_and(|facts| facts.is_article_like);
            let is_new = text.is_none_or(|text| self.texts.insert(text));
            gave = page.is_some().then_some((is_article, is_new));
            if original.is_some() {
                *page = None;
            } else if is_article {
                self.last_article = self.asked.len();
            }
        }
        let number = self.asked.len() as u64;
        let position = ArchivePosition::new("a", number, 1);
        let done = Finished {
            exchange: Some(Exchange { status: Some(reply.status), ..exchange }),
            position: Some(position),
            original: original.clone(),
            discoveries: read.discoveries,
            ..Finished::new(lease, read.outcome)
        };
        self.frontier.finish(vec![done], self.now).unwrap();
        if let (Some((is_article, is_new)), None) = (gave, original) {
            let domain = work.url.site();
            let entry = self.frontier.tables().pages_from(&domain, 0).last().unwrap().unwrap();
            let clean_bytes = if is_article && is_new { 1_000 } else { 0 };
            let leads_from = if is_article && !is_new { NO_PREFIX } else { entry.leads_from };
            self.yields.push(PageYield { url: work.url.clone(), bytes: 1_000, clean_bytes, leads_from });
        }
        self.asked.push(path);
    }

    /// Extracts all fetched pages once the domain has learned, and later pages immediately.
    fn extract(&mut self) {
        if self.reported > 0 || self.asked.len() - self.last_article > QUIET {
            let pages = &self.yields[self.reported..];
            self.frontier.note_yields(pages).unwrap();
            self.reported = self.yields.len();
        }
    }

    fn counted(&self) -> BTreeMap<(String, Trap), usize> {
        let entries: Vec<Entry> = self
            .asked
            .iter()
            .map(|path| Entry { host: self.portal.host.clone(), path: path.clone(), ..Entry::default() })
            .collect();
        visits(&entries, Trap::ALL)
    }

    fn closed(&self) -> Vec<(String, String)> {
        let hosts = self.frontier.hosts(self.now).into_iter().flat_map(|host| host.closed);
        hosts.map(|closed| (closed.pattern, crate::name_of(&closed.rule))).collect()
    }
}

#[test]
fn all_traps_are_closed_and_all_articles_are_found() {
    let mut world = World::new(&Trap::USUAL);
    world.crawl(2_000);
    let asked: HashSet<String> = world.asked.iter().map(|path| without_visit(path)).collect();
    let missed: Vec<String> = world.portal.gold().map(|(path, _)| path).filter(|path| !asked.contains(path)).collect();
    assert!(missed.is_empty(), "{missed:?} behind {:#?}", world.closed());
    let most = world.counted().into_values().max();
    assert!(most <= Some(200), "{:#?} closed by {:#?}", world.counted(), world.closed());
}
