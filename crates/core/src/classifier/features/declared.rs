//! The page's own statements about its kind: `og:type`, the types in its JSON-LD, links to the next page of a list.
//! They are often wrong (a site may call every page an article), so they are one hint among others.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use goldminer_html::{ElementId, Page, Tag};

use crate::classifier::scale::log;
use crate::metadata;

/// The number of features for these statements.
pub(crate) const WIDTH: usize = 7;

/// Types in JSON-LD, each with the kind of page that it indicates: 0 an article, 1 a list, 2 something else.
const TYPES: [(&str, usize); 16] = [
    ("Article\"", 0),
    ("\"BlogPosting\"", 0),
    ("\"Report\"", 0),
    ("\"LiveBlogPosting\"", 0),
    ("\"CollectionPage\"", 1),
    ("\"ItemList\"", 1),
    ("\"SearchResultsPage\"", 1),
    ("\"Blog\"", 1),
    ("\"Product\"", 2),
    ("\"Offer\"", 2),
    ("\"Event\"", 2),
    ("\"LocalBusiness\"", 2),
    ("\"DiscussionForumPosting\"", 2),
    ("\"QAPage\"", 2),
    ("\"VideoObject\"", 2),
    ("\"Service\"", 2),
];

static AUTOMATON: LazyLock<AhoCorasick> =
    LazyLock::new(|| AhoCorasick::new(TYPES.map(|(name, _)| name)).expect("some short names make an automaton"));

pub(crate) fn read(page: &Page) -> [i16; WIDTH] {
    let mut found = [0; WIDTH];
    let is_data = |id: &ElementId| page.attribute(*id, "type").is_some_and(|kind| kind.contains("ld+json"));
    for id in page.elements_of(Tag::Script).filter(is_data) {
        AUTOMATON.find_iter(page.inner_source(id)).for_each(|name| found[TYPES[name.pattern().as_usize()].1] += 1);
    }
    for id in metadata::named(page, &["og:type"]) {
        let kind = page.attribute(id, "content").unwrap_or_default();
        found[3] = if kind.trim().eq_ignore_ascii_case("article") { 2 } else { 1 };
    }
    let leads_on = |id| page.attribute(id, "rel").is_some_and(|rel| matches!(rel.trim(), "next" | "prev"));
    found[4] = page.elements_of(Tag::Link).filter(|id| leads_on(*id)).count() as i16;
    let count = |tag: Tag| log(page.elements_of(tag).count() as u32);
    found[5] = count(Tag::Article);
    found[6] = count(Tag::Time);
    found.map(|number| number.min(100))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_declared_kind_of_a_page_is_read() {
        let page = Page::parse(
            "<meta property=og:type content=article><link rel=next href=/2>\
             <script type=application/ld+json>{\"@type\": \"NewsArticle\"}</script><article><time>1</time></article>"
                .to_owned(),
        );
        assert_eq!(read(&page), [1, 0, 0, 2, 1, 16, 16]);
    }
}
