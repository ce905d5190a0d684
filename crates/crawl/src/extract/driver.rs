//! Drives the pipeline of one domain: executes the steps that [`DomainExtraction`] asks for. A crawl,
//! `goldminer rebuild` and `goldminer extract` all use this driver. They differ in the source of pages ([`Pages`]) and
//! in the use of results ([`DocumentSink`]). While one chunk of pages is recorded, the next is read in parallel.

use std::borrow::Cow;
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use goldminer_core::document::Access;
use goldminer_core::extract::domain::{
    Conclusion, DomainExtraction, Fingerprint, Fit, LearnReason, LearningTask, PageDecision, PageReading,
    RelearnReason, Seen, Step,
};
use goldminer_core::goldminer::learner::LEAST_PAGES;
use goldminer_core::{Document, Extractor, PageOutcome, PageRead, ProfileSet, ServingProfile, StoredPage};
use goldminer_corpus::figures::counted;
use goldminer_fetch::share::lock;
use jiff::Timestamp;

use super::domains::{imported_state, keep_manual_edits};
use super::reader::{CHUNK, Chunk, Entry, KEPT_BYTES, KeptPages, Length, Pages, ReadResult, Reader, side_by_side};
use crate::CrawlError;

/// The result of extracting a page.
pub struct PageResult<'e, P> {
    /// The page.
    pub entry: &'e Entry<P>,
    /// The page's length; None if the page could not be read.
    pub length: Option<Length>,
    /// A document, or the reason why there is none.
    pub outcome: PageOutcome,
    /// The document of the page, if it goes into the corpus.
    pub document: Option<Box<Document>>,
    /// Whether the page was extracted before, and gave no document then.
    pub is_again: bool,
}

/// Receives the results of pages.
pub trait DocumentSink<P>: Send {
    /// Earlier texts of the domain.
    type Seen<'s>: Seen<Error: Into<CrawlError>>
    where
        Self: 's;

    /// The earlier texts of the domain, for deduplication.
    fn seen(&mut self) -> Self::Seen<'_>;
    /// Whether to stop. A later run does the rest.
    fn is_stopped(&self) -> bool {
        false
    }
    /// Removes the paragraphs that an earlier document of any domain has. Returns None if nothing is left.
    fn peel(&mut self, document: Box<Document>) -> Option<Box<Document>> {
        Some(document)
    }
    /// The outcome of a page whose document is filtered out; None if the document is wanted.
    fn unwanted(&self, _: &Document) -> Option<PageOutcome> {
        None
    }
    /// Records the outcome of a page.
    fn record(&mut self, machine: &DomainExtraction, result: PageResult<'_, P>) -> Result<(), CrawlError>;
    /// Reports a page that could not be read.
    fn unreadable(&mut self, entry: &Entry<P>, why: &str);
    /// Saves the progress of the domain.
    fn checkpoint(&mut self, machine: &DomainExtraction) -> Result<(), CrawlError>;
    /// Stores the result of learning (a conclusion) durably. Profiles saved by people meanwhile take precedence.
    fn conclude(&mut self, machine: &DomainExtraction, conclusion: &mut Conclusion) -> Result<(), CrawlError>;
    /// The profiles of any domain that people have saved since the last call.
    fn saved_meanwhile(&mut self) -> Vec<ServingProfile> {
        Vec::new()
    }
    /// Retracts all documents of the domain.
    fn retract(&mut self, machine: &DomainExtraction) -> Result<(), CrawlError>;
}

/// The extraction of one domain.
#[derive(Clone)]
pub struct Run<'r> {
    /// The state of the domain's pipeline.
    pub machine: DomainExtraction,
    /// The current profiles.
    pub profiles: Cow<'r, ProfileSet>,
    /// Extracts the pages.
    pub extractor: &'r Extractor,
    /// When the run began.
    pub now: Timestamp,
}

/// When a run ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Until {
    /// When nothing is left to do, or the sink stops it.
    Done,
    /// When the domain has learned, before the first page is extracted.
    Learned,
}

