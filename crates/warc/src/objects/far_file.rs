//! A file that is made here and lies in a bucket when it is complete.

use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::Bucket;
use super::address::ObjectAddress;
use super::error::ObjectError;

/// A file of a bucket, which is made here.
#[derive(Debug)]
pub struct FarFile {
    address: ObjectAddress,
    bucket: Bucket,
    /// Goes with this.
    _folder: TempDir,
    here: PathBuf,
}

impl FarFile {
    /// The file that an address names. The store is asked for it, so that nobody works for hours before it turns out that there
    /// is no way there.
    ///
    /// # Errors
    /// When the address names no file, or one of the web, the store does not answer, or the disk fails.
    pub fn of(address: ObjectAddress) -> Result<Self, ObjectError> {
        let refused = |what| Err(ObjectError::Address { address: address.to_string(), what });
        let name = address.key().rsplit('/').next().unwrap_or_default();
        if address.is_on_web() {
            return refused(
                "lies on a web server, where nothing is written: name one of s3://, gs://, az://, or a file here",
            );
        }
        if name.is_empty() {
            return refused("names a folder: name the file to be written in it");
        }
        let folder = tempfile::Builder::new().prefix("goldminer-").tempdir();
        let folder = folder.map_err(|cause| ObjectError::Disk { address: address.to_string(), cause })?;
        let bucket = Bucket::open(&address)?;
        bucket.look(address.key())?;
        Ok(Self { here: folder.path().join(name), _folder: folder, bucket, address })
    }

    /// Where it is made.
    pub fn here(&self) -> &Path {
        &self.here
    }

    /// Sends it, once it is complete.
    ///
    /// # Errors
    /// When the store does not answer, or the disk fails.
    pub fn send(&self) -> Result<(), ObjectError> {
        self.bucket.put_file(self.address.key(), &self.here)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_and_a_web_server_are_no_places_for_a_file() {
        for (address, said) in
            [("s3://b/made/", "names a folder"), ("https://data.example/a.gmp", "nothing is written")]
        {
            let error = FarFile::of(ObjectAddress::parse(address).unwrap()).unwrap_err().to_string();
            assert!(error.contains(said), "{error}");
        }
    }
}
