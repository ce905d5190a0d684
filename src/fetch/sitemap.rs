//! Sitemaps (sitemaps.org): lists of a portal's pages, and lists of such lists; gzip files, news sitemaps and plain text
//! lists as well.
//!
//! Read as a stream of tags without a tree. A list that breaks off or passes a cap gives what it gave until then, and
//! says so. Whether a listed page is ours to visit is decided by [`may_list`] and by the frontier's scope.

use std::borrow::Cow;
use std::io::Read;

use jiff::Timestamp;
use quick_xml::Reader;
use quick_xml::events::Event;

use super::xml_reference::resolved;
use super::{date, feed};
use crate::address::{CrawlUrl, Host};
use crate::page::encoding;

/// Entries of a list (sitemaps.org, "Using Sitemap index files").
pub const MAX_URLS: usize = 50_000;

/// Bytes of a list, uncompressed (ibidem).
pub const MAX_BYTES: usize = 50 << 20;

/// Bytes of all listed URLs together: what a list of the greatest size can name in full. Short entries of a list with a long
/// address of its own end here.
const MAX_LISTED_BYTES: usize = 16 << 20;

/// The longest URL (sitemaps.org, `loc`: "less than 2,048 characters").
const MAX_URL_BYTES: usize = 2_048;

/// What a sitemap lists.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sitemap {
    /// Pages.
    pub urls: Vec<SitemapUrl>,
    /// Other sitemaps: this one is an index.
    pub children: Vec<SitemapChild>,
    /// Entries that are no URL.
    pub bad_entries: usize,
    /// Whether more was there than was read.
    pub cut: bool,
    /// Bytes of the URLs above.
    listed_bytes: usize,
}

/// One page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SitemapUrl {
    /// Where it is.
    pub url: CrawlUrl,
    /// When it changed.
    pub lastmod: Option<Timestamp>,
    /// What a news sitemap says of it; none in any other sitemap.
    pub news: Option<News>,
}

/// Google's news extension, as far as it matters to a crawler.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct News {
    /// When the article appeared.
    pub published: Option<Timestamp>,
}

/// Another sitemap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SitemapChild {
    /// Where it is.
    pub url: CrawlUrl,
    /// When it changed.
    pub lastmod: Option<Timestamp>,
}

/// Reads a sitemap that was found at `location`: XML or plain text, gzip file or not, without content coding.
#[must_use]
pub fn parse(bytes: &[u8], location: &CrawlUrl) -> Sitemap {
    let (plain, cut) = unpacked(bytes);
    let text = encoding::decode(&plain, None).text;
    let mut sitemap =
        if text.trim_start().starts_with('<') { parse_xml(&text, location) } else { parse_lines(&text, location) };
    if sitemap.is_empty() {
        sitemap.urls = of_feed(text.as_bytes(), location);
    }
    sitemap.cut |= cut;
    sitemap
}

/// Whether a sitemap may speak of a page: one of its own registrable domain, or of a host whose robots.txt names the
/// sitemap (sitemaps.org, "Sitemaps & Cross Submits"). Else anybody could fill the queue of anybody.
#[must_use]
pub fn may_list(sitemap: &CrawlUrl, named_by: &[Host], page: &CrawlUrl) -> bool {
    sitemap.domain() == page.domain() || named_by.contains(&page.host())
}

/// A feed may serve as a sitemap (sitemaps.org, "Other Sitemap formats").
fn of_feed(bytes: &[u8], location: &CrawlUrl) -> Vec<SitemapUrl> {
    let items = feed::parse(bytes, location).map(|feed| feed.items).unwrap_or_default();
    items.into_iter().map(|item| SitemapUrl { url: item.url, lastmod: item.published, news: None }).collect()
}

/// Undoes gzip, up to the cap.
fn unpacked(bytes: &[u8]) -> (Cow<'_, [u8]>, bool) {
    if !bytes.starts_with(&[0x1F, 0x8B]) {
        return (Cow::Borrowed(&bytes[..bytes.len().min(MAX_BYTES)]), bytes.len() > MAX_BYTES);
    }
    let mut plain = Vec::new();
    let whole = flate2::read::MultiGzDecoder::new(bytes).take(MAX_BYTES as u64 + 1).read_to_end(&mut plain).is_ok();
    let cut = !whole || plain.len() > MAX_BYTES;
    plain.truncate(MAX_BYTES);
    (Cow::Owned(plain), cut)
}

