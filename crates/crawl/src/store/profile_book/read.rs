//! Reads a profile book: one domain by its name, or all domains in order.

use std::fs::File;
use std::io::Read;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use goldminer_html::Domain;
use quick_cache::sync::{Cache, DefaultLifecycle};
use quick_cache::{DefaultHashBuilder, OptionsBuilder, Weighter};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::entry::{BookError, Entry, Spanned, Spans, domain_of_key};
use super::{FOOTER_BYTES, MAGIC};

/// The most bytes of a decompressed block. Even a domain with a thousand profiles has fewer.
const MAX_BLOCK_BYTES: u32 = 256 << 20;

/// The most bytes of JSON whose profiles are cached. In memory they take about three times as much.
const CACHE_BYTES: u64 = 16 << 20;
/// About how many domains fit into the cache.
const DOMAINS: usize = 1_000;
/// Bytes that are added to the cached size of each domain, so that domains without profiles count too.
const NOTHING_BYTES: usize = 100;

/// The index entry of a block.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Block {
    /// The first domain in the block.
    pub first: String,
    pub offset: u64,
    pub length: u32,
    /// The decompressed length in bytes.
    pub bytes: u32,
    pub digest: u64,
}

/// An open profile book. Any number of threads can use it.
pub struct ProfileBook {
    path: PathBuf,
    file: File,
    index: Vec<Block>,
    digest: u64,
    domains: u64,
    profiles: u64,
    cache: Cache<String, Known, ByLength>,
}

impl ProfileBook {
    /// Whether a file begins like a profile book; false if it cannot be read.
    pub fn is_book(path: &Path) -> bool {
        let mut magic = [0; MAGIC.len()];
        path.is_file() && File::open(path).and_then(|mut file| file.read_exact(&mut magic)).is_ok() && magic == *MAGIC
    }

    /// Opens a book and reads its index.
    ///
    /// # Errors
    /// When the file cannot be read, is not a profile book, or is damaged.
    pub fn open(path: &Path) -> Result<Self, BookError> {
        let disk = || BookError::disk("read", path);
        let file = File::open(path).map_err(disk())?;
        if !Self::is_book(path) {
            return Err(BookError::NoBook(path.to_owned()));
        }
        let length = file.metadata().map_err(disk())?.len();
        let torn = || BookError::damaged(path, "its end is missing");
        let footer_at = length.checked_sub(FOOTER_BYTES as u64).ok_or_else(torn)?;
        let mut footer = [0; FOOTER_BYTES];
        file.read_exact_at(&mut footer, footer_at).map_err(disk())?;
        if !footer.ends_with(MAGIC) {
            return Err(torn());
        }
        let (numbers, _) = footer.as_chunks::<8>();
        let [offset, index_bytes, digest, domains, profiles] =
            std::array::from_fn(|number| u64::from_le_bytes(numbers[number]));
        if offset.checked_add(index_bytes) != Some(footer_at) {
            return Err(BookError::damaged(path, "its index is not where it should be"));
        }
        let mut index = vec![0; index_bytes as usize];
        file.read_exact_at(&mut index, offset).map_err(disk())?;
        if xxh3_64(&index) != digest {
            return Err(BookError::damaged(path, "the checksum of its index is wrong"));
        }
        let index = postcard::from_bytes(&index).map_err(|why| BookError::damaged(path, why.to_string()))?;
        Ok(Self { path: path.to_owned(), file, index, digest, domains, profiles, cache: cache() })
    }

    /// Number of domains with profiles.
    pub fn domains(&self) -> u64 {
        self.domains
    }

    /// Number of profiles, counting all versions.
    pub fn profiles(&self) -> u64 {
        self.profiles
    }

    /// A digest of the book: of its index, which has the digests of all blocks.
    pub fn digest(&self) -> String {
        format!("{:016x}", self.digest)
    }

    /// The profiles of a domain by period, from the cache if possible. None if the book does not have the domain.
    ///
    /// # Errors
    /// When the disk fails, or the block of the domain is damaged.
    pub fn spans(&self, domain: &Domain) -> Result<Option<Arc<Spans>>, BookError> {
        let (spans, _) = self.cache.get_or_insert_with(domain.as_str(), || {
            let found = self.json(domain)?;
            let bytes = found.as_ref().map_or(0, String::len) + NOTHING_BYTES;
            let spans = found.map(|json| Ok(Arc::new(Spans::of(&self.parse(&json)?)))).transpose()?;
            Ok::<_, BookError>((spans, bytes))
        })?;
        Ok(spans)
    }

    /// The entry of a domain; None if the book does not have the domain.
    ///
    /// # Errors
    /// When the disk fails, or the block of the domain is damaged.
    pub fn entry(&self, domain: &Domain) -> Result<Option<Entry>, BookError> {
        let json = self.json(domain)?;
        json.map(|json| Ok(Entry { domain: domain.clone(), profiles: self.parse(&json)? })).transpose()
    }

