//! A folder that all machines share, as a store.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use goldminer_warc::durable::DraftFile;
use jiff::Timestamp;

use super::contents::{Contents, Found};
use super::published::Published;
use crate::error::ClusterError;

#[derive(Debug, Clone)]
pub(crate) struct FolderStore {
    folder: PathBuf,
}

impl FolderStore {
    pub(super) fn at(folder: &Path) -> Result<Self, ClusterError> {
        if !folder.is_absolute() {
            let reason = "write the store's whole path, as every machine is to find it, or s3://bucket/crawl";
            return Err(ClusterError::Store { place: folder.display().to_string(), reason: reason.to_owned() });
        }
        fs::create_dir_all(folder).map_err(ClusterError::store(folder))?;
        Ok(Self { folder: folder.to_owned() })
    }

    pub(super) fn write(&self, key: &str, from: &mut impl Read) -> Result<(), ClusterError> {
        let place = self.folder.join(key);
        let folder = place.parent().unwrap_or(&self.folder);
        fs::create_dir_all(folder).map_err(ClusterError::store(folder))?;
        let mut to = DraftFile::of(&place).map_err(ClusterError::store(&place))?;
        io::copy(from, &mut to).and_then(|_| to.publish()).map_err(ClusterError::store(&place))
    }

    pub(super) fn read(&self, published: &Published, to: &mut impl Write) -> Result<(), ClusterError> {
        let place = self.folder.join(&published.key);
        let mut from = File::open(&place).map_err(|cause| self.unreadable(published, &place, cause))?;
        io::copy(&mut from, to).map(|_| ()).map_err(ClusterError::store(&place))
    }

    pub(super) fn link(&self, published: &Published, path: &Path) -> Result<(), ClusterError> {
        let place = self.folder.join(&published.key);
        let bytes = fs::metadata(&place).map_err(|cause| self.unreadable(published, &place, cause))?.len();
        if bytes != published.bytes {
            return Err(ClusterError::Damaged { key: published.key.clone() });
        }
        #[cfg(unix)]
        std::os::unix::fs::symlink(&place, path).map_err(ClusterError::store(path))?;
        #[cfg(not(unix))]
        fs::copy(&place, path).map_err(ClusterError::store(path))?;
        Ok(())
    }

    /// A file that is gone while its partition's folder is there is lost; else the whole store may be away.
    fn unreadable(&self, published: &Published, place: &Path, cause: io::Error) -> ClusterError {
        let partition = published.key.split('/').next().map(|first| self.folder.join(first));
        let is_lost = cause.kind() == io::ErrorKind::NotFound && partition.is_some_and(|folder| folder.is_dir());
        match is_lost {
            true => ClusterError::Damaged { key: published.key.clone() },
            false => ClusterError::store(place)(cause),
        }
    }

    pub(super) fn contents(&self, below: &str) -> Contents {
        let mut folders = vec![self.folder.join(below)];
        let mut contents = Contents::new();
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
                let path = entry.path();
                if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                    folders.push(path);
                } else if let Ok(key) = path.strip_prefix(&self.folder) {
                    let about = entry.metadata().ok();
                    let written = about.as_ref().and_then(|about| Timestamp::try_from(about.modified().ok()?).ok());
                    let found = Found { bytes: about.map_or(0, |about| about.len()), written };
                    contents.insert(key.to_string_lossy().into_owned(), found);
                }
            }
        }
        contents
    }

    pub(super) fn remove(&self, key: &str) {
        let _ = fs::remove_file(self.folder.join(key));
    }
}
