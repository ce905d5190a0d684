//! The store: a folder that all machines share, in which what was written once is never written again. Keys are paths in
//! it. What lies there says nothing by itself: the database's rows make it visible.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::durable::Draft;

use super::error::ClusterError;

/// A folder that all machines share.
#[derive(Debug, Clone)]
pub(super) struct SegmentStore {
    folder: PathBuf,
}

/// Something that was published.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Published {
    pub(super) key: String,
    pub(super) bytes: u64,
    /// Its digest, as hexadecimal digits.
    pub(super) blake3: String,
}

impl SegmentStore {
    /// The store at a place.
    pub(super) fn at(place: &str) -> Result<Self, ClusterError> {
        let folder = PathBuf::from(place.strip_prefix("file://").unwrap_or(place));
        if place.contains("://") && !place.starts_with("file://") {
            let reason = "only a folder that all machines share can be the store; mount the bucket, or give a folder";
            return Err(ClusterError::Store { path: folder, reason: reason.to_owned() });
        }
        if !folder.is_absolute() {
            let reason = "write the store's whole path, as every machine is to find it";
            return Err(ClusterError::Store { path: folder, reason: reason.to_owned() });
        }
        fs::create_dir_all(&folder).map_err(ClusterError::store(&folder))?;
        Ok(Self { folder })
    }

    /// Publishes a file from a byte on to its end of now.
    pub(super) fn publish(&self, file: &Path, start: u64, end: u64, key: String) -> Result<Published, ClusterError> {
        let place = self.folder.join(&key);
        let folder = place.parent().unwrap_or(&self.folder);
        fs::create_dir_all(folder).map_err(ClusterError::store(folder))?;
        let mut from = File::open(file).map_err(ClusterError::store(file))?;
        from.seek(SeekFrom::Start(start)).map_err(ClusterError::store(file))?;
        let mut to = Draft::of(&place).map_err(ClusterError::store(&place))?;
        let (bytes, blake3) = copy(&mut from.take(end - start), &mut to).map_err(ClusterError::store(&place))?;
        if bytes != end - start {
            return Err(ClusterError::store(file)(io::ErrorKind::UnexpectedEof.into()));
        }
        to.publish().map_err(ClusterError::store(&place))?;
        Ok(Published { key, bytes, blake3 })
    }

    /// Appends something published to an open file; refused if it is not what was published.
    pub(super) fn append(&self, published: &Published, to: &mut impl Write) -> Result<(), ClusterError> {
        let place = self.folder.join(&published.key);
        let mut from = File::open(&place).map_err(|cause| self.unreadable(published, &place, cause))?;
        let (bytes, blake3) = copy(&mut from, to).map_err(ClusterError::store(&place))?;
        if bytes == published.bytes && blake3 == published.blake3 {
            return Ok(());
        }
        Err(ClusterError::Damaged { key: published.key.clone() })
    }

    /// Makes something published visible at a path without copying it: nobody writes to it.
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

    /// The keys below a folder of the store; what cannot be read is not among them.
    pub(super) fn keys(&self, below: &str) -> Vec<String> {
        let mut folders = vec![self.folder.join(below)];
        let mut keys = Vec::new();
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
                let path = entry.path();
                if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                    folders.push(path);
                } else if let Ok(key) = path.strip_prefix(&self.folder) {
                    keys.push(key.to_string_lossy().into_owned());
                }
            }
        }
        keys
    }

    /// Removes something that nothing refers to any more. What cannot be removed stays: it does no harm.
    pub(super) fn remove(&self, key: &str) {
        let _ = fs::remove_file(self.folder.join(key));
    }
}

fn copy(from: &mut impl Read, to: &mut impl Write) -> io::Result<(u64, String)> {
    let (mut digest, mut bytes, mut room) = (blake3::Hasher::new(), 0, vec![0; 256 << 10]);
    loop {
        let read = from.read(&mut room)?;
        if read == 0 {
            return Ok((bytes, digest.finalize().to_hex().to_string()));
        }
        digest.update(&room[..read]);
        to.write_all(&room[..read])?;
        bytes += read as u64;
    }
}
