//! Sources in object stores: what lies there, and copies of it to read.
//!
//! A file is copied as a whole before it is read, because tables and WACZ files are read from their ends, and a sample copies
//! records out of what it has passed; the copy goes with whoever reads it. What a listed object is, its name says, and its
//! content when it is here.

use std::fs::File;
use std::path::{Path, PathBuf};

use goldminer_warc::objects::{Bucket, ObjectAddress, ObjectError, StoredObject};
use tempfile::TempDir;

use super::error::SourceError;
use super::kind::SourceKind;
use super::pattern;

/// Ends of names of files that hold pages.
const ENDS: &[&str] = &[".warc", ".warc.gz", ".warc.zst", ".parquet", ".jsonl", ".jsonl.gz", ".jsonl.zst", ".json.gz"];

/// A copy of an object on this disk, as long as this lives.
#[derive(Debug)]
pub struct LocalCopy {
    path: PathBuf,
    _folder: TempDir,
}

impl LocalCopy {
    /// Copies an object, of which this version is wanted, under its own name.
    ///
    /// # Errors
    /// When it is gone or has changed, the store does not answer, or the disk is full.
    pub fn of(address: &ObjectAddress, object: &StoredObject) -> Result<Self, ObjectError> {
        let unwritable = |cause| ObjectError::Disk { address: address.to_string(), cause };
        let folder = tempfile::Builder::new().prefix("goldminer-").tempdir().map_err(unwritable)?;
        let path = folder.path().join(object.key.rsplit('/').next().unwrap_or_default());
        let mut file = File::create(&path).map_err(unwritable)?;
        Bucket::open(address)?.fetch(object, &mut file)?;
        Ok(Self { path, _folder: folder })
    }

    /// Copies what lies at an address now.
    ///
    /// # Errors
    /// When there is nothing, the store does not answer, or the disk is full.
    pub fn of_now(address: &ObjectAddress) -> Result<Self, ObjectError> {
        let looked = Bucket::open(address)?.look(address.key())?;
        let object = looked.ok_or_else(|| ObjectError::Missing { address: address.to_string() })?;
        Self::of(address, &object)
    }

    /// Where it lies.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// A file to be read: itself, or a copy of it.
#[derive(Debug)]
pub enum Near<'a> {
    /// It lies on a disk here.
    Here(&'a Path),
    /// It lies elsewhere.
    Copied(LocalCopy),
}

impl<'a> Near<'a> {
    /// Makes a file readable that was found: objects are copied, and looked at for what they are.
    ///
    /// # Errors
    /// When it can't be copied, or is no archive.
    pub fn of(path: &'a Path, bytes: u64, version: Option<&str>) -> Result<Self, SourceError> {
        let Some(address) = ObjectAddress::of(path)? else { return Ok(Self::Here(path)) };
        let object =
            StoredObject { key: address.key().to_owned(), bytes, version: version.map(str::to_owned), modified: None };
        let copy = LocalCopy::of(&address, &object)?;
        match SourceKind::of(copy.path(), false) {
            Ok(SourceKind::Warcs { files, tables, .. })
                if files.iter().chain(&tables).any(|file| file == copy.path()) =>
            {
                Ok(Self::Copied(copy))
            }
            Ok(SourceKind::Warcs { .. }) => Err(SourceError::FarWacz { path: path.to_owned() }),
            Ok(_) => Err(SourceError::NoArchive { path: path.to_owned() }),
            Err(SourceError::Foreign { what, .. }) => Err(SourceError::Foreign { path: path.to_owned(), what }),
            Err(other) => Err(other),
        }
    }

    /// Where it can be read.
    #[must_use]
    pub fn path(&self) -> &Path {
        match self {
            Self::Here(path) => path,
            Self::Copied(copy) => copy.path(),
        }
    }
}

/// The archives at an address: an object, all that lie below a folder, or those that fit a pattern; and how many others lie
/// beside them.
pub(super) fn find(address: &ObjectAddress) -> Result<(Vec<StoredObject>, usize), SourceError> {
    let bucket = Bucket::open(address)?;
    let key = address.key();
    let is_pattern = pattern::is_in(key);
    if !is_pattern
        && !key.is_empty()
        && !key.ends_with('/')
        && let Some(object) = bucket.look(key)?
    {
        return Ok((vec![object], 0));
    }
    if address.is_on_web() {
        return Err(ObjectError::Missing { address: address.to_string() }.into());
    }
    let mut objects = bucket.list(folder(key))?;
    let all = objects.len();
    if is_pattern {
        let fits = pattern::of_path(key).map_err(|_| SourceError::Pattern { path: address.to_string() })?;
        objects.retain(|object| fits(&object.key));
    } else {
        objects.retain(|object| ENDS.iter().any(|end| object.key.ends_with(end)));
    }
    if objects.is_empty() {
        let contents = match is_pattern {
            true => format!("none of {all} objects fits"),
            false => format!("of {all} objects none is called like a WARC file or a table of pages"),
        };
        return Err(SourceError::NoPages { path: PathBuf::from(address.to_string()), contents });
    }
    let others = if is_pattern { 0 } else { all - objects.len() };
    Ok((objects, others))
}

/// The folder that all keys lie in which a pattern may fit.
fn folder(key: &str) -> &str {
    let literal = &key[..key.find(pattern::WILD).unwrap_or(key.len())];
    if literal.len() == key.len() { key } else { &literal[..literal.rfind('/').map_or(0, |end| end + 1)] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_is_looked_for_below_the_folders_that_it_names() {
        for (key, expected) in
            [("2026/*/a*.warc.gz", "2026/"), ("*.warc.gz", ""), ("2026/01", "2026/01"), ("2026/0[12]/", "2026/")]
        {
            assert_eq!(folder(key), expected);
        }
    }
}
