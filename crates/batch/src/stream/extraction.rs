//! One output, made file by file: what is done stays, what is not is done again, to the same bytes.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use goldminer_core::document::{Document, Method};
use goldminer_core::extract::Extractor;
use goldminer_core::extract::domain::{Fingerprint, PageOutcome, PageRead};
use goldminer_corpus as corpus;
use goldminer_corpus::{Card, HeldFile, Unwanted, WholeFile};
use goldminer_crawl::extract::page_or_capture;
use goldminer_crawl::job::card::{classifier_digest, limits_of};
use goldminer_crawl::run::CrawlError;
use goldminer_html::address::Domain;
use goldminer_warc::caught::caught;
use goldminer_warc::objects::{Mirror, ObjectAddress};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::card::leave_card;
use super::digests::{DigestFile, DigestRow};
use super::pages::{Answer, Answers, Chunk};
use super::profiles::StreamProfiles;
use super::recent::Recent;
use super::summary::StreamSummary;
use crate::archive_stats::ArchiveStats;
use crate::file_plan::{FilePlan, PlannedFile};
use crate::manifest::{Manifest, ManifestError, disk, lost, refuse_foreign};
use crate::plan::Settings;
use crate::shard::Shard;
use crate::sources::{Archives, bytes_of, why_not};
use crate::stored_pages::BatchProgress;
use crate::workers::side_by_side;
use crate::{BatchExtractor, manifest};

/// The setting that every output of a pass is begun with.
pub(super) const STREAM: &str = "--stream";

/// An output directory that is made file by file.
pub struct StreamOutput {
    pub(super) manifest: Manifest,
    pub(super) plan: FilePlan,
    /// What it was called, for its card.
    name: PathBuf,
    /// Where it lies in a bucket: what is complete is sent there, and does not stay here.
    mirror: Option<Mirror>,
}

/// How an output stands.
#[derive(Debug, Clone, Serialize)]
pub struct StreamOverview {
    /// Of all files that are complete, whoever read them.
    #[serde(flatten)]
    pub summary: StreamSummary,
    /// Files in all.
    pub planned: usize,
    /// Whether nothing was left to be done.
    #[serde(skip)]
    pub was_there: bool,
    /// What lies beside them and is not read.
    #[serde(skip)]
    pub aside: Vec<String>,
}

/// A file is complete.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Done {
    pub summary: StreamSummary,
    /// How long its documents are, compressed.
    pub bytes: u64,
}

/// What an answer came to.
enum Got {
    /// What it gave, the unit that it belongs to, and its bytes.
    Page(Box<PageRead>, Domain, u64),
    /// It is no page.
    Other(&'static str),
    /// Reading its text failed.
    Failed(String),
}

/// What is written of a file.
struct Writing<'a> {
    offline: &'a BatchExtractor,
    progress: &'a BatchProgress,
    documents: WholeFile,
    digests: DigestFile,
    digests_path: PathBuf,
    recent: Recent,
    summary: StreamSummary,
}

impl StreamOutput {
    /// Opens an output directory; `find` tells which files the sources hold, if nobody has looked yet.
    ///
    /// # Errors
    /// When the sources or the directory can't be read, or it was begun with other settings.
    pub fn open(
        out: &Path,
        mut settings: Settings,
        find: impl FnOnce() -> Result<Archives, CrawlError>,
    ) -> Result<Self, CrawlError> {
        let (far, name) = (ObjectAddress::of(out)?, out.to_owned());
        let mirror = far.map(|address| Mirror::open(&address, manifest::is_of_manifest)).transpose()?;
        let out = mirror.as_ref().map_or(out, Mirror::folder);
        let manifest = Manifest::open_by_file(out)?;
        if !Manifest::is_in(out) {
            refuse_foreign(out)?;
        }
        settings.insert(STREAM.to_owned(), "yes".to_owned());
        let plan = FilePlan::open(&manifest, &settings, find)?;
        if let Some(mirror) = &mirror {
            corpus::leave_card(out)?;
            mirror.send(&[out.join("README.md"), manifest.files_path()])?;
        }
        Ok(Self::of(manifest, plan, mirror, name))
    }

    pub(super) fn of(manifest: Manifest, plan: FilePlan, mirror: Option<Mirror>, name: PathBuf) -> Self {
        Self { manifest, plan, name, mirror }
    }

