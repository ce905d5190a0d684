//! The library's front door: from a [`SourcePage`] to an [`Extraction`], a document or the reason why there is none.
//!
//! Joins the pure modules: decoding and outline (`page`), jusText, GoldMiner's cut by the domain's profile, or the
//! fallback where there is no profile, or a [`Baseline`] over the whole page; then metadata, digests, provenance. The
//! same input gives the same output, always: there is no clock and no state but the configuration.

mod digest;
pub mod domain;
mod judged;
mod prose;
mod whole_page;

use std::sync::Arc;

use jiff::Timestamp;

use crate::address::{AddressError, CrawlUrl, Domain};
use crate::baseline::Baseline;
use crate::capture::ArchivePosition;
use crate::document::{
    Document, DocumentParagraph, Metadata, MetadataSource, Method, ParagraphKind, ProfileUse, Provenance,
};
use crate::goldminer::profile::DomainProfile;
use crate::goldminer::trim::{self, NoCut, Trimmed};
use crate::goldminer::{self, PROGRAM, published};
use crate::judge::{Convention, Judge};
use crate::page::{Page, Reading, encoding};

use digest::Letters;
pub use whole_page::keep;

/// A page as it came, with what is known about it.
#[derive(Debug, Clone, Copy)]
pub struct SourcePage<'a> {
    /// The body without content coding.
    pub bytes: &'a [u8],
    /// The value of the header `Content-Type`.
    pub content_type: Option<&'a str>,
    /// Where it came from.
    pub url: Option<&'a CrawlUrl>,
    /// Where it lies below its source, for pages without a URL.
    pub path: Option<&'a str>,
    /// The learning unit.
    pub domain: &'a Domain,
    /// When it was fetched.
    pub fetched: Option<Timestamp>,
    /// Its record in the archive.
    pub warc: Option<&'a ArchivePosition>,
    /// The language that its source declares (BCP 47), used where detection fails.
    pub declared_language: Option<&'a str>,
}

impl<'a> SourcePage<'a> {
    /// A page of which nothing more is known.
    #[must_use]
    pub fn new(bytes: &'a [u8], domain: &'a Domain) -> Self {
        Self {
            bytes,
            content_type: None,
            url: None,
            path: None,
            domain,
            fetched: None,
            warc: None,
            declared_language: None,
        }
    }
}

/// What decides what is text.
#[derive(Debug, Clone, Default)]
pub enum Algorithm {
    /// The profile of the domain; where there is none, the fallback.
    #[default]
    Goldminer,
    /// GoldMiner as published; jusText where there is no profile.
    Goldminer2013,
    /// The page alone: the judge, where the page is an article.
    Fallback,
    /// The judge of single pages.
    Judge(Arc<Judge>),
    /// One of the papers' other systems.
    Baseline(Baseline),
}

/// How to extract.
#[derive(Debug, Clone)]
pub struct ExtractorConfig {
    /// The algorithm.
    pub algorithm: Algorithm,
    /// Who judges pages that no profile cuts.
    pub judge: Arc<Judge>,
}

impl Default for ExtractorConfig {
    fn default() -> Self {
        Self { algorithm: Algorithm::default(), judge: Judge::of(Convention::Article) }
    }
}

/// What came of a page.
#[derive(Debug, Clone, PartialEq)]
pub enum Extraction {
    /// An article.
    Document(Box<Document>),
    /// NoCut to keep.
    NoArticle(NoArticle),
}

/// Why a page gave no text. Its name in tallies is that of the [`domain::PageOutcome`].
///
/// ```
/// use goldminer_core::{ExtractError, NoArticle, ProfileSet};
///
/// let error = ProfileSet::default().extract("<a href=/>Home</a>", "http://portal.example/").unwrap_err();
/// assert_eq!(error, ExtractError::NoArticle(NoArticle::NoText));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum NoArticle {
    /// No template of the profile matches.
    #[error("no template of the domain's profile matches the page, and it does not look like an article")]
    NoPattern,
    /// Nothing in it is good text.
    #[error("nothing on the page is running text")]
    NoText,
    /// It is no HTML.
    #[error("it is no HTML")]
    NotHtml,
    /// Earlier documents have all of its text.
    #[error("earlier documents have all of its text")]
    Seen,
    /// What it has for a text is no prose in any language: one character over and over, a dump of bytes.
    #[error("what it has for a text is no prose in any language")]
    NoProse,
}

