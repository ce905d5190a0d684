//! Writes files that are complete or absent under their names, whatever happens, and on disk once they have their
//! names. All other code uses this module for that.
//!
//! A [`DraftFile`] is written in the folder of the final file, and then published. Code with drafts elsewhere calls
//! [`publish`]. Files that grow (archive and corpus of a job) have other rules.

use std::collections::HashSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex, PoisonError};

use tempfile::NamedTempFile;

/// The prefix of the names of drafts. Killed processes leave some.
const PREFIX: &str = ".draft-";

/// A file that gets its name when it is published. If it is dropped before, it is deleted.
#[derive(Debug)]
pub struct DraftFile {
    file: BufWriter<NamedTempFile>,
    path: PathBuf,
}

impl DraftFile {
    /// Starts a file that will replace the one at `path`.
    ///
    /// # Errors
    /// When its folder cannot be written.
    pub fn of(path: &Path) -> io::Result<Self> {
        Self::begin(path, false)
    }

    /// Starts a file. With `is_private`, only its owner may read it, also when it is published.
    fn begin(path: &Path, is_private: bool) -> io::Result<Self> {
        let folder = folder_of(path);
        sweep_once(folder);
        let mut draft = tempfile::Builder::new();
        // Temporary files are private; these are the usual permissions, which the umask restricts.
        if !is_private {
            draft.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        }
        loop {
            let file = draft.prefix(PREFIX).tempfile_in(folder)?;
            // A running process holds a lock on its draft. On systems without locks, no drafts are removed either.
            let _ = file.as_file().lock();
            // Another process may have removed the draft before it was locked.
            if file.path().exists() {
                return Ok(Self { file: BufWriter::with_capacity(256 << 10, file), path: path.to_owned() });
            }
        }
    }

    /// Sets the length of the file without writing anything.
    ///
    /// # Errors
    /// When the disk fails.
    pub(crate) fn set_len(&self, bytes: u64) -> io::Result<()> {
        self.file.get_ref().as_file().set_len(bytes)
    }

    /// Syncs the file to disk, and then gives it its name.
    ///
    /// # Errors
    /// When the disk is full or fails. An earlier file then keeps the name.
    pub fn publish(self) -> io::Result<()> {
        let file = self.file.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.as_file().sync_all()?;
        file.persist(&self.path).map_err(|refused| refused.error)?;
        sync_folder_of(&self.path)
    }
}

impl Write for DraftFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Writes a whole file that only its owner may read, even if an earlier file with that name was not private.
///
/// # Errors
/// As [`DraftFile::publish`].
pub fn write_private(path: &Path, bytes: impl AsRef<[u8]>) -> io::Result<()> {
    let mut draft = DraftFile::begin(path, true)?;
    draft.write_all(bytes.as_ref())?;
    draft.publish()
}

/// Writes a whole file.
///
/// # Errors
/// As [`DraftFile::publish`].
pub fn write(path: &Path, bytes: impl AsRef<[u8]>) -> io::Result<()> {
    let mut draft = DraftFile::of(path)?;
    draft.write_all(bytes.as_ref())?;
    draft.publish()
}

/// Removes the drafts that killed processes have left in a folder: those without a lock. Drafts that cannot be removed
/// stay.
pub fn sweep(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(PREFIX) {
            let held = OpenOptions::new().write(true).open(entry.path());
            if held.is_ok_and(|file| file.try_lock().is_ok() && fs::remove_file(entry.path()).is_ok()) {
                tracing::debug!("removed {}, which a killed process left", entry.path().display());
            }
        }
    }
}

/// Removes left drafts in a folder when this process makes its first draft there, because a folder may get thousands.
fn sweep_once(folder: &Path) {
    static SWEPT: LazyLock<Mutex<HashSet<PathBuf>>> = LazyLock::new(Mutex::default);
    if SWEPT.lock().unwrap_or_else(PoisonError::into_inner).insert(folder.to_owned()) {
        sweep(folder);
    }
}

/// Syncs a draft on the same file system to disk, and then gives it its name.
///
/// # Errors
/// When the disk is full or fails. An earlier file then keeps the name.
pub fn publish(draft: &Path, path: &Path) -> io::Result<()> {
    File::open(draft)?.sync_all()?;
    fs::rename(draft, path)?;
    sync_folder_of(path)
}

/// Syncs created, renamed and removed names to disk.
fn sync_folder_of(path: &Path) -> io::Result<()> {
    File::open(folder_of(path))?.sync_all()
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Advice for an error of the disk. Data that was reported as written is safe.
pub fn advice(cause: &io::Error) -> &'static str {
    use io::ErrorKind as Kind;
    match cause.kind() {
        Kind::StorageFull | Kind::QuotaExceeded | Kind::FileTooLarge => {
            "Make room and run the same command again: what was reported as written is kept"
        }
        Kind::PermissionDenied | Kind::ReadOnlyFilesystem => {
            "Check who may write there, and run the same command again"
        }
        Kind::NotFound => "Check the path; if the file was there before, restore it from a copy",
        _ => "Check the disk, and run the same command again: what was reported as written is kept",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drafts_of_killed_processes_go_and_held_ones_stay() {
        let dir = tempfile::tempdir().unwrap();
        let mut held = DraftFile::of(&dir.path().join("a")).unwrap();
        fs::write(dir.path().join(".draft-killed"), "half").unwrap();
        sweep(dir.path());
        assert!(!dir.path().join(".draft-killed").exists());
        held.write_all(b"whole").unwrap();
        held.publish().unwrap();
        assert_eq!(fs::read_to_string(dir.path().join("a")).unwrap(), "whole");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_private_file_is_private_whatever_had_its_name() {
        use std::os::unix::fs::PermissionsExt as _;
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("control.json");
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        write_private(&path, "secret").unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(fs::read_to_string(&path).unwrap(), "secret");
    }

    #[test]
    fn a_file_is_the_old_one_until_the_new_one_is_whole() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("job.toml");
        write(&path, "old").unwrap();
        let mut draft = DraftFile::of(&path).unwrap();
        draft.write_all(b"ne").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        drop(draft);
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1, "nothing is left of it");
        let mut draft = DraftFile::of(&path).unwrap();
        draft.write_all(b"new").unwrap();
        draft.publish().unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn others_may_read_what_they_may_read_of_other_files() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        let (ours, usual) = (dir.path().join("ours"), dir.path().join("usual"));
        write(&ours, "").unwrap();
        fs::write(&usual, "").unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode();
        assert_eq!(mode(&ours), mode(&usual));
    }
}
