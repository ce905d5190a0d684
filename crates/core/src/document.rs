//! The output: a [`Document`] is one article as clean text, with metadata and a reference to its source.
//!
//! `extract` makes documents, `corpus` writes them. The serialised form is a line of the JSONL corpus. Its field
//! names are part of the stable interface.

mod confidence;
mod paragraph;

use goldminer_html::capture::{ArchivePosition, to_the_nanosecond};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::rights::Rights;
use crate::variant;

pub use confidence::Confidence;
pub use goldminer_html::ParagraphKind;
pub use paragraph::{CellSpan, DocumentParagraph, Item, ItemPart, Mark, MarkKind, Object, ObjectKind, Table};

/// One article: its text, its metadata, and a reference to its source.
///
/// ```
/// use goldminer_core::document::Document;
///
/// let line = r#"{"id":"7f","url":"http://portal.example/a","text":"Flood\n\nIt rained.","paragraphs":[
///     {"kind":"h","text":"Flood"},{"kind":"p","text":"It rained."}],"metadata":{"domain":"portal.example"},
///     "provenance":{"method":"goldminer","stoplist":"English","thresholds":"inside","program":"goldminer/0.2.0",
///     "page_digest":"0a","text_digest":"0b","simhash":"0c"}}"#;
/// let document: Document = serde_json::from_str(line)?;
/// assert_eq!(document.text, Document::join(&document.paragraphs));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Document {
    /// Stable over runs: the xxh3-128 hash, in hexadecimal, of the canonical URL; without a URL, of domain and path;
    /// without either, of the page's bytes.
    pub id: String,
    /// The canonical URL. For a page without a URL, its path below the source.
    pub url: String,
    /// The paragraphs joined by blank lines, without captions.
    pub text: String,
    /// The paragraphs with their kinds, in page order.
    pub paragraphs: Vec<DocumentParagraph>,
    /// Objects between the paragraphs that are not text (figures, embeds, rules), in page order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub objects: Vec<Object>,
    /// The version of the document model that the keys of the paragraphs follow: 1. None without structure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub structure: Option<u8>,
    /// The metadata of the article.
    pub metadata: Metadata,
    /// Where the document came from, and how it was made.
    pub provenance: Provenance,
    /// What the page, its response and its host say about the permitted use. Left out if none of them says anything.
    #[serde(default, skip_serializing_if = "Rights::is_empty")]
    pub rights: Rights,
}

impl Document {
    /// Joins paragraphs as in [`Document::text`], without captions.
    #[must_use]
    pub fn join(paragraphs: &[DocumentParagraph]) -> String {
        let mut text = String::with_capacity(paragraphs.iter().map(|p| p.text.len() + 2).sum());
        for paragraph in paragraphs.iter().filter(|paragraph| paragraph.kind != ParagraphKind::Caption) {
            if !text.is_empty() {
                text.push_str("\n\n");
            }
            text.push_str(&paragraph.text);
        }
        text
    }

    /// The number of words in the text, separated by white space.
    ///
    /// ```
    /// use goldminer_core::document::Document;
    ///
    /// let mut document = Document::default();
    /// document.text = "It rained.\n\nIt snowed.".to_owned();
    /// assert_eq!(document.words(), 4);
    /// ```
    #[must_use]
    pub fn words(&self) -> u64 {
        // White space is folded to blanks, tabs and line feeds, and there are no control characters.
        let begins = |(before, byte): &(&u8, &u8)| **before <= b' ' && **byte > b' ';
        let text = self.text.as_bytes();
        let inside = text.iter().zip(text.iter().skip(1)).filter(begins).count();
        (inside + usize::from(text.first().is_some_and(|first| *first > b' '))) as u64
    }

    /// Appends the document as a line of JSON, with the line end.
    ///
    /// ```
    /// use goldminer_core::document::Document;
    ///
    /// let mut document = Document::default();
    /// document.text = "It rained.".to_owned();
    /// let mut lines = Vec::new();
    /// document.append_json_line(&mut lines);
    /// assert!(lines.ends_with(b"\n"));
    /// assert_eq!(serde_json::from_slice::<Document>(&lines)?, document);
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn append_json_line(&self, lines: &mut Vec<u8>) {
        serde_json::to_writer(&mut *lines, self).expect("a document is always JSON");
        lines.push(b'\n');
    }
}