impl Run<'_> {
    /// Executes the steps until the given end.
    pub fn advance<P: Pages, O: DocumentSink<P::Page>>(
        &mut self,
        pages: &P,
        sink: &mut O,
        until: Until,
    ) -> Result<(), CrawlError> {
        let (mut ahead, kept): (Chunk<P::Page>, _) = (Vec::new(), KeptPages::default());
        while !sink.is_stopped() {
            let saved = sink.saved_meanwhile();
            if !saved.is_empty() {
                ahead.clear();
            }
            for serving in saved {
                if serving.profile.key == self.machine.domain().as_str() {
                    let state = imported_state(self.machine.learning());
                    self.machine.enter(&Conclusion::from(state));
                }
                self.profiles.to_mut().add(serving);
            }
            let step = self.machine.next(pages.available()?, &self.profiles);
            if !matches!(step, Step::Read { .. } | Step::Rescue { .. }) {
                // The step may change the profile, and these pages were read with the present version.
                ahead.clear();
            }
            match step {
                Step::Wait => break,
                Step::Enter(state) => self.enter(Conclusion::from(state), sink)?,
                Step::Learn(task) => self.learn(&task, pages, sink, (&kept, until))?,
                Step::Restart => {
                    sink.retract(&self.machine)?;
                    self.machine.restart();
                    sink.checkpoint(&self.machine)?;
                }
                Step::Read { .. } if until == Until::Learned => break,
                Step::Read { from } => {
                    let (extractor, watches) = (self.extractor, self.machine.watches());
                    let reader = Reader { kept: &kept, extractor, profiles: &self.profiles, watches };
                    let mut chunk = std::mem::take(&mut ahead);
                    if chunk.first().is_none_or(|(entry, _)| entry.seq != from) {
                        chunk = reader.read(pages, from, CHUNK)?;
                    }
                    let Some(then) = chunk.last().map(|(entry, _)| entry.seq + 1) else {
                        let domain = self.machine.domain();
                        return Err(CrawlError::Defect(format!("page {from} of {domain} is not listed")));
                    };
                    // At most two chunks wait to be recorded, so nothing is read ahead while more than one waits.
                    let most = if chunk.len() > CHUNK { 0 } else { CHUNK };
                    let (machine, profiles) = (&mut self.machine, &*self.profiles);
                    let (left, following) =
                        rayon::join(|| record(machine, profiles, chunk, sink), || reader.read(pages, then, most));
                    ahead = left?;
                    ahead.extend(following?);
                }
                Step::Rescue { pages: range, with } => self.rescue(pages, range, &with, sink)?,
            }
        }
        sink.checkpoint(&self.machine)
    }

    fn enter<P>(&mut self, mut conclusion: Conclusion, sink: &mut impl DocumentSink<P>) -> Result<(), CrawlError> {
        sink.conclude(&self.machine, &mut conclusion)?;
        self.machine.enter(&conclusion);
        // The latest version of a profile is added last.
        let mut new = sink.saved_meanwhile();
        new.extend(conclusion.serving);
        new.sort_by_key(|serving| serving.profile.version);
        new.into_iter().for_each(|serving| self.profiles.to_mut().add(serving));
        Ok(())
    }

    fn learn<P: Pages>(
        &mut self,
        task: &LearningTask,
        pages: &P,
        sink: &mut impl DocumentSink<P::Page>,
        (kept, until): (&KeptPages, Until),
    ) -> Result<(), CrawlError> {
        lock(kept).clear();
        let mut room = if until == Until::Done { KEPT_BYTES } else { 0 };
        let version = self.profiles.latest(self.machine.domain()).map_or(1, |latest| latest.profile.version + 1);
        let read = |seq| -> Result<Option<Arc<StoredPage>>, CrawlError> {
            let Some(entry) = pages.entries(seq, 1)?.pop().filter(|entry| entry.seq == seq) else { return Ok(None) };
            let Ok(page) = pages.read(&entry)?.map(Arc::new) else { return Ok(None) };
            if let Some(left) = room.checked_sub(page.bytes.len()) {
                room = left;
                lock(kept).insert(seq, Arc::clone(&page));
            }
            Ok(Some(page))
        };
        let (machine, extractor, profiles, now) = (&self.machine, self.extractor, &*self.profiles, self.now);
        // Learning waits for a permit, then for a free processor.
        let _permit = LearningPermit::take();
        let learned =
            rayon::scope(|_| machine.learn(task, extractor, profiles, (version, now), pages.order(task), read))?;
        let mut conclusion = self.machine.conclude(task, learned);
        let before = self.profiles.latest(self.machine.domain());
        if let (Some(serving), Some(before)) = (&mut conclusion.serving, before) {
            keep_manual_edits(&mut serving.profile, &before.profile);
        }
        log_learned(&self.machine, task, &conclusion, before.is_some());
        self.enter(conclusion, sink)
    }

    /// Extracts pages again that gave no document, this time with only one version of the profile.
    fn rescue<P: Pages>(
        &mut self,
        pages: &P,
        range: std::ops::RangeInclusive<u64>,
        with: &ServingProfile,
        sink: &mut impl DocumentSink<P::Page>,
    ) -> Result<(), CrawlError> {
        let mut entries = pages.entries(*range.start(), CHUNK)?;
        entries.retain(|entry| range.contains(&entry.seq));
        let (extractor, profiles) = (self.extractor, &*self.profiles);
        let read = |entry: &Entry<P::Page>| -> Result<Option<(PageOutcome, Box<Document>, Length)>, CrawlError> {
            let Ok(page) = pages.read(entry)? else { return Ok(None) };
            let again = || {
                let rescued = PageRead::rescued(extractor, profiles, &page, &with.profile);
                rescued.map(|(reason, document)| (reason.into(), document, Length::of(&page)))
            };
            Ok(pages.guarded(entry, again).unwrap_or_default())
        };
        let found = side_by_side(pages, &entries, read)?;
        for (entry, found) in entries.iter().zip(found) {
            let rescued = found.and_then(|(before, document, length)| Some((before, sink.peel(document)?, length)));
            match rescued {
                None => self.machine.rescued(entry.seq),
                Some((before, document, length)) => {
                    let reading = reading(entry, Ok(&document), Fit::Covered, sink);
                    let decision = self.machine.take_again(&reading, before, &mut sink.seen()).map_err(Into::into)?;
                    let result = PageResult {
                        entry,
                        length: Some(length),
                        outcome: decision.outcome(),
                        document: emitted(decision, Some(document)),
                        is_again: true,
                    };
                    sink.record(&self.machine, result)?;
                }
            }
        }
        if entries.is_empty() {
            self.machine.rescued(*range.end());
        }
        sink.checkpoint(&self.machine)
    }
}

