//! The store: a folder that all machines share, or a bucket. Files in it are written once and never changed. Rows of
//! the database make them visible. All functions block: call them from threads that may block.

mod places;

use std::fs::File;
use std::io::{self, Read, Seek as _, SeekFrom, Write};
use std::path::Path;

use goldminer_warc::objects::ObjectAddress;

use self::places::{BucketStore, FolderStore};
use crate::error::ClusterError;

pub(super) use self::places::{Contents, Found, Published};

/// Where pieces of files lie, by keys that are paths in it.
#[derive(Debug, Clone)]
pub(super) enum SegmentStore {
    /// A folder that all machines share.
    Folder(FolderStore),
    /// A part of a bucket.
    Bucket(BucketStore),
}

impl SegmentStore {
    /// The store at a place.
    pub(super) fn at(place: &str) -> Result<Self, ClusterError> {
        match place.contains("://") && !place.starts_with("file://") {
            true => Ok(Self::Bucket(BucketStore::at(&ObjectAddress::parse(place)?)?)),
            false => Ok(Self::Folder(FolderStore::at(Path::new(place.strip_prefix("file://").unwrap_or(place)))?)),
        }
    }

    /// Publishes a file from a byte on to its end of now.
    pub(super) fn publish(&self, file: &Path, start: u64, end: u64, key: String) -> Result<Published, ClusterError> {
        let mut from = File::open(file).map_err(ClusterError::store(file))?;
        from.seek(SeekFrom::Start(start)).map_err(ClusterError::store(file))?;
        let mut from = Digesting::of(from.take(end - start));
        match self {
            Self::Folder(folder) => folder.write(&key, &mut from)?,
            Self::Bucket(bucket) => bucket.write(&key, &mut from)?,
        }
        if from.bytes != end - start {
            return Err(ClusterError::store(file)(io::ErrorKind::UnexpectedEof.into()));
        }
        let (bytes, blake3) = from.end();
        Ok(Published { key, bytes, blake3 })
    }

    /// Appends something published to an open file; refused if it is not what was published.
    pub(super) fn append(&self, published: &Published, to: &mut impl Write) -> Result<(), ClusterError> {
        let mut to = Digesting::of(to);
        match self {
            Self::Folder(folder) => folder.read(published, &mut to)?,
            Self::Bucket(bucket) => bucket.read(published, &mut to)?,
        }
        if to.end() == (published.bytes, published.blake3.clone()) {
            return Ok(());
        }
        Err(ClusterError::Damaged { key: published.key.clone() })
    }

    /// Makes something published readable at a path to which nobody writes, without copying it; `there` is what lies in the
    /// store, of which its archive is read by position.
    pub(super) fn link(&self, published: &Published, path: &Path, there: &Contents) -> Result<(), ClusterError> {
        match self {
            Self::Folder(folder) => folder.link(published, path),
            Self::Bucket(bucket) => bucket.link(published, path, there),
        }
    }

    /// What lies below a folder of the store. What of a folder on a disk cannot be read is not among it.
    pub(super) fn contents(&self, below: &str) -> Result<Contents, ClusterError> {
        match self {
            Self::Folder(folder) => Ok(folder.contents(below)),
            Self::Bucket(bucket) => bucket.contents(below),
        }
    }

    /// Removes something that nothing refers to any more. What cannot be removed stays: it does no harm.
    pub(super) fn remove(&self, key: &str) {
        match self {
            Self::Folder(folder) => folder.remove(key),
            Self::Bucket(bucket) => bucket.remove(key),
        }
    }
}

/// What passes through, measured and digested.
struct Digesting<T> {
    inner: T,
    bytes: u64,
    digest: blake3::Hasher,
}

impl<T> Digesting<T> {
    fn of(inner: T) -> Self {
        Self { inner, bytes: 0, digest: blake3::Hasher::new() }
    }

    fn end(&self) -> (u64, String) {
        (self.bytes, self.digest.finalize().to_hex().to_string())
    }

    fn passed(&mut self, bytes: &[u8]) {
        self.digest.update(bytes);
        self.bytes += bytes.len() as u64;
    }
}

impl<T: Read> Read for Digesting<T> {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(room)?;
        self.passed(&room[..read]);
        Ok(read)
    }
}

impl<T: Write> Write for Digesting<T> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.passed(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_what_was_published_is_not_taken() {
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
    fn a_place_that_cannot_be_a_store_is_refused_with_what_to_do() {
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
