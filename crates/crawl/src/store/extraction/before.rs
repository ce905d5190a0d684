//! How far the extraction of a domain is, as version 0.1.0 wrote it: jobs that it began go on.

use std::collections::{BTreeMap, VecDeque};

use goldminer_core::extract::domain::{ExtractionProgress, PageOutcome, Tally};
use serde::{Deserialize, Serialize};

/// A row of 0.1.0; the order of the fields is the format.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct ProgressOf010 {
    next_page: u64,
    documents: u64,
    tally: BTreeMap<String, u64>,
    teaching: u64,
    recent: (VecDeque<(u64, bool)>, u64, u8),
    relearning: Option<(u64, u64, Vec<u64>)>,
}

impl From<ProgressOf010> for ExtractionProgress {
    fn from(row: ProgressOf010) -> Self {
        let mut tally = Tally::default();
        for outcome in PageOutcome::ALL {
            tally.add(outcome, row.tally.get(outcome.as_str()).copied().unwrap_or_default());
        }
        let mut progress = Self::default();
        progress.next_page = row.next_page;
        progress.documents = row.documents;
        progress.tally = tally;
        progress.teaching = row.teaching;
        (progress.recent.pages, progress.recent.seen, progress.recent.failures) = row.recent;
        // What a version was reading again when the process died is read again once more: what it gave is known.
        progress.rescued_with = if row.relearning.is_some() { 0 } else { u32::MAX };
        progress
    }
}
