//! Microdata, RDFa and `<time>`: metadata in the article's own markup.

use std::borrow::Cow;

use goldminer_html::{ElementId, Page, Tag};

use super::author::{self, pieces};
use super::date::label::MODIFIED;
use super::date::style::DateStyle;
use super::date::{self, dateline};
use super::own_part::{OwnPart, is_in_column, is_of_article, is_own};
use super::{Field, Found, near, rights, text};
use crate::document::MetadataSource;
use crate::phrases::PHRASES;

/// The most bytes of an element whose text is read as the value of a property.
const MAX_ELEMENT_BYTES: u32 = 4 * 1024;
/// The most properties and times that are read; a page with more is a list.
const MAX_LOOKED_AT: usize = 1_000;

/// Reads the metadata in the page's markup. RDFa is read only if the date or the authors are missing in `known` (the
/// results of other sources) and in the microdata.
pub(super) fn read(page: &Page, headline: Option<usize>, part: OwnPart, known: &Found, style: &DateStyle<'_>) -> Found {
    let mut found = microdata(page, part, style);
    if [Field::Published, Field::Authors].into_iter().any(|field| found.lacks(field) && known.lacks(field)) {
        found.fill(properties(page, "property", MetadataSource::Rdfa, part, style));
    }
    if found.lacks(Field::Published) {
        let [published, modified] = times(page, headline, part, style);
        found.set(Field::Published, published, MetadataSource::Time);
        found.add(Field::Modified, modified, MetadataSource::Time);
    }
    found
}

pub(super) fn microdata(page: &Page, part: OwnPart, style: &DateStyle<'_>) -> Found {
    properties(page, "itemprop", MetadataSource::Microdata, part, style)
}

/// Reads microdata (if `attribute` is `itemprop`) or RDFa with names of schema.org or Dublin Core. RDFa in `<meta>`
/// elements is left out, because `meta` reads them.
fn properties(page: &Page, attribute: &str, source: MetadataSource, part: OwnPart, style: &DateStyle<'_>) -> Found {
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
            "author" => Field::Authors,
            _ => continue,
        };
        if !found.lacks(field) || !is_own(page, id, part) || !is_of_article(page, id, part.headline) {
            continue;
        }
        if field == Field::Authors {
            names.extend(name(page, id, attribute));
        } else {
            let value = value(page, id).and_then(|value| match field {
                Field::Title | Field::Section => text::line(&value),
                _ => date::normalised_as(&value, style),
            });
            found.set(field, value, source);
        }
    }
    found.set(Field::Authors, author::cleaned(page, &names), source);
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
    let has_content = page.attributes(id).any(|attribute| attribute.is("content"));
    match has_content || element.close - element.content > MAX_ELEMENT_BYTES {
        true => value(page, id).and_then(|name| text::line(&name)),
        false => pieces::line(page, element.content as usize..element.close as usize),
    }
}

/// The machine-readable time of an element: `<time datetime>`, or `<abbr title>` as in old microformats.
fn stamp(page: &Page, id: ElementId) -> Option<Cow<'_, str>> {
    match page.element(id).tag {
        Tag::Time => page.attribute(id, "datetime"),
        _ if dateline::names_date(page, id) => page.attribute(id, "title").filter(|value| date::day(value).is_some()),
        _ => None,
    }
}

