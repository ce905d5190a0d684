//! The extractor's thread: receives notices of domains with new pages, and runs the pipeline of each.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

use goldminer_core::extract::domain::{
    AvailablePages, DomainExtraction, LearningEnd, LearningEnds, LearningState, LearningTrigger,
};
use goldminer_core::{Extractor, PageRead, Phase, ProfileSet};
use goldminer_html::Domain;
use goldminer_warc::caught::caught;
use goldminer_warc::{ArchiveError, Record};

use super::committer::{CorpusCommitter, ExtractionSummary, ExtractorResources};
use super::driver::{Run, Until};
use super::reader::{Entry, Length, Pages, StoredResult};
use super::related_sites::{self, Families};
use super::site::Sites;
use crate::CrawlError;
use crate::job::history::marks::Stage;
use crate::run::body::stored_page;
use crate::run::stage_context::StageContext;
use crate::store::frontier::PageEntry;

/// How long new pages wait for others, to be committed together.
const LINGER: Duration = Duration::from_secs(2);

/// The most domains that are processed in one pass and committed together.
const MOST_AT_ONCE: usize = 64;

/// How often learning domains are checked, because some phases end by time alone.
const LOOK_EVERY: Duration = Duration::from_secs(60);

/// A notice from the crawl about a domain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Notice {
    /// The domain has new pages.
    Pages(Domain),
    /// The domain has no more URLs to request for now.
    QueueEmpty(Domain),
}

/// The extractor that runs on a thread of its own, with the state of all domains.
pub(crate) struct ExtractorThread {
    committer: CorpusCommitter,
    extractor: Extractor,
    profiles: ProfileSet,
    states: BTreeMap<Domain, LearningState>,
    /// Decides for each learning domain when it learns.
    trigger: BTreeMap<Domain, LearningTrigger>,
    /// The sites with work to do.
    waiting: SiteQueue,
    /// Groups of related sites.
    families: Families,
    context: Arc<StageContext>,
    /// Whether no more pages are coming.
    is_over: bool,
}

/// The page index of a domain.
struct IndexedPages<'t> {
    domain: &'t Domain,
    context: &'t StageContext,
    sites: Sites<'t>,
    learning_ends: Option<LearningEnds>,
}

impl ExtractorThread {
    pub(crate) fn new(parts: ExtractorResources) -> Result<Self, CrawlError> {
        Ok(Self {
            extractor: Extractor::default(),
            profiles: ProfileSet::of(parts.profiles.profiles()?),
            states: BTreeMap::new(),
            trigger: BTreeMap::new(),
            waiting: SiteQueue::default(),
            families: Families::default(),
            is_over: false,
            context: Arc::clone(&parts.context),
            committer: CorpusCommitter::new(parts),
        })
    }

