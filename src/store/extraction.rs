//! What the extraction has durably done: for each domain how far its page index was read, which texts it gave, and how
//! far the corpus is written. One atomic commit, so that a killed run neither repeats nor skips a document.
//!
//! The order is: write documents, make the corpus file durable, commit here. A crash in between leaves a tail in the
//! corpus file that the committed position does not cover; the corpus cuts it off when it is opened.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::path::Path;
use std::sync::Arc;

use fjall::Database;
use rustc_hash::FxHashMap;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_128;

use super::StoreError;
use super::database::Spaces;
use super::table::{Batch, Durability, Table};
use crate::address::Domain;

/// Documents whose simhashes differ in at most so many bits are near-duplicates (Manku, Jain and Das Sarma 2007,
/// section 4.1: 3 of 64 bits for web pages).
pub const NEAR_BITS: u32 = 3;

/// With four blocks of 16 bits, hashes that differ in three bits agree in a block (ibid., section 3).
const BLOCKS: u8 = 4;

/// No lookup reads more candidates of a block.
const MAX_CANDIDATES: usize = 4096;

const POSITION: &[u8] = b"";

/// How far the extraction of a domain is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DomainProgress {
    /// The number of the next page of its page index.
    pub next_page: u64,
    /// Documents committed.
    pub documents: u64,
    /// What became of its pages, under the extractor's names.
    pub tally: BTreeMap<String, u64>,
}

/// The tables; clones are handles to the same ones.
#[derive(Clone)]
pub struct ExtractionStore {
    db: Database,
    path: Arc<Path>,
    progress: Table<(String, DomainProgress)>,
    /// domain · digest of the text → id of the document.
    texts: Table<String>,
    /// domain · block number · block · simhash · number of the document → id of the document.
    simhashes: Table<String>,
    /// One row, as JSON: the type is the corpus's.
    position: Table<String>,
}

impl ExtractionStore {
    pub(super) fn open(spaces: &Spaces) -> Result<Self, StoreError> {
        Ok(Self {
            db: spaces.db.clone(),
            path: Arc::clone(&spaces.path),
            texts: spaces.table("texts", 8)?,
            simhashes: spaces.table("simhashes", 8)?,
            progress: spaces.small("extraction", b'e'),
            position: spaces.small("corpus", b'o'),
        })
    }

    /// How far a domain is; the beginning when nothing was committed.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn progress(&self, domain: &Domain) -> Result<DomainProgress, StoreError> {
        Ok(self.progress.get(&domain.key())?.map(|(_, progress)| progress).unwrap_or_default())
    }

    /// Every domain with something committed.
    pub fn domains(&self) -> impl Iterator<Item = Result<(Domain, DomainProgress), StoreError>> + use<'_> {
        self.progress.scan(&[], Bound::Unbounded).map(|entry| {
            let (_, (name, progress)) = entry?;
            Ok((Domain::named(&name), progress))
        })
    }

    /// The committed position of the corpus; none before the first commit.
    ///
    /// # Errors
    /// When the disk fails or the position is of another type.
    pub fn corpus_position<P: DeserializeOwned>(&self) -> Result<Option<P>, StoreError> {
        let Some(json) = self.position.get(POSITION)? else { return Ok(None) };
        serde_json::from_str(&json).map(Some).map_err(|e| StoreError::Corrupt {
            path: self.path.to_path_buf(),
            table: "corpus",
            key: "corpus".to_owned(),
            reason: e.to_string(),
        })
    }

    /// Begins a group of documents.
    #[must_use]
    pub fn begin(&self) -> ExtractionBatch<'_> {
        ExtractionBatch {
            store: self,
            batch: Batch::new(&self.db, Arc::clone(&self.path)),
            progress: BTreeMap::new(),
            texts: FxHashMap::default(),
            simhashes: BTreeMap::new(),
        }
    }
}

/// A group of documents: it sees what is committed and what it was given itself; nobody else sees it before its commit.
pub struct ExtractionBatch<'a> {
    store: &'a ExtractionStore,
    batch: Batch,
    progress: BTreeMap<Domain, DomainProgress>,
    texts: FxHashMap<[u8; 24], String>,
    simhashes: BTreeMap<Domain, Vec<(u64, String)>>,
}

