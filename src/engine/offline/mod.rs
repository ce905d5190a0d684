//! Extraction from stored pages, without network: each domain learns from its own pages, then gives its documents.
//!
//! A domain knows nothing of the others: profile and duplicates are its own. [`Offline::extract`] goes over all domains in
//! order, for whoever writes what they give; [`Batch`] writes JSON lines in units that may be spread over processes and
//! resumed. Memory holds a chunk of pages of each domain at work, and what is known of that domain's texts.

mod batch;
mod join;
mod manifest;
mod plan;
mod reader;
mod shard;
mod summary;

use std::borrow::Cow;
use std::sync::atomic::AtomicU64;

use crate::address::Domain;
use crate::archive::OpenFiles;
use crate::baseline::onion::{Onion, OnionConfig};
use crate::corpus::Filter;
use crate::document::Document;
use crate::extract::{Algorithm, Extractor, ExtractorConfig};

use super::EngineError;
use super::clock::Clock;
use super::extraction::{LearningPhase, Library, ServingProfile};
use super::sources::{Found, Sources};
use reader::Reader;

pub use batch::{Batch, Overview, refuse_units};
pub use manifest::ManifestError;
pub use plan::Settings;
pub use shard::Shard;
pub use summary::{ProfileState, Summary};

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
    /// Which documents are wanted.
    pub filter: Filter,
}

/// Counters of an extraction under way, for whoever shows them.
#[derive(Debug, Default)]
pub struct Progress {
    /// Pages read.
    pub pages: AtomicU64,
    /// Bytes of their HTML.
    pub page_bytes: AtomicU64,
    /// Documents that came of them.
    pub documents: AtomicU64,
}

/// A domain that is ready to be read.
struct Prepared<'a> {
    library: Cow<'a, Library>,
    profile: ProfileState,
    faults: Vec<String>,
}

impl Offline {
    /// Learns the profile of a domain from its stored pages; pages that can't be read are told beside it.
    #[must_use]
    pub fn learn(
        &self,
        domain: &Domain,
        pages: &[Found],
        files: &OpenFiles,
        clock: &Clock,
    ) -> (Option<ServingProfile>, Vec<String>) {
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
            match page.read(files) {
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
        &self,
        sources: &Sources,
        clock: &Clock,
        progress: &Progress,
        mut write: impl FnMut(&Found, Option<&Document>) -> Result<(), EngineError> + Send,
    ) -> Result<Summary, EngineError> {
        let mut summary = Summary { faults: sources.faults.clone(), ..Summary::default() };
        let extractor = self.extractor();
        let mut onion = self.onion.map(Onion::new);
        let files = OpenFiles::default();
        for (domain, pages) in &sources.domains {
            let prepared = self.prepare(&extractor, domain, pages, &files, clock);
            summary.count_domain(&prepared.profile);
            summary.faults.extend(prepared.faults);
            let mut reader = Reader::new(self, &extractor, domain, &prepared.library, progress, &files, &mut write);
            reader.onion = onion.as_mut();
            summary.add(reader.read_all(pages)?);
        }
        Ok(summary)
    }

    fn extractor(&self) -> Extractor {
        Extractor::new(ExtractorConfig { algorithm: self.algorithm.clone(), ..ExtractorConfig::default() })
    }

    /// Finds or learns the profile of a domain.
    fn prepare(
        &self,
        extractor: &Extractor,
        domain: &Domain,
        pages: &[Found],
        files: &OpenFiles,
        clock: &Clock,
    ) -> Prepared<'_> {
        let mut prepared =
            Prepared { library: Cow::Borrowed(&self.library), profile: ProfileState::None, faults: Vec::new() };
        if !extractor.uses_profiles() {
            return prepared;
        }
        if let Some(profile) = self.library.latest(domain) {
            prepared.profile = ProfileState::of(&profile.profile, false);
        } else if !self.unprofiled.contains(domain) {
            let (learned, faults) = self.learn(domain, pages, files, clock);
            prepared.faults = faults;
            if let Some(serving) = learned {
                prepared.profile = ProfileState::of(&serving.profile, true);
                prepared.library.to_mut().add(serving);
            }
        }
        prepared
    }
}
