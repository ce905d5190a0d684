//! Extraction domain by domain into an output directory: a unit is a domain, or a piece of a large one.
//!
//! A unit's documents are there whole or not at all, and so is the mark that it is done. Any number of processes may work
//! on one output, each on its shard, be killed and run again: what is done stays, what is not is done again, and the
//! files are the same, byte for byte.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::Ordering;

use goldminer_core::document::Document;
use goldminer_core::extract::Extractor;
use goldminer_corpus::WholeFile;
use goldminer_crawl::extract::{Learned, Run, Until, read_piece};
use goldminer_crawl::job::card::{classifier_digest, limits_of};
use goldminer_crawl::limits::clock::Clock;
use goldminer_crawl::run::CrawlError;
use goldminer_html::address::Domain;
use goldminer_warc::OpenFiles;

use super::join::{documents_name, join, piece_name};
use super::output::{Output, OutputKind, Settings, write};
use super::plan::{self, Plan, Planned, unit_name};
use super::shard::Shard;
use super::stored_pages::{DomainPages, Writing};
use super::units::{Made, Overview, Summary, Unit};
use super::{BatchExtractor, BatchProgress};
use crate::sources::{PageRef, Sources};

/// An output directory with what is to be extracted into it.
pub struct Batch {
    output: Output,
    plan: Plan,
}

/// A domain, or a piece of it.
struct Part<'a> {
    domain: &'a Domain,
    planned: &'a Planned,
    piece: u32,
    /// Which of the domain's pages.
    range: Range<u64>,
}

/// One process at work.
struct Work<'a> {
    batch: &'a Batch,
    offline: &'a BatchExtractor,
    extractor: &'a Extractor,
    shard: Shard,
    clock: &'a Clock,
    progress: &'a BatchProgress,
    files: OpenFiles,
    /// Large domains that have learned, so that they learn once a process.
    learned: BTreeMap<&'a Domain, OnceLock<Result<Run<'a>, String>>>,
}

impl Batch {
    /// Opens an output directory. If nothing is planned there yet, `find` tells what the sources hold and which profiles
    /// serve; with `again`, also when all that was planned is done. Domains with more than `piece_pages` are extracted in
    /// pieces of about so many.
    ///
    /// # Errors
    /// When the sources or the directory can't be read, or it was begun with other settings.
    pub fn open(
        out: &Path,
        settings: &Settings,
        piece_pages: usize,
        again: bool,
        find: impl FnOnce() -> Result<(Sources, Learned), CrawlError>,
    ) -> Result<Self, CrawlError> {
        let output = Output::open(out, OutputKind::Domains)?;
        let is_current = |plan: &Plan| {
            // Looks at every domain, also without `again`: what another shard has lost is not counted as complete.
            let mut is_whole = true;
            for (domain, planned) in &plan.domains {
                is_whole &= output.is_complete(&unit_name(domain), &planned.inputs, &again_words(domain))?;
            }
            Ok(!again || !is_whole)
        };
        let make = |before| Ok(Plan::make(&output, settings, find()?, piece_pages, before)?);
        let plan = output.plan(settings, is_current, make)?;
        Ok(Self { output, plan })
    }

    /// The profiles that serve as they are, and what else is known of the domains.
    pub fn known(&self) -> &Learned {
        &self.plan.known
    }

    /// How many pages a shard still has to read.
    ///
    /// # Errors
    /// When the manifest can't be read.
    pub fn pages_left(&self, shard: Shard) -> Result<u64, CrawlError> {
        Ok(self.output.open_units(shard, &self.units())?.iter().map(|unit| unit.weight).sum())
    }

    /// Extracts what a shard has to do.
    ///
    /// # Errors
    /// When the disk fails, or another process has the shard.
    pub fn run(
        &self,
        offline: &BatchExtractor,
        shard: Shard,
        clock: &Clock,
        progress: &BatchProgress,
    ) -> Result<Overview<Summary>, CrawlError> {
        let _lock = self.output.lock_shard(shard)?;
        let large = || self.plan.domains.iter().filter(|(_, planned)| planned.pieces > 1);
        let extractor = offline.extractor();
        let work = Work {
            batch: self,
            offline,
            extractor: &extractor,
            shard,
            clock,
            progress,
            files: OpenFiles::default(),
            learned: large().map(|(domain, _)| (domain, OnceLock::new())).collect(),
        };
        // One more than there are cores, so that all are busy while one writes or learns.
        let threads = rayon::current_num_threads() + 1;
        let mut is_news = self.output.make(shard, &self.units(), threads, |part| work.part(part))?;
        for (domain, planned) in large() {
            let _lock = self.output.lock()?;
            if !self.output.is_complete(&unit_name(domain), &planned.inputs, &again_words(domain))? {
                work.join(domain, planned)?;
                is_news = true;
            }
        }
        let mut overview: Overview<Summary> = self.output.overview(self.plan.units(), is_news)?;
        overview.summary += Summary { others: self.plan.others.clone(), ..Summary::default() };
        self.plan.faults.iter().for_each(|fault| overview.summary.fault(fault.clone()));
        if overview.complete == overview.planned && (is_news || !self.output.has_card()) {
            let Summary { pages, tally, faults, .. } = &overview.summary;
            let limits = limits_of(*pages, tally, faults.len() as u64);
            self.output.leave_card(self.plan.units(), limits, Some(classifier_digest(&offline.algorithm)))?;
        }
        Ok(overview)
    }

