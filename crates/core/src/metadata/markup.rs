//! Microdata, RDFa and `<time>`: metadata in the article's own markup.

use std::borrow::Cow;

use goldminer_html::{ElementId, Page, Tag};

use super::author::{self, pieces};
use super::date::customs::Customs;
use super::date::{self, dateline};
use super::own_part::{OwnPart, is_in_column, is_of_others, is_own, kind_of_thing};
use super::{Field, Found, near, rights, text};
use crate::document::MetadataSource;

/// The most bytes of an element whose text is read as the value of a property.
const MAX_ELEMENT_BYTES: u32 = 4 * 1024;
/// The most properties and times that are read; a page with more is a list.
const MAX_LOOKED_AT: usize = 1_000;

/// Reads the metadata in the page's markup. RDFa is read only if the date or the authors are missing in `known` (the
/// results of other sources) and in the microdata.
pub(super) fn read(page: &Page, headline: Option<usize>, part: OwnPart, known: &Found, customs: &Customs<'_>) -> Found {
    let mut found = microdata(page, part, customs);
    if [Field::Published, Field::Authors].into_iter().any(|field| found.lacks(field) && known.lacks(field)) {
        found.fill(properties(page, "property", MetadataSource::Rdfa, part, customs));
    }
    if found.lacks(Field::Published) {
        found.say(Field::Published, time(page, headline, part, customs), MetadataSource::Time);
    }
    found
}

pub(super) fn microdata(page: &Page, part: OwnPart, customs: &Customs<'_>) -> Found {
    properties(page, "itemprop", MetadataSource::Microdata, part, customs)
}

/// Reads microdata (if `attribute` is `itemprop`) or RDFa with names of schema.org or Dublin Core. RDFa in `<meta>`
/// elements is left out, because `meta` reads them.
fn properties(page: &Page, attribute: &str, source: MetadataSource, part: OwnPart, customs: &Customs<'_>) -> Found {
    let mut found = Found::default();
    let mut names = Vec::new();
    let is_read = |id: &ElementId| attribute == "itemprop" || page.element(*id).tag != Tag::Meta;
    let ids = page.ids().filter(|id| page.may_have_property(*id) && is_read(id));
    for (id, property) in ids.filter_map(|id| Some((id, page.attribute(id, attribute)?))).take(MAX_LOOKED_AT) {
        // There may be several names, each with the prefix of its vocabulary.
        let named = property.split_ascii_whitespace().next_back().map_or("", |name| bare(name, attribute));
        let field = match named {
            "headline" => Field::Title,
            "datePublished" | "issued" | "created" => Field::Published,
            "dateModified" | "modified" => Field::Modified,
            "articleSection" => Field::Section,
            "license" | "isAccessibleForFree" | "copyrightHolder" | "copyrightNotice" if attribute == "itemprop" => {
                rights::of_property(page, id, named, || value(page, id), &mut found.rights);
                continue;
            }
            "author" if !is_of_others(page, id, part) => {
                names.extend(name(page, id, attribute));
                continue;
            }
            _ => continue,
        };
        if found.lacks(field) && is_own(page, id, part) && is_of_article(page, id) {
            let value = value(page, id).and_then(|value| match field {
                Field::Title | Field::Section => text::line(&value),
                _ => date::normalised_as(&value, customs),
            });
            found.say(field, value, source);
        }
    }
    found.say(Field::Authors, author::cleaned(page, &names), source);
    found
}

/// A property's name without the prefix or URL of its vocabulary. A Dublin Core name such as `created` needs a prefix,
/// else the result is empty.
fn bare<'a>(name: &'a str, attribute: &str) -> &'a str {
    match (attribute, name.rsplit_once([':', '/', '#'])) {
        ("property", Some((_, bare))) => bare,
        ("property", None) if matches!(name, "created" | "issued" | "modified") => "",
        ("itemprop", _) if matches!(name, "created" | "issued" | "modified") => "",
        _ => name,
    }
}

/// The value of a property (HTML standard, "Microdata", "Values"); None if it is a text that is too long.
fn value(page: &Page, id: ElementId) -> Option<String> {
    for attribute in page.attributes(id) {
        if attribute.is("content") || attribute.is("datetime") {
            return Some(attribute.value().into_owned());
        }
    }
    let element = page.element(id);
    (element.close - element.content <= MAX_ELEMENT_BYTES).then(|| text::without_tags(page.inner_source(id)))
}

