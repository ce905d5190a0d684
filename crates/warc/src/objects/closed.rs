//! Replaces [`Bucket`] in a program that is built without object stores. It cannot be opened, so its other methods are
//! never called.

use std::convert::Infallible;
use std::io::{Read, Write};
use std::ops::Range;
use std::path::Path;

use super::StoredObject;
use super::address::{ObjectAddress, ObjectError};

/// A bucket (named set of objects) of a store. Only a program with the feature `cloud` can open one.
#[derive(Debug)]
pub struct Bucket(Infallible);

#[expect(missing_docs, clippy::missing_errors_doc, reason = "`bucket.rs` has the documentation of these methods")]
impl Bucket {
    /// # Errors
    /// Always fails. The message says how to build a program with object stores.
    pub fn open(address: &ObjectAddress) -> Result<Self, ObjectError> {
        Err(ObjectError::NotBuilt { address: address.to_string() })
    }

    pub fn shared(address: &ObjectAddress) -> Result<&'static Self, ObjectError> {
        Err(ObjectError::NotBuilt { address: address.to_string() })
    }

    pub fn read_range(&self, _: &StoredObject, _: Range<u64>) -> Result<Vec<u8>, ObjectError> {
        match self.0 {}
    }

    pub fn list(&self, _: &str) -> Result<Vec<StoredObject>, ObjectError> {
        match self.0 {}
    }

    pub fn object(&self, _: &str) -> Result<Option<StoredObject>, ObjectError> {
        match self.0 {}
    }

    pub fn fetch(&self, _: &StoredObject, _: &mut impl Write) -> Result<(), ObjectError> {
        match self.0 {}
    }

    pub fn put_file(&self, _: &str, _: &Path) -> Result<(), ObjectError> {
        match self.0 {}
    }

    pub fn put_from(&self, _: &str, _: &mut impl Read) -> Result<(), ObjectError> {
        match self.0 {}
    }

    pub fn delete(&self, _: &str) -> Result<(), ObjectError> {
        match self.0 {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_without_stores_says_how_to_build_with_them() {
        let address = ObjectAddress::parse("s3://archives/2026/").unwrap();
        let error = Bucket::open(&address).unwrap_err().to_string();
        assert!(
            error.starts_with("s3://archives/2026/ needs object stores") && error.contains("--features cloud"),
            "{error}"
        );
    }
}
