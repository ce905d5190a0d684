//! Reads the CDXJ indexes: what was fetched when, and with which status, without opening a WARC file. Also finds the
//! archived files of hosts about their pages (robots.txt, `/.well-known/tdmrep.json`). The index of a file that is
//! being written is read as far as it goes.

use std::collections::HashMap;
use std::fs;
use std::io::BufRead as _;
use std::path::{Path, PathBuf};

use goldminer_html::{ArchivePosition, CrawlUrl, HostKey};
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use memchr::memmem::Finder;
use serde::Deserialize;

use crate::bytes::part::{FileBytes, Part};
use crate::error::ArchiveError;

/// A line of an index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexLine {
    /// The requested URL.
    pub url: String,
    /// The time of the fetch, to the second.
    pub fetched: Timestamp,
    /// The status code.
    pub status: u16,
    /// The digest of the payload, if the index has it.
    pub digest: Option<String>,
    /// The position of the record; its length is in compressed bytes.
    pub position: ArchivePosition,
}

/// The index of a WARC file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexFile {
    /// The path of the index.
    pub path: PathBuf,
    /// The length of the index in bytes when it was listed.
    pub bytes: u64,
    /// Whether it is still being written.
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
            // A file that is missing was just closed and renamed; the next listing has it.
            let bytes = entry.metadata().map_or(0, |about| about.len());
            files.push(IndexFile { path: entry.path(), bytes, is_open });
        }
    }
    files.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}

impl IndexFile {
    /// Passes the lines from an offset on to `take`, until `most` bytes are read. Returns the end of the last whole
    /// line.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn read_from(&self, from: u64, most: u64, mut take: impl FnMut(IndexLine)) -> Result<u64, ArchiveError> {
        self.each_line(from, most, |line| parse(line).into_iter().for_each(&mut take))
    }

    /// Passes the unparsed lines to `take`.
    fn each_line(&self, from: u64, most: u64, mut take: impl FnMut(&[u8])) -> Result<u64, ArchiveError> {
        let mut read = || -> std::io::Result<u64> {
            let (mut lines, mut at, mut line) = (FileBytes::at(Part::open(&self.path)?, from), from, Vec::new());
            while at - from < most {
                line.clear();
                lines.read_until(b'\n', &mut line)?;
                if !line.ends_with(b"\n") {
                    break;
                }
                at = lines.consumed;
                take(&line);
            }
            Ok(at)
        };
        match read() {
            // The file was closed and renamed after it was listed.
            Err(cause) if cause.kind() == std::io::ErrorKind::NotFound => Ok(from),
            read => read.map_err(ArchiveError::disk("read", &self.path)),
        }
    }
}

/// The lines of all indexes in a directory, file by file in the order of writing; within a closed file by URL. A line
/// that cannot be parsed is skipped, because only the archive is authoritative.
///
/// # Errors
/// When the directory cannot be read.
pub fn index_lines(dir: &Path) -> Result<impl Iterator<Item = Result<IndexLine, ArchiveError>>, ArchiveError> {
    let files = index_files(dir)?.into_iter();
    Ok(files.flat_map(|file| {
        let mut lines = Vec::new();
        let read = file.read_from(0, u64::MAX, |line| lines.push(Ok(line)));
        lines.extend(read.err().map(Err));
        lines
    }))
}

/// The JSON part of a line.
#[derive(Deserialize)]
struct Columns {
    url: String,
    status: String,
    digest: Option<String>,
    length: String,
    offset: String,
    filename: String,
}

fn parse(line: &[u8]) -> Option<IndexLine> {
    let (_, behind_key) = std::str::from_utf8(line).ok()?.split_once(' ')?;
    let (time, json) = behind_key.split_once(' ')?;
    let fetched = DateTime::strptime("%Y%m%d%H%M%S", time).ok()?.to_zoned(TimeZone::UTC).ok()?.timestamp();
    let Columns { url, status, digest, length, offset, filename } = serde_json::from_str(json).ok()?;
    let position = ArchivePosition::new(filename, offset.parse().ok()?, length.parse().ok()?);
    Some(IndexLine { url, fetched, status: status.parse().ok()?, digest, position })
}

/// The part of an index key that shows a robots.txt or tdmrep.json.
const ROBOTS: &[u8] = b")/robots.txt ";
const TDMREP: &[u8] = b")/.well-known/tdmrep.json ";

/// The archived responses for the files of a host, oldest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HostFiles {
    /// The responses for robots.txt.
    pub robots: Vec<IndexLine>,
    /// The responses for tdmrep.json.
    pub tdmrep: Vec<IndexLine>,
}

/// The host files in all indexes of a directory, by host. Responses with a status other than 200, and damaged lines,
/// are skipped.
///
/// # Errors
/// When the directory or an index cannot be read.
pub(crate) fn host_files(dir: &Path) -> Result<HashMap<HostKey, HostFiles>, ArchiveError> {
    let mut hosts: HashMap<HostKey, HostFiles> = HashMap::new();
    let (robots, tdmrep) = (Finder::new(ROBOTS), Finder::new(TDMREP));
    for index in index_files(dir)? {
        index.each_line(0, u64::MAX, |line| {
            if let Some((host, found)) = host_file(line, &robots) {
                hosts.entry(host).or_default().robots.push(found);
            } else if let Some((host, found)) = host_file(line, &tdmrep) {
                hosts.entry(host).or_default().tdmrep.push(found);
            }
        })?;
    }
    for host in hosts.values_mut() {
        host.robots.sort_by_key(|line| line.position.order());
        host.tdmrep.sort_by_key(|line| line.position.order());
    }
    Ok(hosts)
}

fn host_file(line: &[u8], key: &Finder<'_>) -> Option<(HostKey, IndexLine)> {
    key.find(line)?;
    let found = parse(line).filter(|line| line.status == 200)?;
    Some((CrawlUrl::parse(&found.url).ok()?.host().key(), found))
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
        assert_eq!((lines[0].url.as_str(), lines[0].position.length), ("https://portal.example/a", 99));

        let open = index_files(dir.path()).unwrap().pop().unwrap();
        let mut seen = Vec::new();
        let end = open.read_from(0, u64::MAX, |line| seen.push(line.status)).unwrap();
        assert!(open.is_open && end < open.bytes, "the torn line is read when it is whole");
        assert_eq!((seen, open.read_from(end, u64::MAX, |_| panic!("nothing is new")).unwrap()), (vec![404], end));
    }
}
