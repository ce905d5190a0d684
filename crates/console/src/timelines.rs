//! Reads the responses of a job over time from the archive's indexes. Each reading takes only the lines that are new
//! since the last one; if there are many, a portion of them, the latest indexes first.
//!
//! The index of the archive file that is still being written is counted apart from the others, because it is written
//! again, in another order, when the file is closed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use goldminer_crawl::JobDir;
use goldminer_warc::{ArchiveError, IndexFile, index_files};

use super::survey::{Timeline, TimelineBuilder};

/// The most bytes of indexes that one reading takes. That many take up to a second.
const PORTION_BYTES: u64 = 64 << 20;
/// The most bytes of an incomplete last line in an index that is being written. Such a line is read later.
const TORN_BYTES: u64 = 4 << 10;

/// The responses over time, as far as they were read.
#[derive(Debug, Clone, Default)]
pub(crate) struct ResponsesSoFar {
    pub timeline: Timeline,
    /// Number of bytes of the indexes that were read; below, of all their bytes.
    pub read_bytes: u64,
    pub all_bytes: u64,
    /// The error of the last reading, if it failed.
    pub failed: Option<String>,
}

impl ResponsesSoFar {
    /// Whether everything was read.
    pub(super) fn is_whole(&self) -> bool {
        self.read_bytes + TORN_BYTES >= self.all_bytes
    }
}

/// Reads the indexes of a job in portions, and remembers how far they were read.
#[derive(Default)]
pub(super) struct IndexReader {
    closed: TimelineBuilder,
    /// The closed indexes, each with its length and the number of bytes that were read.
    files: BTreeMap<PathBuf, (u64, u64)>,
    /// The index that is being written, with the number of bytes that were read, and their responses.
    open: Option<(PathBuf, u64, TimelineBuilder)>,
}

impl IndexReader {
    /// Reads the next portion of the indexes. Returns the responses of all portions so far.
    pub(super) fn read_on(&mut self, dir: &Path) -> ResponsesSoFar {
        let (all_bytes, failed) = match self.read_portion(&JobDir::new(dir).archive()) {
            Ok(all_bytes) => (all_bytes, None),
            Err(error) => (0, Some(error.to_string())),
        };
        let mut builder = self.closed.clone();
        let mut read_bytes: u64 = self.files.values().map(|(_, read)| read).sum();
        if let Some((_, read, of_open)) = &self.open {
            builder.join(of_open.clone());
            read_bytes += read;
        }
        ResponsesSoFar { timeline: builder.finish(), read_bytes, all_bytes, failed }
    }

    /// Reads the next portion. Returns the number of bytes of all indexes.
    fn read_portion(&mut self, archive: &Path) -> Result<u64, ArchiveError> {
        let files = if archive.is_dir() { index_files(archive)? } else { Vec::new() };
        // If a closed index has another length, pages were removed from the archive, and all is counted again.
        let is_same = |(path, (bytes, _)): (&PathBuf, &(u64, u64))| {
            files.iter().any(|file| file.path == *path && file.bytes == *bytes)
        };
        if !self.files.iter().all(is_same) {
            *self = Self::default();
        }
        self.open.take_if(|(path, ..)| !files.iter().any(|file| file.is_open && file.path == *path));
        let mut left = PORTION_BYTES;
        for file in files.iter().rev().filter(|file| file.bytes > 0) {
            left = left.saturating_sub(self.read(file, left)?);
            if left == 0 {
                break;
            }
        }
        Ok(files.iter().map(|file| file.bytes).sum())
    }

    /// Reads at most `most` more bytes of an index. Returns how many bytes were read.
    fn read(&mut self, file: &IndexFile, most: u64) -> Result<u64, ArchiveError> {
        let (read, builder) = if file.is_open {
            let (_, read, of_open) =
                self.open.get_or_insert_with(|| (file.path.clone(), 0, TimelineBuilder::default()));
            (read, of_open)
        } else {
            let (_, read) = self.files.entry(file.path.clone()).or_insert((file.bytes, 0));
            (read, &mut self.closed)
        };
        if *read >= file.bytes {
            return Ok(0);
        }
        let end = file.read_from(*read, most, |line| builder.note(line.fetched, line.status, line.position.length))?;
        Ok(end - std::mem::replace(read, end))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(second: u32, status: u16) -> String {
        format!(
            "example,portal)/{second} 2026112009{:02}{:02} {{\"url\":\"https://portal.example/{second}\",\
            \"status\":\"{status}\",\"length\":\"99\",\"offset\":\"0\",\"filename\":\"a\"}}\n",
            second / 60,
            second % 60
        )
    }

    #[test]
    fn an_index_that_grows_and_is_sorted_is_counted_once() {
        let dir = tempfile::tempdir().unwrap();
        let archive = dir.path().join("archive");
        std::fs::create_dir(&archive).unwrap();
        let write = |name: &str, lines: &[String]| std::fs::write(archive.join(name), lines.concat()).unwrap();
        let mut reader = IndexReader::default();
        let mut answers = || {
            let so_far = reader.read_on(dir.path());
            assert!(so_far.is_whole() && so_far.failed.is_none(), "{so_far:?}");
            so_far.timeline.intervals.iter().map(|interval| interval.good).sum::<u64>()
        };
        assert_eq!(answers(), 0);
        write("a-00000.cdxj.open", &[line(9, 200), line(2, 200)]);
        assert_eq!(answers(), 2);
        write("a-00000.cdxj.open", &[line(9, 200), line(2, 200), line(70, 200)]);
        assert_eq!(answers(), 3);
        std::fs::remove_file(archive.join("a-00000.cdxj.open")).unwrap();
        write("a-00000.cdxj", &[line(2, 200), line(70, 200), line(9, 200)]);
        write("a-00001.cdxj.open", &[line(80, 200)]);
        assert_eq!((answers(), answers()), (4, 4));
        write("a-00000.cdxj", &[line(2, 200)]);
        assert_eq!(answers(), 2, "records were removed from the archive");
    }
}
