//! The section of an article, from the path to it: a `BreadcrumbList`, such as Home › News › Local › A bridge opens.

use goldminer_html::Page;
use goldminer_html::address::CrawlUrl;
use serde_json::Value;

use super::super::near::Words;
use super::own_article::{MIN_SHARED, Object, is_a};
use super::{contains, objects, scripts, sources, string};

/// The most letters in the path of a home page, such as `/de`.
const MAX_PATH_OF_HOME: usize = 2;

/// The last entry of the first trail that is neither the article nor the home page.
pub(in super::super) fn section(page: &Page, title: Option<&str>, address: Option<&CrawlUrl>) -> Option<String> {
    if !sources(page).any(|source| contains(source, "BreadcrumbList")) {
        return None;
    }
    let is_read = |source: &&str| contains(source, "BreadcrumbList") || contains(source, "WebSite");
    let blocks: Vec<Value> = sources(page).filter(is_read).filter_map(scripts::json).collect();
    let objects = objects(&blocks);
    let inside = objects.iter().filter_map(|object| object.get("breadcrumb")?.as_object());
    let trail = objects.iter().copied().chain(inside).find(|object| is_a(object, |kind| kind == "BreadcrumbList"))?;
    let mut entries: Vec<&Object> =
        trail.get("itemListElement")?.as_array()?.iter().filter_map(Value::as_object).collect();
    entries.sort_by_key(|entry| entry.get("position").and_then(position));
    let is_article = |entry: &Object| {
        let is_page = |path: &str| address.is_some_and(|address| address.path().trim_matches('/') == path);
        let is_titled = |(name, title): (String, &str)| Words::of(&name).shared(title) >= MIN_SHARED;
        path(entry).is_none_or(is_page) || name(entry).zip(title).is_some_and(is_titled)
    };
    if entries.last().is_some_and(|last| is_article(last)) {
        entries.pop();
    }
    let site = objects.iter().find(|object| is_a(object, |kind| kind == "WebSite"));
    let home = site.and_then(|site| site.get("url")?.as_str()).map(path_of);
    let is_home = |path: &str| path.len() <= MAX_PATH_OF_HOME || Some(path) == home;
    entries.into_iter().rev().find(|entry| !path(entry).is_some_and(is_home)).and_then(name)
}

fn position(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| value.as_str()?.trim().parse().ok())
}

fn name(entry: &Object) -> Option<String> {
    string(entry.get("name")).or_else(|| string(entry.get("item")?.get("name")))
}

fn path(entry: &Object) -> Option<&str> {
    let item = entry.get("item")?;
    item.as_str().or_else(|| item.get("@id")?.as_str()).or_else(|| item.get("url")?.as_str()).map(path_of)
}

/// The path of a URL, without the slashes around it.
fn path_of(url: &str) -> &str {
    let path = url.split_once("://").map_or(url, |(_, rest)| rest.find('/').map_or("", |at| &rest[at..]));
    path.split(['?', '#']).next().unwrap_or_default().trim_matches('/')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_section_is_the_last_step_before_the_article() {
        let home = r#"{"position": 1, "item": {"@id": "https://portal.example/", "name": "Home"}}"#;
        let local = r#"{"position": 2, "item": {"@id": "/news/local", "name": "Local"}}"#;
        let story = r#"{"position": 3, "name": "A bridge opens", "item": "https://portal.example/news/bridge"}"#;
        for (entries, expected) in [
            (vec![home, local], Some("Local")),
            (vec![home, local, story], Some("Local")),
            (vec![story, local, home], Some("Local")),
            (vec![home, local, r#"{"position": "3", "name": "A bridge opens in the north | Portal"}"#], Some("Local")),
            (
                vec![home, local, r#"{"position": 3, "name": "A bridge opens | Portal", "item": "/news/bridge"}"#],
                Some("Local"),
            ),
            (vec![home, local, r#"{"position": 3, "name": "Ein Titel", "item": "/2026/bridge"}"#], Some("Local")),
            (vec![r#"{"position": 1, "name": "Start", "item": "/de"}"#, local, story], Some("Local")),
            (vec![local, story], Some("Local")),
            (vec![home, story], None),
            (vec![home], None),
            (vec![], None),
        ] {
            let list = format!(r#"{{"@type": "BreadcrumbList", "itemListElement": [{}]}}"#, entries.join(","));
            let site = r#"{"@type": "WebSite", "url": "https://portal.example/start/"}"#;
            for json in
                [list.clone(), format!(r#"{{"@graph": [{{"@type": "WebPage", "breadcrumb": {list}}}, {site}]}}"#)]
            {
                let page = Page::parse(format!("<script type=application/ld+json>{json}</script>"));
                let address = CrawlUrl::parse("https://portal.example/2026/bridge").expect("a URL");
                let found = section(&page, Some("A bridge opens"), Some(&address));
                assert_eq!(found.as_deref(), expected, "{json}");
            }
        }
    }

    #[test]
    fn the_home_page_is_not_a_section() {
        let list = r#"{"@type": "BreadcrumbList", "itemListElement": [{"position": 1, "name": "Start", "item": "/start"},
            {"position": 2, "name": "A bridge opens"}]}"#;
        let site = r#"{"@type": "WebSite", "url": "https://portal.example/start/"}"#;
        for (blocks, expected) in [(vec![list], Some("Start")), (vec![list, site], None)] {
            let script = |json: &&str| format!("<script type=application/ld+json>{json}</script>");
            let page = Page::parse(blocks.iter().map(script).collect::<String>());
            assert_eq!(section(&page, Some("A bridge opens"), None).as_deref(), expected);
        }
    }
}
