//! Extracts stored pages, without network: domain by domain ([`Batch`]), or file by file from archives of any size
//! ([`stream`]), with profiles learned from [`samples`].
//!
//! Domains are independent: each has its own profile, and duplicates are only removed within it. Memory holds a chunk
//! of pages of each domain that is being extracted, and hashes of its texts. Every result, including a sample, is a
//! folder (`Output`) of units: domains, files or shards. Any number of processes write units, each completely or not at
//! all. [`BatchExtractor::extract`] passes documents to callers that write them in another way.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::disallowed_methods))]

pub mod sources;

mod batch;
mod completeness;
mod lines;
mod output;
mod plan;
pub mod samples;
mod shard;
mod stored_pages;
pub mod stream;
mod units;

use std::borrow::Cow;

use goldminer_core::extract::domain::{DomainExtraction, ExtractionProgress, LearningState, Rules};
use goldminer_core::{Algorithm, Document, DomainProfile, Extractor, Phase, ProfileSet};
use goldminer_corpus::Filter;
use goldminer_crawl::extract::{Learned, Run, Until, Walls};
use goldminer_crawl::{Clock, CrawlError};
use goldminer_html::Domain;
use goldminer_lab::onion::{Onion, OnionConfig};
use goldminer_warc::OpenFiles;

use sources::{PageRef, Sources};
use stored_pages::{DomainPages, DomainSink};

pub use batch::Batch;
pub use completeness::{incomplete, is_stream_output};
pub use output::{DIGEST, OutputRefused, Settings, refuse_units};
pub use shard::Shard;
pub use stored_pages::BatchProgress;
pub use units::{Overview, StreamSummary, Summary};

/// Options of an extraction.
#[derive(Debug, Clone)]
pub struct BatchExtractor {
    /// The algorithm that decides which paragraphs are text.
    pub algorithm: Algorithm,
    /// Whether documents get their structure (levels, lists, links, figures), besides kinds and texts of paragraphs.
    pub structure: bool,
    /// Removes paragraphs that occur in earlier documents of the sources.
    pub onion: Option<OnionConfig>,
    /// Profiles that are used unchanged; profiles for other domains are learned.
    pub profiles: ProfileSet,
    /// Domains that have no profile, because nothing can be learned from them: each of their pages is classified alone.
    pub unprofiled: Vec<Domain>,
    /// Hashes of texts that pages of a domain show in place of articles, such as paywalls.
    pub walls: Walls,
    /// Number of article-like pages from which a domain learns.
    pub learning_pages: usize,
    /// Whether duplicate articles are left out.
    pub drop_duplicates: bool,
    /// The filter for documents.
    pub filter: Filter,
}

impl BatchExtractor {
    /// The options for an extraction by this algorithm, without profiles and without a filter.
    pub fn by(algorithm: Algorithm) -> Self {
        Self {
            algorithm,
            structure: true,
            onion: None,
            profiles: ProfileSet::default(),
            unprofiled: Vec::new(),
            walls: Walls::new(),
            learning_pages: Rules::default().learning_pages as usize,
            drop_duplicates: true,
            filter: Filter::default(),
        }
    }

    /// Adds the profiles and other results that jobs have learned.
    pub fn knowing(self, known: &Learned) -> Self {
        let profiles = ProfileSet::of(known.profiles.iter().cloned());
        let unprofiled = known.unprofiled.iter().map(|name| Domain::named(name)).collect();
        Self { profiles, unprofiled, walls: known.walls.clone(), ..self }
    }

    /// Learns the profile of a domain from its stored pages. Pages that cannot be read are left out.
    ///
    /// # Errors
    /// Only if the program has a bug.
    pub fn learn(
        &self,
        domain: &Domain,
        pages: &[PageRef],
        files: &OpenFiles,
        clock: &Clock,
    ) -> Result<Option<DomainProfile>, CrawlError> {
        let extractor = self.extractor();
        let learned = self.learned(&extractor, domain, pages, files, clock)?;
        Ok(learned.profiles.latest(domain).map(|serving| serving.profile.clone()))
    }

    /// Extracts all pages of the sources. Calls `write` with each page in order, and with its document if it has one. A
    /// page may be passed twice, because a later profile may extract what an earlier one could not.
    ///
    /// # Errors
    /// When `write` fails.
    pub fn extract(
        &self,
        sources: &Sources,
        clock: &Clock,
        progress: &BatchProgress,
        mut write: impl FnMut(&PageRef, Option<&Document>) -> Result<(), CrawlError> + Send,
    ) -> Result<Summary, CrawlError> {
        let mut summary =
            Summary { faults: sources.faults.clone(), others: sources.others.clone(), ..Summary::default() };
        let extractor = self.extractor();
        let mut onion = self.onion.map(Onion::new);
        let files = OpenFiles::default();
        for (domain, pages) in &sources.domains {
            let mut run = self.run(&extractor, domain, pages, clock);
            let mut sink = DomainSink::new(&self.filter, pages, progress, &mut write);
            sink.onion = onion.as_mut();
            run.advance(&DomainPages::new(pages, &files), &mut sink, Until::Done)?;
            let mut of_domain = sink.summary;
            self.count_domain(&run, &mut of_domain);
            summary += of_domain;
        }
        Ok(summary)
    }

    fn extractor(&self) -> Extractor {
        Extractor::default().with_algorithm(self.algorithm.clone()).with_structure(self.structure)
    }

    /// The extraction of a domain, before learning.
    fn run<'a>(&'a self, extractor: &'a Extractor, domain: &Domain, pages: &[PageRef], clock: &Clock) -> Run<'a> {
        let is_known = self.unprofiled.contains(domain) || self.profiles.covers(domain);
        let mut rules = Rules::default();
        rules.learns = extractor.uses_profiles() && !self.unprofiled.contains(domain);
        // A profile of a job is used for the same pages as in the job. Other domains are checked for redesigns, if the
        // order of their pages is known.
        rules.watches = !is_known && !extractor.is_published() && pages.iter().all(PageRef::is_archived);
        rules.drops_duplicates = self.drop_duplicates;
        rules.learning_pages = self.learning_pages as u64;
        let mut state = LearningState::default();
        state.walls = self.walls.get(domain.as_str()).cloned().unwrap_or_default();
        let machine = DomainExtraction::new(domain.clone(), rules, state, ExtractionProgress::default());
        Run { machine, profiles: Cow::Borrowed(&self.profiles), extractor, now: clock.now() }
    }

    /// The extraction of a domain after learning, before its first page is extracted.
    fn learned<'a>(
        &'a self,
        extractor: &'a Extractor,
        domain: &Domain,
        pages: &[PageRef],
        files: &OpenFiles,
        clock: &Clock,
    ) -> Result<Run<'a>, CrawlError> {
        let mut run = self.run(extractor, domain, pages, clock);
        let progress = BatchProgress::default();
        let mut sink = DomainSink::new(&self.filter, pages, &progress, |_, _| Ok(()));
        run.advance(&DomainPages::new(pages, files), &mut sink, Until::Learned)?;
        Ok(run)
    }

    /// Counts a domain by the kind of profile that is used for it.
    fn count_domain(&self, run: &Run<'_>, summary: &mut Summary) {
        let domain = run.machine.domain();
        let is_covered = self.profiles.covers(domain);
        let has_profile = is_covered || run.profiles.latest(domain).is_some();
        *match (run.machine.learning().phase == Phase::Profiled && has_profile, is_covered) {
            (false, _) => &mut summary.unprofiled,
            (true, false) => &mut summary.learned,
            (true, true) => &mut summary.profiled,
        } += 1;
    }
}
