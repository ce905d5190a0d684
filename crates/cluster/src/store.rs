//! Reads and writes the store of a cluster: a folder that all machines share, or a bucket. Its files are written once
//! and never changed. A file counts only if a row of the database refers to it. All functions block: call them from
//! threads that may block.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read, Seek as _, SeekFrom, Write};
use std::path::{Path, PathBuf};

use goldminer_warc::Stub;
use goldminer_warc::durable::DraftFile;
use goldminer_warc::objects::{Bucket, ObjectAddress};
use jiff::Timestamp;
use walkdir::WalkDir;

use crate::error::ClusterError;

/// A store for pieces of files. The key of a piece is its path in the store.
#[derive(Debug, Clone)]
pub(super) enum SegmentStore {
    /// A folder that all machines share.
    Folder(PathBuf),
    /// A bucket, or a part of one.
    Bucket {
        bucket: &'static Bucket,
        address: ObjectAddress,
        /// The prefix of all keys: empty, or a folder with a slash.
        prefix: String,
    },
}

impl SegmentStore {
    /// Opens the store at the path of a folder or the address of a bucket.
    pub(crate) fn at(place: &str) -> Result<Self, ClusterError> {
        let refused = |place: String, reason: &str| Err(ClusterError::Store { place, reason: reason.to_owned() });
        if place.contains("://") && !place.starts_with("file://") {
            let address = ObjectAddress::parse(place)?;
            if address.is_on_web() {
                let reason =
                    "a web server cannot store files: give s3://bucket/crawl, gs://…, az://…, or a folder's whole path";
                return refused(address.to_string(), reason);
            }
            let folder = address.key().trim_end_matches('/');
            let prefix = if folder.is_empty() { String::new() } else { format!("{folder}/") };
            return Ok(Self::Bucket { bucket: Bucket::shared(&address)?, address, prefix });
        }
        let folder = Path::new(place.strip_prefix("file://").unwrap_or(place));
        if !folder.is_absolute() {
            let reason = "write the whole path of a folder that all machines share, or s3://bucket/crawl";
            return refused(folder.display().to_string(), reason);
        }
        fs::create_dir_all(folder).map_err(ClusterError::store(folder))?;
        Ok(Self::Folder(folder.to_owned()))
    }

    /// Stores the part of a file from `start` to `end` under a key.
    pub(crate) fn publish(&self, file: &Path, start: u64, end: u64, key: String) -> Result<Published, ClusterError> {
        let mut from = File::open(file).map_err(ClusterError::store(file))?;
        from.seek(SeekFrom::Start(start)).map_err(ClusterError::store(file))?;
        let mut from = DigestStream::of(from.take(end - start));
        match self {
            Self::Folder(folder) => {
                let place = folder.join(&key);
                let folder = place.parent().unwrap_or(folder);
                fs::create_dir_all(folder).map_err(ClusterError::store(folder))?;
                let mut to = DraftFile::of(&place).map_err(ClusterError::store(&place))?;
                io::copy(&mut from, &mut to).and_then(|_| to.publish()).map_err(ClusterError::store(&place))?;
            }
            Self::Bucket { bucket, prefix, .. } => bucket.put_from(&format!("{prefix}{key}"), &mut from)?,
        }
        if from.bytes != end - start {
            return Err(ClusterError::store(file)(io::ErrorKind::UnexpectedEof.into()));
        }
        let (bytes, blake3) = from.end();
        Ok(Published { key, bytes, blake3 })
    }

    /// Appends a published piece (a part of a file) to an open file. Fails if the stored piece differs from what was
    /// published.
    pub(crate) fn append(&self, published: &Published, to: &mut impl Write) -> Result<(), ClusterError> {
        let mut to = DigestStream::of(to);
        match self {
            Self::Folder(folder) => {
                let place = folder.join(&published.key);
                let mut from = File::open(&place).map_err(|cause| unreadable(folder, published, cause))?;
                io::copy(&mut from, &mut to).map_err(ClusterError::store(&place))?;
            }
            Self::Bucket { bucket, prefix, .. } => {
                // The size is checked first, so that a missing piece, or one of another length, is not downloaded.
                let found = bucket.object(&format!("{prefix}{}", published.key))?;
                let object = found.filter(|object| object.bytes == published.bytes);
                bucket.fetch(&object.ok_or_else(|| published.damaged())?, &mut to)?;
            }
        }
        if to.end() == (published.bytes, published.blake3.clone()) { Ok(()) } else { Err(published.damaged()) }
    }

    /// Makes a published piece (a part of a file) readable at a local path, without copying it. The path becomes a
    /// symbolic link into the shared folder, or a small file (stub) with the piece's address in the bucket. `there`
    /// lists the content of the store.
    pub(crate) fn link(&self, published: &Published, path: &Path, there: &Contents) -> Result<(), ClusterError> {
        match self {
            Self::Folder(folder) => {
                let place = folder.join(&published.key);
                let bytes = fs::metadata(&place).map_err(|cause| unreadable(folder, published, cause))?.len();
                if bytes != published.bytes {
                    return Err(published.damaged());
                }
                std::os::unix::fs::symlink(&place, path).map_err(ClusterError::store(path))
            }
            // A program that opens the stub reads its content from the bucket.
            Self::Bucket { address, prefix, .. } => {
                if there.get(&published.key).map(|found| found.bytes) != Some(published.bytes) {
                    return Err(published.damaged());
                }
                let address = Some(address.at(&format!("{prefix}{}", published.key)).to_string());
                let stub = Stub { address, bytes: published.bytes, blake3: published.blake3.clone() };
                stub.leave(path).map_err(ClusterError::store(path))
            }
        }
    }

