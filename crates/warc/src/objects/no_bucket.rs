//! What stands in for a bucket in a program that is built without stores.

use std::io::{Read, Write};
use std::ops::Range;
use std::path::Path;

use super::StoredObject;
use super::address::{ObjectAddress, ObjectError};

/// A bucket, which this program has no way to.
#[derive(Debug)]
pub enum Bucket {}

impl Bucket {
    /// Refuses, and says how a program is built that does not.
    ///
    /// # Errors
    /// Always.
    pub fn open(address: &ObjectAddress) -> Result<Self, ObjectError> {
        Err(ObjectError::NotBuilt { address: address.to_string() })
    }

    /// Refuses, and says how a program is built that does not.
    ///
    /// # Errors
    /// Always.
    pub fn shared(address: &ObjectAddress) -> Result<&'static Self, ObjectError> {
        Err(ObjectError::NotBuilt { address: address.to_string() })
    }

    /// A stretch of an object.
    ///
    /// # Errors
    /// Never: there is no bucket.
    pub fn read_range(&self, _object: &StoredObject, _range: Range<u64>) -> Result<Vec<u8>, ObjectError> {
        match *self {}
    }

    /// The objects whose keys begin with the folder `below`, in the order of their keys.
    ///
    /// # Errors
    /// Never: there is no bucket.
    pub fn list(&self, _below: &str) -> Result<Vec<StoredObject>, ObjectError> {
        match *self {}
    }

    /// The object under a key, if there is one.
    ///
    /// # Errors
    /// Never: there is no bucket.
    pub fn look(&self, _key: &str) -> Result<Option<StoredObject>, ObjectError> {
        match *self {}
    }

    /// Copies an object.
    ///
    /// # Errors
    /// Never: there is no bucket.
    pub fn fetch(&self, _object: &StoredObject, _to: &mut impl Write) -> Result<(), ObjectError> {
        match *self {}
    }

    /// Copies a file into an object.
    ///
    /// # Errors
    /// Never: there is no bucket.
    pub fn put_file(&self, _key: &str, _from: &Path) -> Result<(), ObjectError> {
        match *self {}
    }

    /// Copies what can be read into an object.
    ///
    /// # Errors
    /// Never: there is no bucket.
    pub fn put_from(&self, _key: &str, _from: &mut impl Read) -> Result<(), ObjectError> {
        match *self {}
    }

    /// Removes an object.
    ///
    /// # Errors
    /// Never: there is no bucket.
    pub fn delete(&self, _key: &str) -> Result<(), ObjectError> {
        match *self {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_without_stores_says_how_one_with_them_is_built() {
        let address = ObjectAddress::parse("s3://archives/2026/").unwrap();
        let error = Bucket::open(&address).unwrap_err().to_string();
        assert!(error.starts_with("s3://archives/2026/ lies in") && error.contains("--features cloud"), "{error}");
    }
}
