//! The pipeline of one domain, from its first page to its last document, as a state machine without I/O. All drivers (a
//! crawl, `rebuild`, `extract`) get the same documents from the same pages in the same order.
//!
//! ```text
//!             ┌────────── Wait: for more pages, or the end of the learning phase
//!   next() ───┼────────── Learn from pages ─► learn() ─► conclude() ─► store the result ─► enter()
//!             ├────────── Restart: remove all documents ─► restart()
//!             ├────────── Read pages ─► PageRead::of(), side by side ─► may_take(), take(), in order ─► PageDecision: emit or drop
//!             └────────── Rescue: read pages again ─► take_again() ─► PageDecision
//! ```
//!
//! While a domain learns, its pages wait in the archive. With a profile, they are read in order. The last article-like
//! pages are watched (`drift`). If the profile no longer fits, or there are clearly more pages than it was learned
//! from, the next version is learned. It is used for all later pages, and earlier pages that gave no document are read
//! again with it. If the previous version was learned from very few pages, all pages are read again from the first on.
//!
//! The machine can be dropped at any time: [`LearningState`] and [`ExtractionProgress`] are all it needs to continue. A
//! repeated extraction uses each stored version of a profile from the same page on as the first extraction did.

mod drift;
mod learning;
mod learning_task;
mod learning_trigger;
mod outcome;
mod page;
mod profile_set;
mod progress;
mod rules;
mod seen;
mod shared;
mod site_sketch;
mod step;

use std::sync::Arc;

use goldminer_html::address::Domain;
use goldminer_html::capture::ArchivePosition;

use progress::EARLY_PAGES;

pub use learning_task::{Conclusion, LearnReason, Learned, LearningTask};
pub use learning_trigger::{LearningEnds, LearningTrigger};
pub use outcome::{PageOutcome, Tally};
pub use page::{Fit, PageRead, PageReading, StoredPage};
pub use profile_set::{ProfileSet, ServingProfile};
pub use progress::{ExtractionProgress, LearningEnd, LearningState, Phase, RecentPages, RelearnReason, Relearning};
pub use rules::{AvailablePages, Rules};
pub use seen::{Fingerprint, MemorySeen, NEAR_BITS, Seen};
pub use site_sketch::SiteSketch;
pub use step::{PageDecision, Step};

/// The extraction of one domain, without I/O. The caller asks [`DomainExtraction::next`] for the next step and carries
/// it out.
///
/// ```
/// use goldminer_core::address::Domain;
/// use goldminer_core::extract::domain::{
///     AvailablePages, Conclusion, DomainExtraction, ExtractionProgress, LearningState, MemorySeen, PageDecision,
///     PageOutcome, PageReading, ProfileSet, Rules, Step,
/// };
///
/// // Nothing is learned: each page is classified by itself.
/// let mut rules = Rules::default();
/// rules.learns = false;
/// let domain = Domain::named("portal.example");
/// let (learning, progress) = (LearningState::default(), ExtractionProgress::default());
/// let mut extraction = DomainExtraction::new(domain, rules, learning, progress);
/// let (profiles, mut seen) = (ProfileSet::default(), MemorySeen::default());
/// let available = AvailablePages::new(1, None);
/// let mut decisions = Vec::new();
/// loop {
///     match extraction.next(available, &profiles) {
///         Step::Wait => break,
///         Step::Enter(learning) => extraction.enter(&Conclusion::from(learning)),
///         Step::Read { from } => {
///             let reading = PageReading::new(from, Err(PageOutcome::NoText));
///             decisions.push(extraction.take(&reading, &profiles, &mut seen)?);
///         }
///         other => unreachable!("{other:?}"),
///     }
/// }
/// assert_eq!(decisions, [PageDecision::Drop(PageOutcome::NoText)]);
/// # Ok::<(), std::convert::Infallible>(())
/// ```
#[derive(Debug, Clone)]
pub struct DomainExtraction {
    domain: Domain,
    rules: Rules,
    learning: LearningState,
    progress: ExtractionProgress,
}

impl DomainExtraction {
    /// The extraction of a domain, continued from this state of learning and this progress.
    pub fn new(domain: Domain, rules: Rules, learning: LearningState, progress: ExtractionProgress) -> Self {
        Self { domain, rules, learning, progress }
    }