    /// Extracts the files of a shard that are not done.
    ///
    /// # Errors
    /// When a file can't be read, the disk fails, or another process has the shard.
    pub fn run(
        &self,
        offline: &BatchExtractor,
        profiles: &StreamProfiles,
        shard: Shard,
        progress: &BatchProgress,
    ) -> Result<StreamOverview, CrawlError> {
        let _lock = self.manifest.lock_shard(shard)?;
        corpus::leave_card(self.manifest.out())?;
        fs::create_dir_all(self.digests()).map_err(disk("create", &self.digests()))?;
        let extractor = offline.extractor();
        let share = self.plan.share(shard);
        // Also of what is done: whoever looks at the output takes it for what the sources hold now.
        share.iter().try_for_each(|file| file.check())?;
        let mut open = Vec::new();
        for file in share {
            if self.done(file)?.is_none() {
                open.push(file);
            }
        }
        let is_news = !open.is_empty();
        side_by_side(open, rayon::current_num_threads(), |file| {
            self.file(file, offline, &extractor, profiles, shard, progress)
        })?;
        let overview = StreamOverview { was_there: !is_news, ..self.overview()? };
        let StreamSummary { archive_stats, tally, .. } = &overview.summary;
        if archive_stats.files == overview.planned as u64 && (is_news || !Card::is_in(self.manifest.out())) {
            let limits = limits_of(archive_stats.pages, tally, archive_stats.faults.len() as u64);
            let classifier = Some(classifier_digest(&offline.algorithm));
            leave_card(&self.manifest, self.mirror.as_ref(), &self.plan.files, &self.name, limits, classifier)?;
        }
        Ok(overview)
    }

    /// How the output stands.
    ///
    /// # Errors
    /// When the manifest can't be read.
    pub fn overview(&self) -> Result<StreamOverview, CrawlError> {
        let mut summary = StreamSummary::default();
        if let Some(mirror) = &self.mirror {
            mirror.fetch(manifest::is_of_manifest)?;
        }
        for file in &self.plan.files {
            if let Some(done) = manifest::read::<Done>(&self.manifest.mark_path(&file.name))? {
                summary.add(done.summary);
            }
        }
        Ok(StreamOverview { summary, planned: self.plan.files.len(), was_there: false, aside: self.plan.aside.clone() })
    }

    /// The name of a file's documents.
    pub(super) fn documents(&self, file: &PlannedFile) -> PathBuf {
        self.manifest.out().join(format!("{}.jsonl.zst", file.name))
    }

    /// The documents of a file, on a disk of ours.
    pub(super) fn near(&self, file: &PlannedFile) -> Result<PathBuf, CrawlError> {
        if let Some(mirror) = &self.mirror {
            mirror.fetch_file(&format!("{}.jsonl.zst", file.name))?;
        }
        Ok(self.documents(file))
    }

    /// Documents that [`StreamOutput::near`] gave are not wanted any more.
    pub(super) fn leave(&self, documents: &Path) -> Result<(), ManifestError> {
        if self.mirror.is_some() { manifest::remove(documents) } else { Ok(()) }
    }

    pub(super) fn digests(&self) -> PathBuf {
        self.manifest.out().join("manifest").join("digests")
    }

    /// The mark of a file that is complete, and whose documents are as they were written.
    pub(super) fn done(&self, file: &PlannedFile) -> Result<Option<Done>, ManifestError> {
        let Some(done) = manifest::read::<Done>(&self.manifest.mark_path(&file.name))? else { return Ok(None) };
        let documents = self.documents(file);
        let there = self.mirror.as_ref().map(|mirror| mirror.bytes_there(&format!("{}.jsonl.zst", file.name)));
        let lost = lost(&documents, there, Some(done.bytes))?;
        if let Some(what) = &lost {
            tracing::warn!("{what}: {} is extracted again", file.path.display());
        }
        Ok(lost.is_none().then_some(done))
    }

    fn file(
        &self,
        file: &PlannedFile,
        offline: &BatchExtractor,
        extractor: &Extractor,
        profiles: &StreamProfiles,
        shard: Shard,
        progress: &BatchProgress,
    ) -> Result<(), CrawlError> {
        let near = file.near()?;
        file.check_length(bytes_of(near.path())?)?;
        let (documents, digests) = (self.documents(file), self.digests().join(&file.name));
        let draft = self.manifest.draft(&format!("{}.jsonl.zst", file.name), shard);
        let mut writing = Writing {
            offline,
            progress,
            documents: WholeFile::create(&draft, &documents)?,
            digests: DigestFile::create(&digests).map_err(disk("write", &digests))?,
            digests_path: digests,
            recent: Recent::new(),
            summary: StreamSummary::default(),
        };
        writing.summary.archive_stats.files = 1;
        let read = |answer| read(extractor, profiles, answer);
        let mut answers = Answers::open(near.path())?;
        let mut chunk = answers.next()?;
        while !chunk.is_over() {
            writing.summary.archive_stats.add(chunk.archive_stats);
            // The next ones come from the disk meanwhile.
            let (got, next) = rayon::join(
                || chunk.answers.into_par_iter().map(read).collect::<Result<Vec<_>, _>>(),
                || answers.next(),
            );
            got?.into_iter().try_for_each(|got| writing.record(got))?;
            chunk = next?;
        }
        let (summary, held) = writing.finish()?;
        let (mark, held_path) = (self.manifest.mark_path(&file.name), self.manifest.held_path(&file.name));
        self.manifest.write(&held_path, &held, shard)?;
        self.manifest.write(&mark, &Done { summary, bytes: held.bytes }, shard)?;
        if let Some(mirror) = &self.mirror {
            let digests = self.digests().join(&file.name);
            mirror.send(&[documents.clone(), digests.clone(), held_path.clone(), mark])?;
            manifest::remove(&documents)?;
            manifest::remove(&digests)?;
            manifest::remove(&held_path)?;
        }
        Ok(())
    }
}

