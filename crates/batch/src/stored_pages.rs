//! Connects the stored pages of a domain to the extraction pipeline: [`DomainPages`] reads the pages, and [`DomainSink`]
//! filters and counts their documents and passes them to a writer.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};

use goldminer_core::document::Method;
use goldminer_core::extract::domain::{
    AvailablePages, Conclusion, DomainExtraction, LearnReason, LearningEnd, LearningEnds, LearningTask, MemorySeen,
};
use goldminer_core::{Document, PageOutcome, StoredPage, extract};
use goldminer_corpus::{Filter, Unwanted};
use goldminer_crawl::CrawlError;
use goldminer_crawl::extract::{DocumentSink, Entry, PageResult, Pages, StoredResult};
use goldminer_html::ArchivePosition;
use goldminer_lab::onion::Onion;
use goldminer_warc::OpenFiles;

use super::units::Summary;
use crate::sources::{ArchivedRights, PageRef};

/// Counters of a running extraction, for the progress line.
#[derive(Debug, Default)]
pub struct BatchProgress {
    /// Number of pages read.
    pub pages: AtomicU64,
    /// The bytes of the HTML of these pages.
    pub page_bytes: AtomicU64,
    /// Number of documents extracted from these pages.
    pub documents: AtomicU64,
}

impl BatchProgress {
    /// Counts a page that was read, and the bytes of its HTML.
    pub(super) fn page(&self, bytes: u64) {
        self.pages.fetch_add(1, Ordering::Relaxed);
        self.page_bytes.fetch_add(bytes, Ordering::Relaxed);
    }
}

/// The outcome of a page whose document is filtered out; None if the document is kept.
pub(super) fn unwanted(filter: &Filter, document: &Document) -> Option<PageOutcome> {
    filter.check(document).err().map(|why| match why {
        Unwanted::Option(_) | Unwanted::Rights(_) => PageOutcome::Filtered,
        Unwanted::Undated => PageOutcome::Undated,
        Unwanted::Uncertain | Unwanted::Unjudged => PageOutcome::Uncertain,
    })
}

/// The pages of a domain, as the extraction reads them.
pub(super) struct DomainPages<'a> {
    pages: &'a [PageRef],
    files: &'a OpenFiles,
    rights: ArchivedRights<'a>,
    is_sample: bool,
}

impl<'a> DomainPages<'a> {
    pub(super) fn new(pages: &'a [PageRef], files: &'a OpenFiles) -> Self {
        Self { pages, files, rights: ArchivedRights::new(files), is_sample: false }
    }

    /// The pages of a sample, which only the learner reads. The position of a page is its position in the sample.
    pub(super) fn sampled(pages: &'a [PageRef], files: &'a OpenFiles) -> Self {
        Self { is_sample: true, ..Self::new(pages, files) }
    }

    fn position(&self, seq: usize) -> Option<ArchivePosition> {
        match self.is_sample {
            true => Some(ArchivePosition::new("sample", seq as u64, 1)),
            false => self.pages[seq].position().cloned(),
        }
    }

    /// Adds the rights that the host's archived files state for a page, and gives these files their names in
    /// documents.
    fn with_signals(&self, from: &PageRef, mut page: StoredPage) -> StoredPage {
        page.signals.extend(self.rights.signals(from, &page));
        from.name_files(&mut page);
        page
    }
}

/// Counts the results of a domain, and calls `write` with each page, and with its document if it has one.
pub(super) struct DomainSink<'a> {
    filter: &'a Filter,
    pages: &'a [PageRef],
    progress: &'a BatchProgress,
    seen: MemorySeen,
    unreadable: BTreeSet<u64>,
    pub onion: Option<&'a mut Onion>,
    pub summary: Summary,
    write: Write<'a>,
}

/// The function that receives each page, with its document if it has one.
type Write<'a> = Box<dyn FnMut(&PageRef, Option<&Document>) -> Result<(), CrawlError> + Send + 'a>;