    /// The domain that is extracted.
    pub fn domain(&self) -> &Domain {
        &self.domain
    }

    /// The state of the domain's learning, which the caller must keep on disk.
    pub fn learning(&self) -> &LearningState {
        &self.learning
    }

    /// The progress of the extraction.
    pub fn progress(&self) -> &ExtractionProgress {
        &self.progress
    }

    /// Whether the caller should check how the profile fits each page.
    pub fn watches(&self) -> bool {
        self.rules.watches && self.learning.phase == Phase::Profiled
    }

    /// The next step for the caller.
    #[must_use]
    pub fn next(&mut self, available: AvailablePages, profiles: &ProfileSet) -> Step {
        if self.learning.phase == Phase::Learning {
            return self.while_learning(available, profiles);
        }
        if self.progress.life < self.learning.life {
            return Step::Restart;
        }
        if self.progress.relearning.is_none() && self.progress.next_page >= available.pages {
            // A version that was learned from the last pages is used now, because no later page starts it.
            self.begin_recorded(available.pages, None, profiles);
        }
        while let Some(relearning) = &self.progress.relearning {
            let Some(with) = profiles.serving_from(&self.domain, relearning.serves_from.as_ref()) else {
                return Step::Learn(LearningTask {
                    pages: relearning.next..=relearning.last,
                    skipped: relearning.skipped.clone(),
                    why: LearnReason::Again(relearning.why),
                });
            };
            if relearning.next <= relearning.last {
                return Step::Rescue { pages: relearning.next..=relearning.last, with };
            }
            self.progress.relearning = None;
            self.progress.rescued_with = with.profile.version;
            self.progress.recent = RecentPages::default();
            if self.progress.next_page >= available.pages {
                self.begin_recorded(available.pages, None, profiles);
            }
        }
        match self.progress.next_page < available.pages {
            true => Step::Read { from: self.progress.next_page },
            false => Step::Wait,
        }
    }

    fn while_learning(&self, available: AvailablePages, profiles: &ProfileSet) -> Step {
        if !self.rules.learns {
            return Step::Enter(LearningState { phase: Phase::Unprofiled, ..self.learning.clone() });
        }
        if profiles.covers(&self.domain) {
            return Step::Enter(LearningState { phase: Phase::Profiled, ..self.learning.clone() });
        }
        match available.learning_ends.filter(|ends| ends.pages > 0) {
            Some(ends) => Step::Learn(LearningTask {
                pages: 0..=ends.pages - 1,
                skipped: Vec::new(),
                why: LearnReason::First(ends.why),
            }),
            None => Step::Wait,
        }
    }

    /// The consequences of a learning task. Store them, then call [`DomainExtraction::enter`].
    #[must_use]
    pub fn conclude(&self, task: &LearningTask, learned: Learned) -> Conclusion {
        let Learned { article_pages, places, first, profile, walls } = learned;
        let is_provisional = article_pages < self.rules.learning_pages;
        let (life, before) = (self.learning.life, &self.learning);
        let serves_from = self.progress.relearning.as_ref().and_then(|relearning| relearning.serves_from.clone());
        match (task.why, profile) {
            (LearnReason::First(end), profile) => {
                let phase = if profile.is_some() { Phase::Profiled } else { Phase::Unprofiled };
                let learning = LearningState {
                    phase,
                    article_pages,
                    provisional: is_provisional,
                    places,
                    ended: Some(end),
                    walls,
                    ..before.clone()
                };
                Conclusion { learning, serving: profile.map(ServingProfile::learned) }
            }
            (LearnReason::Again(RelearnReason::MorePages), None) => {
                // Learn again when there are clearly more pages than now. A repetition after a kill gives the same
                // number.
                let article_pages = self.progress.article_pages.max(before.article_pages);
                let provisional = before.provisional && article_pages < self.rules.learning_pages;
                LearningState { article_pages, provisional, ..before.clone() }.into()
            }
            (LearnReason::Again(RelearnReason::Changed), None) => before.clone().into(),
            (LearnReason::Again(RelearnReason::MorePages), Some(profile)) => {
                let begins_anew = self.progress.is_early;
                let mut serving = ServingProfile { begins_anew, ..ServingProfile::learned(profile) };
                if !begins_anew {
                    (serving.serves_from, serving.rescues_from) = (serves_from, first);
                }
                let learning = LearningState {
                    phase: Phase::Profiled,
                    article_pages,
                    provisional: is_provisional,
                    places,
                    life: life + u32::from(begins_anew),
                    ended: Some(LearningEnd::Enough),
                    // Pages that are not read again were checked for the known walls only, so these stay.
                    walls: if begins_anew { walls } else { before.walls.clone() },
                    ..before.clone()
                };
                Conclusion { learning, serving: Some(serving) }
            }
            (LearnReason::Again(RelearnReason::Changed), Some(profile)) => {
                let mut learning = LearningState { provisional: false, ..before.clone() };
                places.into_iter().for_each(|(place, pages)| *learning.places.entry(place).or_default() += pages);
                let serving = ServingProfile { serves_from, rescues_from: first, ..ServingProfile::learned(profile) };
                Conclusion { learning, serving: Some(serving) }
            }
        }
    }

