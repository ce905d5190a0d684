//! Extraction from stored pages, without network: learn each domain from its own pages, then extract them all.
//!
//! One domain at a time, its pages in parallel; memory holds a chunk of pages and what is known of the domain's texts.

use std::collections::BTreeMap;
use std::sync::Arc;

use rayon::prelude::*;
use serde::Serialize;

use crate::address::Domain;
use crate::baseline::onion::{Onion, OnionConfig};
use crate::document::Document;
use crate::extract::{self, Algorithm, Extraction, Extractor, ExtractorConfig, NoArticle};

use super::EngineError;
use super::clock::Clock;
use super::extraction::{
    Accepted, Gave, InMemory, LearningPhase, Library, ServingProfile, StoredPage, accept, extract,
};
use super::sources::{Found, SourceError, Sources};

/// Pages that are read and extracted at a time.
const CHUNK: usize = 256;

/// How to extract.
#[derive(Debug, Clone)]
pub struct Offline {
    /// What decides what is text.
    pub algorithm: Algorithm,
    /// Leaves out paragraphs that earlier documents of the sources have.
    pub onion: Option<OnionConfig>,
    /// Profiles that serve as they are; what they do not cover is learned.
    pub library: Library,
    /// Domains that are known to teach nothing: jusText serves them.
    pub unprofiled: Vec<Domain>,
    /// Learn from so many article-like pages.
    pub learning_pages: usize,
    /// Fewer teach nothing.
    pub least_learning_pages: usize,
    /// Leave repeated articles out.
    pub drop_duplicates: bool,
}

/// The pages of one domain on their way to documents.
struct Reader<'a, W> {
    offline: &'a Offline,
    extractor: &'a Extractor,
    domain: &'a Domain,
    known: InMemory,
    onion: Option<&'a mut Onion>,
    summary: &'a mut Summary,
    /// Pages that gave nothing, and why, and may be read again by a later version of the profile.
    waiting: Vec<(&'a Found, NoArticle)>,
    write: W,
}

/// What an extraction did.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Summary {
    /// Pages read.
    pub pages: u64,
    /// Bytes of their HTML.
    pub page_bytes: u64,
    /// Documents written.
    pub documents: u64,
    /// Bytes of their texts.
    pub text_bytes: u64,
    /// What became of all pages: `document`, `duplicate`, or why there is no article.
    pub tally: BTreeMap<String, u64>,
    /// Domains that learned now.
    pub learned: u64,
    /// Domains with a profile from before.
    pub profiled: u64,
    /// Domains without a profile.
    pub unprofiled: u64,
    /// Pages and other things that could not be read.
    pub faults: Vec<String>,
}

impl Offline {
    /// Learns the profile of a domain from its stored pages; pages that can't be read are told beside it.
    #[must_use]
    pub fn learn(&self, domain: &Domain, pages: &[Found], clock: &Clock) -> (Option<ServingProfile>, Vec<String>) {
        let mut order: Vec<&Found> = pages.iter().collect();
        if !pages.iter().any(Found::is_archived) {
            order.sort_by_key(|page| page.lot());
        }
        let mut phase = match self.algorithm {
            Algorithm::Goldminer2013 => LearningPhase::as_published(domain, self.learning_pages),
            _ => LearningPhase::new(domain, self.learning_pages),
        };
        let mut faults = Vec::new();
        for page in order {
            match page.read() {
                Ok(Some(page)) => {
                    if !phase.show(&page) {
                        break;
                    }
                }
                Ok(None) => {}
                Err(fault) => faults.push(fault.to_string()),
            }
        }
        if phase.shown() < self.least_learning_pages {
            return (None, faults);
        }
        (phase.learn(1, clock.now()).map(ServingProfile::everywhere), faults)
    }

