//! Reads one page with the profiles of its domain. The result does not depend on other pages, so that pages can be
//! read in parallel and ahead of time. [`super`] then decides, in page order, which documents are written.

use std::sync::OnceLock;

use goldminer_html::address::{CrawlUrl, Domain};
use goldminer_html::capture::ArchivePosition;
use goldminer_html::capture::coding::CodingLimits;
use goldminer_html::{Page, Reading};
use serde::{Deserialize, Serialize};

use super::outcome::PageOutcome;
use super::profile_set::ProfileSet;
use super::seen::Fingerprint;
use super::step::PageDecision;
use crate::document::{Document, Method};
use crate::extract::{Extractor, NoArticle, SourcePage};
use crate::goldminer;
use crate::goldminer::profile::DomainProfile;
use crate::rights::Signal;

/// A stored page with all that the extractor uses: its bytes, URL, fetch time and rights.
///
/// ```
/// use goldminer_core::address::{CrawlUrl, Domain};
/// use goldminer_core::extract::domain::StoredPage;
///
/// let bytes = b"<p>It rained in Rome for a week, and then the sun came out.</p>".to_vec();
/// let mut page = StoredPage::new(Domain::named("portal.example"), bytes);
/// page.url = Some(CrawlUrl::parse("http://portal.example/rain")?);
/// assert_eq!(page.parse().paragraphs().len(), 1);
/// # Ok::<(), goldminer_core::address::AddressError>(())
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct StoredPage {
    /// The domain for which profiles are learned: a registrable domain, one of its sites, or the name of a folder.
    pub domain: Domain,
    /// The URL of the page, if it is known.
    pub url: Option<CrawlUrl>,
    /// The path of the page in its input, if the input is files.
    pub path: Option<String>,
    /// The path of the page's file in its input, if the input is files.
    pub file: Option<String>,
    /// The decompressed body of the page.
    pub bytes: Vec<u8>,
    /// The number of bytes that were received, before decompression.
    pub wire_bytes: u64,
    /// The value of the header `Content-Type`, if it is known.
    pub content_type: Option<String>,
    /// When the page was fetched, if it is known.
    pub fetched: Option<jiff::Timestamp>,
    /// The position of the page's WARC record, if it comes from an archive.
    pub position: Option<ArchivePosition>,
    /// The language that the input declares for the page.
    pub language: Option<String>,
    /// What the response and the host's files state about rights.
    pub signals: Vec<Signal>,
    /// Whether the bytes are only the beginning of the page.
    pub truncated: bool,
    /// The parsed page, kept from learning so that it is not parsed twice.
    parsed: OnceLock<Page>,
}

impl StoredPage {
    /// A page with only a domain and bytes, which were not compressed. Bytes beyond the limit for decompressed bodies
    /// are dropped, so that a page is read in the same way from all kinds of inputs.
    pub fn new(domain: Domain, mut bytes: Vec<u8>) -> Self {
        let (limit, wire_bytes) = (CodingLimits::default().decoded_bytes, bytes.len() as u64);
        bytes.truncate(limit);
        Self {
            domain,
            url: None,
            path: None,
            file: None,
            wire_bytes,
            truncated: bytes.len() >= limit,
            bytes,
            content_type: None,
            fetched: None,
            position: None,
            language: None,
            signals: Vec::new(),
            parsed: OnceLock::new(),
        }
    }

    /// Decodes and parses the page.
    pub fn parse(&self) -> Page {
        Extractor::parse(&self.source(), Reading::Article)
    }

    /// Like [`Self::parse`], but keeps the result for the next call.
    pub(super) fn parsed(&self) -> &Page {
        self.parsed.get_or_init(|| self.parse())
    }

    /// The page as input of the extractor.
    pub fn source(&self) -> SourcePage<'_> {
        let source = SourcePage::new(&self.bytes, &self.domain);
        SourcePage {
            content_type: self.content_type.as_deref(),
            url: self.url.as_ref(),
            path: self.path.as_deref(),
            file: self.file.as_deref(),
            fetched: self.fetched,
            warc: self.position.as_ref(),
            declared_language: self.language.as_deref(),
            signals: &self.signals,
            truncated: source.truncated || self.truncated,
            ..source
        }
    }
}

