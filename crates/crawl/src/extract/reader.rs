//! Where the pages of one domain lie, whoever keeps them: a crawl in its archive and its databases, `extract` in files of
//! anybody's. They are read side by side, all cores at once: what they give comes back in their order, and no more of it
//! waits than fits. Nothing is decided here.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use goldminer_core::extract::domain::{AvailablePages, LearningTask};
use goldminer_core::{Extractor, PageRead, ProfileSet, StoredPage};
use goldminer_fetch::share::lock;
use goldminer_html::ArchivePosition;
use goldminer_warc::caught::caught;
use rayon::prelude::*;

use crate::CrawlError;

/// Pages that are read at a time. Only what they give waits; of the pages themselves there is one a core in memory.
pub(super) const CHUNK: usize = 128;
/// Of these, this many are read before it is asked what their documents take.
const PART: usize = 32;
/// The text of a chunk's documents: some of them are megabytes of short paragraphs, of which each costs more than it is long.
const CHUNK_TEXT_BYTES: usize = 4 << 20;

/// A page that was read; or why it could not be, for people.
pub(super) type Got = Result<(PageRead, Length), String>;
pub(super) type Chunk<P> = Vec<(Entry<P>, Got)>;

/// Pages that a domain learned from, parsed, until they are read for their text.
pub(super) type Kept = Mutex<HashMap<u64, Arc<StoredPage>>>;
/// No more bytes of HTML are kept of a domain; as they are parsed, they take some three times as much.
pub(super) const KEPT_BYTES: usize = 3 << 20;

/// Reads the pages of one domain by the profiles that it has now.
pub(super) struct Reader<'r> {
    pub kept: &'r Kept,
    pub extractor: &'r Extractor,
    pub profiles: &'r ProfileSet,
    pub watches: bool,
}

impl Reader<'_> {
    /// Reads the next pages, `most` at most, all cores at once; fewer of them where their documents are large.
    pub(super) fn read<P: Pages>(&self, pages: &P, from: u64, most: usize) -> Result<Chunk<P::Page>, CrawlError> {
        let mut entries = pages.entries(from, most)?.into_iter();
        let read = |entry: &Entry<P::Page>| -> Result<Got, CrawlError> {
            if let Some(read) = pages.read_ahead(entry, self.profiles, self.watches)? {
                return Ok(Ok(read));
            }
            let kept = lock(self.kept).remove(&entry.seq).map(Ok);
            let page = kept.map_or_else(|| Ok::<_, CrawlError>(pages.read(entry)?.map(Arc::new)), Ok)?;
            let of = |page: &_| (PageRead::of(self.extractor, self.profiles, page, self.watches), Length::of(page));
            Ok(page.and_then(|page| pages.guarded(entry, || of(&page))))
        };
        let (mut chunk, mut text_bytes) = (Chunk::new(), 0);
        while entries.len() > 0 && text_bytes < CHUNK_TEXT_BYTES {
            let part: Vec<Entry<P::Page>> = entries.by_ref().take(PART).collect();
            let got = side_by_side(pages, &part, read)?;
            text_bytes += got.iter().map(text_bytes_of).sum::<usize>();
            chunk.extend(part.into_iter().zip(got));
        }
        Ok(chunk)
    }
}

/// Reads pages side by side, what they give in their order. A suspect is read alone, behind the others: what is read beside
/// the page that ends a process is suspect itself, and with the third death its document would be lost as well.
pub(super) fn side_by_side<P: Pages, T: Send>(
    pages: &P,
    entries: &[Entry<P::Page>],
    read: impl Fn(&Entry<P::Page>) -> Result<T, CrawlError> + Sync,
) -> Result<Vec<T>, CrawlError> {
    let innocent = |entry| (!pages.is_suspect(entry)).then(|| read(entry)).transpose();
    let found: Vec<Option<T>> = entries.par_iter().map(innocent).collect::<Result<_, _>>()?;
    entries.iter().zip(found).map(|(entry, found)| found.map_or_else(|| read(entry), Ok)).collect()
}

fn text_bytes_of(got: &Got) -> usize {
    got.as_ref().ok().and_then(|(read, _)| read.result.as_ref().ok()).map_or(0, |document| document.text.len())
}

