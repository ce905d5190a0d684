//! The answers of a WARC file, some at a time.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use goldminer_crawl::run::CrawlError;
use goldminer_html::capture::{ArchivePosition, Capture};
use goldminer_warc::{CopyingReader, Entry, Record, Stated};

use crate::archive_stats::ArchiveStats;
use crate::sources::{HostWords, WordsSoFar, folder_of, named};

/// Answers that are read at a time.
const CHUNK: usize = 96;
/// The bytes of their bodies, but for the last one.
const CHUNK_BYTES: usize = 6 << 20;

/// One file, read forward.
pub(super) struct Answers {
    reader: CopyingReader,
    /// The path from the folder that positions count from.
    inside: Option<PathBuf>,
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

/// Some answers.
#[derive(Default)]
pub(super) struct Chunk {
    pub answers: Vec<Answer>,
    /// What else stood among them.
    pub archive_stats: ArchiveStats,
}

impl Answers {
    pub(super) fn open(path: &Path) -> Result<Self, CrawlError> {
        let (folder, inside) = folder_of(path);
        let words = WordsSoFar::new(folder);
        Ok(Self { reader: CopyingReader::open(path)?, inside: inside.map(Path::to_owned), words })
    }

    /// The next answers; none at the end of the file.
    pub(super) fn next(&mut self) -> Result<Chunk, CrawlError> {
        let (mut chunk, mut bytes) = (Chunk::default(), 0);
        while chunk.answers.len() < CHUNK && bytes < CHUNK_BYTES {
            let Some(stated) = self.reader.next() else { break };
            let Stated { entry, is_row, is_dated, .. } = stated?;
            match entry {
                Entry::Fault(mut fault) => {
                    fault.file = named(self.inside.as_deref(), fault.file);
                    chunk.archive_stats.fault(fault.to_string());
                }
                Entry::Record { mut position, record } => {
                    chunk.archive_stats.records += 1;
                    let Record::Response(capture) = record else {
                        chunk.archive_stats.no_answer(&record);
                        continue;
                    };
                    position.file = named(self.inside.as_deref(), position.file);
                    bytes += capture.body.len();
                    self.words.note(&capture, &position);
                    let words = self.words.of(&capture.url);
                    chunk.answers.push(Answer { capture: *capture, position, is_row, is_dated, words });
                }
            }
        }
        Ok(chunk)
    }
}
