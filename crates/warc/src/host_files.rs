//! Which files of hosts that speak of their pages (robots.txt, `/.well-known/tdmrep.json`) an archive holds, by its indexes:
//! found without a WARC file being opened.

use std::collections::HashMap;
use std::fs;
use std::io::{BufRead, BufReader, ErrorKind};
use std::path::Path;

use goldminer_html::address::{CrawlUrl, HostKey};
use goldminer_html::capture::ArchivePosition;
use jiff::Timestamp;
use jiff::civil::DateTime;
use memchr::memmem::Finder;
use serde::Deserialize;

use crate::error::ArchiveError;
use crate::stored_file::StoredFile;

/// What stands in the key of a line of a robots.txt, and of a tdmrep.json.
const ROBOTS: &[u8] = b")/robots.txt ";
const TDMREP: &[u8] = b")/.well-known/tdmrep.json ";

/// The archived answers to the requests for the files of a host, oldest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HostFiles {
    /// Of robots.txt.
    pub robots: Vec<HostFileLine>,
    /// Of tdmrep.json.
    pub tdmrep: Vec<HostFileLine>,
}

/// An archived answer to the request for such a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostFileLine {
    /// When, to the second.
    pub fetched: Timestamp,
    /// The digest of what came, where the index has it.
    pub digest: Option<String>,
    /// The record.
    pub position: ArchivePosition,
}

#[derive(Deserialize)]
struct Columns {
    url: CrawlUrl,
    status: String,
    digest: Option<String>,
    length: String,
    offset: String,
    filename: String,
}

/// Those of every index in a directory, by host; what is no answer of 200, or no line, is passed over.
///
/// # Errors
/// When the directory or an index cannot be read.
pub(super) fn host_files(dir: &Path) -> Result<HashMap<HostKey, HostFiles>, ArchiveError> {
    let mut hosts: HashMap<HostKey, HostFiles> = HashMap::new();
    let (robots, tdmrep) = (Finder::new(ROBOTS), Finder::new(TDMREP));
    for entry in fs::read_dir(dir).map_err(ArchiveError::disk("read", dir))? {
        let path = entry.map_err(ArchiveError::disk("read", dir))?.path();
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        if !name.ends_with(".cdxj") && !name.ends_with(".cdxj.open") {
            continue;
        }
        let mut lines = match StoredFile::open(&path) {
            Ok(file) => BufReader::with_capacity(256 << 10, file),
            // It was closed, and so renamed, between two looks.
            Err(cause) if cause.kind() == ErrorKind::NotFound => continue,
            Err(cause) => return Err(ArchiveError::disk("open", &path)(cause)),
        };
        let mut line = Vec::new();
        while lines.read_until(b'\n', &mut line).map_err(ArchiveError::disk("read", &path))? > 0 {
            if let Some((url, found)) = read(&line, &robots) {
                hosts.entry(url.host().key()).or_default().robots.push(found);
            } else if let Some((url, found)) = read(&line, &tdmrep) {
                hosts.entry(url.host().key()).or_default().tdmrep.push(found);
            }
            line.clear();
        }
    }
    for host in hosts.values_mut() {
        host.robots.sort_by_key(|line| line.position.order());
        host.tdmrep.sort_by_key(|line| line.position.order());
    }
    Ok(hosts)
}

fn read(line: &[u8], key: &Finder<'_>) -> Option<(CrawlUrl, HostFileLine)> {
    let rest = std::str::from_utf8(&line[key.find(line)? + key.needle().len()..]).ok()?;
    let (time, json) = rest.split_once(' ')?;
    let columns: Columns = serde_json::from_str(json).ok()?;
    let fetched = DateTime::strptime("%Y%m%d%H%M%S", time).ok()?.to_zoned(jiff::tz::TimeZone::UTC).ok()?.timestamp();
    let position = ArchivePosition::new(columns.filename, columns.offset.parse().ok()?, columns.length.parse().ok()?);
    (columns.status == "200").then_some((columns.url, HostFileLine { fetched, digest: columns.digest, position }))
}
