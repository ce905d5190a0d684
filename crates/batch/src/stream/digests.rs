//! What tells the documents of a file apart: a row a document, in the order of its lines, of which `dedup` reads those of
//! all files.

use goldminer_core::extract::domain::Fingerprint;
use goldminer_html::address::Domain;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::recent::key;

/// A row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct DigestRow {
    /// A hash of its learning unit.
    pub domain: u64,
    /// A hash of its text.
    pub text: u64,
    /// A hash of its running text; 0 where it has none.
    pub body: u64,
    pub simhash: u64,
    /// The document's id, by which another one names it.
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
