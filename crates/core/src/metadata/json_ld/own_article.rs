//! Finds the page's own article in its JSON-LD. Pages describe related articles in the same way, sometimes before
//! their own.
//!
//! The URL decides. If no article has the page's URL, the headline decides.

use goldminer_html::Page;
use goldminer_html::address::CrawlUrl;
use serde_json::{Map, Value};

use super::super::near::{MAX_HEADING_CHARS, Words};
use super::super::{canonical_links, title};
use super::title as headline_of;

/// An object of JSON-LD.
pub(crate) type Object = Map<String, Value>;

/// The least share of words that a headline in JSON-LD has in common with a title of the page.
pub(super) const MIN_SHARED: f32 = 0.7;
/// The most headings that are compared.
const MAX_HEADINGS: usize = 20;

/// The page's own article among the objects of its JSON-LD: the first with the page's URL, else the first with its
/// headline, else the only one, if it has no other URL.
pub(crate) fn among<'o>(page: &Page, address: Option<&CrawlUrl>, objects: &[&'o Object]) -> Option<&'o Object> {
    let articles = || objects.iter().copied().filter(|object| is_a(object, is_article));
    let first = articles().next()?;
    let linked = canonical_links(page).next().and_then(|linked| comparable(address, &linked));
    let own = [linked, address.and_then(|address| comparable(None, address.as_str()))];
    let named = |article: &'o Object| addresses(article).filter_map(|named| comparable(address, named));
    let is_named = |article: &&'o Object| named(article).any(|named| own.contains(&Some(named)));
    if let Some(article) = articles().find(is_named) {
        return Some(article);
    }
    let headings = page.paragraphs().iter().filter(|p| p.heading == Some(1) && p.chars <= MAX_HEADING_CHARS);
    let titles = headings.take(MAX_HEADINGS).map(|heading| heading.text.to_string()).chain(title::whole(page));
    let titles: Vec<String> = titles.collect();
    let is_titled = |article: &&Object| {
        let Some(headline) = headline_of(article) else { return false };
        let words = Words::of(&headline);
        titles.iter().any(|title| words.shared(title) >= MIN_SHARED || title::extends(title, &headline))
    };
    let is_another = || own.iter().any(Option::is_some) && named(first).next().is_some();
    articles().find(is_titled).or_else(|| (articles().nth(1).is_none() && !is_another()).then_some(first))
}

/// Whether a type of schema.org is a kind of article.
pub(crate) fn is_article(kind: &str) -> bool {
    kind.ends_with("Article")
        || kind.ends_with("Posting")
        || matches!(kind, "Report" | "Review" | "Recipe" | "NewsMediaObject")
}

/// Whether an object has a type that `is_kind` accepts.
pub(crate) fn is_a(object: &Object, is_kind: impl Fn(&str) -> bool) -> bool {
    let bare =
        |kind: &Value| kind.as_str().is_some_and(|kind| is_kind(kind.rsplit(['/', ':', '#']).next().unwrap_or(kind)));
    match object.get("@type") {
        Some(Value::Array(kinds)) => kinds.iter().any(bare),
        Some(kind) => bare(kind),
        None => false,
    }
}

/// Returns the host and path of a URL, without the parts in which URLs of one page may differ. None for the URL of a
/// whole site.
fn comparable(base: Option<&CrawlUrl>, address: &str) -> Option<String> {
    let url = match base {
        Some(base) => base.join(address.trim()).ok()?,
        None => CrawlUrl::parse(address.trim()).ok()?,
    };
    let host = url.host_name();
    let path = url.path().trim_end_matches('/');
    (!path.is_empty()).then(|| format!("{}{path}", host.strip_prefix("www.").unwrap_or(host)))
}

/// The URLs that an object declares as its own.
fn addresses(article: &Object) -> impl Iterator<Item = &str> {
    let own = ["url", "@id"].iter().filter_map(|key| article.get(*key)?.as_str());
    let page = article.get("mainEntityOfPage").into_iter();
    let page = page.flat_map(|page| match page {
        Value::String(address) => vec![address.as_str()],
        Value::Object(page) => ["@id", "url"].iter().filter_map(|key| page.get(*key)?.as_str()).collect(),
        _ => Vec::new(),
    });
    own.chain(page).filter(|address| address.starts_with(['/', 'h', 'H']))
}

#[cfg(test)]
mod tests {
    use super::super::super::Field;
    use super::*;

    const ADDRESS: &str = "https://portal.example/news/bridge";

    fn day(blocks: &str, address: Option<&str>) -> Option<String> {
        let head = "<title>A bridge opens | The Portal</title>";
        let html = format!("{head}<script type='application/ld+json'>{blocks}</script><h1>A bridge opens</h1>");
        let address = address.map(|address| CrawlUrl::parse(address).expect("an address"));
        let page = Page::parse(html);
        super::super::read(&page, address.as_ref()).take(Field::Published)
    }

    #[test]
    fn a_related_article_before_the_own_one_is_ignored() {
        let other = r#"{"@type": "NewsArticle", "headline": "Of salt", "datePublished": "2019-02-02", "url": "https://portal.example/news/salt"}"#;
        let article = r#"{"@type": "NewsArticle", "datePublished": "2026-11-20""#;
        for own in [
            r#""url": "https://www.portal.example/news/bridge/?from=feed#top", "headline": "Opening day""#,
            r#""url": "/news/bridge""#,
            r#""mainEntityOfPage": "http://portal.example/news/bridge""#,
            r#""mainEntityOfPage": {"@type": "WebPage", "@id": "https://portal.example/news/bridge"}"#,
            r#""@id": "https://portal.example/news/bridge#article""#,
            r#""headline": "A bridge opens""#,
            r#""name": "A bridge opens", "url": "https://portal.example/""#,
        ] {
            for blocks in
                [format!("[{other}, {article}, {own}}}]"), format!("{{\"@graph\": [{other}, {article}, {own}}}]}}")]
            {
                assert_eq!(day(&blocks, Some(ADDRESS)).as_deref(), Some("2026-11-20"), "{blocks}");
            }
        }
    }

    #[test]
    fn articles_of_other_pages_are_ignored() {
        let article = |n: u8, more: &str| format!(r#"{{"@type": "Article", "datePublished": "2019-02-0{n}"{more}}}"#);
        let salt = r#", "headline": "Of salt", "url": "https://portal.example/news/salt""#;
        assert_eq!(day(&article(1, salt), Some(ADDRESS)), None);
        let (one, two) = (article(1, r#", "headline": "Of salt""#), article(2, r#", "headline": "Of trains""#));
        assert_eq!(day(&format!("[{one}, {two}]"), Some(ADDRESS)), None);
        assert_eq!(day(&one, Some(ADDRESS)).as_deref(), Some("2019-02-01"), "the only one may have another headline");
        assert_eq!(day(&article(1, ""), None).as_deref(), Some("2019-02-01"));
    }
}
