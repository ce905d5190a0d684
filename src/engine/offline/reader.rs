//! The pages of one domain on their way to documents: a chunk is booked while the next one is read and extracted.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use rayon::prelude::*;

use crate::address::Domain;
use crate::archive::OpenFiles;
use crate::baseline::onion::Onion;
use crate::document::Document;
use crate::engine::EngineError;
use crate::engine::extraction::{Accepted, Gave, InMemory, Library, ServingProfile, accept, extract};
use crate::engine::sources::{Found, SourceError};
use crate::extract::{self, Extraction, Extractor, NoArticle};

use super::summary::Summary;
use super::{Offline, Progress};

/// Pages that are extracted at a time. Only what they give waits; of the pages themselves there is one a core in memory.
const CHUNK: usize = 128;

/// Reads the pages of one domain; `write` is given each, with its document if it has one.
pub(super) struct Reader<'a, W> {
    offline: &'a Offline,
    extractor: &'a Extractor,
    domain: &'a Domain,
    library: &'a Library,
    progress: &'a Progress,
    files: &'a OpenFiles,
    known: InMemory,
    pub(super) onion: Option<&'a mut Onion>,
    /// Duplicates and what is not wanted are written all the same: it is decided when all pieces of the domain are there.
    pub(super) decides_later: bool,
    summary: Summary,
    /// Pages that gave nothing, and why, and may be read again by a later version of the profile.
    waiting: Vec<(&'a Found, NoArticle)>,
    write: W,
}

/// What became of a page: nothing when it is no page after all; and the length of its HTML.
type Outcome = Result<Option<(Gave, usize)>, SourceError>;

impl<'a, W> Reader<'a, W>
where
    W: FnMut(&Found, Option<&Document>) -> Result<(), EngineError> + Send,
{
    pub(super) fn new(
        offline: &'a Offline,
        extractor: &'a Extractor,
        domain: &'a Domain,
        library: &'a Library,
        progress: &'a Progress,
        files: &'a OpenFiles,
        write: W,
    ) -> Self {
        Self {
            offline,
            extractor,
            domain,
            library,
            progress,
            files,
            known: InMemory::default(),
            onion: None,
            decides_later: false,
            summary: Summary::default(),
            waiting: Vec::new(),
            write,
        }
    }

    /// Reads pages in the order in which the crawl read them: up to where a version of the profile begins to serve, then
    /// those again that this version rescues.
    pub(super) fn read_all(mut self, pages: &'a [Found]) -> Result<Summary, EngineError> {
        let rescues = self.library.rescues(self.domain);
        let mut rest = pages;
        for (number, rescue) in rescues.iter().enumerate() {
            let before = rest.iter().take_while(|page| page.is_archived() && !rescue.serves(page.position())).count();
            let (now, later) = rest.split_at(before);
            self.read(now, &rescues[number..])?;
            self.rescue(rescue)?;
            rest = later;
        }
        self.read(rest, &[])?;
        for (found, reason) in std::mem::take(&mut self.waiting) {
            self.book(found, Ok(Some(Gave::Nothing(reason))))?;
        }
        Ok(self.summary)
    }

    fn read(&mut self, pages: &'a [Found], rescues: &[Arc<ServingProfile>]) -> Result<(), EngineError> {
        let (extractor, library, progress, files) = (self.extractor, self.library, self.progress, self.files);
        let mut chunks = pages.chunks(CHUNK);
        let mut next = || chunks.next().map(|chunk| (chunk, outcomes(extractor, library, progress, files, chunk)));
        let mut now = next();
        while let Some((chunk, outcomes)) = now {
            let (booked, following) = rayon::join(|| self.book_all(chunk, outcomes, rescues), &mut next);
            booked?;
            now = following;
        }
        Ok(())
    }

    fn book_all(
        &mut self,
        chunk: &'a [Found],
        outcomes: Vec<Outcome>,
        rescues: &[Arc<ServingProfile>],
    ) -> Result<(), EngineError> {
        for (found, outcome) in chunk.iter().zip(outcomes) {
            self.summary.pages += 1;
            let gave = outcome.map(|outcome| {
                let (gave, bytes) = outcome?;
                self.summary.page_bytes += bytes as u64;
                Some(gave)
            });
            match gave {
                Ok(Some(Gave::Nothing(reason))) if rescues.iter().any(|r| r.rescues(found.position())) => {
                    self.waiting.push((found, reason));
                }
                gave => self.book(found, gave)?,
            }
        }
        Ok(())
    }

    fn rescue(&mut self, rescue: &ServingProfile) -> Result<(), EngineError> {
        for (found, reason) in std::mem::take(&mut self.waiting) {
            let page = if rescue.rescues(found.position()) { found.read(self.files).ok().flatten() } else { None };
            let extraction = page.map(|page| self.extractor.extract(&page.source(), Some(&rescue.profile)));
            match extraction {
                Some(Extraction::Document(document)) => self.book(found, Ok(Some(Gave::Document(document))))?,
                _ => self.waiting.push((found, reason)),
            }
        }
        Ok(())
    }

    fn book(&mut self, found: &Found, gave: Result<Option<Gave>, SourceError>) -> Result<(), EngineError> {
        let gave = gave.map(|gave| match (&mut self.onion, gave) {
            (Some(onion), Some(gave)) => Some(peeled(onion, gave)),
            (_, gave) => gave,
        });
        let (what, document) = match gave {
            Err(fault) => {
                self.summary.fault(fault.to_string());
                ("unreadable", None)
            }
            Ok(None) => ("unreadable", None),
            Ok(Some(Gave::Nothing(reason))) => (reason.name(), None),
            Ok(Some(Gave::Document(document))) => self.decide(document)?,
        };
        self.summary.count(what, 1);
        if let Some(document) = &document {
            self.summary.documents += 1;
            self.summary.text_bytes += document.text.len() as u64;
            self.progress.documents.fetch_add(1, Ordering::Relaxed);
        }
        (self.write)(found, document.as_deref())
    }

    fn decide(&mut self, document: Box<Document>) -> Result<(&'static str, Option<Box<Document>>), EngineError> {
        if self.decides_later {
            return Ok(("document", Some(document)));
        }
        let document = match self.offline.drop_duplicates {
            false => document,
            true => match accept(document, self.domain, &mut self.known)? {
                Accepted::Duplicate => return Ok(("duplicate", None)),
                Accepted::New(document) => document,
            },
        };
        Ok(match self.offline.filter.judge(&document) {
            Ok(()) => ("document", Some(document)),
            Err(why) => (why.name(), None),
        })
    }
}

/// Reads and extracts pages, all cores at once.
fn outcomes(
    extractor: &Extractor,
    library: &Library,
    progress: &Progress,
    files: &OpenFiles,
    chunk: &[Found],
) -> Vec<Outcome> {
    let outcome = |found: &Found| {
        let page = found.read(files)?;
        progress.pages.fetch_add(1, Ordering::Relaxed);
        Ok(page.map(|page| {
            progress.page_bytes.fetch_add(page.bytes.len() as u64, Ordering::Relaxed);
            (extract(extractor, library, &page), page.bytes.len())
        }))
    };
    chunk.par_iter().map(outcome).collect()
}

/// What a page gave, without what earlier ones had.
fn peeled(onion: &mut Onion, gave: Gave) -> Gave {
    let Gave::Document(document) = gave else { return gave };
    let paragraphs: Vec<&str> = document.paragraphs.iter().map(|paragraph| paragraph.text.as_str()).collect();
    let keep = onion.keep(&paragraphs);
    extract::keep(document, &keep).map_or(Gave::Nothing(NoArticle::Seen), Gave::Document)
}
