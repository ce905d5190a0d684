//! A finished file of a corpus: how long it is, its checksum, and what it holds. Known when it was written; `recount`
//! finds it out of what is there.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

use data_encoding::HEXLOWER;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::error::CorpusError;
use crate::holdings::Holdings;

/// What is known of a file that is as it will stay.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeldFile {
    /// Its name in the folder of the corpus.
    pub name: String,
    /// How long it is.
    pub bytes: u64,
    /// Its SHA-256, as hexadecimal digits.
    pub sha256: String,
    /// What it holds; nothing where that is known for the corpus as a whole.
    #[serde(default)]
    pub holdings: Holdings,
}

impl HeldFile {
    /// Takes a file's checksum; what it holds is known otherwise.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn summed(path: &Path) -> Result<Self, CorpusError> {
        let disk = || CorpusError::disk("read", path);
        let mut file = File::open(path).map_err(disk())?;
        let mut sum = Summing::new(io::sink());
        let mut buffer = vec![0; 256 << 10];
        loop {
            match file.read(&mut buffer).map_err(disk())? {
                0 => break,
                n => sum.write_all(&buffer[..n]).map_err(disk())?,
            }
        }
        Ok(sum.finish(path).1)
    }
}

/// Passes bytes on and sums them up.
pub(crate) struct Summing<W> {
    to: W,
    sum: Sha256,
    bytes: u64,
}

impl<W: Write> Summing<W> {
    pub(crate) fn new(to: W) -> Self {
        Self { to, sum: Sha256::new(), bytes: 0 }
    }

    /// Where the bytes went, and what they come to; they are to be found under the name of `path`.
    pub(crate) fn finish(self, path: &Path) -> (W, HeldFile) {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let sha256 = HEXLOWER.encode(&self.sum.finalize());
        (self.to, HeldFile { name, bytes: self.bytes, sha256, holdings: Holdings::default() })
    }
}

impl<W: Write> Write for Summing<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.to.write(bytes)?;
        self.sum.update(&bytes[..written]);
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}
