//! Reads one archive file from start to end. All code that lists, samples or extracts records uses this module, so that
//! records that are not pages are always counted in the same way.

use std::collections::BTreeMap;
use std::ops::AddAssign;
use std::path::Path;

use goldminer_core::StoredPage;
use goldminer_crawl::extract::{holds_page, page_or_capture};
use goldminer_crawl::run::body::{self, Unusable};
use goldminer_fetch::robots::TDMREP_PATH;
use goldminer_html::capture::Truncation;
use goldminer_html::capture::coding::{CodingFault, CodingLimits};
use goldminer_html::{ArchivePosition, Capture};
use goldminer_warc::{ArchiveError, CopyingReader, Entry, Fault, FileEntry, Record};
use serde::{Deserialize, Serialize};

/// The most messages about unreadable records that are listed. All such records are counted.
pub(crate) const MAX_FAULTS: usize = 1_000;

/// The counts of records in some archive files. The counts of several files can be added.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArchiveStats {
    /// Number of files read from start to end.
    pub files: u64,
    /// Number of records in these files.
    pub records: u64,
    /// Number of responses that are pages.
    pub pages: u64,
    /// The bytes of the HTML of these pages, as received.
    pub page_bytes: u64,
    /// Number of responses that are not pages, by reason.
    pub others: BTreeMap<String, u64>,
    /// Messages about what could not be read.
    pub faults: Vec<String>,
}

impl AddAssign for ArchiveStats {
    fn add_assign(&mut self, other: Self) {
        self.files += other.files;
        self.records += other.records;
        self.pages += other.pages;
        self.page_bytes += other.page_bytes;
        other.others.into_iter().for_each(|(why, responses)| *self.others.entry(why).or_default() += responses);
        self.faults.extend(other.faults);
        self.faults.truncate(MAX_FAULTS);
    }
}

impl ArchiveStats {
    pub(crate) fn page(&mut self, bytes: u64) {
        self.pages += 1;
        self.page_bytes += bytes;
    }

    /// Counts a response that is not a page.
    pub(crate) fn other(&mut self, why: &str) {
        match self.others.get_mut(why) {
            Some(responses) => *responses += 1,
            None => drop(self.others.insert(why.to_owned(), 1)),
        }
    }

    /// Counts something that could not be read. All faults are counted, but at most [`MAX_FAULTS`] are listed.
    pub(crate) fn fault(&mut self, fault: String) {
        self.other("damaged or incomplete");
        if self.faults.len() < MAX_FAULTS {
            self.faults.push(fault);
        }
    }
}

/// Reads the records of a WARC file, a WARC file in a WACZ file, or a table of pages, with their positions.
pub(crate) struct ArchivePass {
    reader: CopyingReader,
    /// The name of the file in positions and messages, if it is not the reader's own name.
    name: Option<String>,
    /// Whether a crawl of this program wrote the file. It requests a URL again whose response was cut off.
    pub is_own: bool,
    /// Whether the file had a damaged part so far.
    is_damaged: bool,
    /// The counts of the file so far. The pass counts records, revisits and responses without a web URL; the caller
    /// counts the rest.
    pub stats: ArchiveStats,
}

impl ArchivePass {
    /// Opens a file at its beginning. Positions refer to the folder of [`folder_of`].
    ///
    /// # Errors
    /// When the file cannot be opened.
    pub(crate) fn open(path: &Path) -> Result<Self, ArchiveError> {
        let name = path.strip_prefix(folder_of(path)).ok().filter(|below| below.components().count() > 1);
        let name = name.map(|below| below.display().to_string());
        let stats = ArchiveStats { files: 1, ..ArchiveStats::default() };
        Ok(Self { reader: CopyingReader::open(path)?, name, is_own: false, is_damaged: false, stats })
    }

    /// Opens a file whose positions have this name.
    ///
    /// # Errors
    /// When the file cannot be opened.
    pub(crate) fn named(path: &Path, name: &str) -> Result<Self, ArchiveError> {
        Ok(Self { name: Some(name.to_owned()), ..Self::open(path)? })
    }

    /// The last record as a separate gzip member, for a copy; None if it is too long.
    pub(crate) fn copy(&mut self, position: &ArchivePosition) -> Option<Vec<u8>> {
        self.reader.copy(position)
    }