/// A page in the list of its domain.
#[derive(Debug, Clone)]
pub struct Entry<P> {
    /// Its number.
    pub seq: u64,
    /// Its record, where it comes from an archive.
    pub position: Option<ArchivePosition>,
    /// Whether it is known to be article-like.
    pub teaches: bool,
    /// What its [`Pages`] know it by.
    pub page: P,
}

/// A page with its bytes; or why there is none, for people.
pub type Stored = Result<StoredPage, String>;

/// The list of a domain's pages, which reads each of them.
pub trait Pages: Sync {
    /// What they are known by.
    type Page: Send + Sync;

    /// What there is.
    fn available(&self) -> Result<AvailablePages, CrawlError>;
    /// Up to `most` pages from a number on.
    fn entries(&self, from: u64, most: usize) -> Result<Vec<Entry<Self::Page>>, CrawlError>;
    /// What a page gave that was read before its turn, by these profiles.
    fn read_ahead(
        &self,
        _: &Entry<Self::Page>,
        _: &ProfileSet,
        _watches: bool,
    ) -> Result<Option<(PageRead, Length)>, CrawlError> {
        Ok(None)
    }
    /// Reads a page.
    fn read(&self, entry: &Entry<Self::Page>) -> Result<Stored, CrawlError>;
    /// Reads what a page says; where that fails, or is left undone, why, for people.
    fn guarded<T>(&self, entry: &Entry<Self::Page>, read: impl FnOnce() -> T) -> Result<T, String> {
        caught(read).map_err(|panic| {
            let place = entry.position.as_ref().map(|record| format!(", {} at {}", record.file, record.offset));
            let (seq, place) = (entry.seq, place.unwrap_or_default());
            format!("reading the text of page {seq}{place} failed: {panic}; please report the page")
        })
    }
    /// Whether it may be the page that ended an earlier process.
    fn is_suspect(&self, _: &Entry<Self::Page>) -> bool {
        false
    }
    /// The pages of a lesson in the order in which they are shown.
    fn order(&self, lesson: &LearningTask) -> Box<dyn Iterator<Item = u64> + Send + '_> {
        Box::new(lesson.pages.clone())
    }
}

/// The length of a page in bytes.
#[derive(Debug, Clone, Copy, Default)]
pub struct Length {
    /// Of its HTML.
    pub html: u64,
    /// As it was received, content coding kept.
    pub wire: u64,
}

impl Length {
    pub(super) fn of(page: &StoredPage) -> Self {
        Self { html: page.bytes.len() as u64, wire: page.wire_bytes }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    /// Pages of which some may have ended a process.
    struct Suspects(&'static [u64]);

    impl Pages for Suspects {
        type Page = ();

        fn available(&self) -> Result<AvailablePages, CrawlError> {
            unreachable!("nobody asks how many there are")
        }

        fn entries(&self, from: u64, most: usize) -> Result<Vec<Entry<()>>, CrawlError> {
            Ok((from..).take(most).map(|seq| Entry { seq, position: None, teaches: false, page: () }).collect())
        }

        fn read(&self, _: &Entry<()>) -> Result<Stored, CrawlError> {
            unreachable!("nobody asks for its bytes")
        }

        fn is_suspect(&self, entry: &Entry<()>) -> bool {
            self.0.contains(&entry.seq)
        }
    }

    #[test]
    fn a_suspect_is_read_alone_and_behind_the_others_and_all_keep_their_places() {
        let pages = Suspects(&[0, 3, 17]);
        let (being_read, were_read) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let read = |entry: &Entry<()>| {
            let beside = being_read.fetch_add(1, Ordering::SeqCst);
            let before = were_read.load(Ordering::SeqCst);
            std::thread::yield_now();
            if pages.is_suspect(entry) {
                assert_eq!(beside, 0, "{} is read beside others", entry.seq);
                assert!(before >= 29, "{} is read when {before} of 29 were", entry.seq);
            }
            being_read.fetch_sub(1, Ordering::SeqCst);
            were_read.fetch_add(1, Ordering::SeqCst);
            Ok(entry.seq)
        };
        let found = side_by_side(&pages, &pages.entries(0, 32).unwrap(), read).unwrap();
        assert_eq!(found, (0..32).collect::<Vec<u64>>());
    }
}