/// Why [`ProfileSet::extract`](domain::ProfileSet::extract) gave no document.
///
/// ```
/// use goldminer_core::{ExtractError, ProfileSet};
///
/// let error = ProfileSet::default().extract("<p>It rained.", "portal.example").unwrap_err();
/// assert!(matches!(error, ExtractError::Address(_)));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ExtractError {
    /// The URL is none.
    #[error(transparent)]
    Address(#[from] AddressError),
    /// The page gives no text.
    #[error(transparent)]
    NoArticle(#[from] NoArticle),
}

/// What of a page is its article.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cut {
    /// What decided: the profile, or the page alone.
    pub method: Method,
    /// What is left, or why nothing is.
    pub trimmed: Result<Trimmed, NoCut>,
    /// How good the judge expects it to be, in thousandths, where it decided.
    pub score: Option<u16>,
}

/// Extracts documents by one configuration.
#[derive(Debug, Clone, Default)]
pub struct Extractor {
    config: ExtractorConfig,
}

impl Extractor {
    /// An extractor.
    #[must_use]
    pub fn new(config: ExtractorConfig) -> Self {
        Self { config }
    }

    /// Reads a page as [`Learner::add`] and `extract` see it; nothing if it is no HTML.
    #[must_use]
    pub fn read(source: &SourcePage<'_>) -> Option<Page> {
        Self::read_as(source, Reading::Article)
    }

    fn read_as(source: &SourcePage<'_>, reading: Reading) -> Option<Page> {
        let is_html = memchr::memchr(b'<', source.bytes).is_some() && !is_feed(source.bytes);
        let decode = || encoding::decode_from(source.bytes, source.content_type, source.url.map(CrawlUrl::host_name));
        is_html.then(|| Page::parse_as(decode().text.into_owned(), reading))
    }

    /// Whether profiles make a difference.
    #[must_use]
    pub fn uses_profiles(&self) -> bool {
        matches!(self.config.algorithm, Algorithm::Goldminer | Algorithm::Goldminer2013)
    }

    /// Whether profiles are learned and used as published.
    #[must_use]
    pub fn is_published(&self) -> bool {
        matches!(self.config.algorithm, Algorithm::Goldminer2013)
    }

    /// Extracts a page's article.
    #[must_use]
    pub fn extract(&self, source: &SourcePage<'_>, profile: Option<&DomainProfile>) -> Extraction {
        if let Algorithm::Baseline(baseline) = &self.config.algorithm {
            return whole_page::extract(source, baseline);
        }
        if matches!(self.config.algorithm, Algorithm::Goldminer2013) && profile.is_none() {
            return whole_page::extract(source, &Baseline::Justext(Box::default()));
        }
        match Self::read(source) {
            Some(page) => self.extract_read(&page, source, profile),
            None => Extraction::NoArticle(NoArticle::NotHtml),
        }
    }

    /// Extracts the article of a page that [`Extractor::read`] made of the source, for whoever wants its links as well.
    /// Papers' systems that read pages in their own way take [`Extractor::extract`].
    #[must_use]
    pub fn extract_read(&self, page: &Page, source: &SourcePage<'_>, profile: Option<&DomainProfile>) -> Extraction {
        if let (Algorithm::Goldminer2013, Some(profile)) = (&self.config.algorithm, profile) {
            return published(page, source, profile);
        }
        let Cut { method, trimmed, score } = self.cut(page, source, profile);
        let Ok(cut) = trimmed else {
            let why = if method == Method::Goldminer { NoArticle::NoPattern } else { NoArticle::NoText };
            return Extraction::NoArticle(why);
        };
        let profile = profile.filter(|_| method == Method::Goldminer).map(|profile| ProfileUse {
            key: profile.key.clone(),
            version: profile.version,
            template: cut.template as u32,
        });
        let text = Text {
            paragraphs: paragraphs(page, &cut),
            headline: cut.headline.map(|at| page.paragraphs()[at].text.to_string()),
            language: cut.language,
            method,
            profile,
            stoplist: cut.stoplist.to_owned(),
            thresholds: match method {
                Method::Judge => self.judge().convention().as_str().to_owned(),
                _ => "inside".to_owned(),
            },
            score,
        };
        let document = document(source, page, text);
        if prose::is_none(&document.text) {
            return Extraction::NoArticle(NoArticle::NoProse);
        }
        Extraction::Document(Box::new(document))
    }

    /// What of a page is its article, by the profile or without one: the step of [`Extractor::extract`] that people want
    /// to look at. `page` is what [`Extractor::read`] made of the source.
    #[must_use]
    pub fn cut(&self, page: &Page, source: &SourcePage<'_>, profile: Option<&DomainProfile>) -> Cut {
        let whole = || self.cut_alone(page, source);
        let Some(profile) = profile.filter(|_| self.uses_profiles()) else { return whole() };
        match trim::trim(page, source.url, source.declared_language, profile) {
            Err(NoCut::NoMatch | NoCut::NoText) if goldminer::looks_like_article(page, source.url, profile) => whole(),
            trimmed => Cut { method: Method::Goldminer, trimmed, score: None },
        }
    }

