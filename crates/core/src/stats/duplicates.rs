//! Documents that say the same, or nearly so, as their digests and flags tell.

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;
use serde::Serialize;
use xxhash_rust::xxh3::xxh3_64;

use crate::document::Document;

/// So many pairs are told as examples.
const EXAMPLES: usize = 20;
/// URLs that are remembered, so that examples can name both sides.
const MAX_URLS: usize = 200_000;

/// What repeats in a domain, or in all.
///
/// ```
/// use goldminer_core::stats::{DuplicateCounts, Duplicates};
///
/// assert_eq!(Duplicates::default().all(), DuplicateCounts::default());
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct DuplicateCounts {
    /// Documents.
    pub documents: u64,
    /// Of these, with the text of an earlier document of the domain, letter by letter.
    pub exact: u64,
    /// Of these, with the text of an earlier document of another domain.
    pub exact_elsewhere: u64,
    /// Of these, flagged as nearly the same as an earlier one of the domain (simhashes differ in at most three bits).
    pub near: u64,
    /// Paragraphs that were left out because earlier documents have them (Onion).
    pub dropped_paragraphs: u64,
}

/// Two documents that are nearly the same.
///
/// ```
/// use goldminer_core::stats::Duplicates;
///
/// for pair in Duplicates::default().examples() {
///     println!("{} nearly repeats {}", pair.url, pair.earlier);
/// }
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct NearPair {
    /// The later one's URL.
    pub url: String,
    /// The earlier one's URL, or its id where that is no longer known.
    pub earlier: String,
}

/// The duplicates of a corpus. Remembers eight bytes a document, twice.
///
/// ```
/// use goldminer_core::document::Document;
/// use goldminer_core::stats::Duplicates;
///
/// let document: Document = serde_json::from_str(
///     r#"{"id":"7f","url":"http://portal.example/a","text":"It rained. It rained.",
///     "paragraphs":[{"kind":"p","text":"It rained. It rained."}],"metadata":{"domain":"portal.example"},
///     "provenance":{"method":"goldminer","stoplist":"English","thresholds":"inside",
///     "program":"goldminer/0.1.0","page_digest":"0a","text_digest":"0b","simhash":"0c"}}"#,
/// )?;
/// let mut duplicates = Duplicates::default();
/// duplicates.add(&document);
/// duplicates.add(&document);
/// assert_eq!(duplicates.all().exact, 1);
/// # Ok::<(), serde_json::Error>(())
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
        self.all.add(counts);
        self.domains.entry(domain.clone()).or_default().add(counts);
        if let (Some(earlier), true) = (&provenance.near_duplicate_of, self.examples.len() < EXAMPLES) {
            let earlier = self.urls.get(earlier).unwrap_or(earlier).clone();
            self.examples.push(NearPair { url: document.url.clone(), earlier });
        }
        if self.examples.len() < EXAMPLES && self.urls.len() < MAX_URLS {
            self.urls.insert(document.id.clone(), document.url.clone());
        }
    }

    /// Of all domains together.
    #[must_use]
    pub fn all(&self) -> DuplicateCounts {
        self.all
    }

    /// Of each domain.
    #[must_use]
    pub fn by_domain(&self) -> &BTreeMap<String, DuplicateCounts> {
        &self.domains
    }

    /// Some pairs of documents that are nearly the same.
    #[must_use]
    pub fn examples(&self) -> &[NearPair] {
        &self.examples
    }
}

impl DuplicateCounts {
    fn add(&mut self, other: Self) {
        self.documents += other.documents;
        self.exact += other.exact;
        self.exact_elsewhere += other.exact_elsewhere;
        self.near += other.near;
        self.dropped_paragraphs += other.dropped_paragraphs;
    }
}
