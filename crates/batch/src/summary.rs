//! What an extraction did, of one domain or of all.

use std::collections::BTreeMap;

use goldminer_core::extract::domain::Tally;
use goldminer_core::goldminer::profile::DomainProfile;
use serde::{Deserialize, Serialize};

/// So many faults are told; of more, only the number.
pub(super) const MAX_FAULTS: usize = 1_000;

/// What an extraction did.
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
    #[serde(default)]
    pub others: BTreeMap<String, u64>,
    /// Pages and other things that could not be read.
    pub faults: Vec<String>,
}

/// The profile that served a domain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProfileState {
    /// None: too few pages, nothing clear in them, or a method without profiles.
    None,
    /// This one.
    Of {
        /// Its version.
        version: u32,
        /// What it does, in a hash: equal for profiles that cut alike.
        digest: String,
        /// Whether it was learned for this extraction.
        learned_now: bool,
    },
}

impl Summary {
    /// Adds what another one counts.
    pub fn add(&mut self, other: Self) {
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

    pub(super) fn count_domain(&mut self, profile: &ProfileState) {
        match profile {
            ProfileState::None => self.unprofiled += 1,
            ProfileState::Of { learned_now: true, .. } => self.learned += 1,
            ProfileState::Of { .. } => self.profiled += 1,
        }
    }

    pub(super) fn fault(&mut self, fault: String) {
        match self.faults.len() {
            n if n < MAX_FAULTS => self.faults.push(fault),
            MAX_FAULTS => self.faults.push("and more, which are not told one by one".to_owned()),
            _ => {}
        }
    }
}

impl ProfileState {
    pub(super) fn of(profile: &DomainProfile, learned_now: bool) -> Self {
        // When it was learned, and from where, makes no difference to what it does.
        let mut what = profile.clone();
        what.learned_at = None;
        what.sample = Vec::new();
        let digest = xxhash_rust::xxh3::xxh3_128(what.to_toml().as_bytes());
        Self::Of { version: profile.version, digest: format!("{digest:032x}"), learned_now }
    }
}
