//! How far the extraction of a domain is, and what it must remember between two pages: plain data, committed together
//! with the documents. What follows from it is decided in `engine`.

use std::collections::{BTreeMap, VecDeque};

use serde::{Deserialize, Serialize};

/// How far the extraction of a domain is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DomainProgress {
    /// The number of the next page of its page index.
    pub next_page: u64,
    /// Documents committed.
    pub documents: u64,
    /// What became of its pages, under the extractor's names.
    pub tally: BTreeMap<String, u64>,
    /// Article-like pages before `next_page`, as the page index has them.
    pub teaching: u64,
    /// The last article-like pages.
    pub recent: RecentPages,
    /// A new version of the profile that is about to be learned, or to read earlier pages again.
    pub relearning: Option<Relearning>,
}

/// The last article-like pages of a domain with a profile.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecentPages {
    /// The number of each, oldest first, and whether a template matched it.
    pub pages: VecDeque<(u64, bool)>,
    /// How many there were since the present profile was learned, or learning failed.
    pub seen: u64,
    /// How often learning failed since then.
    pub failures: u8,
}

/// From which pages a profile is learned anew, and which of them it reads again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Relearning {
    /// The first page that teaches it. Then, the next one to be read again.
    pub next: u64,
    /// The last one; the new version serves from the page after it.
    pub last: u64,
    /// Those between that do not teach it, because the present version reads them.
    pub skipped: Vec<u64>,
}
