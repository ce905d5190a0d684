//! Reading a book: a domain by its name, or all of them in order.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use goldminer_fetch::share::lock;
use goldminer_html::address::Domain;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::entry::{BookError, Entry, Spanned, Spans, domain_of_key};
use super::{FOOTER_BYTES, MAGIC};

/// Longer blocks are none: a domain with a thousand profiles is shorter.
const MAX_BLOCK_BYTES: u32 = 256 << 20;

/// Bytes of JSON in a generation. In memory profiles take about three times as much.
const GENERATION_BYTES: usize = 8 << 20;
/// What a domain takes that has no profiles.
const NOTHING_BYTES: usize = 100;

/// A block in the index.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Block {
    /// The first domain in it.
    pub first: String,
    pub offset: u64,
    pub length: u32,
    /// How long it is when it is decompressed.
    pub bytes: u32,
    pub digest: u64,
}

/// An open book, for any number of threads.
pub struct ProfileBook {
    path: PathBuf,
    file: Mutex<File>,
    index: Vec<Block>,
    digest: u64,
    domains: u64,
    profiles: u64,
    cache: Mutex<Cache>,
}

impl ProfileBook {
    /// Whether a file begins like a book.
    pub fn is_book(path: &Path) -> bool {
        let mut magic = [0; MAGIC.len()];
        path.is_file() && File::open(path).and_then(|mut file| file.read_exact(&mut magic)).is_ok() && magic == *MAGIC
    }

    /// Opens a book and reads its index.
    ///
    /// # Errors
    /// When it cannot be read, is no book, or is torn.
    pub fn open(path: &Path) -> Result<Self, BookError> {
        let disk = || BookError::disk("read", path);
        let mut file = File::open(path).map_err(disk())?;
        if !Self::is_book(path) {
            return Err(BookError::NoBook(path.to_owned()));
        }
        let length = file.metadata().map_err(disk())?.len();
        let torn = || BookError::damaged(path, "its end is missing");
        let footer_at = length.checked_sub(FOOTER_BYTES as u64).ok_or_else(torn)?;
        let mut footer = [0; FOOTER_BYTES];
        file.seek(SeekFrom::Start(footer_at)).map_err(disk())?;
        file.read_exact(&mut footer).map_err(disk())?;
        if !footer.ends_with(MAGIC) {
            return Err(torn());
        }
        let mut numbers = footer.chunks_exact(8).map(|bytes| {
            let mut number = [0; 8];
            number.copy_from_slice(bytes);
            u64::from_le_bytes(number)
        });
        let mut next = || numbers.next().unwrap_or_default();
        let (offset, index_bytes, digest, domains, profiles) = (next(), next(), next(), next(), next());
        if offset.checked_add(index_bytes) != Some(footer_at) {
            return Err(BookError::damaged(path, "its index is not where it should be"));
        }
        let mut index = vec![0; index_bytes as usize];
        file.seek(SeekFrom::Start(offset)).map_err(disk())?;
        file.read_exact(&mut index).map_err(disk())?;
        if xxh3_64(&index) != digest {
            return Err(BookError::damaged(path, "its index is not what was written"));
        }
        let index = postcard::from_bytes(&index).map_err(|why| BookError::damaged(path, why.to_string()))?;
        let (file, cache) = (Mutex::new(file), Mutex::default());
        Ok(Self { path: path.to_owned(), file, index, digest, domains, profiles, cache })
    }

    /// How many domains have profiles.
    pub fn domains(&self) -> u64 {
        self.domains
    }

    /// How many profiles there are, all versions counted.
    pub fn profiles(&self) -> u64 {
        self.profiles
    }

    /// A digest of all that is in it.
    pub fn digest(&self) -> String {
        format!("{:016x}", self.digest)
    }

    /// The profiles of a domain, ready to read pages; none if it has none.
    ///
    /// # Errors
    /// When the disk fails, or the book is damaged there.
    pub fn spans(&self, domain: &Domain) -> Result<Option<Arc<Spans>>, BookError> {
        let cache = || lock(&self.cache);
        if let Some(known) = cache().get(domain.as_str()) {
            return Ok(known);
        }
        let found = self.json(domain)?;
        let bytes = found.as_ref().map_or(0, Vec::len);
        let spans = found.map(|json| Ok(Arc::new(Spans::of(&self.parse(&json)?)))).transpose()?;
        cache().remember(domain.as_str(), spans.clone(), bytes);
        Ok(spans)
    }

    /// What the book has of a domain.
    ///
    /// # Errors
    /// When the disk fails, or the book is damaged there.
    pub fn entry(&self, domain: &Domain) -> Result<Option<Entry>, BookError> {
        let json = self.json(domain)?;
        json.map(|json| Ok(Entry { domain: domain.clone(), profiles: self.parse(&json)? })).transpose()
    }

    /// What the book has of the site of a profile's key, or else of its domain.
    ///
    /// # Errors
    /// When the disk fails, or the book is damaged there.
    pub fn entry_of(&self, key: &str) -> Result<Option<Entry>, BookError> {
        let site = Domain::named(key.split('/').next().unwrap_or_default());
        Ok(match self.entry(&site)? {
            Some(entry) => Some(entry),
            None => self.entry(&domain_of_key(key))?,
        })
    }

