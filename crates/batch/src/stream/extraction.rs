//! Extracts archives file by file (`extract --stream`). When an output is resumed, complete files stay, and the others
//! are made again, with the same bytes.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use goldminer_core::document::Method;
use goldminer_core::extract::domain::Fingerprint;
use goldminer_core::{Document, Extractor, PageOutcome, PageRead, ProfileSet, ServingProfile};
use goldminer_corpus::WholeFile;
use goldminer_crawl::CrawlError;
use goldminer_crawl::extract::{HostRights, Length};
use goldminer_crawl::job::card::{classifier_digest, limits_of};
use goldminer_crawl::store::profile_book::ProfileBook;
use goldminer_html::{ArchivePosition, Capture, Domain};
use goldminer_warc::caught::caught;
use goldminer_warc::durable::DraftFile;
use goldminer_warc::{Entry, FileEntry, Record};
use jiff::Timestamp;
use rayon::prelude::*;
use serde::de::IgnoredAny;

use super::digests::{DigestRow, Recent};
use crate::output::{Output, OutputKind, STREAM, Settings, disk};
use crate::plan::{FilePlan, PlannedFile};
use crate::shard::Shard;
use crate::sources::{ArchivePass, ArchiveStats, RightsSoFar, folder_of, page_in, reason_not_page};
use crate::stored_pages::{BatchProgress, unwanted};
use crate::units::{Overview, StreamSummary, Unit, UnitResult, log_faults};
use crate::{BatchExtractor, lines};

/// An output directory that is made file by file.
pub struct StreamOutput {
    output: Output,
    plan: FilePlan,
}

/// The result of extracting an archived response.
enum Extracted {
    /// The extracted page, its learning unit, and its length.
    Page(Box<PageRead>, Domain, Length),
    /// The response is not a page, for this reason.
    Other(&'static str),
    /// Extracting the page failed, with this message.
    Failed(String),
}

/// Writes the documents of one file.
struct FileWriter<'a> {
    options: &'a BatchExtractor,
    progress: &'a BatchProgress,
    documents: WholeFile,
    digests: DraftFile,
    digests_path: PathBuf,
    recent: Recent,
    summary: StreamSummary,
}

impl StreamOutput {
    /// Opens an output directory. Files that were added to the sources since it was begun are extracted, too.
    ///
    /// # Errors
    /// When the sources or the directory cannot be read, the output was started with other settings, or a file has
    /// changed since its documents were extracted.
    pub fn open(out: &Path, mut settings: Settings, sources: &[PathBuf]) -> Result<Self, CrawlError> {
        let output = Output::open(out, OutputKind::Files)?;
        settings.insert(STREAM.to_owned(), String::new());
        let plan = FilePlan::open(&output, &settings, sources, |_, changed| {
            changed.iter().try_for_each(|planned| refuse_changed(&output, planned))
        })?;
        Ok(Self { output, plan })
    }

    /// Extracts the unfinished files of a shard.
    ///
    /// # Errors
    /// When a file cannot be read, the disk fails, or another process has the shard.
    pub fn run(
        &self,
        options: &BatchExtractor,
        profiles: &StreamProfiles,
        shard: Shard,
        progress: &BatchProgress,
    ) -> Result<Overview<StreamSummary>, CrawlError> {
        let Self { output, plan } = self;
        let _lock = output.lock_shard(shard)?;
        let extractor = options.extractor();
        // Files that are gone are no faults, because their documents are kept.
        let gone = self.check(shard)?;
        plan.aside.iter().chain(&gone).for_each(|fault| tracing::warn!("{fault}"));
        let units: Vec<Unit<&PlannedFile>> = plan.files.iter().map(|file| file.unit(again_words(file), file)).collect();
        let has_new = output.make(shard, &units, rayon::current_num_threads(), |file| {
            self.file(file, options, &extractor, profiles, shard, progress)
        })?;
        let mut overview: Overview<StreamSummary> = output.overview(plan.units(), has_new)?;
        log_faults(&mut overview.summary.archive_stats.faults, &plan.aside);
        if overview.complete == overview.planned && (has_new || !output.has_card()) {
            let StreamSummary { archive_stats, tally, .. } = &overview.summary;
            let limits = limits_of(archive_stats.pages, tally, archive_stats.faults.len() as u64, &options.filter);
            output.leave_card(plan.units(), limits, Some(classifier_digest(&options.algorithm)))?;
        }
        Ok(overview)
    }

    /// Checks that the files of a shard are as they were planned, also those that are complete: users expect the output
    /// to match the current sources. Returns a message about complete files that are gone.
    fn check(&self, shard: Shard) -> Result<Option<String>, CrawlError> {
        let mut gone = Vec::new();
        for planned in self.plan.share(shard) {
            let file = &planned.file;
            if file.is_gone() && self.output.is_complete(&planned.unit_name(), "", &again_words(planned))? {
                gone.push(file.path.display());
            } else {
                file.check()?;
            }
        }
        let more = if gone.len() > 1 { format!(" (and {} more)", gone.len() - 1) } else { String::new() };
        let message = |first| format!("{first} is gone since the output was begun{more}; the documents are kept");
        Ok(gone.first().map(message))
    }

