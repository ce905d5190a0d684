//! Extracts domain by domain into an output directory.
//!
//! A domain's documents are written completely or not at all; then a file marks the domain as complete. Any number of
//! processes may work on one output, each on its shard (its part of the domains). They may be killed and run again:
//! complete domains stay, the others are extracted again, and the files are the same, byte for byte.

use std::path::Path;

use goldminer_core::Document;
use goldminer_corpus::WholeFile;
use goldminer_crawl::extract::{Learned, Until};
use goldminer_crawl::job::card::{classifier_digest, limits_of};
use goldminer_crawl::{Clock, CrawlError};
use goldminer_html::Domain;
use goldminer_warc::OpenFiles;

use super::output::{Output, OutputKind, Settings};
use super::plan::{self, Plan, PlannedDomain, unit_name};
use super::shard::Shard;
use super::stored_pages::{DomainPages, DomainSink};
use super::units::{Overview, Summary, Unit, UnitResult, log_faults};
use super::{BatchExtractor, BatchProgress};
use crate::sources::{PageRef, Sources};

/// An output directory, and the plan of what to extract into it.
pub struct Batch {
    output: Output,
    plan: Plan,
}

impl Batch {
    /// Opens an output directory. `find` returns the pages of the sources and the profiles to use. `find` is called if
    /// the output has no plan (list of domains) yet or, with `again`, if all planned domains are complete.
    ///
    /// # Errors
    /// When the sources or the directory cannot be read, or the output was started with other settings.
    pub fn open(
        out: &Path,
        settings: &Settings,
        again: bool,
        find: impl FnOnce() -> Result<(Sources, Learned), CrawlError>,
    ) -> Result<Self, CrawlError> {
        let output = Output::open(out, OutputKind::Domains)?;
        let is_current = |plan: &Plan| {
            // All domains are checked, also without `again`: a domain of another shard whose files are lost must not
            // count as complete.
            let mut is_whole = true;
            for (domain, planned) in &plan.domains {
                is_whole &= output.is_complete(&unit_name(domain), &planned.inputs, &again_words(domain))?;
            }
            Ok(!again || !is_whole)
        };
        let make = |before| Plan::make(&output, settings, find()?, before);
        let plan = output.plan(settings, is_current, make)?;
        Ok(Self { output, plan })
    }

    /// What jobs have already learned about the domains: their profiles, which are used unchanged, and other results.
    pub fn known(&self) -> &Learned {
        &self.plan.known
    }

    /// Number of pages in the unfinished domains of a shard.
    ///
    /// # Errors
    /// When the manifest cannot be read.
    pub fn pages_left(&self, shard: Shard) -> Result<u64, CrawlError> {
        Ok(self.output.open_units(shard, &self.units())?.iter().map(|unit| unit.weight).sum())
    }

    /// Extracts the unfinished domains of a shard.
    ///
    /// # Errors
    /// When the disk fails, or another process has the shard.
    pub fn run(
        &self,
        options: &BatchExtractor,
        shard: Shard,
        clock: &Clock,
        progress: &BatchProgress,
    ) -> Result<Overview<Summary>, CrawlError> {
        let _lock = self.output.lock_shard(shard)?;
        self.plan.faults.iter().for_each(|fault| tracing::warn!("{fault}"));
        let (extractor, files) = (options.extractor(), OpenFiles::default());
        // One thread more than cores, so that all cores are busy while one thread writes or learns.
        let threads = rayon::current_num_threads() + 1;
        let has_new = self.output.make(shard, &self.units(), threads, |(domain, planned)| {
            let pages = plan::pages(&self.output, domain, planned)?;
            let mut file: Option<WholeFile> = None;
            let write = |_: &PageRef, document: Option<&Document>| {
                let Some(document) = document else { return Ok(()) };
                let file = match &mut file {
                    Some(file) => file,
                    none => none.insert(self.output.documents(&documents_name(domain), shard)?),
                };
                Ok(file.write(document)?)
            };
            let mut run = options.run(&extractor, domain, &pages, clock);
            let mut sink = DomainSink::new(&options.filter, &pages, progress, write);
            run.advance(&DomainPages::new(&pages, &files), &mut sink, Until::Done)?;
            let mut summary = std::mem::take(&mut sink.summary);
            drop(sink);
            options.count_domain(&run, &mut summary);
            let held = file.map(WholeFile::finish).transpose()?.into_iter().collect();
            Ok(UnitResult { summary, held, files: Vec::new() })
        })?;
        let mut overview: Overview<Summary> = self.output.overview(self.plan.units(), has_new)?;
        overview.summary += Summary { others: self.plan.others.clone(), ..Summary::default() };
        log_faults(&mut overview.summary.faults, &self.plan.faults);
        if overview.complete == overview.planned && (has_new || !self.output.has_card()) {
            let Summary { pages, tally, faults, .. } = &overview.summary;
            let limits = limits_of(*pages, tally, faults.len() as u64, &options.filter);
            self.output.leave_card(self.plan.units(), limits, Some(classifier_digest(&options.algorithm)))?;
        }
        Ok(overview)
    }

    fn units(&self) -> Vec<Unit<(&Domain, &PlannedDomain)>> {
        let domains = self.plan.domains.iter().map(|(domain, planned)| {
            let (name, again) = (unit_name(domain), again_words(domain));
            let (inputs, weight) = (planned.inputs.clone(), planned.pages);
            Unit { name, inputs, weight, again, what: (domain, planned) }
        });
        domains.collect()
    }
}

fn again_words(domain: &Domain) -> String {
    format!("{domain} is extracted again")
}

fn documents_name(domain: &Domain) -> String {
    format!("{}-00000.jsonl.zst", goldminer_corpus::file_name(domain.as_str()))
}
