//! A part of a bucket, as a store.

use std::io::{Read, Write};

use super::published::Published;
use crate::cluster::error::ClusterError;
use crate::objects::{Bucket, ObjectAddress};

#[derive(Debug, Clone)]
pub(in crate::cluster) struct BucketStore {
    /// One a process, as long as it runs: its end would have to wait, which tasks must not.
    bucket: &'static Bucket,
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
        Ok(Self { bucket: Box::leak(Box::new(Bucket::open(address)?)), prefix })
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

    pub(super) fn keys(&self, below: &str) -> Vec<String> {
        let listed = self.bucket.list(&self.key(below)).unwrap_or_default();
        listed.iter().filter_map(|object| object.key.strip_prefix(&self.prefix)).map(str::to_owned).collect()
    }

    pub(super) fn remove(&self, key: &str) {
        let _ = self.bucket.delete(&self.key(key));
    }

    fn key(&self, key: &str) -> String {
        format!("{}{key}", self.prefix)
    }
}
