//! The saved state of the extraction: for each domain, how far its page index was read and which texts it gave; and how
//! far the corpus was written. It is committed atomically, so a killed run neither repeats nor skips a document.
//!
//! The order is: write documents, sync the corpus file, commit here. After a crash in between, the corpus file is
//! longer than the committed position. It is cut off at that position when the corpus is opened.

use std::collections::BTreeMap;
use std::ops::Bound;

use goldminer_core::extract::domain::{ExtractionProgress, Fingerprint, NEAR_BITS, Seen};
use goldminer_corpus::DomainHoldings;
use goldminer_corpus::files::early::EarlyPosition;
use goldminer_corpus::forms::jsonl::CorpusPosition;
use goldminer_html::Domain;
use rustc_hash::FxHashSet;
use xxhash_rust::xxh3::xxh3_128;

use super::StoreError;
use super::table::{Batch, Durability, Spaces, Table};

/// Number of blocks of a 64-bit simhash (a hash that is similar for similar texts). Two hashes that differ in at most
/// three bits agree in at least one of four blocks (Manku, Jain and Das Sarma 2007, section 3).
const BLOCKS: u8 = 4;

/// The most simhashes with the same block that a search for near-duplicates reads.
const MAX_CANDIDATES: usize = 4096;

/// The tables of the extraction. Clones are handles to the same tables.
#[derive(Clone)]
pub struct ExtractionStore {
    spaces: Spaces,
    progress: Table<(String, ExtractionProgress)>,
    /// The id of a document. Key: domain · digest of the text.
    texts: Table<String>,
    /// The id of a document, to find near-duplicates. Key: domain · block number · block of the simhash · simhash ·
    /// number of the document.
    simhashes: Table<String>,
    /// The committed positions, in one row.
    position: Table<(CorpusPosition, EarlyPosition)>,
    /// The counts of each domain's documents in the corpus.
    holdings: Table<DomainHoldings>,
}

impl ExtractionStore {
    pub(super) fn open(spaces: &Spaces) -> Result<Self, StoreError> {
        Ok(Self {
            spaces: spaces.clone(),
            texts: spaces.table("texts", 8)?,
            simhashes: spaces.table("simhashes", 8)?,
            progress: spaces.small("progress", b'g'),
            position: spaces.small("corpus", b'o'),
            holdings: spaces.small("holdings", b'b'),
        })
    }

    /// How far the pages of a domain were extracted; the first page if nothing was committed.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn progress(&self, domain: &Domain) -> Result<ExtractionProgress, StoreError> {
        Ok(self.progress.get(&domain.key())?.map(|(_, progress)| progress).unwrap_or_default())
    }

    /// Returns the position up to which the corpus was committed, and the position up to which the separate files of
    /// documents that may be retracted were committed. None before the first commit.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn positions(&self) -> Result<(Option<CorpusPosition>, Option<EarlyPosition>), StoreError> {
        Ok(self.position.get(b"")?.unzip())
    }

    /// The ids of a domain's documents. An id occurs twice if the document has two digests (see
    /// `Fingerprint::digests`).
    pub fn documents(&self, domain: &Domain) -> impl Iterator<Item = Result<String, StoreError>> {
        self.texts.scan(&domain.key(), Bound::Unbounded).map(|entry| Ok(entry?.1))
    }

    /// The id of the domain's document whose text has this digest, or whose headline and running text (text in
    /// sentences) alone have it; none if there is no such document.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn document_with(&self, domain: &Domain, digest: &str) -> Result<Option<String>, StoreError> {
        self.texts.get(&text_key(domain, digest))
    }

    /// The committed document counts of all domains.
    pub fn all_holdings(&self) -> impl Iterator<Item = Result<DomainHoldings, StoreError>> {
        self.holdings.scan(b"", Bound::Unbounded).map(|row| Ok(row?.1))
    }

    /// Starts a group of documents that are committed together.
    pub fn begin(&self) -> ExtractionBatch {
        ExtractionBatch {
            store: self.clone(),
            batch: self.spaces.batch(),
            progress: BTreeMap::new(),
            texts: FxHashSet::default(),
            simhashes: BTreeMap::new(),
        }
    }
}

/// A group of documents that are committed together. Before the commit, only the group itself sees its changes.
pub struct ExtractionBatch {
    store: ExtractionStore,
    batch: Batch,
    progress: BTreeMap<Domain, ExtractionProgress>,
    texts: FxHashSet<Vec<u8>>,
    simhashes: BTreeMap<Domain, Vec<(u64, String)>>,
}

