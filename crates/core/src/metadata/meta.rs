//! `<meta>`: OpenGraph, Dublin Core, and what publishing systems and analytics services have added.

use std::borrow::Cow;
use std::sync::LazyLock;

use goldminer_html::{Page, Tag};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Found, author, date, rights, text};
use crate::document::MetadataSource;
use crate::phrases::{Categories, PHRASES, category};

/// What a `<meta>` may tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Field {
    Title,
    Author,
    Published,
    Modified,
    SiteName,
    Section,
    Canonical,
    Rights,
}

/// Names in lower case with what they tell and how far they are trusted: 0 before 1. OpenGraph comes first.
const NAMES: &[(Field, usize, &str)] = &[
    (Field::Title, 0, "og:title"),
    (Field::Title, 1, "twitter:title parsely-title sailthru.title headline"),
    (Field::Title, 2, "dc.title dcterms.title citation_title title"),
    (Field::Author, 0, "article:author og:article:author"),
    (Field::Author, 1, "parsely-author sailthru.author"),
    (Field::Author, 2, "author citation_author byl dc.creator dcterms.creator cxenseparse:author"),
    (Field::Published, 0, "article:published_time og:article:published_time og:published_time"),
    (
        Field::Published,
        1,
        "parsely-pub-date sailthru.date cxenseparse:recs:publishtime shareaholic:article_published_time \
         dc.date.issued dcterms.issued dcterms.created dc.date.created citation_publication_date \
         citation_date originalpublicationdate article_date_original article.published datepublished \
         publication_date publish_date publish-date publishdate pub_date pubdate pdate",
    ),
    (Field::Published, 2, "dc.date dcterms.date date"),
    (Field::Modified, 0, "article:modified_time og:updated_time og:article:modified_time"),
    (Field::Modified, 1, "dcterms.modified dc.date.modified datemodified"),
    (Field::Modified, 2, "last-modified lastmod revised"),
    (Field::SiteName, 0, "og:site_name"),
    (Field::SiteName, 1, "application-name cre"),
    (Field::SiteName, 2, "dc.publisher apple-mobile-web-app-title"),
    (Field::Section, 0, "article:section og:article:section"),
    (Field::Section, 1, "parsely-section cxenseparse:category"),
    (Field::Section, 2, "section"),
    (Field::Canonical, 0, "og:url"),
    (
        Field::Rights,
        0,
        "robots googlebot bingbot tdm-reservation tdm-policy dc.rights dc:rights dc.rights.license dc.license \
         dcterms.rights dcterms:rights dcterms.rightsholder dcterms.license dcterms:license cc:license \
         license copyright rights article:content_tier",
    ),
];

/// What stands in `twitter:label1` where `twitter:data1` is the author.
const WRITER_LABEL: Categories = category("byline/writer label");

const RANKS: usize = 3;

/// So many are looked at; a head has some dozens.
const MAX_METAS: usize = 1_000;