/// The name of a person: the property `name` inside the element, or all of its text.
fn name(page: &Page, id: ElementId, attribute: &str) -> Option<String> {
    let element = page.element(id);
    let mut inside = page.ids_in(id).take(32);
    let named = inside.find(|inner| {
        page.attribute(*inner, attribute).is_some_and(|property| bare(property.trim(), attribute) == "name")
    });
    if let Some(named) = named {
        return value(page, named).and_then(|name| text::line(&name));
    }
    let is_told = page.attributes(id).any(|attribute| attribute.is("content"));
    match is_told || element.close - element.content > MAX_ELEMENT_BYTES {
        true => value(page, id).and_then(|name| text::line(&name)),
        false => pieces::line(page, element.content as usize..element.close as usize),
    }
}

/// Whether a property belongs to an article or the page, not to a comment, a picture or a person.
fn is_of_article(page: &Page, id: ElementId) -> bool {
    const KINDS: [&str; 8] = ["Article", "Posting", "Page", "Blog", "Report", "Recipe", "Review", "CreativeWork"];
    kind_of_thing(page, id).is_none_or(|kind| KINDS.iter().any(|end| kind.ends_with(end)))
}

/// The machine-readable time of an element: `<time datetime>`, or `<abbr title>` as in old microformats.
fn stamp(page: &Page, id: ElementId) -> Option<Cow<'_, str>> {
    match page.element(id).tag {
        Tag::Time => page.attribute(id, "datetime"),
        _ if dateline::names_date(page, id) => page.attribute(id, "title").filter(|told| date::day(told).is_some()),
        _ => None,
    }
}

/// The date of the article's first `<time>` element, or old `<abbr>` with a date. If it is not near the headline, it
/// must be named as a date, and all later ones must have the same day. If there is no headline, it must be the only
/// one.
fn time(page: &Page, headline: Option<usize>, part: OwnPart, customs: &Customs<'_>) -> Option<String> {
    let heading = headline.and_then(|at| page.paragraphs()[at].element);
    let mut times: Vec<ElementId> = page.elements_of(Tag::Time).chain(page.elements_of(Tag::Abbr)).collect();
    times.sort_unstable();
    let times = times.into_iter().take(MAX_LOOKED_AT).filter(|id| heading.is_none_or(|heading| *id > heading));
    let own = times.filter_map(|id| Some((id, stamp(page, id)?))).filter(|(id, _)| is_own(page, *id, part));
    // A time in a side column counts only if the article itself has none.
    let (beside, inside): (Vec<_>, Vec<_>) = own.partition(|(id, _)| is_in_column(page, *id, part));
    let mut own = if inside.is_empty() { beside } else { inside }.into_iter();
    let first = own.next()?;
    let is_near = headline.is_some_and(|at| page.element(first.0).start < near::end(page, at));
    let is_named =
        headline.is_none() || page.ancestors_and_self(first.0).take(2).any(|id| dateline::names_date(page, id));
    let mut is_only = || match headline {
        Some(_) => own.all(|(_, told)| told.get(..10) == first.1.get(..10)),
        None => own.next().is_none(),
    };
    (is_near || is_named && is_only()).then(|| date::normalised_as(&first.1, customs))?
}

#[cfg(test)]
mod tests {
    use goldminer_html::Page;

    #[test]
    fn a_day_in_the_title_of_an_abbreviation_is_read_where_its_name_says_so() {
        let title = "<title>A bridge opens</title><h1>A bridge opens</h1>";
        let text = "<p>It was built in two years, and nobody knows who paid for it.</p>";
        for (stamp, expected) in [
            ("<abbr class=published title=2026-11-20T19:15:00+01:00>7:15 PM</abbr>", Some("2026-11-20T19:15:00+01:00")),
            ("<a><abbr class=published itemprop=datePublished title=2026-11-20>7:15</abbr></a>", Some("2026-11-20")),
            ("<abbr class=published title='World Health Organization'>WHO</abbr>", None),
            ("<abbr title=2026-11-20>Friday</abbr>", None),
        ] {
            let page = Page::parse(format!("{title}<p>{stamp}</p>{text}"));
            assert_eq!(crate::metadata::of_page(&page, None).published.as_deref(), expected, "{stamp}");
        }
    }
}
