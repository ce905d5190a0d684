//! Reading one page with the profiles that serve it: what it gives by itself, whatever other pages gave. Pages may be read
//! side by side and ahead of their turn; what becomes of what they give is decided in their order, by [`super`].

use goldminer_html::address::{CrawlUrl, Domain};
use goldminer_html::capture::ArchivePosition;
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

/// A stored page with everything that the extractor wants to know of it.
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
    /// Its learning unit.
    pub domain: Domain,
    /// Its URL, if it is known.
    pub url: Option<CrawlUrl>,
    /// Its path below the source, where it comes from files.
    pub path: Option<String>,
    /// Its file below the source, where it comes from files.
    pub file: Option<String>,
    /// The body, content coding removed.
    pub bytes: Vec<u8>,
    /// How many bytes were received, content coding and all.
    pub wire_bytes: u64,
    /// The value of `Content-Type`, if it is known.
    pub content_type: Option<String>,
    /// When it was fetched, if it is known.
    pub fetched: Option<jiff::Timestamp>,
    /// Its record, where it comes from an archive.
    pub position: Option<ArchivePosition>,
    /// The language that the source names.
    pub language: Option<String>,
    /// What the response and its host say of rights.
    pub signals: Vec<Signal>,
}

impl StoredPage {
    /// A page of which nothing more is known, received without content coding.
    pub fn new(domain: Domain, bytes: Vec<u8>) -> Self {
        Self {
            domain,
            url: None,
            path: None,
            file: None,
            wire_bytes: bytes.len() as u64,
            bytes,
            content_type: None,
            fetched: None,
            position: None,
            language: None,
            signals: Vec::new(),
        }
    }

    /// The decoded page.
    pub fn parse(&self) -> Page {
        Extractor::parse(&self.source(), Reading::Article)
    }

    /// The page as the extractor takes it.
    pub fn source(&self) -> SourcePage<'_> {
        SourcePage::new(&self.bytes, &self.domain)
            .with_content_type(self.content_type.as_deref())
            .with_url(self.url.as_ref())
            .with_path(self.path.as_deref())
            .with_file(self.file.as_deref())
            .with_fetched(self.fetched)
            .with_warc(self.position.as_ref())
            .with_declared_language(self.language.as_deref())
            .with_signals(&self.signals)
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
    /// Its document, or why it has none.
    pub gave: Result<Box<Document>, NoArticle>,
    /// How the profile fits it.
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
#[allow(clippy::exhaustive_enums, reason = "whoever drives the machine must know all of them")]
pub enum Fit {
    /// A template matches it.
    Covered,
    /// None does, though it looks like an article.
    Missed,
    /// It is no article, or nobody asked.
    None,
}

/// What [`DomainExtraction::take`](super::DomainExtraction::take) must know of a page that was read: all that may
/// decide on later pages.
///
/// ```
/// use goldminer_core::extract::domain::{Fit, PageOutcome, PageReading};
///
/// // The first page of a domain looks like an article, and its profile gives nothing: the portal may have changed.
/// let mut reading = PageReading::new(0, Err(PageOutcome::NoText));
/// reading.fit = Fit::Missed;
/// reading.teaches = true;
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PageReading {
    /// The page's number in its domain, from 0 without gaps.
    pub seq: u64,
    /// Its record, where it comes from an archive.
    pub position: Option<ArchivePosition>,
    /// Whether it is known to be article-like, so that it can teach.
    pub teaches: bool,
    /// The fingerprint of its document, or why it has none.
    pub gave: Result<Fingerprint, PageOutcome>,
    /// Why its document, if it has one, is not among those that are asked for.
    pub unwanted: Option<PageOutcome>,
    /// How the profile fits it.
    pub fit: Fit,
    /// Whether a wall has cut its article off.
    pub is_partial: bool,
}

impl PageReading {
    /// A page that gave this, of which nothing more is known.
    pub fn new(seq: u64, gave: Result<Fingerprint, PageOutcome>) -> Self {
        Self { seq, position: None, teaches: false, gave, unwanted: None, fit: Fit::None, is_partial: false }
    }

    /// What tallies count it under.
    pub(super) fn outcome(&self, fate: &PageDecision) -> PageOutcome {
        match fate {
            PageDecision::Emit { .. } if self.is_partial => PageOutcome::Partial,
            fate => fate.outcome(),
        }
    }
}

impl PageRead {
    /// Reads a page with the profiles that serve it: the first one with a template that matches decides. `watches` asks
    /// how they fit, which takes another look at pages that gave nothing.
    pub fn of(extractor: &Extractor, profiles: &ProfileSet, page: &StoredPage, watches: bool) -> Self {
        let source = page.source();
        let (gave, read) = profiles.extract_and_keep(extractor, &source);
        Self::fitted(gave, read.as_ref(), profiles, &source, watches)
    }

    /// The same of a page that [`Extractor::read`] made of the source, for whoever wants its links as well. Papers'
    /// systems that read pages in their own way take [`PageRead::of`].
    pub fn of_read(
        extractor: &Extractor,
        profiles: &ProfileSet,
        read: &Page,
        source: &SourcePage<'_>,
        watches: bool,
    ) -> Self {
        Self::fitted(profiles.extract_read(extractor, read, source), Some(read), profiles, source, watches)
    }

    fn fitted(
        gave: Result<Box<Document>, NoArticle>,
        read: Option<&Page>,
        profiles: &ProfileSet,
        source: &SourcePage<'_>,
        watches: bool,
    ) -> Self {
        let fit = match &gave {
            Ok(document) if document.provenance.method == Method::Goldminer => Fit::Covered,
            Ok(document) if watches && matches!(document.provenance.method, Method::Classifier | Method::Fallback) => {
                Fit::Missed
            }
            Err(NoArticle::NoPattern | NoArticle::Gallery | NoArticle::List | NoArticle::Stub)
                if watches && read.is_some_and(|read| looks_like_article(profiles, read, source)) =>
            {
                Fit::Missed
            }
            _ => Fit::None,
        };
        Self { gave, fit }
    }

    /// Reads a page to which its profiles give nothing with another one alone: why they give nothing, and the document
    /// that this one makes of it.
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

/// Whether a page to which the profiles gave nothing is like an article all the same. The extractor has asked this of
/// every page that no template matches; left are those that a profile passes over because they have no date of
/// publication.
fn looks_like_article(profiles: &ProfileSet, read: &Page, source: &SourcePage<'_>) -> bool {
    let mut candidates = profiles.candidates(source.domain, source.url, source.warc);
    candidates.retain(|profile| profile.templates.iter().any(|template| template.dated));
    candidates.iter().any(|profile| goldminer::looks_like_article(read, source.url, profile))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_that_was_read_for_its_links_gives_what_it_gives_by_itself() {
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
            assert_eq!((beside.gave, beside.fit), (alone.gave, alone.fit), "{html}");
        }
    }

    #[test]
    fn a_page_that_gives_something_by_itself_is_not_rescued() {
        let story = "<p>It rained all day in the town, and nobody who had an umbrella lent it to the others.".repeat(4);
        let html = format!("<nav><a href=/sport>Sport</a></nav><h1>Rain</h1><div class=story>{story}</div>");
        let page = StoredPage::new(Domain::named("portal.example"), html.into_bytes());
        let with: DomainProfile = "key = 'portal.example'\n[[template]]\nstart = 'div.story'\n".parse().unwrap();
        let rescued = PageRead::rescued(&Extractor::default(), &ProfileSet::default(), &page, &with);
        assert!(rescued.is_none(), "the classifier makes a document of it");
    }
}
