//! A part of a bucket, as a store.

use std::io::{Read, Write};
use std::path::Path;

use goldminer_warc::Stub;
use goldminer_warc::objects::{Bucket, ObjectAddress};

use super::contents::{Contents, Found};
use super::published::Published;
use crate::error::ClusterError;

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