impl Chunk {
    /// Whether the file ended before it.
    fn is_over(&self) -> bool {
        self.answers.is_empty() && self.archive_stats == ArchiveStats::default()
    }
}

/// What an answer gives, by the profile of its domain and time.
fn read(extractor: &Extractor, profiles: &StreamProfiles, answer: Answer) -> Result<Got, CrawlError> {
    let Answer { capture, position, is_row, is_dated, words } = answer;
    let place = format!("{} at {}", position.file, position.offset);
    let mut page = match page_or_capture(capture, position) {
        Ok(page) => page,
        Err(capture) => return Ok(Got::Other(why_not(&capture))),
    };
    page.position = page.position.filter(|_| !is_row);
    page.fetched = page.fetched.filter(|_| is_dated);
    if let Some(url) = &page.url {
        page.signals.extend(words.iter().flat_map(|words| words.signals(url)));
    }
    let (site, fetched, bytes) = (page.domain.clone(), page.fetched, page.bytes.len() as u64);
    let read = |profiles: &_, unit: &Domain| {
        page.domain = unit.clone();
        (caught(|| PageRead::of(extractor, profiles, &page, false)), unit.clone())
    };
    let (read, unit) = profiles.with(&site, fetched, read)?;
    Ok(match read {
        Ok(read) => Got::Page(Box::new(read), unit, bytes),
        Err(panic) => Got::Failed(format!("reading the text of {place} failed: {panic}; please report the page")),
    })
}

impl Writing<'_> {
    fn record(&mut self, got: Got) -> Result<(), CrawlError> {
        let (outcome, html_bytes) = match got {
            Got::Other(why) => {
                self.summary.archive_stats.other(why);
                return Ok(());
            }
            Got::Failed(fault) => {
                self.summary.archive_stats.fault(fault);
                (PageOutcome::Unreadable, 0)
            }
            Got::Page(read, unit, html_bytes) => (self.page(*read, &unit)?, html_bytes),
        };
        self.summary.archive_stats.pages += 1;
        self.summary.archive_stats.page_bytes += html_bytes;
        self.summary.tally.add(outcome, 1);
        self.progress.pages.fetch_add(1, Ordering::Relaxed);
        self.progress.page_bytes.fetch_add(html_bytes, Ordering::Relaxed);
        Ok(())
    }

    /// Writes a page's document, if it has one that is new and wanted.
    fn page(&mut self, read: PageRead, unit: &Domain) -> Result<PageOutcome, CrawlError> {
        let document = match read.gave {
            Ok(document) => document,
            Err(why) => return Ok(why.into()),
        };
        let fingerprint = Fingerprint::of(&document);
        if self.recent.has(unit.as_str(), &fingerprint) {
            return Ok(PageOutcome::Duplicate);
        }
        if let Err(why) = self.offline.filter.check(&document) {
            return Ok(match why {
                Unwanted::Other | Unwanted::Rights(_) => PageOutcome::Filtered,
                Unwanted::Undated => PageOutcome::Undated,
            });
        }
        self.write(&document, &fingerprint, unit)?;
        Ok(match document.metadata.access {
            Some(_) => PageOutcome::Partial,
            None => PageOutcome::Document,
        })
    }

    fn write(&mut self, document: &Document, fingerprint: &Fingerprint, unit: &Domain) -> Result<(), CrawlError> {
        self.documents.write(document)?;
        self.digests.add(DigestRow::of(unit, fingerprint)).map_err(disk("write", &self.digests_path))?;
        self.summary.documents += 1;
        self.summary.text_bytes += document.text.len() as u64;
        self.summary.by_profile += u64::from(document.provenance.method == Method::Goldminer);
        self.progress.documents.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    fn finish(self) -> Result<(StreamSummary, HeldFile), CrawlError> {
        self.digests.finish().map_err(disk("write", &self.digests_path))?;
        let held = self.documents.finish()?;
        Ok((self.summary, held))
    }
}