fn parse_lines(text: &str, location: &CrawlUrl) -> Sitemap {
    let mut sitemap = Sitemap::default();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
        // Not joined: a line of prose would become a URL of the portal.
        let entry = Entry { loc: line.to_owned(), ..Entry::default() };
        if CrawlUrl::parse(line).is_err() {
            sitemap.bad_entries += 1;
        } else if !sitemap.add(entry, location) {
            break;
        }
    }
    sitemap
}

/// The entry being read.
#[derive(Default)]
struct Entry {
    is_child: bool,
    loc: String,
    lastmod: String,
    news: Option<String>,
}

/// Which text is being read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Field {
    Loc,
    Lastmod,
    NewsDate,
}

fn parse_xml(text: &str, location: &CrawlUrl) -> Sitemap {
    let mut sitemap = Sitemap::default();
    let mut reader = Reader::from_str(text);
    reader.config_mut().check_end_names = false;
    let mut entry: Option<Entry> = None;
    let mut field = None;
    loop {
        match reader.read_event() {
            Ok(Event::Start(tag)) => match (element(tag.name().as_ref()), &mut entry) {
                ("url", _) => entry = Some(Entry::default()),
                ("sitemap", _) => entry = Some(Entry { is_child: true, ..Entry::default() }),
                (name, Some(entry)) => field = entry.open(name),
                _ => {}
            },
            Ok(Event::End(tag)) => {
                field = None;
                if matches!(element(tag.name().as_ref()), "url" | "sitemap")
                    && let Some(entry) = entry.take()
                    && !sitemap.add(entry, location)
                {
                    return sitemap;
                }
            }
            Ok(Event::Text(part)) => push(&mut entry, field, &part),
            Ok(Event::CData(part)) => push(&mut entry, field, &part),
            Ok(Event::GeneralRef(reference)) => {
                push(&mut entry, field, resolved(&reference).as_deref().unwrap_or_default())
            }
            Ok(Event::Eof) => return sitemap,
            Ok(_) => {}
            Err(_) => {
                sitemap.cut = true;
                return sitemap;
            }
        }
    }
}

impl Entry {
    /// The field that a tag opens.
    fn open(&mut self, element: &str) -> Option<Field> {
        match element {
            "loc" => Some(Field::Loc),
            "lastmod" => Some(Field::Lastmod),
            "news:news" => {
                self.news.get_or_insert_default();
                None
            }
            "news:publication_date" => Some(Field::NewsDate),
            _ => None,
        }
    }
}

impl Sitemap {
    fn is_empty(&self) -> bool {
        self.urls.is_empty() && self.children.is_empty() && self.bad_entries == 0
    }

    /// Keeps an entry; false when there are enough.
    fn add(&mut self, entry: Entry, location: &CrawlUrl) -> bool {
        if self.urls.len() + self.children.len() + self.bad_entries >= MAX_URLS || self.listed_bytes >= MAX_LISTED_BYTES
        {
            self.cut = true;
            return false;
        }
        let loc = entry.loc.trim();
        let url = if loc.is_empty() || loc.len() > MAX_URL_BYTES { None } else { location.join(loc).ok() };
        let lastmod = date::parse(&entry.lastmod);
        self.listed_bytes += url.as_ref().map_or(0, |url| url.as_str().len());
        match url {
            None => self.bad_entries += 1,
            Some(url) if entry.is_child => self.children.push(SitemapChild { url, lastmod }),
            Some(url) => {
                let news = entry.news.map(|published| News { published: date::parse(&published) });
                self.urls.push(SitemapUrl { url, lastmod, news });
            }
        }
        true
    }
}

fn push(entry: &mut Option<Entry>, field: Option<Field>, text: &str) {
    let (Some(entry), Some(field)) = (entry, field) else { return };
    let target = match field {
        Field::Loc => &mut entry.loc,
        Field::Lastmod => &mut entry.lastmod,
        Field::NewsDate => entry.news.get_or_insert_default(),
    };
    // More than any URL or date has is not kept: it only shows that it is none.
    if target.len() <= MAX_URL_BYTES {
        target.push_str(text);
    }
}

/// The name without its prefix, which some generators give to every element; but those of the extensions stay, because
/// they have a `loc` of their own (`image:loc`).
fn element(name: &str) -> &str {
    match name.split_once(':') {
        Some(("image" | "video" | "news" | "xhtml" | "mobile", _)) | None => name,
        Some((_, local)) => local,
    }
}

#[cfg(test)]
mod tests;
