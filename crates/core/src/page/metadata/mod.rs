//! What a page says of its article: title, authors, dates, site, section, canonical address.
//!
//! Sources in the order of trust: JSON-LD, OpenGraph and other `<meta>`, microdata and `<time>`; then what stands around the
//! headline, by CSS selectors over that small part of the page; at last `<title>` and the address. Each fills what the ones
//! before left open. What a page says of others (teasers, comments) is left alone as far as it can be told.

mod author;
pub(super) mod date;
mod json_ld;
mod markup;
mod meta;
mod selected;
mod text;
mod title;

use super::Page;
use super::tag::Tag;
use crate::address::CrawlUrl;
use crate::document::Metadata;

/// What one source says.
#[derive(Debug, Default)]
struct Found {
    title: Option<String>,
    authors: Vec<String>,
    published: Option<String>,
    modified: Option<String>,
    site_name: Option<String>,
    section: Option<String>,
    canonical: Option<String>,
}

impl Found {
    /// Takes from `other` what is missing here.
    fn fill(&mut self, other: Self) {
        if self.authors.is_empty() {
            self.authors = other.authors;
        }
        for (mine, theirs) in [
            (&mut self.title, other.title),
            (&mut self.published, other.published),
            (&mut self.modified, other.modified),
            (&mut self.site_name, other.site_name),
            (&mut self.section, other.section),
            (&mut self.canonical, other.canonical),
        ] {
            if mine.is_none() {
                *mine = theirs;
            }
        }
    }
}

impl Page {
    /// The article's metadata as the page tells them. `address` is where the page was fetched from, if that is known. What
    /// doesn't stand in the page (domain, host, time of fetching, language by detector) is left to the caller.
    #[must_use]
    pub fn metadata(&self, address: Option<&CrawlUrl>) -> Metadata {
        let mut found = json_ld::read(self);
        found.fill(meta::read(self));
        found.fill(markup::read(self));
        if found.title.is_none() || found.authors.is_empty() || found.published.is_none() {
            found.fill(selected::read(self, &found));
        }
        let title = found.title.take().or_else(|| title::of_document(self, found.site_name.as_deref()));
        Metadata {
            title: title.map(|title| title::without_site(&title, found.site_name.as_deref()).to_owned()),
            authors: found.authors,
            published: found.published.or_else(|| address.and_then(|address| date::in_path(address.path()))),
            modified: found.modified,
            site_name: found.site_name,
            section: found.section,
            canonical: canonical(self, found.canonical.as_deref(), address),
            ..Metadata::default()
        }
    }
}

/// `<link rel=canonical>`, else what the metadata name; absolute and canonical in form.
fn canonical(page: &Page, named: Option<&str>, address: Option<&CrawlUrl>) -> Option<String> {
    let linked = page.elements_of(Tag::Link).find_map(|id| {
        let is_canonical =
            page.attribute(id, "rel")?.split_ascii_whitespace().any(|rel| rel.eq_ignore_ascii_case("canonical"));
        if is_canonical { page.attribute(id, "href") } else { None }
    });
    [linked.as_deref(), named].into_iter().flatten().find_map(|reference| {
        let url = match address {
            Some(address) => address.join(reference),
            None => CrawlUrl::parse(reference),
        };
        url.ok().map(String::from)
    })
}
