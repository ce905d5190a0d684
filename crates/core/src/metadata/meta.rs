//! `<meta>` elements: OpenGraph, Dublin Core, and names from publishing systems and analytics services.

use std::borrow::Cow;
use std::sync::LazyLock;

use goldminer_html::{ElementId, Page, Tag};
use rustc_hash::FxHashMap;

use super::own_part::item_around;
use super::{Field, Found, author, date, rights, text};
use crate::document::MetadataSource;
use crate::phrases::{Categories, PHRASES, category};

/// Names of `<meta>` elements in lower case, each with its field and its rank. A lower rank takes precedence; OpenGraph
/// has rank 0. Names without a field are about rights.
const NAMES: &[(Option<Field>, usize, &str)] = &[
    (Some(Field::Title), 0, "og:title"),
    (Some(Field::Title), 1, "twitter:title parsely-title sailthru.title headline"),
    (Some(Field::Title), 2, "dc.title dcterms.title citation_title title"),
    (Some(Field::Authors), 0, "article:author og:article:author"),
    (Some(Field::Authors), 1, "parsely-author sailthru.author"),
    (Some(Field::Authors), 2, "author citation_author byl dc.creator dcterms.creator cxenseparse:author"),
    (Some(Field::Published), 0, "article:published_time og:article:published_time og:published_time"),
    (
        Some(Field::Published),
        1,
        "parsely-pub-date sailthru.date cxenseparse:recs:publishtime shareaholic:article_published_time \
         dc.date.issued dcterms.issued dcterms.created dc.date.created citation_publication_date \
         citation_date originalpublicationdate article_date_original article.published datepublished \
         publication_date publish_date publish-date publishdate pub_date pubdate pdate",
    ),
    (Some(Field::Published), 2, "dc.date dcterms.date date"),
    (Some(Field::Modified), 0, "article:modified_time og:updated_time og:article:modified_time"),
    (Some(Field::Modified), 1, "dcterms.modified dc.date.modified datemodified"),
    (Some(Field::Modified), 2, "last-modified lastmod revised"),
    (Some(Field::SiteName), 0, "og:site_name"),
    (Some(Field::SiteName), 1, "application-name cre"),
    (Some(Field::SiteName), 2, "dc.publisher apple-mobile-web-app-title"),
    (Some(Field::Section), 0, "article:section og:article:section"),
    (Some(Field::Section), 1, "parsely-section cxenseparse:category"),
    (Some(Field::Section), 2, "section"),
    (Some(Field::Canonical), 0, "og:url"),
    (
        None,
        0,
        "robots googlebot bingbot tdm-reservation tdm-policy dc.rights dc:rights dc.rights.license dc.license \
         dcterms.rights dcterms:rights dcterms.rightsholder dcterms.license dcterms:license cc:license \
         license copyright rights article:content_tier",
    ),
];

/// Labels in `twitter:label1` that mean that `twitter:data1` is the author.
const WRITER_LABEL: Categories = category("byline/writer label");

const RANKS: usize = 3;

/// The most `<meta>` elements that are read; a page has a few dozen.
const MAX_METAS: usize = 1_000;