    /// Works until all senders of notices are dropped. Then it finishes every domain, unless the crawl was interrupted.
    pub(crate) fn run(mut self, notices: &Receiver<Notice>) -> Result<ExtractionSummary, CrawlError> {
        self.add_known()?;
        let clock = self.context.clock;
        loop {
            self.advance()?;
            let patience = if self.waiting.is_empty() { LOOK_EVERY } else { Duration::ZERO };
            match notices.recv_timeout(patience) {
                Ok(notice) => self.note(notice),
                Err(RecvTimeoutError::Timeout) if self.waiting.is_empty() => self.add_learning(),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            let linger = if patience.is_zero() { Duration::ZERO } else { LINGER };
            let until = clock.uptime() + linger;
            while let Ok(notice) = notices.recv_timeout(until.saturating_sub(clock.uptime())) {
                self.note(notice);
            }
        }
        if self.committer.parts.ended.load(Ordering::Acquire) && !self.committer.is_stopped() {
            self.is_over = true;
            self.add_known()?;
            while !self.waiting.is_empty() && !self.committer.is_stopped() {
                self.advance()?;
            }
        }
        self.committer.close()
    }

    fn add_known(&mut self) -> Result<(), CrawlError> {
        for row in self.context.tables.all_domains() {
            let site = Domain::named(&row?.name);
            self.families.add(&site);
            self.families.join(&site, &self.committer.parts.profiles.learning_state(&site)?.siblings);
            self.waiting.add(site, false);
        }
        Ok(())
    }

    fn add_learning(&mut self) {
        self.trigger.keys().for_each(|domain| self.waiting.add(domain.clone(), false));
    }

    fn note(&mut self, notice: Notice) {
        match notice {
            Notice::Pages(domain) => self.waiting.add(domain, false),
            Notice::QueueEmpty(domain) => self.waiting.add(domain, true),
        }
    }

    /// Processes some of the waiting domains, and commits the results.
    fn advance(&mut self) -> Result<(), CrawlError> {
        let context = Arc::clone(&self.context);
        for (domain, queue_is_empty) in self.waiting.take(MOST_AT_ONCE) {
            if self.committer.is_stopped() {
                break;
            }
            let _permit = context.cpu_permits.extraction();
            self.advance_domain(&domain, queue_is_empty)?;
        }
        self.committer.commit()?;
        let learning = self.states.values().filter(|s| s.phase == Phase::Learning).count();
        let learned = self.states.len() - learning;
        self.context.live.count(|counters| (counters.learning, counters.learned) = (learning, learned));
        Ok(())
    }

    fn advance_domain(&mut self, domain: &Domain, queue_is_empty: bool) -> Result<(), CrawlError> {
        for saved in self.committer.saved_of() {
            self.states.remove(&saved);
        }
        let mut state = match self.states.get(domain) {
            Some(state) => state.clone(),
            None => self.committer.parts.profiles.learning_state(domain)?,
        };
        let learning_ends = match state.phase {
            Phase::Learning => self.learning_ends(domain, queue_is_empty)?,
            Phase::Profiled | Phase::Unprofiled => None,
        };
        self.families.add(domain);
        if learning_ends.is_some_and(|ends| ends.pages > 0) {
            state.siblings =
                self.families.find(domain, |site, known| related_sites::sketch(site, known, &self.context))?;
        }
        let related = self.families.of(domain);
        self.profiles.join(domain, related.iter().cloned());
        let progress = self.committer.progress(domain, &related)?;
        let mut run = Run {
            machine: DomainExtraction::new(domain.clone(), self.committer.parts.rules, state, progress),
            profiles: Cow::Owned(std::mem::take(&mut self.profiles)),
            extractor: &self.extractor,
            now: self.context.clock.now(),
        };
        let context = Arc::clone(&self.context);
        let pages = IndexedPages { domain, context: &context, sites: Sites::new(&context), learning_ends };
        let advanced = run.advance(&pages, &mut self.committer, Until::Done);
        self.profiles = run.profiles.into_owned();
        if run.machine.learning().phase != Phase::Learning {
            context.early_results.serve(domain, &self.profiles, run.machine.watches());
        }
        self.remember(domain, run.machine.learning().clone());
        advanced
    }

    /// Returns why the learning phase of a domain ends; None while it continues.
    fn learning_ends(&mut self, domain: &Domain, queue_is_empty: bool) -> Result<Option<LearningEnds>, CrawlError> {
        let wanted = self.committer.parts.rules.learning_pages;
        let trigger = self.trigger.entry(domain.clone()).or_insert_with(|| LearningTrigger::new(wanted));
        for page in self.context.tables.pages_from(domain, trigger.pages()) {
            let page = page?;
            trigger.page(page.is_article_like, page.fetched);
        }
        let ends = trigger.ends(queue_is_empty, self.context.clock.now());
        let over = LearningEnds::new(LearningEnd::NoMorePages, trigger.pages());
        Ok(ends.or(self.is_over.then_some(over)))
    }

    fn remember(&mut self, domain: &Domain, state: LearningState) {
        // Article-like pages are counted as long as more of them could change the profile.
        self.context.set_learned(domain, state.is_settled(self.committer.parts.rules.learning_pages));
        if state.phase != Phase::Learning {
            self.trigger.remove(domain);
        }
        self.states.insert(domain.clone(), state);
    }
}

impl Pages for IndexedPages<'_> {
    type Page = PageEntry;

