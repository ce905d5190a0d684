//! RSS 0.9 to 2.0 and Atom, as a stream of tags.
//!
//! Elements are known by their names, prefixes aside where they belong to the feed's own language; only what stands
//! directly in an item counts, because `source`, `media:group` and unescaped descriptions have links of their own.

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use super::{Feed, FeedError, as_address};
use crate::address::{CrawlUrl, MAX_URL_BYTES};
use crate::fetch::date;
use crate::fetch::xml_reference::resolved;

/// `xml:base` inside of `xml:base` that is followed: feed, entry, link, and some to spare.
const MAX_BASES: usize = 8;

/// Reads XML into a feed.
pub(super) fn read(text: &str, location: &CrawlUrl, feed: &mut Feed) -> Result<(), FeedError> {
    let mut reader = Reader::from_str(text);
    let config = reader.config_mut();
    config.check_end_names = false;
    config.expand_empty_elements = true;
    let mut reading = Reading::new(location);
    loop {
        match reader.read_event() {
            Ok(Event::Start(tag)) => {
                if !reading.start(&tag, feed)? {
                    return Ok(());
                }
            }
            Ok(Event::End(tag)) => {
                if !reading.end(tag.name().as_ref(), feed) {
                    return Ok(());
                }
            }
            Ok(Event::Text(part)) => reading.text(&part),
            Ok(Event::CData(part)) => reading.text(&part),
            Ok(Event::GeneralRef(reference)) => reading.text(resolved(&reference).as_deref().unwrap_or_default()),
            Ok(Event::Eof) => {
                reading.close_item(feed);
                break;
            }
            Ok(_) => {}
            Err(_) => {
                // The item that is being read may have its link already.
                reading.close_item(feed);
                feed.cut = true;
                break;
            }
        }
    }
    if reading.has_root { Ok(()) } else { Err(FeedError("it has no element".to_owned())) }
}

/// Which text of an item is being read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Field {
    Link,
    Id,
    Published,
    Updated,
}

/// The item being read.
#[derive(Debug, Default)]
struct Item {
    /// Depth of its own tag.
    depth: usize,
    /// The name of the element directly in it that is open, or was last.
    child: String,
    field: Option<Field>,
    /// The text of a `link`.
    link: String,
    /// The page that a `link` names in its `href`, resolved.
    href: Option<CrawlUrl>,
    has_href: bool,
    id: String,
    published: String,
    updated: String,
}

/// An `xml:base` in force; resolved when the first link needs it.
struct Base {
    depth: usize,
    written: String,
    resolved: Option<CrawlUrl>,
}

struct Reading<'a> {
    location: &'a CrawlUrl,
    bases: Vec<Base>,
    depth: usize,
    has_root: bool,
    item: Option<Item>,
    links_bytes: usize,
}

impl<'a> Reading<'a> {
    fn new(location: &'a CrawlUrl) -> Self {
        Self { location, bases: Vec::new(), depth: 0, has_root: false, item: None, links_bytes: 0 }
    }

    /// False when nothing more is wanted.
    fn start(&mut self, tag: &BytesStart<'_>, feed: &mut Feed) -> Result<bool, FeedError> {
        let name = tag.name();
        let name = name.as_ref();
        if !self.has_root {
            self.has_root = true;
            let known = ["rss", "feed", "rdf", "entry", "channel"];
            if !known.iter().any(|known| local(name).eq_ignore_ascii_case(known)) {
                let shown: String = name.chars().take(40).collect();
                return Err(FeedError(format!("its first element is <{shown}>")));
            }
        }
        self.depth += 1;
        if self.bases.len() < MAX_BASES
            && let Some(written) = attribute(tag, "xml:base")
        {
            self.bases.push(Base { depth: self.depth, written, resolved: None });
        }
        if matches!(local(name), "item" | "entry") {
            // An item inside of an item: the first was never closed.
            let goes_on = self.close_item(feed);
            let id = attribute(tag, "rdf:about").unwrap_or_default();
            self.item = Some(Item { depth: self.depth, id, ..Item::default() });
            return Ok(goes_on);
        }
        let depth = self.depth;
        let Some(item) = self.item.as_mut().filter(|item| item.depth + 1 == depth) else { return Ok(true) };
        name.clone_into(&mut item.child);
        item.field = field(name);
        if item.field == Some(Field::Link) {
            self.link(tag);
        }
        Ok(true)
    }

