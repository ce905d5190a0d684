//! The archive files of some sources, for whoever reads archives from end to end instead of page by page;
//! and what lies in object stores, with copies of it to read, which go with whoever reads them.
//!
//! A file in an object store is copied as a whole before it is read, because tables and WACZ files are read from their ends,
//! and a sample copies records out of what it has passed. What a listed object is, its name says, and its content when it is
//! here.

use std::collections::HashSet;
use std::fs::File;
use std::path::{Path, PathBuf};

use glob::{MatchOptions, Pattern};
use goldminer_crawl::JobDir;
use goldminer_warc::objects::{Bucket, ObjectAddress, ObjectError, StoredObject};
use serde::{Deserialize, Serialize};
use tempfile::TempDir;

use super::error::SourceError;
use super::file::SourceFile;
use super::kind::{Source, SourceKind};
use super::warc;

/// WARC files in the order of their sources.
#[derive(Debug, Default)]
pub struct Archives {
    /// The files, and tables of pages.
    pub files: Vec<ArchiveFile>,
    /// What lies beside them and is not read, for people.
    pub aside: Vec<String>,
}

/// A file that is read from end to end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArchiveFile {
    /// A path, a path through a WACZ file, or the address of an object.
    pub path: PathBuf,
    /// How long it is; of a path through a WACZ file, how long that is.
    pub bytes: u64,
    /// Which version of an object it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
}

impl Archives {
    /// Finds the WARC files of all sources, each once.
    ///
    /// # Errors
    /// When a source does not exist, or is something else: HTML files have no order to be read in.
    pub fn find(paths: &[PathBuf]) -> Result<Self, SourceError> {
        let mut found = Self::default();
        for path in paths {
            if let Some(address) = ObjectAddress::of(path)? {
                let (objects, others) = find_objects(&address)?;
                found.files.extend(objects.into_iter().map(|object| ArchiveFile {
                    path: PathBuf::from(address.at(&object.key).to_string()),
                    bytes: object.bytes,
                    version: object.version,
                }));
                if others > 0 {
                    found.aside.push(format!("{others} other objects below {address} are not read"));
                }
                continue;
            }
            let Source { kind, aside } = Source::of(path, false)?;
            let files = match kind {
                SourceKind::Warcs { files, tables } => [files, tables].concat(),
                SourceKind::Jobs(jobs) => {
                    let files = jobs.iter().map(|job| warc::files(&JobDir::new(job).archive()));
                    files.collect::<Result<Vec<_>, _>>()?.concat()
                }
                SourceKind::Page | SourceKind::Pages { .. } => return Err(SourceError::no_archive(path)),
            };
            for path in files {
                found.files.push(ArchiveFile { bytes: bytes_of(&path)?, path, version: None });
            }
            found.aside.extend(aside);
        }
        let mut known = HashSet::new();
        found.files.retain(|file| known.insert(file.path.clone()));
        Ok(found)
    }
}

impl ArchiveFile {
    /// Refuses a file here that is not as long as it was when it was found; an object is looked at when it is copied.
    ///
    /// # Errors
    /// When it is so.
    pub fn check(&self) -> Result<(), SourceError> {
        if ObjectAddress::is_in(&self.path) { Ok(()) } else { self.check_length(bytes_of(&self.path)?) }
    }

    fn check_length(&self, now: u64) -> Result<(), SourceError> {
        if now == self.bytes {
            return Ok(());
        }
        let was = self.bytes;
        let what = format!(
            "has {now} bytes, and had {was} when the output was begun: what is made of it now would not fit the rest; name \
             another -o"
        );
        Err(SourceError::refused(&self.path, &what))
    }

    /// The file where it can be read, as long as it was when it was found: objects are copied, and looked at for what they
    /// are.
    ///
    /// # Errors
    /// When it can't be copied, has changed, or is no archive.
    pub fn near(&self) -> Result<LocalFile, SourceError> {
        let Some(address) = ObjectAddress::of(&self.path)? else {
            self.check()?;
            return Ok(LocalFile::here(&self.path));
        };
        let (key, version) = (address.key().to_owned(), self.version.clone());
        let copy = LocalFile::copied(&address, &StoredObject { key, bytes: self.bytes, version, modified: None })?;
        match SourceFile::of(copy.path()) {
            Ok(SourceFile::Warcs(files)) if files != [copy.path()] => {
                Err(SourceError::refused(&self.path, "is a WACZ file: fetch it, and give the copy"))
            }
            Ok(SourceFile::Warcs(_) | SourceFile::Table) => {
                self.check_length(bytes_of(copy.path())?)?;
                Ok(copy)
            }
            Ok(SourceFile::Page) => Err(SourceError::no_archive(&self.path)),
            Err(SourceError::Foreign { what, .. }) => Err(SourceError::Foreign { path: self.path.clone(), what }),
            Err(other) => Err(other),
        }
    }
}