impl Pages for DomainPages<'_> {
    type Page = ();

    /// All pages of the domain are available at once, so the learning phase ends with the last one.
    fn available(&self) -> Result<AvailablePages, CrawlError> {
        let pages = self.pages.len() as u64;
        Ok(AvailablePages::new(pages, LearningEnds::new(LearningEnd::NoMorePages, pages)))
    }

    fn entries(&self, from: u64, most: usize) -> Result<Vec<Entry<()>>, CrawlError> {
        // `is_article_like` is false, because whether a page is article-like is not known before it is read.
        let entry = |n: usize| Entry { seq: n as u64, position: self.position(n), is_article_like: false, page: () };
        Ok((from as usize..self.pages.len()).take(most).map(entry).collect())
    }

    fn read(&self, entry: &Entry<()>) -> Result<StoredResult, CrawlError> {
        let from = &self.pages[entry.seq as usize];
        Ok(match from.read(self.files) {
            Ok(Some(mut page)) if self.is_sample => {
                page.position.clone_from(&entry.position);
                Ok(page)
            }
            Ok(page) => page.map(|page| self.with_signals(from, page)).ok_or_else(String::new),
            Err(fault) => Err(fault.to_string()),
        })
    }

    /// The learner takes pages of an archive in the order of fetching, and pages from files in a random order that is
    /// the same in each run.
    fn order(&self, task: &LearningTask) -> Box<dyn Iterator<Item = u64> + Send + '_> {
        if matches!(task.why, LearnReason::Again(_)) || self.pages.iter().any(PageRef::is_archived) {
            return Box::new(task.pages.clone());
        }
        let mut order: Vec<u64> = task.pages.clone().collect();
        order.sort_by_key(|seq| self.pages[*seq as usize].random_order());
        Box::new(order.into_iter())
    }
}

impl<'a> DomainSink<'a> {
    pub(super) fn new(
        filter: &'a Filter,
        pages: &'a [PageRef],
        progress: &'a BatchProgress,
        write: impl FnMut(&PageRef, Option<&Document>) -> Result<(), CrawlError> + Send + 'a,
    ) -> Self {
        Self {
            filter,
            pages,
            progress,
            seen: MemorySeen::default(),
            unreadable: BTreeSet::new(),
            onion: None,
            summary: Summary::default(),
            write: Box::new(write),
        }
    }
}

impl DocumentSink<()> for DomainSink<'_> {
    type Seen<'s>
        = &'s mut MemorySeen
    where
        Self: 's;

    fn seen(&mut self) -> &mut MemorySeen {
        &mut self.seen
    }

    fn peel(&mut self, document: Box<Document>) -> Option<Box<Document>> {
        let Some(onion) = &mut self.onion else { return Some(document) };
        let paragraphs: Vec<&str> = document.paragraphs.iter().map(|paragraph| paragraph.text.as_str()).collect();
        let keep = onion.keep(&paragraphs);
        extract::keep(document, &keep)
    }

    fn unwanted(&self, document: &Document) -> Option<PageOutcome> {
        unwanted(self.filter, document)
    }

    fn record(&mut self, _: &DomainExtraction, result: PageResult<'_, ()>) -> Result<(), CrawlError> {
        if !result.is_again {
            let length = result.length.unwrap_or_default();
            self.summary.pages += 1;
            self.summary.page_bytes += length.html;
            self.summary.truncated += u64::from(length.truncated);
            self.progress.page(length.html);
        }
        if let Some(document) = &result.document {
            self.summary.documents += 1;
            self.summary.text_bytes += document.text.len() as u64;
            self.summary.by_profile += u64::from(document.provenance.method == Method::Goldminer);
            self.progress.documents.fetch_add(1, Ordering::Relaxed);
        }
        (self.write)(&self.pages[result.entry.seq as usize], result.document.as_deref())
    }

    fn unreadable(&mut self, entry: &Entry<()>, why: &str) {
        // No reason means that the source was changed and no longer has the page, so it is only counted.
        if !why.is_empty() && self.unreadable.insert(entry.seq) {
            self.summary.fault(why.to_owned());
        }
    }

    fn checkpoint(&mut self, machine: &DomainExtraction) -> Result<(), CrawlError> {
        self.summary.tally = machine.progress().tally.clone();
        Ok(())
    }

    fn conclude(&mut self, _: &DomainExtraction, _: &mut Conclusion) -> Result<(), CrawlError> {
        Ok(())
    }

    fn retract(&mut self, machine: &DomainExtraction) -> Result<(), CrawlError> {
        Err(CrawlError::Defect(format!("the documents of {} cannot be taken back", machine.domain())))
    }
}