pub(super) fn read(page: &Page) -> Found {
    let mut ranks: [Found; RANKS] = Default::default();
    let mut author_texts: [FxHashSet<Cow<'_, str>>; RANKS] = Default::default();
    for id in page.elements_of(Tag::Meta).take(MAX_METAS) {
        let (mut name, mut content, mut named) = (None, None, None);
        for attribute in page.attributes(id) {
            if attribute.is("property") || attribute.is("name") || attribute.is("itemprop") {
                if name.is_none() {
                    (name, named) = (of_name(&attribute.value()), Some(attribute));
                }
            } else if attribute.is("content") {
                content = Some(attribute);
            }
        }
        let (Some((field, rank)), Some(content)) = (name, content) else { continue };
        match named {
            // Microdata have a scope, and are read with theirs.
            Some(named) if field == Field::Rights && named.is("itemprop") => {}
            Some(named) if field == Field::Rights => {
                rights::of_meta(&named.value(), &content.value(), &mut ranks[rank].rights);
            }
            _ if field == Field::Author => {
                // The same name comes again, and an attacker writes any number.
                let (text, known) = (content.value(), &mut author_texts[rank]);
                if known.len() < author::MAX_TEXTS && known.insert(text.clone()) {
                    add(page, &mut ranks[rank], field, &text);
                }
            }
            _ => add(page, &mut ranks[rank], field, &content.value()),
        }
    }
    let [mut found, second, third] = ranks;
    found.fill(second, MetadataSource::Meta);
    found.fill(third, MetadataSource::Meta);
    if found.authors.is_empty() {
        found.authors = writer_on_twitter(page);
    }
    found
}

/// Whether a name is one of the day of publication.
pub(crate) fn names_publication(name: &str) -> bool {
    of_name(name).is_some_and(|(field, _)| field == Field::Published)
}

fn of_name(name: &str) -> Option<(Field, usize)> {
    static TABLE: LazyLock<FxHashMap<&str, (Field, usize)>> = LazyLock::new(|| {
        let of_row = |(field, rank, names): &(Field, usize, &'static str)| {
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
    TABLE.get(&*lower).copied().or_else(|| is_publication(&lower).then_some((Field::Published, RANKS - 1)))
}

/// "w-published-date", "publishTime": names that say what they are.
fn is_publication(name: &str) -> bool {
    let says = |part: &str| name.contains(part);
    says("publi") && (says("date") || says("time") || name.ends_with("published")) && !says("modif") && !says("updat")
}

/// What pairs of elements for Twitter are named.
const TWITTER: [&str; 4] = ["twitter:label1", "twitter:data1", "twitter:label2", "twitter:data2"];

/// The writer, where a pair of elements for Twitter has a label that says so, in the languages in which systems do.
fn writer_on_twitter(page: &Page) -> Vec<String> {
    let mut contents: [Option<Cow<'_, str>>; TWITTER.len()] = Default::default();
    for id in page.elements_of(Tag::Meta).take(MAX_METAS) {
        let Some(name) = page.attributes(id).find(|attribute| attribute.is("name")) else { continue };
        if !name.raw_value.bytes().any(|byte| byte == b'1' || byte == b'2' || byte == b'&') {
            continue;
        }
        let name = name.value();
        if let Some(at) = TWITTER.iter().position(|wanted| name.trim().eq_ignore_ascii_case(wanted))
            && contents[at].is_none()
        {
            contents[at] = page.attribute(id, "content");
        }
    }
    for [label, data] in [[0, 1], [2, 3]] {
        let Some(label) = &contents[label] else { continue };
        if PHRASES.is(&label.trim().to_lowercase(), WRITER_LABEL) {
            let writer = contents[data].as_deref().and_then(text::line);
            return writer.map(|name| author::cleaned(page, &[name])).unwrap_or_default();
        }
    }
    Vec::new()
}

fn add(page: &Page, found: &mut Found, field: Field, content: &str) {
    let slot = match field {
        Field::Author => {
            for name in text::line(content).map(|line| author::cleaned(page, &[line])).unwrap_or_default() {
                if !found.authors.contains(&name) && found.authors.len() < author::MAX_AUTHORS {
                    found.authors.push(name);
                }
            }
            return;
        }
        Field::Title => &mut found.title,
        Field::Published => &mut found.published,
        Field::Modified => &mut found.modified,
        Field::SiteName => &mut found.site_name,
        Field::Section => &mut found.section,
        Field::Canonical => &mut found.canonical,
        Field::Rights => return,
    };
    if slot.is_none() {
        *slot = match field {
            Field::Published | Field::Modified => date::normalised(content),
            _ => text::line(content),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_author_who_is_named_by_a_weaker_name_before_is_not_lost() {
        let page = Page::parse(
            "<meta name=author content='Anna Nagy'><meta property=article:author content='Anna Nagy'>\
             <meta property=article:author content='Béla Kis'>"
                .to_owned(),
        );
        assert_eq!(read(&page).authors, ["Anna Nagy", "Béla Kis"]);
    }
}
