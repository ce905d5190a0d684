//! Checks whether a page's machine-readable metadata declare that the page is one article. This is used if most text
//! on the page announces other pages, for example below a report of two sentences.
//!
//! Front pages and lists often declare themselves articles as well. So the publication date and the title are
//! required, and the title must be the page's headline.

use goldminer_html::{Page, Paragraph};

use super::date::style::DateStyle;
use super::own_part::OwnPart;
use super::{Field, json_ld, markup, meta, near};

/// A title with more of its characters in links belongs to another page.
const MAX_LINKED: f64 = 0.5;

/// Whether the page declares itself the article with this headline.
pub(crate) fn declares_article(page: &Page, headline: &Paragraph) -> bool {
    let is_headline = |title: &String| near::is_title(headline, &[title]);
    headline.link_density() < MAX_LINKED
        && (json_ld::only_article(page).as_ref().is_some_and(is_headline)
            || dated_without_json_ld(page, headline).as_ref().is_some_and(is_headline))
}

/// The title of a page that `<meta>` declares to be an article, if `<meta>` or microdata have a publication date. None
/// if the page has JSON-LD: publishing systems declare every page an `article` in `<meta>`, and give its real type in
/// JSON-LD.
fn dated_without_json_ld(page: &Page, headline: &Paragraph) -> Option<String> {
    if json_ld::has_json_ld(page) {
        return None;
    }
    let is_article = meta::named(page, &["og:type"])
        .any(|id| page.attribute(id, "content").is_some_and(|kind| kind.trim().eq_ignore_ascii_case("article")));
    let mut declared = is_article.then(|| meta::read(page))?;
    if declared.lacks(Field::Title) || declared.lacks(Field::Published) {
        declared.fill(markup::microdata(page, OwnPart::of(page, headline.element), &DateStyle::default()));
    }
    declared.take(Field::Title).filter(|_| !declared.lacks(Field::Published))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ARTICLE: &str = r#"{"@type": "NewsArticle", "headline": "A bridge opens", "datePublished": "2026-11-20"}"#;

    fn declares(head: &str, headline: &str) -> bool {
        let page = Page::parse(format!("{head}<body><h1>{headline}</h1><p>It rained."));
        declares_article(&page, &page.paragraphs()[0])
    }

    fn json(json: &str) -> String {
        format!("<script type=application/ld+json>{json}</script>")
    }

    #[test]
    fn only_a_single_dated_article_with_the_headline_counts() {
        let other = ARTICLE.replace("A bridge", "A school");
        let list = format!(r#"{{"@type": "ItemList", "itemListElement": [{ARTICLE}]}}"#);
        for (head, headline, expected) in [
            (json(ARTICLE), "A bridge opens", true),
            (json(&format!("[{ARTICLE}, {ARTICLE}]")), "A bridge opens", true),
            (json(&format!("[{ARTICLE}, {other}]")), "A bridge opens", false),
            (json(&list), "A bridge opens", false),
            (json(&ARTICLE.replace("NewsArticle", "DiscussionForumPosting")), "A bridge opens", false),
            (json(ARTICLE), "The Portal", false),
            (json(ARTICLE), "<a href=/a>A bridge opens</a>", false),
            (json(&ARTICLE.replace("datePublished", "dateModified")), "A bridge opens", false),
        ] {
            assert_eq!(declares(&head, headline), expected, "{head} {headline}");
        }
    }

    #[test]
    fn meta_elements_with_type_date_and_title_are_enough() {
        let head = "<meta property=og:type content=article><meta property=og:title content='A bridge opens'>\
            <meta property=article:published_time content=2026-11-20T09:15:00Z>";
        assert!(declares(head, "A bridge opens"));
        assert!(!declares(&format!("{head}{}", json(r#"{"@type": "Product"}"#)), "A bridge opens"));
        assert!(!declares(&head.replace("content=article", "content=website"), "A bridge opens"));
        assert!(!declares(&head.replace("published", "modified"), "A bridge opens"));
        let item =
            "<div itemscope itemtype=https://schema.org/WebPage><meta itemprop=datePublished content=2026-11-20>";
        let without_day = head.split("<meta property=article").next().unwrap();
        assert!(!declares(without_day, "A bridge opens"));
        assert!(declares(&format!("{without_day}{item}"), "A bridge opens"));
    }
}
