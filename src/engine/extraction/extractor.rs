//! The extractor's thread: hears of domains with new pages, learns those that are ready, extracts those that have learned,
//! and commits documents and cursors together.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Arc, RwLock};
use std::time::Duration;

use rayon::prelude::*;

use crate::address::Domain;
use crate::archive;
use crate::corpus::jsonl::JsonlWriter;
use crate::extract::Extractor;
use crate::store::extraction::{ExtractionBatch, ExtractionStore};
use crate::store::frontier::{FrontierTables, PageEntry};

use super::domains::{DomainState, Domains, Phase};
use super::library::ServingProfile;
use super::read::{Gave, StoredPage, extract};
use super::{Accepted, LearningPhase, Library, accept};
use crate::engine::clock::Clock;
use crate::engine::fault::{self, Point};
use crate::engine::live::Live;
use crate::engine::{EngineError, Stop};

/// Pages that are read and extracted at a time.
const CHUNK: usize = 64;
/// Documents that are committed together, at most: each commit ends a frame of the corpus.
const COMMIT: usize = 512;
/// New pages wait so long for others to be committed with.
const LINGER: Duration = Duration::from_secs(2);

/// Whether more pages will come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// They will: a domain that is still learning waits.
    No,
    /// They will not: domains learn from what there is.
    Yes,
}

/// What the extraction did in this process.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Progress {
    /// Domains that learned.
    pub learned: Vec<Domain>,
    /// Domains that jusText serves alone.
    pub unprofiled: Vec<Domain>,
}

/// What the thread is made of.
pub(crate) struct Parts {
    pub tables: FrontierTables,
    pub extraction: ExtractionStore,
    pub domains: Domains,
    pub corpus: JsonlWriter,
    pub archive: PathBuf,
    pub clock: Clock,
    pub live: Arc<Live>,
    pub learned: Arc<RwLock<HashSet<Domain>>>,
    pub learning_pages: u64,
    pub least_learning_pages: u64,
    pub stop: tokio::sync::watch::Receiver<Stop>,
    /// Set when the crawl has ended as it should, so that domains learn from what there is.
    pub ended: Arc<AtomicBool>,
}

/// The thread's state.
pub(crate) struct ExtractorThread {
    parts: Parts,
    extractor: Extractor,
    library: Library,
    states: BTreeMap<Domain, DomainState>,
    progress: Progress,
}

impl ExtractorThread {
    pub(crate) fn new(parts: Parts) -> Result<Self, EngineError> {
        let library = parts.domains.library()?;
        Ok(Self {
            parts,
            extractor: Extractor::default(),
            library,
            states: BTreeMap::new(),
            progress: Progress::default(),
        })
    }

    /// Works until nobody sends any more; then, unless interrupted, ends every domain.
    pub(crate) fn run(mut self, notices: &Receiver<Domain>) -> Result<Progress, EngineError> {
        let mut dirty: BTreeSet<Domain> = self.known_domains()?;
        loop {
            self.advance(&dirty, Ending::No)?;
            dirty.clear();
            match notices.recv() {
                Ok(domain) => dirty.insert(domain),
                Err(_) => break,
            };
            let until = self.parts.clock.uptime() + LINGER;
            loop {
                match notices.recv_timeout(until.saturating_sub(self.parts.clock.uptime())) {
                    Ok(domain) => dirty.insert(domain),
                    Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => break,
                };
            }
        }
        if self.parts.ended.load(Ordering::Acquire) && !self.is_stopped() {
            let all = self.known_domains()?;
            self.advance(&all, Ending::Yes)?;
        }
        self.parts.corpus.close()?;
        Ok(self.progress)
    }

    fn known_domains(&self) -> Result<BTreeSet<Domain>, EngineError> {
        let rows = self.parts.tables.all_domains();
        rows.map(|row| Ok(Domain::named(&row?.name))).collect()
    }

    fn is_stopped(&self) -> bool {
        *self.parts.stop.borrow() != Stop::No
    }

    /// Does for each domain what can be done now.
    fn advance(&mut self, domains: &BTreeSet<Domain>, ending: Ending) -> Result<(), EngineError> {
        let mut ready = Vec::new();
        for domain in domains {
            if self.is_stopped() {
                return Ok(());
            }
            self.settle(domain, ending)?;
            if self.state(domain)?.phase != Phase::Learning {
                ready.push(domain.clone());
            }
        }
        let learning = self.states.values().filter(|s| s.phase == Phase::Learning).count();
        self.parts.live.learning.store(learning, Ordering::Relaxed);
        self.parts.live.learned.store(self.states.len() - learning, Ordering::Relaxed);
        self.extract_all(&ready)
    }

    fn state(&mut self, domain: &Domain) -> Result<DomainState, EngineError> {
        if let Some(state) = self.states.get(domain) {
            return Ok(state.clone());
        }
        let state = self.parts.domains.state(domain)?;
        if state.phase != Phase::Learning {
            self.mark_learned(domain);
        }
        self.states.insert(domain.clone(), state.clone());
        Ok(state)
    }

    fn mark_learned(&self, domain: &Domain) {
        if let Ok(mut learned) = self.parts.learned.write() {
            learned.insert(domain.clone());
        }
    }

