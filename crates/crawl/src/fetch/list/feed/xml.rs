//! RSS 0.9 to 2.0 and Atom, as elements that the repair hands over.
//!
//! Elements are known by their names, and by what their prefixes stand for; only what stands directly in an item counts,
//! because `source`, `media:group` and unescaped descriptions have links of their own.

use std::collections::HashMap;

use goldminer_html::address::{CrawlUrl, MAX_URL_BYTES};

use super::{Feed, as_address};
use crate::fetch::list::names::local;
use crate::fetch::list::repair::ListReader;
use crate::fetch::list::{Cut, List};
use crate::fetch::response::date;

/// `xml:base` inside of `xml:base` that is followed: feed, entry, link, and some to spare.
const MAX_BASES: usize = 8;

/// Prefixes that a feed may declare; the real ones have a dozen.
const MAX_PREFIXES: usize = 200;

/// A text of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Field {
    Link,
    /// The address behind one that only counts clicks (`feedburner:origLink`).
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
    /// The first of each [`Field`] that says something.
    texts: [String; 5],
    /// The best page that a `link` names in its `href`, and how good it is.
    href: Option<(u8, CrawlUrl)>,
    /// What `isPermaLink` says of the identifier.
    is_permalink: Option<bool>,
}

impl Item {
    fn text(&self, field: Field) -> &str {
        self.texts[field as usize].trim()
    }
}

/// An `xml:base` in force; resolved when the first link needs it.
struct Base {
    depth: usize,
    written: String,
    resolved: Option<CrawlUrl>,
}

/// Reads a feed's items.
pub(crate) struct FeedParser<'l> {
    location: &'l CrawlUrl,
    feed: Feed,
    bases: Vec<Base>,
    depth: usize,
    /// Whether a declared prefix stands for one of the vocabularies that are read here.
    prefixes: HashMap<String, bool>,
    item: Option<Item>,
    /// Which text of the item is being read, and what was read of it.
    field: Option<Field>,
    text: String,
}

impl<'l> FeedParser<'l> {
    pub(crate) fn new(location: &'l CrawlUrl) -> Self {
        let (bases, prefixes) = (Vec::new(), HashMap::new());
        let (feed, text) = (Feed::default(), String::new());
        Self { location, feed, bases, depth: 0, prefixes, item: None, field: None, text }
    }
}

impl ListReader for FeedParser<'_> {
    fn start(&mut self, name: &str, attributes: &[(&str, String)]) {
        self.depth += 1;
        for (key, uri) in attributes {
            if let Some(prefix) = key.strip_prefix("xmlns:")
                && self.prefixes.len() < MAX_PREFIXES
            {
                self.prefixes.insert(prefix.to_owned(), is_vocabulary(uri));
            }
        }
        if self.bases.len() < MAX_BASES
            && let Some(written) = value(attributes, "xml:base")
        {
            self.bases.push(Base { depth: self.depth, written: written.to_owned(), resolved: None });
        }
        let prefix = name.split_once(':').map_or("", |(prefix, _)| prefix);
        if self.item.is_none() && matches!(local(name), "item" | "entry") {
            let mut item = Item { depth: self.depth, prefix: prefix.to_owned(), ..Item::default() };
            item.texts[Field::Id as usize].push_str(value(attributes, "rdf:about").unwrap_or_default());
            self.item = Some(item);
            return;
        }
        let depth = self.depth;
        let Some(item) = self.item.as_mut().filter(|item| item.depth + 1 == depth) else { return };
        let is_own = prefix.is_empty()
            || prefix == item.prefix
            || is_usual_prefix(prefix)
            || self.prefixes.get(prefix) == Some(&true);
        self.field = field(local(name), is_own);
        match self.field {
            Some(Field::Link) => self.link(attributes),
            Some(Field::Id) => {
                let says = value(attributes, "isPermaLink").map(|says| says.eq_ignore_ascii_case("true"));
                item.is_permalink = says.or(item.is_permalink);
            }
            _ => {}
        }
    }

    fn text(&mut self, text: &str) {
        let is_direct = self.item.as_ref().is_some_and(|item| item.depth + 1 == self.depth);
        // More than any URL or date has is not kept: it only shows that it is none.
        if self.field.is_some() && is_direct && self.text.len() <= MAX_URL_BYTES {
            self.text.push_str(text);
        }
    }

    fn end(&mut self) -> bool {
        let text = std::mem::take(&mut self.text);
        if let (Some(field), Some(item)) = (self.field.take(), &mut self.item)
            && item.text(field).is_empty()
        {
            item.texts[field as usize] = text;
        }
        let goes_on = match self.item.take_if(|item| item.depth == self.depth) {
            Some(item) => {
                let published = date::parse(item.text(Field::Published));
                let published = published.or_else(|| date::parse(item.text(Field::Updated)));
                let address = self.address(&item);
                self.feed.add(address, published)
            }
            None => true,
        };
        while self.bases.last().is_some_and(|base| base.depth >= self.depth) {
            self.bases.pop();
        }
        self.depth = self.depth.saturating_sub(1);
        goes_on
    }

    fn drop_text(&mut self) {
        self.field = None;
    }

    fn finish(mut self: Box<Self>, cut: Option<Cut>) -> List {
        self.feed.cut = self.feed.cut.take().or(cut);
        List::Feed(self.feed)
    }
}

impl FeedParser<'_> {
    /// A `link` of Atom, which may stand in RSS as well: the page itself, not its comments or its sound.
    fn link(&mut self, attributes: &[(&str, String)]) {
        let Some(href) = value(attributes, "href") else { return };
        let rel = value(attributes, "rel").unwrap_or("alternate");
        let is = |wanted: &str| {
            // Atom's own relations may be written as addresses (RFC 4287, section 4.2.7.2).
            rel.split_ascii_whitespace().any(|rel| local_relation(rel).eq_ignore_ascii_case(wanted))
        };
        let kind = value(attributes, "type").unwrap_or("text/html").to_ascii_lowercase();
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

    /// Where the item's page is.
    fn address(&mut self, item: &Item) -> Option<CrawlUrl> {
        let alternate = |least: u8| item.href.as_ref().filter(|(rank, _)| *rank >= least).map(|(_, url)| url.clone());
        let mut written = |text: &str| if text.is_empty() { None } else { self.resolve(text) };
        let absolute = |text: &str| as_address(text).and_then(|address| CrawlUrl::parse(address).ok());
        let found = absolute(item.text(Field::Origin))
            .or_else(|| alternate(3))
            .or_else(|| written(item.text(Field::Link)))
            .or_else(|| alternate(2));
        let by_id = || match item.is_permalink {
            Some(false) => None,
            Some(true) => written(item.text(Field::Id)),
            None => absolute(item.text(Field::Id)),
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

fn value<'a>(attributes: &'a [(&str, String)], name: &str) -> Option<&'a str> {
    attributes.iter().find(|(key, _)| *key == name).map(|(_, value)| value.as_str())
}
