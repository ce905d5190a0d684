//! A job's databases as one stream: every table's keys and values in their order, not the files of the databases, which
//! are many times as large. What is read back is the same to everybody who asks, on any machine.
//!
//! The stream is zstd; inside, `goldminer checkpoint`, the version of the rows, and sections: a name (length, bytes), then
//! entries as length of what the key shares with the one before, lengths of its rest and of the value, and both. Lengths
//! are LEB128. A section ends with an entry that shares more than any key has; the stream ends with a name of no bytes.

use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::Path;

use fjall::{Database, Keyspace, PersistMode};
use zstd::stream::read::Decoder;
use zstd::stream::write::Encoder;

use super::StoreError;
use super::database::{SCHEMA, Store};
use super::profiles::ProfileStore;

const MAGIC: &[u8] = b"goldminer checkpoint\n";

/// What the entry shares that ends a section: no key is so long.
const END: u64 = u64::MAX;

/// zstd's default; higher levels win a twentieth and take many times as long.
const ZSTD_LEVEL: i32 = 3;

/// How names of sections begin that hold profiles.
const PROFILES: &str = "profiles/";

/// Writes both databases of a job.
///
/// # Errors
/// When a database cannot be read, or the stream not be written.
pub fn save(store: &Store, profiles: &ProfileStore, to: impl Write) -> Result<(), StoreError> {
    let refused = |reason: io::Error| failed("writing a checkpoint", store.path(), reason);
    let mut to = Sections::begin(to).map_err(refused)?;
    for (name, keyspace) in store.keyspaces()? {
        to.section(&name).map_err(refused)?;
        for entry in keyspace.iter() {
            let (key, value) = entry.into_inner().map_err(|e| failed("reading", store.path(), e))?;
            to.entry(&key, &value).map_err(refused)?;
        }
        to.end_section().map_err(refused)?;
    }
    profiles.each_tree(|name, tree| {
        to.section(&format!("{PROFILES}{name}")).map_err(refused)?;
        for entry in tree {
            let (key, value) = entry.map_err(|e| failed("reading the profiles", store.path(), e))?;
            to.entry(&key, &value).map_err(refused)?;
        }
        to.end_section().map_err(refused)
    })?;
    to.finish().map_err(refused)
}

/// Makes both databases anew from what [`save`] wrote, where there are none yet.
///
/// # Errors
/// When the stream is damaged or of another version, or the disk fails.
pub fn restore(frontier: &Path, profiles: &Path, from: impl Read) -> Result<(), StoreError> {
    let damaged = |reason: io::Error| failed("reading a checkpoint", frontier, reason);
    let mut from = Reader::begin(from).map_err(damaged)?;
    let (found, known) = (from.length().map_err(damaged)?, u64::from(SCHEMA));
    if found != known {
        let message =
            format!("it is of version {found} and this program of version {known}: use the program that wrote it");
        return Err(failed("reading a checkpoint", frontier, message));
    }
    let store = Store::open(frontier)?;
    let profiles = ProfileStore::open(profiles)?;
    while let Some(name) = from.section().map_err(damaged)? {
        if let Some(tree) = name.strip_prefix(PROFILES) {
            let entries = std::iter::from_fn(|| from.entry().transpose());
            profiles.fill_tree(tree, entries.map(|entry| entry.map_err(damaged)))?;
        } else {
            fill(&store, &name, &mut from, damaged)?;
        }
    }
    profiles.flush()?;
    store.sync()
}

fn fill(
    store: &Store,
    name: &str,
    from: &mut Reader<impl Read>,
    damaged: impl Fn(io::Error) -> StoreError,
) -> Result<(), StoreError> {
    let refused = |e: fjall::Error| failed("writing", store.path(), e);
    let (_, keyspace) = store
        .keyspaces()?
        .into_iter()
        .find(|(known, _)| known == name)
        .ok_or_else(|| failed("reading a checkpoint", store.path(), format!("there is no table {name}")))?;
    if !keyspace.is_empty().map_err(refused)? {
        // What every database has of its own: few rows, among which the ingestion of sorted ones cannot go.
        while let Some((key, value)) = from.entry().map_err(&damaged)? {
            keyspace.insert(key, value).map_err(refused)?;
        }
        return Ok(());
    }
    let mut rows = keyspace.start_ingestion().map_err(refused)?;
    while let Some((key, value)) = from.entry().map_err(&damaged)? {
        rows.write(key, value).map_err(refused)?;
    }
    rows.finish().map_err(refused)
}

impl Store {
    /// The keyspaces by name.
    fn keyspaces(&self) -> Result<Vec<(String, Keyspace)>, StoreError> {
        let db: &Database = self.database();
        db.persist(PersistMode::SyncAll).map_err(|e| failed("writing", self.path(), e))?;
        let names = db.list_keyspace_names();
        let open = |name: &str| db.keyspace(name, Default::default).map_err(|e| failed("reading", self.path(), e));
        names.iter().map(|name| Ok((name.to_string(), open(name)?))).collect()
    }
}

