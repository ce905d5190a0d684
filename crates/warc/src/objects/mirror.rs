//! Local copies of files in object stores. A [`Mirror`] is the local copy of a folder: it downloads the files that are
//! needed, and uploads files that are complete. An [`Upload`] is a single file that is written locally and uploaded
//! when it is complete.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::{fs, io};

use tempfile::{NamedTempFile, TempDir};

use super::address::{ObjectAddress, ObjectError};
use super::{Bucket, StoredObject};

/// A folder of a bucket, with local copies of some of its files. The copies are deleted when this is dropped.
#[derive(Debug)]
pub struct Mirror {
    address: ObjectAddress,
    bucket: Bucket,
    /// The prefix that the keys of all files in the folder have.
    prefix: String,
    folder: TempDir,
    /// The known objects in the bucket, by their paths in the folder.
    there: Mutex<HashMap<String, StoredObject>>,
}

impl Mirror {
    /// Opens a folder of a bucket, and downloads the files whose paths `is_wanted` accepts.
    ///
    /// # Errors
    /// Fails if the address is on a web server (which has no folders), the store does not answer, or the disk fails.
    pub fn open(address: &ObjectAddress, is_wanted: impl Fn(&str) -> bool) -> Result<Self, ObjectError> {
        if address.is_on_web() {
            let what = "is on a web server, which has no folders: give an address of s3://, gs:// or az://, or a \
                        local folder";
            return Err(ObjectError::Address { address: address.to_string(), what });
        }
        let prefix = match address.key().trim_end_matches('/') {
            "" => String::new(),
            key => format!("{key}/"),
        };
        let folder = tempfile::Builder::new().prefix("goldminer-").tempdir();
        let folder = folder.map_err(|cause| ObjectError::Disk { address: address.to_string(), cause })?;
        let bucket = Bucket::open(address)?;
        let mirror = Self { address: address.clone(), bucket, prefix, folder, there: Mutex::default() };
        mirror.fetch(is_wanted)?;
        Ok(mirror)
    }

    /// Lists the folder again, and downloads the files that `is_wanted` accepts and that have no local copy yet.
    ///
    /// # Errors
    /// Fails if the store does not answer, or the disk fails.
    pub fn fetch(&self, is_wanted: impl Fn(&str) -> bool) -> Result<(), ObjectError> {
        for object in self.bucket.list(&self.prefix)? {
            let Some(name) = object.key.strip_prefix(&self.prefix) else { continue };
            if is_wanted(name) {
                self.fetch_object(name, &object)?;
            }
            self.known().insert(name.to_owned(), object);
        }
        Ok(())
    }

    /// Downloads a file by its path in the folder. Does nothing if the file is not known to be in the bucket, or if it
    /// has a local copy.
    ///
    /// # Errors
    /// Fails if the store does not answer, or the disk fails.
    pub fn fetch_file(&self, name: &str) -> Result<(), ObjectError> {
        let object = self.known().get(name).cloned();
        object.map_or(Ok(()), |object| self.fetch_object(name, &object))
    }

    fn fetch_object(&self, name: &str, object: &StoredObject) -> Result<(), ObjectError> {
        let path = self.folder.path().join(name);
        if path.exists() {
            return Ok(());
        }
        let folder = path.parent().unwrap_or(self.folder.path());
        fs::create_dir_all(folder).map_err(|cause| self.disk(cause))?;
        // The copy gets its name when it is complete, so that an incomplete one is never read.
        let mut draft = NamedTempFile::new_in(folder).map_err(|cause| self.disk(cause))?;
        self.bucket.fetch(object, draft.as_file_mut())?;
        draft.persist(&path).map_err(|error| self.disk(error.error))?;
        Ok(())
    }

    /// The path of the local folder.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The length in bytes of a file in the bucket, by its path in the folder. None if no such file is known.
    pub fn remote_bytes(&self, name: &str) -> Option<u64> {
        self.known().get(name).map(|object| object.bytes)
    }

    /// Uploads files of the local folder, in the given order. They must be complete.
    ///
    /// # Errors
    /// Fails if the store does not answer, or the disk fails.
    pub fn send(&self, files: &[PathBuf]) -> Result<(), ObjectError> {
        for file in files {
            let Ok(name) = file.strip_prefix(self.folder.path()) else { continue };
            let names: Vec<_> = name.iter().map(|part| part.to_string_lossy()).collect();
            let name = names.join("/");
            let bytes = fs::metadata(file).map_err(|cause| self.disk(cause))?.len();
            let key = format!("{}{name}", self.prefix);
            self.bucket.put_file(&key, file)?;
            self.known().insert(name, StoredObject { key, bytes, version: None, modified: None });
        }
        Ok(())
    }

    fn known(&self) -> std::sync::MutexGuard<'_, HashMap<String, StoredObject>> {
        self.there.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn disk(&self, cause: io::Error) -> ObjectError {
        ObjectError::Disk { address: self.address.to_string(), cause }
    }
}

/// A file of a bucket that is written locally and uploaded when it is complete.
#[derive(Debug)]
pub struct Upload {
    address: ObjectAddress,
    bucket: Bucket,
    /// Deletes the local file when this is dropped.
    _folder: TempDir,
    local_path: PathBuf,
}

impl Upload {
    /// Creates a local file that will be uploaded to this address. One request checks that the store can be reached, so
    /// that a problem is found before hours of work.
    ///
    /// # Errors
    /// Fails if the address is a folder or on a web server, the store does not answer, or the disk fails.
    pub fn of(address: ObjectAddress) -> Result<Self, ObjectError> {
        let refused = |what| Err(ObjectError::Address { address: address.to_string(), what });
        let name = address.key().rsplit('/').next().unwrap_or_default();
        if address.is_on_web() {
            return refused(
                "is on a web server, which is read-only: give an address of s3://, gs:// or az://, or a local file",
            );
        }
        if name.is_empty() {
            return refused("is a folder: add the name of the file to write");
        }
        let folder = tempfile::Builder::new().prefix("goldminer-").tempdir();
        let folder = folder.map_err(|cause| ObjectError::Disk { address: address.to_string(), cause })?;
        let bucket = Bucket::open(&address)?;
        bucket.object(address.key())?;
        Ok(Self { local_path: folder.path().join(name), _folder: folder, bucket, address })
    }

    /// The local path of the file.
    pub fn path(&self) -> &Path {
        &self.local_path
    }

    /// Uploads the file, which must be complete.
    ///
    /// # Errors
    /// Fails if the store does not answer, or the disk fails.
    pub fn send(&self) -> Result<(), ObjectError> {
        self.bucket.put_file(self.address.key(), &self.local_path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_web_server_is_refused_as_output_folder() {
        let address = ObjectAddress::parse("https://data.example/out").unwrap();
        let error = Mirror::open(&address, |_| true).unwrap_err().to_string();
        assert!(error.contains("has no folders"), "{error}");
    }

    #[test]
    fn a_folder_and_a_web_server_are_refused_as_output_file() {
        for (address, expected) in [("s3://b/made/", "is a folder"), ("https://data.example/a.gmp", "read-only")] {
            let error = Upload::of(ObjectAddress::parse(address).unwrap()).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }
}