/// The metadata of an article. Every key is always written, as `null` or `[]` if nothing is known: some readers take
/// the columns from the first lines of a file.
///
/// ```
/// use goldminer_core::page::Page;
///
/// let page = Page::parse("<meta property=article:published_time content=2026-11-20><h1>Flood in Győr</h1>".to_owned());
/// assert_eq!(goldminer_core::metadata::of_page(&page, None).published.as_deref(), Some("2026-11-20"));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Metadata {
    /// The learning unit: the registrable domain, or the name of the folder.
    pub domain: String,
    /// The host's name.
    pub host: Option<String>,
    /// The headline.
    pub title: Option<String>,
    /// The authors, in the order in which the page names them.
    #[serde(default)]
    pub authors: Vec<String>,
    /// When the article was published, as precisely as the page says: `2026-11-20` or `2026-11-20T09:15:00+01:00`.
    /// Never guessed from the fetch.
    pub published: Option<String>,
    /// When the article was last changed, in the same forms.
    pub modified: Option<String>,
    /// When the page was fetched, always written to the nanosecond, so that readers that guess types always guess the
    /// same.
    #[serde(serialize_with = "to_the_nanosecond")]
    pub fetched: Option<Timestamp>,
    /// The detected language of the text, as a BCP 47 primary subtag (`hu`).
    pub language: Option<String>,
    /// The site's name for itself.
    pub site_name: Option<String>,
    /// The section of the site that the article is in.
    pub section: Option<String>,
    /// The canonical URL that the page names.
    pub canonical: Option<String>,
    /// Whether a paywall cuts the article off. None if the article is complete, as far as can be determined.
    #[serde(default)]
    pub access: Option<Access>,
    /// Where on the page title, authors, dates and so on were found.
    #[serde(default)]
    pub sources: MetadataSources,
}

/// How much of an article its page shows.
///
/// ```
/// use goldminer_core::document::Access;
///
/// assert_eq!(Access::Partial.as_str(), "partial");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Access {
    /// Only its beginning: a call to subscribe follows, or the page says that it is not free and has hardly any text.
    Partial,
}

impl Access {
    /// The name, as documents have it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        variant::name(&self)
    }
}

/// The sources of an article's metadata. A source is none if nothing was found, or if version 0.1.0 wrote the
/// document.
///
/// ```
/// use goldminer_core::document::MetadataSource;
/// use goldminer_core::page::Page;
///
/// let page = Page::parse("<title>Flood</title><time datetime=2026-11-20>Friday</time>".to_owned());
/// let sources = goldminer_core::metadata::of_page(&page, None).sources;
/// assert_eq!(sources.published, Some(MetadataSource::Time));
/// assert_eq!(sources.authors, None);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct MetadataSources {
    /// The source of [`Metadata::title`].
    pub title: Option<MetadataSource>,
    /// The source of [`Metadata::authors`].
    pub authors: Option<MetadataSource>,
    /// The source of [`Metadata::published`].
    pub published: Option<MetadataSource>,
    /// The source of [`Metadata::modified`].
    pub modified: Option<MetadataSource>,
    /// The source of [`Metadata::site_name`].
    pub site_name: Option<MetadataSource>,
    /// The source of [`Metadata::section`].
    pub section: Option<MetadataSource>,
    /// The source of [`Metadata::canonical`].
    pub canonical: Option<MetadataSource>,
}

/// A source of metadata: a part of the page, or its address.
///
/// ```
/// use goldminer_core::document::MetadataSource;
///
/// assert_eq!(MetadataSource::JsonLd.as_str(), "json-ld");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum MetadataSource {
    /// JSON-LD: `<script type="application/ld+json">`.
    JsonLd,
    /// OpenGraph, Dublin Core and other `<meta>` elements.
    Meta,
    /// Microdata: `itemprop`.
    Microdata,
    /// RDFa: `property`.
    Rdfa,
    /// A `<time>` element.
    Time,
    /// A visible line of the page: byline, date line, headline.
    Text,
    /// The `<title>` element.
    Title,
    /// A `<link>` element.
    Link,
    /// The address of the page.
    Url,
}

impl MetadataSource {
    /// The name of the source, as documents have it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        variant::name(&self)
    }
}

