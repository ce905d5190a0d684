//! What a pass over WARC files met: counts that add up, whoever counted which file.

use std::collections::BTreeMap;

use goldminer_warc::Record;
use serde::{Deserialize, Serialize};

use crate::sources::no_answer;
use crate::summary::MAX_FAULTS;

/// What stood in some WARC files.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArchiveStats {
    /// Files read from end to end.
    pub files: u64,
    /// Records in them.
    pub records: u64,
    /// Answers that are pages.
    pub pages: u64,
    /// Bytes of their HTML, as it was received.
    pub page_bytes: u64,
    /// Answers that are none, by reason.
    pub others: BTreeMap<String, u64>,
    /// What could not be read.
    pub faults: Vec<String>,
}

impl ArchiveStats {
    /// Adds what another one counts.
    pub fn add(&mut self, other: Self) {
        self.files += other.files;
        self.records += other.records;
        self.pages += other.pages;
        self.page_bytes += other.page_bytes;
        other.others.into_iter().for_each(|(why, answers)| *self.others.entry(why).or_default() += answers);
        self.faults.extend(other.faults);
        self.faults.truncate(MAX_FAULTS);
    }

    /// Counts an answer that is no page.
    pub(super) fn other(&mut self, why: &str) {
        match self.others.get_mut(why) {
            Some(answers) => *answers += 1,
            None => drop(self.others.insert(why.to_owned(), 1)),
        }
    }

    /// Counts a record that holds no answer, where it says that it does.
    pub(super) fn no_answer(&mut self, record: &Record) {
        if let Some(why) = no_answer(record) {
            self.other(why);
        }
    }

    /// Counts something that could not be read. All are counted, and only so many told.
    pub(super) fn fault(&mut self, fault: String) {
        self.other("no whole record");
        if self.faults.len() < MAX_FAULTS {
            self.faults.push(fault);
        }
    }
}