pub(super) fn read(page: &Page) -> Found {
    let mut ranks: [Found; RANKS] = Default::default();
    let mut authors: [Vec<String>; RANKS] = Default::default();
    let mut pairs: [Option<Cow<'_, str>>; TWITTER.len()] = Default::default();
    for id in page.elements_of(Tag::Meta).take(MAX_METAS) {
        let (mut field, mut pair, mut content) = (None, None, None);
        for attribute in page.attributes(id) {
            if attribute.is("property") || attribute.is("name") || attribute.is("itemprop") {
                let name = attribute.value();
                // Microdata in an item belong to it; `markup` reads them.
                let is_of_page = || !attribute.is("itemprop") || item_around(page, id).is_none();
                let of_page = || of_name(&name).filter(|_| is_of_page()).map(|(field, rank)| (attribute, field, rank));
                field = field.or_else(of_page);
                pair = TWITTER.iter().position(|twitter| name.trim().eq_ignore_ascii_case(twitter)).or(pair);
            } else if attribute.is("content") {
                content = Some(attribute);
            }
        }
        let Some(content) = content else { continue };
        let content = content.value();
        let Some((named, field, rank)) = field else {
            if let Some(at) = pair {
                pairs[at].get_or_insert(content);
            }
            continue;
        };
        let found = &mut ranks[rank];
        match field {
            None if named.is("itemprop") => {}
            None => rights::of_meta(&named.value(), &content, &mut found.rights),
            Some(Field::Authors) => authors[rank].extend(text::line(&content)),
            Some(field @ (Field::Published | Field::Modified)) => {
                found.add(field, date::normalised(&content), MetadataSource::Meta);
            }
            Some(field) => found.add(field, text::line(&content), MetadataSource::Meta),
        }
    }
    let mut found = Found::default();
    for (rank, names) in ranks.into_iter().zip(authors) {
        found.fill(rank);
        found.add(Field::Authors, author::cleaned(page, &names), MetadataSource::Meta);
    }
    found.add(Field::Authors, writer_on_twitter(page, &pairs), MetadataSource::Meta);
    found
}

/// The `<meta>` elements with one of these names, as a property or as a name.
pub(crate) fn named<'p>(page: &'p Page, names: &'p [&str]) -> impl Iterator<Item = ElementId> {
    let is = move |id: &ElementId, key| page.attribute(*id, key).is_some_and(|name| names.contains(&name.trim()));
    page.elements_of(Tag::Meta).filter(move |id| is(id, "property") || is(id, "name"))
}

/// Whether a `<meta>` with this name has the publication date.
pub(crate) fn names_publication(name: &str) -> bool {
    of_name(name).is_some_and(|(field, _)| field == Some(Field::Published))
}

fn of_name(name: &str) -> Option<(Option<Field>, usize)> {
    static TABLE: LazyLock<FxHashMap<&str, (Option<Field>, usize)>> = LazyLock::new(|| {
        let of_row = |(field, rank, names): &(Option<Field>, usize, &'static str)| {
            let value = (*field, *rank);
            names.split_whitespace().map(move |name| (name, value))
        };
        NAMES.iter().flat_map(of_row).collect()
    });
    let name = name.trim();
    let lower = match name.bytes().any(|b| b.is_ascii_uppercase()) {
        true => Cow::Owned(name.to_ascii_lowercase()),
        false => Cow::Borrowed(name),
    };
    TABLE.get(&*lower).copied().or_else(|| is_publication(&lower).then_some((Some(Field::Published), RANKS - 1)))
}

/// Whether a name means the publication date: "w-published-date", "publishTime".
fn is_publication(name: &str) -> bool {
    let has = |part: &str| name.contains(part);
    has("publi") && (has("date") || has("time") || name.ends_with("published")) && !has("modif") && !has("updat")
}

/// Names of `<meta>` elements with labels and data that Twitter shows.
const TWITTER: [&str; 4] = ["twitter:label1", "twitter:data1", "twitter:label2", "twitter:data2"];

/// The author in `<meta>` elements for Twitter, such as `twitter:label1` and `twitter:data1`: the data whose label
/// means author in any known language. `pairs` has each label, followed by its data.
fn writer_on_twitter(page: &Page, pairs: &[Option<Cow<'_, str>>]) -> Vec<String> {
    let is_writer_label = |label: &str| PHRASES.is(&label.trim().to_lowercase(), WRITER_LABEL);
    let pair = pairs.chunks(2).find(|pair| pair[0].as_deref().is_some_and(is_writer_label));
    let writer = pair.and_then(|pair| text::line(pair[1].as_deref()?));
    author::cleaned(page, &Vec::from_iter(writer))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn authors_under_two_meta_names_are_combined() {
        let page = Page::parse(
            "<meta name=author content='Anna Nagy'><meta property=article:author content='Anna Nagy'>\
             <meta property=article:author content='Béla Kis'>"
                .to_owned(),
        );
        assert_eq!(read(&page).all(Field::Authors), ["Anna Nagy", "Béla Kis"]);
    }
}