impl ExtractionBatch<'_> {
    /// The progress of a domain, to read and to change.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn progress(&mut self, domain: &Domain) -> Result<&mut DomainProgress, StoreError> {
        if !self.progress.contains_key(domain) {
            self.progress.insert(domain.clone(), self.store.progress(domain)?);
        }
        Ok(self.progress.entry(domain.clone()).or_default())
    }

    /// The earlier document of the domain with the same text.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn duplicate_of(&self, domain: &Domain, text_digest: &str) -> Result<Option<String>, StoreError> {
        let key = text_key(domain, text_digest);
        match self.texts.get(&key) {
            Some(id) => Ok(Some(id.clone())),
            None => self.store.texts.get(&key),
        }
    }

    /// The earliest document of the domain whose simhash differs in at most [`NEAR_BITS`] bits, among those that are
    /// no near-duplicates themselves.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn near_duplicate_of(&self, domain: &Domain, simhash: u64) -> Result<Option<String>, StoreError> {
        let mut earliest: Option<(u64, String)> = None;
        for block in 0..BLOCKS {
            let prefix = block_key(domain, block, simhash);
            for entry in self.store.simhashes.scan(&prefix, Bound::Unbounded).take(MAX_CANDIDATES) {
                let (key, id) = entry?;
                let Some((other, number)) = read_candidate(&key) else { continue };
                let is_earlier = earliest.as_ref().is_none_or(|(first, _)| number < *first);
                if is_earlier && (other ^ simhash).count_ones() <= NEAR_BITS {
                    earliest = Some((number, id));
                }
            }
        }
        let near = |(other, _): &&(u64, String)| (other ^ simhash).count_ones() <= NEAR_BITS;
        let of_this_batch = || self.simhashes.get(domain)?.iter().find(near).map(|(_, id)| id.clone());
        Ok(earliest.map(|(_, id)| id).or_else(of_this_batch))
    }

    /// Adds a document. One that is a near-duplicate of another is not looked up by later ones, so that a thousand
    /// versions of one text cost no more than one.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn add_document(
        &mut self,
        domain: &Domain,
        id: &str,
        text_digest: &str,
        simhash: u64,
        is_near_duplicate: bool,
    ) -> Result<(), StoreError> {
        let progress = self.progress(domain)?;
        let number = progress.documents;
        progress.documents += 1;
        let key = text_key(domain, text_digest);
        self.batch.put(&self.store.texts, &key, &id.to_owned());
        self.texts.insert(key, id.to_owned());
        if is_near_duplicate {
            return Ok(());
        }
        for block in 0..BLOCKS {
            let mut key = block_key(domain, block, simhash).to_vec();
            key.extend_from_slice(&simhash.to_be_bytes());
            key.extend_from_slice(&number.to_be_bytes());
            self.batch.put(&self.store.simhashes, &key, &id.to_owned());
        }
        self.simhashes.entry(domain.clone()).or_default().push((simhash, id.to_owned()));
        Ok(())
    }

    /// Makes everything durable together with the position up to which the corpus is written.
    ///
    /// # Errors
    /// When the disk fails; then nothing of the group is promised.
    pub fn commit<P: Serialize>(mut self, corpus_position: &P) -> Result<(), StoreError> {
        for (domain, progress) in std::mem::take(&mut self.progress) {
            let row = (domain.as_str().to_owned(), progress);
            self.batch.put(&self.store.progress, &domain.key(), &row);
        }
        let json = serde_json::to_string(corpus_position).map_err(|e| StoreError::Failed {
            doing: "writing the corpus position",
            path: self.store.path.to_path_buf(),
            reason: e.to_string(),
        })?;
        self.batch.put(&self.store.position, POSITION, &json);
        self.batch.commit(Durability::Disk)
    }
}

fn text_key(domain: &Domain, text_digest: &str) -> [u8; 24] {
    let mut key = [0; 24];
    key[..8].copy_from_slice(&domain.key());
    key[8..].copy_from_slice(&xxh3_128(text_digest.as_bytes()).to_be_bytes());
    key
}

