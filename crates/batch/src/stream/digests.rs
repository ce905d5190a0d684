//! Hashes of documents, by which duplicates are found. Each file of documents has a file of hashes, with a row for each
//! document; `dedup` compares the rows of all files. While a file is made, [`Recent`] finds duplicates within it.

use goldminer_core::extract::domain::Fingerprint;
use goldminer_html::Domain;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

/// The hashes of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct DigestRow {
    /// A hash of the name of the document's domain or learning unit. Only documents with the same value are compared.
    pub domain: u64,
    /// A hash of the document's text.
    pub text: u64,
    /// A hash of the document's headline and running text; 0 if it has no running text.
    pub body: u64,
    pub simhash: u64,
    /// The document's id, by which a near-duplicate names it.
    pub id: u128,
}

impl DigestRow {
    pub(super) fn of(unit: &Domain, fingerprint: &Fingerprint) -> Self {
        let domain = unit.as_str();
        Self {
            domain: xxh3_64(domain.as_bytes()),
            text: key(domain, &fingerprint.text_digest),
            body: fingerprint.body_digest.as_ref().map_or(0, |digest| key(domain, digest)),
            simhash: fingerprint.simhash,
            id: u128::from_str_radix(&fingerprint.id, 16).unwrap_or_default(),
        }
    }
}

/// Number of sets of four hashes in the table of recent documents: a million hashes in 8 MB, enough for the documents
/// of 5 GB of HTML.
const SETS: usize = 1 << 18;

/// A table of fixed size with hashes of recent documents. It may have forgotten a document, so that a duplicate of it
/// is not found; but no other document is taken for a duplicate.
pub(super) struct Recent(Vec<[u64; 4]>);

impl Recent {
    pub(super) fn new() -> Self {
        Self(vec![[0; 4]; SETS])
    }

    /// Whether a recent document of the domain has the same text, or the same headline and running text (text in
    /// sentences). If not, this document is remembered.
    pub(super) fn has(&mut self, domain: &str, document: &Fingerprint) -> bool {
        let keys: Vec<u64> = document.digests().map(|digest| key(domain, digest)).collect();
        if keys.iter().any(|key| self.set(*key).contains(key)) {
            return true;
        }
        for key in keys {
            let set = self.set(key);
            if !set.contains(&key) {
                set.rotate_right(1);
                set[0] = key;
            }
        }
        false
    }

    fn set(&mut self, key: u64) -> &mut [u64; 4] {
        &mut self.0[(key >> 32) as usize % SETS]
    }
}

/// Combines a digest and its domain to one hash. It is never 0, because 0 marks an empty entry of the table.
fn key(domain: &str, digest: &str) -> u64 {
    xxh3_64(format!("{domain}\0{digest}").as_bytes()).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repeated_article_is_found_in_its_own_domain_only() {
        let mut recent = Recent::new();
        let article = Fingerprint::new("1", "digest", 0);
        assert!(!recent.has("a.example", &article));
        assert!(!recent.has("b.example", &article));
        assert!(recent.has("a.example", &article));
    }

    #[test]
    fn the_table_never_grows_and_takes_no_new_text_for_known() {
        let mut recent = Recent::new();
        let known = (0..2_000_000).filter(|n| recent.has("a.example", &Fingerprint::new("", n.to_string(), 0))).count();
        assert_eq!((known, recent.0.len()), (0, SETS));
    }
}
