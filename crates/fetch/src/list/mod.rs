//! Parses the lists in which portals announce their pages: feeds (RSS, Atom, JSON Feed) and sitemaps (sitemaps.org,
//! news sitemaps, plain lists of URLs). The type is detected from the content.
//!
//! - `packing`: decompresses gzip files;
//! - `repair`, `tag`, `names`, `references`: read malformed XML as if it were well-formed;
//! - `entries`: the entries of feeds and sitemaps in the repaired XML; `json`: those of JSON feeds.
//!
//! Only URLs and dates are kept. Lists are read as a stream, without a tree and without recursion, so the time grows
//! only with their length, also for deep nesting, many `xml:base` attributes or broken markup. A list that breaks off
//! or exceeds a limit returns the entries before that point, and the reason ([`Cut`]). Parsers of whole feeds (feed-rs,
//! which the tests compare with) reject an entire feed for one empty title, and do not report `isPermaLink` and
//! `origLink`.

mod entries;
mod json;
mod names;
mod packing;
mod references;
mod repair;
mod tag;

use std::fmt;

use goldminer_html::{CrawlUrl, Host, encoding};
use jiff::Timestamp;

/// The most bytes of a list that are read after decompression: 50 MiB (sitemaps.org, "Sitemap file location").
pub const MAX_BYTES: usize = 50 << 20;

/// The longest URL of a sitemap (sitemaps.org, `loc`: "less than 2,048 characters").
const MAX_LOC_BYTES: usize = 2_048;

/// The most items of a feed that are kept.
const MAX_ITEMS: usize = 10_000;

/// The links of a feed or sitemap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct List {
    /// Whether the list is a feed or a sitemap.
    pub kind: ListKind,
    /// The announced pages and sitemaps, in the order of the list.
    pub entries: Vec<Entry>,
    /// Number of entries without a usable URL.
    pub without_address: usize,
    /// Why the rest of the list was not read; None if the list was read to its end.
    pub cut: Option<Cut>,
    /// The sum of the bytes of all URLs in `entries`.
    address_bytes: usize,
}

/// Whether a list is a feed or a sitemap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListKind {
    /// RSS, Atom or JSON Feed: it announces new pages.
    Feed,
    /// A sitemap or an index of sitemaps.
    Sitemap,
}

/// One entry of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The URL of the page or sitemap.
    pub url: CrawlUrl,
    /// What the URL leads to.
    pub kind: EntryKind,
    /// When the page or sitemap changed, if a sitemap says so.
    pub changed: Option<Timestamp>,
}

/// What the URL of an entry leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryKind {
    /// A page.
    Page,
    /// A page from a news sitemap.
    News,
    /// Another sitemap, from an index of sitemaps.
    Sitemap,
}

/// Why a list was not read to its end.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Cut {
    /// The compression of the list is damaged or incomplete.
    #[error("its compression is damaged, and only the beginning was read")]
    Packed,
    /// The list has more than this number of bytes.
    #[error("only the first {} MB were read", .0 >> 20)]
    Bytes(usize),
    /// The list has more than this number of entries.
    #[error("only the first {0} entries were kept")]
    Entries(usize),
    /// The XML of the list breaks off at this byte of the text.
    #[error("the XML breaks off at byte {0}")]
    Markup(usize),
    /// The XML of the list ends while this element is open.
    #[error("the XML ends inside <{0}>")]
    Unclosed(String),
    /// The JSON of the list breaks off; the text is the parser's message.
    #[error("the JSON breaks off: {0}")]
    Json(String),
}

/// The bytes are not a list.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not a list: {0}")]
pub struct ListError(String);

