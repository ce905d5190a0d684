//! The page index of a stopped job in one file: a copy of the database's index, for programs that read many pages.
//!
//! Opening the database replays its journal, which takes a fifth of the time of extracting all pages again. So at the
//! end of a crawl or rebuild, the index is written to a file: a line that says where the archive ended, and a line for
//! each page. `extract` reads this file. If the archive has changed since, or the file is incomplete, [`read`] returns
//! None, and the database is read instead.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;

use goldminer_html::{ArchivePosition, CrawlUrl, Domain};
use goldminer_warc as archive;
use goldminer_warc::ArchiveTip;
use goldminer_warc::durable::DraftFile;
use serde::{Deserialize, Serialize};

use super::{JobDir, JobError};
use crate::store::frontier::FrontierTables;
use crate::{CrawlError, StoreError};

const ZSTD_LEVEL: i32 = 1;

/// A page of the index.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListedPage {
    /// The domain of the page.
    pub domain: Domain,
    /// The URL of the page.
    pub url: CrawlUrl,
    /// The archive record of the page.
    pub position: ArchivePosition,
}

/// The pages in the database's index, domain by domain.
///
/// # Errors
/// When the database cannot be read.
pub fn of(tables: &FrontierTables) -> Result<impl Iterator<Item = Result<ListedPage, StoreError>>, StoreError> {
    let domains: Vec<_> = tables.all_domains().map(|row| Ok(Domain::named(&row?.name))).collect::<Result<_, _>>()?;
    Ok(domains.into_iter().flat_map(|domain| {
        tables.pages_from(&domain, 0).map(move |entry| {
            let entry = entry?;
            Ok(ListedPage { domain: domain.clone(), url: entry.url, position: entry.position })
        })
    }))
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
    put(&mut file, &archive::tip(&job.archive())?).map_err(&unwritable)?;
    for page in of(tables)? {
        put(&mut file, &page?).map_err(&unwritable)?;
    }
    Ok(file.finish().and_then(DraftFile::publish).map_err(&unwritable)?)
}

fn put(file: &mut impl Write, line: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut *file, line)?;
    file.write_all(b"\n")
}

/// Reads the pages of a job from the file of its page index. None if the file is missing, unreadable, or older than
/// the archive.
pub fn read(job: &JobDir) -> Option<Vec<ListedPage>> {
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

/// The pages of a file. Reading it to its end also verifies the checksum.
fn lines(path: &Path, archive_end: Option<&ArchiveTip>) -> io::Result<Option<Vec<ListedPage>>> {
    let mut lines = BufReader::new(zstd::Decoder::new(File::open(path)?)?).lines();
    let written_at: Option<ArchiveTip> = serde_json::from_str(&lines.next().transpose()?.unwrap_or_default())?;
    if written_at.as_ref() != archive_end {
        return Ok(None);
    }
    lines.map(|line| Ok(serde_json::from_str(&line?)?)).collect::<io::Result<_>>().map(Some)
}
