//! Reads an archive by the positions that its writer returned: one record, many records from files that stay open, or
//! all records after a position.
//!
//! Finding and opening a file takes as long as reading a page from it, so [`OpenFiles`] keeps files open. It is meant
//! for one pass over an archive, because it does not notice that a file was replaced.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use goldminer_html::{ArchivePosition, Capture, HostKey};

use crate::bytes::part::{self, Part};
use crate::bytes::whole_member;
use crate::error::ArchiveError;
use crate::folder::list;
use crate::format::record::{Record, Revisit};
use crate::index::index_lines::{HostFiles, host_files};
use crate::warc_reader::{Entry, WarcReader};

/// Reads the capture at a position. The body of a revisit is read from its original, if that is in the same
/// directory. A 304 is returned without a body.
///
/// # Errors
/// When the file cannot be read, there is no response at the position, or the original of a revisit is not in this
/// archive.
pub fn read_at(dir: &Path, position: &ArchivePosition) -> Result<Capture, ArchiveError> {
    let path = locate(dir, &position.file)?;
    let part = Part::open(&path).map_err(ArchiveError::disk("open", &path))?;
    match read_known(&part, dir, position)? {
        Record::Response(capture) => Ok(*capture),
        Record::Revisit(revisit) if revisit.not_modified => Ok(revisit.capture),
        Record::Revisit(revisit) => with_original_body(dir, &path, position.offset, *revisit),
        Record::Other(other) => Err(ArchiveError::NoRecord {
            path,
            offset: position.offset,
            reason: format!("a {} record stands there", other.kind()),
        }),
    }
}

/// All records after a known position (or, for none, all records), through all files in the order of writing: what a
/// crashed process may have archived without recording it elsewhere. Files that another process is writing are read
/// up to their current ends.
///
/// # Errors
/// When the directory cannot be read, or no longer contains the known position.
pub fn after(
    dir: &Path,
    known: Option<&ArchivePosition>,
) -> Result<impl Iterator<Item = Result<Entry, ArchiveError>> + use<>, ArchiveError> {
    let mut files = list(dir)?;
    let mut first = None;
    if let Some(known) = known {
        let at = files.iter().position(|file| file.name == known.file);
        let end = known.offset + known.length;
        let length = at.and_then(|at| std::fs::metadata(&files[at].path).ok()).map_or(0, |file| file.len());
        if length < end {
            return Err(ArchiveError::NoRecord {
                path: dir.join(&known.file),
                offset: known.offset,
                reason: format!("the file has {length} bytes, but a record is known to end at {end}"),
            });
        }
        files.drain(..at.unwrap_or(0));
        first = Some(end);
    }
    Ok(files.into_iter().flat_map(move |file| {
        // The first file is read from the known position.
        let (reader, error) = match WarcReader::open_at(&file.path, first.take().unwrap_or(0)) {
            Ok(reader) => (Some(reader), None),
            Err(error) => (None, Some(Err(error))),
        };
        reader.into_iter().flatten().chain(error)
    }))
}

/// The path of a file, given its final name. An open file may be closed and renamed between the two checks.
pub(super) fn locate(dir: &Path, name: &str) -> Result<PathBuf, ArchiveError> {
    let (closed, open) = (dir.join(name), dir.join(format!("{name}.open")));
    [&closed, &open, &closed]
        .into_iter()
        .find(|path| path.exists() || part::container(path).is_some())
        .cloned()
        .ok_or_else(|| ArchiveError::disk("open", &closed)(std::io::Error::from(std::io::ErrorKind::NotFound)))
}

/// The record at a position of an open file. The file may have been closed and renamed since it was opened.
pub(super) fn read_known(part: &Part, dir: &Path, position: &ArchivePosition) -> Result<Record, ArchiveError> {
    match whole_member::record(part, position) {
        Some(record) => Ok(record),
        None if part.is_given_up() => Ok(Record::Other(Box::default())),
        None => read_record(&locate(dir, &position.file)?, position.offset),
    }
}

