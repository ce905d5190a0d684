//! Microdata and `<time>`: what is said in the article's own markup.

use super::{Found, author, date, text};
use crate::document::MetadataSource;
use crate::page::tag::Tag;
use crate::page::{ElementId, Page};

/// A property's element is no longer than this.
const MAX_ELEMENT_BYTES: u32 = 4 * 1024;
/// So many properties and times are looked at; a page with more is a list.
const MAX_LOOKED_AT: usize = 1_000;

pub(super) fn read(page: &Page) -> Found {
    let mut found = microdata(page);
    if found.published.is_none() {
        found.published = time(page);
        found.sources.published = Some(MetadataSource::Time);
    }
    found
}

pub(super) fn microdata(page: &Page) -> Found {
    let mut found = Found::default();
    let mut names = Vec::new();
    for position in memchr::memmem::find_iter(page.text().as_bytes(), b"itemprop").take(MAX_LOOKED_AT) {
        let Some(id) = page.start_tag_at(position) else { continue };
        let Some(property) = page.attribute(id, "itemprop") else { continue };
        let slot = match property.trim() {
            "headline" => &mut found.title,
            "datePublished" => &mut found.published,
            "dateModified" => &mut found.modified,
            "articleSection" => &mut found.section,
            "author" => {
                names.extend(name(page, id).and_then(|name| text::line(&name)));
                continue;
            }
            _ => continue,
        };
        if slot.is_none() {
            *slot = value(page, id).and_then(|value| match property.trim() {
                "datePublished" | "dateModified" => date::normalised(&value),
                _ => text::line(&value),
            });
        }
    }
    found.authors = author::cleaned(&names);
    found
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
fn name(page: &Page, id: ElementId) -> Option<String> {
    let inside = (id.index() as u32 + 1..page.element(id).subtree_end).take(32).map(ElementId);
    inside
        .into_iter()
        .find(|inner| page.attribute(*inner, "itemprop").is_some_and(|property| property.trim() == "name"))
        .map_or_else(|| value(page, id), |inner| value(page, inner))
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
