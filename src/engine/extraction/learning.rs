//! The learning phase of a domain: which stored pages are its sample, and what they teach.

use crate::address::Domain;
use crate::capture::ArchivePosition;
use crate::goldminer::learner::{Learner, LearnerConfig};
use crate::goldminer::profile::DomainProfile;
use crate::goldminer::teaches;

use super::read::StoredPage;

/// Of a source with so few pages all are shown, also those with little text.
const SMALL_SOURCE: usize = 20;

/// A sample in the making: shown pages in order, it keeps what the learner needs of them.
#[derive(Debug)]
pub struct LearningPhase {
    learner: Learner,
    wanted: usize,
    is_large: bool,
    teachers: usize,
    shown: usize,
    positions: Vec<ArchivePosition>,
}

impl LearningPhase {
    /// A sample of `wanted` pages that teach, out of `pages`.
    #[must_use]
    pub fn new(domain: &Domain, wanted: usize, pages: usize) -> Self {
        Self {
            is_large: pages > SMALL_SOURCE,
            learner: Learner::new(domain.clone(), LearnerConfig { sample: wanted, ..LearnerConfig::default() }),
            wanted,
            teachers: 0,
            shown: 0,
            positions: Vec::new(),
        }
    }

    /// Shows a page; false when the sample is whole and further pages would not be looked at.
    pub fn show(&mut self, page: &StoredPage) -> bool {
        if self.teachers >= self.wanted {
            return false;
        }
        let parsed = page.parse();
        if teaches(&parsed, page.url.as_ref()) {
            self.teachers += 1;
        } else if self.is_large {
            return true;
        }
        self.shown += 1;
        self.positions.extend(page.position.clone());
        self.learner.add(&parsed, page.url.as_ref());
        self.teachers < self.wanted
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
