//! Where the pages of one domain lie, whoever keeps them: a crawl in its archive and its databases, `extract` in files of
//! anybody's.

use goldminer_core::extract::domain::{AvailablePages, LearningTask, PageRead, ProfileSet, StoredPage};
use goldminer_html::ArchivePosition;
use goldminer_warc::caught::caught;

use crate::CrawlError;

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

/// The positions of a domain's pages.
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
