//! The page index of a stopped job in one file: a copy of the database's index, for programs that read many pages.
//!
//! Opening the database replays its journal, which takes a fifth of the time of extracting all pages again. So at the
//! end of a crawl or rebuild, the index is written to a file: a line for each domain, followed by one line for each
//! of its pages. `extract` reads this file. If the archive has changed since, or the file is incomplete, [`read`]
//! returns None, and the database is read instead.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;

use goldminer_html::{ArchivePosition, CrawlUrl, Domain};
use goldminer_warc as archive;
use goldminer_warc::ArchiveTip;
use goldminer_warc::durable::DraftFile;
use serde::{Deserialize, Serialize};

use super::{JobDir, JobError};
use crate::CrawlError;
use crate::store::frontier::{FrontierTables, PageEntry};

const ZSTD_LEVEL: i32 = 1;

/// The first line.
#[derive(Serialize, Deserialize)]
struct Heading {
    /// Where the archive ended when the file was written.
    archive_end: Option<ArchiveTip>,
    domains: u64,
}

/// The line before the pages of a domain.
#[derive(Serialize, Deserialize)]
struct DomainLine {
    domain: String,
    pages: u64,
}

/// A page of the index.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListedPage {
    /// The URL of the page.
    pub url: CrawlUrl,
    /// The archive record of the page.
    pub position: ArchivePosition,
}

/// Domains with their pages, in the order of the database.
pub type ByDomain = Vec<(Domain, Vec<ListedPage>)>;

impl From<PageEntry> for ListedPage {
    fn from(entry: PageEntry) -> Self {
        Self { url: entry.url, position: entry.position }
    }
}

/// Writes the page index of a job to a file, after a crawl or rebuild. A failure is only logged, because the database
/// has everything.
pub(crate) fn leave(job: &JobDir, tables: &FrontierTables) {
    if let Err(error) = write(job, tables) {
        tracing::warn!("cannot write the page index; extractions will read the database instead: {error}");
    }
}

fn write(job: &JobDir, tables: &FrontierTables) -> Result<(), CrawlError> {
    let path = job.pages();
    let unwritable = |cause| JobError::Unwritable { path: path.clone(), cause };
    let file = DraftFile::of(&path).map_err(&unwritable)?;
    let mut file = zstd::Encoder::new(file, ZSTD_LEVEL).map_err(&unwritable)?;
    file.include_checksum(true).map_err(&unwritable)?;
    let domains: Vec<_> = tables.all_domains().collect::<Result<_, _>>()?;
    let heading = Heading { archive_end: archive::tip(&job.archive())?, domains: domains.len() as u64 };
    put(&mut file, &heading).map_err(&unwritable)?;
    for row in domains {
        put(&mut file, &DomainLine { domain: row.name.clone(), pages: row.pages }).map_err(&unwritable)?;
        for entry in tables.pages_from(&Domain::named(&row.name), 0) {
            put(&mut file, &ListedPage::from(entry?)).map_err(&unwritable)?;
        }
    }
    Ok(file.finish().and_then(DraftFile::publish).map_err(&unwritable)?)
}

/// Reads the domains of a job with their pages from the file of its page index. None if the file is missing,
/// unreadable, or older than the archive.
pub fn read(job: &JobDir) -> Option<ByDomain> {
    let path = job.pages();
    match lines(&path, archive::tip(&job.archive()).ok()?.as_ref()) {
        Ok(listed) => listed,
        Err(why) if why.kind() == io::ErrorKind::NotFound => None,
        Err(why) => {
            tracing::warn!("cannot read {} ({why}): using the database instead", path.display());
            None
        }
    }
}

fn lines(path: &Path, archive_end: Option<&ArchiveTip>) -> io::Result<Option<ByDomain>> {
    let mut file = BufReader::new(zstd::Decoder::new(File::open(path)?)?);
    let mut line = String::new();
    let heading: Heading = take(&mut file, &mut line)?;
    if heading.archive_end.as_ref() != archive_end {
        return Ok(None);
    }
    let mut domains = Vec::new();
    for _ in 0..heading.domains {
        let DomainLine { domain, pages } = take(&mut file, &mut line)?;
        let pages = (0..pages).map(|_| take(&mut file, &mut line)).collect::<io::Result<_>>()?;
        domains.push((Domain::named(&domain), pages));
    }
    // Reading the end also verifies the checksum.
    match file.read_line(&mut line)? {
        0 => Ok(Some(domains)),
        _ => Err(io::Error::new(io::ErrorKind::InvalidData, "lines follow after the last page")),
    }
}

fn put(file: &mut impl Write, line: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut *file, line)?;
    file.write_all(b"\n")
}

fn take<T: for<'a> Deserialize<'a>>(file: &mut impl BufRead, line: &mut String) -> io::Result<T> {
    line.clear();
    file.read_line(line)?;
    Ok(serde_json::from_str(line)?)
}
