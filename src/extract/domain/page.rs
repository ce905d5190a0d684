//! From an archived capture to what the extractor takes. The crawl and `extract` read pages through here alone.

use std::borrow::Cow;

use crate::address::{CrawlUrl, Domain};
use crate::capture::coding::CodingLimits;
use crate::capture::{ArchivePosition, Capture};
use crate::document::Document;
use crate::engine::kept;
use crate::extract::{Extraction, Extractor, NoArticle, SourcePage};
use crate::fetch::MediaKind;
use crate::goldminer;
use crate::page::{Page, encoding};

use super::library::Library;

/// A stored page with everything that the extractor wants to know of it.
#[derive(Debug, Clone)]
pub struct StoredPage {
    /// Its learning unit.
    pub domain: Domain,
    /// Its URL, if it is known.
    pub url: Option<CrawlUrl>,
    /// Its path below the source, where it comes from files.
    pub path: Option<String>,
    /// Content coding removed.
    pub bytes: Vec<u8>,
    /// The value of `Content-Type`, if it is known.
    pub content_type: Option<String>,
    /// When it was fetched, if it is known.
    pub fetched: Option<jiff::Timestamp>,
    /// Its record, where it comes from an archive.
    pub position: Option<ArchivePosition>,
    /// The language that the source names.
    pub language: Option<String>,
}

impl StoredPage {
    /// The decoded page.
    #[must_use]
    pub fn parse(&self) -> Page {
        let host = self.url.as_ref().map(CrawlUrl::host_name);
        Page::parse(encoding::decode_from(&self.bytes, self.content_type.as_deref(), host).text.into_owned())
    }

    /// The page as the extractor takes it.
    #[must_use]
    pub fn source(&self) -> SourcePage<'_> {
        SourcePage {
            bytes: &self.bytes,
            content_type: self.content_type.as_deref(),
            url: self.url.as_ref(),
            path: self.path.as_deref(),
            domain: &self.domain,
            fetched: self.fetched,
            warc: self.position.as_ref(),
            declared_language: self.language.as_deref(),
        }
    }
}

/// What a page gave.
#[derive(Debug)]
pub enum Gave {
    /// An article.
    Document(Box<Document>),
    /// None.
    Nothing(NoArticle),
}

/// Extracts one page with the profiles of the library: the first one with a template that matches decides.
#[must_use]
pub fn extract(extractor: &Extractor, library: &Library, page: &StoredPage) -> Gave {
    let source = page.source();
    let candidates = match extractor.uses_profiles() {
        true => library.candidates(&page.domain, page.url.as_ref(), page.position.as_ref()),
        false => Vec::new(),
    };
    if candidates.is_empty() {
        return gave(extractor.extract(&source, None));
    }
    let Some(read) = Extractor::read(&source) else { return Gave::Nothing(NoArticle::NotHtml) };
    let mut nothing = NoArticle::NoPattern;
    for profile in candidates {
        match extractor.extract_read(&read, &source, Some(profile)) {
            Extraction::Document(document) => return Gave::Document(document),
            Extraction::NoArticle(reason) => nothing = reason,
        }
    }
    Gave::Nothing(nothing)
}

/// Whether a page to which the profiles gave nothing is like an article all the same. The extractor has asked this of
/// every page that no template matches; left are those that a profile passes over because they have no date of
/// publication.
pub(super) fn looks_like_article(library: &Library, page: &StoredPage) -> bool {
    let source = page.source();
    let mut candidates = library.candidates(&page.domain, source.url, source.warc);
    candidates.retain(|profile| profile.templates.iter().any(|template| template.dated));
    if candidates.is_empty() {
        return false;
    }
    let read = Extractor::read(&source);
    read.is_some_and(|read| candidates.iter().any(|profile| goldminer::looks_like_article(&read, source.url, profile)))
}

fn gave(extraction: Extraction) -> Gave {
    match extraction {
        Extraction::Document(document) => Gave::Document(document),
        Extraction::NoArticle(reason) => Gave::Nothing(reason),
    }
}
