//! Lists: what a portal announces its pages with. Feeds (RSS, Atom, JSON Feed) and sitemaps (sitemaps.org), whichever
//! an answer holds, from its bytes to links and dates.
//!
//! - `text`: gzip files and charsets undone, and which form it is;
//! - `repair`, `tag`, `names`: XML as portals write it becomes well-formed, once for both kinds;
//! - [`feed`], [`sitemap`]: the readers behind that.
//!
//! A list is read as far as it can be, and says what was cut ([`Cut`]).

pub mod feed;
mod names;
mod repair;
pub mod sitemap;
mod tag;
mod text;

use std::fmt;

use goldminer_html::address::CrawlUrl;

use self::feed::{Feed, FeedError};
use self::sitemap::Sitemap;

/// Bytes of a list that are read, uncompressed (sitemaps.org, "Sitemap file location").
pub const MAX_BYTES: usize = 50 << 20;

/// What an answer holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum List {
    /// Links and dates of news.
    Feed(Feed),
    /// Pages, or other sitemaps.
    Sitemap(Sitemap),
}

/// What of a list was not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cut {
    /// Its compression is damaged or not whole.
    Packed,
    /// It has more bytes than are read.
    Bytes(usize),
    /// It has more entries than are kept.
    Entries(usize),
    /// Its XML breaks off at this byte of the text.
    Markup(usize),
    /// Its XML ends while this element is open.
    Unclosed(String),
    /// Its JSON breaks off.
    Json(String),
}

impl fmt::Display for Cut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Packed => f.write_str("its compression is damaged, and only the beginning was read"),
            Self::Bytes(most) => write!(f, "only the first {} MB were read", most >> 20),
            Self::Entries(kept) => write!(f, "only the first {kept} entries were kept"),
            Self::Markup(at) => write!(f, "the XML breaks off at byte {at}"),
            Self::Unclosed(element) => write!(f, "the XML ends inside <{element}>"),
            Self::Json(error) => write!(f, "the JSON breaks off: {error}"),
        }
    }
}

/// Reads an answer's body without content coding, found at `location`.
///
/// # Errors
/// When it is neither a feed nor a sitemap.
pub fn read(bytes: &[u8], content_type: Option<&str>, location: &CrawlUrl) -> Result<List, FeedError> {
    let text = text::of(bytes, content_type);
    match text.form {
        text::Form::Feed | text::Form::Json => feed::of(text, location).map(List::Feed),
        text::Form::Sitemap => Ok(List::Sitemap(sitemap::of(text, location))),
        text::Form::Lines => {
            let map = sitemap::of(text, location);
            if map.urls.is_empty() {
                Err(FeedError("it has no element of a list, and no URLs".to_owned()))
            } else {
                Ok(List::Sitemap(map))
            }
        }
        text::Form::Other(first) => Err(FeedError(format!("its first element is <{first}>"))),
    }
}

impl List {
    /// What was not read.
    #[must_use]
    pub fn cut(&self) -> Option<&Cut> {
        match self {
            Self::Feed(feed) => feed.cut.as_ref(),
            Self::Sitemap(map) => map.cut.as_ref(),
        }
    }
}

impl fmt::Display for List {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counted = |count: usize, one: &str, more: &str| format!("{count} {}", if count == 1 { one } else { more });
        let without = match self {
            Self::Feed(feed) => {
                write!(f, "a feed of {}", counted(feed.items.len(), "item", "items"))?;
                feed.without_link
            }
            Self::Sitemap(map) => {
                match (map.urls.len(), map.children.len()) {
                    (0, 0) => f.write_str("an empty sitemap")?,
                    (0, children) => write!(f, "an index of {}", counted(children, "sitemap", "sitemaps"))?,
                    (urls, 0) => write!(f, "a sitemap of {}", counted(urls, "URL", "URLs"))?,
                    (urls, children) => write!(f, "a sitemap of {urls} URLs and {children} sitemaps")?,
                }
                map.bad_entries
            }
        };
        if without > 0 {
            write!(f, ", and {} without an address", counted(without, "entry", "entries"))?;
        }
        self.cut().map_or(Ok(()), |cut| write!(f, "; {cut}"))
    }
}

#[cfg(test)]
mod tests;
