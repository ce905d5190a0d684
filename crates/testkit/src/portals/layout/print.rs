//! The print version: the article and hardly anything around it.

use super::super::html::{each, put, text};
use super::super::view::ArticlePage;
use goldminer_core::document::ParagraphKind;

/// See the module.
pub(crate) struct Print;

impl Print {
    /// The page.
    #[must_use]
    pub(crate) fn article(&self, page: &ArticlePage<'_>) -> String {
        let body = each(&page.body, |(kind, paragraph), out| {
            let tag = if *kind == ParagraphKind::Heading { "h3" } else { "p" };
            put(out, format_args!("<{tag}>{}</{tag}>", text(paragraph)));
        });
        format!(
            "<html><head>{charset}<title>{headline}</title></head>\n<body onload=\"window.print()\">\n\
             <h1>{headline}</h1>\n\
             <p><i>{author}, {date}</i></p>\n<p><b>{lead}</b></p>\n{body}<hr><p>{url}</p>\n</body></html>\n",
            charset = page.site.portal.charset_meta(),
            headline = text(&page.brief.headline),
            author = text(&page.author.label),
            date = page.brief.published.date(),
            lead = text(&page.brief.lead),
            url = text(&page.site.absolute(&page.path)),
        )
    }
}
