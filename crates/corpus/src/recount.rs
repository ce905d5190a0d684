//! What a file holds that nobody counted when it was written: all of it is read.

use std::path::Path;

use crate::error::CorpusError;
use crate::files::held_file::HeldFile;
use crate::read::read;

impl HeldFile {
    /// Reads all of a file: its checksum, and what it holds.
    ///
    /// # Errors
    /// When it cannot be read, or holds what is no document.
    pub fn counted(path: &Path) -> Result<Self, CorpusError> {
        let mut file = Self::summed(path)?;
        for document in read(path)? {
            file.holdings.add(&document?);
        }
        Ok(file)
    }
}
