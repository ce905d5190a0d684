//! Writes files safely: under its final name, a file is always complete and on disk, even after a crash. All other code
//! uses this module to write whole files.
//!
//! A [`DraftFile`] is written under a temporary name in the folder of the final file, and then published under its
//! final name. Code that writes temporary files itself calls [`publish`]. Files to which a job appends (archive and
//! corpus) are not written here.

use std::collections::HashSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex, PoisonError};

use tempfile::NamedTempFile;

/// The prefix of the temporary names. A killed process leaves such files behind.
const PREFIX: &str = ".draft-";

/// A file with a temporary name. It gets its final name when it is published, and is deleted if it is dropped before.
#[derive(Debug)]
pub struct DraftFile {
    file: BufWriter<NamedTempFile>,
    path: PathBuf,
}

impl DraftFile {
    /// Creates a file that will replace the one at `path`.
    ///
    /// # Errors
    /// Fails if no file can be created in the folder.
    pub fn of(path: &Path) -> io::Result<Self> {
        Self::begin(path, false)
    }

    /// Creates a file. With `is_private`, only its owner may read it, also after it is published.
    fn begin(path: &Path, is_private: bool) -> io::Result<Self> {
        let folder = folder_of(path);
        sweep_once(folder);
        let mut draft = tempfile::Builder::new();
        // By default, temporary files are private. These are the usual permissions; the umask restricts them.
        if !is_private {
            draft.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        }
        loop {
            let file = draft.prefix(PREFIX).tempfile_in(folder)?;
            // The lock shows `sweep` that the process is running. If locks do not work, `sweep` removes no files
            // either, so the error does not matter.
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
    /// Fails if the disk fails.
    pub(crate) fn set_len(&self, bytes: u64) -> io::Result<()> {
        self.file.get_ref().as_file().set_len(bytes)
    }

    /// Syncs the file to disk, and then gives it its final name.
    ///
    /// # Errors
    /// Fails if the disk is full or fails. An earlier file with this name then usually stays.
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

/// Writes a whole file that only its owner may read. It replaces an earlier file with this name.
///
/// # Errors
/// As [`DraftFile::publish`].
pub fn write_private(path: &Path, bytes: impl AsRef<[u8]>) -> io::Result<()> {
    let mut draft = DraftFile::begin(path, true)?;
    draft.write_all(bytes.as_ref())?;
    draft.publish()
}

/// Writes a whole file. It replaces an earlier file with this name.
///
/// # Errors
/// As [`DraftFile::publish`].
pub fn write(path: &Path, bytes: impl AsRef<[u8]>) -> io::Result<()> {
    let mut draft = DraftFile::of(path)?;
    draft.write_all(bytes.as_ref())?;
    draft.publish()
}

/// Removes the temporary files that killed processes have left in a folder. Files of running processes are locked and
/// are not removed. Files that cannot be removed are left.
pub fn sweep(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(PREFIX) {
            let held = OpenOptions::new().write(true).open(entry.path());
            if held.is_ok_and(|file| file.try_lock().is_ok() && fs::remove_file(entry.path()).is_ok()) {
                tracing::debug!("removed the temporary file {} of a killed process", entry.path().display());
            }
        }
    }
}

/// Calls [`sweep`] for a folder when this process creates its first temporary file in it. Later calls do nothing,
/// because a process may write thousands of files.
fn sweep_once(folder: &Path) {
    static SWEPT: LazyLock<Mutex<HashSet<PathBuf>>> = LazyLock::new(Mutex::default);
    if SWEPT.lock().unwrap_or_else(PoisonError::into_inner).insert(folder.to_owned()) {
        sweep(folder);
    }
}

/// Syncs the file or folder `draft` to disk, and then renames it to `path`, which must be on the same file system.
///
/// # Errors
/// Fails if the disk is full or fails. An earlier file at `path` then usually stays.
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

/// Like [`advice`], for a new file that cannot be written.
pub fn advice_on_writing(cause: &io::Error) -> &'static str {
    match cause.kind() {
        io::ErrorKind::NotFound => "Create the folder first",
        io::ErrorKind::IsADirectory => "Name a file, not a folder",
        _ => advice(cause),
    }
}

/// Returns a sentence for error messages that says what the user can do about an error of the disk.
pub fn advice(cause: &io::Error) -> &'static str {
    use io::ErrorKind as Kind;
    match cause.kind() {
        Kind::StorageFull | Kind::QuotaExceeded | Kind::FileTooLarge => {
            "Free some disk space and run the same command again: what was reported as written is kept"
        }
        Kind::PermissionDenied | Kind::ReadOnlyFilesystem => "Check the permissions, and run the same command again",
        Kind::InvalidData => "Running the command again does not help: replace the file, or leave it out",
        Kind::NotFound => "Check the path; if the file was there before, restore it from a copy",
        Kind::NotADirectory => "Check the path: a file has the name of a folder that is needed",
        Kind::AlreadyExists => "Check the path: a file with this name exists already",
        _ => "Check the disk, and run the same command again: what was reported as written is kept",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drafts_of_killed_processes_are_removed() {
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
    fn a_private_file_stays_private_over_an_older_file() {
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
    fn the_old_file_stays_until_the_new_one_is_complete() {
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
    fn written_files_have_the_usual_permissions() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        let (ours, usual) = (dir.path().join("ours"), dir.path().join("usual"));
        write(&ours, "").unwrap();
        fs::write(&usual, "").unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode();
        assert_eq!(mode(&ours), mode(&usual));
    }
}
