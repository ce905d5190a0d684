//! The last step: makes a document from the chosen text and the page's metadata. It decides nothing.

use goldminer_html::Page;
use goldminer_html::address::{CrawlUrl, Domain};

use super::SourcePage;
use super::digest::{self, Letters};
use crate::document::{Document, DocumentParagraph, Metadata, MetadataSource, Method, Object, ProfileUse, Provenance};
use crate::goldminer::PROGRAM;
use crate::goldminer::PageProfile;
use crate::metadata::DeclaredMetadata;
use crate::rights::Rights;

/// The version of the document model, see [`Document::structure`].
const STRUCTURE: u8 = 1;

/// The text that was chosen, and how it was chosen.
#[derive(Default)]
pub(super) struct ChosenText {
    pub(super) paragraphs: Vec<DocumentParagraph>,
    pub(super) objects: Vec<Object>,
    pub(super) structure: bool,
    pub(super) headline: Option<String>,
    pub(super) language: Option<String>,
    pub(super) method: Method,
    pub(super) profile: Option<ProfileUse>,
    pub(super) stoplist: String,
    pub(super) thresholds: String,
    pub(super) score: Option<u16>,
}

/// The metadata of a page's article. A profile helps: it stores where the domain's pages have dates and authors.
/// `language` is that of the text, if known.
pub(super) fn metadata_of(
    page: &Page,
    source: &SourcePage<'_>,
    profile: Option<&PageProfile<'_>>,
    language: Option<&str>,
) -> DeclaredMetadata {
    crate::metadata::read(page, source.url, profile.map(|profile| profile.known_places(page)).as_ref(), language)
}

/// The registrable domain of a page with a URL, even if only one of its sites is learned; otherwise the folder's name.
fn domain_of(source: &SourcePage<'_>) -> Domain {
    let domain = source.url.map(CrawlUrl::domain);
    domain.filter(|domain| source.domain.registrable() == *domain).unwrap_or_else(|| source.domain.clone())
}

/// The document, made from a page's metadata and the chosen text.
pub(super) fn document(source: &SourcePage<'_>, declared: DeclaredMetadata, made: ChosenText) -> Document {
    let text = Document::join(&made.paragraphs);
    let letters = Letters::of(&text);
    let url = source.url.map_or_else(|| source.path.unwrap_or_default().to_owned(), |url| url.as_str().to_owned());
    let DeclaredMetadata { mut metadata, rights } = declared;
    let mut signals = [source.signals, &rights].concat();
    if let Some(url) = source.url {
        for signal in signals.iter_mut().filter(|it| it.name == "license" && it.value.starts_with(['/', '.'])) {
            if let Ok(address) = url.join(&signal.value) {
                signal.value = address.to_string();
            }
        }
    }
    if metadata.title.is_none() && made.headline.is_some() {
        metadata.title = made.headline;
        metadata.sources.title = Some(MetadataSource::Text);
    }
    Document {
        id: digest::id(source.url, source.domain, source.path, source.bytes),
        url,
        metadata: Metadata {
            domain: domain_of(source).as_str().to_owned(),
            host: source.url.map(|url| url.host_name().to_owned()),
            fetched: source.fetched,
            language: made.language,
            ..metadata
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
            file: source.file.map(str::to_owned),
            truncated: source.truncated.then_some(true),
            ..Provenance::default()
        },
        text,
        paragraphs: made.paragraphs,
        objects: made.objects,
        structure: made.structure.then_some(STRUCTURE),
        rights: Rights::at(signals, source.fetched),
    }
}