    /// Continues after a conclusion was stored and its profile was added to the [`ProfileSet`].
    pub fn enter(&mut self, conclusion: &Conclusion) {
        self.learning = conclusion.learning.clone();
        if conclusion.serving.is_some() {
            return;
        }
        // Only failures after a change are counted. A failure to learn from more pages is not stored, so a rebuild
        // could not count it.
        if self.progress.relearning.take().is_some_and(|relearning| relearning.why == RelearnReason::Changed) {
            drift::failed(&mut self.progress.recent);
        }
    }

    /// Starts again from the first page, after all documents of the domain were removed.
    pub fn restart(&mut self) {
        self.progress = ExtractionProgress {
            life: self.learning.life,
            read_before: self.progress.read_before.max(self.progress.next_page),
            ..ExtractionProgress::default()
        };
    }

    /// Whether [`DomainExtraction::take`] can be called for a page now. If not, carry out the step from
    /// [`DomainExtraction::next`], and read the page again later.
    #[must_use]
    pub fn may_take(&mut self, seq: u64, position: Option<&ArchivePosition>, profiles: &ProfileSet) -> bool {
        !self.begin_recorded(seq, position, profiles)
    }

    /// Decides whether the document of the next page goes into the corpus.
    ///
    /// # Errors
    /// Errors of `seen`, which remembers the texts of earlier documents.
    pub fn take<S: Seen>(
        &mut self,
        reading: &PageReading,
        profiles: &ProfileSet,
        seen: &mut S,
    ) -> Result<PageDecision, S::Error> {
        if reading.seq == 0 {
            self.progress.is_early = self.is_early();
        }
        let decision = match &reading.result {
            Ok(document) => self.decide(document, reading.unwanted, seen)?,
            Err(outcome) => PageDecision::Drop(*outcome),
        };
        self.progress.tally.add(reading.outcome(&decision), 1);
        self.progress.next_page = reading.seq + 1;
        self.progress.article_pages += u64::from(reading.is_article_like);
        self.watch(reading, profiles);
        Ok(decision)
    }

    /// Like [`DomainExtraction::take`], for a page that gave no document before and was read again.
    ///
    /// # Errors
    /// Errors of `seen`, which remembers the texts of earlier documents.
    pub fn take_again<S: Seen>(
        &mut self,
        reading: &PageReading,
        before: PageOutcome,
        seen: &mut S,
    ) -> Result<PageDecision, S::Error> {
        let decision = match &reading.result {
            Ok(document) => self.decide(document, reading.unwanted, seen)?,
            Err(_) => PageDecision::Drop(before),
        };
        self.progress.tally.change(before, reading.outcome(&decision));
        self.rescued(reading.seq);
        Ok(decision)
    }

    /// Skips a page that need not be read again, because it has given a document.
    pub fn rescued(&mut self, seq: u64) {
        if let Some(relearning) = &mut self.progress.relearning {
            relearning.next = seq + 1;
        }
    }

