//! The page of a URL: its life, the stored page beside what became of each of its blocks, its document; and what a search
//! found.

use goldminer_core::document::Document;
use goldminer_crawl::api::snapshot::WhyReport;
use maud::{Markup, html};

use crate::frame::{address, page};
use crate::pages::Found;
use crate::report::{Dissection, page_alone, shortened};
use crate::texts;
use crate::words::url as words;

/// Characters of a title.
const CHARS: usize = 140;

/// What is known of a page: how its blocks fared, and its document or why it has none.
pub(super) type Read = (Dissection, Result<Box<Document>, String>);

/// The page of a URL.
pub(super) fn url(job: &str, report: &WhyReport, read: Option<&Read>) -> Markup {
    let address_of_page = report.explanation.url.as_str();
    let portal = report.explanation.life.as_ref().map(|life| life.portal.as_str());
    let body = html! {
        header {
            p.kind { (texts::A_URL) }
            h1.url { (shortened(address_of_page, 2 * CHARS)) }
            p.lead { (words::verdict(report)) }
        }
        section {
            h2 { (texts::ITS_LIFE) }
            dl.life {
                @for (name, what) in words::lines(report) { dt { (name) } dd { (what) } }
            }
            @if let Some(portal) = portal {
                p { a href=(address(job, "portal", &[("name", portal)])) { (texts::ITS_PORTAL) " " (portal) } }
            }
        }
        @if let Some((dissection, document)) = read {
            section.beside {
                div {
                    h2 { (texts::ITS_BLOCKS) }
                    p { a href=(address(job, "edit", &[("url", address_of_page)])) { (texts::EDIT) } }
                    (page_alone(dissection))
                }
                div {
                    h2 { (texts::STORED_PAGE) }
                    p.note { (texts::STORED_NOTE) }
                    iframe src=(address(job, "stored", &[("url", address_of_page)])) sandbox="" title=(texts::STORED_PAGE)
                        loading="lazy" {}
                }
            }
            section {
                h2 { (texts::ITS_DOCUMENT) }
                @match document {
                    Ok(document) => { (self::document(document)) }
                    Err(why) => { p { (why) } }
                }
            }
        }
    };
    page(address_of_page, &[(address(job, "", &[]), job.to_owned())], false, &body)
}

fn document(document: &Document) -> Markup {
    let metadata = &document.metadata;
    html! {
        article.document lang=[metadata.language.as_deref()] {
            @if let Some(title) = &metadata.title { p.kind { (shortened(title, CHARS)) } }
            @for paragraph in &document.paragraphs {
                p.(paragraph.kind.as_str()) { (paragraph.text) }
            }
        }
    }
}

/// What a search found.
pub(super) fn found(job: &str, wanted: &str, found: &[Found], is_whole: bool) -> Markup {
    let body = html! {
        header { h1 { (texts::FOUND) } (search(job, wanted)) }
        @if found.is_empty() { p { (texts::NOTHING_FOUND) } }
        ul.others {
            @for one in found {
                li {
                    a href=(address(job, "url", &[("url", &one.url)])) { (shortened(one.title.as_deref().unwrap_or(&one.url), CHARS)) }
                    span.source { "… " (one.around) " …" }
                }
            }
        }
        @if !is_whole { p.note { (texts::SEARCH_NOT_WHOLE) } }
    };
    page(texts::FOUND, &[(address(job, "", &[]), job.to_owned())], false, &body)
}

/// The field to search by.
pub(super) fn search(job: &str, wanted: &str) -> Markup {
    html! {
        form.row method="get" action=(address(job, "find", &[])) {
            label { (texts::SEARCH) input name="q" type="search" required size="40" value=(wanted); }
            button type="submit" { (texts::SHOW) }
        }
    }
}