    fn available(&self) -> Result<AvailablePages, CrawlError> {
        let row = self.context.tables.domain(self.domain)?.unwrap_or_default();
        Ok(AvailablePages::new(row.pages, self.learning_ends))
    }

    fn entries(&self, from: u64, most: usize) -> Result<Vec<Entry<PageEntry>>, CrawlError> {
        let entry = |page: PageEntry| Entry {
            seq: page.seq,
            position: Some(page.position.clone()),
            is_article_like: page.is_article_like,
            page,
        };
        self.context.tables.pages_from(self.domain, from).take(most).map(|page| Ok(entry(page?))).collect()
    }

    fn early_result(
        &self,
        entry: &Entry<PageEntry>,
        profiles: &ProfileSet,
        watches: bool,
    ) -> Result<Option<(PageRead, Length)>, CrawlError> {
        let PageEntry { url, position, .. } = &entry.page;
        let Some(read) = self.context.early_results.take((url, position), profiles, watches) else { return Ok(None) };
        // A result that was made on arrival lacks the host's statements on usage, so it is used only if there are none.
        Ok(self.sites.signals(url)?.is_empty().then_some(read))
    }

    fn read(&self, entry: &Entry<PageEntry>) -> Result<StoredResult, CrawlError> {
        let PageEntry { url, position, .. } = &entry.page;
        let page = match self.context.files.read_record_at(&self.context.archive, position) {
            Ok(Record::Response(capture)) => stored_page(*capture, position.clone()),
            // This happens only with a damaged archive.
            Ok(_) => None,
            Err(damage @ ArchiveError::NoRecord { .. }) => return Ok(Err(damage.to_string())),
            Err(error) => return Err(error.into()),
        };
        let page = match page {
            Some(mut page) => {
                page.signals.extend(self.sites.signals(url)?);
                Some(page)
            }
            None => None,
        };
        Ok(page.ok_or_else(|| format!("the record of {url} at {}:{} holds no page", position.file, position.offset)))
    }

    fn is_suspect(&self, entry: &Entry<PageEntry>) -> bool {
        self.context.marks.suspect(Stage::Text, &entry.page.url).is_some()
    }

    fn guarded<T>(&self, entry: &Entry<PageEntry>, read: impl FnOnce() -> T) -> Result<T, String> {
        let url = &entry.page.url;
        match self.context.marks.read(Stage::Text, url, || caught(read)) {
            Ok(read) => {
                read.map_err(|panic| format!("reading the text of {url} failed: {panic}; please report the page"))
            }
            Err(set_aside) => Err(format!("{url}: {set_aside}")),
        }
    }
}

/// The sites that wait for the extractor, by registrable domain, each with whether its URL queue is empty. Domains take
/// turns, so that a domain with thousands of hosts delays another by no more than one site. The sites of a domain take
/// turns too, so that a site that always has new pages does not block the others.
#[derive(Debug, Default)]
pub(super) struct SiteQueue(Rotation<Rotation<bool>>);

/// Names in alphabetical order that take turns, in a circle.
#[derive(Debug, Default)]
struct Rotation<V> {
    waiting: BTreeMap<Domain, V>,
    /// The name that was taken last.
    last: Option<Domain>,
}

impl<V> Rotation<V> {
    /// Returns the name after the one that was taken last, and remembers it. None if no name waits.
    fn next(&mut self) -> Option<Domain> {
        let behind = self.last.take().map_or(Bound::Unbounded, Bound::Excluded);
        let next = self.waiting.range((behind, Bound::Unbounded)).next().or_else(|| self.waiting.first_key_value());
        self.last = next.map(|(name, _)| name.clone());
        self.last.clone()
    }
}