/// Records the results of a chunk of pages in order, until the pipeline may not take the next page yet. Returns the
/// rest of the chunk.
fn record<P>(
    machine: &mut DomainExtraction,
    profiles: &ProfileSet,
    chunk: Chunk<P>,
    sink: &mut impl DocumentSink<P>,
) -> Result<Chunk<P>, CrawlError> {
    let mut chunk = chunk.into_iter();
    while let Some((entry, _)) = chunk.as_slice().first() {
        if !machine.may_take(entry.seq, entry.position.as_ref(), profiles) {
            break;
        }
        let Some((entry, got)) = chunk.next() else { break };
        if let Err(why) = &got {
            sink.unreadable(&entry, why);
        }
        let (gave, fit, length) = parts_of(got);
        let gave = gave.and_then(|document| sink.peel(document).ok_or(PageOutcome::Seen));
        let reading = reading(&entry, gave.as_deref().map_err(|outcome| *outcome), fit, sink);
        let decision = machine.take(&reading, profiles, &mut sink.seen()).map_err(Into::into)?;
        let result = PageResult {
            entry: &entry,
            length,
            outcome: decision.outcome(),
            document: emitted(decision, gave.ok()),
            is_again: false,
        };
        sink.record(machine, result)?;
        if machine.progress().relearning.is_some() {
            // The pages that were read ahead are read again with the new version of the profile.
            break;
        }
    }
    sink.checkpoint(machine)?;
    Ok(chunk.collect())
}

type PageResultParts = (Result<Box<Document>, PageOutcome>, Fit, Option<Length>);

fn parts_of(got: ReadResult) -> PageResultParts {
    match got {
        Ok((PageRead { result, fit, .. }, length)) => (result.map_err(Into::into), fit, Some(length)),
        Err(_) => (Err(PageOutcome::Unreadable), Fit::None, None),
    }
}

