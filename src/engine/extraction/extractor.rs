//! The extractor's thread: hears of domains with new pages, learns those that are ready, and has the pages of those that
//! have learned read (`reading`), anew where a portal has changed (`relearn`).

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Receiver;
use std::sync::{Arc, RwLock};
use std::time::Duration;

use crate::address::Domain;
use crate::archive;
use crate::capture::ArchivePosition;
use crate::corpus::jsonl::JsonlWriter;
use crate::extract::Extractor;
use crate::frontier::PageYield;
use crate::store::extraction::ExtractionStore;
use crate::store::frontier::{FrontierTables, PageEntry};

use super::domains::{DomainState, Domains, Phase};
use super::library::ServingProfile;
use super::read::StoredPage;
use super::{LearningPhase, Library};
use crate::engine::clock::Clock;
use crate::engine::fault::{self, Point};
use crate::engine::live::Live;
use crate::engine::{EngineError, Stop};

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
    /// Domains whose pages need not be judged any more.
    pub learned: Arc<RwLock<HashSet<Domain>>>,
    pub learning_pages: u64,
    pub least_learning_pages: u64,
    pub stop: tokio::sync::watch::Receiver<Stop>,
    /// Set when the crawl has ended as it should, so that domains learn from what there is.
    pub ended: Arc<AtomicBool>,
    /// What pages gave, for the frontier.
    pub yields: tokio::sync::mpsc::Sender<Vec<PageYield>>,
}

