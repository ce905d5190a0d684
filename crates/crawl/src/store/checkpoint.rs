//! Saves both databases of a job as one stream, and restores them on any machine. The stream has the keys and values
//! of every table in order. It is many times smaller than the files of the databases.
//!
//! The stream is compressed with zstd. It consists of `goldminer checkpoint`, the version of the rows, and sections.
//! A section has a name, then keys and values alternately; each of these is its length in 4 bytes, little-endian, and
//! its bytes. An empty key ends a section, and an empty name ends the stream, because no real key or name is empty.

use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::Path;

use fjall::{Database, Keyspace, PersistMode};
use zstd::stream::read::Decoder;
use zstd::stream::write::Encoder;

use super::StoreError;
use super::database::{SCHEMA, Store};
use super::profiles::ProfileStore;

const MAGIC: &[u8] = b"goldminer checkpoint\n";

/// zstd's default level. Higher levels save 5 % and take many times as long.
const ZSTD_LEVEL: i32 = 3;

/// The names of sections with profiles begin with this.
const PROFILES: &str = "profiles/";

/// Writes both databases of a job.
///
/// # Errors
/// When a database cannot be read, or the stream cannot be written.
pub fn save(store: &Store, profiles: &ProfileStore, to: impl Write) -> Result<(), StoreError> {
    let refused = |reason: io::Error| StoreError::failed("writing a checkpoint", store.path(), reason);
    let mut to = Sections::begin(to).map_err(refused)?;
    for (name, keyspace) in store.keyspaces()? {
        to.put(name.as_bytes()).map_err(refused)?;
        for entry in keyspace.iter() {
            let (key, value) = entry.into_inner().map_err(|e| StoreError::failed("reading", store.path(), e))?;
            to.put(&key).and_then(|()| to.put(&value)).map_err(refused)?;
        }
        to.put(b"").map_err(refused)?;
    }
    profiles.each_tree(|name, tree| {
        to.put(format!("{PROFILES}{name}").as_bytes()).map_err(refused)?;
        for entry in tree {
            let (key, value) = entry.map_err(|e| StoreError::failed("reading the profiles", store.path(), e))?;
            to.put(&key).and_then(|()| to.put(&value)).map_err(refused)?;
        }
        to.put(b"").map_err(refused)
    })?;
    to.finish().map_err(refused)
}

/// Restores both databases from a checkpoint of [`save`]. The databases must not exist yet.
///
/// # Errors
/// When the stream is damaged or of another version, or the disk fails.
pub fn restore(frontier: &Path, profiles: &Path, from: impl Read) -> Result<(), StoreError> {
    let damaged = |reason: io::Error| {
        StoreError::Failed(format!("the checkpoint cannot be read: {reason}; use another checkpoint"))
    };
    let mut from = Reader::begin(from).map_err(damaged)?;
    let found = from.number().map_err(damaged)?;
    if found != SCHEMA {
        return Err(StoreError::Failed(format!(
            "the checkpoint has version {found}, this program reads version {SCHEMA}: use the program that wrote it"
        )));
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
    let refused = |e: fjall::Error| StoreError::failed("writing", store.path(), e);
    let (_, keyspace) = store.keyspaces()?.into_iter().find(|(known, _)| known == name).ok_or_else(|| {
        StoreError::Failed(format!("the checkpoint has an unknown table {name}: use the program that wrote it"))
    })?;
    if !keyspace.is_empty().map_err(refused)? {
        // A new database already has keys in this keyspace, such as its version. Sorted ingestion needs an empty
        // keyspace, so the keys of the checkpoint are inserted one by one.
        while let Some((key, value)) = from.entry().map_err(&damaged)? {
            keyspace.insert(key, value).map_err(refused)?;
        }
        return Ok(());
    }
    let (mut rows, mut last) = (keyspace.start_ingestion().map_err(refused)?, Vec::new());
    while let Some((key, value)) = from.entry().map_err(&damaged)? {
        if key <= last {
            return Err(damaged(damage("its keys are out of order")));
        }
        last.clone_from(&key);
        rows.write(key, value).map_err(refused)?;
    }
    rows.finish().map_err(refused)
}

impl Store {
    /// Syncs the database, then returns its keyspaces with their names.
    fn keyspaces(&self) -> Result<Vec<(String, Keyspace)>, StoreError> {
        let db: &Database = self.database();
        db.persist(PersistMode::SyncAll).map_err(|e| StoreError::failed("writing", self.path(), e))?;
        let names = db.list_keyspace_names();
        let open =
            |name: &str| db.keyspace(name, Default::default).map_err(|e| StoreError::failed("reading", self.path(), e));
        names.iter().map(|name| Ok((name.to_string(), open(name)?))).collect()
    }
}

/// Writes the sections of a checkpoint.
struct Sections<W: Write>(BufWriter<Encoder<'static, W>>);

impl<W: Write> Sections<W> {
    fn begin(to: W) -> io::Result<Self> {
        let mut to = Encoder::new(to, ZSTD_LEVEL)?;
        to.include_checksum(true)?;
        let mut to = BufWriter::with_capacity(256 << 10, to);
        to.write_all(MAGIC)?;
        to.write_all(&SCHEMA.to_le_bytes())?;
        Ok(Self(to))
    }

    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        let length = u32::try_from(bytes.len()).map_err(|_| damage("a row is too long"))?;
        self.0.write_all(&length.to_le_bytes())?;
        self.0.write_all(bytes)
    }

    fn finish(mut self) -> io::Result<()> {
        self.put(b"")?;
        let encoder = self.0.into_inner().map_err(io::IntoInnerError::into_error)?;
        encoder.finish()?.flush()
    }
}

/// Reads the sections of a checkpoint.
struct Reader<R: Read>(BufReader<Decoder<'static, BufReader<R>>>);

impl<R: Read> Reader<R> {
    fn begin(from: R) -> io::Result<Self> {
        let mut from = BufReader::with_capacity(256 << 10, Decoder::new(from)?);
        let mut magic = [0; MAGIC.len()];
        from.read_exact(&mut magic)?;
        if magic == *MAGIC { Ok(Self(from)) } else { Err(damage("it is not a checkpoint")) }
    }

    fn number(&mut self) -> io::Result<u32> {
        let mut number = [0; 4];
        self.0.read_exact(&mut number)?;
        Ok(u32::from_le_bytes(number))
    }

    /// The next name, key or value. Memory grows only with existing data, even if a length is damaged.
    fn bytes(&mut self) -> io::Result<Vec<u8>> {
        let (length, mut bytes) = (u64::from(self.number()?), Vec::new());
        let read = (&mut self.0).take(length).read_to_end(&mut bytes)?;
        if read as u64 == length { Ok(bytes) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
    }

    fn section(&mut self) -> io::Result<Option<String>> {
        let name = self.bytes()?;
        if name.is_empty() {
            // This read also checks the digest at the end of the stream.
            let is_over = self.0.read(&mut [0])? == 0;
            return if is_over { Ok(None) } else { Err(damage("there is data after its end")) };
        }
        String::from_utf8(name).map(Some).map_err(|_| damage("a name is damaged"))
    }

    fn entry(&mut self) -> io::Result<Option<(Vec<u8>, Vec<u8>)>> {
        let key = self.bytes()?;
        if key.is_empty() { Ok(None) } else { Ok(Some((key, self.bytes()?))) }
    }
}

fn damage(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}