/// Reads the body of a response from `location`, after content coding was removed. The charset of the header takes
/// precedence over that of an XML declaration (RFC 7303, section 3.2).
///
/// # Errors
/// When the body is neither a feed nor a sitemap.
pub fn read(bytes: &[u8], content_type: Option<&str>, location: &CrawlUrl) -> Result<List, ListError> {
    let (plain, cut) = packing::unpacked(bytes);
    let text = encoding::decode(&plain, content_type).text;
    let first_sign = text.trim_start_matches(|c: char| c.is_whitespace() || c.is_control()).chars().next();
    // A JSON feed may follow other text, such as a PHP warning.
    let has_json = text.contains("jsonfeed.org/version/") && text.contains('{');
    let list = match first_sign {
        Some('{') => json::read(&text, location)?,
        _ => match repair::read(&text, location) {
            Ok(list) => list,
            Err(_) if has_json => json::read(&text, location)?,
            Err(Some(first)) if first_sign == Some('<') => {
                let first: String = first.chars().take(40).collect();
                return Err(ListError(format!("its first element is <{first}>")));
            }
            Err(_) => List::of_lines(&text)?,
        },
    };
    Ok(List { cut: cut.or(list.cut), ..list })
}

/// Whether a sitemap may list a page: one of the sitemap's own registrable domain, or of a host whose robots.txt
/// names the sitemap (sitemaps.org, "Sitemaps & Cross Submits"). Otherwise any site could fill the queue of another.
pub fn may_list(sitemap: &CrawlUrl, named_by: &[Host], page: &CrawlUrl) -> bool {
    sitemap.domain() == page.domain() || named_by.contains(&page.host())
}

impl List {
    fn new(kind: ListKind) -> Self {
        Self { kind, entries: Vec::new(), without_address: 0, cut: None, address_bytes: 0 }
    }

    /// Reads a plain list with one URL a line.
    fn of_lines(text: &str) -> Result<Self, ListError> {
        let mut list = Self::new(ListKind::Sitemap);
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
            // Lines are not resolved against the list's URL: prose would become a URL of the portal.
            let url = CrawlUrl::parse(line).ok().filter(|_| line.len() <= MAX_LOC_BYTES);
            if !list.add(url, EntryKind::Page, None) {
                break;
            }
        }
        if list.entries.is_empty() {
            return Err(ListError("it has no element of a list, and no URLs".to_owned()));
        }
        Ok(list)
    }

    /// Keeps an entry. Returns false when the list has enough entries.
    fn add(&mut self, url: Option<CrawlUrl>, kind: EntryKind, changed: Option<Timestamp>) -> bool {
        // The most entries that a sitemap may have (sitemaps.org, "Using Sitemap index files"), and the bytes of the
        // largest sitemap. The limit of bytes stops short entries that become long by a long base URL.
        let (most, most_bytes) = match self.kind {
            ListKind::Feed => (MAX_ITEMS, 4 << 20),
            ListKind::Sitemap => (50_000, 16 << 20),
        };
        let known = self.entries.len() + self.without_address;
        if known >= most || self.address_bytes >= most_bytes {
            self.cut = Some(Cut::Entries(known));
            return false;
        }
        match url {
            Some(url) => {
                self.address_bytes += url.as_str().len();
                self.entries.push(Entry { url, kind, changed });
            }
            None => self.without_address += 1,
        }
        true
    }
}

impl fmt::Display for List {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counted = |count: usize, one: &str, more: &str| format!("{count} {}", if count == 1 { one } else { more });
        let sitemaps = self.entries.iter().filter(|entry| entry.kind == EntryKind::Sitemap).count();
        match (self.kind, self.entries.len() - sitemaps, sitemaps) {
            (ListKind::Feed, items, _) => write!(f, "a feed of {}", counted(items, "item", "items"))?,
            (_, 0, 0) => f.write_str("an empty sitemap")?,
            (_, 0, sitemaps) => write!(f, "an index of {}", counted(sitemaps, "sitemap", "sitemaps"))?,
            (_, urls, 0) => write!(f, "a sitemap of {}", counted(urls, "URL", "URLs"))?,
            (_, urls, sitemaps) => write!(f, "a sitemap of {urls} URLs and {sitemaps} sitemaps")?,
        }
        if self.without_address > 0 {
            write!(f, ", and {} without a usable URL", counted(self.without_address, "entry", "entries"))?;
        }
        self.cut.as_ref().map_or(Ok(()), |cut| write!(f, "; {cut}"))
    }
}

#[cfg(test)]
mod feed_tests;
#[cfg(test)]
mod sitemap_tests;
#[cfg(test)]
mod tests;
