//! Sources in object stores: what lies there, and copies of it to read, which go with whoever reads them.

use std::fs::File;
use std::path::{Path, PathBuf};

use glob::{MatchOptions, Pattern};
use goldminer_warc::objects::{Bucket, ObjectAddress, ObjectError, StoredObject};
use tempfile::TempDir;

use super::error::SourceError;

/// What makes a name a pattern.
const WILD: [char; 3] = ['*', '?', '['];
/// How names fit patterns: one by one.
pub const NAME_BY_NAME: MatchOptions =
    MatchOptions { case_sensitive: true, require_literal_separator: true, require_literal_leading_dot: false };

/// Ends of names of files that hold pages.
const ENDS: &[&str] = &[".warc", ".warc.gz", ".warc.zst", ".parquet", ".jsonl", ".jsonl.gz", ".jsonl.zst", ".json.gz"];

/// A file that can be read here: itself, or a copy of an object that lies here as long as this lives.
#[derive(Debug)]
pub struct LocalFile {
    path: PathBuf,
    _copied_into: Option<TempDir>,
}

impl LocalFile {
    /// A file of this disk.
    pub(super) fn here(path: &Path) -> Self {
        Self { path: path.to_owned(), _copied_into: None }
    }

    /// Copies an object, of which this version is wanted, under its own name.
    ///
    /// # Errors
    /// When it is gone or has changed, the store does not answer, or the disk is full.
    pub(super) fn copied(address: &ObjectAddress, object: &StoredObject) -> Result<Self, ObjectError> {
        let unwritable = |cause| ObjectError::Disk { address: address.to_string(), cause };
        let folder = tempfile::Builder::new().prefix("goldminer-").tempdir().map_err(unwritable)?;
        let path = folder.path().join(object.key.rsplit('/').next().unwrap_or_default());
        let mut file = File::create(&path).map_err(unwritable)?;
        Bucket::open(address)?.fetch(object, &mut file)?;
        Ok(Self { path, _copied_into: Some(folder) })
    }

    /// Copies what lies at an address now.
    ///
    /// # Errors
    /// When there is nothing, the store does not answer, or the disk is full.
    pub fn copied_now(address: &ObjectAddress) -> Result<Self, ObjectError> {
        let looked = Bucket::open(address)?.look(address.key())?;
        let object = looked.ok_or_else(|| ObjectError::Missing { address: address.to_string() })?;
        Self::copied(address, &object)
    }

    /// Where it lies.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// Whether a name or path is a pattern.
pub fn is_pattern(text: &str) -> bool {
    text.contains(WILD)
}

/// The archives at an address: an object, all that lie below a folder, or those that fit a pattern; and how many others lie
/// beside them.
pub(super) fn find_objects(address: &ObjectAddress) -> Result<(Vec<StoredObject>, usize), SourceError> {
    let bucket = Bucket::open(address)?;
    let key = address.key();
    let is_pattern = is_pattern(key);
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
        let pattern = Pattern::new(key)
            .map_err(|_| SourceError::Refused(format!("{address} is no pattern: *, ? and [a-z] stand for others")))?;
        objects.retain(|object| pattern.matches_with(&object.key, NAME_BY_NAME));
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
    let literal = &key[..key.find(WILD).unwrap_or(key.len())];
    if literal.len() == key.len() { key } else { &literal[..literal.rfind('/').map_or(0, |end| end + 1)] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wildcard_stays_within_its_name() {
        let pattern = Pattern::new("2026/*/a?.warc.gz").unwrap();
        let fits = |key| pattern.matches_with(key, NAME_BY_NAME);
        assert!(fits("2026/01/a1.warc.gz"));
        assert!(!fits("2026/01/02/a1.warc.gz") && !fits("2026/01/b1.warc.gz") && !fits("2025/01/a1.warc.gz"));
    }

    #[test]
    fn a_pattern_is_looked_for_below_the_folders_that_it_names() {
        for (key, expected) in
            [("2026/*/a*.warc.gz", "2026/"), ("*.warc.gz", ""), ("2026/01", "2026/01"), ("2026/0[12]/", "2026/")]
        {
            assert_eq!(folder(key), expected);
        }
    }
}
