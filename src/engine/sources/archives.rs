//! The WARC files of some sources, for whoever reads archives from end to end instead of page by page.

use std::path::{Path, PathBuf};

use crate::engine::job::JobDir;

use super::error::SourceError;
use super::kind::SourceKind;
use super::warc;

/// WARC files in the order of their sources.
#[derive(Debug, Default)]
pub struct Archives {
    /// The files, and tables of pages; those in a WACZ file are paths through it.
    pub files: Vec<PathBuf>,
    /// What lies beside them and is not read, for people.
    pub aside: Vec<String>,
}

impl Archives {
    /// Finds the WARC files of all sources, each once.
    ///
    /// # Errors
    /// When a source does not exist, or is something else: HTML files have no order to be read in.
    pub fn find(paths: &[PathBuf]) -> Result<Self, SourceError> {
        let mut found = Self::default();
        for path in paths {
            match SourceKind::of(path)? {
                SourceKind::Warcs { files, tables, aside } => {
                    found.files.extend(files);
                    found.files.extend(tables);
                    found.aside.extend(aside);
                }
                SourceKind::Jobs { jobs, aside } => {
                    for job in jobs {
                        found.files.extend(warc::files(&JobDir::new(&job).archive())?);
                    }
                    found.aside.extend(aside);
                }
                SourceKind::Page | SourceKind::Pages { .. } => {
                    return Err(SourceError::NoArchive { path: path.clone() });
                }
            }
        }
        let mut known = std::collections::HashSet::new();
        found.files.retain(|file| known.insert(file.clone()));
        Ok(found)
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