/// The result of reading a page.
///
/// ```
/// use goldminer_core::address::Domain;
/// use goldminer_core::extract::Extractor;
/// use goldminer_core::extract::domain::{Fit, PageRead, ProfileSet, StoredPage};
///
/// let bytes = b"<p>It rained in Rome for a week, and then the sun came out.</p>".to_vec();
/// let page = StoredPage::new(Domain::named("portal.example"), bytes);
/// let read = PageRead::of(&Extractor::default(), &ProfileSet::default(), &page, false);
/// assert_eq!(read.fit, Fit::None, "there is no profile to fit");
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub struct PageRead {
    /// The document of the page, or the reason why it has none.
    pub result: Result<Box<Document>, NoArticle>,
    /// How the profile fits the page.
    pub fit: Fit,
}

/// How the profile of a domain fits a page.
///
/// ```
/// use goldminer_core::DomainProfile;
/// use goldminer_core::address::Domain;
/// use goldminer_core::extract::Extractor;
/// use goldminer_core::extract::domain::{Fit, PageRead, ProfileSet, StoredPage};
///
/// let profile: DomainProfile = "key = 'portal.example'\n[[template]]\nstart = 'div.story'\n".parse()?;
/// let profiles = ProfileSet::from(profile);
/// let html = b"<div class=story><p>It rained in Rome for a week, and then the sun came out.</p></div>".to_vec();
/// let page = StoredPage::new(Domain::named("portal.example"), html);
/// assert_eq!(PageRead::of(&Extractor::default(), &profiles, &page, true).fit, Fit::Covered);
/// # Ok::<(), goldminer_core::goldminer::profile::ProfileError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[allow(clippy::exhaustive_enums, reason = "callers act on each of them")]
pub enum Fit {
    /// A template matches the page.
    Covered,
    /// No template matches the page, though the page looks like an article.
    Missed,
    /// The page is not an article, or the fit was not checked.
    None,
}

/// The part of a page's result from which [`DomainExtraction::take`](super::DomainExtraction::take) decides about this
/// page and later ones.
///
/// ```
/// use goldminer_core::extract::domain::{Fit, PageOutcome, PageReading};
///
/// // A domain's first page looks like an article, but its profile gives no text: the portal may have changed.
/// let mut reading = PageReading::new(0, Err(PageOutcome::NoText));
/// reading.fit = Fit::Missed;
/// reading.is_article_like = true;
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PageReading {
    /// The page's number in its domain, from 0 without gaps.
    pub seq: u64,
    /// The position of the page's WARC record, if it comes from an archive.
    pub position: Option<ArchivePosition>,
    /// Whether the page is known to be article-like, so that the learner may use it.
    pub is_article_like: bool,
    /// The fingerprint of the page's document, or the reason why it has none.
    pub result: Result<Fingerprint, PageOutcome>,
    /// Why the filter rejects the page's document. None if it does not.
    pub unwanted: Option<PageOutcome>,
    /// How the profile fits the page.
    pub fit: Fit,
    /// Whether a paywall cuts the page's article off.
    pub is_partial: bool,
}

impl PageReading {
    /// A page with this number and result, not from an archive, whose fit was not checked.
    pub fn new(seq: u64, result: Result<Fingerprint, PageOutcome>) -> Self {
        Self { seq, position: None, is_article_like: false, result, unwanted: None, fit: Fit::None, is_partial: false }
    }

    /// The outcome under which the page is counted.
    pub(super) fn outcome(&self, decision: &PageDecision) -> PageOutcome {
        match decision {
            PageDecision::Emit { .. } if self.is_partial => PageOutcome::Partial,
            decision => decision.outcome(),
        }
    }
}

impl PageRead {
    /// Reads a page with the profiles of its domain. The first profile with a matching template decides. `checks_fit`
    /// fills in [`PageRead::fit`], which takes additional work for pages without a document.
    pub fn of(extractor: &Extractor, profiles: &ProfileSet, page: &StoredPage, checks_fit: bool) -> Self {
        let source = page.source();
        let is_parsed = page.parsed.get().is_some() && !extractor.is_published();
        if goldminer_html::can_be_page(source.bytes) && (is_parsed || profiles.serve(extractor, &source)) {
            return Self::of_read(extractor, profiles, page.parsed(), &source, checks_fit);
        }
        let result = profiles.extract_with(extractor, &source);
        Self { fit: fit(&result, checks_fit, || false), result }
    }

