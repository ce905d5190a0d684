//! What a pass gave, of one file or of many: it adds up.

use goldminer_core::extract::domain::Tally;
use serde::{Deserialize, Serialize};

use crate::archive_stats::ArchiveStats;

/// What came of some files.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StreamSummary {
    /// What stood in them.
    #[serde(flatten)]
    pub archive_stats: ArchiveStats,
    /// Documents written.
    pub documents: u64,
    /// Bytes of their texts.
    pub text_bytes: u64,
    /// Of the documents, those that a profile cut.
    pub by_profile: u64,
    /// What became of all pages.
    pub tally: Tally,
}

impl StreamSummary {
    /// Adds what another one counts.
    pub fn add(&mut self, other: Self) {
        self.archive_stats.add(other.archive_stats);
        self.documents += other.documents;
        self.text_bytes += other.text_bytes;
        self.by_profile += other.by_profile;
        self.tally.merge(&other.tally);
    }
}