impl SiteQueue {
    /// Adds a site. If it is added again, the last `queue_is_empty` counts.
    pub(super) fn add(&mut self, site: Domain, queue_is_empty: bool) {
        self.0.waiting.entry(site.registrable()).or_default().waiting.insert(site, queue_is_empty);
    }

    /// Whether no site waits.
    pub(super) fn is_empty(&self) -> bool {
        self.0.waiting.is_empty()
    }

    /// Takes up to `most` sites, one of each domain in turn.
    pub(super) fn take(&mut self, most: usize) -> Vec<(Domain, bool)> {
        std::iter::from_fn(|| self.next()).take(most).collect()
    }

    fn next(&mut self) -> Option<(Domain, bool)> {
        let domain = self.0.next()?;
        let sites = self.0.waiting.get_mut(&domain)?;
        let site = sites.next()?;
        let taken = sites.waiting.remove_entry(&site);
        if sites.waiting.is_empty() {
            self.0.waiting.remove(&domain);
        }
        taken
    }
}

#[cfg(test)]
mod tests {
    use goldminer_html::{ArchivePosition, CrawlUrl};

    use super::*;
    use crate::{Clock, Config, JobDir, Store};

    #[test]
    fn a_missing_record_loses_only_its_own_page() {
        let dir = tempfile::tempdir().unwrap();
        let job = JobDir::new(dir.path());
        job.create().unwrap();
        let store = Store::open(&job.frontier()).unwrap();
        let mut config = Config::default();
        config.crawl.user_agent = "it (+https://it.example)".to_owned();
        let context =
            StageContext::open((&job, &config), &store, Arc::default(), Clock::start(), Arc::default()).unwrap();
        std::fs::create_dir_all(job.archive()).unwrap();
        std::fs::write(job.archive().join("a.warc.gz"), [0; 64]).unwrap();
        let domain = Domain::named("p.example");
        let pages =
            IndexedPages { domain: &domain, context: &context, sites: Sites::new(&context), learning_ends: None };
        let read = |file: &str| {
            let url = CrawlUrl::parse("https://p.example/").unwrap();
            let position = ArchivePosition::new(file, 7, 9);
            let fetched = context.clock.now();
            let page = PageEntry { seq: 0, url, position, fetched, is_article_like: false, leads_from: 0 };
            pages.read(&Entry { seq: 0, position: None, is_article_like: false, page })
        };
        assert!(read("a.warc.gz").unwrap().is_err_and(|why| why.contains("no record at byte 7")));
        assert!(read("b.warc.gz").is_err(), "a missing file ends the crawl");
    }

    fn names(taken: &[(Domain, bool)]) -> Vec<&str> {
        taken.iter().map(|(site, _)| site.as_str()).collect()
    }

    #[test]
    fn a_domain_with_thousands_of_sites_does_not_delay_another() {
        let mut queue = SiteQueue::default();
        (0..5_000).for_each(|host| queue.add(Domain::named(&format!("h{host:04}.flood.example")), true));
        assert_eq!(names(&queue.take(2)), ["h0000.flood.example", "h0001.flood.example"]);
        queue.add(Domain::named("portal.example"), false);
        queue.add(Domain::named("a.news.example"), true);
        let taken = queue.take(4);
        assert_eq!(names(&taken), ["a.news.example", "portal.example", "h0002.flood.example", "h0003.flood.example"]);
        assert_eq!([taken[0].1, taken[1].1], [true, false]);
        assert_eq!(queue.take(usize::MAX).len(), 4_996);
        assert!(queue.is_empty() && queue.take(1).is_empty());
    }

    #[test]
    fn a_site_that_always_has_new_pages_does_not_delay_others() {
        let site = |name: &str| Domain::named(&format!("{name}.platform.example"));
        let mut queue = SiteQueue::default();
        for name in ["anna", "ben", "zoe"] {
            queue.add(site(name), true);
        }
        for name in ["anna", "ben", "zoe", "anna"] {
            assert_eq!(names(&queue.take(1)), [site(name).as_str()]);
            queue.add(site("anna"), false);
        }
    }
}
