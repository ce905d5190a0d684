//! The settings of a learner: the size of its sample, the size of a small site, the classifier of first pages.

use std::sync::Arc;

use super::super::thresholds::FEW_PAGES;
use crate::classifier::{Classifier, Convention};

/// The settings of a [`Learner`](super::Learner).
///
/// ```
/// use goldminer_core::address::Domain;
/// use goldminer_core::goldminer::learner::{Learner, LearnerConfig};
/// use goldminer_core::page::Page;
///
/// // A smaller sample is learned from sooner.
/// let mut learner = Learner::with(Domain::named("portal.example"), LearnerConfig::default().with_sample(1));
/// let page = Page::parse("<a href=/>Home</a>".to_owned());
/// assert!(learner.add_page(&page, None));
/// assert!(!learner.add_page(&page, None), "there is no room for a second page");
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct LearnerConfig {
    /// How many pages are kept of those added; later ones are ignored.
    pub sample: usize,
    /// Below this many distinct pages names in class attributes are believed more and less is learned.
    pub small_site: usize,
    /// A template whose estimated F is lower is not used.
    pub min_fitness: f64,
    /// Classifies the first pages of a sample. It has a say only while they are few.
    pub classifier: Arc<Classifier>,
}

impl Default for LearnerConfig {
    fn default() -> Self {
        Self { sample: 100, small_site: FEW_PAGES, min_fitness: 0.5, classifier: Classifier::of(Convention::Article) }
    }
}

impl LearnerConfig {
    /// With a sample of so many pages.
    #[must_use]
    pub fn with_sample(self, pages: usize) -> Self {
        Self { sample: pages, ..self }
    }

    /// With another classifier of the pages of small samples. One of the convention `page` is not taken: what profiles cut are
    /// articles.
    #[must_use]
    pub fn with_classifier(self, classifier: Arc<Classifier>) -> Self {
        let classifier = if classifier.convention() == Convention::Article { classifier } else { self.classifier };
        Self { classifier, ..self }
    }
}
