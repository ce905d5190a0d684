//! The stored data of archived pages: the page index of each domain, known payloads (response bodies), and how much
//! text the pages under each path prefix gave.

use goldminer_html::{ArchivePosition, CrawlUrl};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// An [`ArchivePosition`] whose file is a number in the table `files`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredPosition {
    /// The file's number.
    pub file: u32,
    /// The position of the record in the file, in bytes.
    pub offset: u64,
    /// The length of the record in bytes.
    pub length: u64,
}

/// An entry of a domain's page index, in the order of archiving. The extractor reads these pages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageEntry {
    /// Number of the page in its domain, from 0 without gaps.
    #[serde(skip)]
    pub seq: u64,
    /// The URL of the page.
    pub url: CrawlUrl,
    /// The archive record of the page.
    pub position: ArchivePosition,
    /// When it was fetched.
    #[serde(with = "jiff::fmt::serde::timestamp::millisecond::required")]
    pub fetched: Timestamp,
    /// Whether the page is article-like, so that a domain can learn from it.
    pub is_article_like: bool,
    /// How many of the page's path prefixes, counted from the shortest, contain all of its new links; [`NO_PREFIX`] if
    /// it has none. At least one new link leads out of each longer prefix. 0 for a page of an archive by date, which
    /// counts as useful for all prefixes.
    pub leads_from: u8,
}

/// The value of [`PageEntry::leads_from`] for a page without new links.
pub const NO_PREFIX: u8 = u8::MAX;

/// The page counts of a domain, saved in the frontier's transactions.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DomainRow {
    /// The domain's name.
    pub name: String,
    /// Number of entries in its page index, which is also the number of the next entry.
    pub pages: u64,
    /// How many of these pages are article-like.
    pub article_like: u64,
}

/// A payload that was archived before, for WARC revisit records.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PayloadSeen {
    /// The URL that had this payload.
    pub url: CrawlUrl,
    /// When it was fetched.
    #[serde(with = "jiff::fmt::serde::timestamp::nanosecond::required")]
    pub fetched: Timestamp,
    /// The record that contains the payload.
    pub position: ArchivePosition,
}

/// For one page: counts of the other URLs of its host that gave the same page.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RepeatRow {
    /// Number of URLs whose first response was a copy.
    pub copies: u32,
    /// The second half of the key of the first URL with a copy, until that URL is tried again.
    pub first_copy: Option<[u8; 8]>,
    /// Number of URLs that ended as [`Done::Repeated`](super::Done::Repeated) with this page, since such URLs were last
    /// queued again.
    pub repeated: u32,
    /// How often these URLs were queued again.
    pub recoveries: u8,
}

/// How much text the pages under a path prefix gave.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PrefixRow {
    /// The prefix, as in `/tag/`.
    pub prefix: String,
    /// Number of extracted pages.
    pub pages: u64,
    /// Bytes received for these pages, before decoding.
    pub bytes: u64,
    /// Bytes of clean text that no earlier page had.
    pub clean_bytes: u64,
    /// Which of the latest pages were useless.
    pub window: Window,
}

/// Number of known articles of a domain, without copies.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArticlesRow {
    /// Number of pages that looked like articles when they arrived.
    pub on_arrival: u64,
    /// Number of pages that gave text.
    pub gave_text: u64,
}

impl ArticlesRow {
    /// Whether an article is known.
    pub fn has_any(&self) -> bool {
        self.on_arrival + self.gave_text > 0
    }
}

/// For each of the latest 200 pages, whether it was useless.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Window {
    bits: [u64; 4],
    filled: u8,
    next: u8,
}

impl Window {
    /// The most pages in the window.
    pub const PAGES: u8 = 200;

    /// Adds a page. In a full window it replaces the oldest one.
    pub fn push(&mut self, useless: bool) {
        let (word, bit) = (usize::from(self.next / 64), self.next % 64);
        self.bits[word] = self.bits[word] & !(1 << bit) | u64::from(useless) << bit;
        self.next = (self.next + 1) % Self::PAGES;
        self.filled = self.filled.saturating_add(1).min(Self::PAGES);
    }

    /// Number of useless pages among the last `pages`; None if there are fewer pages.
    pub fn useless_of_last(&self, pages: u8) -> Option<u32> {
        let bit = |back: u8| {
            let at = (usize::from(self.next) + usize::from(Self::PAGES - 1 - back)) % usize::from(Self::PAGES);
            u32::from(self.bits[at / 64] >> (at % 64) & 1 == 1)
        };
        (pages <= self.filled).then(|| (0..pages).map(bit).sum())
    }
}

/// A decision about a path prefix or URL pattern of a host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PrefixState {
    /// The prefix or pattern.
    pub prefix: String,
    /// Whether the URLs of this prefix or pattern are no longer requested. If false, a prefix is poor: its URLs are
    /// requested after all others of the host. A pattern is then one that gives articles: its URLs are requested although
    /// their prefix is closed.
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
