//! Reads and extracts the pages of one domain from any source: a crawl's archive and databases, or the files given to
//! `goldminer extract`. Pages are read in parallel on all cores. Results are returned in order, and only a limited
//! number of them is in memory. The caller decides which results become documents.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use goldminer_core::extract::domain::{AvailablePages, LearningTask};
use goldminer_core::{Extractor, PageRead, ProfileSet, StoredPage};
use goldminer_fetch::share::lock;
use goldminer_html::ArchivePosition;
use goldminer_warc::caught::caught;
use rayon::prelude::*;

use crate::CrawlError;

/// Number of pages that are read in one go. Only their results are kept; of the pages, one per core is in memory.
pub(super) const CHUNK: usize = 128;
/// After this many pages of a chunk, the size of its documents is checked.
const PART: usize = 32;
/// The most bytes of text of a chunk's documents. Some documents are megabytes of short paragraphs, which take more
/// memory than their text.
const CHUNK_TEXT_BYTES: usize = 4 << 20;

/// The result of a page, or a message that says why it could not be read.
pub(super) type ReadResult = Result<(PageRead, Length), String>;
pub(super) type Chunk<P> = Vec<(Entry<P>, ReadResult)>;

/// Parsed pages that a domain learned from, kept until they are extracted.
pub(super) type KeptPages = Mutex<HashMap<u64, Arc<StoredPage>>>;
/// The most bytes of HTML in [`KeptPages`]. Parsed, the pages take about three times as much memory.
pub(super) const KEPT_BYTES: usize = 3 << 20;

/// Reads the pages of one domain with its current profiles.
pub(super) struct Reader<'r> {
    pub kept: &'r KeptPages,
    pub extractor: &'r Extractor,
    pub profiles: &'r ProfileSet,
    pub watches: bool,
}

impl Reader<'_> {
    /// Reads the next pages on all cores: at most `most`, and fewer if their documents are large.
    pub(super) fn read<P: Pages>(&self, pages: &P, from: u64, most: usize) -> Result<Chunk<P::Page>, CrawlError> {
        let mut entries = pages.entries(from, most)?.into_iter();
        let read = |entry: &Entry<P::Page>| -> Result<ReadResult, CrawlError> {
            if let Some(read) = pages.early_result(entry, self.profiles, self.watches)? {
                return Ok(Ok(read));
            }
            let kept = lock(self.kept).remove(&entry.seq);
            let page = match kept {
                Some(page) => Ok(page),
                None => pages.read(entry)?.map(Arc::new),
            };
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

/// Reads pages in parallel; the results are in order. A suspect, which may have crashed an earlier process, is read
/// alone after the others. If it crashed this process beside other pages, these would become suspects too, and would
/// lose their documents after the third crash.
pub(super) fn side_by_side<P: Pages, T: Send>(
    pages: &P,
    entries: &[Entry<P::Page>],
    read: impl Fn(&Entry<P::Page>) -> Result<T, CrawlError> + Sync,
) -> Result<Vec<T>, CrawlError> {
    let innocent = |entry| (!pages.is_suspect(entry)).then(|| read(entry)).transpose();
    let found: Vec<Option<T>> = entries.par_iter().map(innocent).collect::<Result<_, _>>()?;
    entries.iter().zip(found).map(|(entry, found)| found.map_or_else(|| read(entry), Ok)).collect()
}

fn text_bytes_of(got: &ReadResult) -> usize {
    got.as_ref().ok().and_then(|(read, _)| read.result.as_ref().ok()).map_or(0, |document| document.text.len())
}

/// A page in the list of a domain.
#[derive(Debug, Clone)]
pub struct Entry<P> {
    /// Number of the page in the list.
    pub seq: u64,
    /// The position of its record, if it comes from an archive.
    pub position: Option<ArchivePosition>,
    /// Whether the page is already known to be article-like.
    pub is_article_like: bool,
    /// The handle with which [`Pages`] finds the page.
    pub page: P,
}

/// A page with its bytes, or a message that says why there is none.
pub type StoredResult = Result<StoredPage, String>;

/// The list of a domain's pages, and access to each of them.
pub trait Pages: Sync {
    /// The handle of a page.
    type Page: Send + Sync;

    /// The pages that are available.
    fn available(&self) -> Result<AvailablePages, CrawlError>;
    /// Up to `most` pages, from the number `from`.
    fn entries(&self, from: u64, most: usize) -> Result<Vec<Entry<Self::Page>>, CrawlError>;
    /// The result of a page that was extracted on arrival with these profiles, if there is one.
    fn early_result(
        &self,
        _: &Entry<Self::Page>,
        _: &ProfileSet,
        _watches: bool,
    ) -> Result<Option<(PageRead, Length)>, CrawlError> {
        Ok(None)
    }
    /// Reads a page.
    fn read(&self, entry: &Entry<Self::Page>) -> Result<StoredResult, CrawlError>;
    /// Runs `read` for a page. If that panics or is skipped, returns a message with the reason.
    fn guarded<T>(&self, entry: &Entry<Self::Page>, read: impl FnOnce() -> T) -> Result<T, String> {
        caught(read).map_err(|panic| {
            let place = entry.position.as_ref().map(|record| format!(", {} at {}", record.file, record.offset));
            let (seq, place) = (entry.seq, place.unwrap_or_default());
            format!("reading the text of page {seq}{place} failed: {panic}; please report the page")
        })
    }
    /// Whether the page may have crashed an earlier process.
    fn is_suspect(&self, _: &Entry<Self::Page>) -> bool {
        false
    }
    /// The pages to learn from, in the order in which the learner sees them.
    fn order(&self, task: &LearningTask) -> Box<dyn Iterator<Item = u64> + Send + '_> {
        Box::new(task.pages.clone())
    }
}

/// The length of a page in bytes.
#[derive(Debug, Clone, Copy, Default)]
pub struct Length {
    /// The length of its HTML.
    pub html: u64,
    /// The length as received, with content coding.
    pub wire: u64,
    /// Whether only its beginning was read.
    pub truncated: bool,
}

impl Length {
    /// The length of this page.
    pub fn of(page: &StoredPage) -> Self {
        Self { html: page.bytes.len() as u64, wire: page.wire_bytes, truncated: page.truncated }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    /// Pages; those with these numbers may have crashed a process.
    struct Suspects(&'static [u64]);

    impl Pages for Suspects {
        type Page = ();

        fn available(&self) -> Result<AvailablePages, CrawlError> {
            unreachable!("nobody asks how many there are")
        }

        fn entries(&self, from: u64, most: usize) -> Result<Vec<Entry<()>>, CrawlError> {
            Ok((from..).take(most).map(|seq| Entry { seq, position: None, is_article_like: false, page: () }).collect())
        }

        fn read(&self, _: &Entry<()>) -> Result<StoredResult, CrawlError> {
            unreachable!("nobody asks for its bytes")
        }

        fn is_suspect(&self, entry: &Entry<()>) -> bool {
            self.0.contains(&entry.seq)
        }
    }

    #[test]
    fn suspects_are_read_alone_and_last_but_returned_in_order() {
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
