//! Reads the CDXJ indexes, which show without opening a WARC file which URL was fetched when, and with which status.
//! Also finds the archived files in which hosts state rules for their pages (robots.txt, `/.well-known/tdmrep.json`).
//! An index that is being written is read up to its last complete line.

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

/// A parsed line of an index: one archived response.
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
    /// The position of the record.
    pub position: ArchivePosition,
}

/// The file with the index of a WARC file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexFile {
    /// The path of the index.
    pub path: PathBuf,
    /// The length in bytes when the directory was listed.
    pub bytes: u64,
    /// Whether it is still being written.
    pub is_open: bool,
}

/// The indexes in a directory, sorted by path.
///
/// # Errors
/// Fails if the directory cannot be read.
pub fn index_files(dir: &Path) -> Result<Vec<IndexFile>, ArchiveError> {
    let mut files = Vec::new();
    for entry in fs::read_dir(dir).map_err(ArchiveError::disk("read", dir))? {
        let entry = entry.map_err(ArchiveError::disk("read", dir))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_open = name.ends_with(".cdxj.open");
        if is_open || name.ends_with(".cdxj") {
            // A file that has disappeared was just closed and renamed. The next listing contains it.
            let bytes = entry.metadata().map_or(0, |about| about.len());
            files.push(IndexFile { path: entry.path(), bytes, is_open });
        }
    }
    files.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}

impl IndexFile {
    /// Passes the lines after the offset `from` to `take`, until `most` bytes are read. Lines that cannot be parsed are
    /// skipped. Returns the offset after the last complete line.
    ///
    /// # Errors
    /// Fails if the file cannot be read. A missing file is no error, because it may have been renamed.
    pub fn read_from(&self, from: u64, most: u64, mut take: impl FnMut(IndexLine)) -> Result<u64, ArchiveError> {
        self.each_line(from, most, |line| parse(line).into_iter().for_each(&mut take))
    }

    /// Like [`IndexFile::read_from`], but with the lines as bytes.
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

/// The lines of all indexes in a directory, one file after the other. A complete index is sorted by SURT key, others
/// are in the order of writing. A line that cannot be parsed is skipped, because the WARC file has the same facts.
///
/// # Errors
/// Fails if the directory cannot be read.
pub fn index_lines(dir: &Path) -> Result<impl Iterator<Item = Result<IndexLine, ArchiveError>>, ArchiveError> {
    let files = index_files(dir)?.into_iter();
    Ok(files.flat_map(|file| {
        let mut lines = Vec::new();
        let read = file.read_from(0, u64::MAX, |line| lines.push(Ok(line)));
        lines.extend(read.err().map(Err));
        lines
    }))
}

/// The fields that are read from the JSON part of an index line.
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

/// The end of the SURT key in the index line of a robots.txt.
const ROBOTS: &[u8] = b")/robots.txt ";
/// The end of the SURT key in the index line of a tdmrep.json.
const TDMREP: &[u8] = b")/.well-known/tdmrep.json ";

/// The archived responses for the rule files of one host, oldest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HostFiles {
    /// The responses for robots.txt.
    pub robots: Vec<IndexLine>,
    /// The responses for tdmrep.json.
    pub tdmrep: Vec<IndexLine>,
}

/// The positions of the archived robots.txt and tdmrep.json files, by host, from all indexes of a directory. Responses
/// with a status other than 200 and damaged lines are skipped.
///
/// # Errors
/// Fails if the directory or an index cannot be read.
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
    fn an_incomplete_line_of_an_open_index_is_read_later() {
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
