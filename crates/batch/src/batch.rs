//! Extraction into an output directory in units: a domain, or a piece of a large one.
//!
//! A unit's documents are there whole or not at all, and so is the mark that it is done. Any number of processes may work
//! on one output, each on its shard, be killed and run again: what is done stays, what is not is done again, and the
//! files are the same, byte for byte.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::Ordering;

use goldminer_core::document::Document;
use goldminer_core::extract::Extractor;
use goldminer_core::extract::domain::ProfileSet;
use goldminer_corpus as corpus;
use goldminer_corpus::{Card, Format, HeldFile, WholeFile};
use goldminer_crawl::extract::{Learned, Run, Until, Walls, read_piece};
use goldminer_crawl::job::card::{classifier_digest, limits_of};
use goldminer_crawl::limits::clock::Clock;
use goldminer_crawl::run::CrawlError;
use goldminer_html::address::Domain;
use goldminer_warc::OpenFiles;
use serde::Serialize;

use crate::join::{join, pieces, remove_pieces};
use crate::manifest::{Done, Manifest, ManifestError, Piece, PieceReading, refuse_foreign};
use crate::plan::{Plan, Planned, Settings};
use crate::shard::Shard;
use crate::sources::{PageRef, Sources};
use crate::stored_pages::{DomainPages, Writing};
use crate::summary::Summary;
use crate::workers::side_by_side;
use crate::{BatchExtractor, BatchProgress, plan};

/// An output directory with what is to be extracted into it.
pub struct Batch {
    manifest: Manifest,
    plan: Plan,
}

/// How an output stands.
#[derive(Debug, Clone, Serialize)]
pub struct Overview {
    /// Of all domains that are complete, whoever extracted them.
    #[serde(flatten)]
    pub summary: Summary,
    /// Domains in all.
    pub domains: usize,
    /// Of these, complete.
    pub complete: usize,
}