/// The dates of publication and of the last change: those of the article's first `<time>` elements, or of `<abbr>`
/// elements with a date, as in old microformats. If an element is not near the headline, it must be named as a date,
/// and all later ones of its kind must have the same day. If there is no headline, it must be the only one.
fn times(page: &Page, headline: Option<usize>, part: OwnPart, style: &DateStyle<'_>) -> [Option<String>; 2] {
    let heading = headline.and_then(|at| page.paragraphs()[at].element);
    let mut times: Vec<ElementId> = page.elements_of(Tag::Time).chain(page.elements_of(Tag::Abbr)).collect();
    times.sort_unstable();
    let times = times.into_iter().take(MAX_LOOKED_AT).filter(|id| heading.is_none_or(|heading| *id > heading));
    let own = times
        .filter_map(|id| Some((id, stamp(page, id)?)))
        .filter(|(id, _)| is_own(page, *id, part) && is_of_article(page, *id, part.headline));
    // A time in a side column counts only if the article itself has none.
    let (beside, inside): (Vec<_>, Vec<_>) = own.partition(|(id, _)| is_in_column(page, *id, part));
    let own = if inside.is_empty() { beside } else { inside };
    let (changes, others): (Vec<_>, Vec<_>) = own.into_iter().partition(|(id, _)| names_change(page, *id));
    let day = |times: &[(ElementId, Cow<'_, str>)]| {
        let ((id, stamp), later) = times.split_first()?;
        let is_near = headline.is_some_and(|at| page.element(*id).start < near::end(page, at));
        let is_named =
            headline.is_none() || page.ancestors_and_self(*id).take(2).any(|id| dateline::names_date(page, id));
        let is_only = || match headline {
            Some(_) => later.iter().all(|(_, other)| other.get(..10) == stamp.get(..10)),
            None => later.is_empty(),
        };
        (is_near || is_named && is_only()).then(|| date::normalised_as(stamp, style))?
    };
    match (day(&others), day(&changes)) {
        // Some systems mark the only time on a page as that of a change. It is then the best known publication date.
        (None, changed) => [changed, None],
        days => days.into(),
    }
}

/// Whether the nearest class of a time's element means that the article was changed then. Systems name a time
/// `published updated` if it is both.
fn names_change(page: &Page, id: ElementId) -> bool {
    page.ancestors_and_self(id).take(2).find_map(|id| {
        let marks = page.marks(id);
        let class = marks.class.as_deref()?;
        let is_published = class.to_ascii_lowercase().contains("publi");
        (is_published || PHRASES.find(class, MODIFIED).next().is_some()).then_some(!is_published)
    }) == Some(true)
}

#[cfg(test)]
mod tests {
    use goldminer_html::Page;

    #[test]
    fn properties_of_other_items_are_not_the_article_s() {
        let metas = "<meta itemprop=datePublished content=2018-01-01><meta itemprop=author content='Eva Gil'>";
        let text = "<title>A bridge opens</title><h1>A bridge opens</h1><p>4 August 2026<p>By Anna Nagy<p>It rained.";
        for item in [
            format!("<div itemscope itemtype=https://schema.org/VideoObject>{metas}</div>"),
            format!("<div itemscope itemtype=http://schema.org/ImageObject><div>{metas}</div></div>"),
            format!("<ul><li itemscope itemtype=https://schema.org/Product>{metas}</ul>"),
            format!("<aside itemscope itemtype=https://schema.org/Event><p>{metas}</p></aside>"),
            format!("<div itemscope itemtype=https://schema.org/Comment>{metas}<p>Very nice</div>"),
            format!("<div class=related itemscope itemtype=https://schema.org/NewsArticle>{metas}<p>Salt</div>"),
            "<p itemscope itemtype=https://schema.org/Book>A book by <b itemprop=author>Eva Gil</b>".to_owned(),
            "<p itemscope itemtype=https://schema.org/Event><time datetime=2018-01-01>New Year</time>".to_owned(),
        ] {
            for html in [format!("<article>{text}{item}</article>"), format!("{item}<main>{text}</main>")] {
                let found = crate::metadata::of_page(&Page::parse(html), None);
                assert_eq!(found.published.as_deref(), Some("2026-08-04"), "{item}");
                assert_eq!(found.authors, ["Anna Nagy"], "{item}");
            }
        }
        for item in ["NewsArticle", "WebPage", "VideoObject"] {
            let html =
                format!("<body><div itemscope itemtype=https://schema.org/{item}>{metas}<h1>A bridge opens</h1></div>");
            let found = crate::metadata::of_page(&Page::parse(html), None);
            assert_eq!((found.published.as_deref(), found.authors.len()), (Some("2018-01-01"), 1), "{item}");
        }
    }

    #[test]
    fn times_of_change_and_publication_are_distinguished() {
        let (first, second) = ("datetime=2026-08-04T09:15+02:00", "datetime=2026-08-05T10:00+02:00");
        let both = (Some("2026-08-04T09:15:00+02:00"), Some("2026-08-05T10:00:00+02:00"));
        for (times, (published, modified)) in [
            (format!("<time class='entry-date published' {first}></time><time class=updated {second}></time>"), both),
            (format!("<time class=last-updated {second}></time> <time class=posted {first}></time>"), both),
            (format!("<b class=aktualisiert><time {second}></time></b> <b><time {first}></time></b>"), both),
            (format!("<time {first}></time> <i><b class=date-modified><time {second}></time></b></i>"), both),
            (
                format!("<abbr class=updated title=2026-08-05>5</abbr> <time {first}></time>"),
                (both.0, Some("2026-08-05")),
            ),
            (format!("<time class='date updated' {first}></time>"), (both.0, None)),
            (format!("<time class='published updated' {first}></time>"), (both.0, None)),
        ] {
            let page = Page::parse(format!("<h1>A bridge opens</h1><p>{times}</p><p>It rained."));
            let found = crate::metadata::of_page(&page, None);
            assert_eq!((found.published.as_deref(), found.modified.as_deref()), (published, modified), "{times}");
        }
    }

    #[test]
    fn a_date_in_an_abbr_title_is_read_if_its_class_says_so() {
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
