//! The one door through which files come to their names: there whole or not at all, whatever happens, and once they are
//! there, there for good.
//!
//! A [`DraftFile`] is written beside its place and published; who keeps drafts elsewhere calls [`publish`]. Files that grow
//! (archive, corpus of a job) have rules of their own.

use std::collections::HashSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex, PoisonError};

use tempfile::NamedTempFile;

/// How drafts are called that a killed process left.
const PREFIX: &str = ".draft-";

/// A file on its way to its name. Dropped before it is published, it leaves nothing.
#[derive(Debug)]
pub struct DraftFile {
    file: BufWriter<NamedTempFile>,
    path: PathBuf,
}

impl DraftFile {
    /// Begins a file that is to become `path`, over what is there.
    ///
    /// # Errors
    /// When its folder can't be written.
    pub fn of(path: &Path) -> io::Result<Self> {
        Self::begin(path, false)
    }

    /// `is_private` if its owner alone may read it, where the system knows owners; so is what has its name then.
    fn begin(path: &Path, is_private: bool) -> io::Result<Self> {
        let folder = folder_of(path);
        sweep_once(folder);
        let mut draft = tempfile::Builder::new();
        // As files are made that are not temporary: the process's mask takes away what nobody is to have.
        if !is_private {
            draft.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        }
        loop {
            let file = draft.prefix(PREFIX).tempfile_in(folder)?;
            // Whoever lives holds the lock of its draft. Where there are no locks, nothing is swept either.
            let _ = file.as_file().lock();
            // Another process may have swept it before it was locked.
            if file.path().exists() {
                return Ok(Self { file: BufWriter::with_capacity(256 << 10, file), path: path.to_owned() });
            }
        }
    }

    /// Makes it this long without writing anything.
    ///
    /// # Errors
    /// When the disk refuses.
    pub(crate) fn set_len(&self, bytes: u64) -> io::Result<()> {
        self.file.get_ref().as_file().set_len(bytes)
    }

    /// Makes the file durable, and gives it its name.
    ///
    /// # Errors
    /// When the disk is full or fails; what had the name before has it still.
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

/// Writes a whole file that its owner alone may read, whatever had its name before.
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

/// Removes the drafts in a folder that killed processes left: those that nobody holds. What can't be removed stays.
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

/// The same, with the first draft of a process there: a folder may get thousands.
fn sweep_once(folder: &Path) {
    static SWEPT: LazyLock<Mutex<HashSet<PathBuf>>> = LazyLock::new(Mutex::default);
    if SWEPT.lock().unwrap_or_else(PoisonError::into_inner).insert(folder.to_owned()) {
        sweep(folder);
    }
}

/// Makes a draft that lies on the same file system durable, and gives it its name.
///
/// # Errors
/// When the disk is full or fails; what had the name before has it still.
pub fn publish(draft: &Path, path: &Path) -> io::Result<()> {
    File::open(draft)?.sync_all()?;
    fs::rename(draft, path)?;
    sync_folder_of(path)
}

/// Makes created, renamed and removed names durable.
fn sync_folder_of(path: &Path) -> io::Result<()> {
    File::open(folder_of(path))?.sync_all()
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// What to do about a disk that fails; what was reported as written before is there.
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
