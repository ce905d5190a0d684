//! Reads an archive by the positions that its writer returned: one record ([`read_at`]), many records ([`OpenFiles`]),
//! or all records after a position ([`after`]).
//!
//! Finding and opening a file takes as long as reading a page from it, so [`OpenFiles`] keeps files open. It does not
//! notice that a file was replaced, so use it for one pass over an archive only.

use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use goldminer_html::{ArchivePosition, Capture, HostKey};

use crate::bytes::part::{self, Part};
use crate::bytes::whole_member;
use crate::error::ArchiveError;
use crate::folder::list;
use crate::format::record::{Record, Revisit};
use crate::index::index_lines::{HostFiles, host_files};
use crate::warc_reader::{Entry, WarcReader};

/// Reads the capture at a position. If the record is a revisit, the body is read from the earlier record to which it
/// refers. A 304 response is returned without a body.
///
/// # Errors
/// Fails if the file cannot be read, there is no response at the position, or the earlier record is not in this
/// directory.
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
            reason: format!("there is a {} record, not a response", other.kind()),
        }),
    }
}

/// Reads all records after the position `known`, or all records for None, through all files in the order of writing.
/// This finds records that a crashed process has archived but not recorded in its database. A file that another process
/// is writing is read up to its current end.
///
/// # Errors
/// Fails if the directory cannot be read, or no longer contains the position `known`.
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
        // Only the first file is read from an offset.
        let (reader, error) = match WarcReader::open_at(&file.path, first.take().unwrap_or(0)) {
            Ok(reader) => (Some(reader), None),
            Err(error) => (None, Some(Err(error))),
        };
        reader.into_iter().flatten().chain(error)
    }))
}

/// The path of the archive file with this final name. It ends in `.open` while the file is being written. The name may
/// come from an index or record of another program, so it must be the name of a regular file below `dir`.
///
/// # Errors
/// Fails if the archive has no such file.
pub fn locate(dir: &Path, name: &str) -> Result<PathBuf, ArchiveError> {
    let (closed, open) = (dir.join(name), dir.join(format!("{name}.open")));
    if !Path::new(name).components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir)) {
        let outside = std::io::Error::new(std::io::ErrorKind::NotFound, "it is outside the archive's directory");
        return Err(ArchiveError::disk("open", &closed)(outside));
    }
    // The final name is checked again, because the file may be renamed between the checks.
    [&closed, &open, &closed]
        .into_iter()
        .find(|path| path.is_file() || part::container(path).is_some())
        .cloned()
        .ok_or_else(|| ArchiveError::disk("open", &closed)(std::io::Error::from(std::io::ErrorKind::NotFound)))
}

/// The record at a position. `part` is its file, which is already open. If the record cannot be read there, the file is
/// searched again by its name, because it may have been renamed.
pub(super) fn read_known(part: &Part, dir: &Path, position: &ArchivePosition) -> Result<Record, ArchiveError> {
    match whole_member::record(part, position) {
        Some(record) => Ok(record),
        None if part.is_deleted() => Ok(Record::Other(Box::default())),
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
                Some(_) => "no record begins there".to_owned(),
                None => "the file is shorter".to_owned(),
            }))
        }
    }
}

/// Reads a record by its offset in decompressed bytes. Positions have such offsets in files of other programs where one
/// gzip member contains several records. Everything before the record must be decompressed again.
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
                None => "an earlier record without a URL".to_owned(),
            },
        }),
    }
}

/// The most files that stay open. As each has up to 1 GB, this is enough for the pages of a large crawl.
const MOST: usize = 64;

/// A reader that keeps archive files open. Any number of threads can use it.
#[derive(Default)]
pub struct OpenFiles {
    files: RwLock<Vec<Arc<OpenFile>>>,
    /// The result of [`OpenFiles::host_files`] for each directory.
    hosts: Mutex<HashMap<PathBuf, Arc<FilesByHost>>>,
}

type FilesByHost = HashMap<HostKey, HostFiles>;

struct OpenFile {
    dir: PathBuf,
    name: String,
    part: Part,
}

impl OpenFiles {
    /// Reads the record at a position. A revisit is returned without a body.
    ///
    /// # Errors
    /// Fails if the file cannot be read, or there is no complete record at the position.
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

    /// The archived robots.txt and tdmrep.json files of a directory, by host. Only the first call reads the indexes.
    ///
    /// # Errors
    /// Fails if an index cannot be read.
    pub fn host_files(&self, dir: &Path) -> Result<Arc<FilesByHost>, ArchiveError> {
        let mut known = self.hosts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(hosts) = known.get(dir) {
            return Ok(Arc::clone(hosts));
        }
        let hosts = Arc::new(host_files(dir)?);
        known.insert(dir.to_owned(), Arc::clone(&hosts));
        Ok(hosts)
    }

    fn open(&self, dir: &Path, name: &str) -> Result<Arc<OpenFile>, ArchiveError> {
        let path = locate(dir, name)?;
        let part = Part::open(&path).map_err(ArchiveError::disk("open", &path))?;
        let opened = Arc::new(OpenFile { dir: dir.to_owned(), name: name.to_owned(), part });
        let mut files = self.files.write().unwrap_or_else(PoisonError::into_inner);
        files.truncate(MOST - 1);
        files.insert(0, Arc::clone(&opened));
        Ok(opened)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_names_that_lead_out_of_the_archive_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        let archive = dir.path().join("archive");
        std::fs::create_dir_all(archive.join("part")).unwrap();
        for file in ["a.warc.gz", "archive/b.warc.gz", "archive/part/c.warc.gz", "archive/d.warc.gz.open"] {
            std::fs::write(dir.path().join(file), "").unwrap();
        }
        for name in ["b.warc.gz", "./b.warc.gz", "part/c.warc.gz", "d.warc.gz"] {
            assert!(locate(&archive, name).is_ok(), "{name}");
        }
        let outside = dir.path().join("a.warc.gz");
        for name in
            ["../a.warc.gz", "part/../b.warc.gz", outside.to_str().unwrap(), "/dev/zero", "part", "e.warc.gz", ""]
        {
            assert!(locate(&archive, name).is_err(), "{name}");
        }
    }
}