    /// Like [`PageRead::of`], for a page that [`Extractor::read`] has already parsed, for example because its links
    /// are needed. Methods that parse pages in their own way need [`PageRead::of`].
    pub fn of_read(
        extractor: &Extractor,
        profiles: &ProfileSet,
        read: &Page,
        source: &SourcePage<'_>,
        checks_fit: bool,
    ) -> Self {
        let result = profiles.extract_read(extractor, read, source);
        Self { fit: fit(&result, checks_fit, || looks_like_article(profiles, read, source)), result }
    }

    /// Reads a page with one other profile, if its own profiles give no document. Returns the reason why they give
    /// none, and the document from the other profile; None if there is no such document.
    pub fn rescued(
        extractor: &Extractor,
        profiles: &ProfileSet,
        page: &StoredPage,
        with: &DomainProfile,
    ) -> Option<(NoArticle, Box<Document>)> {
        let source = page.source();
        let read = Extractor::read(&source)?;
        let reason = profiles.extract_read(extractor, &read, &source).err()?;
        Some((reason, extractor.extract_read(&read, &source, Some(with)).ok()?))
    }
}

/// How the domain's profiles fit a page. `looks_like_article` is asked only about pages without a document.
fn fit(result: &Result<Box<Document>, NoArticle>, checks_fit: bool, looks_like_article: impl Fn() -> bool) -> Fit {
    use NoArticle::{Gallery, List, NoTemplate, Stub};
    match result.as_ref().map(|document| document.provenance.method) {
        Ok(Method::Goldminer) => Fit::Covered,
        Ok(Method::Classifier | Method::Fallback) if checks_fit => Fit::Missed,
        Err(NoTemplate | Gallery | List | Stub) if checks_fit && looks_like_article() => Fit::Missed,
        _ => Fit::None,
    }
}

/// Whether a page without a document is article-like. Checks only pages that a template with `dated` skips because they
/// have no publication date. The extractor has already checked pages that match no template.
fn looks_like_article(profiles: &ProfileSet, read: &Page, source: &SourcePage<'_>) -> bool {
    let mut candidates = profiles.candidates(source.domain, source.url, source.warc);
    candidates.retain(|profile| profile.templates.iter().any(|template| template.dated));
    candidates.iter().any(|profile| goldminer::looks_like_article(read, source.url, profile))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parsed_page_and_its_bytes_give_the_same_result() {
        let story = "<p>It rained all day in the town, and nobody who had an umbrella lent it to the others.".repeat(4);
        let article = format!("<nav><a href=/sport>Sport</a></nav><h1>Rain</h1><div class=story>{story}</div>");
        let by_pattern =
            "key = 'portal.example'\n[[template]]\nstart = 'div.story'\n".parse::<DomainProfile>().unwrap();
        let other = "key = 'portal.example'\n[[template]]\nstart = 'div.tale'\n".parse::<DomainProfile>().unwrap();
        let sets = [ProfileSet::default(), ProfileSet::from(by_pattern), ProfileSet::from(other)];
        for (html, profiles) in
            [&article[..], "<a href=/>Home</a>"].iter().flat_map(|html| sets.iter().map(move |set| (html, set)))
        {
            let mut page = StoredPage::new(Domain::named("portal.example"), html.as_bytes().to_vec());
            page.url = Some(CrawlUrl::parse("http://portal.example/rain").unwrap());
            let read = Extractor::read(&page.source()).unwrap();
            let beside = PageRead::of_read(&Extractor::default(), profiles, &read, &page.source(), true);
            let alone = PageRead::of(&Extractor::default(), profiles, &page, true);
            assert_eq!((&beside.result, beside.fit), (&alone.result, alone.fit), "{html}");
            page.parsed();
            let again = PageRead::of(&Extractor::default(), profiles, &page, true);
            assert_eq!((beside.result, beside.fit), (again.result, again.fit), "{html}");
        }
    }

    #[test]
    fn a_page_with_a_document_is_not_rescued() {
        let story = "<p>It rained all day in the town, and nobody who had an umbrella lent it to the others.".repeat(4);
        let html = format!("<nav><a href=/sport>Sport</a></nav><h1>Rain</h1><div class=story>{story}</div>");
        let page = StoredPage::new(Domain::named("portal.example"), html.into_bytes());
        let with: DomainProfile = "key = 'portal.example'\n[[template]]\nstart = 'div.story'\n".parse().unwrap();
        let rescued = PageRead::rescued(&Extractor::default(), &ProfileSet::default(), &page, &with);
        assert!(rescued.is_none(), "the classifier makes a document of it");
    }
}
