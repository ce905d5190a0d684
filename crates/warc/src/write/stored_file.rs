//! Reads an archive file, whose content may be in the local file or in an object store.
//!
//! If it is in a store, the local file is sparse: it has the right name and length, but no content. A file `NAME.stub`
//! beside it says where the content is. Readers request the ranges that they need from the store, and nothing is
//! stored locally, so archives of all sizes take the same disk space. Content that is read from start to end is
//! verified by the digest in the stub. If the stub has no address, the content was deleted on purpose. Readers then
//! find an empty file, as if all its records had been removed.

use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::durable::{self, DraftFile};
use crate::objects::{Bucket, ObjectAddress, ObjectError, StoredObject};

/// The bytes of the first request when a file in a store is read from start to end. Each further request is twice as
/// long, up to `MOST_BYTES`, until the reader moves to another offset.
const FIRST_BYTES: u64 = 64 << 10;
/// The most bytes of a request to the store.
const MOST_BYTES: u64 = 4 << 20;

/// The content of a file `NAME.stub`: it says where the content of the archive file `NAME` is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stub {
    /// The address of the object with the content; None if the content was deleted on purpose.
    pub address: Option<String>,
    /// The length of the content in bytes.
    pub bytes: u64,
    /// The BLAKE3 digest of the content, in hexadecimal digits.
    pub blake3: String,
}

impl Stub {
    /// Saves this stub beside a file, and replaces the file with a sparse one of the same length.
    ///
    /// # Errors
    /// Fails if the disk fails.
    pub fn leave(&self, path: &Path) -> io::Result<()> {
        // The stub is saved first, so that the address is never lost.
        durable::write(&beside(path), serde_json::to_vec(self)?)?;
        // A file without written bytes takes no space on disk.
        let sparse = DraftFile::of(path)?;
        sparse.set_len(self.bytes)?;
        sparse.publish()
    }

    fn of(path: &Path) -> io::Result<Option<Self>> {
        match fs::read(beside(path)) {
            Ok(text) => Ok(Some(serde_json::from_slice(&text)?)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }
}

fn beside(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".stub");
    PathBuf::from(name)
}

/// Whether an error comes from an object store, and so does not mean that the content is damaged.
pub(crate) fn is_of_store(error: &io::Error) -> bool {
    error.get_ref().is_some_and(|inner| inner.is::<ObjectError>())
}

/// An open archive file.
pub(crate) enum StoredFile {
    /// The content is in the local file.
    Local(File),
    /// The content is in an object store.
    Remote(Box<RemoteContent>),
    /// The content was deleted on purpose. The value is its former length in bytes.
    Deleted(u64),
}

/// The content of an archive file that is in an object store.
pub(crate) struct RemoteContent {
    bucket: &'static Bucket,
    object: StoredObject,
    /// The bytes that the last request has returned.
    window: Vec<u8>,
    /// The offset of `window` in the content.
    window_start: u64,
    /// The number of bytes that the next request asks for.
    next_bytes: u64,
    /// The digest of the content as far as it was read from the start without gaps.
    digest: blake3::Hasher,
    /// The number of bytes in `digest`.
    digested: u64,
    /// The expected digest of the whole content.
    blake3: String,
}

impl StoredFile {
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let file = File::open(path)?;
        let Some(stub) = Stub::of(path)? else { return Ok(Self::Local(file)) };
        let Some(address) = &stub.address else { return Ok(Self::Deleted(stub.bytes)) };
        let address = ObjectAddress::parse(address).map_err(io::Error::other)?;
        // Clusters write only stubs that name buckets. A stub in an archive of others must not make the program send
        // requests to any web server.
        if address.is_on_web() {
            let what = "is on a web server, but stubs name only buckets";
            let refused = ObjectError::Address { address: address.to_string(), what };
            return Err(io::Error::new(io::ErrorKind::InvalidData, refused));
        }
        let bucket = Bucket::shared(&address).map_err(io::Error::other)?;
        let object = StoredObject { key: address.key().to_owned(), bytes: stub.bytes, version: None, modified: None };
        Ok(Self::Remote(Box::new(RemoteContent {
            bucket,
            object,
            window: Vec::new(),
            window_start: 0,
            next_bytes: FIRST_BYTES,
            digest: blake3::Hasher::new(),
            digested: 0,
            blake3: stub.blake3,
        })))
    }

