//! The store: a folder that all machines share, or a bucket. Files in it are written once and never changed. Rows of
//! the database make them visible. All functions block: call them from threads that may block.

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
    pub(crate) fn at(place: &str) -> Result<Self, ClusterError> {
        match place.contains("://") && !place.starts_with("file://") {
            true => Ok(Self::Bucket(BucketStore::at(&ObjectAddress::parse(place)?)?)),
            false => Ok(Self::Folder(FolderStore::at(Path::new(place.strip_prefix("file://").unwrap_or(place)))?)),
        }
    }

    /// Publishes a file from a byte on to its end of now.
    pub(crate) fn publish(&self, file: &Path, start: u64, end: u64, key: String) -> Result<Published, ClusterError> {
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
    pub(crate) fn append(&self, published: &Published, to: &mut impl Write) -> Result<(), ClusterError> {
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
    pub(crate) fn link(&self, published: &Published, path: &Path, there: &Contents) -> Result<(), ClusterError> {
        match self {
            Self::Folder(folder) => folder.link(published, path),
            Self::Bucket(bucket) => bucket.link(published, path, there),
        }
    }

    /// What lies below a folder of the store. What of a folder on a disk cannot be read is not among it.
    pub(crate) fn contents(&self, below: &str) -> Result<Contents, ClusterError> {
        match self {
            Self::Folder(folder) => Ok(folder.contents(below)),
            Self::Bucket(bucket) => bucket.contents(below),
        }
    }

    /// Removes something that nothing refers to any more. What cannot be removed stays: it does no harm.
    pub(crate) fn remove(&self, key: &str) {
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

/// Something that was published.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Published {
    pub(crate) key: String,
    pub(crate) bytes: u64,
    /// Its digest, as hexadecimal digits.
    pub(crate) blake3: String,
}

/// Keys, with what lies there.
pub(crate) type Contents = BTreeMap<String, Found>;

/// Something that lies in the store.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Found {
    pub(crate) bytes: u64,
    /// When it was written, by the store's clock.
    pub(crate) written: Option<Timestamp>,
}

/// A folder that all machines share, as a store.
#[derive(Debug, Clone)]
pub(crate) struct FolderStore {
    folder: PathBuf,
}

impl FolderStore {
    pub(crate) fn at(folder: &Path) -> Result<Self, ClusterError> {
        if !folder.is_absolute() {
            let reason = "write the store's whole path, as every machine is to find it, or s3://bucket/crawl";
            return Err(ClusterError::Store { place: folder.display().to_string(), reason: reason.to_owned() });
        }
        fs::create_dir_all(folder).map_err(ClusterError::store(folder))?;
        Ok(Self { folder: folder.to_owned() })
    }

    pub(crate) fn write(&self, key: &str, from: &mut impl Read) -> Result<(), ClusterError> {
        let place = self.folder.join(key);
        let folder = place.parent().unwrap_or(&self.folder);
        fs::create_dir_all(folder).map_err(ClusterError::store(folder))?;
        let mut to = DraftFile::of(&place).map_err(ClusterError::store(&place))?;
        io::copy(from, &mut to).and_then(|_| to.publish()).map_err(ClusterError::store(&place))
    }

    pub(crate) fn read(&self, published: &Published, to: &mut impl Write) -> Result<(), ClusterError> {
        let place = self.folder.join(&published.key);
        let mut from = File::open(&place).map_err(|cause| self.unreadable(published, &place, cause))?;
        io::copy(&mut from, to).map(|_| ()).map_err(ClusterError::store(&place))
    }

    pub(crate) fn link(&self, published: &Published, path: &Path) -> Result<(), ClusterError> {
        let place = self.folder.join(&published.key);
        let bytes = fs::metadata(&place).map_err(|cause| self.unreadable(published, &place, cause))?.len();
        if bytes != published.bytes {
            return Err(ClusterError::Damaged { key: published.key.clone() });
        }
        std::os::unix::fs::symlink(&place, path).map_err(ClusterError::store(path))
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

    pub(crate) fn contents(&self, below: &str) -> Contents {
        let entries = WalkDir::new(self.folder.join(below)).into_iter().flatten();
        let found = entries.filter(|entry| !entry.file_type().is_dir()).filter_map(|entry| {
            let key = entry.path().strip_prefix(&self.folder).ok()?.to_string_lossy().into_owned();
            let about = entry.metadata().ok();
            let written = about.as_ref().and_then(|about| Timestamp::try_from(about.modified().ok()?).ok());
            Some((key, Found { bytes: about.map_or(0, |about| about.len()), written }))
        });
        found.collect()
    }

    pub(crate) fn remove(&self, key: &str) {
        let _ = fs::remove_file(self.folder.join(key));
    }
}

/// A part of a bucket, as a store.
#[derive(Debug, Clone)]
pub(crate) struct BucketStore {
    bucket: &'static Bucket,
    address: ObjectAddress,
    /// What all keys begin with: nothing, or a folder with its stroke.
    prefix: String,
}

impl BucketStore {
    pub(crate) fn at(address: &ObjectAddress) -> Result<Self, ClusterError> {
        if address.is_on_web() {
            let reason = "a web server keeps nothing: give s3://bucket/crawl, gs://…, az://…, or a folder's whole path";
            return Err(ClusterError::Store { place: address.to_string(), reason: reason.to_owned() });
        }
        let folder = address.key().trim_end_matches('/');
        let prefix = if folder.is_empty() { String::new() } else { format!("{folder}/") };
        Ok(Self { bucket: Bucket::shared(address)?, address: address.clone(), prefix })
    }

    pub(crate) fn write(&self, key: &str, from: &mut impl Read) -> Result<(), ClusterError> {
        Ok(self.bucket.put_from(&self.key(key), from)?)
    }

    pub(crate) fn read(&self, published: &Published, to: &mut impl Write) -> Result<(), ClusterError> {
        // One that is gone, or of another length, is not asked for.
        let found = self.bucket.look(&self.key(&published.key))?;
        match found.filter(|object| object.bytes == published.bytes) {
            Some(object) => Ok(self.bucket.fetch(&object, to)?),
            None => Err(ClusterError::Damaged { key: published.key.clone() }),
        }
    }

    /// Leaves a stub, which is read by position. That the object is there, and as long as it was, `there` says.
    pub(crate) fn link(&self, published: &Published, path: &Path, there: &Contents) -> Result<(), ClusterError> {
        if there.get(&published.key).map(|found| found.bytes) != Some(published.bytes) {
            return Err(ClusterError::Damaged { key: published.key.clone() });
        }
        let address = Some(self.address.at(&self.key(&published.key)).to_string());
        let stub = Stub { address, bytes: published.bytes, blake3: published.blake3.clone() };
        stub.leave(path).map_err(ClusterError::store(path))
    }

    pub(crate) fn contents(&self, below: &str) -> Result<Contents, ClusterError> {
        let mut contents = Contents::new();
        for object in self.bucket.list(&self.key(below))? {
            if let Some(key) = object.key.strip_prefix(&self.prefix) {
                contents.insert(key.to_owned(), Found { bytes: object.bytes, written: object.modified });
            }
        }
        Ok(contents)
    }

    pub(crate) fn remove(&self, key: &str) {
        let _ = self.bucket.delete(&self.key(key));
    }

    fn key(&self, key: &str) -> String {
        format!("{}{key}", self.prefix)
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
