//! Reads the entries of a feed or sitemap from the elements that `repair` passes on: the items of RSS 0.9 to 2.0 and
//! Atom, the URLs of sitemaps, and the sitemaps of an index. [`super::may_list`] and the frontier's scope decide
//! whether a listed page may be visited.
//!
//! Feed elements are recognised by their names and the namespaces of their prefixes. Only direct children of an entry
//! are read, because `source`, `media:group`, images and unescaped descriptions contain URLs of their own.

use std::collections::HashMap;

use goldminer_html::address::{CrawlUrl, MAX_URL_BYTES};

use super::{EntryKind, List, ListKind, MAX_LOC_BYTES};
use crate::response::date;

/// The most nested `xml:base` attributes that are followed: more than those of feed, entry and link.
const MAX_BASES: usize = 8;

/// The most prefixes that a feed may declare; real feeds declare about a dozen.
const MAX_PREFIXES: usize = 200;

/// The prefix of Atom's link relations when they are written as URLs (RFC 4287, section 4.2.7.2).
const RELATIONS: &str = "http://www.iana.org/assignments/relation/";

/// The elements of an entry whose text is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Field {
    Link,
    /// The page's URL (`feedburner:origLink`), if `link` is the URL of a click counter.
    Origin,
    Id,
    Changed,
}

/// The entry that is being read.
struct Item {
    kind: EntryKind,
    /// The depth of the entry's tag.
    depth: usize,
    /// The prefix of the entry's tag.
    prefix: String,
    /// For each [`Field`], its first text that is not empty.
    texts: [String; 4],
    /// The best URL that a `link` gives in its `href`, and its rank.
    href: Option<(u8, CrawlUrl)>,
    /// The value of `isPermaLink`: whether the identifier is the page's URL.
    is_permalink: Option<bool>,
}

impl Item {
    fn text(&self, field: Field) -> &str {
        self.texts[field as usize].trim()
    }
}

/// An `xml:base` that applies now; it is resolved when the first link needs it.
struct Base {
    depth: usize,
    written: String,
    resolved: Option<CrawlUrl>,
}

/// Receives the elements of a feed or sitemap in order, and collects its entries. Each call of `start` needs a matching
/// call of `end`.
pub(super) struct EntryReader<'l> {
    location: &'l CrawlUrl,
    /// The entries found so far.
    pub(super) list: List,
    bases: Vec<Base>,
    depth: usize,
    /// For each declared prefix, whether its namespace is one that is read here.
    prefixes: HashMap<String, bool>,
    item: Option<Item>,
    /// The field of the entry that is being read now, and its text so far.
    field: Option<Field>,
    text: String,
}

impl<'l> EntryReader<'l> {
    pub(super) fn new(kind: ListKind, location: &'l CrawlUrl) -> Self {
        let (bases, prefixes, text) = (Vec::new(), HashMap::new(), String::new());
        Self { location, list: List::new(kind), bases, depth: 0, prefixes, item: None, field: None, text }
    }

    /// Starts an element. The caller must pass each attribute name only once.
    pub(super) fn start(&mut self, name: &str, attributes: &[(&str, String)]) {
        self.depth += 1;
        self.keep_text();
        let is_feed = self.list.kind == ListKind::Feed;
        if is_feed {
            self.declare(attributes);
        }
        let (prefix, name) = name.rsplit_once(':').unwrap_or(("", name));
        let Some(item) = &mut self.item else {
            let kind = match (name, is_feed) {
                ("item" | "entry", true) | ("url", false) => EntryKind::Page,
                ("sitemap", false) => EntryKind::Sitemap,
                _ => return,
            };
            let id = value(attributes, "rdf:about").unwrap_or_default().to_owned();
            let texts = [String::new(), String::new(), id, String::new()];
            let (depth, prefix) = (self.depth, prefix.to_owned());
            self.item = Some(Item { kind, depth, prefix, texts, href: None, is_permalink: None });
            return;
        };
        if item.depth + 1 != self.depth {
            return;
        }
        let is_own = || {
            let is_usual = matches!(prefix, "" | "atom" | "atom10" | "a10" | "rss" | "dc" | "dcterms");
            is_usual || prefix == item.prefix || self.prefixes.get(prefix) == Some(&true)
        };
        self.field = match name {
            "loc" if !is_feed => Some(Field::Link),
            "lastmod" if !is_feed => Some(Field::Changed),
            // FeedBurner and similar services use this name with many prefixes.
            "origLink" if is_feed => Some(Field::Origin),
            "link" if is_feed && is_own() => Some(Field::Link),
            "guid" | "id" if is_feed && is_own() => Some(Field::Id),
            _ => None,
        };
        match self.field {
            None if name == "news" && !is_feed && item.kind == EntryKind::Page => item.kind = EntryKind::News,
            Some(Field::Id) => {
                let says = value(attributes, "isPermaLink").map(|says| says.eq_ignore_ascii_case("true"));
                item.is_permalink = says.or(item.is_permalink);
            }
            Some(Field::Link) if is_feed => self.link(attributes),
            _ => {}
        }
    }