fn failed(doing: &'static str, path: &Path, reason: impl ToString) -> StoreError {
    StoreError::Failed { doing, path: path.to_path_buf(), reason: reason.to_string() }
}

/// The writing end.
struct Sections<W: Write> {
    to: BufWriter<Encoder<'static, W>>,
    before: Vec<u8>,
}

impl<W: Write> Sections<W> {
    fn begin(to: W) -> io::Result<Self> {
        let mut to = Encoder::new(to, ZSTD_LEVEL)?;
        to.include_checksum(true)?;
        let mut this = Self { to: BufWriter::with_capacity(256 << 10, to), before: Vec::new() };
        this.to.write_all(MAGIC)?;
        this.length(u64::from(SCHEMA))?;
        Ok(this)
    }

    fn section(&mut self, name: &str) -> io::Result<()> {
        self.before.clear();
        self.length(name.len() as u64)?;
        self.to.write_all(name.as_bytes())
    }

    fn entry(&mut self, key: &[u8], value: &[u8]) -> io::Result<()> {
        let shared = key.iter().zip(&self.before).take_while(|(a, b)| a == b).count();
        self.length(shared as u64)?;
        self.length((key.len() - shared) as u64)?;
        self.length(value.len() as u64)?;
        self.to.write_all(&key[shared..])?;
        self.to.write_all(value)?;
        self.before.truncate(shared);
        self.before.extend_from_slice(&key[shared..]);
        Ok(())
    }

    fn end_section(&mut self) -> io::Result<()> {
        self.length(END)
    }

    fn finish(mut self) -> io::Result<()> {
        self.length(0)?;
        let encoder = self.to.into_inner().map_err(io::IntoInnerError::into_error)?;
        encoder.finish()?.flush()
    }

    fn length(&mut self, mut length: u64) -> io::Result<()> {
        while length >= 0x80 {
            self.to.write_all(&[length as u8 | 0x80])?;
            length >>= 7;
        }
        self.to.write_all(&[length as u8])
    }
}

/// The reading end.
struct Reader<R: Read> {
    from: BufReader<Decoder<'static, BufReader<R>>>,
    before: Vec<u8>,
}

impl<R: Read> Reader<R> {
    fn begin(from: R) -> io::Result<Self> {
        let mut from = BufReader::with_capacity(256 << 10, Decoder::new(from)?);
        let mut magic = [0; MAGIC.len()];
        from.read_exact(&mut magic)?;
        if magic != *MAGIC {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "it is no checkpoint"));
        }
        Ok(Self { from, before: Vec::new() })
    }

    fn section(&mut self) -> io::Result<Option<String>> {
        self.before.clear();
        let name = self.bytes()?;
        if name.is_empty() {
            // The digest of all that came before stands at the very end.
            let is_over = self.from.read(&mut [0])? == 0;
            let behind = || io::Error::new(io::ErrorKind::InvalidData, "something stands behind its end");
            return if is_over { Ok(None) } else { Err(behind()) };
        }
        String::from_utf8(name).map(Some).map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "a name is damaged"))
    }

    fn entry(&mut self) -> io::Result<Option<(Vec<u8>, Vec<u8>)>> {
        let shared = self.length()?;
        if shared == END {
            return Ok(None);
        }
        let (rest, value) = (self.length()?, self.length()?);
        let shared = usize::try_from(shared).ok().filter(|shared| *shared <= self.before.len());
        let shared = shared.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "a key is damaged"))?;
        let mut key = self.before[..shared].to_vec();
        self.take(rest, &mut key)?;
        let mut bytes = Vec::new();
        self.take(value, &mut bytes)?;
        self.before.clone_from(&key);
        Ok(Some((key, bytes)))
    }

    fn bytes(&mut self) -> io::Result<Vec<u8>> {
        let length = self.length()?;
        let mut bytes = Vec::new();
        self.take(length, &mut bytes)?;
        Ok(bytes)
    }

    /// Reads so many bytes more; memory grows with what is there, whatever a damaged length says.
    fn take(&mut self, length: u64, into: &mut Vec<u8>) -> io::Result<()> {
        let read = (&mut self.from).take(length).read_to_end(into)?;
        if read as u64 == length { Ok(()) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
    }

    fn length(&mut self) -> io::Result<u64> {
        let (mut length, mut shift) = (0_u64, 0);
        loop {
            let mut byte = [0];
            self.from.read_exact(&mut byte)?;
            length |= u64::from(byte[0] & 0x7F).checked_shl(shift).unwrap_or(0);
            if byte[0] & 0x80 == 0 {
                return Ok(length);
            }
            shift += 7;
            if shift > 63 {
                return Err(io::Error::new(io::ErrorKind::InvalidData, "a length is damaged"));
            }
        }
    }
}