    fn decide<S: Seen>(
        &mut self,
        document: &Fingerprint,
        unwanted: Option<PageOutcome>,
        seen: &mut S,
    ) -> Result<PageDecision, S::Error> {
        if document.prose.is_some_and(|prose| self.learning.walls.contains(&prose)) {
            return Ok(PageDecision::Drop(PageOutcome::Wall));
        }
        let mut decision = PageDecision::Emit { near_duplicate_of: None };
        if self.rules.drops_duplicates {
            decision = seen::decide(document, self.progress.documents, seen)?;
            if let PageDecision::Drop(_) = decision {
                return Ok(decision);
            }
        }
        self.progress.documents += 1;
        Ok(unwanted.map_or(decision, PageDecision::Drop))
    }

    /// Whether documents that are made now will be replaced when there are more pages to learn from.
    fn is_early(&self) -> bool {
        let Rules { withdraws, watches, learning_pages, .. } = self.rules;
        withdraws
            && watches
            && self.milestone().is_some()
            && self.learning.article_pages < EARLY_PAGES.min(learning_pages)
    }

    /// The number of article-like pages at which the domain learns again. None if it does not.
    fn milestone(&self) -> Option<u64> {
        let Rules { learning_pages, least_learning_pages, learns, .. } = self.rules;
        let is_open = learns && self.learning.phase != Phase::Learning && !self.learning.is_settled(learning_pages);
        let at = [least_learning_pages, EARLY_PAGES, learning_pages].into_iter().filter(|at| *at <= learning_pages);
        at.filter(|at| is_open && *at > self.learning.article_pages).min()
    }

    /// Records how the profile fits the page, and prepares relearning when it is due.
    fn watch(&mut self, reading: &PageReading, profiles: &ProfileSet) {
        let serves_from = || reading.position.as_ref().map(ArchivePosition::end);
        let mut has_drifted = false;
        if self.watches() && reading.fit != Fit::None {
            let is_covered = reading.fit == Fit::Covered;
            let window = self.rules.learning_pages as usize;
            has_drifted = drift::note(&mut self.progress.recent, reading.seq, is_covered, window);
        }
        // In a repeated extraction, stored versions are used at their own pages instead.
        if !self.rules.watches || self.recorded(profiles).next().is_some() {
            return;
        }
        if has_drifted {
            self.progress.relearning = Some(drift::relearning(&self.progress.recent, reading.seq, serves_from()));
        } else if reading.is_article_like && self.milestone() == Some(self.progress.article_pages) {
            let relearning = Relearning::of_all(0..=reading.seq, serves_from(), RelearnReason::MorePages);
            self.progress.relearning = Some(relearning);
        }
    }

    /// Stored versions of the domain's profile with which earlier pages were not yet read again.
    fn recorded<'p>(&self, profiles: &'p ProfileSet) -> impl Iterator<Item = &'p Arc<ServingProfile>> + use<'p> {
        let done = self.progress.rescued_with;
        profiles.rescues(&self.domain).filter(move |serving| serving.profile.version > done)
    }

    /// Prepares to read earlier pages again with a stored version of the profile. This happens if this version is used
    /// from this page on, or if `position` is None because no page is left. Returns whether earlier pages must be read
    /// first.
    fn begin_recorded(&mut self, seq: u64, position: Option<&ArchivePosition>, profiles: &ProfileSet) -> bool {
        if self.progress.relearning.is_some() {
            return true;
        }
        for serving in self.recorded(profiles) {
            let version = serving.profile.version;
            let begins = self.progress.rescue_begins.iter().find(|(of, _)| *of == version).map(|(_, seq)| *seq);
            if position.is_some_and(|position| !serving.serves(Some(position))) {
                if begins.is_none() && serving.rescues(position) {
                    self.progress.rescue_begins.push((version, seq));
                }
                continue;
            }
            self.progress.rescue_begins.retain(|(of, _)| *of != version);
            let Some(next) = begins.filter(|_| seq > 0) else {
                self.progress.rescued_with = version;
                continue;
            };
            let relearning = Relearning::of_all(next..=seq - 1, serving.serves_from.clone(), RelearnReason::Changed);
            self.progress.relearning = Some(relearning);
            return true;
        }
        false
    }
}
