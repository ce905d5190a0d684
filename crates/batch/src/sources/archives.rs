//! The archive files of some sources, for whoever reads archives from end to end instead of page by page.
//!
//! A file in an object store is copied as a whole before it is read, because tables and WACZ files are read from their ends,
//! and a sample copies records out of what it has passed. What a listed object is, its name says, and its content when it is
//! here.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use goldminer_crawl::job::JobDir;
use goldminer_warc::objects::{ObjectAddress, StoredObject};
use serde::{Deserialize, Serialize};

use super::error::SourceError;
use super::far::{LocalFile, find_objects};
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
