//! The stored data of archived pages: the page index of a domain, known payloads, and the yields of path prefixes.

use goldminer_html::{ArchivePosition, CrawlUrl};
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
    /// The number of the page in its domain, from 0 without gaps.
    #[serde(skip)]
    pub seq: u64,
    /// The page.
    pub url: CrawlUrl,
    /// The record that holds it.
    pub position: ArchivePosition,
    /// When it was fetched.
    #[serde(with = "jiff::fmt::serde::timestamp::millisecond::required")]
    pub fetched: Timestamp,
    /// Whether it is article-like, so that a domain can learn from it.
    pub teaches: bool,
    /// The number of its watched path prefixes, from the shortest, that contain all URLs that were new when it was
    /// read; [`NO_PREFIX`] if none was new. For the longer prefixes, it led somewhere.
    pub leads_from: u8,
}

/// A page without new links.
pub const NO_PREFIX: u8 = u8::MAX;

/// Counts per domain, kept in the frontier's own transactions.
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
    /// When it did.
    #[serde(with = "jiff::fmt::serde::timestamp::nanosecond::required")]
    pub fetched: Timestamp,
    /// The record that holds it.
    pub position: ArchivePosition,
}

/// The yield of the pages below a path prefix.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PrefixRow {
    /// The prefix, as in `/tag/`.
    pub prefix: String,
    /// Pages extracted.
    pub pages: u64,
    /// Their bytes on the wire.
    pub bytes: u64,
    /// Bytes of clean, new text.
    pub clean_bytes: u64,
    /// The usefulness of the last pages.
    pub window: Window,
}

/// The known articles of a domain, without copies.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArticlesRow {
    /// Pages that looked like articles when they arrived.
    pub judged: u64,
    /// Pages that gave text.
    pub gave_text: u64,
}

/// For each of the last 200 pages, whether it was useless.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Window {
    bits: [u64; 4],
    filled: u8,
    next: u8,
}

impl Window {
    /// Pages that the window holds.
    pub const PAGES: u8 = 200;

    /// Adds a page; the oldest leaves a full window.
    pub fn push(&mut self, useless: bool) {
        let (word, bit) = (usize::from(self.next / 64), self.next % 64);
        self.bits[word] = self.bits[word] & !(1 << bit) | u64::from(useless) << bit;
        self.next = (self.next + 1) % Self::PAGES;
        self.filled = self.filled.saturating_add(1).min(Self::PAGES);
    }

    /// Useless pages among the last `pages`; none when it holds fewer.
    pub fn useless_of_last(&self, pages: u8) -> Option<u32> {
        let bit = |back: u8| {
            let at = (usize::from(self.next) + usize::from(Self::PAGES - 1 - back)) % usize::from(Self::PAGES);
            u32::from(self.bits[at / 64] >> (at % 64) & 1 == 1)
        };
        (pages <= self.filled).then(|| (0..pages).map(bit).sum())
    }
}

/// The state of a path prefix, for URLs below it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PrefixState {
    /// The prefix.
    pub prefix: String,
    /// Whether nothing below it is requested any more; otherwise its URLs come after all others of the host.
    pub closed: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_last_two_hundred_pages_count() {
        let mut window = Window::default();
        (0..199).for_each(|_| window.push(true));
        assert_eq!(window.useless_of_last(200), None);
        window.push(true);
        assert_eq!(window.useless_of_last(200), Some(200));
        (0..150).for_each(|_| window.push(false));
        assert_eq!((window.useless_of_last(200), window.useless_of_last(151)), (Some(50), Some(1)));
        (0..500).for_each(|_| window.push(false));
        assert_eq!(window.useless_of_last(200), Some(0));
    }
}
