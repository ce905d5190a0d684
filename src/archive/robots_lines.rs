//! Which robots.txt an archive holds, by its indexes: found without a WARC file being opened.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, ErrorKind};
use std::path::Path;

use jiff::Timestamp;
use jiff::civil::DateTime;
use serde::Deserialize;

use super::error::ArchiveError;
use crate::address::{CrawlUrl, HostKey};
use crate::capture::ArchivePosition;

/// What stands in the key of a line of a robots.txt.
const MARK: &str = ")/robots.txt ";

/// An archived answer to the request for a robots.txt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RobotsLine {
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

/// The robots.txt of every index in a directory, by host, oldest first; what is no answer of 200, or no line, is passed over.
///
/// # Errors
/// When the directory or an index cannot be read.
pub(super) fn robots_lines(dir: &Path) -> Result<HashMap<HostKey, Vec<RobotsLine>>, ArchiveError> {
    let mut hosts: HashMap<HostKey, Vec<RobotsLine>> = HashMap::new();
    for entry in fs::read_dir(dir).map_err(ArchiveError::disk("read", dir))? {
        let path = entry.map_err(ArchiveError::disk("read", dir))?.path();
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        if !name.ends_with(".cdxj") && !name.ends_with(".cdxj.open") {
            continue;
        }
        let mut lines = match File::open(&path) {
            Ok(file) => BufReader::with_capacity(256 << 10, file),
            // It was closed, and so renamed, between two looks.
            Err(cause) if cause.kind() == ErrorKind::NotFound => continue,
            Err(cause) => return Err(ArchiveError::disk("open", &path)(cause)),
        };
        let mut line = Vec::new();
        while lines.read_until(b'\n', &mut line).map_err(ArchiveError::disk("read", &path))? > 0 {
            if let Some((url, found)) = read(&line) {
                hosts.entry(url.host().key()).or_default().push(found);
            }
            line.clear();
        }
    }
    hosts.values_mut().for_each(|lines| lines.sort_by_key(|line| line.position.order()));
    Ok(hosts)
}

fn read(line: &[u8]) -> Option<(CrawlUrl, RobotsLine)> {
    let mark = memchr::memmem::find(line, MARK.as_bytes())?;
    let rest = std::str::from_utf8(&line[mark + MARK.len()..]).ok()?;
    let (time, json) = rest.split_once(' ')?;
    let columns: Columns = serde_json::from_str(json).ok()?;
    let fetched = DateTime::strptime("%Y%m%d%H%M%S", time).ok()?.to_zoned(jiff::tz::TimeZone::UTC).ok()?.timestamp();
    let position = ArchivePosition::new(columns.filename, columns.offset.parse().ok()?, columns.length.parse().ok()?);
    (columns.status == "200").then_some((columns.url, RobotsLine { fetched, digest: columns.digest, position }))
}
