//! Settings for the extraction of a domain, and the number of its available pages.

use smart_default::SmartDefault;

use super::learning_trigger::LearningEnds;
use crate::goldminer::learner::LEAST_PAGES;

/// Settings for the extraction of a domain.
///
/// ```
/// use goldminer_core::address::Domain;
/// use goldminer_core::extract::domain::{
///     AvailablePages, DomainExtraction, ExtractionProgress, LearningState, Phase, ProfileSet, Rules, Step,
/// };
///
/// let mut rules = Rules::default();
/// rules.learns = false;
/// let domain = Domain::named("portal.example");
/// let (learning, progress) = (LearningState::default(), ExtractionProgress::default());
/// let mut extraction = DomainExtraction::new(domain, rules, learning, progress);
/// let step = extraction.next(AvailablePages::new(1, None), &ProfileSet::default());
/// let is_unprofiled = matches!(step, Step::Enter(learning) if learning.phase == Phase::Unprofiled);
/// assert!(is_unprofiled, "each page is classified alone");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, SmartDefault)]
#[non_exhaustive]
pub struct Rules {
    /// Whether profiles are learned at all.
    #[default = true]
    pub learns: bool,
    /// Whether the pages have an order in time. If so, the portal is watched for changes, and profiles are learned
    /// again.
    #[default = true]
    pub watches: bool,
    /// Whether a document is dropped if the domain already has its article.
    #[default = true]
    pub drops_duplicates: bool,
    /// Whether documents can be withdrawn. If so, pages are cut again that were cut with a profile from few pages.
    pub withdraws: bool,
    /// The number of article-like pages in a full sample.
    #[default = 100]
    pub learning_pages: u64,
    /// The fewest article-like pages from which a domain learns.
    #[default(LEAST_PAGES as u64)]
    pub least_learning_pages: u64,
}

/// The pages of a domain that are available.
///
/// ```
/// use goldminer_core::extract::domain::AvailablePages;
///
/// let available = AvailablePages::new(250, None);
/// assert_eq!(available.learning_ends, None, "more pages may come");
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct AvailablePages {
    /// The number of pages.
    pub pages: u64,
    /// How the learning phase ends, if it has ended.
    pub learning_ends: Option<LearningEnds>,
}

impl AvailablePages {
    /// States that this number of pages is available. Give `learning_ends` if the learning phase ends after these
    /// pages.
    pub fn new(pages: u64, learning_ends: impl Into<Option<LearningEnds>>) -> Self {
        Self { pages, learning_ends: learning_ends.into() }
    }
}
