//! The names of elements and attributes in feeds and sitemaps, spelled as in their specifications.
//!
//! Portals write them in any case (`<ITEM>`, `<pubdate>`), forget to close them, and nest elements that must not
//! nest. `repair` looks up here how a name is spelled and which elements it closes.

/// Root elements that start a list anywhere in the text, because no other format has them.
const ROOTS: &str = "rss feed RDF urlset sitemapindex";

/// Elements that show a feed or sitemap only if they are the first element, because HTML pages and other formats have
/// them too.
const FIRST_ROOTS: &str = "channel entry url sitemap";

/// Elements that are never nested in an element of the same name.
const ITEMS: &str = "item entry url sitemap";

/// Elements that contain only text. The next element named in this file closes them.
const TEXTS: &str = "title link guid id pubDate published updated issued modified created loc lastmod changefreq \
    priority dc:date feedburner:origLink news:publication_date";

/// The other elements of feeds and sitemaps.
const OTHERS: &str = "channel rdf:RDF description summary content content:encoded author category comments enclosure \
    source image image:image news:news media:content";

const ATTRIBUTES: &str = "href rel type url hreflang isPermaLink xml:base rdf:about version encoding";

/// A name without its prefix.
pub(super) fn local(name: &str) -> &str {
    name.rsplit_once(':').map_or(name, |(_, local)| local)
}

/// An element's name as the specification spells it; an unknown name stays as it is.
pub(super) fn element(name: &str) -> &str {
    [ROOTS, FIRST_ROOTS, ITEMS, TEXTS, OTHERS].into_iter().find_map(|known| spelled(known, name)).unwrap_or(name)
}

/// An attribute's name as the specification spells it; an unknown name stays as it is.
pub(super) fn attribute(name: &str) -> &str {
    spelled(ATTRIBUTES, name).unwrap_or(name)
}

/// Whether this element shows that a feed or sitemap begins. `is_first` says that no other element precedes it.
pub(super) fn is_root(name: &str, is_first: bool) -> bool {
    has(ROOTS, local(name)) || (is_first && has(FIRST_ROOTS, local(name)))
}

pub(super) fn is_feed(root: &str) -> bool {
    has("rss feed RDF channel entry", local(root))
}

/// Whether the element is an entry of a list.
pub(super) fn is_item(name: &str) -> bool {
    has(ITEMS, local(name))
}

/// Whether the element contains only text.
pub(super) fn is_text(name: &str) -> bool {
    has(TEXTS, name) || has(TEXTS, local(name))
}

/// Whether the element closes an open element that contains only text.
pub(super) fn ends_text(name: &str) -> bool {
    is_text(name) || is_item(name) || has(OTHERS, local(name)) || has(OTHERS, name)
}

/// The spelling of `name` in a list of names, ignoring case.
fn spelled(names: &'static str, name: &str) -> Option<&'static str> {
    names.split(' ').find(|known| known.eq_ignore_ascii_case(name))
}

fn has(names: &'static str, name: &str) -> bool {
    spelled(names, name).is_some()
}
