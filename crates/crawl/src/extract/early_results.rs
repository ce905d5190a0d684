//! Caches the results of pages that were extracted when they arrived, because they were parsed for their links anyway.
//! When the extraction comes to a page, it looks here first and otherwise reads the archive. So nothing is lost when
//! this cache drops a result. Pages of domains that are still learning are not extracted on arrival, because their
//! profiles are not known yet.
//!
//! The result of a page depends only on the page and the profiles. A result that was made with outdated profiles is
//! dropped. The extraction decides later whether a result becomes a document.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use goldminer_core::{Extractor, PageRead, ProfileSet, Signal, SourcePage};
use goldminer_fetch::share::lock;
use goldminer_html::{ArchivePosition, Capture, CrawlUrl, Domain, Page};

use super::reader::Length;

/// The most memory for waiting results: some thousands of articles.
const MOST_BYTES: usize = 32 << 20;

/// The bytes of memory that a result takes besides its text.
const PAGE_BYTES: usize = 2 << 10;

/// The profiles of domains that have learned, and the results that were made with them.
#[derive(Debug, Default)]
pub(crate) struct EarlyResults {
    serving: RwLock<HashMap<Domain, Arc<Serving>>>,
    cache: Mutex<ResultCache>,
}

/// The profiles with which arriving pages of a domain are extracted.
#[derive(Debug)]
pub(crate) struct Serving {
    profiles: ProfileSet,
    watches: bool,
}

/// The result of a page that was extracted on arrival.
#[derive(Debug)]
pub(crate) struct EarlyResult {
    read: PageRead,
    length: Length,
    serving: Arc<Serving>,
}

#[derive(Debug)]
struct ResultCache {
    /// The results, by file and offset in the archive.
    pages: HashMap<(String, u64), Box<EarlyResult>>,
    /// The keys of the results, oldest first; some are not in `pages` any more.
    order: VecDeque<(String, u64)>,
    bytes: usize,
    most_bytes: usize,
}

impl Default for ResultCache {
    fn default() -> Self {
        Self { pages: HashMap::new(), order: VecDeque::new(), bytes: 0, most_bytes: MOST_BYTES }
    }
}

impl EarlyResults {
    /// Sets the profiles with which arriving pages of a domain are extracted from now on.
    pub(super) fn serve(&self, domain: &Domain, profiles: &ProfileSet, watches: bool) {
        let serving = Arc::new(Serving { profiles: profiles.of_domain(domain), watches });
        self.serving.write().unwrap_or_else(PoisonError::into_inner).insert(domain.clone(), serving);
    }

    /// The profiles with which arriving pages of a domain are extracted; None while the domain learns.
    pub(crate) fn serving(&self, domain: &Domain) -> Option<Arc<Serving>> {
        self.serving.read().unwrap_or_else(PoisonError::into_inner).get(domain).cloned()
    }

    /// Stores the result of the page at a position. If the memory limit is exceeded, the oldest results are dropped.
    pub(crate) fn keep(&self, position: &ArchivePosition, page: Box<EarlyResult>) {
        lock(&self.cache).push(key(position), page);
    }

    /// Removes and returns the result of the page at a position; None if there is no result, or if it was made with
    /// other profiles than the current ones.
    pub(super) fn take(
        &self,
        (url, position): (&CrawlUrl, &ArchivePosition),
        profiles: &ProfileSet,
        watches: bool,
    ) -> Option<(PageRead, Length)> {
        let page = lock(&self.cache).take(&key(position))?;
        let EarlyResult { mut read, length, serving } = *page;
        let domain = url.site();
        let read_by = serving.profiles.candidates(&domain, Some(url), None);
        let served_by = profiles.candidates(&domain, Some(url), Some(position));
        let is_served = serving.watches == watches
            && read_by.len() == served_by.len()
            && read_by.iter().zip(&served_by).all(|(one, other)| std::ptr::eq(*one, *other));
        if let Ok(document) = &mut read.result {
            document.provenance.warc = Some(position.clone());
        }
        is_served.then_some((read, length))
    }
}

impl Serving {
    /// Extracts a page. `bytes` is its decoded body, and `truncated` says whether the body was cut.
    pub(crate) fn read(
        self: Arc<Self>,
        extractor: &Extractor,
        page: &Page,
        capture: &Capture,
        (bytes, truncated): (&[u8], bool),
    ) -> EarlyResult {
        let (domain, signals) = (capture.url.site(), Signal::of_headers(&capture.headers));
        let source = SourcePage::new(bytes, &domain).with_content_type(capture.content_type()).with_url(&capture.url);
        let truncated = source.truncated || truncated;
        let source = SourcePage { fetched: Some(capture.fetched), signals: &signals, truncated, ..source };
        EarlyResult {
            read: PageRead::of_read(extractor, &self.profiles, page, &source, self.watches),
            length: Length { html: bytes.len() as u64, wire: capture.body.len() as u64, truncated },
            serving: self,
        }
    }
}

