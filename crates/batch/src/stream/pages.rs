//! The answers of a file, some at a time.

use std::path::Path;
use std::sync::Arc;

use goldminer_crawl::run::CrawlError;
use goldminer_html::capture::{ArchivePosition, Capture};
use goldminer_warc::{Entry, Record, Stated};

use crate::sources::{ArchivePass, ArchiveStats, HostWords, WordsSoFar, folder_of};

/// Answers that are read at a time.
const CHUNK: usize = 96;
/// The bytes of their bodies, but for the last one.
const CHUNK_BYTES: usize = 6 << 20;

/// One file, read forward.
pub(super) struct Answers {
    pass: ArchivePass,
    /// What hosts have said of the use of their pages, up to here.
    words: WordsSoFar,
}

/// An answer, and where it stands.
pub(super) struct Answer {
    pub capture: Capture,
    pub position: ArchivePosition,
    /// Whether it is a row of a table: there is no record to be named.
    pub is_row: bool,
    /// Whether it is known when it was fetched.
    pub is_dated: bool,
    /// What its host had said of the use of its pages.
    pub words: Vec<Arc<HostWords>>,
}

impl Answers {
    pub(super) fn open(path: &Path) -> Result<Self, CrawlError> {
        Ok(Self { pass: ArchivePass::open(path)?, words: WordsSoFar::new(folder_of(path).0) })
    }

    /// What stood in the file since this was asked last, but for the pages, which nobody has looked at yet.
    pub(super) fn stats(&mut self) -> ArchiveStats {
        std::mem::take(&mut self.pass.stats)
    }

    /// The next answers; none at the end of the file.
    pub(super) fn next(&mut self) -> Result<Vec<Answer>, CrawlError> {
        let (mut chunk, mut bytes) = (Vec::new(), 0);
        while chunk.len() < CHUNK && bytes < CHUNK_BYTES {
            let Some(stated) = self.pass.next() else { break };
            let Stated { entry, is_row, is_dated, .. } = stated?;
            let (position, capture) = match entry {
                Entry::Record { position, record: Record::Response(capture) } => (position, *capture),
                Entry::Record { .. } => continue,
                Entry::Fault(fault) => {
                    self.pass.stats.fault(fault.to_string());
                    continue;
                }
            };
            bytes += capture.body.len();
            self.words.note(&capture, &position);
            let words = self.words.of(&capture.url);
            chunk.push(Answer { capture, position, is_row, is_dated, words });
        }
        Ok(chunk)
    }
}
