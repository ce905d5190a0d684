//! Microdata, RDFa and `<time>`: what is said in the article's own markup.

use super::{Found, author, date, joined, pieces, rights, text};
use crate::document::MetadataSource;
use crate::page::tag::Tag;
use crate::page::{ElementId, Page};

/// A property's element is no longer than this.
const MAX_ELEMENT_BYTES: u32 = 4 * 1024;
/// So many properties and times are looked at; a page with more is a list.
const MAX_LOOKED_AT: usize = 1_000;

/// `known` is what other sources have said: another pass over the page is worth it only where day or authors are missing.
pub(super) fn read(page: &Page, known: &Found) -> Found {
    let mut found = microdata(page);
    let is_dated = found.published.is_some() || known.published.is_some();
    if !is_dated || found.authors.is_empty() && known.authors.is_empty() {
        found.fill(rdfa(page), MetadataSource::Rdfa);
    }
    if found.published.is_none() {
        found.published = time(page);
        found.sources.published = Some(MetadataSource::Time);
    }
    found
}

/// Microdata: `itemprop`.
pub(super) fn microdata(page: &Page) -> Found {
    if page.notable.itemprop { properties(page, "itemprop") } else { Found::default() }
}

/// RDFa: `property`, in schema.org's and Dublin Core's words. `<meta>` has been read before.
fn rdfa(page: &Page) -> Found {
    if page.notable.property { properties(page, "property") } else { Found::default() }
}

fn properties(page: &Page, attribute: &str) -> Found {
    let mut found = Found::default();
    let mut names = Vec::new();
    for position in memchr::memmem::find_iter(page.text().as_bytes(), attribute).take(MAX_LOOKED_AT) {
        let Some(id) =
            page.start_tag_at(position).filter(|id| page.element(*id).tag != Tag::Meta || attribute == "itemprop")
        else {
            continue;
        };
        let Some(property) = page.attribute(id, attribute) else { continue };
        // Several may be named, each with the prefix of its vocabulary.
        let named = property.split_ascii_whitespace().next_back().map_or("", |name| bare(name, attribute));
        let slot = match named {
            "headline" => &mut found.title,
            "datePublished" | "issued" | "created" => &mut found.published,
            "dateModified" | "modified" => &mut found.modified,
            "articleSection" => &mut found.section,
            "license" | "isAccessibleForFree" | "copyrightHolder" | "copyrightNotice" if attribute == "itemprop" => {
                rights::of_property(page, id, named, || value(page, id), &mut found.rights);
                continue;
            }
            "author" => {
                names.extend(name(page, id, attribute));
                continue;
            }
            _ => continue,
        };
        if slot.is_none() {
            *slot = value(page, id).and_then(|value| match named {
                "headline" | "articleSection" => text::line(&value),
                _ => date::normalised(&value),
            });
        }
    }
    found.authors = author::cleaned(page, &names);
    found
}

/// A property's name without prefix or address; those of Dublin Core are none of microdata.
fn bare<'a>(name: &'a str, attribute: &str) -> &'a str {
    match (attribute, name.rsplit_once([':', '/', '#'])) {
        ("property", Some((_, bare))) => bare,
        ("property", None) if matches!(name, "created" | "issued" | "modified") => "",
        ("itemprop", _) if matches!(name, "created" | "issued" | "modified") => "",
        _ => name,
    }
}

/// The value of a property (HTML standard, "Microdata", "Values").
fn value(page: &Page, id: ElementId) -> Option<String> {
    for attribute in page.attributes(id) {
        if attribute.is("content") || attribute.is("datetime") {
            return Some(attribute.value().into_owned());
        }
    }
    let element = page.element(id);
    (element.close - element.content <= MAX_ELEMENT_BYTES).then(|| text::without_tags(page.inner_source(id)))
}

/// The name of a person: a property `name` inside, or all of it.
fn name(page: &Page, id: ElementId, attribute: &str) -> Option<String> {
    let element = page.element(id);
    let mut inside = (id.index() as u32 + 1..element.subtree_end).take(32).map(ElementId);
    let named = inside.find(|inner| {
        page.attribute(*inner, attribute).is_some_and(|property| bare(property.trim(), attribute) == "name")
    });
    if let Some(named) = named {
        return value(page, named).and_then(|name| text::line(&name)).map(|name| joined::tied(&name));
    }
    let is_told = page.attributes(id).any(|attribute| attribute.is("content"));
    match is_told || element.close - element.content > MAX_ELEMENT_BYTES {
        true => value(page, id).and_then(|name| text::line(&name)),
        false => pieces::line(page, element.content as usize..element.close as usize),
    }
}

/// The first `<time datetime>` behind the headline, or the only one of the page.
fn time(page: &Page) -> Option<String> {
    let headline = page.elements_of(Tag::H1).next();
    let times: Vec<ElementId> = page.elements_of(Tag::Time).take(MAX_LOOKED_AT).collect();
    let in_article = |id: &ElementId| {
        !page.ancestors_and_self(*id).any(|a| matches!(page.element(a).tag, Tag::Nav | Tag::Aside | Tag::Footer))
    };
    let first = match headline {
        Some(headline) => times.iter().copied().find(|id| *id > headline && in_article(id)),
        None => None,
    };
    let only = || if let [only] = times[..] { Some(only) } else { None };
    let time = first.or_else(only)?;
    date::normalised(&page.attribute(time, "datetime")?)
}
