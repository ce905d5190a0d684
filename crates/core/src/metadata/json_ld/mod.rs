//! Reads JSON-LD: `<script type="application/ld+json">` with articles, sites and persons of schema.org.
//!
//! Blocks may be arrays, `@graph`s or single objects; authors may be given by `@id`. If there are several articles,
//! `own_article` finds the page's own. Broken JSON is read as far as possible.

mod own_article;
mod trail;

use goldminer_html::address::CrawlUrl;
use goldminer_html::{ElementId, Page, Tag, scripts};
use serde_json::Value;

use super::{Field, Found, author, date, rights, text};
use crate::document::MetadataSource;

use own_article::{Object, is_a, is_article};
pub(super) use trail::section;

/// The most bytes in a block (one script element); longer ones are catalogues.
const MAX_BLOCK_BYTES: usize = 1 << 20;
/// The deepest level of objects that is read, and the most objects.
const MAX_DEPTH: usize = 6;
const MAX_OBJECTS: usize = 1_000;

pub(super) fn read(page: &Page, address: Option<&CrawlUrl>) -> Found {
    let blocks: Vec<Value> =
        sources(page).filter(|source| may_describe_article(source)).filter_map(scripts::json).collect();
    let objects = objects(&blocks);
    let article = own_article::among(page, address, &objects);
    let mut found = of_objects(page, article, &objects);
    let of_page = objects.iter().copied().filter(|object| is_a(object, describes_page));
    for object in article.into_iter().chain(of_page) {
        rights::of_object(object, &mut found.rights);
    }
    found
}

/// Whether the page has any JSON-LD.
pub(super) fn has_json_ld(page: &Page) -> bool {
    page.elements_of(Tag::Script).any(|id| is_json_ld(page, id))
}

/// The title of the only article with a publication date in the page's JSON-LD. None if several such articles differ
/// in their titles. Items of a list and posts in a forum do not count.
pub(super) fn only_article(page: &Page) -> Option<String> {
    let blocks: Vec<Value> =
        sources(page).filter(|source| contains(source, "datePublished")).filter_map(scripts::json).collect();
    let is_report = |kind: &str| is_article(kind) && (!kind.ends_with("Posting") || kind.ends_with("BlogPosting"));
    let is_dated = |object: &&Object| is_a(object, is_report) && object.contains_key("datePublished");
    let mut titles = objects(&blocks).into_iter().filter(is_dated).map(title);
    let first = titles.next()??;
    titles.all(|title| title.as_ref() == Some(&first)).then_some(first)
}

/// The text that the JSON-LD of the page's own article gives as its `articleBody`.
pub(crate) fn article_body(page: &Page) -> Option<String> {
    page.elements_of(Tag::Script).find_map(|id| {
        let source = page.inner_source(id);
        // Few scripts have this word, so it is searched before the type is read.
        if !contains(source, "articleBody") || !is_json_ld(page, id) || source.len() > MAX_BLOCK_BYTES {
            return None;
        }
        let block = [scripts::json(source)?];
        let article = own_article::among(page, None, &objects(&block))?;
        Some(text::without_tags(&htmlize::unescape(article.get("articleBody")?.as_str()?)))
    })
}

/// The unparsed JSON-LD blocks of a page.
fn sources(page: &Page) -> impl Iterator<Item = &str> {
    let blocks = page.elements_of(Tag::Script).filter(|id| is_json_ld(page, *id)).map(|id| page.inner_source(id));
    blocks.filter(|source| source.len() <= MAX_BLOCK_BYTES)
}

fn is_json_ld(page: &Page, script: ElementId) -> bool {
    let is_it = |kind: &str| kind.as_bytes().windows(7).any(|part| part.eq_ignore_ascii_case(b"ld+json"));
    // Most scripts have no plus in their tags, and no character reference, which may be one.
    memchr::memchr2(b'+', b'&', page.start_tag(script).as_bytes()).is_some()
        && page.attribute(script, "type").is_some_and(|kind| is_it(&kind))
}