impl ExtractionBatch {
    /// How far the pages of a domain were extracted, including this group.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn progress(&self, domain: &Domain) -> Result<ExtractionProgress, StoreError> {
        self.progress.get(domain).map_or_else(|| self.store.progress(domain), |progress| Ok(progress.clone()))
    }

    /// Sets the progress of a domain in this group.
    pub fn put_progress(&mut self, domain: &Domain, progress: &ExtractionProgress) {
        self.progress.insert(domain.clone(), progress.clone());
    }

    /// The committed document counts of a domain; None before its first commit.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn holdings(&self, domain: &Domain) -> Result<Option<DomainHoldings>, StoreError> {
        self.store.holdings.get(&domain.key())
    }

    /// Sets the document counts of a domain in this group.
    pub fn put_holdings(&mut self, domain: &Domain, holdings: &DomainHoldings) {
        self.batch.put(&self.store.holdings, &domain.key(), holdings);
    }

    /// Removes the stored texts of a domain, because its documents are retracted. This group must not contain documents
    /// of the domain.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn forget(&mut self, domain: &Domain) -> Result<(), StoreError> {
        let prefix = domain.key();
        for entry in self.store.texts.scan(&prefix, Bound::Unbounded) {
            self.batch.delete(&self.store.texts, &entry?.0);
        }
        for entry in self.store.simhashes.scan(&prefix, Bound::Unbounded) {
            self.batch.delete(&self.store.simhashes, &entry?.0);
        }
        Ok(())
    }

    /// Returns a view of the earlier texts of a domain and of its related sites (`related`), to find duplicates. The
    /// texts of this group are included.
    pub fn seen<'b>(&'b mut self, domain: &'b Domain, related: &'b [Domain]) -> StoreSeen<'b> {
        StoreSeen { batch: self, domain, related }
    }

    /// Commits all changes of this group of documents, with the positions up to which the corpus was written.
    ///
    /// # Errors
    /// When the disk fails. The group may then be lost.
    pub fn commit(mut self, corpus: CorpusPosition, early: EarlyPosition) -> Result<(), StoreError> {
        for (domain, progress) in std::mem::take(&mut self.progress) {
            let row = (domain.as_str().to_owned(), progress);
            self.batch.put(&self.store.progress, &domain.key(), &row);
        }
        self.batch.put(&self.store.position, b"", &(corpus, early));
        self.batch.commit(Durability::Disk)
    }
}

/// The earlier texts of a domain, in the database and in a group that is not committed yet.
pub struct StoreSeen<'b> {
    batch: &'b mut ExtractionBatch,
    domain: &'b Domain,
    /// Sites that are related to `domain`. A text that one of them has already is a duplicate, too. New texts are
    /// stored for `domain` only.
    related: &'b [Domain],
}

impl StoreSeen<'_> {
    fn all(&self) -> impl Iterator<Item = &Domain> {
        std::iter::once(self.domain).chain(self.related)
    }

    fn near_in(&self, domain: &Domain, simhash: u64) -> Result<Option<String>, StoreError> {
        let mut earliest: Option<(u64, String)> = None;
        for block in 0..BLOCKS {
            let prefix = block_key(domain, block, simhash);
            for entry in self.batch.store.simhashes.scan(&prefix, Bound::Unbounded).take(MAX_CANDIDATES) {
                let (key, id) = entry?;
                let Some((other, number)) = read_candidate(&key) else { continue };
                let is_earlier = earliest.as_ref().is_none_or(|(first, _)| number < *first);
                if is_earlier && (other ^ simhash).count_ones() <= NEAR_BITS {
                    earliest = Some((number, id));
                }
            }
        }
        let near = |(other, _): &&(u64, String)| (other ^ simhash).count_ones() <= NEAR_BITS;
        let of_this_batch = || self.batch.simhashes.get(domain)?.iter().find(near).map(|(_, id)| id.clone());
        Ok(earliest.map(|(_, id)| id).or_else(of_this_batch))
    }
}

