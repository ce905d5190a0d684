//! The extractor's thread: hears of domains with new pages, and drives the pipeline of each.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::mpsc::Receiver;
use std::time::Duration;

use crate::address::Domain;
use crate::archive::{OpenFiles, Record};
use crate::engine::EngineError;
use crate::extract::Extractor;
use crate::extract::domain::{DomainExtraction, Horizon, LearningEnd, Phase, ProfileSet, Rules, Standing};
use crate::store::frontier::{FrontierTables, PageEntry};

use super::books::{Books, Parts};
use super::driver::{Entry, Pages, Run, Stored, Until};
use super::stored::stored_page;

/// New pages wait so long for others to be committed with.
const LINGER: Duration = Duration::from_secs(2);

/// What the extraction did in this process.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Progress {
    /// Domains that learned.
    pub learned: Vec<Domain>,
    /// Domains that learned nothing.
    pub unprofiled: Vec<Domain>,
}

/// The thread's state.
pub(crate) struct ExtractorThread {
    books: Books,
    rules: Rules,
    extractor: Extractor,
    profiles: ProfileSet,
    standings: BTreeMap<Domain, Standing>,
    files: OpenFiles,
}

/// The page index of a domain.
struct IndexedPages<'t> {
    domain: &'t Domain,
    tables: &'t FrontierTables,
    archive: &'t Path,
    files: &'t OpenFiles,
    learning_ends: Option<LearningEnd>,
}

impl ExtractorThread {
    pub(crate) fn new(parts: Parts) -> Result<Self, EngineError> {
        let rules = Rules {
            learning_pages: parts.learning_pages,
            least_learning_pages: parts.least_learning_pages,
            ..Rules::default()
        };
        Ok(Self {
            rules,
            extractor: Extractor::default(),
            profiles: parts.domains.profile_set()?,
            standings: BTreeMap::new(),
            files: OpenFiles::default(),
            books: Books::new(parts),
        })
    }

    /// Works until nobody sends any more; then, unless interrupted, ends every domain.
    pub(crate) fn run(mut self, notices: &Receiver<Domain>) -> Result<Progress, EngineError> {
        let mut dirty: BTreeSet<Domain> = self.known_domains()?;
        let clock = self.books.parts.clock;
        loop {
            self.advance(&dirty, None)?;
            dirty.clear();
            match notices.recv() {
                Ok(domain) => dirty.insert(domain),
                Err(_) => break,
            };
            let until = clock.uptime() + LINGER;
            while let Ok(domain) = notices.recv_timeout(until.saturating_sub(clock.uptime())) {
                dirty.insert(domain);
            }
        }
        if self.books.parts.ended.load(Ordering::Acquire) && !self.books.is_stopped() {
            let all = self.known_domains()?;
            self.advance(&all, Some(LearningEnd::NoMorePages))?;
        }
        self.books.close()
    }

    fn known_domains(&self) -> Result<BTreeSet<Domain>, EngineError> {
        let rows = self.books.parts.tables.all_domains();
        rows.map(|row| Ok(Domain::named(&row?.name))).collect()
    }

    /// Does for each domain what can be done now, and makes it durable.
    fn advance(&mut self, domains: &BTreeSet<Domain>, learning_ends: Option<LearningEnd>) -> Result<(), EngineError> {
        for domain in domains {
            if self.books.is_stopped() {
                break;
            }
            self.advance_domain(domain, learning_ends)?;
        }
        self.books.commit()?;
        let learning = self.standings.values().filter(|s| s.phase == Phase::Learning).count();
        let live = &self.books.parts.live;
        live.learning.store(learning, Ordering::Relaxed);
        live.learned.store(self.standings.len() - learning, Ordering::Relaxed);
        Ok(())
    }

    fn advance_domain(&mut self, domain: &Domain, learning_ends: Option<LearningEnd>) -> Result<(), EngineError> {
        let standing = match self.standings.get(domain) {
            Some(standing) => standing.clone(),
            None => self.books.parts.domains.standing(domain)?,
        };
        let progress = self.books.progress(domain)?;
        let mut run = Run {
            machine: DomainExtraction::new(domain.clone(), self.rules, standing, progress),
            profiles: Cow::Owned(std::mem::take(&mut self.profiles)),
            extractor: &self.extractor,
            now: self.books.parts.clock.now(),
        };
        let (tables, archive) = (self.books.parts.tables.clone(), self.books.parts.archive.clone());
        let pages = IndexedPages { domain, tables: &tables, archive: &archive, files: &self.files, learning_ends };
        let advanced = run.advance(&pages, &mut self.books, Until::Done);
        self.profiles = run.profiles.into_owned();
        self.remember(domain, run.machine.standing().clone());
        advanced
    }

    fn remember(&mut self, domain: &Domain, standing: Standing) {
        if let Ok(mut learned) = self.books.parts.learned.write() {
            // As long as more article-like pages could change what is known, they are counted.
            if standing.is_settled(self.rules.learning_pages) {
                learned.insert(domain.clone());
            } else {
                learned.remove(domain);
            }
        }
        self.standings.insert(domain.clone(), standing);
    }
}

impl Pages for IndexedPages<'_> {
    type Page = PageEntry;

    fn horizon(&self) -> Result<Horizon, EngineError> {
        let row = self.tables.domain(self.domain)?.unwrap_or_default();
        Ok(Horizon { pages: row.pages, teaching: Some(row.teaching), learning_ends: self.learning_ends })
    }

    fn entries(&self, from: u64, most: usize) -> Result<Vec<Entry<PageEntry>>, EngineError> {
        let entry = |page: PageEntry| Entry {
            seq: page.seq,
            position: Some(page.position.clone()),
            teaches: page.teaches,
            page,
        };
        self.tables.pages_from(self.domain, from).take(most).map(|page| Ok(entry(page?))).collect()
    }

    fn read(&self, entry: &Entry<PageEntry>) -> Result<Stored, EngineError> {
        let PageEntry { url, position, .. } = &entry.page;
        let page = match self.files.read_record_at(self.archive, position)? {
            Record::Response(capture) => stored_page(*capture, position.clone()),
            // Only a damaged archive explains it.
            _ => None,
        };
        Ok(page.ok_or_else(|| format!("the record of {url} at {}:{} holds no page", position.file, position.offset)))
    }
}