    fn file(
        &self,
        file: &PlannedFile,
        options: &BatchExtractor,
        extractor: &Extractor,
        profiles: &StreamProfiles,
        shard: Shard,
        progress: &BatchProgress,
    ) -> Result<UnitResult<StreamSummary>, CrawlError> {
        let local = file.file.local_file()?;
        let digests_path = digests_path(&self.output, file);
        let mut writer = FileWriter {
            options,
            progress,
            documents: self.output.documents(&file.documents(), shard)?,
            digests: DraftFile::of(&digests_path).map_err(disk("write", &digests_path))?,
            digests_path,
            recent: Recent::new(),
            summary: StreamSummary::default(),
        };
        let read = |response| read(extractor, profiles, response);
        let mut responses = ResponseReader::open(local.path(), &file.file.name)?;
        let mut chunk = responses.next()?;
        while !chunk.is_empty() {
            writer.summary.archive_stats += responses.stats();
            // The next responses are read from disk meanwhile.
            let (extracted, next) =
                rayon::join(|| chunk.into_par_iter().map(read).collect::<Result<Vec<_>, _>>(), || responses.next());
            extracted?.into_iter().try_for_each(|response| writer.record(response))?;
            chunk = next?;
        }
        // The plan may have been made again with another length meanwhile.
        file.file.check()?;
        let FileWriter { documents, digests, digests_path, mut summary, .. } = writer;
        summary.archive_stats += responses.stats();
        digests.publish().map_err(disk("write", &digests_path))?;
        Ok(UnitResult { summary, held: vec![documents.finish()?], files: vec![digests_path] })
    }
}

/// Refuses a file that has changed since its documents were extracted, as long as they are there.
fn refuse_changed(output: &Output, planned: &PlannedFile) -> Result<(), CrawlError> {
    let Some(mark) = output.mark::<IgnoredAny>(&planned.unit_name(), "")? else { return Ok(()) };
    if output.lost(&mark, |_| true)?.is_some() {
        return Ok(());
    }
    let documents = output.name.join(planned.documents());
    let advice =
        format!("delete {}, and run the same command again, which extracts only this file again", documents.display());
    Err(planned.changed("its documents were extracted", &advice))
}

/// The end of the warning about a file whose documents are missing or changed.
fn again_words(file: &PlannedFile) -> String {
    format!("{} is extracted again", file.file.path.display())
}

/// The path of the hashes of a file's documents.
pub(super) fn digests_path(output: &Output, file: &PlannedFile) -> PathBuf {
    output.manifest("digests").join(&file.name)
}

/// Extracts a response with the profile of its domain and time.
fn read(extractor: &Extractor, profiles: &StreamProfiles, response: Response) -> Result<Extracted, CrawlError> {
    let Response { capture, position, is_own, is_row, is_dated, rights } = response;
    let place = format!("{} at {}", position.file, position.offset);
    let mut page = match page_in(capture, position, is_own) {
        Ok(page) => page,
        Err(capture) => return Ok(Extracted::Other(reason_not_page(&capture))),
    };
    page.position = page.position.filter(|_| !is_row);
    page.fetched = page.fetched.filter(|_| is_dated);
    if let Some(url) = &page.url {
        page.signals.extend(rights.iter().flat_map(|rights| rights.signals(url)));
    }
    let (site, fetched, length) = (page.domain.clone(), page.fetched, Length::of(&page));
    let read = |profiles: &_, unit: &Domain| {
        page.domain = unit.clone();
        (caught(|| PageRead::of(extractor, profiles, &page, false)), unit.clone())
    };
    let (read, unit) = profiles.with(&site, fetched, read)?;
    Ok(match read {
        Ok(read) => Extracted::Page(Box::new(read), unit, length),
        Err(panic) => Extracted::Failed(format!("reading the text of {place} failed: {panic}; please report the page")),
    })
}

