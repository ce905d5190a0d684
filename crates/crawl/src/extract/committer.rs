//! Writes documents to the corpus and the outcomes of their pages to the database, together in one commit. Then tells
//! the frontier how much new text each page gave.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry as MapEntry;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::SyncSender;

use goldminer_core::extract::domain::{Conclusion, DomainExtraction, ExtractionProgress, Rules};
use goldminer_core::{Document, PageOutcome, Phase, ServingProfile};
use goldminer_corpus::files::early::EarlyWriter;
use goldminer_corpus::forms::jsonl::JsonlWriter;
use goldminer_corpus::{DomainHoldings, Holdings};
use goldminer_html::Domain;

use super::driver::{DocumentSink, PageResult};
use super::reader::Entry;
use crate::frontier::{NO_PREFIX, PageYield};
use crate::limits::fault;
use crate::run::stage_context::StageContext;
use crate::store::extraction::{ExtractionBatch, ExtractionStore, StoreSeen};
use crate::store::frontier::PageEntry;
use crate::store::profiles::ProfileStore;
use crate::{CrawlError, Stop};

/// The most pages of a commit. Each commit ends a compressed frame of the corpus.
const COMMIT: usize = 512;

/// Counters of the extraction in this process.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ExtractionSummary {
    /// Domains that have learned a profile.
    pub learned: Vec<Domain>,
    /// Domains that learned nothing.
    pub unprofiled: Vec<Domain>,
    /// Number of pages of which only the beginning was read.
    pub truncated: u64,
}

/// The resources of the extractor's thread.
pub(crate) struct ExtractorResources {
    pub context: Arc<StageContext>,
    pub extraction: ExtractionStore,
    pub profiles: ProfileStore,
    pub corpus: JsonlWriter,
    /// Writes documents that may be retracted later.
    pub early: EarlyWriter,
    pub rules: Rules,
    pub stop: tokio::sync::watch::Receiver<Stop>,
    /// Set when the crawl has ended normally. Domains that are still learning then learn from the pages that they have.
    pub ended: Arc<AtomicBool>,
    /// Sends the frontier how much new text each page gave.
    pub yields: tokio::sync::mpsc::Sender<Vec<PageYield>>,
    /// Receives the documents that are never retracted.
    pub reader: Option<SyncSender<Document>>,
}

/// Writes documents and outcomes, and holds the group of pages that is committed next.
pub(super) struct CorpusCommitter {
    pub parts: ExtractorResources,
    batch: ExtractionBatch,
    group: Group,
    /// The domain whose pages are being recorded, and its related sites.
    domain: (Domain, Vec<Domain>),
    done: ExtractionSummary,
    /// Domains whose learning state has changed because a person saved a profile.
    saved_of: Vec<Domain>,
}

/// The changes that are committed together.
#[derive(Default)]
struct Group {
    pages: usize,
    yields: Vec<PageYield>,
    /// For each domain in the group, the counts of all its documents, including those of this group.
    holdings: BTreeMap<Domain, DomainHoldings>,
    /// Documents to send to the reader after the commit.
    fresh: Vec<Document>,
    /// Whether documents were retracted. Then the group is committed at the next checkpoint, even if it is small.
    is_urgent: bool,
}

impl CorpusCommitter {
    pub(super) fn new(parts: ExtractorResources) -> Self {
        let (batch, domain) = (parts.extraction.begin(), (Domain::named(""), Vec::new()));
        let (group, done, saved_of) = (Group::default(), ExtractionSummary::default(), Vec::new());
        Self { parts, batch, group, domain, done, saved_of }
    }

    pub(super) fn is_stopped(&self) -> bool {
        *self.parts.stop.borrow() != Stop::No
    }

    /// The domains for which a person saved a profile since the last call.
    pub(super) fn saved_of(&mut self) -> Vec<Domain> {
        std::mem::take(&mut self.saved_of)
    }

    /// Sets the domain whose pages come next, with its related sites `related`. Returns the domain's progress.
    pub(super) fn progress(&mut self, domain: &Domain, related: &[Domain]) -> Result<ExtractionProgress, CrawlError> {
        self.domain = (domain.clone(), related.to_vec());
        Ok(self.batch.progress(domain)?)
    }

    /// Commits the group, and tells the frontier how much new text its pages gave.
    pub(super) fn commit(&mut self) -> Result<(), CrawlError> {
        let (position, early) = (self.parts.corpus.commit()?, self.parts.early.commit()?);
        fault::pass("corpus-committed");
        let group = std::mem::take(&mut self.group);
        for (domain, holdings) in group.holdings {
            self.batch.put_holdings(&domain, &holdings);
        }
        std::mem::replace(&mut self.batch, self.parts.extraction.begin()).commit(position, early)?;
        fault::pass("extracted");
        self.parts.early.stored()?;
        for document in group.fresh {
            if self.parts.reader.as_ref().is_some_and(|reader| reader.send(document).is_err()) {
                self.parts.reader = None;
            }
        }
        if !group.yields.is_empty() {
            // If the receiver is gone, the crawl has ended with an error, which the scheduler returns.
            let _ = self.parts.yields.blocking_send(group.yields);
        }
        Ok(())
    }