    /// What of a page is its article, by itself.
    fn cut_alone(&self, page: &Page, source: &SourcePage<'_>) -> Cut {
        match &self.config.algorithm {
            Algorithm::Judge(judge) => judged::cut(page, source, judge),
            _ => judged::article(page, source, &self.config.judge),
        }
    }

    /// The judge of pages that no profile cuts.
    fn judge(&self) -> &Judge {
        match &self.config.algorithm {
            Algorithm::Judge(judge) => judge,
            _ => &self.config.judge,
        }
    }
}

/// GoldMiner as published: no start of a pattern on the page, no text.
fn published(page: &Page, source: &SourcePage<'_>, profile: &DomainProfile) -> Extraction {
    let Some(cut) = published::trim(page, source.declared_language, profile) else {
        return Extraction::NoArticle(NoArticle::NoPattern);
    };
    if cut.paragraphs.is_empty() {
        return Extraction::NoArticle(NoArticle::NoText);
    }
    let paragraphs = cut.paragraphs.iter().map(|at| &page.paragraphs()[*at]);
    let text = Text {
        paragraphs: paragraphs
            .map(|paragraph| DocumentParagraph { kind: page.kind(paragraph), text: paragraph.text.to_string() })
            .collect(),
        headline: None,
        language: cut.language,
        method: Method::Goldminer2013,
        profile: Some(ProfileUse { key: profile.key.clone(), version: profile.version, template: cut.template as u32 }),
        stoplist: cut.stoplist.to_owned(),
        thresholds: "inside".to_owned(),
        score: None,
    };
    Extraction::Document(Box::new(document(source, page, text)))
}

/// Whether a feed, a sitemap or other XML that is no page.
fn is_feed(bytes: &[u8]) -> bool {
    // `<!doctype` and `<html`, as nearly all pages.
    if matches!(bytes.trim_ascii_start(), [b'<', b'!' | b'h' | b'H', ..]) {
        return false;
    }
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(1_024)]).to_ascii_lowercase();
    let head = head.trim_start_matches('\u{feff}').trim_start();
    let begins = |name: &&str| head.starts_with(*name);
    let names = ["<rss", "<feed", "<rdf:rdf", "<urlset", "<sitemapindex"];
    names.iter().any(begins) || (head.starts_with("<?xml") && names.iter().any(|name| head.contains(name)))
}

fn paragraphs(page: &Page, cut: &Trimmed) -> Vec<DocumentParagraph> {
    let kept = cut.paragraphs.iter().map(|at| {
        let paragraph = &page.paragraphs()[*at];
        let kind = if cut.headline == Some(*at) { ParagraphKind::Heading } else { page.kind(paragraph) };
        DocumentParagraph { kind, text: paragraph.text.to_string() }
    });
    kept.collect()
}

/// What was taken for text, and how.
struct Text {
    paragraphs: Vec<DocumentParagraph>,
    headline: Option<String>,
    language: Option<String>,
    method: Method,
    profile: Option<ProfileUse>,
    stoplist: String,
    thresholds: String,
    score: Option<u16>,
}

fn document(source: &SourcePage<'_>, page: &Page, made: Text) -> Document {
    let text = Document::join(&made.paragraphs);
    let letters = Letters::of(&text);
    let url = source.url.map_or_else(|| source.path.unwrap_or_default().to_owned(), |url| url.as_str().to_owned());
    let mut told = page.metadata(source.url);
    if told.title.is_none() && made.headline.is_some() {
        told.title = made.headline;
        told.sources.title = Some(MetadataSource::Text);
    }
    Document {
        id: digest::id(source.url, source.domain, source.path),
        url,
        metadata: Metadata {
            domain: source.domain.as_str().to_owned(),
            host: source.url.map(|url| url.host_name().to_owned()),
            fetched: source.fetched,
            language: made.language,
            ..told
        },
        provenance: Provenance {
            method: made.method,
            profile: made.profile,
            stoplist: made.stoplist,
            thresholds: made.thresholds,
            score: made.score,
            program: PROGRAM.to_owned(),
            warc: source.warc.cloned(),
            page_digest: digest::of_bytes(source.bytes),
            text_digest: letters.digest(),
            simhash: letters.simhash(),
            dropped_duplicates: 0,
            near_duplicate_of: None,
        },
        text,
        paragraphs: made.paragraphs,
    }
}