fn reading<P>(
    entry: &Entry<P>,
    gave: Result<&Document, PageOutcome>,
    fit: Fit,
    sink: &impl DocumentSink<P>,
) -> PageReading {
    let mut reading = PageReading::new(entry.seq, gave.map(Fingerprint::of));
    reading.position = entry.position.clone();
    reading.is_article_like = entry.is_article_like;
    reading.unwanted = gave.ok().and_then(|document| sink.unwanted(document));
    reading.fit = fit;
    reading.is_partial = gave.is_ok_and(|document| document.metadata.access == Some(Access::Partial));
    reading
}

/// The final document; None if it does not go into the corpus.
fn emitted(decision: PageDecision, document: Option<Box<Document>>) -> Option<Box<Document>> {
    let PageDecision::Emit { near_duplicate_of } = decision else { return None };
    document.map(|mut document| {
        document.provenance.near_duplicate_of = near_duplicate_of;
        document
    })
}

/// Logs what a domain has learned. `had_profile` says whether it had a profile before.
fn log_learned(machine: &DomainExtraction, task: &LearningTask, conclusion: &Conclusion, had_profile: bool) {
    let domain = machine.domain();
    let serving = conclusion.serving.as_ref();
    match (task.why, serving.map(|serving| &serving.profile)) {
        (LearnReason::First(end), Some(profile)) => tracing::info!(
            %domain, end = end.as_str(),
            "{domain}: profile learned from {}; it has {} and a fitness of {:.2} (at most 1)",
            counted(profile.evidence.taught.into(), "page", "pages"),
            counted(profile.templates.len() as u64, "template", "templates"),
            profile.evidence.fitness
        ),
        (LearnReason::Again(_), None) if had_profile => {
            tracing::warn!(%domain, "{domain}: its newer pages give no better profile; the existing one is kept");
        }
        (why, None) => {
            let (no, end) = match why {
                LearnReason::First(end) => ("no", Some(end.as_str())),
                LearnReason::Again(_) => ("still no", None),
            };
            let why = match conclusion.learning.article_pages {
                0 => ", because none of its pages is article-like".to_owned(),
                pages if pages < LEAST_PAGES as u64 => {
                    let pages = counted(pages, "article-like page", "article-like pages");
                    format!(": it has {pages}, and learning needs {LEAST_PAGES}")
                }
                pages => format!(", because no template fits its {pages} article-like pages"),
            };
            tracing::info!(
                %domain, end,
                "{domain}: {no} profile{why}; the page classifier extracts its pages one by one"
            );
        }
        (LearnReason::Again(why), Some(profile)) => {
            let (version, taught) = (profile.version, profile.evidence.taught);
            let why = match why {
                RelearnReason::MorePages => "has more article-like pages now",
                RelearnReason::Changed => "has changed",
            };
            tracing::info!(
                %domain, version,
                "{domain} {why}: version {version} of its profile was learned from {taught} pages, fitness {:.2} (at most 1)",
                profile.evidence.fitness
            );
        }
    }
}

/// The most domains that learn at once. A sample takes up to 64 MB of memory, and all samples of a process must stay
/// within 256 MB, on any number of cores.
const LEARNERS: usize = 4;

/// Memory belongs to the process, so the permits are global.
static LEARNING_PERMITS: LearningPermits = LearningPermits { taken: Mutex::new(0), given_back: Condvar::new() };

struct LearningPermits {
    taken: Mutex<usize>,
    given_back: Condvar,
}

/// A permit to learn; given back when dropped.
struct LearningPermit;

impl LearningPermit {
    /// Waits for a permit.
    fn take() -> Self {
        let mut taken = LEARNING_PERMITS
            .given_back
            .wait_while(lock(&LEARNING_PERMITS.taken), |taken| *taken >= LEARNERS)
            .unwrap_or_else(PoisonError::into_inner);
        *taken += 1;
        Self
    }
}

impl Drop for LearningPermit {
    fn drop(&mut self) {
        *lock(&LEARNING_PERMITS.taken) -= 1;
        LEARNING_PERMITS.given_back.notify_one();
    }
}
