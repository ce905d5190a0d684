//! Writes a profile book: domains ordered by name.

use std::io::Write;
use std::path::{Path, PathBuf};

use goldminer_warc::durable::DraftFile;
use xxhash_rust::xxh3::xxh3_64;

use super::MAGIC;
use super::entry::{BookError, Entry};
use super::read::Block;

/// A block is complete when it has this many bytes before compression.
const BLOCK_BYTES: usize = 32 << 10;
/// The zstd level of blocks. Profiles are so similar that higher levels save little.
const ZSTD_LEVEL: i32 = 6;

/// Writes a profile book. If the writer is dropped before [`BookWriter::finish`], no file is left.
pub struct BookWriter {
    path: PathBuf,
    file: DraftFile,
    at: u64,
    block: Vec<(String, String)>,
    block_bytes: usize,
    last: String,
    index: Vec<Block>,
    domains: u64,
    profiles: u64,
}

impl BookWriter {
    /// Starts a book, which replaces an existing file.
    ///
    /// # Errors
    /// When its folder cannot be written.
    pub fn create(path: &Path) -> Result<Self, BookError> {
        let mut file = DraftFile::of(path).map_err(BookError::disk("write", path))?;
        file.write_all(MAGIC).map_err(BookError::disk("write", path))?;
        Ok(Self {
            path: path.to_owned(),
            file,
            at: MAGIC.len() as u64,
            block: Vec::new(),
            block_bytes: 0,
            last: String::new(),
            index: Vec::new(),
            domains: 0,
            profiles: 0,
        })
    }

    /// Writes the entry of a domain. Domains must be written in the order of their names.
    ///
    /// # Errors
    /// When the disk fails, or the order is wrong.
    pub fn write(&mut self, entry: &Entry) -> Result<(), BookError> {
        let name = entry.domain.as_str();
        if self.domains > 0 && name <= self.last.as_str() {
            let what = format!("its domains are out of order: {name} follows {}", self.last);
            return Err(BookError::damaged(&self.path, what));
        }
        let json = serde_json::to_string(&entry.profiles).expect("profiles are JSON");
        name.clone_into(&mut self.last);
        self.block_bytes += name.len() + json.len();
        self.block.push((name.to_owned(), json));
        self.domains += 1;
        self.profiles += entry.profiles.len() as u64;
        if self.block_bytes >= BLOCK_BYTES { self.end_block() } else { Ok(()) }
    }

    /// Syncs the book to disk, and gives it its final name.
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
        let Some((first, _)) = self.block.first().cloned() else { return Ok(()) };
        let block = postcard::to_stdvec(&std::mem::take(&mut self.block)).expect("a block is data");
        let packed = zstd::bulk::compress(&block, ZSTD_LEVEL).map_err(BookError::disk("compress", &self.path))?;
        self.file.write_all(&packed).map_err(BookError::disk("write", &self.path))?;
        let (digest, bytes) = (xxh3_64(&packed), block.len() as u32);
        self.index.push(Block { first, offset: self.at, length: packed.len() as u32, bytes, digest });
        self.at += packed.len() as u64;
        self.block_bytes = 0;
        Ok(())
    }
}
