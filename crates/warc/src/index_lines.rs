//! Reading the CDXJ indexes: what was fetched when, and what came, without opening a WARC file. Of a file that is being
//! written, as far as its index goes.

use std::fs;
use std::io::{BufRead, BufReader, Lines, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use jiff::civil::DateTime;
use serde::Deserialize;

use crate::error::ArchiveError;
use crate::stored_file::StoredFile;

/// A line of an index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexLine {
    /// As it was asked for.
    pub url: String,
    /// When, to the second.
    pub fetched: Timestamp,
    /// The status code.
    pub status: u16,
    /// Bytes of the record in the archive, compressed.
    pub record_bytes: u64,
}

/// The index of a WARC file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexFile {
    /// Where it lies.
    pub path: PathBuf,
    /// Its length, when it was looked at.
    pub bytes: u64,
    /// Whether it is still written.
    pub is_open: bool,
}

/// The indexes in a directory, in the order of writing.
///
/// # Errors
/// When the directory cannot be read.
pub fn index_files(dir: &Path) -> Result<Vec<IndexFile>, ArchiveError> {
    let mut files = Vec::new();
    for entry in fs::read_dir(dir).map_err(ArchiveError::disk("read", dir))? {
        let entry = entry.map_err(ArchiveError::disk("read", dir))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_open = name.ends_with(".cdxj.open");
        if is_open || name.ends_with(".cdxj") {
            // One that is gone was closed, and so renamed, just now: the next look finds it.
            let bytes = entry.metadata().map_or(0, |about| about.len());
            files.push(IndexFile { path: entry.path(), bytes, is_open });
        }
    }
    files.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}

impl IndexFile {
    /// Gives the lines from a place on to `take`, until `most` bytes are read; where the last whole line ended.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn read_from(&self, from: u64, most: u64, mut take: impl FnMut(IndexLine)) -> Result<u64, ArchiveError> {
        let failed = ArchiveError::disk("read", &self.path);
        let mut read = || -> std::io::Result<u64> {
            let mut file = StoredFile::open(&self.path)?;
            file.seek(SeekFrom::Start(from))?;
            let (mut lines, mut at, mut line) = (BufReader::new(file), from, String::new());
            while at - from < most {
                line.clear();
                let bytes = lines.read_line(&mut line)? as u64;
                if bytes == 0 || !line.ends_with('\n') {
                    break;
                }
                at += bytes;
                if let Some(line) = parse(line.trim_end()) {
                    take(line);
                }
            }
            Ok(at)
        };
        read().map_err(failed)
    }
}

/// Every line of every index in a directory, file by file in the order of writing; within a closed file by URL. A line
/// that cannot be read is passed over: the index is a convenience, the archive is the truth.
///
/// # Errors
/// When the directory cannot be read.
pub fn index_lines(dir: &Path) -> Result<IndexLines, ArchiveError> {
    let files: Vec<PathBuf> = index_files(dir)?.into_iter().map(|file| file.path).collect();
    Ok(IndexLines { files: files.into_iter(), open: None })
}

/// The lines; made by [`index_lines`].
pub struct IndexLines {
    files: std::vec::IntoIter<PathBuf>,
    open: Option<(PathBuf, Lines<BufReader<StoredFile>>)>,
}

impl Iterator for IndexLines {
    type Item = Result<IndexLine, ArchiveError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some((path, lines)) = &mut self.open {
                match lines.next() {
                    Some(Ok(line)) => match parse(&line) {
                        Some(line) => return Some(Ok(line)),
                        None => continue,
                    },
                    Some(Err(cause)) => {
                        let error = ArchiveError::disk("read", path)(cause);
                        self.open = None;
                        return Some(Err(error));
                    }
                    None => self.open = None,
                }
            }
            let path = self.files.next()?;
            match StoredFile::open(&path) {
                Ok(file) => self.open = Some((path, BufReader::new(file).lines())),
                // It was closed, and so renamed, between two looks.
                Err(cause) if cause.kind() == std::io::ErrorKind::NotFound => {}
                Err(cause) => return Some(Err(ArchiveError::disk("open", &path)(cause))),
            }
        }
    }
}

#[derive(Deserialize)]
struct Columns {
    url: String,
    status: String,
    length: String,
}

fn parse(line: &str) -> Option<IndexLine> {
    let (_, rest) = line.split_once(' ')?;
    let (time, json) = rest.split_once(' ')?;
    let columns: Columns = serde_json::from_str(json).ok()?;
    let fetched = DateTime::strptime("%Y%m%d%H%M%S", time).ok()?.to_zoned(jiff::tz::TimeZone::UTC).ok()?.timestamp();
    Some(IndexLine {
        url: columns.url,
        fetched,
        status: columns.status.parse().ok()?,
        record_bytes: columns.length.parse().ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_closed_and_open_indexes_are_read_and_torn_ones_passed_over() {
        let dir = tempfile::tempdir().unwrap();
        let line = |time: &str, status: &str| {
            format!(
                "example,portal)/a {time} {{\"url\":\"https://portal.example/a\",\"status\":\"{status}\",\"length\":\"99\",\"offset\":\"0\",\"filename\":\"a\"}}\n"
            )
        };
        fs::write(dir.path().join("a-00000.cdxj"), line("20261120091500", "200")).unwrap();
        fs::write(dir.path().join("a-00001.cdxj.open"), line("20261120091501", "404") + "example,portal)/b 2026")
            .unwrap();
        fs::write(dir.path().join("a-00000.warc.gz"), "not read").unwrap();
        let lines: Vec<IndexLine> = index_lines(dir.path()).unwrap().collect::<Result<_, _>>().unwrap();
        assert_eq!(lines.iter().map(|line| line.status).collect::<Vec<_>>(), [200, 404]);
        assert_eq!(lines[1].fetched, "2026-11-20T09:15:01Z".parse().unwrap());
        assert_eq!((lines[0].url.as_str(), lines[0].record_bytes), ("https://portal.example/a", 99));

        let open = index_files(dir.path()).unwrap().pop().unwrap();
        let mut seen = Vec::new();
        let end = open.read_from(0, u64::MAX, |line| seen.push(line.status)).unwrap();
        assert!(open.is_open && end < open.bytes, "the torn line is read when it is whole");
        assert_eq!((seen, open.read_from(end, u64::MAX, |_| panic!("nothing is new")).unwrap()), (vec![404], end));
    }
}
