//! Feeds (RSS, Atom, JSON Feed): the quickest and most polite way to learn of a portal's news.
//!
//! What is kept is what a crawler needs, links and dates; they are read in a stream, without a tree and without recursion,
//! so that no nesting, no `xml:base` and no broken description costs more than its own length. A feed that breaks off gives
//! what it gave until then. Parsers of whole feeds (feed-rs, the oracle of the tests) refuse all of it for one empty title,
//! and say nothing of `isPermaLink` and `origLink`.

pub(super) mod json;
pub(super) mod xml;

use goldminer_html::address::CrawlUrl;
use jiff::Timestamp;

use super::Cut;

/// Items of a feed that are kept.
const MAX_ITEMS: usize = 10_000;

/// Bytes of all kept links together: ten thousand of great length. A long base with many short links ends here.
const MAX_LINKS_BYTES: usize = 4 << 20;

/// What a feed announces.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Feed {
    /// In the order of the feed.
    pub items: Vec<FeedItem>,
    /// Items without a link that could be followed.
    pub without_link: usize,
    /// What was not read: the feed broke off, or has more than is kept.
    pub cut: Option<Cut>,
    /// Bytes of the links above.
    links_bytes: usize,
}

/// One announced page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeedItem {
    /// Where it is.
    pub url: CrawlUrl,
    /// When it appeared, or was changed last where only that is told.
    pub published: Option<Timestamp>,
}

/// Bytes that are no feed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no feed: {0}")]
pub struct FeedError(pub(super) String);

impl Feed {
    /// Keeps an item; false when there are enough.
    fn add(&mut self, url: Option<CrawlUrl>, published: Option<Timestamp>) -> bool {
        if self.items.len() + self.without_link >= MAX_ITEMS || self.links_bytes >= MAX_LINKS_BYTES {
            self.cut = Some(Cut::Entries(self.items.len() + self.without_link));
            return false;
        }
        match url {
            Some(url) => {
                self.links_bytes += url.as_str().len();
                self.items.push(FeedItem { url, published });
            }
            None => self.without_link += 1,
        }
        true
    }
}

/// An identifier that is the address of the page as well.
fn as_address(id: &str) -> Option<&str> {
    let id = id.trim();
    (id.starts_with("http://") || id.starts_with("https://")).then_some(id)
}

#[cfg(test)]
mod tests;
