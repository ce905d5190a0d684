//! One article, once: what becomes of an extracted document among those of its domain.

use rustc_hash::FxHashMap;

use crate::address::Domain;
use crate::document::Document;
use crate::store::StoreError;
use crate::store::extraction::{ExtractionBatch, NEAR_BITS};

/// What is known of the documents of a domain.
pub trait KnownDocuments {
    /// The id of the earlier document with the same text.
    ///
    /// # Errors
    /// When the disk fails.
    fn duplicate_of(&self, domain: &Domain, text_digest: &str) -> Result<Option<String>, StoreError>;
    /// The id of an earlier document with nearly the same text.
    ///
    /// # Errors
    /// When the disk fails.
    fn near_duplicate_of(&self, domain: &Domain, simhash: u64) -> Result<Option<String>, StoreError>;
    /// Remembers a document.
    ///
    /// # Errors
    /// When the disk fails.
    fn remember(&mut self, domain: &Domain, document: &Document, simhash: u64) -> Result<(), StoreError>;
}

/// Whether a document goes into the corpus.
#[derive(Debug)]
pub enum Accepted {
    /// It does.
    New(Box<Document>),
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
    if known.duplicate_of(domain, &document.provenance.text_digest)?.is_some() {
        return Ok(Accepted::Duplicate);
    }
    let simhash = u64::from_str_radix(&document.provenance.simhash, 16).unwrap_or(0);
    document.provenance.near_duplicate_of = known.near_duplicate_of(domain, simhash)?;
    known.remember(domain, &document, simhash)?;
    Ok(Accepted::New(document))
}

impl KnownDocuments for ExtractionBatch<'_> {
    fn duplicate_of(&self, domain: &Domain, text_digest: &str) -> Result<Option<String>, StoreError> {
        Self::duplicate_of(self, domain, text_digest)
    }

    fn near_duplicate_of(&self, domain: &Domain, simhash: u64) -> Result<Option<String>, StoreError> {
        Self::near_duplicate_of(self, domain, simhash)
    }

    fn remember(&mut self, domain: &Domain, document: &Document, simhash: u64) -> Result<(), StoreError> {
        let near = document.provenance.near_duplicate_of.is_some();
        self.add_document(domain, &document.id, &document.provenance.text_digest, simhash, near)
    }
}

/// The documents of one domain in memory: for extraction from stored pages, a domain at a time.
#[derive(Debug, Default)]
pub struct InMemory {
    texts: FxHashMap<String, String>,
    /// Simhashes by each of their four blocks of 16 bits: hashes that differ in three bits agree in one of them.
    blocks: FxHashMap<(u8, u16), Vec<(u64, u32)>>,
    ids: Vec<String>,
}

impl KnownDocuments for InMemory {
    fn duplicate_of(&self, _: &Domain, text_digest: &str) -> Result<Option<String>, StoreError> {
        Ok(self.texts.get(text_digest).cloned())
    }

    fn near_duplicate_of(&self, _: &Domain, simhash: u64) -> Result<Option<String>, StoreError> {
        let near = blocks(simhash)
            .filter_map(|block| self.blocks.get(&block))
            .flatten()
            .filter(|(other, _)| (other ^ simhash).count_ones() <= NEAR_BITS)
            .map(|(_, number)| *number)
            .min();
        Ok(near.map(|number| self.ids[number as usize].clone()))
    }

    fn remember(&mut self, _: &Domain, document: &Document, simhash: u64) -> Result<(), StoreError> {
        self.texts.insert(document.provenance.text_digest.clone(), document.id.clone());
        if document.provenance.near_duplicate_of.is_none() {
            let number = self.ids.len() as u32;
            self.ids.push(document.id.clone());
            for block in blocks(simhash) {
                self.blocks.entry(block).or_default().push((simhash, number));
            }
        }
        Ok(())
    }
}

fn blocks(simhash: u64) -> impl Iterator<Item = (u8, u16)> {
    (0..4).map(move |block| (block, (simhash >> (16 * block)) as u16))
}