    fn units(&self) -> Vec<Unit<Part<'_>>> {
        let mut units = Vec::new();
        for (domain, planned) in &self.plan.domains {
            let pieces = u64::from(planned.pieces);
            for piece in 0..planned.pieces {
                let from = |piece: u32| planned.pages * u64::from(piece) / pieces;
                let range = from(piece)..from(piece + 1);
                let (name, whole) = match planned.pieces > 1 {
                    true => (piece_name(domain, piece), Some(unit_name(domain))),
                    false => (unit_name(domain), None),
                };
                let (inputs, weight, again) = (planned.inputs.clone(), range.end - range.start, again_words(domain));
                units.push(Unit { name, whole, inputs, weight, again, what: Part { domain, planned, piece, range } });
            }
        }
        units
    }
}

fn again_words(domain: &Domain) -> String {
    format!("{domain} is extracted again")
}

impl<'a> Work<'a> {
    fn part(&self, part: &Part<'a>) -> Result<Made<Summary>, CrawlError> {
        let pages = plan::pages(&self.batch.output, part.domain, part.planned)?;
        if part.planned.pieces > 1 { self.piece(part, &pages) } else { self.domain(part.domain, &pages) }
    }

    /// Extracts a domain as a whole.
    fn domain(&self, domain: &Domain, pages: &[PageRef]) -> Result<Made<Summary>, CrawlError> {
        let mut file: Option<WholeFile> = None;
        let write = |_: &PageRef, document: Option<&Document>| {
            let Some(document) = document else { return Ok(()) };
            let file = match &mut file {
                Some(file) => file,
                none => none.insert(self.batch.output.documents(&documents_name(domain, 0), self.shard)?),
            };
            Ok(file.write(document)?)
        };
        let mut run = self.offline.run(self.extractor, domain, pages, self.clock);
        let mut writing = Writing::new(&self.offline.filter, pages, self.progress, write);
        run.advance(&DomainPages::new(pages, &self.files), &mut writing, Until::Done)?;
        let mut summary = std::mem::take(&mut writing.summary);
        drop(writing);
        self.offline.count_domain(&run, &mut summary);
        let held = file.map(WholeFile::finish).transpose()?.into_iter().collect();
        Ok(Made { summary, held, files: Vec::new() })
    }

    /// A large domain that has learned.
    fn learned(&self, domain: &Domain, pages: &[PageRef]) -> Result<Run<'a>, CrawlError> {
        let learn = || {
            let learned = self.offline.learned(self.extractor, domain, pages, &self.files, self.clock);
            learned.map_err(|error| error.to_string())
        };
        let learned = self.learned.get(domain).map(|learned| learned.get_or_init(learn).clone());
        learned.unwrap_or_else(learn).map_err(CrawlError::Defect)
    }

    /// Extracts a piece of a large domain; what goes into the corpus is decided when all pieces are there.
    fn piece(&self, part: &Part<'_>, pages: &[PageRef]) -> Result<Made<Summary>, CrawlError> {
        let output = &self.batch.output;
        let name = format!("manifest/pieces/{}", documents_name(part.domain, part.piece));
        let mut file = output.documents(&name, self.shard)?;
        let run = self.learned(part.domain, pages)?;
        let mut writing = Writing::new(&self.offline.filter, pages, self.progress, |_, _| Ok(()));
        let mut readings = Vec::new();
        let take = |reading, document: Option<Box<Document>>| {
            readings.push(reading);
            Ok(document.iter().try_for_each(|document| file.write(document))?)
        };
        let found = DomainPages::new(pages, &self.files);
        let page_bytes = read_piece(&run, &found, part.range.clone(), &mut writing, take)?;
        file.finish()?;
        self.progress.pages.fetch_add(readings.len() as u64, Ordering::Relaxed);
        let readings_path = output.manifest(&format!("{}.readings", piece_name(part.domain, part.piece)));
        write(&readings_path, &readings)?;
        let mut summary = Summary { pages: readings.len() as u64, page_bytes, ..writing.summary };
        if part.piece == 0 {
            self.offline.count_domain(&run, &mut summary);
        }
        Ok(Made { summary, held: Vec::new(), files: vec![output.folder.join(name), readings_path] })
    }

    /// Joins the pieces of a large domain, if all are there.
    fn join(&self, domain: &Domain, planned: &Planned) -> Result<(), CrawlError> {
        let output = &self.batch.output;
        for piece in 0..planned.pieces {
            if !output.is_complete(&piece_name(domain, piece), &planned.inputs, &again_words(domain))? {
                return Ok(());
            }
        }
        let pages = plan::pages(output, domain, planned)?;
        let made = match join(output, planned, self.shard, self.learned(domain, &pages)?)? {
            Some(made) => made,
            None => self.domain(domain, &pages)?,
        };
        output.finish(&unit_name(domain), &planned.inputs, made)?;
        Ok((0..planned.pieces).try_for_each(|piece| output.forget(&piece_name(domain, piece)))?)
    }
}