    pub(crate) fn length(&self) -> io::Result<u64> {
        match self {
            Self::Local(file) => Ok(file.metadata()?.len()),
            Self::Remote(content) => Ok(content.object.bytes),
            Self::Deleted(bytes) => Ok(*bytes),
        }
    }

    /// Reads bytes at an offset into `out`, and returns their number: 0 at the end.
    pub(crate) fn read_at(&mut self, out: &mut [u8], offset: u64) -> io::Result<usize> {
        match self {
            Self::Local(file) => file.read_at(out, offset),
            Self::Remote(content) => content.window(offset)?.read(out),
            Self::Deleted(_) => Ok(0),
        }
    }

    /// Reads up to `count` bytes from the offset `start` on; fewer at the end.
    pub(crate) fn head(&self, start: u64, count: u64) -> io::Result<Vec<u8>> {
        let left = if let Self::Deleted(_) = self { 0 } else { self.length()?.saturating_sub(start) };
        let mut head = vec![0; count.min(left) as usize];
        self.read_exact_at(&mut head, start)?;
        Ok(head)
    }

    /// Fills `bytes` from an offset. The read position of the file is not used, because threads share the file.
    pub(crate) fn read_exact_at(&self, bytes: &mut [u8], offset: u64) -> io::Result<()> {
        match self {
            Self::Local(file) => file.read_exact_at(bytes, offset),
            Self::Remote(content) => {
                let read = content.read_range(offset, bytes.len() as u64)?;
                if read.len() != bytes.len() {
                    return Err(io::ErrorKind::UnexpectedEof.into());
                }
                bytes.copy_from_slice(&read);
                Ok(())
            }
            Self::Deleted(_) if bytes.is_empty() => Ok(()),
            Self::Deleted(_) => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }
}

impl RemoteContent {
    fn read_range(&self, start: u64, count: u64) -> io::Result<Vec<u8>> {
        let end = start.saturating_add(count).min(self.object.bytes);
        if start >= end {
            return Ok(Vec::new());
        }
        self.bucket.read_range(&self.object, start..end).map_err(io::Error::other)
    }

    /// The next bytes of the file from an offset on. They are requested from the object store, unless the last request
    /// has returned them already.
    fn window(&mut self, at: u64) -> io::Result<&[u8]> {
        let window_end = self.window_start + self.window.len() as u64;
        if !(self.window_start..window_end).contains(&at) && at < self.object.bytes {
            let is_next = at == window_end && window_end > 0;
            self.next_bytes = if is_next { (self.next_bytes * 2).min(MOST_BYTES) } else { FIRST_BYTES };
            self.window = self.read_range(at, self.next_bytes)?;
            self.window_start = at;
            self.verify()?;
        }
        let from = usize::try_from(at.saturating_sub(self.window_start)).unwrap_or(usize::MAX).min(self.window.len());
        Ok(&self.window[from..])
    }

    fn verify(&mut self) -> io::Result<()> {
        if self.window_start != self.digested {
            return Ok(());
        }
        self.digest.update(&self.window);
        self.digested += self.window.len() as u64;
        if self.digested == self.object.bytes && self.digest.finalize().to_hex().as_str() != self.blake3 {
            let address = self.object.key.clone();
            return Err(io::Error::other(ObjectError::Changed { address }));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stub_names_no_web_server() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.warc.gz");
        let address = Some("https://10.0.0.5/a.warc.gz".to_owned());
        Stub { address, bytes: 7, blake3: String::new() }.leave(&path).unwrap();
        let error = StoredFile::open(&path).err().unwrap();
        assert!(error.to_string().contains("https://10.0.0.5/a.warc.gz is on a web server"), "{error}");
    }
}
