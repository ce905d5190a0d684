//! What a unit came to, or all of them: counts that add up.

use std::collections::BTreeMap;
use std::ops::AddAssign;

use goldminer_core::extract::domain::Tally;
use serde::{Deserialize, Serialize};

use crate::sources::{ArchiveStats, MAX_FAULTS};

/// What an extraction by domain did.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    /// Pages read.
    pub pages: u64,
    /// Bytes of their HTML.
    pub page_bytes: u64,
    /// Documents written.
    pub documents: u64,
    /// Bytes of their texts.
    pub text_bytes: u64,
    /// What became of all pages.
    pub tally: Tally,
    /// Domains that learned now.
    pub learned: u64,
    /// Domains with a profile from before.
    pub profiled: u64,
    /// Domains without a profile.
    pub unprofiled: u64,
    /// Answers that are no pages, by reason.
    pub others: BTreeMap<String, u64>,
    /// Pages and other things that could not be read.
    pub faults: Vec<String>,
}

/// What an extraction file by file did.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StreamSummary {
    /// What stood in the files.
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

impl AddAssign for Summary {
    fn add_assign(&mut self, other: Self) {
        self.pages += other.pages;
        self.page_bytes += other.page_bytes;
        self.documents += other.documents;
        self.text_bytes += other.text_bytes;
        self.tally.merge(&other.tally);
        self.learned += other.learned;
        self.profiled += other.profiled;
        self.unprofiled += other.unprofiled;
        other.others.into_iter().for_each(|(why, answers)| *self.others.entry(why).or_default() += answers);
        other.faults.into_iter().for_each(|fault| self.fault(fault));
    }
}

impl Summary {
    /// Takes note of something that could not be read.
    pub(super) fn fault(&mut self, fault: String) {
        match self.faults.len() {
            n if n < MAX_FAULTS => self.faults.push(fault),
            MAX_FAULTS => self.faults.push("and more, which are not told one by one".to_owned()),
            _ => {}
        }
    }
}

impl AddAssign for StreamSummary {
    fn add_assign(&mut self, other: Self) {
        self.archive_stats += other.archive_stats;
        self.documents += other.documents;
        self.text_bytes += other.text_bytes;
        self.by_profile += other.by_profile;
        self.tally.merge(&other.tally);
    }
}
