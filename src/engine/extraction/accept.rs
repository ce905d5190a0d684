//! One article, once: what becomes of an extracted document among those of its domain.

use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_128;

use crate::address::Domain;
use crate::document::Document;
use crate::store::StoreError;
use crate::store::extraction::{ExtractionBatch, NEAR_BITS};

/// What tells a document from others of its domain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fingerprint {
    /// Its id.
    pub id: String,
    /// The digest of its text.
    pub text_digest: String,
    /// The simhash of its text.
    pub simhash: u64,
}

/// What is known of the documents of a domain.
pub trait KnownDocuments {
    /// Whether an earlier document has the same text.
    ///
    /// # Errors
    /// When the disk fails.
    fn has_text(&self, domain: &Domain, text_digest: &str) -> Result<bool, StoreError>;
    /// The id of an earlier document with nearly the same text.
    ///
    /// # Errors
    /// When the disk fails.
    fn near_duplicate_of(&self, domain: &Domain, simhash: u64) -> Result<Option<String>, StoreError>;
    /// Remembers a document, and whether it is a near-duplicate itself.
    ///
    /// # Errors
    /// When the disk fails.
    fn remember(&mut self, domain: &Domain, document: &Fingerprint, is_near: bool) -> Result<(), StoreError>;
}

/// Whether a document goes into the corpus.
#[derive(Debug)]
pub enum Accepted {
    /// It does.
    New(Box<Document>),
    /// The domain has this text already.
    Duplicate,
}

/// The same of a fingerprint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Judged {
    /// Its text is new, or nearly that of the document with this id.
    New(Option<String>),
    /// The domain has this text already.
    Duplicate,
}

/// Decides on a document, and remembers it. Near-duplicates stay, flagged.
///
/// # Errors
/// When the disk fails.
pub fn accept(
    mut document: Box<Document>,
    domain: &Domain,
    known: &mut impl KnownDocuments,
) -> Result<Accepted, StoreError> {
    Ok(match judge(&Fingerprint::of(&document), domain, known)? {
        Judged::Duplicate => Accepted::Duplicate,
        Judged::New(near) => {
            document.provenance.near_duplicate_of = near;
            Accepted::New(document)
        }
    })
}

/// Decides on the document that a fingerprint stands for, and remembers it.
///
/// # Errors
/// When the disk fails.
pub fn judge(
    fingerprint: &Fingerprint,
    domain: &Domain,
    known: &mut impl KnownDocuments,
) -> Result<Judged, StoreError> {
    if known.has_text(domain, &fingerprint.text_digest)? {
        return Ok(Judged::Duplicate);
    }
    let near = known.near_duplicate_of(domain, fingerprint.simhash)?;
    known.remember(domain, fingerprint, near.is_some())?;
    Ok(Judged::New(near))
}

impl Fingerprint {
    /// Of a document.
    #[must_use]
    pub fn of(document: &Document) -> Self {
        Self {
            id: document.id.clone(),
            text_digest: document.provenance.text_digest.clone(),
            simhash: u64::from_str_radix(&document.provenance.simhash, 16).unwrap_or(0),
        }
    }
}

impl KnownDocuments for ExtractionBatch<'_> {
    fn has_text(&self, domain: &Domain, text_digest: &str) -> Result<bool, StoreError> {
        Ok(self.duplicate_of(domain, text_digest)?.is_some())
    }

    fn near_duplicate_of(&self, domain: &Domain, simhash: u64) -> Result<Option<String>, StoreError> {
        Self::near_duplicate_of(self, domain, simhash)
    }

    fn remember(&mut self, domain: &Domain, document: &Fingerprint, is_near: bool) -> Result<(), StoreError> {
        self.add_document(domain, &document.id, &document.text_digest, document.simhash, is_near)
    }
}

/// The documents of one domain in memory, about 120 bytes each: for extraction from stored pages, a domain at a time.
#[derive(Debug, Default)]
pub struct InMemory {
    texts: FxHashSet<u128>,
    /// Simhashes by each of their four blocks of 16 bits: hashes that differ in three bits agree in one of them.
    blocks: FxHashMap<(u8, u16), Vec<(u64, u32)>>,
    ids: Vec<Box<str>>,
}

impl KnownDocuments for InMemory {
    fn has_text(&self, _: &Domain, text_digest: &str) -> Result<bool, StoreError> {
        Ok(self.texts.contains(&xxh3_128(text_digest.as_bytes())))
    }

    fn near_duplicate_of(&self, _: &Domain, simhash: u64) -> Result<Option<String>, StoreError> {
        let near = blocks(simhash)
            .filter_map(|block| self.blocks.get(&block))
            .flatten()
            .filter(|(other, _)| (other ^ simhash).count_ones() <= NEAR_BITS)
            .map(|(_, number)| *number)
            .min();
        Ok(near.map(|number| self.ids[number as usize].to_string()))
    }

    fn remember(&mut self, _: &Domain, document: &Fingerprint, is_near: bool) -> Result<(), StoreError> {
        self.texts.insert(xxh3_128(document.text_digest.as_bytes()));
        if !is_near {
            let number = self.ids.len() as u32;
            self.ids.push(document.id.as_str().into());
            for block in blocks(document.simhash) {
                self.blocks.entry(block).or_default().push((document.simhash, number));
            }
        }
        Ok(())
    }
}

fn blocks(simhash: u64) -> impl Iterator<Item = (u8, u16)> {
    (0..4).map(move |block| (block, (simhash >> (16 * block)) as u16))
}
