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
    /// An identifier that stays the same in later runs: the xxh3-128 hash, in hexadecimal, of `url`. For a page without
    /// a URL, the hash of its domain and path; without a path, of the page's bytes.
    pub id: String,
    /// The URL of the page, in the canonical form of `CrawlUrl`. For a page without a URL, its path in the input.
    pub url: String,
    /// The paragraphs joined by blank lines, without captions.
    pub text: String,
    /// The paragraphs with their kinds, in page order.
    pub paragraphs: Vec<DocumentParagraph>,
    /// Objects between the paragraphs that are not text (figures, embeds, horizontal rules), in page order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub objects: Vec<Object>,
    /// The version of the document model, on which the keys of paragraphs depend: 1. None without these keys.
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
        // White space in a text is only blanks, tabs and line feeds.
        self.text.split_ascii_whitespace().count() as u64
    }

    /// Appends the document to `lines` as one line of JSON, with a line feed at the end.
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

/// The metadata of an article. Every key is always written, as `null` or `[]` if nothing is known: some programs take
/// the list of columns from the first lines of a file.
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
    /// The registrable domain of the page, such as `portal.example`. For a folder of files, the folder's name.
    pub domain: String,
    /// The name of the page's host, such as `www.portal.example`. None for a page without a URL.
    pub host: Option<String>,
    /// The headline of the article.
    pub title: Option<String>,
    /// The authors, in the order in which the page names them.
    #[serde(default)]
    pub authors: Vec<String>,
    /// When the article was published, as precisely as the page says: `2026-11-20` or `2026-11-20T09:15:00+01:00`.
    /// Never guessed from the fetch.
    pub published: Option<String>,
    /// When the article was last changed, in the same forms as `published`.
    pub modified: Option<String>,
    /// When the page was fetched. It is always written with nanoseconds, so that programs that guess types from the
    /// data always guess the same type.
    #[serde(serialize_with = "to_the_nanosecond")]
    pub fetched: Option<Timestamp>,
    /// The detected language of the text, as a BCP 47 primary subtag (`hu`).
    pub language: Option<String>,
    /// The name that the site gives itself.
    pub site_name: Option<String>,
    /// The section of the site that the article is in.
    pub section: Option<String>,
    /// The URL that the page declares as its canonical URL.
    pub canonical: Option<String>,
    /// Whether a paywall cuts the article off. None if the article is complete, as far as can be determined.
    #[serde(default)]
    pub access: Option<Access>,
    /// Where on the page title, authors, dates and so on were found.
    #[serde(default)]
    pub sources: MetadataSources,
}

/// How much of an article is on its page.
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
    /// The page shows only the beginning: a call to subscribe follows, or the page declares that it is not free and has
    /// hardly any text.
    Partial,
}

impl Access {
    /// The name of the value, as written in documents.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        variant::name(&self)
    }
}

/// The sources of an article's metadata. A source is None if nothing was found, or if version 0.1.0 wrote the document.
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

/// A source of metadata: a part of the page, or its URL.
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
    /// The URL of the page.
    Url,
}

impl MetadataSource {
    /// The name of the source, as written in documents.
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
    /// The profile and template that cut the page. None if no profile was used.
    pub profile: Option<ProfileUse>,
    /// The name of the stoplist (a language's frequent words) that jusText used; `none` if it used no stoplist.
    pub stoplist: String,
    /// The thresholds of jusText. `jusText`: those of its author. `inside`: lenient ones, for the part of a page that a
    /// profile cuts out. `own`: other ones. `inside, article` is only in documents of older versions. Other methods
    /// write their parameters here, and the classifier its convention.
    pub thresholds: String,
    /// The F-score that the classifier expects for the text, in thousandths. None if the classifier was not used.
    pub score: Option<u16>,
    /// The probability that the document is whole and clean: that its F-score against a gold text (made by a person) is
    /// at least .95. None for the convention `page`, for other algorithms (jusText, GoldMiner as published), and in
    /// documents of older versions.
    #[serde(default)]
    pub confidence: Option<Confidence>,
    /// The name and version of the program.
    pub program: String,
    /// The position of the page's WARC record. None for a page that is not from an archive.
    pub warc: Option<ArchivePosition>,
    /// The blake3 hash of the page's decompressed bytes: its first 16 bytes, in hexadecimal.
    pub page_digest: String,
    /// The blake3 hash of the letters and digits of [`Document::text`] in lower case: its first 16 bytes, in
    /// hexadecimal. Documents with the same text have the same digest, whatever their URLs.
    pub text_digest: String,
    /// The 64-bit simhash of the text's word shingles, in hexadecimal.
    pub simhash: String,
    /// How many paragraphs were left out because earlier documents contain them (the method of the tool Onion).
    #[serde(default)]
    pub dropped_duplicates: u32,
    /// The id of an earlier document of the domain whose simhash differs in at most three bits.
    pub near_duplicate_of: Option<String>,
    /// The path of the page's file in the input. None if the input is not a folder of files.
    #[serde(default)]
    pub file: Option<String>,
    /// True if only the beginning of the page was read: the page is longer than the limit
    /// ([`CodingLimits`](goldminer_html::capture::coding::CodingLimits)), or its WARC record is truncated.
    #[serde(default)]
    pub truncated: Option<bool>,
}

/// The profile and the template with which an article was cut out of its page.
///
/// ```
/// use goldminer_core::document::ProfileUse;
///
/// let used: ProfileUse = serde_json::from_str(r#"{"key":"portal.example","version":2,"template":0}"#)?;
/// assert_eq!(used.version, 2);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[allow(clippy::exhaustive_structs, reason = "these three name a template")]
pub struct ProfileUse {
    /// The profile's key: domain, host, or host and path prefix.
    pub key: String,
    /// The profile's version, from 1.
    pub version: u32,
    /// The number of the template that matched, from 0.
    pub template: u32,
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
    /// The domain's profile cuts out the article. jusText with lenient thresholds then removes boilerplate from it.
    #[default]
    Goldminer,
    /// GoldMiner as published (Endrédy & Novák 2013).
    #[serde(rename = "goldminer-2013")]
    Goldminer2013,
    /// jusText and the structure of the page, if neither profile nor classifier gave text. Only in documents of older
    /// versions of the program.
    Fallback,
    /// The classifier, which decides from the page alone.
    Classifier,
    /// The article is from JSON in the page's scripts (JSON-LD, or the page's initial state), because the HTML gives no
    /// text. No script is run.
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
    /// The name of the method, as written in documents.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        variant::name(&self)
    }
}
