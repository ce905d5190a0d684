//! Reading the CDXJ indexes: what was fetched when, and what came, without opening a WARC file. Of a file that is being
//! written, as far as its index goes.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Lines};
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use jiff::civil::DateTime;
use serde::Deserialize;

use super::error::ArchiveError;

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

/// Every line of every index in a directory, file by file in the order of writing; within a closed file by URL. A line
/// that cannot be read is passed over: the index is a convenience, the archive is the truth.
///
/// # Errors
/// When the directory cannot be read.
pub fn index_lines(dir: &Path) -> Result<IndexLines, ArchiveError> {
    let mut files: Vec<PathBuf> = Vec::new();
    for entry in fs::read_dir(dir).map_err(ArchiveError::disk("read", dir))? {
        let path = entry.map_err(ArchiveError::disk("read", dir))?.path();
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        if name.ends_with(".cdxj") || name.ends_with(".cdxj.open") {
            files.push(path);
        }
    }
    files.sort_unstable();
    Ok(IndexLines { files: files.into_iter(), open: None })
}

/// The lines; made by [`index_lines`].
pub struct IndexLines {
    files: std::vec::IntoIter<PathBuf>,
    open: Option<(PathBuf, Lines<BufReader<File>>)>,
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
            match File::open(&path) {
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
    }
}