    /// Extracts everything; `write` is given each page in order, with its document if it has one.
    ///
    /// # Errors
    /// When `write` fails.
    pub fn extract(
        mut self,
        sources: &Sources,
        clock: &Clock,
        mut write: impl FnMut(&Found, Option<&Document>) -> Result<(), EngineError>,
    ) -> Result<Summary, EngineError> {
        let mut summary = Summary { faults: sources.faults.clone(), ..Summary::default() };
        let algorithm = self.algorithm.clone();
        let extractor = Extractor::new(ExtractorConfig { algorithm, ..ExtractorConfig::default() });
        let mut onion = self.onion.map(Onion::new);
        for (domain, pages) in &sources.domains {
            if extractor.uses_profiles() {
                self.prepare(domain, pages, clock, &mut summary);
            }
            let mut reader = Reader {
                offline: &self,
                extractor: &extractor,
                domain,
                known: InMemory::default(),
                onion: onion.as_mut(),
                summary: &mut summary,
                waiting: Vec::new(),
                write: &mut write,
            };
            reader.read_all(pages, &self.library.rescues(domain))?;
        }
        Ok(summary)
    }

    fn prepare(&mut self, domain: &Domain, pages: &[Found], clock: &Clock, summary: &mut Summary) {
        if self.library.covers(domain) {
            summary.profiled += 1;
        } else if self.unprofiled.contains(domain) {
            summary.unprofiled += 1;
        } else {
            let (learned, faults) = self.learn(domain, pages, clock);
            summary.faults.extend(faults);
            match learned {
                Some(serving) => {
                    self.library.add(serving);
                    summary.learned += 1;
                }
                None => summary.unprofiled += 1,
            }
        }
    }
}

impl<'a, W> Reader<'a, W>
where
    W: FnMut(&Found, Option<&Document>) -> Result<(), EngineError>,
{
    /// Reads pages in the order in which the crawl read them: up to where a version of the profile begins to serve, then
    /// those again that this version rescues.
    fn read_all(&mut self, pages: &'a [Found], rescues: &[Arc<ServingProfile>]) -> Result<(), EngineError> {
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
        Ok(())
    }

    fn read(&mut self, pages: &'a [Found], rescues: &[Arc<ServingProfile>]) -> Result<(), EngineError> {
        let (extractor, library) = (self.extractor, &self.offline.library);
        for chunk in pages.chunks(CHUNK) {
            let read = |found: &Found| -> Result<Option<(Gave, usize)>, SourceError> {
                let page: Option<StoredPage> = found.read()?;
                Ok(page.map(|page| (extract(extractor, library, &page), page.bytes.len())))
            };
            let extracted: Vec<_> = chunk.par_iter().map(read).collect();
            for (found, gave) in chunk.iter().zip(extracted) {
                self.summary.pages += 1;
                let gave = gave.map(|gave| {
                    let (gave, bytes) = gave?;
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
        }
        Ok(())
    }

    fn rescue(&mut self, rescue: &ServingProfile) -> Result<(), EngineError> {
        for (found, reason) in std::mem::take(&mut self.waiting) {
            let page = if rescue.rescues(found.position()) { found.read().ok().flatten() } else { None };
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
                self.summary.faults.push(fault.to_string());
                ("unreadable", None)
            }
            Ok(None) => ("unreadable", None),
            Ok(Some(Gave::Nothing(reason))) => (reason.name(), None),
            Ok(Some(Gave::Document(document))) if !self.offline.drop_duplicates => ("document", Some(document)),
            Ok(Some(Gave::Document(document))) => match accept(document, self.domain, &mut self.known)? {
                Accepted::New(document) => ("document", Some(document)),
                Accepted::Duplicate => ("duplicate", None),
            },
        };
        *self.summary.tally.entry(what.to_owned()).or_default() += 1;
        if let Some(document) = &document {
            self.summary.documents += 1;
            self.summary.text_bytes += document.text.len() as u64;
        }
        (self.write)(found, document.as_deref())
    }
}

/// What a page gave, without what earlier ones had.
fn peeled(onion: &mut Onion, gave: Gave) -> Gave {
    let Gave::Document(document) = gave else { return gave };
    let paragraphs: Vec<&str> = document.paragraphs.iter().map(|paragraph| paragraph.text.as_str()).collect();
    let keep = onion.keep(&paragraphs);
    extract::keep(document, &keep).map_or(Gave::Nothing(NoArticle::Seen), Gave::Document)
}