impl Seen for StoreSeen<'_> {
    type Error = StoreError;

    fn has_text(&self, digest: &str) -> Result<bool, StoreError> {
        for domain in self.all() {
            let key = text_key(domain, digest);
            if self.batch.texts.contains(&key) || self.batch.store.texts.get(&key)?.is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn near_duplicate_of(&self, simhash: u64) -> Result<Option<String>, StoreError> {
        self.all().find_map(|domain| self.near_in(domain, simhash).transpose()).transpose()
    }

    /// Stores the digests of a document, to find later duplicates. The simhash is stored only if the document is no
    /// near-duplicate (`is_near`) itself, so that a thousand versions of one text cost no more comparisons than one.
    fn remember(&mut self, document: &Fingerprint, number: u64, is_near: bool) -> Result<(), StoreError> {
        let ExtractionBatch { store, batch, texts, simhashes, .. } = &mut *self.batch;
        let Fingerprint { id, simhash, .. } = document;
        for key in document.digests().map(|digest| text_key(self.domain, digest)) {
            batch.put(&store.texts, &key, id);
            texts.insert(key);
        }
        if is_near {
            return Ok(());
        }
        for block in 0..BLOCKS {
            let block = block_key(self.domain, block, *simhash);
            let key = [&block[..], &simhash.to_be_bytes(), &number.to_be_bytes()].concat();
            batch.put(&store.simhashes, &key, id);
        }
        simhashes.entry(self.domain.clone()).or_default().push((*simhash, id.clone()));
        Ok(())
    }
}

fn text_key(domain: &Domain, digest: &str) -> Vec<u8> {
    [&domain.key()[..], &xxh3_128(digest.as_bytes()).to_be_bytes()].concat()
}

fn block_key(domain: &Domain, block: u8, simhash: u64) -> Vec<u8> {
    let bits = (simhash >> (16 * block)) as u16;
    [&domain.key()[..], &[block], &bits.to_be_bytes()].concat()
}

/// The simhash and the document's number at the end of a key; None if the key is too short.
fn read_candidate(key: &[u8]) -> Option<(u64, u64)> {
    let (simhash, number) = key.last_chunk::<16>()?.split_at(8);
    Some((u64::from_be_bytes(simhash.try_into().ok()?), u64::from_be_bytes(number.try_into().ok()?)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Store;
    use goldminer_core::extract::domain::PageOutcome;

    fn domain() -> Domain {
        Domain::named("portal.example")
    }

    fn remember(
        group: &mut ExtractionBatch,
        domain: &Domain,
        (id, text_digest): (&str, &str),
        simhash: u64,
        is_near: bool,
    ) {
        let document = Fingerprint::new(id, text_digest, simhash);
        group.seen(domain, &[]).remember(&document, 0, is_near).unwrap();
    }

    #[test]
    fn only_committed_groups_are_found_after_reopening() {
        let dir = tempfile::tempdir().unwrap();
        {
            let extraction = Store::open(dir.path()).unwrap().extraction();
            let mut group = extraction.begin();
            remember(&mut group, &domain(), ("a", "digest-a"), 0xFF00, false);
            let mut progress = ExtractionProgress::default();
            (progress.next_page, progress.documents) = (7, 1);
            progress.tally.add(PageOutcome::NoText, 6);
            group.put_progress(&domain(), &progress);
            group.commit(CorpusPosition { part: 3, bytes: 123, documents: 1 }, EarlyPosition::default()).unwrap();

            let mut lost = extraction.begin();
            remember(&mut lost, &domain(), ("b", "digest-b"), 1, false);
            progress.next_page = 9;
            lost.put_progress(&domain(), &progress);
        }
        let store = Store::open(dir.path()).unwrap();
        let extraction = store.extraction();
        let progress = extraction.progress(&domain()).unwrap();
        assert_eq!((progress.next_page, progress.documents, progress.tally.of(PageOutcome::NoText)), (7, 1, 6));
        let (corpus, early) = extraction.positions().unwrap();
        assert_eq!(corpus, Some(CorpusPosition { part: 3, bytes: 123, documents: 1 }));
        assert_eq!(early, Some(EarlyPosition::default()));
        let mut group = extraction.begin();
        assert!(group.seen(&domain(), &[]).has_text("digest-a").unwrap());
        assert!(!group.seen(&domain(), &[]).has_text("digest-b").unwrap());
    }

    #[test]
    fn a_text_is_a_duplicate_only_within_its_domain() {
        let dir = tempfile::tempdir().unwrap();
        let extraction = Store::open(dir.path()).unwrap().extraction();
        let mut group = extraction.begin();
        remember(&mut group, &domain(), ("a", "digest"), 1, false);
        assert!(group.seen(&domain(), &[]).has_text("digest").unwrap());
        assert!(!group.seen(&Domain::named("other.example"), &[]).has_text("digest").unwrap());
        assert!(group.seen(&Domain::named("other.example"), &[domain()]).has_text("digest").unwrap(), "one site");
    }

    #[test]
    fn near_duplicates_differ_in_any_three_bits_at_most() {
        let dir = tempfile::tempdir().unwrap();
        let extraction = Store::open(dir.path()).unwrap().extraction();
        let hash = 0x0123_4567_89AB_CDEF_u64;
        let mut group = extraction.begin();
        remember(&mut group, &domain(), ("first", "1"), hash, false);
        remember(&mut group, &domain(), ("second", "2"), hash ^ 1, true);
        let near =
            |group: &mut ExtractionBatch, bits: u64| group.seen(&domain(), &[]).near_duplicate_of(hash ^ bits).unwrap();
        let (three, four) = (1 << 63 | 1 << 20 | 1, 1 << 63 | 1 << 40 | 1 << 20 | 1);
        assert_eq!(near(&mut group, three).as_deref(), Some("first"), "in its own group");
        group.commit(CorpusPosition::default(), EarlyPosition::default()).unwrap();
        let mut group = extraction.begin();
        assert_eq!(near(&mut group, three).as_deref(), Some("first"), "after the commit");
        assert_eq!(near(&mut group, four), None);
    }
}
