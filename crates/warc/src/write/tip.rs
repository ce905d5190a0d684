//! Where an archive ends, by which whoever has read it knows later whether it has grown.

use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::error::ArchiveError;
use crate::folder::list;

/// Where an archive ends: whatever is added makes it another one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArchiveTip {
    /// The final name of the newest file.
    pub file: String,
    /// Its length.
    pub bytes: u64,
}

/// Where an archive ends; none while it has no files.
///
/// # Errors
/// When the directory cannot be read.
pub fn tip(dir: &Path) -> Result<Option<ArchiveTip>, ArchiveError> {
    let Some(last) = list(dir)?.pop() else { return Ok(None) };
    let bytes = fs::metadata(&last.path).map_err(ArchiveError::disk("read", &last.path))?.len();
    Ok(Some(ArchiveTip { file: last.name, bytes }))
}
