//! The content of an archive file: in the local file, or in an object store, where the local file is a stub.
//!
//! A stub is a file of the right length without content, with a file `NAME.stub` beside it, which says where the
//! content is. So names, order and lengths are as in any archive, and readers request the ranges that they need from
//! the store. Content that is read from start to end is verified by the digest in the stub. Nothing is stored locally,
//! so disk use and start time of a reader do not grow with the archive. A file whose content was given up cannot be
//! read any more, as if all its records had been withdrawn.

use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::durable::{self, DraftFile};
use crate::objects::{Bucket, ObjectAddress, ObjectError, StoredObject};

/// The bytes of the first request when a file is read from start to end. Each further request is twice as long, until
/// the reader moves to another offset.
const FIRST_BYTES: u64 = 64 << 10;
/// The most bytes of a request.
const MOST_BYTES: u64 = 4 << 20;

/// Says where the content of a file is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stub {
    /// The address of the object; none if the content was given up for good.
    pub address: Option<String>,
    /// The length of the content in bytes.
    pub bytes: u64,
    /// The BLAKE3 digest of the content, in hexadecimal digits.
    pub blake3: String,
}

impl Stub {
    /// Replaces a file, or a link to one, by a stub.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn leave(&self, path: &Path) -> io::Result<()> {
        // The address of the content is saved before the content is removed.
        durable::write(&beside(path), serde_json::to_vec(self)?)?;
        // The stub takes no space on disk besides its name.
        let hollow = DraftFile::of(path)?;
        hollow.set_len(self.bytes)?;
        hollow.publish()
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

/// Whether an error comes from the connection to a store, and says nothing about the content.
pub(crate) fn is_of_store(error: &io::Error) -> bool {
    error.get_ref().is_some_and(|inner| inner.is::<ObjectError>())
}

/// An open file, whose content is local or in a store.
pub(crate) enum StoredFile {
    Here(File),
    There(Box<There>),
    /// The content was given up; this was its length in bytes.
    GivenUp(u64),
}

/// The content of a stub, which is in a store.
pub(crate) struct There {
    bucket: &'static Bucket,
    object: StoredObject,
    /// The bytes of the last request, and their offset.
    window: Vec<u8>,
    window_start: u64,
    /// The bytes of the next request.
    next_bytes: u64,
    /// The digest of the bytes that were read from the start, their number, and the expected digest of the whole.
    digest: blake3::Hasher,
    digested: u64,
    blake3: String,
}

impl StoredFile {
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let file = File::open(path)?;
        let Some(stub) = Stub::of(path)? else { return Ok(Self::Here(file)) };
        let Some(address) = &stub.address else { return Ok(Self::GivenUp(stub.bytes)) };
        let address = ObjectAddress::parse(address).map_err(io::Error::other)?;
        let bucket = Bucket::shared(&address).map_err(io::Error::other)?;
        let object = StoredObject { key: address.key().to_owned(), bytes: stub.bytes, version: None, modified: None };
        Ok(Self::There(Box::new(There {
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
            Self::Here(file) => Ok(file.metadata()?.len()),
            Self::There(there) => Ok(there.object.bytes),
            Self::GivenUp(bytes) => Ok(*bytes),
        }
    }

    /// Reads some bytes at an offset; none at the end. If a file in a store is read from start to end, the requests
    /// become longer and longer.
    pub(crate) fn read_at(&mut self, out: &mut [u8], offset: u64) -> io::Result<usize> {
        match self {
            Self::Here(file) => file.read_at(out, offset),
            Self::There(there) => there.window(offset)?.read(out),
            Self::GivenUp(_) => Ok(0),
        }
    }

    /// Reads up to `count` bytes at an offset.
    pub(crate) fn head(&self, start: u64, count: u64) -> io::Result<Vec<u8>> {
        let there = if let Self::GivenUp(_) = self { 0 } else { self.length()?.saturating_sub(start) };
        let mut head = vec![0; count.min(there) as usize];
        self.read_exact_at(&mut head, start)?;
        Ok(head)
    }

    /// Reads at an offset, without the file's own read position, because threads share the file.
    pub(crate) fn read_exact_at(&self, bytes: &mut [u8], offset: u64) -> io::Result<()> {
        match self {
            Self::Here(file) => file.read_exact_at(bytes, offset),
            Self::There(there) => {
                let stretch = there.stretch(offset, bytes.len() as u64)?;
                if stretch.len() != bytes.len() {
                    return Err(io::ErrorKind::UnexpectedEof.into());
                }
                bytes.copy_from_slice(&stretch);
                Ok(())
            }
            Self::GivenUp(_) if bytes.is_empty() => Ok(()),
            Self::GivenUp(_) => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }
}

impl There {
    fn stretch(&self, start: u64, count: u64) -> io::Result<Vec<u8>> {
        let end = start.saturating_add(count).min(self.object.bytes);
        if start >= end {
            return Ok(Vec::new());
        }
        self.bucket.read_range(&self.object, start..end).map_err(io::Error::other)
    }

    /// The bytes from an offset on; requested, unless the last request has them.
    fn window(&mut self, at: u64) -> io::Result<&[u8]> {
        let window_end = self.window_start + self.window.len() as u64;
        if !(self.window_start..window_end).contains(&at) && at < self.object.bytes {
            let is_next = at == window_end && window_end > 0;
            self.next_bytes = if is_next { (self.next_bytes * 2).min(MOST_BYTES) } else { FIRST_BYTES };
            self.window = self.stretch(at, self.next_bytes)?;
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