    /// The entry for a profile's key: the one of the host name in the key, or else the one of its registrable domain.
    /// None if the book has neither.
    ///
    /// # Errors
    /// When the disk fails, or a block is damaged.
    pub fn entry_of(&self, key: &str) -> Result<Option<Entry>, BookError> {
        let site = Domain::named(key.split('/').next().unwrap_or_default());
        Ok(match self.entry(&site)? {
            Some(entry) => Some(entry),
            None => self.entry(&domain_of_key(key))?,
        })
    }

    /// The entries of all domains, ordered by domain name.
    pub fn entries(&self) -> impl Iterator<Item = Result<Entry, BookError>> + '_ {
        self.index.iter().flat_map(|block| {
            let entries = self.block(block).and_then(|bytes| {
                let entry =
                    |(name, json): (&str, &str)| Ok(Entry { domain: Domain::named(name), profiles: self.parse(json)? });
                self.parts(&bytes)?.into_iter().map(entry).collect::<Result<Vec<_>, BookError>>()
            });
            match entries {
                Ok(entries) => entries.into_iter().map(Ok).collect::<Vec<_>>(),
                Err(error) => vec![Err(error)],
            }
        })
    }

    /// The JSON of a domain's profiles; None if the book does not have the domain.
    fn json(&self, domain: &Domain) -> Result<Option<String>, BookError> {
        let name = domain.as_str();
        let behind = self.index.partition_point(|block| block.first.as_str() <= name);
        let Some(block) = behind.checked_sub(1).map(|at| &self.index[at]) else { return Ok(None) };
        let bytes = self.block(block)?;
        let found = self.parts(&bytes)?.into_iter().find(|(of, _)| *of == name);
        Ok(found.map(|(_, json)| json.to_owned()))
    }

    /// Reads and decompresses a block.
    fn block(&self, block: &Block) -> Result<Vec<u8>, BookError> {
        let damaged = |what: &str| BookError::damaged(&self.path, format!("{what} at byte {}", block.offset));
        if block.bytes > MAX_BLOCK_BYTES {
            return Err(damaged("a block that is too long"));
        }
        let mut packed = vec![0; block.length as usize];
        self.file.read_exact_at(&mut packed, block.offset).map_err(BookError::disk("read", &self.path))?;
        if xxh3_64(&packed) != block.digest {
            return Err(damaged("a block with a wrong checksum"));
        }
        zstd::bulk::decompress(&packed, block.bytes as usize)
            .map_err(|_| damaged("a block that cannot be decompressed"))
    }

    /// The domains of a block, with their profiles as JSON.
    fn parts<'b>(&self, bytes: &'b [u8]) -> Result<Vec<(&'b str, &'b str)>, BookError> {
        postcard::from_bytes(bytes).map_err(|_| BookError::damaged(&self.path, "a block ends within a domain"))
    }

    fn parse(&self, json: &str) -> Result<Vec<Spanned>, BookError> {
        serde_json::from_str(json).map_err(|why| BookError::damaged(&self.path, why.to_string()))
    }
}

/// A cached domain: its profiles, if it has any, and its size in bytes.
type Known = (Option<Arc<Spans>>, usize);

#[derive(Clone)]
struct ByLength;

impl Weighter<String, Known> for ByLength {
    /// The size of a cached domain, as the cache counts it: at most half the cache. The cache would refuse a larger
    /// domain than itself, and a domain that is not cached would be read again for each of its pages.
    fn weight(&self, _: &String, (_, bytes): &Known) -> u64 {
        (*bytes as u64).min(CACHE_BYTES / 2)
    }
}

/// An empty cache, with a single shard. Each of several shards would refuse domains larger than its part of the bytes.
fn cache() -> Cache<String, Known, ByLength> {
    let mut options = OptionsBuilder::new();
    options.shards(1).estimated_items_capacity(DOMAINS).weight_capacity(CACHE_BYTES);
    let options = options.build().expect("both capacities are given");
    Cache::with_options(options, ByLength, DefaultHashBuilder::default(), DefaultLifecycle::default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn used_domains_stay_in_the_cache_and_others_are_dropped() {
        let cache = cache();
        cache.insert("loved".to_owned(), (None, 64 << 10));
        for n in 0..2_000 {
            assert!(cache.get("loved").is_some(), "forgotten after {n} others");
            cache.insert(n.to_string(), (None, 64 << 10));
        }
        let kept = (0..2_000).filter(|n| cache.get(&n.to_string()).is_some()).count();
        assert!(kept <= 256 && cache.weight() <= CACHE_BYTES, "{kept}");
    }

    #[test]
    fn a_domain_of_any_size_stays_in_the_cache() {
        let cache = cache();
        cache.insert("long".to_owned(), (None, 1 << 30));
        assert!(cache.get("long").is_some());
    }
}
