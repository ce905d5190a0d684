//! Archive positions in rows: a file's name is stored once, rows hold its number.

use super::Frontier;
use super::changes::Changes;
use crate::capture::ArchivePosition;
use crate::store::StoreError;
use crate::store::frontier::{ONLY, StoredPosition};

impl Frontier {
    /// Stores a position, and remembers the last of the archive.
    pub(super) fn store_position(
        &mut self,
        changes: &mut Changes,
        position: Option<&ArchivePosition>,
    ) -> Result<Option<StoredPosition>, StoreError> {
        let Some(position) = position else { return Ok(None) };
        // The file being written is nearly always the last one.
        let file = self.files.iter().rposition(|file| *file == position.file).unwrap_or_else(|| {
            let number = self.files.len();
            self.files.push(position.file.clone());
            changes.batch.put(&self.tables.files, &(number as u32).to_be_bytes(), &position.file);
            number
        });
        if self.archive.as_ref().is_none_or(|last| (&last.file, last.offset) < (&position.file, position.offset)) {
            self.archive = Some(position.clone());
            changes.batch.put(&self.tables.archive, ONLY, position);
        }
        Ok(Some(StoredPosition { file: file as u32, offset: position.offset, length: position.length }))
    }

    /// The position that a row holds.
    pub(super) fn position(&self, stored: StoredPosition) -> Option<ArchivePosition> {
        let file = self.files.get(stored.file as usize)?.clone();
        Some(ArchivePosition { file, offset: stored.offset, length: stored.length })
    }
}