/// What is done in one go.
#[derive(Debug, Clone, Copy)]
struct Unit<'a> {
    domain: &'a Domain,
    planned: &'a Planned,
    piece: u32,
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
        let manifest = Manifest::open(out)?;
        let _lock = manifest.lock()?;
        let plan = match Plan::of(&manifest)? {
            None => {
                refuse_foreign(out)?;
                None
            }
            Some(plan) => {
                plan.check(&manifest, settings)?;
                plan.take_back_lost(&manifest)?;
                Some(plan).filter(|plan| !again || !plan.is_complete(&manifest).unwrap_or(false))
            }
        };
        let plan = match plan {
            Some(plan) => plan,
            None => {
                let (sources, learned) = find()?;
                Plan::make(&manifest, settings, sources, learned, piece_pages)?
            }
        };
        Ok(Self { manifest, plan })
    }

    /// The profiles that serve as they are.
    #[must_use]
    pub fn profiles(&self) -> ProfileSet {
        ProfileSet::of(self.plan.profiles.iter().cloned())
    }

    /// Domains that are known to teach nothing.
    #[must_use]
    pub fn unprofiled(&self) -> Vec<Domain> {
        self.plan.unprofiled.iter().map(|name| Domain::named(name)).collect()
    }

    /// What is known to stand on pages of a domain in the place of articles.
    #[must_use]
    pub fn walls(&self) -> Walls {
        self.plan.walls.clone()
    }

    /// How many pages a shard still has to read.
    ///
    /// # Errors
    /// When the manifest can't be read.
    pub fn pages_left(&self, shard: Shard) -> Result<u64, CrawlError> {
        Ok(self.open_units(shard)?.iter().map(Unit::pages).sum())
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
    ) -> Result<Overview, CrawlError> {
        let _lock = self.manifest.lock_shard(shard)?;
        corpus::leave_card(self.manifest.out())?;
        let large = self.plan.domains.iter().filter(|(_, planned)| planned.pieces > 1);
        let extractor = offline.extractor();
        let work = Work {
            batch: self,
            offline,
            extractor: &extractor,
            shard,
            clock,
            progress,
            files: OpenFiles::default(),
            learned: large.map(|(domain, _)| (domain, OnceLock::new())).collect(),
        };
        // One more than there are cores, so that all are busy while one writes or learns.
        let open = self.open_units(shard)?;
        let is_news = !open.is_empty();
        side_by_side(open, rayon::current_num_threads() + 1, |unit| work.unit(unit))?;
        for (domain, planned) in self.plan.domains.iter().filter(|(_, planned)| planned.pieces > 1) {
            let _lock = self.manifest.lock()?;
            if self.manifest.done(domain, &planned.inputs)?.is_none() {
                work.join(domain, planned)?;
            }
        }
        let overview = self.overview()?;
        if overview.complete == overview.domains && (is_news || !Card::is_in(self.manifest.out())) {
            self.card(&overview.summary, offline)?;
        }
        Ok(overview)
    }

    /// Writes the card of an output that is complete.
    fn card(&self, summary: &Summary, offline: &BatchExtractor) -> Result<(), CrawlError> {
        let _lock = self.manifest.lock()?;
        let out = self.manifest.out();
        let limits = limits_of(summary.pages, &summary.tally, summary.faults.len() as u64);
        let classifier = Some(classifier_digest(&offline.algorithm));
        let mut card = Card { limits, classifier, ..Card::of(out, Format::Jsonl) };
        for (domain, planned) in &self.plan.domains {
            let Some(done) = self.manifest.done(domain, &planned.inputs)? else { return Ok(()) };
            if done.held.len() == done.files.len() {
                done.held.into_iter().for_each(|file| card.add(file));
                continue;
            }
            // An earlier version has written them.
            for name in &done.files {
                card.add(HeldFile::counted(&out.join(name))?);
            }
        }
        card.write(out)?;
        Ok(())
    }

    /// How the output stands.
    ///
    /// # Errors
    /// When the manifest can't be read.
    pub fn overview(&self) -> Result<Overview, CrawlError> {
        let summary = Summary { others: self.plan.others.clone(), ..Summary::default() };
        let mut overview = Overview { summary, domains: self.plan.domains.len(), complete: 0 };
        for (domain, planned) in &self.plan.domains {
            if let Some(done) = self.manifest.done(domain, &planned.inputs)? {
                overview.complete += 1;
                overview.summary.add(done.summary);
            }
        }
        self.plan.faults.iter().for_each(|fault| overview.summary.fault(fault.clone()));
        Ok(overview)
    }

    /// The units of a shard that are not done, the heaviest first.
    fn open_units(&self, shard: Shard) -> Result<Vec<Unit<'_>>, CrawlError> {
        let units: Vec<Unit<'_>> = self
            .plan
            .domains
            .iter()
            .flat_map(|(domain, planned)| (0..planned.pieces).map(move |piece| Unit { domain, planned, piece }))
            .collect();
        let weights: Vec<u64> = units.iter().map(Unit::pages).collect();
        let mut open = Vec::new();
        for at in shard.share(&weights) {
            let Unit { domain, planned, piece } = units[at];
            let is_done = self.manifest.done(domain, &planned.inputs)?.is_some()
                || planned.pieces > 1 && self.manifest.piece(domain, piece, &planned.inputs)?.is_some();
            if !is_done {
                open.push(units[at]);
            }
        }
        Ok(open)
    }
}

impl Unit<'_> {
    /// Which of the domain's pages, and how many.
    fn range(&self) -> std::ops::Range<usize> {
        let (pages, pieces, piece) = (self.planned.pages, u64::from(self.planned.pieces), u64::from(self.piece));
        (pages * piece / pieces) as usize..(pages * (piece + 1) / pieces) as usize
    }

    fn pages(&self) -> u64 {
        self.range().len() as u64
    }
}

impl<'a> Work<'a> {
    fn unit(&self, unit: Unit<'a>) -> Result<(), CrawlError> {
        let pages = self.pages(unit.domain, unit.planned)?;
        match unit.planned.pieces > 1 {
            true => self.piece(unit, &pages),
            false => self.domain(unit.domain, unit.planned, &pages),
        }
    }

    fn pages(&self, domain: &Domain, planned: &Planned) -> Result<Vec<PageRef>, ManifestError> {
        let pages = plan::pages(&self.batch.manifest, domain)?;
        if pages.len() as u64 == planned.pages {
            return Ok(pages);
        }
        let path = self.batch.manifest.pages_path(domain);
        Err(ManifestError::Broken { path, cause: format!("{} pages and not {}", pages.len(), planned.pages) })
    }

