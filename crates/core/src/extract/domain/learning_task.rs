//! A learning task: the pages from which a domain is to learn, what was learned from them, and the consequences.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use goldminer_html::capture::ArchivePosition;

use super::profile_set::ServingProfile;
use super::progress::{LearningEnd, LearningState, RelearnReason};
use crate::goldminer::profile::DomainProfile;

/// The pages from which a domain is to learn, and the reason.
///
/// ```
/// use goldminer_core::address::Domain;
/// use goldminer_core::extract::domain::{
///     AvailablePages, DomainExtraction, ExtractionProgress, LearningEnd, LearningEnds, LearningState, ProfileSet,
///     Rules, Step,
/// };
///
/// let domain = Domain::named("portal.example");
/// let (learning, progress) = (LearningState::default(), ExtractionProgress::default());
/// let mut extraction = DomainExtraction::new(domain, Rules::default(), learning, progress);
/// let ends = LearningEnds::new(LearningEnd::NoMorePages, 30);
/// let Step::Learn(task) = extraction.next(AvailablePages::new(30, ends), &ProfileSet::default()) else {
///     panic!("no more pages come, and nothing was learned yet")
/// };
/// assert!(task.has(0) && task.has(29) && !task.has(30));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct LearningTask {
    /// The pages to learn from, in order, until the sample is complete.
    pub pages: RangeInclusive<u64>,
    /// Pages in this range that are left out.
    pub skipped: Vec<u64>,
    /// Why the domain learns now.
    pub why: LearnReason,
}

/// Why a domain learns.
///
/// ```
/// use goldminer_core::extract::domain::{LearningEnd, LearnReason, RelearnReason};
///
/// let in_words = |why| match why {
///     LearnReason::First(end) => format!("its learning phase ends: {}", end.as_str()),
///     LearnReason::Again(RelearnReason::MorePages) => "it has more article-like pages now".to_owned(),
///     LearnReason::Again(RelearnReason::Changed) => "it has changed".to_owned(),
/// };
/// assert_eq!(in_words(LearnReason::First(LearningEnd::QueueEmpty)), "its learning phase ends: queue-empty");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(clippy::exhaustive_enums, reason = "callers must handle all of them")]
pub enum LearnReason {
    /// The domain learns for the first time, because its learning phase ends for this reason.
    First(LearningEnd),
    /// The domain learns again, for this reason.
    Again(RelearnReason),
}

impl LearningTask {
    /// Whether a page belongs to the task.
    pub fn has(&self, seq: u64) -> bool {
        self.pages.contains(&seq) && !self.skipped.contains(&seq)
    }
}

/// The result of a learning task.
///
/// ```
/// use goldminer_core::extract::domain::Learned;
///
/// // Four article-like pages, from which no profile was learned.
/// let mut learned = Learned::default();
/// learned.article_pages = 4;
/// assert_eq!(learned.profile, None);
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Learned {
    /// The number of article-like pages in the task.
    pub article_pages: u64,
    /// The number of these pages by part of the site (the first segment of the path).
    pub places: BTreeMap<String, u64>,
    /// The position of the first page that was read.
    pub first: Option<ArchivePosition>,
    /// Hashes of texts that many of the pages show in place of articles (see
    /// [`Fingerprint::prose`](super::Fingerprint::prose)).
    pub walls: Vec<u64>,
    /// The profile, if one was learned.
    pub profile: Option<DomainProfile>,
}

/// The consequences of a learning task, to be stored in one transaction.
///
/// ```
/// use goldminer_core::address::Domain;
/// use goldminer_core::extract::domain::{
///     AvailablePages, DomainExtraction, ExtractionProgress, LearningEnd, LearningEnds, LearningState, Phase,
///     ProfileSet, Rules, Step, Learned,
/// };
///
/// let domain = Domain::named("portal.example");
/// let (learning, progress) = (LearningState::default(), ExtractionProgress::default());
/// let mut extraction = DomainExtraction::new(domain, Rules::default(), learning, progress);
/// let ends = LearningEnds::new(LearningEnd::QueueEmpty, 3);
/// if let Step::Learn(task) = extraction.next(AvailablePages::new(3, ends), &ProfileSet::default()) {
///     // Nothing was learned from the three pages: each page is classified by itself.
///     let conclusion = extraction.conclude(&task, Learned::default());
///     assert_eq!(conclusion.learning.phase, Phase::Unprofiled);
/// }
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Conclusion {
    /// The new state of the domain's learning.
    pub learning: LearningState,
    /// The new version of the profile, if one was learned.
    pub serving: Option<ServingProfile>,
}

impl From<LearningState> for Conclusion {
    /// A conclusion with this state of the domain, and no new profile.
    fn from(learning: LearningState) -> Self {
        Self { learning, serving: None }
    }
}
