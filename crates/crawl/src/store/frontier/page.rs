//! What is remembered of archived pages: the page index of a domain, and payloads seen.

use goldminer_html::address::CrawlUrl;
use goldminer_html::capture::ArchivePosition;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// An [`ArchivePosition`] with the file as a number of the `files` table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredPosition {
    /// The file's number.
    pub file: u32,
    /// Bytes from the file's beginning.
    pub offset: u64,
    /// Bytes of the record.
    pub length: u64,
}

/// An archived page of a domain, in the order of archiving: what the extractor reads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageEntry {
    /// Counts the domain's pages from 0 without gaps.
    #[serde(skip)]
    pub seq: u64,
    /// The page.
    pub url: CrawlUrl,
    /// The record that holds it.
    pub position: ArchivePosition,
    /// When it was fetched.
    #[serde(with = "jiff::fmt::serde::timestamp::millisecond::required")]
    pub fetched: Timestamp,
    /// Whether it is article-like, so that it can teach.
    pub teaches: bool,
    /// How many of its watched path prefixes, from the shortest, hold all URLs that were new when it was read;
    /// [`NO_PREFIX`] when none was new. Below the others it led somewhere.
    pub leads_from: u8,
}

/// A page that led to nothing new.
pub const NO_PREFIX: u8 = u8::MAX;

/// What is counted per domain in the frontier's own transactions.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DomainRow {
    /// The domain's name.
    pub name: String,
    /// Entries in its page index; also the next entry's number.
    pub pages: u64,
    /// Those that can teach.
    pub teaching: u64,
}

/// A payload that was archived before, for WARC revisit records.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PayloadSeen {
    /// The URL that gave it.
    pub url: CrawlUrl,
    /// When.
    #[serde(with = "jiff::fmt::serde::timestamp::nanosecond::required")]
    pub fetched: Timestamp,
    /// The record that holds it.
    pub position: ArchivePosition,
}