    /// Ends the learning phase of a domain whose time has come.
    fn settle(&mut self, domain: &Domain, ending: Ending) -> Result<(), EngineError> {
        let state = self.state(domain)?;
        if state.phase != Phase::Learning {
            return Ok(());
        }
        let teachers = self.parts.tables.domain(domain)?.map_or(0, |row| row.teaching);
        let next = if self.library.covers(domain) {
            tracing::info!(%domain, "{domain} has a profile already: no learning phase");
            Phase::Profiled
        } else if teachers >= self.parts.learning_pages
            || (ending == Ending::Yes && teachers >= self.parts.least_learning_pages)
        {
            return self.learn(domain, teachers);
        } else if ending == Ending::Yes {
            tracing::info!(%domain, "{domain} gave only {teachers} article-like pages: jusText serves it alone");
            self.progress.unprofiled.push(domain.clone());
            Phase::Unprofiled
        } else {
            return Ok(());
        };
        self.enter(domain, DomainState { phase: next, teachers }, None)
    }

    fn learn(&mut self, domain: &Domain, teachers: u64) -> Result<(), EngineError> {
        let mut phase = LearningPhase::new(domain, self.parts.learning_pages as usize);
        for entry in self.parts.tables.pages_from(domain, 0) {
            let entry = entry?;
            let Some(page) = self.read(&entry)? else { continue };
            if !phase.show(&page) {
                break;
            }
        }
        let version = self.parts.domains.next_version(domain.as_str())?;
        let Some(profile) = phase.learn(version, self.parts.clock.now()) else {
            tracing::info!(%domain, "{domain}: {teachers} pages teach no pattern: jusText serves it alone");
            self.progress.unprofiled.push(domain.clone());
            return self.enter(domain, DomainState { phase: Phase::Unprofiled, teachers }, None);
        };
        tracing::info!(
            %domain,
            "{domain} learned from {} pages: {} templates, fitness {:.2}",
            profile.evidence.taught, profile.templates.len(), profile.evidence.fitness
        );
        self.progress.learned.push(domain.clone());
        let serving = ServingProfile::everywhere(profile);
        self.enter(domain, DomainState { phase: Phase::Profiled, teachers }, Some(serving))
    }

    fn enter(
        &mut self,
        domain: &Domain,
        state: DomainState,
        serving: Option<ServingProfile>,
    ) -> Result<(), EngineError> {
        match serving {
            Some(serving) => {
                self.parts.domains.learned(domain, &serving, &state)?;
                fault::pass(Point::Learned);
                self.library.add(serving);
            }
            None => self.parts.domains.set_state(domain, &state)?,
        }
        self.states.insert(domain.clone(), state);
        self.mark_learned(domain);
        Ok(())
    }

    /// Extracts the waiting pages of the domains, in their order.
    fn extract_all(&mut self, domains: &[Domain]) -> Result<(), EngineError> {
        let store = self.parts.extraction.clone();
        let mut batch = store.begin();
        let mut waiting = 0;
        for domain in domains {
            let mut next = batch.progress(domain)?.next_page;
            loop {
                let entries: Vec<PageEntry> =
                    self.parts.tables.pages_from(domain, next).take(CHUNK).collect::<Result<_, _>>()?;
                let Some(last) = entries.last() else { break };
                next = last.seq + 1;
                waiting += self.extract_chunk(domain, &entries, &mut batch)?;
                batch.progress(domain)?.next_page = next;
                if waiting >= COMMIT {
                    self.commit(batch)?;
                    batch = store.begin();
                    waiting = 0;
                }
                if self.is_stopped() {
                    return self.commit(batch);
                }
            }
        }
        self.commit(batch)
    }

    /// Extracts some pages of a domain; how many there were.
    fn extract_chunk(
        &mut self,
        domain: &Domain,
        entries: &[PageEntry],
        batch: &mut ExtractionBatch<'_>,
    ) -> Result<usize, EngineError> {
        let this = &*self;
        let extracted: Vec<Option<Gave>> = entries
            .par_iter()
            .map(|entry| {
                let page = this.read(entry)?;
                Ok(page.map(|page| extract(&this.extractor, &this.library, &page)))
            })
            .collect::<Result<_, EngineError>>()?;
        for gave in extracted {
            let what = match gave {
                None => "unreadable",
                Some(Gave::Nothing(reason)) => {
                    self.parts.live.without_article.fetch_add(1, Ordering::Relaxed);
                    reason.name()
                }
                Some(Gave::Document(document)) => match accept(document, domain, batch)? {
                    Accepted::New(document) => {
                        self.parts.corpus.write(&document)?;
                        fault::pass(Point::Written);
                        self.parts.live.documents.fetch_add(1, Ordering::Relaxed);
                        "document"
                    }
                    Accepted::Duplicate => {
                        self.parts.live.duplicates.fetch_add(1, Ordering::Relaxed);
                        "duplicate"
                    }
                },
            };
            *batch.progress(domain)?.tally.entry(what.to_owned()).or_default() += 1;
        }
        Ok(entries.len())
    }

    fn commit(&mut self, batch: ExtractionBatch<'_>) -> Result<(), EngineError> {
        let position = self.parts.corpus.commit()?;
        fault::pass(Point::CorpusCommitted);
        batch.commit(&position)?;
        fault::pass(Point::Extracted);
        Ok(())
    }

    /// The page of an index entry; none when its record holds no page any more, which only a damaged archive explains.
    fn read(&self, entry: &PageEntry) -> Result<Option<StoredPage>, EngineError> {
        let capture = archive::read_at(&self.parts.archive, &entry.position)?;
        let page = StoredPage::of(&capture, entry.position.clone());
        if page.is_none() {
            tracing::warn!(url = %entry.url, "the record of {} at {}:{} holds no page", entry.url, entry.position.file, entry.position.offset);
        }
        Ok(page)
    }
}
