//! Finds the archive files of some sources, for code that reads archives from start to end instead of page by page.
//! Copies files from object stores to read them; a copy is deleted when its reader is dropped.
//!
//! A file in an object store is copied as a whole before it is read, because tables and WACZ files are read from
//! their ends, and because sampling goes back to copy records. The type of an object is first guessed from its name,
//! and detected from its content after it was copied.

use std::collections::HashSet;
use std::fs::File;
use std::path::{Path, PathBuf};

use glob::{MatchOptions, Pattern};
use goldminer_corpus::figures::counted;
use goldminer_crawl::JobDir;
use goldminer_warc::objects::{Bucket, ObjectAddress, ObjectError, StoredObject};
use serde::{Deserialize, Serialize};
use tempfile::TempDir;

use super::archive_names::{ArchiveNames, WILD, is_pattern};
use super::error::SourceError;
use super::file::{SourceFile, TABLE_ENDS, WARC_ENDS};
use super::kind::{Source, SourceKind};
use super::warc;

/// The archive files of some sources.
#[derive(Debug, Default)]
pub struct Archives {
    /// The WARC files and tables of pages, in the order of the sources.
    pub files: Vec<ArchiveFile>,
    /// Messages about files in the same folders that are not read.
    pub aside: Vec<String>,
}

/// An archive file, which is read from start to end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArchiveFile {
    /// A path, a path through a WACZ file, or the address of an object.
    pub path: PathBuf,
    /// The name in documents: the path below the folder that contains all sources.
    pub name: String,
    /// The length in bytes. For a path through a WACZ file, that of the WACZ file.
    pub bytes: u64,
    /// The version of an object in an object store.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
}

impl Archives {
    /// Finds the WARC files and tables of all sources, each once. If an output was begun with these sources, those
    /// that are gone or have no file any more are left out.
    ///
    /// # Errors
    /// When a source does not exist or is of another type, such as HTML files, which have no order.
    pub(crate) fn find(paths: &[PathBuf], is_begun: bool) -> Result<Self, SourceError> {
        let (mut found, names) = (Self::default(), ArchiveNames::of(paths));
        for path in paths {
            match found.add(path, &names) {
                Err(error) if is_begun && (error.is_missing() || matches!(error, SourceError::NoPages { .. })) => {}
                added => added?,
            }
        }
        let mut known = HashSet::new();
        found.files.retain(|file| known.insert(file.path.clone()));
        Ok(found)
    }

    fn add(&mut self, path: &Path, names: &ArchiveNames) -> Result<(), SourceError> {
        if let Some(address) = ObjectAddress::of(path)? {
            let (objects, others) = find_objects(&address)?;
            self.files.extend(objects.into_iter().map(|StoredObject { key, bytes, version, .. }| {
                let path = PathBuf::from(address.at(&key).to_string());
                ArchiveFile { name: names.name(&path), path, bytes, version }
            }));
            if others > 0 {
                let others = counted(others as u64, "other object is", "other objects are");
                self.aside.push(format!("below {address}, {others} not read"));
            }
            return Ok(());
        }
        let Source { kind, aside } = Source::of(path, false)?;
        let files = match kind {
            SourceKind::Warcs { files, tables } => [files, tables].concat(),
            SourceKind::Jobs(jobs) => {
                let files = jobs.iter().map(|job| warc::files(&JobDir::new(job).archive()));
                files.collect::<Result<Vec<_>, _>>()?.concat()
            }
            SourceKind::Page | SourceKind::Pages { .. } => return Err(SourceError::needs_archive(path)),
        };
        for path in files {
            let (name, bytes) = (names.name(&path), bytes_of(&path)?);
            self.files.push(ArchiveFile { path, name, bytes, version: None });
        }
        self.aside.extend(aside);
        Ok(())
    }
}

impl ArchiveFile {
    /// Whether a local file does not exist any more.
    pub(crate) fn is_gone(&self) -> bool {
        !ObjectAddress::is_in(&self.path) && bytes_of(&self.path).is_err_and(|error| error.is_missing())
    }

    /// Refuses a local file whose length has changed since it was found. An object is checked when it is copied.
    ///
    /// # Errors
    /// When the length has changed or cannot be read.
    pub fn check(&self) -> Result<(), SourceError> {
        if ObjectAddress::is_in(&self.path) {
            return Ok(());
        }
        match bytes_of(&self.path) {
            Err(error) if error.is_missing() => {
                let what = "is gone, and its documents are not complete: if it was closed or renamed meanwhile, run the \
                            same command again; else put the file back, or name another -o";
                Err(SourceError::refused(&self.path, what))
            }
            bytes => self.check_length(bytes?),
        }
    }

    fn check_length(&self, now: u64) -> Result<(), SourceError> {
        if now == self.bytes {
            return Ok(());
        }
        let was = self.bytes;
        let what = format!(
            "has {now} bytes, but had {was} when this run began: wait until no program writes to it, and run the same \
             command again"
        );
        Err(SourceError::refused(&self.path, &what))
    }