    /// Whether a response is a page. Counts it in either case.
    pub(crate) fn takes(&mut self, capture: &mut Capture) -> bool {
        let is_page = holds_page(capture) || !self.is_own && keep_decoded(capture) && holds_page(capture);
        match is_page {
            true => self.stats.page(capture.body.len() as u64),
            false => self.stats.other(reason_not_page(capture)),
        }
        is_page
    }

    /// Counts a damaged part of the file. The first one is logged at once, because reading an archive may take hours.
    pub(crate) fn fault(&mut self, fault: &Fault) {
        if !std::mem::replace(&mut self.is_damaged, true) {
            tracing::warn!("{} has damaged records; they are listed at the end", fault.file);
        }
        self.stats.fault(fault.to_string());
    }

    fn rename(&self, name: &mut String) {
        if let Some(other) = &self.name {
            name.clone_from(other);
        }
    }
}

impl Iterator for ArchivePass {
    type Item = Result<FileEntry, ArchiveError>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut stated = self.reader.next()?;
        match stated.as_mut().map(|stated| &mut stated.entry) {
            Ok(Entry::Fault(fault)) => self.rename(&mut fault.file),
            Ok(Entry::Record { position, record }) => {
                self.rename(&mut position.file);
                self.stats.records += 1;
                match record {
                    Record::Revisit(_) => self.stats.other("with content in another record (revisit)"),
                    Record::Other(raw) if raw.kind() == "response" => {
                        self.stats.other("with a URL that is not http(s)");
                    }
                    Record::Response(capture) if !self.is_own => keep_beginning(capture),
                    Record::Other(raw) if raw.kind() == "warcinfo" => {
                        self.is_own = String::from_utf8_lossy(&raw.block).contains("software: goldminer/");
                    }
                    // Requests, metadata of the archiving program, and the like are not reported.
                    Record::Response(_) | Record::Other(_) => {}
                }
            }
            Err(_) => {}
        }
        Some(stated)
    }
}

/// Treats a page that was cut off as one that was cut at a size limit: the beginning is all that an archive has. A
/// robots.txt or tdmrep.json that was cut off is not used, because the rule that matters may be in the missing part.
pub(super) fn keep_beginning(capture: &mut Capture) {
    let is_of_host = ["/robots.txt", TDMREP_PATH].contains(&capture.url.path_and_query());
    if !is_of_host && capture.truncated.is_some() {
        capture.truncated = Some(Truncation::Length);
    }
}

/// Treats a response whose compressed body lacks its end in the same way. Returns whether it is one.
fn keep_decoded(capture: &mut Capture) -> bool {
    let error = capture.decoded_body(CodingLimits::default()).err().filter(|error| !error.decoded.is_empty());
    let is_cut = capture.truncated.is_none() && error.is_some_and(|error| error.fault == CodingFault::Incomplete);
    capture.truncated = if is_cut { Some(Truncation::Length) } else { capture.truncated };
    is_cut
}

/// The page in a response, or else the response. Of another program's archive, a page is also read in part.
pub(crate) fn page_in(capture: Capture, position: ArchivePosition, is_own: bool) -> Result<StoredPage, Box<Capture>> {
    page_or_capture(capture, position.clone()).or_else(|mut capture| match !is_own && keep_decoded(&mut capture) {
        true => page_or_capture(*capture, position),
        false => Err(capture),
    })
}

/// The folder to which positions in a file refer. The path of a file in a WACZ file begins with the path of the WACZ
/// file; positions refer to the folder of that WACZ file.
pub(crate) fn folder_of(file: &Path) -> &Path {
    let wacz = file.ancestors().skip(1).find(|above| above.is_file());
    wacz.unwrap_or(file).parent().unwrap_or(Path::new(""))
}

/// Why a response is not a page.
pub(crate) fn reason_not_page(capture: &Capture) -> &'static str {
    match body::read(capture, CodingLimits::default()).err() {
        Some(Unusable::Status(_)) => "with a status other than 200",
        Some(Unusable::CutOff) => "cut off",
        Some(Unusable::Coding(_)) => "with a broken content coding",
        Some(Unusable::Empty) => "empty",
        Some(Unusable::Media(_)) | None => "not HTML",
    }
}
