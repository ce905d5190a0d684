//! RSS 0.9 to 2.0 and Atom, as a stream of tags that the repair has made well-formed.
//!
//! Elements are known by their names, and by what their prefixes stand for; only what stands directly in an item counts,
//! because `source`, `media:group` and unescaped descriptions have links of their own.

use std::collections::HashMap;

use goldminer_html::address::{CrawlUrl, MAX_URL_BYTES};
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use super::{Feed, as_address};
use crate::fetch::date;
use crate::fetch::list::Cut;
use crate::fetch::list::names::local;
use crate::fetch::list::text::resolved;

/// `xml:base` inside of `xml:base` that is followed: feed, entry, link, and some to spare.
const MAX_BASES: usize = 8;

/// Prefixes that a feed may declare; the real ones have a dozen.
const MAX_PREFIXES: usize = 200;

/// Reads XML into a feed.
pub(super) fn read(text: &str, location: &CrawlUrl, feed: &mut Feed) {
    let mut reader = Reader::from_str(text);
    let mut reading = FeedParser { location, bases: Vec::new(), depth: 0, prefixes: HashMap::new(), item: None };
    loop {
        let goes_on = match reader.read_event() {
            Ok(Event::Start(tag)) => {
                reading.start(&tag);
                true
            }
            Ok(Event::End(_)) => reading.end(feed),
            Ok(Event::Text(part)) => reading.text(&part),
            Ok(Event::CData(part)) => reading.text(&part),
            Ok(Event::GeneralRef(reference)) => reading.text(&resolved(&reference)),
            Ok(Event::Eof) => false,
            Ok(_) => true,
            Err(_) => {
                feed.cut = Some(Cut::Markup(reader.buffer_position() as usize));
                false
            }
        };
        if !goes_on {
            return;
        }
    }
}

/// Which text of an item is being read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Field {
    Link,
    Origin,
    Id,
    Published,
    Updated,
}

/// The item being read.
#[derive(Debug, Default)]
struct Item {
    /// Depth of its own tag.
    depth: usize,
    /// The prefix of its own tag.
    prefix: String,
    field: Option<Field>,
    /// The text of a `link`.
    link: String,
    /// The best page that a `link` names in its `href`, and how good it is.
    href: Option<(u8, CrawlUrl)>,
    /// The address behind one that only counts clicks (`feedburner:origLink`).
    origin: String,
    id: String,
    /// What `isPermaLink` says of the identifier.
    is_permalink: Option<bool>,
    published: String,
    updated: String,
}

/// An `xml:base` in force; resolved when the first link needs it.
struct Base {
    depth: usize,
    written: String,
    resolved: Option<CrawlUrl>,
}

struct FeedParser<'a> {
    location: &'a CrawlUrl,
    bases: Vec<Base>,
    depth: usize,
    /// Whether a declared prefix stands for one of the vocabularies that are read here.
    prefixes: HashMap<String, bool>,
    item: Option<Item>,
}