    /// The files in a folder of the store and its subfolders. In a shared folder, unreadable files are left out.
    pub(crate) fn contents(&self, below: &str) -> Result<Contents, ClusterError> {
        Ok(match self {
            Self::Folder(folder) => {
                let entries = WalkDir::new(folder.join(below)).into_iter().flatten();
                let found = entries.filter(|entry| !entry.file_type().is_dir()).filter_map(|entry| {
                    let key = entry.path().strip_prefix(folder).ok()?.to_string_lossy().into_owned();
                    let about = entry.metadata().ok();
                    let written = about.as_ref().and_then(|about| Timestamp::try_from(about.modified().ok()?).ok());
                    Some((key, UploadedFile { bytes: about.map_or(0, |about| about.len()), written }))
                });
                found.collect()
            }
            Self::Bucket { bucket, prefix, .. } => {
                let objects = bucket.list(&format!("{prefix}{below}"))?.into_iter();
                let found = objects.filter_map(|object| {
                    let key = object.key.strip_prefix(prefix)?.to_owned();
                    Some((key, UploadedFile { bytes: object.bytes, written: object.modified }))
                });
                found.collect()
            }
        })
    }

    /// Removes a file that is not needed any more. If that fails, the file stays, which does no harm.
    pub(crate) fn remove(&self, key: &str) {
        match self {
            Self::Folder(folder) => drop(fs::remove_file(folder.join(key))),
            Self::Bucket { bucket, prefix, .. } => drop(bucket.delete(&format!("{prefix}{key}"))),
        }
    }
}

/// The error for a file that cannot be opened. If the folder of its partition exists, the file itself is lost.
/// Otherwise the whole store may be unavailable.
fn unreadable(folder: &Path, published: &Published, cause: io::Error) -> ClusterError {
    let partition = published.key.split('/').next().map(|first| folder.join(first));
    let is_lost = cause.kind() == io::ErrorKind::NotFound && partition.is_some_and(|folder| folder.is_dir());
    match is_lost {
        true => published.damaged(),
        false => ClusterError::store(&folder.join(&published.key))(cause),
    }
}

/// Counts and digests the bytes that pass through it.
struct DigestStream<T> {
    inner: T,
    bytes: u64,
    digest: blake3::Hasher,
}

impl<T> DigestStream<T> {
    fn of(inner: T) -> Self {
        Self { inner, bytes: 0, digest: blake3::Hasher::new() }
    }

    fn end(&self) -> (u64, String) {
        (self.bytes, self.digest.finalize().to_hex().to_string())
    }

    fn add(&mut self, bytes: &[u8]) {
        self.digest.update(bytes);
        self.bytes += bytes.len() as u64;
    }
}

impl<T: Read> Read for DigestStream<T> {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(room)?;
        self.add(&room[..read]);
        Ok(read)
    }
}

impl<T: Write> Write for DigestStream<T> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.add(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// A piece in the store, as it was published.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Published {
    pub(crate) key: String,
    pub(crate) bytes: u64,
    /// The BLAKE3 digest, in hexadecimal digits.
    pub(crate) blake3: String,
}

impl Published {
    fn damaged(&self) -> ClusterError {
        ClusterError::Damaged { key: self.key.clone() }
    }
}

/// The files in the store, by key.
pub(crate) type Contents = BTreeMap<String, UploadedFile>;

#[derive(Debug, Clone, Copy)]
pub(crate) struct UploadedFile {
    pub(crate) bytes: u64,
    /// When the file was written, by the store's clock.
    pub(crate) written: Option<Timestamp>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_differ_from_what_was_published_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        let store = SegmentStore::at(dir.path().join("store").to_str().unwrap()).unwrap();
        let file = dir.path().join("file");
        std::fs::write(&file, b"0123456789").unwrap();
        let published = store.publish(&file, 3, 7, "p001/e00001/file@3".to_owned()).unwrap();
        let mut read = Vec::new();
        store.append(&published, &mut read).unwrap();
        assert_eq!(read, b"3456");
        std::fs::write(dir.path().join("store").join(&published.key), b"3455").unwrap();
        let refused = store.append(&published, &mut Vec::new()).unwrap_err();
        assert!(matches!(refused, ClusterError::Damaged { key } if key == published.key));
        let short = store.publish(&file, 8, 12, "p001/e00001/file@8".to_owned());
        assert!(short.is_err(), "the file has no twelve bytes");
    }

    #[test]
    fn an_unusable_store_is_refused_with_advice() {
        for (place, words) in [
            ("relative/folder", "whole path"),
            ("https://files.example/crawl", "s3://"),
            ("ftp://files.example/crawl", "s3://"),
            ("s3://key:secret@bucket/crawl", "credentials"),
        ] {
            let refused = SegmentStore::at(place).unwrap_err().to_string();
            assert!(refused.contains(words) && !refused.contains("secret"), "{place}: {refused}");
        }
    }
}