fn contains(source: &str, word: &str) -> bool {
    memchr::memmem::find(source.as_bytes(), word.as_bytes()).is_some()
}

/// Whether a block of JSON-LD may describe an article or a site, or be about rights. This is a fast test, because most
/// blocks describe breadcrumbs and search boxes.
fn may_describe_article(source: &str) -> bool {
    let words =
        ["headline", "datePublished", "dateCreated", "WebSite", "isAccessibleForFree", "\"license\"", "\"copyright"];
    words.iter().any(|word| contains(source, word))
}

/// The objects that describe something by themselves: at the top level, in a `@graph`, as a page's main content, and as
/// its posts and parts.
fn objects(blocks: &[Value]) -> Vec<&Object> {
    let mut objects = Vec::new();
    blocks.iter().for_each(|block| collect(block, 0, &mut objects));
    objects
}

fn collect<'a>(value: &'a Value, depth: usize, objects: &mut Vec<&'a Object>) {
    if depth > MAX_DEPTH || objects.len() >= MAX_OBJECTS {
        return;
    }
    match value {
        Value::Array(values) => values.iter().for_each(|value| collect(value, depth + 1, objects)),
        Value::Object(object) => {
            objects.push(object);
            for key in ["@graph", "mainEntity", "mainEntityOfPage", "blogPost", "hasPart"] {
                if let Some(inner) = object.get(key) {
                    collect(inner, depth + 1, objects);
                }
            }
        }
        _ => {}
    }
}

/// Reads the metadata in an article's object, and in the objects of its site and its page.
fn of_objects(page: &Page, article: Option<&Object>, objects: &[&Object]) -> Found {
    let mut found = Found::default();
    let mut add = |field, values: Vec<String>| found.add(field, values, MetadataSource::JsonLd);
    let first = |is_kind: fn(&str) -> bool| objects.iter().copied().find(|object| is_a(object, is_kind));
    if let Some(site) = first(|kind| kind == "WebSite") {
        add(Field::SiteName, Vec::from_iter(string(site.get("name"))));
    }
    if let Some(article) = article {
        let authors = article.get("author").or_else(|| article.get("creator"));
        add(Field::Title, Vec::from_iter(title(article)));
        add(Field::Authors, author::cleaned(page, &names(authors, objects)));
        add(Field::Section, Vec::from_iter(string(article.get("articleSection"))));
        add(Field::SiteName, names(article.get("publisher"), objects));
    }
    for object in article.into_iter().chain(first(|kind| kind.ends_with("WebPage"))) {
        for (field, key) in
            [(Field::Published, "datePublished"), (Field::Published, "dateCreated"), (Field::Modified, "dateModified")]
        {
            add(field, Vec::from_iter(object.get(key).and_then(day)));
        }
    }
    found
}

/// A date: a text, or a number of seconds or milliseconds; perhaps in a list, or as `@value`.
fn day(value: &Value) -> Option<String> {
    match value {
        Value::Number(value) => date::normalised(&value.to_string()),
        Value::Array(values) => values.iter().find_map(day),
        Value::Object(object) => day(object.get("@value")?),
        value => date::normalised(value.as_str()?),
    }
}

fn title(article: &Object) -> Option<String> {
    string(article.get("headline")).or_else(|| string(article.get("name")))
}

/// Whether an object of this type describes the page itself, so that its rights apply to the page. Pictures, products
/// and teasers of other articles have their own rights.
fn describes_page(kind: &str) -> bool {
    kind.ends_with("WebPage") || matches!(kind, "CreativeWork" | "WebPageElement")
}

/// The first text in a value, in one line.
fn string(value: Option<&Value>) -> Option<String> {
    match value? {
        Value::String(text) => text::line(text),
        Value::Array(values) => values.iter().find_map(|value| string(Some(value))),
        Value::Object(object) => string(object.get("@value")),
        _ => None,
    }
}

