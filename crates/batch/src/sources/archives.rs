//! The WARC files of some sources, for whoever reads archives from end to end instead of page by page.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use goldminer_crawl::job::JobDir;
use goldminer_warc::objects::ObjectAddress;

use super::error::SourceError;
use super::kind::SourceKind;
use super::{far, warc};

/// WARC files in the order of their sources.
#[derive(Debug, Default)]
pub struct Archives {
    /// The files, and tables of pages.
    pub files: Vec<ArchiveFile>,
    /// What lies beside them and is not read, for people.
    pub aside: Vec<String>,
}

/// A file that is read from end to end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArchiveFile {
    /// A path, a path through a WACZ file, or the address of an object.
    pub path: PathBuf,
    /// How long it is; of a path through a WACZ file, how long that is.
    pub bytes: u64,
    /// Which version of an object it is.
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
                let (objects, others) = far::find(&address)?;
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
            match SourceKind::of(path, false)? {
                SourceKind::Warcs { files, tables, aside } => {
                    found.add(files)?;
                    found.add(tables)?;
                    found.aside.extend(aside);
                }
                SourceKind::Jobs { jobs, aside } => {
                    for job in jobs {
                        found.add(warc::files(&JobDir::new(&job).archive())?)?;
                    }
                    found.aside.extend(aside);
                }
                SourceKind::Page | SourceKind::Pages { .. } => {
                    return Err(SourceError::NoArchive { path: path.clone() });
                }
            }
        }
        let mut known = HashSet::new();
        found.files.retain(|file| known.insert(file.path.clone()));
        Ok(found)
    }

    fn add(&mut self, paths: Vec<PathBuf>) -> Result<(), SourceError> {
        for path in paths {
            self.files.push(ArchiveFile { bytes: bytes_of(&path)?, path, version: None });
        }
        Ok(())
    }
}

/// How long a file is: that of the WACZ file, where it is a path through one.
///
/// # Errors
/// When it cannot be looked at.
pub fn bytes_of(file: &Path) -> Result<u64, SourceError> {
    let unreadable = |cause| SourceError::Unreadable { path: file.to_owned(), cause };
    let real = file.ancestors().find(|above| above.is_file()).unwrap_or(file);
    Ok(std::fs::metadata(real).map_err(unreadable)?.len())
}