/// How a document was made: enough to find its page again and repeat the extraction. Every key is always written.
///
/// ```
/// use goldminer_core::document::{Method, Provenance};
///
/// let provenance: Provenance = serde_json::from_str(
///     r#"{"method":"fallback","stoplist":"none","thresholds":"inside","program":"goldminer/0.2.0",
///     "page_digest":"0a","text_digest":"0b","simhash":"0c"}"#,
/// )?;
/// assert_eq!(provenance.method, Method::Fallback);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Provenance {
    /// The algorithm that decided what is text.
    pub method: Method,
    /// The profile used, if one was.
    pub profile: Option<ProfileUse>,
    /// The name of the stoplist, or `none` if there is none for the language (then the rules use no stoplist).
    pub stoplist: String,
    /// The set of thresholds. `jusText`: those of Pomikálek. `inside`: permissive ones, inside a cut.
    /// `inside, article`: the cut was learned from few pages, and the classifier was used as well. Other methods give
    /// their parameters (the classifier its convention).
    pub thresholds: String,
    /// The F score that the classifier expects for the text, in thousandths. None if the classifier was not used.
    pub score: Option<u16>,
    /// The probability that the document is whole and clean, that is, has an F of at least .95 against a gold text.
    /// None for the convention `page`, for other algorithms (jusText, GoldMiner as published), and in documents of
    /// older versions.
    #[serde(default)]
    pub confidence: Option<Confidence>,
    /// The name and version of the program.
    pub program: String,
    /// The WARC record of the page.
    pub warc: Option<ArchivePosition>,
    /// The blake3 hash of the page's bytes without content coding: its first 16 bytes, in hexadecimal.
    pub page_digest: String,
    /// The blake3 hash of the letters and digits of [`Document::text`] in lower case: its first 16 bytes, in
    /// hexadecimal. Equal for one article at two URLs.
    pub text_digest: String,
    /// The 64-bit simhash of the text's word shingles, in hexadecimal.
    pub simhash: String,
    /// How many paragraphs were left out because earlier documents contain them (Onion).
    #[serde(default)]
    pub dropped_duplicates: u32,
    /// The id of an earlier document of the domain whose simhash differs in at most three bits.
    pub near_duplicate_of: Option<String>,
    /// The file of the page below its source, if the source is a tree of files.
    #[serde(default)]
    pub file: Option<String>,
    /// True if only the beginning of the page was read: it is longer than the limit
    /// ([`CodingLimits`](goldminer_html::capture::coding::CodingLimits)), or its record is truncated.
    #[serde(default)]
    pub truncated: Option<bool>,
}

/// The template that cut out an article.
///
/// ```
/// use goldminer_core::document::ProfileUse;
///
/// let used: ProfileUse = serde_json::from_str(r#"{"key":"portal.example","version":2,"template":0}"#)?;
/// assert_eq!(used.version, 2);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ProfileUse {
    /// The profile's key: domain, host, or host and path prefix.
    pub key: String,
    /// The profile's version, from 1.
    pub version: u32,
    /// The number of the template that matched, from 0.
    pub template: u32,
}

impl ProfileUse {
    /// A template of a version of a profile.
    #[must_use]
    pub fn new(key: impl Into<String>, version: u32, template: u32) -> Self {
        Self { key: key.into(), version, template }
    }
}

/// The method that extracted the text.
///
/// ```
/// use goldminer_core::document::Method;
///
/// assert_eq!(Method::Goldminer.as_str(), "goldminer");
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Method {
    /// The domain's profile cuts out the article; then jusText with permissive thresholds.
    #[default]
    Goldminer,
    /// GoldMiner as published (Endrédy & Novák 2013).
    #[serde(rename = "goldminer-2013")]
    Goldminer2013,
    /// jusText and the structure of the page, if neither profile nor classifier gave text. Only in documents of older
    /// versions.
    Fallback,
    /// The classifier of single pages.
    Classifier,
    /// The article from the page's data (JSON-LD, or the state of its program), if its HTML gives no text. No script is
    /// run.
    PageData,
    /// jusText on the whole page, as published.
    Justext,
    /// All visible text.
    AllText,
    /// Body Text Extraction (Finn, Kushmerick & Smyth).
    Bte,
    /// Boilerpipe (Kohlschütter, Fankhauser & Nejdl).
    Boilerpipe,
    /// Boilerpipe and the HTML tree (Viveros-Jiménez et al.).
    BoilerpipeTree,
    /// NCleaner (Evert).
    Ncleaner,
}

impl Method {
    /// The name of the method, as documents have it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        variant::name(&self)
    }
}
