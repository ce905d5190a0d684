//! Sitemaps (sitemaps.org): lists of a portal's pages, and lists of such lists; news sitemaps and plain text lists as
//! well.
//!
//! Read as a stream of elements without a tree, behind the repair. A list that breaks off or passes a cap gives what it gave
//! until then, and says so. Whether a listed page is ours to visit is decided by [`may_list`] and by the frontier's scope.

use goldminer_html::address::{CrawlUrl, Host};
use jiff::Timestamp;

use super::names::local;
use super::repair::ListReader;
use super::{Cut, List};
use crate::fetch::response::date;

/// Entries of a list (sitemaps.org, "Using Sitemap index files").
pub const MAX_URLS: usize = 50_000;

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
    /// What was not read.
    pub cut: Option<Cut>,
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

/// Whether a sitemap may speak of a page: one of its own registrable domain, or of a host whose robots.txt names the
/// sitemap (sitemaps.org, "Sitemaps & Cross Submits"). Else anybody could fill the queue of anybody.
#[must_use]
pub fn may_list(sitemap: &CrawlUrl, named_by: &[Host], page: &CrawlUrl) -> bool {
    sitemap.domain() == page.domain() || named_by.contains(&page.host())
}

/// The entry being read.
#[derive(Default)]
struct Entry {
    /// Depth of its own tag.
    depth: usize,
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

impl Entry {
    /// The field that an element opens. Those of images and films have a `loc` too, but stand deeper.
    fn open(&mut self, name: &str, is_direct: bool) -> Option<Field> {
        match local(name) {
            "loc" if is_direct => Some(Field::Loc),
            "lastmod" if is_direct => Some(Field::Lastmod),
            "news" if is_direct => {
                self.news.get_or_insert_default();
                None
            }
            "publication_date" if self.news.is_some() => Some(Field::NewsDate),
            _ => None,
        }
    }
}

/// Reads a sitemap's entries.
pub(super) struct SitemapParser<'l> {
    location: &'l CrawlUrl,
    map: Sitemap,
    depth: usize,
    entry: Option<Entry>,
    /// Which text of the entry is being read, and what was read of it.
    field: Option<Field>,
    text: String,
}

impl<'l> SitemapParser<'l> {
    pub(super) fn new(location: &'l CrawlUrl) -> Self {
        Self { location, map: Sitemap::default(), depth: 0, entry: None, field: None, text: String::new() }
    }

    fn keep_text(&mut self) {
        let text = std::mem::take(&mut self.text);
        let (Some(entry), Some(field)) = (&mut self.entry, self.field.take()) else { return };
        let target = match field {
            Field::Loc => &mut entry.loc,
            Field::Lastmod => &mut entry.lastmod,
            Field::NewsDate => entry.news.get_or_insert_default(),
        };
        if target.trim().is_empty() {
            *target = text;
        }
    }
}

impl ListReader for SitemapParser<'_> {
    fn start(&mut self, name: &str, _attributes: &[(&str, String)]) {
        self.depth += 1;
        self.keep_text();
        match (local(name), &mut self.entry) {
            (kind @ ("url" | "sitemap"), None) => {
                self.entry = Some(Entry { is_child: kind == "sitemap", depth: self.depth, ..Entry::default() });
            }
            (_, Some(entry)) => {
                let is_direct = entry.depth + 1 == self.depth;
                self.field = entry.open(name, is_direct);
            }
            _ => {}
        }
    }

    fn text(&mut self, text: &str) {
        // More than any URL or date has is not kept: it only shows that it is none.
        if self.field.is_some() && self.text.len() <= MAX_URL_BYTES {
            self.text.push_str(text);
        }
    }

    fn end(&mut self) -> bool {
        self.keep_text();
        let entry = self.entry.take_if(|entry| entry.depth == self.depth);
        self.depth = self.depth.saturating_sub(1);
        entry.is_none_or(|entry| self.map.add(entry, self.location))
    }

    fn drop_text(&mut self) {
        self.field = None;
    }

    fn finish(mut self: Box<Self>, cut: Option<Cut>) -> List {
        self.map.cut = self.map.cut.take().or(cut);
        List::Sitemap(self.map)
    }
}

impl Sitemap {
    /// Reads a plain list: a URL a line.
    pub(super) fn of_lines(text: &str, location: &CrawlUrl, cut: Option<Cut>) -> Self {
        let mut map = Self { cut, ..Self::default() };
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
            // Not joined: a line of prose would become a URL of the portal.
            let entry = Entry { loc: line.to_owned(), ..Entry::default() };
            if CrawlUrl::parse(line).is_err() {
                map.bad_entries += 1;
            } else if !map.add(entry, location) {
                break;
            }
        }
        map
    }

    /// Keeps an entry; false when there are enough.
    fn add(&mut self, entry: Entry, location: &CrawlUrl) -> bool {
        if self.urls.len() + self.children.len() + self.bad_entries >= MAX_URLS || self.listed_bytes >= MAX_LISTED_BYTES
        {
            self.cut = Some(Cut::Entries(self.urls.len() + self.children.len() + self.bad_entries));
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

#[cfg(test)]
mod tests;