/// The thread's state.
pub(crate) struct ExtractorThread {
    pub(super) parts: Parts,
    pub(super) extractor: Extractor,
    pub(super) library: Library,
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
            while let Ok(domain) = notices.recv_timeout(until.saturating_sub(self.parts.clock.uptime())) {
                dirty.insert(domain);
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

    pub(super) fn is_stopped(&self) -> bool {
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
        self.read_all(&ready)
    }

    pub(super) fn state(&mut self, domain: &Domain) -> Result<DomainState, EngineError> {
        if let Some(state) = self.states.get(domain) {
            return Ok(state.clone());
        }
        let state = self.parts.domains.state(domain)?;
        self.remember(domain, state.clone());
        Ok(state)
    }

    fn remember(&mut self, domain: &Domain, state: DomainState) {
        if let Ok(mut learned) = self.parts.learned.write() {
            // As long as more article-like pages could change what is known, they are counted.
            if state.is_settled(self.parts.learning_pages) {
                learned.insert(domain.clone());
            } else {
                learned.remove(domain);
            }
        }
        self.states.insert(domain.clone(), state);
    }

    /// Ends the learning phase of a domain whose time has come; begins it again for one that had too few pages when an
    /// earlier crawl ended.
    fn settle(&mut self, domain: &Domain, ending: Ending) -> Result<(), EngineError> {
        let state = self.state(domain)?;
        let Some(row) = self.parts.tables.domain(domain)? else { return Ok(()) };
        let has_new =
            || -> Result<bool, EngineError> { Ok(self.parts.extraction.progress(domain)?.next_page < row.pages) };
        match state.phase {
            Phase::Profiled => return Ok(()),
            Phase::Unprofiled if state.teachers >= self.parts.learning_pages || !has_new()? => return Ok(()),
            Phase::Unprofiled => {
                let read = self.parts.extraction.progress(domain)?.next_page;
                let plain_until = if read > 0 { self.end_of(domain, read - 1)? } else { None };
                self.enter(domain, DomainState { plain_until, ..DomainState::default() }, None)?;
            }
            Phase::Learning => {}
        }
        let plain_until = self.state(domain)?.plain_until;
        let teachers = row.teaching;
        let next = if self.library.covers(domain) {
            tracing::info!(%domain, "{domain} has a profile already: no learning phase");
            Phase::Profiled
        } else if teachers >= self.parts.learning_pages
            || (ending == Ending::Yes && teachers >= self.parts.least_learning_pages)
        {
            return self.learn(domain, teachers, plain_until);
        } else if ending == Ending::Yes {
            tracing::info!(%domain, "{domain} gave only {teachers} article-like pages: jusText serves it alone");
            self.progress.unprofiled.push(domain.clone());
            Phase::Unprofiled
        } else {
            return Ok(());
        };
        self.enter(domain, DomainState { phase: next, teachers, provisional: false, plain_until }, None)
    }

    fn learn(
        &mut self,
        domain: &Domain,
        teachers: u64,
        plain_until: Option<ArchivePosition>,
    ) -> Result<(), EngineError> {
        let (phase, _) = self.sample(domain, 0..=u64::MAX, &[])?;
        let version = self.parts.domains.next_version(domain.as_str())?;
        let Some(profile) = phase.learn(version, self.parts.clock.now()) else {
            tracing::info!(%domain, "{domain}: {teachers} pages teach no pattern: jusText serves it alone");
            self.progress.unprofiled.push(domain.clone());
            let state = DomainState { phase: Phase::Unprofiled, teachers, provisional: false, plain_until };
            return self.enter(domain, state, None);
        };
        tracing::info!(
            %domain,
            "{domain} learned from {} pages: {} templates, fitness {:.2}",
            profile.evidence.taught, profile.templates.len(), profile.evidence.fitness
        );
        self.progress.learned.push(domain.clone());
        // Pages that jusText has served alone keep what they gave.
        let serving = ServingProfile { profile, serves_from: plain_until.clone(), rescues_from: None };
        let provisional = teachers < self.parts.learning_pages;
        self.enter(domain, DomainState { phase: Phase::Profiled, teachers, provisional, plain_until }, Some(serving))
    }

    /// The learning phase over some pages of a domain, and those that teach.
    pub(super) fn sample(
        &self,
        domain: &Domain,
        pages: RangeInclusive<u64>,
        skipped: &[u64],
    ) -> Result<(LearningPhase, Vec<PageEntry>), EngineError> {
        let mut phase = LearningPhase::new(domain, self.parts.learning_pages as usize);
        let mut teachers = Vec::new();
        for entry in self.parts.tables.pages_from(domain, *pages.start()) {
            let entry = entry?;
            if entry.seq > *pages.end() {
                break;
            }
            if skipped.contains(&entry.seq) {
                continue;
            }
            let Some((page, _)) = self.page(&entry)? else { continue };
            let taught = phase.teachers();
            let goes_on = phase.show(&page);
            if phase.teachers() > taught {
                teachers.push(entry);
            }
            if !goes_on {
                break;
            }
        }
        Ok((phase, teachers))
    }

    /// Makes a new state durable, with the profile that it follows from.
    pub(super) fn enter(
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
        self.remember(domain, state);
        Ok(())
    }

    /// Just behind the record of a page: what serves from here on serves the next page.
    pub(super) fn end_of(&self, domain: &Domain, page: u64) -> Result<Option<ArchivePosition>, EngineError> {
        let entry = self.parts.tables.pages_from(domain, page).next().transpose()?;
        Ok(entry.map(|entry| {
            let ArchivePosition { file, offset, length } = entry.position;
            ArchivePosition { file, offset: offset + length, length: 0 }
        }))
    }

    /// The page of an index entry, with its bytes on the wire; none when its record holds no page any more, which only a
    /// damaged archive explains.
    pub(super) fn page(&self, entry: &PageEntry) -> Result<Option<(StoredPage, u64)>, EngineError> {
        let capture = archive::read_at(&self.parts.archive, &entry.position)?;
        let wire_bytes = capture.body.len() as u64;
        let page = StoredPage::of(capture, entry.position.clone());
        if page.is_none() {
            tracing::warn!(url = %entry.url, "the record of {} at {}:{} holds no page", entry.url, entry.position.file, entry.position.offset);
        }
        Ok(page.map(|page| (page, wire_bytes)))
    }
}