fn block_key(domain: &Domain, block: u8, simhash: u64) -> [u8; 11] {
    let mut key = [0; 11];
    key[..8].copy_from_slice(&domain.key());
    key[8] = block;
    key[9..].copy_from_slice(&((simhash >> (16 * block)) as u16).to_be_bytes());
    key
}

/// The simhash and the document's number at the end of a key.
fn read_candidate(key: &[u8]) -> Option<(u64, u64)> {
    let (simhash, number) = key.last_chunk::<16>()?.split_at(8);
    Some((u64::from_be_bytes(simhash.try_into().ok()?), u64::from_be_bytes(number.try_into().ok()?)))
}

#[cfg(test)]
mod tests {
    use super::super::Store;
    use super::*;

    fn domain() -> Domain {
        Domain::named("portal.example")
    }

    #[test]
    fn a_committed_group_is_found_after_reopening_and_a_dropped_one_is_not() {
        let dir = tempfile::tempdir().unwrap();
        {
            let extraction = Store::open(dir.path()).unwrap().extraction();
            let mut group = extraction.begin();
            group.add_document(&domain(), "a", "digest-a", 0xFF00, false).unwrap();
            let progress = group.progress(&domain()).unwrap();
            progress.next_page = 7;
            *progress.tally.entry("no-article".to_owned()).or_default() += 6;
            group.commit(&("part-00000.jsonl.zst", 123_u64)).unwrap();

            let mut lost = extraction.begin();
            lost.add_document(&domain(), "b", "digest-b", 1, false).unwrap();
            lost.progress(&domain()).unwrap().next_page = 9;
        }
        let store = Store::open(dir.path()).unwrap();
        let extraction = store.extraction();
        let progress = extraction.progress(&domain()).unwrap();
        assert_eq!((progress.next_page, progress.documents, progress.tally["no-article"]), (7, 1, 6));
        let position: (String, u64) = extraction.corpus_position().unwrap().unwrap();
        assert_eq!(position, ("part-00000.jsonl.zst".to_owned(), 123));
        let group = extraction.begin();
        assert_eq!(group.duplicate_of(&domain(), "digest-a").unwrap().as_deref(), Some("a"));
        assert_eq!(group.duplicate_of(&domain(), "digest-b").unwrap(), None);
        assert_eq!(extraction.domains().count(), 1);
    }

    #[test]
    fn a_text_is_a_duplicate_within_its_domain_only_and_already_in_its_own_group() {
        let dir = tempfile::tempdir().unwrap();
        let extraction = Store::open(dir.path()).unwrap().extraction();
        let mut group = extraction.begin();
        group.add_document(&domain(), "a", "digest", 1, false).unwrap();
        assert_eq!(group.duplicate_of(&domain(), "digest").unwrap().as_deref(), Some("a"));
        assert_eq!(group.duplicate_of(&Domain::named("other.example"), "digest").unwrap(), None);
    }

    #[test]
    fn near_duplicates_differ_in_three_bits_wherever_they_are() {
        let dir = tempfile::tempdir().unwrap();
        let extraction = Store::open(dir.path()).unwrap().extraction();
        let hash = 0x0123_4567_89AB_CDEF_u64;
        let mut group = extraction.begin();
        group.add_document(&domain(), "first", "1", hash, false).unwrap();
        group.add_document(&domain(), "second", "2", hash ^ 1, true).unwrap();
        let near = |group: &ExtractionBatch<'_>, bits: u64| group.near_duplicate_of(&domain(), hash ^ bits).unwrap();
        let (three, four) = (1 << 63 | 1 << 20 | 1, 1 << 63 | 1 << 40 | 1 << 20 | 1);
        assert_eq!(near(&group, three).as_deref(), Some("first"), "in its own group");
        group.commit(&0).unwrap();
        let group = extraction.begin();
        assert_eq!(near(&group, three).as_deref(), Some("first"), "after the commit");
        assert_eq!(near(&group, four), None);
    }
}