impl FileWriter<'_> {
    fn record(&mut self, response: Extracted) -> Result<(), CrawlError> {
        let (outcome, length) = match response {
            Extracted::Other(why) => {
                self.summary.archive_stats.other(why);
                return Ok(());
            }
            Extracted::Failed(fault) => {
                self.summary.archive_stats.fault(fault);
                (PageOutcome::Unreadable, Length::default())
            }
            Extracted::Page(read, unit, length) => (self.page(*read, &unit)?, length),
        };
        self.summary.archive_stats.page(length.html);
        self.summary.tally.add(outcome, 1);
        self.summary.truncated += u64::from(length.truncated);
        self.progress.page(length.html);
        Ok(())
    }

    /// Writes a page's document, if it has one that passes the filter and is not a duplicate.
    fn page(&mut self, read: PageRead, unit: &Domain) -> Result<PageOutcome, CrawlError> {
        let document = match read.result {
            Ok(document) => document,
            Err(why) => return Ok(why.into()),
        };
        let fingerprint = Fingerprint::of(&document);
        if self.recent.has(unit.as_str(), &fingerprint) {
            return Ok(PageOutcome::Duplicate);
        }
        if let Some(outcome) = unwanted(&self.options.filter, &document) {
            return Ok(outcome);
        }
        self.write(&document, &DigestRow::of(unit, &fingerprint))?;
        Ok(match document.metadata.access {
            Some(_) => PageOutcome::Partial,
            None => PageOutcome::Document,
        })
    }

    fn write(&mut self, document: &Document, row: &DigestRow) -> Result<(), CrawlError> {
        self.documents.write(document)?;
        lines::put(&mut self.digests, row).map_err(disk("write", &self.digests_path))?;
        self.summary.documents += 1;
        self.summary.text_bytes += document.text.len() as u64;
        self.summary.by_profile += u64::from(document.provenance.method == Method::Goldminer);
        self.progress.documents.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }
}

/// Number of responses that are extracted together.
const CHUNK: usize = 96;
/// A chunk of responses ends when their bodies have this many bytes.
const CHUNK_BYTES: usize = 6 << 20;

/// Reads the responses of one file, in order.
struct ResponseReader {
    pass: ArchivePass,
    /// The rights that hosts have stated so far in the file.
    rights: RightsSoFar,
}

/// A response and its position.
struct Response {
    capture: Capture,
    position: ArchivePosition,
    /// Whether a crawl of this program wrote the file.
    is_own: bool,
    /// Whether it is a row of a table, so that its document cannot name a record.
    is_row: bool,
    /// Whether the time of its fetch is known.
    is_dated: bool,
    /// The rights that its host has stated so far in the file.
    rights: Vec<Arc<HostRights>>,
}

impl ResponseReader {
    fn open(path: &Path, name: &str) -> Result<Self, CrawlError> {
        Ok(Self { pass: ArchivePass::named(path, name)?, rights: RightsSoFar::new(folder_of(path)) })
    }

    /// The counts of the file since the last call, without pages, which are counted later.
    fn stats(&mut self) -> ArchiveStats {
        std::mem::take(&mut self.pass.stats)
    }

    /// The next responses; empty at the end of the file.
    fn next(&mut self) -> Result<Vec<Response>, CrawlError> {
        let (mut chunk, mut bytes) = (Vec::new(), 0);
        while chunk.len() < CHUNK && bytes < CHUNK_BYTES {
            let Some(found) = self.pass.next() else { break };
            let FileEntry { entry, is_row, is_dated, .. } = found?;
            let (position, capture) = match entry {
                Entry::Record { position, record: Record::Response(capture) } => (position, *capture),
                Entry::Record { .. } => continue,
                Entry::Fault(fault) => {
                    self.pass.fault(&fault);
                    continue;
                }
            };
            bytes += capture.body.len();
            self.rights.note(&capture, &position);
            let rights = self.rights.of(&capture.url);
            chunk.push(Response { capture, position, is_own: self.pass.is_own, is_row, is_dated, rights });
        }
        Ok(chunk)
    }
}

/// The profiles for an archive. Each page of a domain without a profile is classified by itself.
pub enum StreamProfiles {
    /// A profile book: a file with many profiles, each with the time from which it is used.
    Book(Box<ProfileBook>),
    /// A few profiles in memory.
    Set(ProfileSet),
}

impl StreamProfiles {
    /// Profiles in memory.
    pub fn of(profiles: Vec<ServingProfile>) -> Self {
        Self::Set(ProfileSet::of(profiles))
    }

    /// Calls `read` with the profiles for a page of this site and time, and with the name under which the site's pages
    /// are grouped. Host names that serve the same site have the same name.
    fn with<T>(
        &self,
        site: &Domain,
        fetched: Option<Timestamp>,
        read: impl FnOnce(&ProfileSet, &Domain) -> T,
    ) -> Result<T, CrawlError> {
        let book = match self {
            Self::Set(profiles) => return Ok(read(profiles, site)),
            Self::Book(book) => book,
        };
        if let Some(spans) = book.spans(site)?
            && let Some(profiles) = spans.at(fetched)
        {
            return Ok(read(profiles, spans.unit().unwrap_or(site)));
        }
        // Profiles that a person has added to a book are stored by registrable domain.
        let spans = book.spans(&site.registrable())?;
        Ok(match spans.as_deref().and_then(|spans| spans.at(fetched)) {
            Some(profiles) => read(profiles, site),
            None => read(&ProfileSet::default(), site),
        })
    }
}
