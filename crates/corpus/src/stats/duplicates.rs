//! Counts duplicate documents, by the digests of their texts, and documents that are flagged as near-duplicates.

use std::collections::BTreeMap;

use goldminer_core::document::Document;
use rustc_hash::FxHashSet;
use serde::Serialize;
use xxhash_rust::xxh3::xxh3_64;

/// The most pairs that are kept as examples.
const EXAMPLES: usize = 20;
/// The most URLs that are remembered, so that examples can name both documents.
const MAX_URLS: usize = 200_000;

/// The number of documents of one domain, or of all domains, that repeat others.
///
/// ```
/// use goldminer_core::document::Document;
/// use goldminer_corpus::stats::Duplicates;
///
/// let mut duplicates = Duplicates::default();
/// for domain in ["portal.example", "portal.example", "paper.example"] {
///     let mut document = Document::default();
///     document.metadata.domain = domain.to_owned();
///     document.provenance.text_digest = "0b".to_owned();
///     duplicates.add(&document);
/// }
/// let counts = duplicates.all();
/// assert_eq!((counts.documents, counts.exact, counts.exact_elsewhere), (3, 1, 1));
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, derive_more::AddAssign)]
#[non_exhaustive]
pub struct DuplicateCounts {
    /// The number of documents.
    pub documents: u64,
    /// The number of documents with exactly the text of an earlier document of the same domain.
    pub exact: u64,
    /// The number of documents whose exact text is in an earlier document of another domain, but in no earlier document
    /// of their own domain.
    pub exact_elsewhere: u64,
    /// The number of documents that are flagged as nearly the same as an earlier one of the domain (simhashes differ in
    /// at most three bits).
    pub near: u64,
    /// The number of paragraphs that were left out because earlier documents contain them (deduplication as in Onion).
    pub dropped_paragraphs: u64,
}

/// Two documents that are nearly the same.
///
/// ```
/// use goldminer_core::document::Document;
/// use goldminer_corpus::stats::Duplicates;
///
/// let mut duplicates = Duplicates::default();
/// for (id, near_duplicate_of) in [("a", None), ("b", Some("a".to_owned()))] {
///     let mut document = Document::default();
///     document.id = id.to_owned();
///     document.url = format!("http://portal.example/{id}");
///     document.provenance.near_duplicate_of = near_duplicate_of;
///     duplicates.add(&document);
/// }
/// let pair = &duplicates.examples()[0];
/// assert_eq!((pair.url.as_str(), pair.earlier.as_str()), ("http://portal.example/b", "http://portal.example/a"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct NearPair {
    /// The URL of the later document.
    pub url: String,
    /// The URL of the earlier document, or its id if the URL is no longer known.
    pub earlier: String,
}

/// Counts the duplicates of a corpus. It remembers two hashes of eight bytes per document.
///
/// ```
/// use goldminer_core::document::Document;
/// use goldminer_corpus::stats::Duplicates;
///
/// let mut document = Document::default();
/// document.metadata.domain = "portal.example".to_owned();
/// document.provenance.text_digest = "0b".to_owned();
/// let mut duplicates = Duplicates::default();
/// duplicates.add(&document);
/// duplicates.add(&document);
/// assert_eq!(duplicates.by_domain()["portal.example"].exact, 1);
/// ```
#[derive(Debug, Default)]
pub struct Duplicates {
    all: DuplicateCounts,
    domains: BTreeMap<String, DuplicateCounts>,
    texts: FxHashSet<u64>,
    texts_by_domain: FxHashSet<u64>,
    urls: BTreeMap<String, String>,
    examples: Vec<NearPair>,
}

impl Duplicates {
    /// Adds a document.
    pub fn add(&mut self, document: &Document) {
        let (domain, provenance) = (&document.metadata.domain, &document.provenance);
        let in_domain =
            self.texts_by_domain.insert(xxh3_64(format!("{domain}\0{}", provenance.text_digest).as_bytes()));
        let anywhere = self.texts.insert(xxh3_64(provenance.text_digest.as_bytes()));
        let counts = DuplicateCounts {
            documents: 1,
            exact: u64::from(!in_domain),
            exact_elsewhere: u64::from(in_domain && !anywhere),
            near: u64::from(provenance.near_duplicate_of.is_some()),
            dropped_paragraphs: u64::from(provenance.dropped_duplicates),
        };
        self.all += counts;
        *self.domains.entry(domain.clone()).or_default() += counts;
        if let (Some(earlier), true) = (&provenance.near_duplicate_of, self.examples.len() < EXAMPLES) {
            let earlier = self.urls.get(earlier).unwrap_or(earlier).clone();
            self.examples.push(NearPair { url: document.url.clone(), earlier });
        }
        if self.examples.len() < EXAMPLES && self.urls.len() < MAX_URLS {
            self.urls.insert(document.id.clone(), document.url.clone());
        }
    }

    /// The counts of all domains together.
    pub fn all(&self) -> DuplicateCounts {
        self.all
    }

    /// The counts of each domain.
    pub fn by_domain(&self) -> &BTreeMap<String, DuplicateCounts> {
        &self.domains
    }

    /// Some pairs of near-duplicates.
    pub fn examples(&self) -> &[NearPair] {
        &self.examples
    }
}
