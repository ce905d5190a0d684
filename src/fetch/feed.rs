//! Feeds (RSS, Atom, JSON Feed): the quickest and most polite way to learn of a portal's news.
//!
//! What is kept is what a crawler needs, links and dates; they are read in a stream, without a tree and without recursion,
//! so that no nesting, no `xml:base` and no broken description costs more than its own length. A feed that breaks off gives
//! what it gave until then. Parsers of whole feeds refuse all of it for one empty title, and build what nobody asked for.

mod json;
mod xml;

use jiff::Timestamp;

use crate::address::CrawlUrl;
use crate::page::encoding;

/// Bytes of a decoded feed that are read; the greatest real ones, with full texts, have some megabytes.
const MAX_BYTES: usize = 10 << 20;

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
    /// Whether more was there than was read: the feed broke off, or has more than is kept.
    pub cut: bool,
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
pub struct FeedError(String);

/// Reads a decoded feed that was found at `location`, against which relative links are resolved.
///
/// # Errors
/// When the bytes are no feed of any kind.
pub fn parse(bytes: &[u8], location: &CrawlUrl) -> Result<Feed, FeedError> {
    let kept = &bytes[..bytes.len().min(MAX_BYTES)];
    let text = encoding::decode(kept, None).text;
    let mut feed = Feed { cut: bytes.len() > MAX_BYTES, ..Feed::default() };
    match text.trim_ascii_start().chars().next() {
        Some('<') => xml::read(&text, location, &mut feed)?,
        Some('{') => json::read(&text, location, &mut feed)?,
        _ => return Err(FeedError("it begins like neither XML nor JSON".to_owned())),
    }
    Ok(feed)
}

impl Feed {
    /// Keeps an item; false when there are enough. `bytes` counts those of the links.
    fn add(&mut self, url: Option<CrawlUrl>, published: Option<Timestamp>, bytes: &mut usize) -> bool {
        if self.items.len() + self.without_link >= MAX_ITEMS || *bytes >= MAX_LINKS_BYTES {
            self.cut = true;
            return false;
        }
        match url {
            Some(url) => {
                *bytes += url.as_str().len();
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
