//! What the state machine tells its caller: the next step, and the decision about a page.

use std::ops::RangeInclusive;
use std::sync::Arc;

use super::learning_task::LearningTask;
use super::outcome::PageOutcome;
use super::profile_set::ServingProfile;
use super::progress::LearningState;

/// The next step of a domain's extraction.
///
/// ```
/// use goldminer_core::address::Domain;
/// use goldminer_core::extract::domain::{
///     AvailablePages, DomainExtraction, ExtractionProgress, LearningState, ProfileSet, Rules, Step,
/// };
///
/// // Three pages are too few to learn from as long as more may come.
/// let domain = Domain::named("portal.example");
/// let (learning, progress) = (LearningState::default(), ExtractionProgress::default());
/// let mut extraction = DomainExtraction::new(domain, Rules::default(), learning, progress);
/// assert_eq!(extraction.next(AvailablePages::new(3, None), &ProfileSet::default()), Step::Wait);
/// ```
#[derive(Debug, Clone, PartialEq)]
#[allow(clippy::exhaustive_enums, reason = "callers must handle all of them")]
pub enum Step {
    /// Do nothing, until there are more pages or the learning phase ends.
    Wait,
    /// Store this state on disk, then call [`DomainExtraction::enter`](super::DomainExtraction::enter).
    Enter(LearningState),
    /// Learn from these pages, with [`DomainExtraction::learn`](super::DomainExtraction::learn).
    Learn(LearningTask),
    /// Remove all documents of the domain, then call [`DomainExtraction::restart`](super::DomainExtraction::restart).
    Restart,
    /// Read the pages from this number on.
    Read {
        /// The number of the first page.
        from: u64,
    },
    /// Read earlier pages without a document again, with a new version of the profile.
    Rescue {
        /// The numbers of these pages.
        pages: RangeInclusive<u64>,
        /// The new version of the profile.
        with: Arc<ServingProfile>,
    },
}

/// The decision whether the document of a page goes into the corpus.
///
/// ```
/// use goldminer_core::extract::domain::{PageDecision, PageOutcome};
///
/// assert_eq!(PageDecision::Drop(PageOutcome::Duplicate).outcome(), PageOutcome::Duplicate);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(clippy::exhaustive_enums, reason = "callers must handle all of them")]
pub enum PageDecision {
    /// The page's document goes into the corpus.
    Emit {
        /// The id of the earlier document that it nearly repeats, if any.
        near_duplicate_of: Option<String>,
    },
    /// Nothing goes into the corpus, for this reason.
    Drop(PageOutcome),
}

impl PageDecision {
    /// The outcome, for tallies.
    pub fn outcome(&self) -> PageOutcome {
        match self {
            Self::Emit { .. } => PageOutcome::Document,
            Self::Drop(outcome) => *outcome,
        }
    }
}