    /// Extracts a domain as a whole.
    fn domain(&self, domain: &Domain, planned: &Planned, pages: &[PageRef]) -> Result<(), CrawlError> {
        let manifest = &self.batch.manifest;
        let name = Manifest::file_name(domain, 0);
        let mut file = None;
        let write = |_: &PageRef, document: Option<&Document>| {
            let Some(document) = document else { return Ok(()) };
            let file = match &mut file {
                Some(file) => file,
                none => {
                    none.insert(WholeFile::create(&manifest.draft(&name, self.shard), &manifest.out().join(&name))?)
                }
            };
            Ok(file.write(document)?)
        };
        let mut run = self.offline.run(self.extractor, domain, pages, self.clock);
        let mut writing = Writing::new(&self.offline.filter, pages, self.progress, write);
        run.advance(&DomainPages::new(pages, &self.files), &mut writing, Until::Done)?;
        let profile = self.offline.profile_state(&run);
        let mut summary = writing.summary;
        summary.count_domain(&profile);
        let held: Vec<HeldFile> = file.map(WholeFile::finish).transpose()?.into_iter().collect();
        let files = held.iter().map(|file| file.name.clone()).collect();
        let (domain, inputs) = (domain.clone(), planned.inputs.clone());
        let done = Done { domain, inputs, profile, summary, files, bytes: Vec::new(), held };
        Ok(manifest.finish(done, self.shard)?)
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
    fn piece(&self, unit: Unit<'_>, pages: &[PageRef]) -> Result<(), CrawlError> {
        let manifest = &self.batch.manifest;
        let draft = manifest.draft(&Manifest::file_name(unit.domain, unit.piece), self.shard);
        let mut file = WholeFile::create(&draft, &manifest.piece_documents(unit.domain, unit.piece))?;
        let run = self.learned(unit.domain, pages)?;
        let mut writing = Writing::new(&self.offline.filter, pages, self.progress, |_, _| Ok(()));
        let mut readings = Vec::new();
        let take = |reading, document: Option<Box<Document>>| {
            let text_bytes = document.as_ref().map_or(0, |document| document.text.len() as u64);
            readings.push(PieceReading { reading, text_bytes });
            Ok(document.iter().try_for_each(|document| file.write(document))?)
        };
        let range = unit.range();
        let found = DomainPages::new(pages, &self.files);
        let page_bytes = read_piece(&run, &found, range.start as u64..range.end as u64, &mut writing, take)?;
        file.finish()?;
        let documents = manifest.piece_documents(unit.domain, unit.piece);
        let bytes = Some(std::fs::metadata(&documents).map_err(crate::manifest::disk("read", &documents))?.len());
        self.progress.pages.fetch_add(readings.len() as u64, Ordering::Relaxed);
        let mark = Piece {
            inputs: unit.planned.inputs.clone(),
            profile: self.offline.profile_state(&run),
            summary: Summary { pages: readings.len() as u64, page_bytes, ..writing.summary },
            readings,
            bytes,
        };
        Ok(manifest.write(&manifest.piece_path(unit.domain, unit.piece), &mark, self.shard)?)
    }

    /// Joins the pieces of a large domain, if all are there.
    fn join(&self, domain: &Domain, planned: &Planned) -> Result<(), CrawlError> {
        let manifest = &self.batch.manifest;
        let Some(pieces) = pieces(manifest, domain, planned)? else { return Ok(()) };
        let pages = self.pages(domain, planned)?;
        if !join(manifest, planned, &pieces, self.shard, self.learned(domain, &pages)?)? {
            self.domain(domain, planned, &pages)?;
        }
        Ok(remove_pieces(manifest, domain, planned)?)
    }
}

/// Refuses an output directory that is made in units, or was: documents in another form, or with other paragraphs, would
/// count twice beside what is there. `form` says what the caller would write, as in `--format text`.
///
/// # Errors
/// When it is so, or the directory can't be read.
pub fn refuse_units(out: &Path, form: &str) -> Result<(), ManifestError> {
    if !Manifest::is_in(out) {
        return Ok(());
    }
    Err(ManifestError::OtherSettings {
        out: out.to_owned(),
        setting: "--format jsonl".to_owned(),
        was: "without --onion".to_owned(),
        now: form.to_owned(),
    })
}
