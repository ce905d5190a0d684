//! The library's front door: from a [`SourcePage`] to an [`Extraction`], a document or the reason why there is none.
//!
//! Joins the pure modules: decoding and outline (`page`), jusText, GoldMiner's cut by the domain's profile, or the
//! fallback where there is no profile; then metadata, digests, provenance. The same input gives the same output, always:
//! there is no clock and no state but the configuration.

mod digest;

use jiff::Timestamp;

use crate::address::{CrawlUrl, Domain};
use crate::capture::ArchivePosition;
use crate::document::{Document, DocumentParagraph, Metadata, Method, ParagraphKind, ProfileUse, Provenance};
use crate::goldminer::learner::{Learner, LearnerConfig};
use crate::goldminer::profile::DomainProfile;
use crate::goldminer::silver::{self, Judged};
use crate::goldminer::trim::{self, Fate, Nothing, Trimmed};
use crate::goldminer::{self, PROGRAM};
use crate::justext::Class;
use crate::page::{Page, Tag, encoding};

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

/// How to extract.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExtractorConfig {
    /// The algorithm. [`Method::Goldminer`] falls back to [`Method::Fallback`] where there is no profile.
    pub method: Method,
    /// Texts shorter than this are no article, in characters (Han and kana count for three).
    pub min_text: usize,
}

impl Default for ExtractorConfig {
    fn default() -> Self {
        Self { method: Method::Goldminer, min_text: 1 }
    }
}

/// What came of a page.
#[derive(Debug, Clone, PartialEq)]
pub enum Extraction {
    /// An article.
    Document(Box<Document>),
    /// Nothing to keep.
    NoArticle(NoArticle),
}

/// Why a page gave no text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NoArticle {
    /// No template of the profile matches.
    NoPattern,
    /// Nothing in it is good text.
    NoText,
    /// It is no HTML.
    NotHtml,
}

impl NoArticle {
    /// A word for tallies.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::NoPattern => "no-pattern",
            Self::NoText => "no-text",
            Self::NotHtml => "not-html",
        }
    }
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
        let is_html = memchr::memchr(b'<', source.bytes).is_some() && !is_feed(source.bytes);
        let decode = || encoding::decode_from(source.bytes, source.content_type, source.url.map(CrawlUrl::host_name));
        is_html.then(|| Page::parse(decode().text.into_owned()))
    }

    /// Extracts a page's article.
    #[must_use]
    pub fn extract(&self, source: &SourcePage<'_>, profile: Option<&DomainProfile>) -> Extraction {
        let Some(page) = Self::read(source) else { return Extraction::NoArticle(NoArticle::NotHtml) };
        let (method, cut) = match (self.config.method, profile) {
            (Method::Goldminer, Some(profile)) => {
                match trim::trim(&page, source.url, source.declared_language, profile) {
                    Err(Nothing::NoMatch) if goldminer::teaches(&page, source.url) => {
                        (Method::Fallback, fallback(&page, source))
                    }
                    cut => (Method::Goldminer, cut.ok()),
                }
            }
            (Method::Goldminer | Method::Fallback, _) => (Method::Fallback, fallback(&page, source)),
            (Method::Justext, _) => (Method::Justext, good_text(&silver::judge(&page, source.declared_language))),
        };
        let Some(cut) = cut else {
            let why = if method == Method::Goldminer { NoArticle::NoPattern } else { NoArticle::NoText };
            return Extraction::NoArticle(why);
        };
        let paragraphs = paragraphs(&page, &cut);
        let profile_use = profile.filter(|_| method == Method::Goldminer).map(|profile| ProfileUse {
            key: profile.key.clone(),
            version: profile.version,
            template: cut.template as u32,
        });
        Extraction::Document(Box::new(document(source, &page, &cut, paragraphs, method, profile_use)))
    }
}

/// Whether a feed, a sitemap or other XML that is no page.
fn is_feed(bytes: &[u8]) -> bool {
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(1_024)]).to_ascii_lowercase();
    let head = head.trim_start_matches('\u{feff}').trim_start();
    let begins = |name: &&str| head.starts_with(*name);
    let names = ["<rss", "<feed", "<rdf:rdf", "<urlset", "<sitemapindex"];
    names.iter().any(begins) || (head.starts_with("<?xml") && names.iter().any(|name| head.contains(name)))
}

/// Learns from the page alone, and takes jusText's good text where even that fails.
fn fallback(page: &Page, source: &SourcePage<'_>) -> Option<Trimmed> {
    let judged = silver::judge_leniently(page, source.declared_language);
    let mut learner = Learner::new(source.domain.clone(), LearnerConfig { sample: 1, ..LearnerConfig::default() });
    learner.add_judged(page, source.url, &judged);
    let profile = learner.learn().profile;
    let cut = profile.and_then(|profile| trim::trim(page, source.url, source.declared_language, &profile).ok());
    cut.or_else(|| good_text(&judged))
}

fn good_text(judged: &Judged) -> Option<Trimmed> {
    let good: Vec<usize> = (0..judged.classes.len()).filter(|at| judged.classes[*at] == Class::Good).collect();
    let fate = |class: &Class| if *class == Class::Good { Fate::Kept } else { Fate::Outside };
    (!good.is_empty()).then_some(Trimmed {
        template: 0,
        paragraphs: good,
        headline: None,
        stoplist: judged.stoplist,
        language: judged.language.clone(),
        scope: 0..judged.classes.len(),
        fates: judged.classes.iter().map(fate).collect(),
    })
}

fn paragraphs(page: &Page, cut: &Trimmed) -> Vec<DocumentParagraph> {
    let kept = cut.paragraphs.iter().map(|at| {
        let paragraph = &page.paragraphs()[*at];
        let is_heading = paragraph.heading.is_some() || cut.headline == Some(*at);
        let is_item = || {
            paragraph.element.is_some_and(|id| {
                page.ancestors_and_self(id).any(|id| matches!(page.element(id).tag, Tag::Li | Tag::Dd | Tag::Dt))
            })
        };
        let kind = match () {
            () if is_heading => ParagraphKind::Heading,
            () if is_item() => ParagraphKind::ListItem,
            () => ParagraphKind::Paragraph,
        };
        DocumentParagraph { kind, text: paragraph.text.to_string() }
    });
    kept.collect()
}

fn document(
    source: &SourcePage<'_>,
    page: &Page,
    cut: &Trimmed,
    paragraphs: Vec<DocumentParagraph>,
    method: Method,
    profile: Option<ProfileUse>,
) -> Document {
    let text = Document::join(&paragraphs);
    let url = source.url.map_or_else(|| source.path.unwrap_or_default().to_owned(), |url| url.as_str().to_owned());
    let told = page.metadata(source.url);
    let headline = cut.headline.map(|at| page.paragraphs()[at].text.to_string());
    Document {
        id: digest::id(source.url, source.domain, source.path),
        url,
        metadata: Metadata {
            domain: source.domain.as_str().to_owned(),
            host: source.url.map(|url| url.host_name().to_owned()),
            title: told.title.clone().or(headline),
            fetched: source.fetched,
            language: cut.language.clone(),
            ..told
        },
        provenance: Provenance {
            method,
            profile,
            stoplist: cut.stoplist.to_owned(),
            thresholds: if method == Method::Justext { "jusText" } else { "inside" }.to_owned(),
            program: PROGRAM.to_owned(),
            warc: source.warc.cloned(),
            page_digest: digest::of_bytes(source.bytes),
            text_digest: digest::of_text(&text),
            simhash: format!("{:016x}", digest::simhash(&text)),
            near_duplicate_of: None,
        },
        text,
        paragraphs,
    }
}
