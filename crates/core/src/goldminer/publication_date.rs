//! Whether a page declares a publication date in machine-readable form. Content management systems add it to some
//! kinds of pages. If most of a domain's articles have it, a page without one is something else (an imprint, a
//! project description, documentation).

use std::sync::LazyLock;

use goldminer_html::{Page, Tag};
use memchr::memmem::Finder;

use crate::metadata::names_publication;

/// Finds the JSON-LD property with the publication date.
static IN_JSON: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("\"datePublished\""));

/// Returns whether the `<meta>` elements, JSON-LD or microdata of a page declare a publication date.
pub(super) fn declares_publication(page: &Page) -> bool {
    page.ids().any(|id| match page.element(id).tag {
        Tag::Meta => page.attributes(id).any(|attribute| {
            (attribute.is("property") || attribute.is("name") || attribute.is("itemprop"))
                && names_publication(&attribute.value())
        }),
        Tag::Script => IN_JSON.find(page.inner_source(id).as_bytes()).is_some(),
        Tag::Time | Tag::Span | Tag::Div | Tag::Abbr if page.element(id).is_marked => {
            page.attribute(id, "itemprop").is_some_and(|value| value.trim() == "datePublished")
        }
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_for_machines_are_found_and_others_are_not() {
        for html in [
            "<meta property='article:published_time' content=2020-01-01>",
            "<script type=application/ld+json>{\"@type\": \"NewsArticle\", \"datePublished\": \"2020-01-01\"}</script>",
            "<time itemprop=datePublished>1 May</time>",
        ] {
            assert!(declares_publication(&Page::parse(html.to_owned())), "{html}");
        }
        for html in ["<meta property='og:type' content=article>", "<time>1 May</time>", "<p>datePublished</p>"] {
            assert!(!declares_publication(&Page::parse(html.to_owned())), "{html}");
        }
    }
}