    /// Returns the local file to read, after checking that its length has not changed. An object is copied, and its
    /// type is detected from its content.
    ///
    /// # Errors
    /// When the object cannot be copied, has changed, or is not an archive.
    pub fn local_file(&self) -> Result<LocalFile, SourceError> {
        let Some(address) = ObjectAddress::of(&self.path)? else {
            self.check()?;
            return Ok(LocalFile::local(&self.path));
        };
        let (key, version) = (address.key().to_owned(), self.version.clone());
        let copy = LocalFile::copied(&address, &StoredObject { key, bytes: self.bytes, version, modified: None })?;
        match SourceFile::of(copy.path()) {
            Ok(SourceFile::Warcs(files)) if files != [copy.path()] => {
                Err(SourceError::refused(&self.path, "is a WACZ file: download it, and give the local copy"))
            }
            // This version of the object never changes, so it cannot be repaired. If it has no record, it is read all
            // the same, and reported as damaged.
            Ok(SourceFile::Warcs(_) | SourceFile::Table) | Err(SourceError::NoRecord { .. }) => {
                self.check_length(bytes_of(copy.path())?)?;
                Ok(copy)
            }
            Ok(SourceFile::Page) => Err(SourceError::needs_archive(&self.path)),
            Err(SourceError::Foreign { what, .. }) => Err(SourceError::Foreign { path: self.path.clone(), what }),
            Err(other) => Err(other),
        }
    }
}

/// The length of a file; for a path through a WACZ file, the length of that file.
fn bytes_of(file: &Path) -> Result<u64, SourceError> {
    let unreadable = |cause| SourceError::Unreadable { path: file.to_owned(), cause };
    let real = file.ancestors().find(|above| above.is_file()).unwrap_or(file);
    Ok(std::fs::metadata(real).map_err(unreadable)?.len())
}

/// The options for matching names against patterns: `*` does not match `/`.
pub const NAME_BY_NAME: MatchOptions =
    MatchOptions { case_sensitive: true, require_literal_separator: true, require_literal_leading_dot: false };

/// A file that can be read locally: a local file, or a copy of an object, which is deleted when this is dropped.
#[derive(Debug)]
pub struct LocalFile {
    path: PathBuf,
    _copied_into: Option<TempDir>,
}

impl LocalFile {
    /// A local file.
    pub(super) fn local(path: &Path) -> Self {
        Self { path: path.to_owned(), _copied_into: None }
    }

    /// Copies this version of an object into a temporary folder. The copy has the object's file name.
    ///
    /// # Errors
    /// When the object is missing or has changed, the store does not answer, or the disk is full.
    pub(super) fn copied(address: &ObjectAddress, object: &StoredObject) -> Result<Self, ObjectError> {
        let unwritable = |cause| ObjectError::Disk { address: address.to_string(), cause };
        let folder = tempfile::Builder::new().prefix("goldminer-").tempdir().map_err(unwritable)?;
        let path = folder.path().join(object.key.rsplit('/').next().unwrap_or_default());
        let mut file = File::create(&path).map_err(unwritable)?;
        Bucket::open(address)?.fetch(object, &mut file)?;
        Ok(Self { path, _copied_into: Some(folder) })
    }

    /// Copies the current object at an address.
    ///
    /// # Errors
    /// When there is no object, the store does not answer, or the disk is full.
    pub fn copied_now(address: &ObjectAddress) -> Result<Self, ObjectError> {
        let found = Bucket::open(address)?.object(address.key())?;
        let object = found.ok_or_else(|| ObjectError::Missing { address: address.to_string() })?;
        Self::copied(address, &object)
    }

    /// The path of the file or the copy.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// The archives at an address, and the number of other objects there. The address is an object, a folder, or a pattern.
pub(super) fn find_objects(address: &ObjectAddress) -> Result<(Vec<StoredObject>, usize), SourceError> {
    let bucket = Bucket::open(address)?;
    let key = address.key();
    let is_pattern = is_pattern(key);
    if !is_pattern
        && !key.is_empty()
        && !key.ends_with('/')
        && let Some(object) = bucket.object(key)?
    {
        return Ok((vec![object], 0));
    }
    if address.is_on_web() {
        return Err(ObjectError::Missing { address: address.to_string() }.into());
    }
    let mut objects = bucket.list(folder(key))?;
    let all = objects.len();
    if is_pattern {
        let pattern = Pattern::new(key)
            .map_err(|_| SourceError::Refused(format!("{address} is not a valid pattern; use *, ? and [a-z]")))?;
        objects.retain(|object| pattern.matches_with(&object.key, NAME_BY_NAME));
    } else {
        objects.retain(|object| WARC_ENDS.iter().chain(TABLE_ENDS).any(|end| object.key.ends_with(end)));
    }
    if objects.is_empty() {
        let contents = match is_pattern {
            true => format!("none of {all} objects matches the pattern"),
            false => format!("none of {all} objects is named like a WARC file or a table of pages"),
        };
        return Err(SourceError::NoPages { path: PathBuf::from(address.to_string()), contents });
    }
    let others = if is_pattern { 0 } else { all - objects.len() };
    Ok((objects, others))
}

/// The folder of all keys that a pattern may match.
fn folder(key: &str) -> &str {
    let literal = &key[..key.find(WILD).unwrap_or(key.len())];
    if literal.len() == key.len() { key } else { &literal[..literal.rfind('/').map_or(0, |end| end + 1)] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wildcard_does_not_match_a_slash() {
        let pattern = Pattern::new("2026/*/a?.warc.gz").unwrap();
        let fits = |key| pattern.matches_with(key, NAME_BY_NAME);
        assert!(fits("2026/01/a1.warc.gz"));
        assert!(!fits("2026/01/02/a1.warc.gz") && !fits("2026/01/b1.warc.gz") && !fits("2025/01/a1.warc.gz"));
    }

    #[test]
    fn only_the_folder_that_a_pattern_names_is_listed() {
        for (key, expected) in
            [("2026/*/a*.warc.gz", "2026/"), ("*.warc.gz", ""), ("2026/01", "2026/01"), ("2026/0[12]/", "2026/")]
        {
            assert_eq!(folder(key), expected);
        }
    }
}
