//! The state of a domain that must not be lost if the program is killed, as plain data. [`super`] makes the decisions
//! from it.
//!
//! [`LearningState`] changes when something is learned, and is stored with the profile. [`ExtractionProgress`]
//! changes with every page, and is committed with the documents. A *rescue* reads earlier pages again with a newer
//! profile.

use std::collections::{BTreeMap, VecDeque};
use std::ops::RangeInclusive;

use goldminer_html::address::Domain;
use goldminer_html::capture::ArchivePosition;
use serde::{Deserialize, Serialize};

use super::outcome::Tally;
use crate::variant;

/// A version of a profile that was learned from fewer pages than this is temporary: all pages that it cut are cut again
/// with the next version.
pub(super) const EARLY_PAGES: u64 = 20;

/// The phase of a domain: it learns, has a profile, or has none.
///
/// ```
/// use goldminer_core::extract::domain::{LearningState, Phase};
///
/// // Every domain begins by learning.
/// assert_eq!(LearningState::default().phase, Phase::Learning);
/// assert_eq!(Phase::Learning.as_str(), "learning");
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[allow(clippy::exhaustive_enums, reason = "callers must handle all of them")]
pub enum Phase {
    /// The domain's pages wait in the archive until enough of them are article-like, or no more come.
    #[default]
    Learning,
    /// The domain has a profile, learned or imported.
    Profiled,
    /// The domain learned nothing: there were too few article-like pages, or no good template. Each page is classified
    /// by itself.
    Unprofiled,
}

impl Phase {
    /// The phase's name in JSON and logs.
    pub fn as_str(self) -> &'static str {
        variant::name(&self)
    }
}

/// Why a learning phase ended.
///
/// ```
/// use goldminer_core::extract::domain::LearningEnd;
///
/// assert_eq!(LearningEnd::QueueEmpty.as_str(), "queue-empty");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum LearningEnd {
    /// There are enough article-like pages for a sample.
    Enough,
    /// The last pages of the domain brought no article-like one.
    Stalled,
    /// No URL of the domain is left in the queue.
    QueueEmpty,
    /// No article-like page has come for too long.
    Quiet,
    /// No more pages come: the source or the crawl has ended.
    NoMorePages,
}

impl LearningEnd {
    /// The name of the reason in JSON and logs.
    pub fn as_str(self) -> &'static str {
        variant::name(&self)
    }
}

/// The state of a domain's learning that is kept on disk, besides its profiles.
///
/// ```
/// use goldminer_core::extract::domain::{LearningState, Phase};
///
/// let mut learning = LearningState::default();
/// (learning.phase, learning.article_pages) = (Phase::Unprofiled, 30);
/// assert!(!learning.is_settled(100), "more article-like pages would teach it");
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LearningState {
    /// The domain's phase.
    pub phase: Phase,
    /// The number of article-like pages when the domain last learned.
    pub article_pages: u64,
    /// Whether the profile is learned again when there are clearly more article-like pages.
    pub provisional: bool,
    /// How often all pages of the domain were read again, because the earlier profile was learned from too few pages.
    pub life: u32,
    /// Why the last learning phase ended.
    pub ended: Option<LearningEnd>,
    /// The number of pages from which the domain learned, by the first segment of their paths.
    pub places: BTreeMap<String, u64>,
    /// Hashes of texts that many pages of the domain show in place of articles (see
    /// [`Fingerprint::prose`](super::Fingerprint::prose)).
    pub walls: Vec<u64>,
    /// Other sites of the same portal in the registrable domain, as known when it first learned.
    pub siblings: Vec<Domain>,
}

impl LearningState {
    /// Whether further article-like pages would change nothing that the domain has learned. `learning_pages` is the
    /// number of such pages in a full sample.
    pub fn is_settled(&self, learning_pages: u64) -> bool {
        match self.phase {
            Phase::Learning => false,
            Phase::Profiled => !self.provisional,
            Phase::Unprofiled => self.article_pages >= learning_pages,
        }
    }
}