impl FeedParser<'_> {
    fn start(&mut self, tag: &BytesStart<'_>) {
        let name = tag.name();
        let name = name.as_ref();
        self.depth += 1;
        let attributes = Attributes::of(tag);
        for (key, uri) in &attributes.0 {
            if let Some(prefix) = key.strip_prefix("xmlns:")
                && self.prefixes.len() < MAX_PREFIXES
            {
                self.prefixes.insert(prefix.to_owned(), is_vocabulary(uri));
            }
        }
        if self.bases.len() < MAX_BASES
            && let Some(written) = attributes.get("xml:base")
        {
            self.bases.push(Base { depth: self.depth, written: written.to_owned(), resolved: None });
        }
        let prefix = name.split_once(':').map_or("", |(prefix, _)| prefix);
        if self.item.is_none() && matches!(local(name), "item" | "entry") {
            let id = attributes.get("rdf:about").unwrap_or_default().to_owned();
            self.item = Some(Item { depth: self.depth, prefix: prefix.to_owned(), id, ..Item::default() });
            return;
        }
        let depth = self.depth;
        let Some(item) = self.item.as_mut().filter(|item| item.depth + 1 == depth) else { return };
        let is_own = prefix.is_empty()
            || prefix == item.prefix
            || is_usual_prefix(prefix)
            || self.prefixes.get(prefix) == Some(&true);
        item.field = field(local(name), is_own);
        match item.field {
            Some(Field::Link) => self.link(&attributes),
            Some(Field::Id) => {
                let says = attributes.get("isPermaLink").map(|says| says.eq_ignore_ascii_case("true"));
                item.is_permalink = says.or(item.is_permalink);
            }
            _ => {}
        }
    }

    /// A `link` of Atom, which may stand in RSS as well: the page itself, not its comments or its sound.
    fn link(&mut self, attributes: &Attributes) {
        let Some(href) = attributes.get("href") else { return };
        let rel = attributes.get("rel").unwrap_or("alternate");
        let is = |wanted: &str| {
            // Atom's own relations may be written as addresses (RFC 4287, section 4.2.7.2).
            rel.split_ascii_whitespace().any(|rel| local_relation(rel).eq_ignore_ascii_case(wanted))
        };
        let kind = attributes.get("type").unwrap_or("text/html").to_ascii_lowercase();
        let rank = match (is("alternate") || rel.trim().is_empty(), kind.contains("html")) {
            (true, true) => 3,
            (true, false) => 2,
            (false, _) if is("self") => 1,
            (false, _) => return,
        };
        let is_better = |item: &Item| item.href.as_ref().is_none_or(|(known, _)| *known < rank);
        if !self.item.as_ref().is_some_and(is_better) {
            return;
        }
        let url = self.resolve(href);
        if let (Some(item), Some(url)) = (&mut self.item, url) {
            item.href = Some((rank, url));
        }
    }

    fn text(&mut self, part: &str) -> bool {
        let depth = self.depth;
        let Some(item) = self.item.as_mut().filter(|item| item.depth + 1 == depth) else { return true };
        let target = match item.field {
            Some(Field::Link) => &mut item.link,
            Some(Field::Origin) => &mut item.origin,
            Some(Field::Id) => &mut item.id,
            Some(Field::Published) => &mut item.published,
            Some(Field::Updated) => &mut item.updated,
            None => return true,
        };
        // More than any URL or date has is not kept: it only shows that it is none.
        if target.len() <= MAX_URL_BYTES {
            target.push_str(part);
        }
        true
    }

    /// False when nothing more is wanted.
    fn end(&mut self, feed: &mut Feed) -> bool {
        let depth = self.depth;
        let goes_on = match self.item.take_if(|item| item.depth == depth) {
            Some(item) => {
                feed.add(self.address(&item), date::parse(&item.published).or_else(|| date::parse(&item.updated)))
            }
            None => true,
        };
        if let Some(item) = &mut self.item {
            item.field = None;
        }
        while self.bases.last().is_some_and(|base| base.depth >= self.depth) {
            self.bases.pop();
        }
        self.depth = self.depth.saturating_sub(1);
        goes_on
    }

    /// Where the item's page is.
    fn address(&mut self, item: &Item) -> Option<CrawlUrl> {
        let alternate = |least: u8| item.href.as_ref().filter(|(rank, _)| *rank >= least).map(|(_, url)| url.clone());
        let mut written = |text: &str| if text.trim().is_empty() { None } else { self.resolve(text.trim()) };
        let origin = as_address(&item.origin).and_then(|origin| CrawlUrl::parse(origin).ok());
        let found = origin.or_else(|| alternate(3)).or_else(|| written(&item.link)).or_else(|| alternate(2));
        let by_id = || match item.is_permalink {
            Some(false) => None,
            Some(true) => written(&item.id),
            None => as_address(&item.id).and_then(|id| CrawlUrl::parse(id).ok()),
        };
        found.or_else(by_id).or_else(|| alternate(1))
    }

    fn resolve(&mut self, reference: &str) -> Option<CrawlUrl> {
        let mut outer = self.location;
        for base in &mut self.bases {
            if base.resolved.is_none() {
                base.resolved = Some(outer.join(&base.written).unwrap_or_else(|_| outer.clone()));
            }
            outer = base.resolved.as_ref().unwrap_or(outer);
        }
        outer.join(reference).ok()
    }
}

/// The meaning of an element that stands directly in an item. `is_own` tells whether it belongs to a vocabulary of feeds.
fn field(name: &str, is_own: bool) -> Option<Field> {
    match name {
        // Of FeedBurner and those who followed it, under many prefixes.
        "origLink" => Some(Field::Origin),
        "link" if is_own => Some(Field::Link),
        "guid" | "id" if is_own => Some(Field::Id),
        "pubDate" | "published" | "issued" | "date" | "created" if is_own => Some(Field::Published),
        "updated" | "modified" if is_own => Some(Field::Updated),
        _ => None,
    }
}

/// Whether a namespace is RSS, Atom or Dublin Core.
fn is_vocabulary(uri: &str) -> bool {
    let known =
        ["/2005/atom", "purl.org/atom", "purl.org/rss", "purl.org/dc", "netscape.com/rdf", "/rss2", "/tech/rss"];
    let uri = uri.to_ascii_lowercase();
    known.iter().any(|known| uri.contains(known))
}

/// Prefixes that are used without being declared.
fn is_usual_prefix(prefix: &str) -> bool {
    matches!(prefix, "atom" | "atom10" | "a10" | "rss" | "dc" | "dcterms")
}

fn local_relation(rel: &str) -> &str {
    rel.strip_prefix("http://www.iana.org/assignments/relation/").unwrap_or(rel)
}

/// The attributes of a tag, with their references resolved.
struct Attributes(Vec<(String, String)>);

impl Attributes {
    fn of(tag: &BytesStart<'_>) -> Self {
        let mut attributes = tag.attributes();
        // The repair has left each name once.
        attributes.with_checks(false);
        let read = attributes.flatten().map(|attribute| {
            let value = quick_xml::escape::unescape(&attribute.value);
            let value = value.map_or_else(|_| attribute.value.trim().to_owned(), |value| value.trim().to_owned());
            (attribute.key.as_ref().to_owned(), value)
        });
        Self(read.collect())
    }

    fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}
