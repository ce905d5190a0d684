//! Which files of hosts that speak of their pages (robots.txt, `/.well-known/tdmrep.json`) an archive holds, by its indexes:
//! found without a WARC file being opened.

use std::collections::HashMap;
use std::path::Path;

use goldminer_html::address::{CrawlUrl, HostKey};
use goldminer_html::capture::ArchivePosition;
use jiff::Timestamp;
use memchr::memmem::Finder;

use super::index_lines::{Columns, index_files};
use crate::error::ArchiveError;

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

/// Those of every index in a directory, by host; what is no answer of 200, or no line, is passed over.
///
/// # Errors
/// When the directory or an index cannot be read.
pub(crate) fn host_files(dir: &Path) -> Result<HashMap<HostKey, HostFiles>, ArchiveError> {
    let mut hosts: HashMap<HostKey, HostFiles> = HashMap::new();
    let (robots, tdmrep) = (Finder::new(ROBOTS), Finder::new(TDMREP));
    for index in index_files(dir)? {
        index.each_line(0, u64::MAX, |line| {
            if let Some((host, found)) = read(line, &robots) {
                hosts.entry(host).or_default().robots.push(found);
            } else if let Some((host, found)) = read(line, &tdmrep) {
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

fn read(line: &[u8], key: &Finder<'_>) -> Option<(HostKey, HostFileLine)> {
    let (fetched, columns) = Columns::read(&line[key.find(line)? + key.needle().len()..])?;
    let host = CrawlUrl::parse(&columns.url).ok()?.host().key();
    let position = ArchivePosition::new(columns.filename, columns.offset.parse().ok()?, columns.length.parse().ok()?);
    (columns.status == "200").then_some((host, HostFileLine { fetched, digest: columns.digest, position }))
}
