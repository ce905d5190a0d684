//! Writing a book: domains in the order of their names.

use std::io::Write;
use std::path::{Path, PathBuf};

use goldminer_warc::durable::DraftFile;
use xxhash_rust::xxh3::xxh3_64;

use super::MAGIC;
use super::entry::{BookError, Entry};
use super::read::Block;

/// A block ends with the domain that makes it so long, before it is compressed.
const BLOCK_BYTES: usize = 32 << 10;
/// As long as profiles are so alike, further levels save little.
const ZSTD_LEVEL: i32 = 6;

/// A book in the making; dropped before it is finished, it leaves nothing.
pub struct BookWriter {
    path: PathBuf,
    file: DraftFile,
    at: u64,
    block: Vec<u8>,
    first: String,
    last: String,
    index: Vec<Block>,
    domains: u64,
    profiles: u64,
}

impl BookWriter {
    /// Begins a book, over what is there.
    ///
    /// # Errors
    /// When its folder can't be written.
    pub fn create(path: &Path) -> Result<Self, BookError> {
        let mut file = DraftFile::of(path).map_err(BookError::disk("write", path))?;
        file.write_all(MAGIC).map_err(BookError::disk("write", path))?;
        Ok(Self {
            path: path.to_owned(),
            file,
            at: MAGIC.len() as u64,
            block: Vec::new(),
            first: String::new(),
            last: String::new(),
            index: Vec::new(),
            domains: 0,
            profiles: 0,
        })
    }

    /// Writes a domain; its name comes behind those that were written.
    ///
    /// # Errors
    /// When the disk fails, or the order is wrong.
    pub fn write(&mut self, entry: &Entry) -> Result<(), BookError> {
        let name = entry.domain.as_str();
        if self.domains > 0 && name <= self.last.as_str() {
            let what = format!("{name} was to be written behind {}", self.last);
            return Err(BookError::damaged(&self.path, what));
        }
        if self.block.is_empty() {
            name.clone_into(&mut self.first);
        }
        let json = serde_json::to_vec(&entry.profiles).expect("profiles are JSON");
        for part in [name.as_bytes(), &json] {
            self.block.extend((part.len() as u32).to_le_bytes());
            self.block.extend_from_slice(part);
        }
        name.clone_into(&mut self.last);
        self.domains += 1;
        self.profiles += entry.profiles.len() as u64;
        if self.block.len() >= BLOCK_BYTES { self.end_block() } else { Ok(()) }
    }

    /// Makes the book durable, and gives it its name.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn finish(mut self) -> Result<(), BookError> {
        self.end_block()?;
        let index = postcard::to_stdvec(&self.index).expect("an index is data");
        let numbers = [self.at, index.len() as u64, xxh3_64(&index), self.domains, self.profiles];
        let footer: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        let disk = || BookError::disk("write", &self.path);
        for part in [&index, &footer, &MAGIC.to_vec()] {
            self.file.write_all(part).map_err(disk())?;
        }
        self.file.publish().map_err(BookError::disk("write", &self.path))
    }

    fn end_block(&mut self) -> Result<(), BookError> {
        if self.block.is_empty() {
            return Ok(());
        }
        let packed = zstd::bulk::compress(&self.block, ZSTD_LEVEL).map_err(BookError::disk("compress", &self.path))?;
        self.file.write_all(&packed).map_err(BookError::disk("write", &self.path))?;
        let first = std::mem::take(&mut self.first);
        let digest = xxh3_64(&packed);
        let bytes = self.block.len() as u32;
        self.index.push(Block { first, offset: self.at, length: packed.len() as u32, bytes, digest });
        self.at += packed.len() as u64;
        self.block.clear();
        Ok(())
    }
}