    /// Adds text of the innermost element; may be called several times for one text.
    pub(super) fn text(&mut self, text: &str) {
        // Text longer than any URL or date is not kept.
        if self.field.is_some() && self.text.len() <= MAX_URL_BYTES {
            self.text.push_str(text);
        }
    }

    /// Ends the innermost element. Returns false when no more entries are wanted.
    pub(super) fn end(&mut self) -> bool {
        self.keep_text();
        let goes_on = match self.item.take_if(|item| item.depth == self.depth) {
            Some(item) => {
                let address = self.address(&item);
                self.list.add(address, item.kind, date::parse(item.text(Field::Changed)))
            }
            None => true,
        };
        self.bases.pop_if(|base| base.depth >= self.depth);
        self.depth = self.depth.saturating_sub(1);
        goes_on
    }

    /// Drops the current text, because the list breaks off inside it: half a URL is not a URL.
    pub(super) fn drop_text(&mut self) {
        self.field = None;
    }

    fn keep_text(&mut self) {
        let text = std::mem::take(&mut self.text);
        if let (Some(field), Some(item)) = (self.field.take(), &mut self.item)
            && item.text(field).is_empty()
        {
            item.texts[field as usize] = text;
        }
    }

    /// Notes the namespaces that an element declares for prefixes, and its base URL.
    fn declare(&mut self, attributes: &[(&str, String)]) {
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
    }

    /// Reads an Atom `link`, also in RSS. Only a link to the page itself counts, not one to comments or audio.
    fn link(&mut self, attributes: &[(&str, String)]) {
        let Some(href) = value(attributes, "href") else { return };
        let rel = value(attributes, "rel").unwrap_or("alternate");
        let is = |wanted: &str| {
            let is_wanted = |rel: &str| rel.strip_prefix(RELATIONS).unwrap_or(rel).eq_ignore_ascii_case(wanted);
            rel.split_ascii_whitespace().any(is_wanted)
        };
        let kind = value(attributes, "type").unwrap_or("text/html").to_ascii_lowercase();
        let rank = match (is("alternate") || rel.trim().is_empty(), kind.contains("html")) {
            (true, true) => 3,
            (true, false) => 2,
            (false, _) if is("self") => 1,
            (false, _) => return,
        };
        let is_better = |item: &Item| item.href.as_ref().is_none_or(|(known, _)| *known < rank);
        if self.item.as_ref().is_some_and(is_better)
            && let Some(url) = self.resolve(href)
            && let Some(item) = &mut self.item
        {
            item.href = Some((rank, url));
        }
    }

    /// The URL of the entry's page.
    fn address(&mut self, item: &Item) -> Option<CrawlUrl> {
        let link = item.text(Field::Link);
        if self.list.kind == ListKind::Sitemap {
            return if link.is_empty() || link.len() > MAX_LOC_BYTES { None } else { self.location.join(link).ok() };
        }
        let alternate = |least: u8| item.href.as_ref().filter(|(rank, _)| *rank >= least).map(|(_, url)| url.clone());
        let mut written = |text: &str| if text.is_empty() { None } else { self.resolve(text) };
        let absolute = |text: &str| as_address(text).and_then(|address| CrawlUrl::parse(address).ok());
        let found = absolute(item.text(Field::Origin))
            .or_else(|| alternate(3))
            .or_else(|| written(link))
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

/// The identifier, if it is also the URL of the page.
pub(super) fn as_address(id: &str) -> Option<&str> {
    let id = id.trim();
    (id.starts_with("http://") || id.starts_with("https://")).then_some(id)
}

/// Whether a namespace is RSS, Atom or Dublin Core.
fn is_vocabulary(uri: &str) -> bool {
    let known =
        ["/2005/atom", "purl.org/atom", "purl.org/rss", "purl.org/dc", "netscape.com/rdf", "/rss2", "/tech/rss"];
    let uri = uri.to_ascii_lowercase();
    known.iter().any(|known| uri.contains(known))
}

fn value<'a>(attributes: &'a [(&str, String)], name: &str) -> Option<&'a str> {
    attributes.iter().find(|(key, _)| *key == name).map(|(_, value)| value.as_str())
}
