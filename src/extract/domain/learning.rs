//! The learning phase of a domain: which stored pages are its sample, and what they teach.

use crate::address::Domain;
use crate::capture::ArchivePosition;
use crate::goldminer::learner::{Learner, LearnerConfig};
use crate::goldminer::profile::DomainProfile;
use crate::goldminer::published::PublishedLearner;

use super::read::StoredPage;

/// A sample in the making: shown pages in order, it keeps what the learner needs of them.
#[derive(Debug)]
pub struct LearningPhase {
    learner: AnyLearner,
    wanted: usize,
    shown: usize,
    positions: Vec<ArchivePosition>,
}

/// Which algorithm learns.
#[derive(Debug)]
enum AnyLearner {
    Own(Box<Learner>),
    Published(PublishedLearner),
}

impl LearningPhase {
    /// A sample of `wanted` pages that teach.
    #[must_use]
    pub fn new(domain: &Domain, wanted: usize) -> Self {
        let config = LearnerConfig { sample: wanted, ..LearnerConfig::default() };
        Self::with(AnyLearner::Own(Box::new(Learner::new(domain.clone(), config))), wanted)
    }

    /// The same for GoldMiner as published.
    #[must_use]
    pub fn as_published(domain: &Domain, wanted: usize) -> Self {
        Self::with(AnyLearner::Published(PublishedLearner::new(domain.clone())), wanted)
    }

    fn with(learner: AnyLearner, wanted: usize) -> Self {
        Self { learner, wanted, shown: 0, positions: Vec::new() }
    }

    /// Shows a page; false when the sample is whole and further pages would not be looked at.
    pub fn show(&mut self, page: &StoredPage) -> bool {
        let teachers = self.teachers();
        if teachers >= self.wanted {
            return false;
        }
        self.shown += 1;
        // Those that do not teach are shown as well: lists tell what teasers look like. The learner keeps as many as it
        // needs.
        match &mut self.learner {
            AnyLearner::Own(learner) => {
                learner.add(&page.parse(), page.url.as_ref());
            }
            AnyLearner::Published(learner) => learner.add(&page.parse()),
        }
        if self.teachers() > teachers {
            self.positions.extend(page.position.clone());
        }
        self.teachers() < self.wanted
    }

    /// Pages that teach among those shown so far.
    #[must_use]
    pub fn teachers(&self) -> usize {
        match &self.learner {
            AnyLearner::Own(learner) => learner.teaching(),
            AnyLearner::Published(learner) => learner.teaching(),
        }
    }

    /// The share of those that declare when they were published; all, where nobody asks.
    #[must_use]
    pub fn dated_share(&self) -> f64 {
        match &self.learner {
            AnyLearner::Own(learner) => learner.dated_share(),
            AnyLearner::Published(_) => 1.0,
        }
    }

    /// Pages shown to the learner so far.
    #[must_use]
    pub fn shown(&self) -> usize {
        self.shown
    }

    /// Learns. `None`: the sample does not speak clearly, and plain jusText serves the domain better.
    #[must_use]
    pub fn learn(self, version: u32, now: jiff::Timestamp) -> Option<DomainProfile> {
        let mut profile = match self.learner {
            AnyLearner::Own(learner) => learner.learn().profile?,
            AnyLearner::Published(learner) => learner.learn()?,
        };
        profile.version = version;
        profile.learned_at = Some(now);
        profile.sample = self.positions;
        Some(profile)
    }
}
