//! The learning phase of a domain: which stored pages are its sample, and what they teach.

use crate::address::Domain;
use crate::capture::ArchivePosition;
use crate::goldminer::learner::{Learner, LearnerConfig};
use crate::goldminer::profile::DomainProfile;

use super::read::StoredPage;

/// A sample in the making: shown pages in order, it keeps what the learner needs of them.
#[derive(Debug)]
pub struct LearningPhase {
    learner: Learner,
    wanted: usize,
    shown: usize,
    positions: Vec<ArchivePosition>,
}

impl LearningPhase {
    /// A sample of `wanted` pages that teach.
    #[must_use]
    pub fn new(domain: &Domain, wanted: usize) -> Self {
        Self {
            learner: Learner::new(domain.clone(), LearnerConfig { sample: wanted, ..LearnerConfig::default() }),
            wanted,
            shown: 0,
            positions: Vec::new(),
        }
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
        self.learner.add(&page.parse(), page.url.as_ref());
        if self.teachers() > teachers {
            self.positions.extend(page.position.clone());
        }
        self.teachers() < self.wanted
    }

    /// Pages that teach among those shown so far.
    #[must_use]
    pub fn teachers(&self) -> usize {
        self.learner.teaching()
    }

    /// Pages shown to the learner so far.
    #[must_use]
    pub fn shown(&self) -> usize {
        self.shown
    }

    /// Learns. `None`: the sample does not speak clearly, and plain jusText serves the domain better.
    #[must_use]
    pub fn learn(self, version: u32, now: jiff::Timestamp) -> Option<DomainProfile> {
        let mut profile = self.learner.learn().profile?;
        profile.version = version;
        profile.learned_at = Some(now);
        profile.sample = self.positions;
        Some(profile)
    }
}
