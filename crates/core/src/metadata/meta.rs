//! `<meta>`: OpenGraph, Dublin Core, and what publishing systems and analytics services have added.

use std::borrow::Cow;
use std::sync::LazyLock;

use goldminer_html::{Page, Tag};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Found, author, date, rights, text};
use crate::document::MetadataSource;

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
const NAMES: &[(&str, Field, usize)] = &[
    ("og:title", Field::Title, 0),
    ("twitter:title", Field::Title, 1),
    ("parsely-title", Field::Title, 1),
    ("sailthru.title", Field::Title, 1),
    ("headline", Field::Title, 1),
    ("dc.title", Field::Title, 2),
    ("dcterms.title", Field::Title, 2),
    ("citation_title", Field::Title, 2),
    ("title", Field::Title, 2),
    ("article:author", Field::Author, 0),
    ("og:article:author", Field::Author, 0),
    ("parsely-author", Field::Author, 1),
    ("sailthru.author", Field::Author, 1),
    ("author", Field::Author, 2),
    ("citation_author", Field::Author, 2),
    ("byl", Field::Author, 2),
    ("dc.creator", Field::Author, 2),
    ("dcterms.creator", Field::Author, 2),
    ("cxenseparse:author", Field::Author, 2),
    ("article:published_time", Field::Published, 0),
    ("og:article:published_time", Field::Published, 0),
    ("og:published_time", Field::Published, 0),
    ("parsely-pub-date", Field::Published, 1),
    ("sailthru.date", Field::Published, 1),
    ("cxenseparse:recs:publishtime", Field::Published, 1),
    ("shareaholic:article_published_time", Field::Published, 1),
    ("dc.date.issued", Field::Published, 1),
    ("dcterms.issued", Field::Published, 1),
    ("dcterms.created", Field::Published, 1),
    ("dc.date.created", Field::Published, 1),
    ("citation_publication_date", Field::Published, 1),
    ("citation_date", Field::Published, 1),
    ("originalpublicationdate", Field::Published, 1),
    ("article_date_original", Field::Published, 1),
    ("article.published", Field::Published, 1),
    ("datepublished", Field::Published, 1),
    ("publication_date", Field::Published, 1),
    ("publish_date", Field::Published, 1),
    ("publish-date", Field::Published, 1),
    ("publishdate", Field::Published, 1),
    ("pub_date", Field::Published, 1),
    ("pubdate", Field::Published, 1),
    ("pdate", Field::Published, 1),
    ("dc.date", Field::Published, 2),
    ("dcterms.date", Field::Published, 2),
    ("date", Field::Published, 2),
    ("article:modified_time", Field::Modified, 0),
    ("og:updated_time", Field::Modified, 0),
    ("og:article:modified_time", Field::Modified, 0),
    ("dcterms.modified", Field::Modified, 1),
    ("dc.date.modified", Field::Modified, 1),
    ("datemodified", Field::Modified, 1),
    ("last-modified", Field::Modified, 2),
    ("lastmod", Field::Modified, 2),
    ("revised", Field::Modified, 2),
    ("og:site_name", Field::SiteName, 0),
    ("application-name", Field::SiteName, 1),
    ("cre", Field::SiteName, 1),
    ("dc.publisher", Field::SiteName, 2),
    ("apple-mobile-web-app-title", Field::SiteName, 2),
    ("article:section", Field::Section, 0),
    ("og:article:section", Field::Section, 0),
    ("parsely-section", Field::Section, 1),
    ("cxenseparse:category", Field::Section, 1),
    ("section", Field::Section, 2),
    ("og:url", Field::Canonical, 0),
    ("robots", Field::Rights, 0),
    ("googlebot", Field::Rights, 0),
    ("bingbot", Field::Rights, 0),
    ("tdm-reservation", Field::Rights, 0),
    ("tdm-policy", Field::Rights, 0),
    ("dc.rights", Field::Rights, 0),
    ("dc:rights", Field::Rights, 0),
    ("dc.rights.license", Field::Rights, 0),
    ("dc.license", Field::Rights, 0),
    ("dcterms.rights", Field::Rights, 0),
    ("dcterms:rights", Field::Rights, 0),
    ("dcterms.rightsholder", Field::Rights, 0),
    ("dcterms.license", Field::Rights, 0),
    ("dcterms:license", Field::Rights, 0),
    ("cc:license", Field::Rights, 0),
    ("license", Field::Rights, 0),
    ("copyright", Field::Rights, 0),
    ("rights", Field::Rights, 0),
    ("article:content_tier", Field::Rights, 0),
];

/// What stands in `twitter:label1` where `twitter:data1` is the author.
const WRITER_LABELS: &[&str] = &[
    "written by",
    "verfasst von",
    "geschrieben von",
    "écrit par",
    "escrito por",
    "scritto da",
    "szerző:",
    "napsal(a)",
    "napisane przez",
    "написано автором",
    "συντάχθηκε από",
    "geschreven door",
    "作者",
    "執筆者",
];

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

fn of_name(name: &str) -> Option<(Field, usize)> {
    static TABLE: LazyLock<FxHashMap<&str, (Field, usize)>> =
        LazyLock::new(|| NAMES.iter().map(|(name, field, rank)| (*name, (*field, *rank))).collect());
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
        if WRITER_LABELS.contains(&label.trim().to_lowercase().as_str()) {
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
