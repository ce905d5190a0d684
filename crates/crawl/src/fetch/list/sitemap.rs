//! Sitemaps (sitemaps.org): lists of a portal's pages, and lists of such lists; news sitemaps and plain text lists as
//! well.
//!
//! Read as a stream of tags without a tree, behind the repair. A list that breaks off or passes a cap gives what it gave
//! until then, and says so. Whether a listed page is ours to visit is decided by [`may_list`] and by the frontier's scope.

use goldminer_html::address::{CrawlUrl, Host};
use jiff::Timestamp;
use quick_xml::Reader;
use quick_xml::events::Event;

use super::Cut;
use super::names::local;
use super::text::{Form, ListText, resolved};
use crate::fetch::date;

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

/// Reads a sitemap's text; `location` is where it was found.
pub(super) fn of(list: ListText, location: &CrawlUrl) -> Sitemap {
    let mut sitemap = Sitemap { cut: list.cut, ..Sitemap::default() };
    match list.form {
        Form::Lines => sitemap.read_lines(&list.text, location),
        _ => sitemap.read_xml(&list.text, location),
    }
    sitemap
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

impl Sitemap {
    fn read_lines(&mut self, text: &str, location: &CrawlUrl) {
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
            // Not joined: a line of prose would become a URL of the portal.
            let entry = Entry { loc: line.to_owned(), ..Entry::default() };
            if CrawlUrl::parse(line).is_err() {
                self.bad_entries += 1;
            } else if !self.add(entry, location) {
                break;
            }
        }
    }

    /// Reads XML that the repair has made well-formed.
    fn read_xml(&mut self, text: &str, location: &CrawlUrl) {
        let mut reader = Reader::from_str(text);
        let mut depth = 0_usize;
        let mut entry: Option<Entry> = None;
        let mut field = None;
        loop {
            match reader.read_event() {
                Ok(Event::Start(tag)) => {
                    depth += 1;
                    let name = tag.name();
                    let name = name.as_ref();
                    match (local(name), &mut entry) {
                        (kind @ ("url" | "sitemap"), None) => {
                            entry = Some(Entry { is_child: kind == "sitemap", depth, ..Entry::default() });
                        }
                        (_, Some(entry)) => {
                            let is_direct = entry.depth + 1 == depth;
                            field = entry.open(name, is_direct);
                        }
                        _ => {}
                    }
                }
                Ok(Event::End(_)) => {
                    field = None;
                    if let Some(entry) = entry.take_if(|entry| entry.depth == depth)
                        && !self.add(entry, location)
                    {
                        return;
                    }
                    depth = depth.saturating_sub(1);
                }
                Ok(Event::Text(part)) => push(&mut entry, field, &part),
                Ok(Event::CData(part)) => push(&mut entry, field, &part),
                Ok(Event::GeneralRef(reference)) => push(&mut entry, field, &resolved(&reference)),
                Ok(Event::Eof) => return,
                Ok(_) => {}
                Err(_) => {
                    self.cut = Some(Cut::Markup(reader.buffer_position() as usize));
                    return;
                }
            }
        }
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

#[cfg(test)]
mod tests;
