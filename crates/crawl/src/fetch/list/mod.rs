//! Lists: what a portal announces its pages with. Feeds (RSS, Atom, JSON Feed) and sitemaps (sitemaps.org), whichever
//! an answer holds, from its bytes to links and dates.
//!
//! - `packing`: gzip files are undone;
//! - `repair`, `tag`, `names`, `references`: XML as portals write it is read as if it were well-formed, once for both kinds;
//! - [`feed`], [`sitemap`]: the readers behind that.
//!
//! A list is read as far as it can be, and says what was cut ([`Cut`]).

pub mod feed;
mod names;
mod packing;
mod references;
mod repair;
pub mod sitemap;
mod tag;

use std::fmt;

use goldminer_html::address::CrawlUrl;
use goldminer_html::encoding;

use self::feed::xml::FeedParser;
use self::feed::{Feed, FeedError};
use self::repair::{ListReader, Markup};
use self::sitemap::{Sitemap, SitemapParser};

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

/// Reads an answer's body without content coding, found at `location`. The header's charset counts before that of an XML
/// declaration (RFC 7303, section 3.2).
///
/// # Errors
/// When it is neither a feed nor a sitemap.
pub fn read(bytes: &[u8], content_type: Option<&str>, location: &CrawlUrl) -> Result<List, FeedError> {
    let (plain, mut cut) = packing::unpacked(bytes);
    let text = encoding::decode(&plain, content_type).text;
    let first_sign = text.trim_start_matches(|c: char| c.is_whitespace() || c.is_control()).chars().next();
    // A JSON feed may stand behind something else, such as a warning of the server's program.
    let has_json = text.contains("jsonfeed.org/version/") && text.contains('{');
    if first_sign != Some('{') {
        match repair::read(&text, &mut cut, &|root: &str| reader(root, location)) {
            Markup::List(list) => return Ok(list),
            Markup::Other(Some(first)) if first_sign == Some('<') && !has_json => {
                return Err(FeedError(format!(
                    "its first element is <{}>",
                    first.chars().take(40).collect::<String>()
                )));
            }
            Markup::Other(_) => {}
        }
        if !has_json {
            let map = Sitemap::of_lines(&text, location, cut);
            return match map.urls.is_empty() {
                true => Err(FeedError("it has no element of a list, and no URLs".to_owned())),
                false => Ok(List::Sitemap(map)),
            };
        }
    }
    feed::json::read(&text, location, cut).map(List::Feed)
}

/// What reads the list that begins with this element.
fn reader<'l>(root: &str, location: &'l CrawlUrl) -> Box<dyn ListReader + 'l> {
    if names::is_feed(root) { Box::new(FeedParser::new(location)) } else { Box::new(SitemapParser::new(location)) }
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
