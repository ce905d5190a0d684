//! The pages of a domain in their order: each is read with the profiles that serve it, its document written once, and
//! documents and cursor committed together.

use std::sync::atomic::Ordering;

use rayon::prelude::*;

use crate::address::Domain;
use crate::document::{Document, Method};
use crate::engine::EngineError;
use crate::engine::fault::{self, Point};
use crate::extract::NoArticle;
use crate::frontier::{NOWHERE, PageYield};
use crate::store::extraction::{ExtractionBatch, Relearning};
use crate::store::frontier::PageEntry;

use super::domains::Phase;
use super::extractor::ExtractorThread;
use super::read::{Gave, extract, looks_like_article};
use super::{Accepted, accept, drift};

/// Pages that are read and extracted at a time.
const CHUNK: usize = 64;
/// Pages that are committed together, at most: each commit ends a frame of the corpus.
const COMMIT: usize = 512;

/// What reading a page brought.
struct Read {
    gave: Gave,
    wire_bytes: u64,
    /// No template matches it, though it looks like an article.
    is_missed: bool,
}

/// What is committed together.
pub(super) struct Group<'a> {
    pub(super) batch: ExtractionBatch<'a>,
    pages: usize,
    yields: Vec<PageYield>,
}

impl<'a> Group<'a> {
    pub(super) fn new(batch: ExtractionBatch<'a>) -> Self {
        Self { batch, pages: 0, yields: Vec::new() }
    }
}

impl ExtractorThread {
    /// Reads the waiting pages of the domains.
    pub(super) fn read_all(&mut self, domains: &[Domain]) -> Result<(), EngineError> {
        let store = self.parts.extraction.clone();
        let mut group = Group::new(store.begin());
        for domain in domains {
            loop {
                if group.pages >= COMMIT {
                    self.commit(std::mem::replace(&mut group, Group::new(store.begin())))?;
                }
                if self.is_stopped() {
                    return self.commit(group);
                }
                if group.batch.progress(domain)?.relearning.is_some() {
                    self.commit(group)?;
                    self.relearn(domain)?;
                    group = Group::new(store.begin());
                    if group.batch.progress(domain)?.relearning.is_some() {
                        // Interrupted: the next run goes on with it.
                        return Ok(());
                    }
                }
                if !self.read_chunk(domain, &mut group)? {
                    break;
                }
            }
        }
        self.commit(group)
    }

    /// Reads the next pages of a domain; false when there are none.
    fn read_chunk(&mut self, domain: &Domain, group: &mut Group<'_>) -> Result<bool, EngineError> {
        let state = self.state(domain)?;
        let next = group.batch.progress(domain)?.next_page;
        let entries: Vec<PageEntry> =
            self.parts.tables.pages_from(domain, next).take(CHUNK).collect::<Result<_, _>>()?;
        let watches = state.phase == Phase::Profiled;
        let this = &*self;
        let read: Vec<Option<Read>> =
            entries.par_iter().map(|entry| this.read_page(entry, watches)).collect::<Result<_, EngineError>>()?;
        for (entry, read) in entries.iter().zip(read) {
            group.pages += 1;
            let is_covered = matches!(
                &read,
                Some(Read { gave: Gave::Document(document), .. }) if document.provenance.method == Method::Goldminer
            );
            let is_missed = read.as_ref().is_some_and(|read| read.is_missed);
            self.book(domain, entry, read, group)?;
            let progress = group.batch.progress(domain)?;
            progress.next_page = entry.seq + 1;
            progress.teaching += u64::from(entry.teaches);
            if !watches {
                continue;
            }
            let window = self.parts.learning_pages as usize;
            if (is_covered || is_missed) && drift::note(&mut progress.recent, entry.seq, is_covered, window) {
                progress.relearning = Some(drift::relearning(&progress.recent, entry.seq));
            } else if state.provisional && entry.teaches && progress.teaching == self.parts.learning_pages {
                progress.relearning = Some(Relearning { next: 0, last: entry.seq, skipped: Vec::new() });
            }
            if progress.relearning.is_some() {
                // What was read ahead in this chunk is read again, by the new version.
                return Ok(true);
            }
        }
        Ok(!entries.is_empty())
    }

    fn read_page(&self, entry: &PageEntry, watches: bool) -> Result<Option<Read>, EngineError> {
        let Some((page, wire_bytes)) = self.page(entry)? else { return Ok(None) };
        let gave = extract(&self.extractor, &self.library, &page);
        let is_missed = watches
            && match &gave {
                Gave::Document(document) => document.provenance.method == Method::Fallback,
                Gave::Nothing(reason) => *reason == NoArticle::NoPattern && looks_like_article(&self.library, &page),
            };
        Ok(Some(Read { gave, wire_bytes, is_missed }))
    }

    /// Takes what a page gave into the corpus and the books.
    fn book(
        &mut self,
        domain: &Domain,
        entry: &PageEntry,
        read: Option<Read>,
        group: &mut Group<'_>,
    ) -> Result<(), EngineError> {
        let Some(Read { gave, wire_bytes, .. }) = read else {
            *group.batch.progress(domain)?.tally.entry("unreadable".to_owned()).or_default() += 1;
            return Ok(());
        };
        self.parts.live.read_bytes.fetch_add(wire_bytes, Ordering::Relaxed);
        let mut page =
            PageYield { url: entry.url.clone(), bytes: wire_bytes, clean_bytes: 0, leads_from: entry.leads_from };
        let what = match gave {
            Gave::Nothing(reason) => {
                self.parts.live.without_article.fetch_add(1, Ordering::Relaxed);
                reason.name()
            }
            Gave::Document(document) => {
                let bytes = document.text.len() as u64;
                let what = self.write(domain, document, &mut group.batch)?;
                (page.clean_bytes, page.leads_from) =
                    if what == "document" { (bytes, page.leads_from) } else { (0, NOWHERE) };
                what
            }
        };
        group.yields.push(page);
        *group.batch.progress(domain)?.tally.entry(what.to_owned()).or_default() += 1;
        Ok(())
    }

    /// Writes a document unless its text is there already; the word for the tally.
    pub(super) fn write(
        &mut self,
        domain: &Domain,
        document: Box<Document>,
        batch: &mut ExtractionBatch<'_>,
    ) -> Result<&'static str, EngineError> {
        match accept(document, domain, batch)? {
            Accepted::New(document) => {
                self.parts.corpus.write(&document)?;
                fault::pass(Point::Written);
                self.parts.live.documents.fetch_add(1, Ordering::Relaxed);
                self.parts.live.text_bytes.fetch_add(document.text.len() as u64, Ordering::Relaxed);
                Ok("document")
            }
            Accepted::Duplicate => {
                self.parts.live.duplicates.fetch_add(1, Ordering::Relaxed);
                Ok("duplicate")
            }
        }
    }

    /// Makes a group durable, and tells the frontier what its pages gave.
    pub(super) fn commit(&mut self, group: Group<'_>) -> Result<(), EngineError> {
        let position = self.parts.corpus.commit()?;
        fault::pass(Point::CorpusCommitted);
        group.batch.commit(&position)?;
        fault::pass(Point::Extracted);
        if !group.yields.is_empty() {
            // Nobody listens any more when the crawl ends by an error, which its own thread holds.
            let _ = self.parts.yields.blocking_send(group.yields);
        }
        Ok(())
    }
}