/// The names of persons or organisations, given as texts, objects or references to objects (`@id`).
fn names(value: Option<&Value>, objects: &[&Object]) -> Vec<String> {
    let of_one = |value: &Value| {
        let Some(object) = value.as_object() else { return string(Some(value)) };
        let name = |object: &Object| {
            let parts = || Some([string(object.get("givenName"))?, string(object.get("familyName"))?].join(" "));
            string(object.get("name")).or_else(parts)
        };
        let is_meant = |other: &&&Object| object.contains_key("@id") && other.get("@id") == object.get("@id");
        name(object).or_else(|| objects.iter().filter(is_meant).find_map(|other| name(other)))
    };
    match value {
        Some(Value::Array(values)) => values.iter().take(author::MAX_AUTHORS).filter_map(of_one).collect(),
        Some(value) => Vec::from_iter(of_one(value)),
        None => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(json: &str) -> Found {
        read(&Page::parse(format!("<script type='application/ld+json'>{json}</script>")), None)
    }

    #[test]
    fn an_article_may_stand_in_an_array_or_a_graph() {
        let article =
            r#"{"@type": "NewsArticle", "headline": "Bridge opens", "datePublished": "2026-11-20T09:15:00+01:00"}"#;
        for json in [
            article.to_owned(),
            format!("[{{\"@type\": \"BreadcrumbList\"}}, {article}]"),
            format!("{{\"@graph\": [{article}]}}"),
            format!("<!-- {article} -->"),
            format!("//<![CDATA[\n{article}\n//]]>"),
            format!("{article};"),
            article
                .replace("\"headline\"", "\"@id\": \"x\",\n\"headline\"")
                .replace("opens\"", "opens\",")
                .replace(",,", ","),
            article.replace('}', ",}"),
        ] {
            let found = found(&json);
            assert_eq!(found.first(Field::Title), Some("Bridge opens"), "{json}");
            assert_eq!(found.first(Field::Published), Some("2026-11-20T09:15:00+01:00"), "{json}");
        }
    }

    #[test]
    fn authors_are_texts_objects_or_references() {
        for author in [
            r#""Anna Nagy""#,
            r#"["Anna Nagy"]"#,
            r#"{"@type": "Person", "name": "Anna Nagy", "url": "https://x.example/"}"#,
            r#"[{"name": ["Anna Nagy"]}]"#,
            r#"{"@type": "Person", "familyName": "Nagy", "givenName": "Anna"}"#,
            r##"{"@id": "#anna"}"##,
        ] {
            let json = format!(
                r##"{{"@graph": [{{"@type": ["Article"], "headline": "x", "author": {author}}}, {{"@type": "Person", "@id": "#anna", "name": "Anna Nagy"}}]}}"##
            );
            assert_eq!(found(&json).all(Field::Authors), ["Anna Nagy"], "{author}");
        }
    }

    #[test]
    fn a_day_may_be_a_number_or_stand_in_a_list() {
        for (day, expected) in [
            ("1785831300000", Some("2026-08-04T08:15:00Z")),
            ("1785831300", Some("2026-08-04T08:15:00Z")),
            (r#"["2026-08-04T09:15:00Z"]"#, Some("2026-08-04T09:15:00Z")),
            (r#"{"@type": "Date", "@value": "2026-08-04"}"#, Some("2026-08-04")),
            (r#"[{"@value": "2026-08-04"}]"#, Some("2026-08-04")),
            (r#"["unknown", {"@value": 1785831300}]"#, Some("2026-08-04T08:15:00Z")),
            ("20260804", Some("2026-08-04")),
            ("2026", None),
            ("true", None),
        ] {
            let json = format!(r#"{{"@type": "NewsArticle", "headline": "Bridge opens", "datePublished": {day}}}"#);
            assert_eq!(found(&json).first(Field::Published), expected, "{day}");
        }
    }

    #[test]
    fn the_site_is_no_article() {
        let found =
            found(r#"[{"@type": "WebSite", "name": "The Portal"}, {"@type": "Organization", "name": "Portal Ltd."}]"#);
        assert_eq!((found.first(Field::Title), found.first(Field::SiteName)), (None, Some("The Portal")));
    }
}