/// The progress of the extraction of a domain.
///
/// ```
/// use goldminer_core::extract::domain::ExtractionProgress;
///
/// assert_eq!(ExtractionProgress::default().next_page, 0);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ExtractionProgress {
    /// The number of the next page to be read.
    pub next_page: u64,
    /// The number of documents from the domain, those that the filter rejects included.
    pub documents: u64,
    /// The number of the domain's pages with each outcome.
    pub tally: Tally,
    /// The number of article-like pages before `next_page`, as far as known.
    pub article_pages: u64,
    /// The last article-like pages.
    pub recent: RecentPages,
    /// A new version of the profile that is about to be learned, or to be used on earlier pages.
    pub relearning: Option<Relearning>,
    /// The [`LearningState::life`] that this progress belongs to.
    pub life: u32,
    /// Whether the documents may still be withdrawn, because the domain learned from few pages.
    pub is_early: bool,
    /// The number of pages that were read before the extraction last began again from the first page.
    pub read_before: u64,
    /// The last version of the profile with which earlier pages were read again.
    pub rescued_with: u32,
    /// For each version of the profile with which earlier pages must still be read again: the version's number, and the
    /// number of the first of these pages.
    pub rescue_begins: Vec<(u32, u64)>,
}

/// The last article-like pages of a domain with a profile.
///
/// ```
/// use goldminer_core::extract::domain::RecentPages;
///
/// let mut recent = RecentPages::default();
/// recent.pages.extend([(297, true), (298, false), (299, false)]);
/// let covered = recent.pages.iter().filter(|(_, is_covered)| *is_covered).count();
/// assert!(2 * covered < recent.pages.len(), "the portal may have changed");
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RecentPages {
    /// The number of each page, oldest first, and whether a template matched it.
    pub pages: VecDeque<(u64, bool)>,
    /// How many article-like pages came since the current profile was learned, or since the last failed check whether
    /// the portal has changed.
    pub seen: u64,
    /// How often a check for a change failed since the current profile was learned.
    pub failures: u8,
}

/// The pages from which a profile is learned again, and those that are read again with it.
///
/// ```
/// use goldminer_core::extract::domain::Relearning;
///
/// let stored = r#"{"next": 40, "last": 59, "skipped": [], "serves_from": null, "why": "changed"}"#;
/// let relearning: Relearning = serde_json::from_str(stored)?;
/// assert_eq!(relearning.last + 1 - relearning.next, 20, "pages are still to be read again");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Relearning {
    /// Before the new version is learned: the first page to learn from. Afterwards: the next page to read again.
    pub next: u64,
    /// The last page to learn from. The new version is used from the following page on.
    pub last: u64,
    /// The numbers of pages from which the new version is not learned, because the current version still matches them.
    pub skipped: Vec<u64>,
    /// The position in the archive just after the page `last`.
    pub serves_from: Option<ArchivePosition>,
    /// Why the profile is learned again.
    pub why: RelearnReason,
}

impl Relearning {
    /// The domain learns again from all these pages.
    pub(super) fn of_all(pages: RangeInclusive<u64>, serves_from: Option<ArchivePosition>, why: RelearnReason) -> Self {
        let (next, last) = pages.into_inner();
        Self { next, last, skipped: Vec::new(), serves_from, why }
    }
}

/// The reason why a profile is learned again.
///
/// ```
/// use goldminer_core::extract::domain::RelearnReason;
///
/// assert_eq!(serde_json::to_string(&RelearnReason::MorePages)?, "\"more-pages\"");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[allow(clippy::exhaustive_enums, reason = "callers must handle all of them")]
pub enum RelearnReason {
    /// There are clearly more article-like pages than the profile was learned from.
    MorePages,
    /// The portal has changed: most article-like pages match no template.
    Changed,
}
