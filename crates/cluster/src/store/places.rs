//! The two kinds of store, and what is known of what lies there. Whether anybody refers to it, the database says.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use goldminer_warc::Stub;
use goldminer_warc::durable::DraftFile;
use goldminer_warc::objects::{Bucket, ObjectAddress};
use jiff::Timestamp;
use walkdir::WalkDir;

use crate::error::ClusterError;

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

    pub(super) fn contents(&self, below: &str) -> Contents {
        let entries = WalkDir::new(self.folder.join(below)).into_iter().flatten();
        let found = entries.filter(|entry| !entry.file_type().is_dir()).filter_map(|entry| {
            let key = entry.path().strip_prefix(&self.folder).ok()?.to_string_lossy().into_owned();
            let about = entry.metadata().ok();
            let written = about.as_ref().and_then(|about| Timestamp::try_from(about.modified().ok()?).ok());
            Some((key, Found { bytes: about.map_or(0, |about| about.len()), written }))
        });
        found.collect()
    }

    pub(super) fn remove(&self, key: &str) {
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
    pub(super) fn at(address: &ObjectAddress) -> Result<Self, ClusterError> {
        if address.is_on_web() {
            let reason = "a web server keeps nothing: give s3://bucket/crawl, gs://…, az://…, or a folder's whole path";
            return Err(ClusterError::Store { place: address.to_string(), reason: reason.to_owned() });
        }
        let folder = address.key().trim_end_matches('/');
        let prefix = if folder.is_empty() { String::new() } else { format!("{folder}/") };
        Ok(Self { bucket: Bucket::shared(address)?, address: address.clone(), prefix })
    }

    pub(super) fn write(&self, key: &str, from: &mut impl Read) -> Result<(), ClusterError> {
        Ok(self.bucket.put_from(&self.key(key), from)?)
    }

    pub(super) fn read(&self, published: &Published, to: &mut impl Write) -> Result<(), ClusterError> {
        // One that is gone, or of another length, is not asked for.
        let found = self.bucket.look(&self.key(&published.key))?;
        match found.filter(|object| object.bytes == published.bytes) {
            Some(object) => Ok(self.bucket.fetch(&object, to)?),
            None => Err(ClusterError::Damaged { key: published.key.clone() }),
        }
    }

    /// Leaves a stub, which is read by position. That the object is there, and as long as it was, `there` says.
    pub(super) fn link(&self, published: &Published, path: &Path, there: &Contents) -> Result<(), ClusterError> {
        if there.get(&published.key).map(|found| found.bytes) != Some(published.bytes) {
            return Err(ClusterError::Damaged { key: published.key.clone() });
        }
        let address = Some(self.address.at(&self.key(&published.key)).to_string());
        let stub = Stub { address, bytes: published.bytes, blake3: published.blake3.clone() };
        stub.leave(path).map_err(ClusterError::store(path))
    }

    pub(super) fn contents(&self, below: &str) -> Result<Contents, ClusterError> {
        let mut contents = Contents::new();
        for object in self.bucket.list(&self.key(below))? {
            if let Some(key) = object.key.strip_prefix(&self.prefix) {
                contents.insert(key.to_owned(), Found { bytes: object.bytes, written: object.modified });
            }
        }
        Ok(contents)
    }

    pub(super) fn remove(&self, key: &str) {
        let _ = self.bucket.delete(&self.key(key));
    }

    fn key(&self, key: &str) -> String {
        format!("{}{key}", self.prefix)
    }
}