    /// Every domain, in the order of their names.
    pub fn entries(&self) -> impl Iterator<Item = Result<Entry, BookError>> + '_ {
        self.index.iter().flat_map(|block| {
            let entries = self.block(block).and_then(|bytes| {
                let entry = |(name, json): (&str, &[u8])| {
                    Ok(Entry { domain: Domain::named(name), profiles: self.parse(json)? })
                };
                self.parts(&bytes)?.into_iter().map(entry).collect::<Result<Vec<_>, BookError>>()
            });
            match entries {
                Ok(entries) => entries.into_iter().map(Ok).collect::<Vec<_>>(),
                Err(error) => vec![Err(error)],
            }
        })
    }

    /// The JSON of a domain's profiles.
    fn json(&self, domain: &Domain) -> Result<Option<Vec<u8>>, BookError> {
        let name = domain.as_str();
        let behind = self.index.partition_point(|block| block.first.as_str() <= name);
        let Some(block) = behind.checked_sub(1).map(|at| &self.index[at]) else { return Ok(None) };
        let bytes = self.block(block)?;
        let found = self.parts(&bytes)?.into_iter().find(|(of, _)| *of == name);
        Ok(found.map(|(_, json)| json.to_vec()))
    }

    /// A block, decompressed.
    fn block(&self, block: &Block) -> Result<Vec<u8>, BookError> {
        let damaged = |what: &str| BookError::damaged(&self.path, format!("{what} at byte {}", block.offset));
        if block.bytes > MAX_BLOCK_BYTES {
            return Err(damaged("a block that is too long"));
        }
        let mut packed = vec![0; block.length as usize];
        {
            let mut file = lock(&self.file);
            let read = file.seek(SeekFrom::Start(block.offset)).and_then(|_| file.read_exact(&mut packed));
            read.map_err(BookError::disk("read", &self.path))?;
        }
        if xxh3_64(&packed) != block.digest {
            return Err(damaged("a block that is not what was written"));
        }
        zstd::bulk::decompress(&packed, block.bytes as usize)
            .map_err(|_| damaged("a block that cannot be decompressed"))
    }

    /// The domains of a block, each with its JSON.
    fn parts<'b>(&self, mut bytes: &'b [u8]) -> Result<Vec<(&'b str, &'b [u8])>, BookError> {
        let torn = || BookError::damaged(&self.path, "a block ends within a domain");
        let mut parts = Vec::new();
        while !bytes.is_empty() {
            let name = part(&mut bytes).and_then(|name| std::str::from_utf8(name).ok()).ok_or_else(torn)?;
            parts.push((name, part(&mut bytes).ok_or_else(torn)?));
        }
        Ok(parts)
    }

    fn parse(&self, json: &[u8]) -> Result<Vec<Spanned>, BookError> {
        serde_json::from_slice(json).map_err(|why| BookError::damaged(&self.path, why.to_string()))
    }
}

/// Takes the next part, which its length stands before.
fn part<'b>(bytes: &mut &'b [u8]) -> Option<&'b [u8]> {
    let (length, rest) = bytes.split_first_chunk::<4>()?;
    let (part, rest) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
    *bytes = rest;
    Some(part)
}

type Known = Option<Arc<Spans>>;

/// Domains that were asked for lately.
///
/// Two generations instead of a list in the order of use: what was asked for since the younger one began is in it, and
/// when that is full the older one goes. Nothing that is in use is forgotten, and nothing has to be moved.
#[derive(Default)]
struct Cache {
    young: FxHashMap<Box<str>, (Known, usize)>,
    old: FxHashMap<Box<str>, (Known, usize)>,
    young_bytes: usize,
}

impl Cache {
    /// What is known of a domain; nothing if nobody asked lately.
    fn get(&mut self, domain: &str) -> Option<Known> {
        if let Some((known, _)) = self.young.get(domain) {
            return Some(known.clone());
        }
        let (name, (known, bytes)) = self.old.remove_entry(domain)?;
        self.insert(name, known.clone(), bytes);
        Some(known)
    }

    /// Remembers a domain, whose profiles are so long.
    fn remember(&mut self, domain: &str, known: Known, bytes: usize) {
        self.insert(domain.into(), known, bytes + NOTHING_BYTES);
    }

    fn insert(&mut self, domain: Box<str>, known: Known, bytes: usize) {
        if self.young_bytes + bytes > GENERATION_BYTES {
            self.old = std::mem::take(&mut self.young);
            self.young_bytes = 0;
        }
        self.young_bytes += bytes;
        self.young.insert(domain, (known, bytes));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_for_stays_and_what_is_not_goes() {
        let mut cache = Cache::default();
        cache.remember("loved", None, 1 << 20);
        for n in 0..64 {
            assert!(cache.get("loved").is_some(), "forgotten after {n} others");
            cache.remember(&n.to_string(), None, 1 << 20);
        }
        assert!(cache.get("0").is_none());
        assert!(cache.young.len() + cache.old.len() <= 16);
    }
}