/// How long a file is: that of the WACZ file, where it is a path through one.
fn bytes_of(file: &Path) -> Result<u64, SourceError> {
    let unreadable = |cause| SourceError::Unreadable { path: file.to_owned(), cause };
    let real = file.ancestors().find(|above| above.is_file()).unwrap_or(file);
    Ok(std::fs::metadata(real).map_err(unreadable)?.len())
}

/// What makes a name a pattern.
const WILD: [char; 3] = ['*', '?', '['];
/// Matches names against patterns.
pub const NAME_BY_NAME: MatchOptions =
    MatchOptions { case_sensitive: true, require_literal_separator: true, require_literal_leading_dot: false };

/// Ends of names of files that hold pages.
const ENDS: &[&str] = &[".warc", ".warc.gz", ".warc.zst", ".parquet", ".jsonl", ".jsonl.gz", ".jsonl.zst", ".json.gz"];

/// A file that can be read here: itself, or a copy of an object that lies here as long as this lives.
#[derive(Debug)]
pub struct LocalFile {
    path: PathBuf,
    _copied_into: Option<TempDir>,
}

impl LocalFile {
    /// A file of this disk.
    pub(super) fn here(path: &Path) -> Self {
        Self { path: path.to_owned(), _copied_into: None }
    }

    /// Copies an object, of which this version is wanted, under its own name.
    ///
    /// # Errors
    /// When it is gone or has changed, the store does not answer, or the disk is full.
    pub(super) fn copied(address: &ObjectAddress, object: &StoredObject) -> Result<Self, ObjectError> {
        let unwritable = |cause| ObjectError::Disk { address: address.to_string(), cause };
        let folder = tempfile::Builder::new().prefix("goldminer-").tempdir().map_err(unwritable)?;
        let path = folder.path().join(object.key.rsplit('/').next().unwrap_or_default());
        let mut file = File::create(&path).map_err(unwritable)?;
        Bucket::open(address)?.fetch(object, &mut file)?;
        Ok(Self { path, _copied_into: Some(folder) })
    }

    /// Copies what lies at an address now.
    ///
    /// # Errors
    /// When there is nothing, the store does not answer, or the disk is full.
    pub fn copied_now(address: &ObjectAddress) -> Result<Self, ObjectError> {
        let looked = Bucket::open(address)?.look(address.key())?;
        let object = looked.ok_or_else(|| ObjectError::Missing { address: address.to_string() })?;
        Self::copied(address, &object)
    }

    /// Where it lies.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// Whether a name or path is a pattern.
pub fn is_pattern(text: &str) -> bool {
    text.contains(WILD)
}

/// The archives at an address: an object, all that lie below a folder, or those that fit a pattern; and how many others lie
/// beside them.
pub(super) fn find_objects(address: &ObjectAddress) -> Result<(Vec<StoredObject>, usize), SourceError> {
    let bucket = Bucket::open(address)?;
    let key = address.key();
    let is_pattern = is_pattern(key);
    if !is_pattern
        && !key.is_empty()
        && !key.ends_with('/')
        && let Some(object) = bucket.look(key)?
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
        objects.retain(|object| ENDS.iter().any(|end| object.key.ends_with(end)));
    }
    if objects.is_empty() {
        let contents = match is_pattern {
            true => format!("none of {all} objects fits"),
            false => format!("of {all} objects none is called like a WARC file or a table of pages"),
        };
        return Err(SourceError::NoPages { path: PathBuf::from(address.to_string()), contents });
    }
    let others = if is_pattern { 0 } else { all - objects.len() };
    Ok((objects, others))
}

/// The folder that all keys lie in which a pattern may fit.
fn folder(key: &str) -> &str {
    let literal = &key[..key.find(WILD).unwrap_or(key.len())];
    if literal.len() == key.len() { key } else { &literal[..literal.rfind('/').map_or(0, |end| end + 1)] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wildcard_stays_within_its_name() {
        let pattern = Pattern::new("2026/*/a?.warc.gz").unwrap();
        let fits = |key| pattern.matches_with(key, NAME_BY_NAME);
        assert!(fits("2026/01/a1.warc.gz"));
        assert!(!fits("2026/01/02/a1.warc.gz") && !fits("2026/01/b1.warc.gz") && !fits("2025/01/a1.warc.gz"));
    }

    #[test]
    fn a_pattern_is_looked_for_below_the_folders_that_it_names() {
        for (key, expected) in
            [("2026/*/a*.warc.gz", "2026/"), ("*.warc.gz", ""), ("2026/01", "2026/01"), ("2026/0[12]/", "2026/")]
        {
            assert_eq!(folder(key), expected);
        }
    }
}