impl EarlyResult {
    /// The bytes of memory that the result takes. Its text counts twice, because its paragraphs repeat the text.
    fn bytes(&self) -> usize {
        PAGE_BYTES + self.read.result.as_ref().map_or(0, |document| 2 * document.text.len())
    }
}

impl ResultCache {
    fn push(&mut self, key: (String, u64), page: Box<EarlyResult>) {
        self.bytes += page.bytes();
        self.order.push_back(key.clone());
        self.pages.insert(key, page);
        while self.bytes > self.most_bytes || self.order.len() > self.most_bytes / PAGE_BYTES {
            let Some(oldest) = self.order.pop_front() else { break };
            self.take(&oldest);
        }
    }

    fn take(&mut self, key: &(String, u64)) -> Option<Box<EarlyResult>> {
        let page = self.pages.remove(key)?;
        self.bytes -= page.bytes();
        Some(page)
    }
}

fn key(position: &ArchivePosition) -> (String, u64) {
    (position.file.clone(), position.offset)
}

#[cfg(test)]
mod tests {
    use super::*;
    use goldminer_core::extract::domain::ServingProfile;
    use goldminer_core::goldminer::profile::DomainProfile;

    const HTML: &str =
        "<p>Home</p><div class=story><p>It rained in Rome for a week, and then the sun came out.</p></div>";

    fn profile(start: &str) -> ServingProfile {
        let toml = format!("key = 'portal.example'\n[[template]]\nstart = '{start}'\n");
        ServingProfile::everywhere(toml.parse::<DomainProfile>().unwrap())
    }

    fn position(offset: u64) -> ArchivePosition {
        ArchivePosition::new("portals-20261120-00001.warc.gz", offset, 512)
    }

    /// Extracts a page of the portal on arrival, as a fetcher does.
    fn arrives(early: &EarlyResults, at: u64) -> CrawlUrl {
        let url = CrawlUrl::parse("http://portal.example/rain").unwrap();
        let mut capture = Capture::new(url.clone(), "2026-11-20T12:00:00Z".parse().unwrap(), 200);
        capture.body = HTML.as_bytes().to_vec();
        let domain = url.site();
        let page = Extractor::read(&SourcePage::new(HTML.as_bytes(), &domain)).unwrap();
        let serving = early.serving(&domain).expect("the domain has learned");
        early.keep(
            &position(at),
            Box::new(serving.read(&Extractor::default(), &page, &capture, (HTML.as_bytes(), false))),
        );
        url
    }

    #[test]
    fn a_result_is_kept_and_has_the_archive_position_of_its_page() {
        let (early, profiles) = (EarlyResults::default(), ProfileSet::of([profile("div.story")]));
        early.serve(&Domain::named("portal.example"), &profiles, true);
        let url = arrives(&early, 100);
        let (read, length) = early.take((&url, &position(100)), &profiles, true).expect("it waits");
        let document = read.result.unwrap();
        assert_eq!(document.text, "It rained in Rome for a week, and then the sun came out.");
        assert_eq!((document.provenance.warc, length.html), (Some(position(100)), HTML.len() as u64));
        assert!(early.take((&url, &position(100)), &profiles, true).is_none(), "each result is taken once");
        assert_eq!(early.cache.lock().unwrap().bytes, 0);
    }

    #[test]
    fn a_result_of_an_outdated_profile_is_dropped() {
        let (early, mut profiles) = (EarlyResults::default(), ProfileSet::of([profile("div.story")]));
        early.serve(&Domain::named("portal.example"), &profiles, true);
        let url = arrives(&early, 100);
        profiles.add(profile("div.tale"));
        assert!(early.take((&url, &position(100)), &profiles, true).is_none());
    }

    #[test]
    fn a_result_of_a_profile_for_later_pages_is_dropped() {
        let (early, before) = (EarlyResults::default(), profile("div.story"));
        let mut after = profile("div.tale");
        after.serves_from = Some(position(500));
        let profiles = ProfileSet::of([before, after]);
        early.serve(&Domain::named("portal.example"), &profiles, true);
        for (at, is_served) in [(100, false), (500, true)] {
            let url = arrives(&early, at);
            assert_eq!(early.take((&url, &position(at)), &profiles, true).is_some(), is_served, "{at}");
        }
    }

    #[test]
    fn beyond_the_memory_limit_the_oldest_results_are_dropped() {
        let (early, profiles) = (EarlyResults::default(), ProfileSet::of([profile("div.story")]));
        early.serve(&Domain::named("portal.example"), &profiles, true);
        early.cache.lock().unwrap().most_bytes = 10 * PAGE_BYTES;
        let url = (0..12).map(|at| arrives(&early, at)).last().unwrap();
        assert!(early.cache.lock().unwrap().bytes <= 10 * PAGE_BYTES);
        assert!(early.take((&url, &position(0)), &profiles, true).is_none());
        assert!(early.take((&url, &position(11)), &profiles, true).is_some());
    }
}