    /// The counts of a domain's documents, including those of this group.
    fn holdings(&mut self, domain: &Domain) -> Result<&mut DomainHoldings, CrawlError> {
        Ok(match self.group.holdings.entry(domain.clone()) {
            MapEntry::Occupied(known) => known.into_mut(),
            MapEntry::Vacant(none) => none.insert(self.batch.holdings(domain)?.unwrap_or_default()),
        })
    }

    pub(super) fn close(self) -> Result<ExtractionSummary, CrawlError> {
        self.parts.corpus.close()?;
        Ok(self.done)
    }
}

impl DocumentSink<PageEntry> for CorpusCommitter {
    type Seen<'s> = StoreSeen<'s>;

    fn seen(&mut self) -> StoreSeen<'_> {
        self.batch.seen(&self.domain.0, &self.domain.1)
    }

    fn is_stopped(&self) -> bool {
        self.is_stopped()
    }

    fn record(&mut self, machine: &DomainExtraction, result: PageResult<'_, PageEntry>) -> Result<(), CrawlError> {
        let live = Arc::clone(&self.parts.context.live);
        let mut clean_bytes = 0;
        match (&result.document, result.outcome) {
            (Some(document), _) => {
                if machine.progress().is_early {
                    self.parts.early.write(document)?;
                    self.holdings(machine.domain())?.early.add(document);
                } else {
                    self.parts.corpus.write(document)?;
                    self.holdings(machine.domain())?.kept.add(document);
                    self.group.fresh.extend(self.parts.reader.is_some().then(|| Document::clone(document)));
                }
                fault::pass("written");
                clean_bytes = document.text.len() as u64;
                live.count(|counters| {
                    counters.documents += 1;
                    counters.text_bytes += clean_bytes;
                });
            }
            (None, PageOutcome::Duplicate) => live.count(|counters| counters.duplicates += 1),
            (None, PageOutcome::Unreadable) => {}
            (None, _) => live.count(|counters| counters.without_article += 1),
        }
        self.group.pages += 1;
        let Some(length) =
            result.length.filter(|_| !result.is_again && result.entry.seq >= machine.progress().read_before)
        else {
            return Ok(());
        };
        live.count(|counters| counters.read_bytes += length.wire);
        self.done.truncated += u64::from(length.truncated);
        let PageEntry { url, leads_from, .. } = &result.entry.page;
        // The page that a duplicate repeats has led to the same links before.
        let leads_from = if result.outcome == PageOutcome::Duplicate { NO_PREFIX } else { *leads_from };
        self.group.yields.push(PageYield { url: url.clone(), bytes: length.wire, clean_bytes, leads_from });
        Ok(())
    }

    fn unreadable(&mut self, entry: &Entry<PageEntry>, why: &str) {
        tracing::warn!(url = %entry.page.url, "{}: {why}", entry.page.url);
    }

    fn checkpoint(&mut self, machine: &DomainExtraction) -> Result<(), CrawlError> {
        self.batch.put_progress(machine.domain(), machine.progress());
        if self.group.is_urgent || self.group.pages >= COMMIT { self.commit() } else { Ok(()) }
    }

    fn saved_meanwhile(&mut self) -> Vec<ServingProfile> {
        let saved = self.parts.profiles.saved_meanwhile();
        self.saved_of.extend(saved.iter().map(|serving| Domain::named(&serving.profile.key)));
        saved
    }

    fn conclude(&mut self, machine: &DomainExtraction, conclusion: &mut Conclusion) -> Result<(), CrawlError> {
        self.commit()?;
        let domain = machine.domain();
        match &mut conclusion.serving {
            Some(serving) => {
                self.parts.profiles.learned(domain, serving, &conclusion.learning)?;
                fault::pass("learned");
                self.done.learned.push(domain.clone());
            }
            None => {
                self.parts.profiles.save_learning_state(domain, &conclusion.learning)?;
                if conclusion.learning.phase == Phase::Unprofiled {
                    self.done.unprofiled.push(domain.clone());
                }
            }
        }
        Ok(())
    }

    fn retract(&mut self, machine: &DomainExtraction) -> Result<(), CrawlError> {
        self.commit()?;
        self.parts.early.retract(machine.domain().as_str())?;
        self.holdings(machine.domain())?.early = Holdings::default();
        self.batch.forget(machine.domain())?;
        self.group.is_urgent = true;
        Ok(())
    }
}
