//! Lists the files of an archive's folder in the order of writing, and returns the end of the archive. A reader that
//! has saved this end can later see whether the archive has grown.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use goldminer_html::capture::segment_serial;
use serde::{Deserialize, Serialize};

use crate::error::ArchiveError;

/// The suffix that a file's name has while the file is being written.
pub(super) const OPEN_SUFFIX: &str = ".open";
const WARC_SUFFIX: &str = ".warc.gz";

/// Syncs created, renamed and removed names to disk.
pub(super) fn sync_dir(dir: &Path) -> Result<(), ArchiveError> {
    File::open(dir).and_then(|dir| dir.sync_all()).map_err(ArchiveError::disk("sync", dir))
}

/// The file's name without [`OPEN_SUFFIX`]. Positions contain this name.
pub(super) fn final_name(path: &Path) -> String {
    let name = path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    name.strip_suffix(OPEN_SUFFIX).unwrap_or(&name).to_owned()
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ArchiveFile {
    /// The serial number at the end of the file's name. It gives the order of writing; the date in the name may be
    /// wrong.
    pub(super) serial: u64,
    /// The name without [`OPEN_SUFFIX`].
    pub(super) name: String,
    pub(super) path: PathBuf,
    pub(super) is_open: bool,
}

/// The files of the archive in the order of writing.
pub(super) fn list(dir: &Path) -> Result<Vec<ArchiveFile>, ArchiveError> {
    let mut files = Vec::new();
    for entry in fs::read_dir(dir).map_err(ArchiveError::disk("read", dir))? {
        let path = entry.map_err(ArchiveError::disk("read", dir))?.path();
        let name = final_name(&path);
        if !name.ends_with(WARC_SUFFIX) {
            continue;
        }
        let serial = segment_serial(&name).unwrap_or(0);
        let is_open = path.as_os_str().to_string_lossy().ends_with(OPEN_SUFFIX);
        files.push(ArchiveFile { serial, name, path, is_open });
    }
    files.sort_unstable();
    Ok(files)
}

/// The end of an archive. It changes with each record that is appended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArchiveTip {
    /// The name of the newest file, without the suffix `.open`.
    pub file: String,
    /// The length of this file in bytes.
    pub bytes: u64,
}

/// The current end of an archive; None while it has no files.
///
/// # Errors
/// Fails if the directory cannot be read.
pub fn tip(dir: &Path) -> Result<Option<ArchiveTip>, ArchiveError> {
    let Some(last) = list(dir)?.pop() else { return Ok(None) };
    let bytes = fs::metadata(&last.path).map_err(ArchiveError::disk("read", &last.path))?.len();
    Ok(Some(ArchiveTip { file: last.name, bytes }))
}
