//! The page of a URL: the URL's history, the blocks of the stored page with the reason why each is kept or cut, the
//! stored page itself, and its document.

use goldminer_core::Document;
use goldminer_corpus::html as fragment;
use goldminer_crawl::WhyReport;
use maud::{Markup, PreEscaped, html};

use super::blocks::page_alone;
use super::frame::JobLinks;
use super::parts::{CHARS, shortened};
use crate::survey::Dissection;
use crate::words::url as words;

/// An extracted page: its blocks with the reasons for keeping or cutting them, and its document or why there is none.
pub(crate) type Read = (Dissection, Result<Box<Document>, String>);

pub(crate) fn url(links: JobLinks<'_>, report: &WhyReport, read: Option<&Read>) -> Markup {
    let url = report.explanation.url.as_str();
    let portal = report.explanation.life.as_ref().map(|life| life.portal.as_str());
    let body = html! {
        header {
            p.kind { "A URL" }
            h1.url { (shortened(url, 2 * CHARS)) }
            p.lead { (words::verdict(report)) }
            @for other in &report.explanation.similar { p { a href=(links.to("url", &[("url", other.as_str())])) { (other.as_str()) } } }
        }
        section {
            h2 { "History" }
            dl.life { @for (name, what) in words::lines(report) { dt { (name) } dd { (what) } } }
            @if let Some(portal) = portal {
                p { a href=(links.to("portal", &[("name", portal)])) { "Its portal: " (portal) } }
            }
        }
        @if let Some((dissection, document)) = read {
            section.beside {
                div {
                    h2 { "Blocks, kept and cut" }
                    p { a href=(links.to("edit", &[("url", url)])) { "Correct the profile" } }
                    (page_alone(dissection))
                }
                div {
                    h2 { "Stored page" }
                    p.note { "Shown without scripts, styles, pictures and links. No request is sent to the portal." }
                    iframe src=(links.to("stored", &[("url", url)])) sandbox="" title="Stored page" loading="lazy" {}
                }
            }
            section {
                h2 { "Document" }
                @match document {
                    Ok(document) => { (self::document(document)) }
                    Err(why) => { p { (why) } }
                }
            }
        }
    };
    links.page(url, &[], &body)
}

fn document(document: &Document) -> Markup {
    let mut document = document.clone();
    // The document is below an `h2`, and the page must skip no level.
    document.paragraphs.iter_mut().for_each(|paragraph| paragraph.level = Some(3));
    // Of images and frames only the texts are shown, because the console sends no requests to portals.
    document.objects.iter_mut().for_each(|object| object.source = None);
    let metadata = &document.metadata;
    html! {
        article.document lang=[metadata.language.as_deref()] {
            @if let Some(title) = &metadata.title { p.kind { (shortened(title, CHARS)) } }
            // `fragment` has escaped its texts and URLs.
            (PreEscaped(fragment(&document)))
        }
    }
}

pub(super) fn look_up(links: JobLinks<'_>) -> Markup {
    html! {
        form.row method="get" action=(links.to("url", &[])) {
            label { "Look up a URL" input name="url" type="search" required size="40"; }
            button type="submit" { "Show" }
        }
    }
}