    /// A `link` of Atom, which may stand in RSS as well: the page itself, not its comments or its sound.
    fn link(&mut self, tag: &BytesStart<'_>) {
        let Some(href) = attribute(tag, "href") else { return };
        let is_page = attribute(tag, "rel").is_none_or(|rel| rel.trim().eq_ignore_ascii_case("alternate"));
        if !is_page || self.item.as_ref().is_none_or(|item| item.has_href) {
            return;
        }
        let url = self.resolve(&href);
        if let Some(item) = &mut self.item {
            (item.href, item.has_href) = (url, true);
        }
    }

    fn text(&mut self, part: &str) {
        let Some(item) = &mut self.item else { return };
        if item.depth + 1 != self.depth {
            return;
        }
        let target = match item.field {
            Some(Field::Link) => &mut item.link,
            Some(Field::Id) => &mut item.id,
            Some(Field::Published) => &mut item.published,
            Some(Field::Updated) => &mut item.updated,
            None => return,
        };
        // More than any URL or date has is not kept: it only shows that it is none.
        if target.len() <= MAX_URL_BYTES {
            target.push_str(part);
        }
    }

    /// False when nothing more is wanted.
    fn end(&mut self, name: &str, feed: &mut Feed) -> bool {
        let is_item = matches!(local(name), "item" | "entry");
        if let Some(item) = &self.item {
            // Unescaped HTML leaves tags open; what is around them closes them.
            if is_item {
                self.depth = item.depth;
            } else if name == item.child {
                self.depth = item.depth + 1;
            }
        }
        let goes_on = !is_item || self.close_item(feed);
        if let Some(item) = &mut self.item {
            item.field = None;
        }
        while self.bases.last().is_some_and(|base| base.depth >= self.depth) {
            self.bases.pop();
        }
        self.depth = self.depth.saturating_sub(1);
        goes_on
    }

    fn close_item(&mut self, feed: &mut Feed) -> bool {
        let Some(item) = self.item.take() else { return true };
        let link = item.link.trim();
        let url = match item.href {
            Some(href) => Some(href),
            None if !link.is_empty() => self.resolve(link),
            None => None,
        };
        let url = url.or_else(|| as_address(&item.id).and_then(|id| CrawlUrl::parse(id).ok()));
        let published = date::parse(&item.published).or_else(|| date::parse(&item.updated));
        feed.add(url, published, &mut self.links_bytes)
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

/// The meaning of an element that stands directly in an item.
fn field(name: &str) -> Option<Field> {
    let is_own = match name.split_once(':') {
        None => true,
        Some((prefix, _)) => matches!(prefix, "atom" | "atom10" | "a10" | "rss" | "dc" | "dcterms"),
    };
    match local(name) {
        "link" if is_own => Some(Field::Link),
        "guid" | "id" if is_own => Some(Field::Id),
        "pubDate" | "published" | "issued" | "date" | "created" if is_own => Some(Field::Published),
        "updated" | "modified" if is_own => Some(Field::Updated),
        _ => None,
    }
}

fn local(name: &str) -> &str {
    name.rsplit_once(':').map_or(name, |(_, local)| local)
}

/// The value of an attribute that is short enough for an address.
fn attribute(tag: &BytesStart<'_>, name: &str) -> Option<String> {
    let mut attributes = tag.attributes();
    // Repeated names are looked for pair by pair otherwise.
    attributes.with_checks(false);
    let found = attributes.flatten().find(|attribute| attribute.key.as_ref() == name)?;
    if found.value.len() > MAX_URL_BYTES {
        return None;
    }
    Some(match quick_xml::escape::unescape(&found.value) {
        Ok(value) => value.trim().to_owned(),
        Err(_) => found.value.trim().to_owned(),
    })
}
