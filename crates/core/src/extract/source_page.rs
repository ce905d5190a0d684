//! The input of extraction: the bytes of a page, and what else is known about it.

use goldminer_html::address::{CrawlUrl, Domain};
use goldminer_html::capture::ArchivePosition;
use goldminer_html::capture::coding::CodingLimits;
use jiff::Timestamp;

use crate::rights::Signal;

/// A page as it was received, with its URL, headers and position in the archive.
///
/// ```
/// use goldminer_core::address::CrawlUrl;
/// use goldminer_core::extract::{Extractor, SourcePage};
///
/// // A Hungarian page whose encoding only the header declares.
/// let url = CrawlUrl::parse("http://portal.example/hirek/1")?;
/// let domain = url.domain();
/// let source = SourcePage::new(b"<p>Es\xf5 esett Gy\xf5rben.", &domain)
///     .with_url(&url)
///     .with_content_type("text/html; charset=iso-8859-2");
/// let page = Extractor::read(&source).expect("it is HTML");
/// assert_eq!(&*page.paragraphs()[0].text, "Eső esett Győrben.");
/// # Ok::<(), goldminer_core::address::AddressError>(())
/// ```
#[derive(Debug, Clone, Copy)]
#[allow(clippy::exhaustive_structs, reason = "callers write `..SourcePage::new(…)` for new fields, too")]
pub struct SourcePage<'a> {
    /// The decompressed body of the page.
    pub bytes: &'a [u8],
    /// The value of the header `Content-Type`.
    pub content_type: Option<&'a str>,
    /// The URL of the page.
    pub url: Option<&'a CrawlUrl>,
    /// The path of the page in its input, if it has no URL.
    pub path: Option<&'a str>,
    /// The path of the page's file in its input, if the input is a folder of files.
    pub file: Option<&'a str>,
    /// The domain for which profiles are learned: a registrable domain, one of its sites, or the name of a folder.
    pub domain: &'a Domain,
    /// When the page was fetched.
    pub fetched: Option<Timestamp>,
    /// The position of the page's WARC record.
    pub warc: Option<&'a ArchivePosition>,
    /// The language that the input declares for the page (BCP 47), used if detection fails.
    pub declared_language: Option<&'a str>,
    /// Rights statements of the response and the host. The page's own statements are read from the page.
    pub signals: &'a [Signal],
    /// Whether the bytes are only the beginning of the page. If they reach the size limit of a page, this is assumed.
    pub truncated: bool,
}

impl<'a> SourcePage<'a> {
    /// A page with only bytes and a domain.
    pub fn new(bytes: &'a [u8], domain: &'a Domain) -> Self {
        let (content_type, url, path, file, fetched, warc, declared_language, signals) = Default::default();
        let truncated = bytes.len() >= CodingLimits::default().decoded_bytes;
        Self { bytes, content_type, url, path, file, domain, fetched, warc, declared_language, signals, truncated }
    }

    /// Sets the URL of the page.
    #[must_use]
    pub fn with_url(self, url: impl Into<Option<&'a CrawlUrl>>) -> Self {
        Self { url: url.into(), ..self }
    }

    /// Sets the value of the header field `Content-Type`, which may name the encoding.
    #[must_use]
    pub fn with_content_type(self, content_type: impl Into<Option<&'a str>>) -> Self {
        Self { content_type: content_type.into(), ..self }
    }
}