fn read_record(path: &Path, offset: u64) -> Result<Record, ArchiveError> {
    let no_record = |reason| ArchiveError::NoRecord { path: path.to_owned(), offset, reason };
    match WarcReader::open_at(path, offset)?.next() {
        Some(Ok(Entry::Record { position, record })) if position.offset == offset => Ok(record),
        Some(Err(error)) => Err(error),
        found => {
            if let Some(record) = read_by_decoded_offset(path, offset)? {
                return Ok(record);
            }
            Err(no_record(match found {
                Some(Ok(Entry::Fault(fault))) => fault.what,
                Some(_) => "none begins there".to_owned(),
                None => "the file ends before".to_owned(),
            }))
        }
    }
}

/// Reads a record by its offset in decompressed bytes, which positions count where a member contains several records,
/// in files of other programs. Everything before must be decompressed again.
fn read_by_decoded_offset(path: &Path, offset: u64) -> Result<Option<Record>, ArchiveError> {
    let mut entries = WarcReader::open(path)?;
    while let Some(entry) = entries.next() {
        let Entry::Record { position, record } = entry? else { continue };
        if entries.counts_decoded_bytes() && position.offset >= offset {
            return Ok((position.offset == offset).then_some(record));
        }
    }
    Ok(None)
}

fn with_original_body(dir: &Path, path: &Path, offset: u64, revisit: Revisit) -> Result<Capture, ArchiveError> {
    let refers_to = &revisit.refers_to;
    let original = refers_to
        .file
        .as_ref()
        .zip(refers_to.offset)
        .and_then(|(file, offset)| read_record(&locate(dir, file).ok()?, offset).ok());
    match original {
        Some(Record::Response(original)) => {
            let mut capture = revisit.capture;
            capture.body = original.body;
            Ok(capture)
        }
        _ => Err(ArchiveError::NoOriginal {
            path: path.to_owned(),
            offset,
            original: match &refers_to.url {
                Some(url) => format!("{url} of {}", refers_to.fetched.map(|t| t.to_string()).unwrap_or_default()),
                None => "a record that it does not name".to_owned(),
            },
        }),
    }
}

/// The most files that stay open. With 1 GB each, they contain the pages of a large crawl.
const MOST: usize = 64;

/// Archive files that stay open. Any number of threads can use them.
#[derive(Default)]
pub struct OpenFiles {
    files: RwLock<Vec<Arc<Opened>>>,
    /// The host files in each directory that were asked for.
    hosts: Mutex<HashMap<PathBuf, Arc<FilesByHost>>>,
}

type FilesByHost = HashMap<HostKey, HostFiles>;

struct Opened {
    dir: PathBuf,
    name: String,
    part: Part,
}

impl OpenFiles {
    /// Reads the record at a position as it is: a revisit has no body.
    ///
    /// # Errors
    /// When the file cannot be read, or there is no whole record at the position.
    pub fn read_record_at(&self, dir: &Path, position: &ArchivePosition) -> Result<Record, ArchiveError> {
        let files = self.files.read().unwrap_or_else(PoisonError::into_inner);
        let known = files.iter().find(|file| file.name == position.file && file.dir == dir).cloned();
        drop(files);
        let opened = match known {
            Some(opened) => opened,
            None => self.open(dir, &position.file)?,
        };
        read_known(&opened.part, dir, position)
    }

    /// The robots.txt and similar files in the indexes of a directory, by host. The indexes are read once.
    ///
    /// # Errors
    /// When an index cannot be read.
    pub fn host_files(&self, dir: &Path) -> Result<Arc<FilesByHost>, ArchiveError> {
        let mut known = self.hosts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(hosts) = known.get(dir) {
            return Ok(Arc::clone(hosts));
        }
        let hosts = Arc::new(host_files(dir)?);
        known.insert(dir.to_owned(), Arc::clone(&hosts));
        Ok(hosts)
    }

    fn open(&self, dir: &Path, name: &str) -> Result<Arc<Opened>, ArchiveError> {
        let path = locate(dir, name)?;
        let part = Part::open(&path).map_err(ArchiveError::disk("open", &path))?;
        let opened = Arc::new(Opened { dir: dir.to_owned(), name: name.to_owned(), part });
        let mut files = self.files.write().unwrap_or_else(PoisonError::into_inner);
        files.truncate(MOST - 1);
        files.insert(0, Arc::clone(&opened));
        Ok(opened)
    }
}
